//! The chip catalog: limits of each compute capability.

use super::row::catalog;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Dense tensor-core rates of a chip.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TensorRate {
    /// Operations per SM and cycle by input type (`fp16`, `fp8`, …), two to a multiply-add, without sparsity.
    pub dense: BTreeMap<&'static str, u32>,
    /// Where the figures were published, and under which accumulation.
    pub cite: &'static str,
}

/// Device memory of a product of a chip.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceMemory {
    pub product: &'static str,
    /// Bits of its bus.
    pub bus_bits: u32,
    /// Its clock in MHz; two transfers a cycle.
    pub clock_mhz: u32,
    /// Who saw that.
    pub cite: &'static str,
}

impl DeviceMemory {
    /// Bytes a second: the width of the bus in bytes, twice in each cycle.
    pub fn bytes_per_second(&self) -> f64 {
        f64::from(self.bus_bits) / 8.0 * 2.0 * f64::from(self.clock_mhz) * 1e6
    }
}

/// A fact that no number holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChipFact {
    pub text: &'static str,
    /// Who says or saw it.
    pub cite: &'static str,
}

/// Cycles from a load to its value, with nothing else in flight.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadLatency {
    /// Of global memory, where L2 has it.
    pub l2: Option<u32>,
    /// Of global memory, where only DRAM has it.
    pub dram: Option<u32>,
    pub tensor_memory: Option<u32>,
    /// Whether the figures are said by others and were not measured: what follows from them says so.
    #[serde(default)]
    pub is_assumed: bool,
    /// Where the figures come from.
    pub cite: &'static str,
}

/// Limits of a compute capability. A limit that the report states goes before the one here.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChipRow {
    /// Compute capability, major and minor.
    pub cc: (u32, u32),
    /// Name of the chip or the range of chips.
    pub name: &'static str,
    /// The compiler's name of the architecture: `sm_90`.
    pub arch: &'static str,
    /// Its name in the metric table; absent for a chip that the table does not cover.
    pub counters: Option<&'static str>,
    /// Products with it.
    pub examples: &'static str,
    /// Warps that an SM can hold.
    pub max_warps_per_sm: u32,
    /// Threads that an SM can hold.
    pub max_threads_per_sm: u32,
    /// Blocks that an SM can hold.
    pub max_blocks_per_sm: u32,
    /// Threads that a block can have.
    pub max_threads_per_block: u32,
    /// 32-bit registers of an SM.
    pub registers_per_sm: u32,
    /// 32-bit registers that a thread can have.
    pub max_registers_per_thread: u32,
    /// Warp schedulers of an SM.
    pub schedulers_per_sm: u32,
    /// Shared memory of an SM, in bytes.
    pub shared_per_sm: u32,
    /// Shared memory that a block can opt in to, in bytes.
    pub shared_per_block_max: u32,
    /// Shared memory of a block that the driver keeps, in bytes.
    pub shared_reserved_per_block: u32,
    /// Blocks of a cluster that every kernel may ask for; absent without clusters.
    pub max_portable_cluster: Option<u32>,
    /// Whether bulk copies (TMA) bring data to shared memory beside the load/store path.
    #[serde(default)]
    pub has_bulk_copies: bool,
    /// Columns of tensor memory of an SM, which its blocks share; absent without tensor memory.
    pub tensor_memory_columns: Option<u32>,
    /// The byte of constant bank 0 at which the arguments of a kernel begin, as `nvdisasm` shows them.
    pub arguments: Option<u16>,
    /// Latencies of loads, where they are known.
    pub latency: Option<LoadLatency>,
    /// The class of opcodes that alone reaches the full tensor rate; absent where warp-level instructions do.
    pub full_rate_tensor: Option<&'static str>,
    /// The vendor page at which the limits can be checked.
    pub cite: &'static str,
    /// Dense tensor-core rates, where published.
    pub tensor: Option<TensorRate>,
    /// Device memory, where it is not what product pages say.
    pub memory: Option<DeviceMemory>,
    /// Which tools write NaN for its counters.
    pub nan: Option<ChipFact>,
    /// What else is worth knowing of it.
    #[serde(default)]
    pub fact: Vec<ChipFact>,
}

catalog! {
    ChipRow, "chips.toml", "chip", |row| vec![row.arch],
    /// Every chip, oldest first.
    pub fn chips
}

/// The limits of a compute capability, given as major and minor.
pub fn chip(cc: (u32, u32)) -> Option<&'static ChipRow> {
    ROWS.rows().iter().find(|row| row.cc == cc)
}

/// The row of an architecture as the compiler names it, with or without its letter: `sm_90a`.
pub fn chip_of_arch(arch: &str) -> Option<&'static ChipRow> {
    let plain = arch.strip_suffix(['a', 'f']).unwrap_or(arch);
    ROWS.rows().iter().find(|row| row.arch == plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_limits_agree_with_each_other() {
        for row in chips() {
            assert_eq!(row.arch, format!("sm_{}{}", row.cc.0, row.cc.1));
            assert_eq!(row.max_threads_per_sm, 32 * row.max_warps_per_sm, "{}", row.arch);
            assert!(row.shared_per_block_max + row.shared_reserved_per_block <= row.shared_per_sm, "{}", row.arch);
        }
        assert!(chip((3, 5)).is_none());
    }

    #[test]
    fn facts_of_blackwell_agree_with_each_other() {
        // 148 SMs x 1,856 MHz: 2.25, 4.5 and 9 PFLOPS; 7,680 bits at 3,996 MHz twice a cycle: 7.67 TB/s.
        let b200 = chip((10, 0)).expect("chip");
        let rate = |input: &str| f64::from(b200.tensor.as_ref().expect("rates").dense[input]) * 148.0 * 1.856e9;
        for (input, published) in [("fp16", 2.25e15), ("fp8", 4.5e15), ("fp4", 9e15)] {
            assert!((rate(input) / published - 1.0).abs() < 0.01, "{input}");
        }
        let memory = b200.memory.as_ref().expect("memory");
        assert!((memory.bytes_per_second() / 7.67e12 - 1.0).abs() < 0.001);
        // Where products are of tcgen05 there is tensor memory for their sums, and nowhere else.
        for row in chips() {
            assert_eq!(
                row.tensor_memory_columns.is_some(),
                row.full_rate_tensor == Some("tensor-tcgen05"),
                "{}",
                row.arch
            );
        }
    }

    #[test]
    fn tensor_rates_give_the_published_peak() {
        // 108 SMs x 2048 operations x 1.41 GHz = 311.9e12 operations per second, published as 312 TFLOPS.
        let rate = chip((8, 0)).and_then(|row| row.tensor.as_ref()).map(|tensor| tensor.dense["fp16"]);
        let peak = 108.0 * f64::from(rate.expect("rate")) * 1.41e9;
        assert!((peak / 312e12 - 1.0).abs() < 0.01, "{peak}");
    }
}
