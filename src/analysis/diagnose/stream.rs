//! Streams from device memory, which L2 passes on.

use super::kernel::Kernel;
use super::level::{Level, Unit};
use crate::catalog::{self, Part};

/// Bytes that DRAM moved.
pub(super) const DRAM_BYTES: [&str; 2] = ["dram__bytes_read.sum", "dram__bytes_write.sum"];
/// Sectors that the L1 caches ask of L2.
pub(super) const L2_SECTORS: &str = "lts__t_sectors_srcunit_tex.sum";
/// Bytes of a sector.
const SECTOR: f64 = 32.0;
/// By how much a load takes longer than in an idle chip, from which on most of its time is spent in a queue.
pub(super) const QUEUED: f64 = 2.0;

/// Whether most of what L2 is asked for comes from device memory, so that its fabric carries the same stream; also where the report
/// does not tell.
pub(super) fn is_of_dram(k: &Kernel<'_, '_>) -> bool {
    let moved = k.kernel.value(DRAM_BYTES[0]).zip(k.kernel.value(DRAM_BYTES[1])).map(|(read, written)| read + written);
    let asked = k.kernel.value(L2_SECTORS).map(|sectors| SECTOR * sectors);
    moved.zip(asked).is_none_or(|(moved, asked)| 2.0 * moved >= asked)
}

/// Whether the warps have too few loads in flight for a stream from device memory to fill it, however high the fabric of L2 reads:
/// bytes in flight are rate × time of a load (Little's law), and the roof needs its rate × the time in an idle chip. The time of a
/// load is what a turn of the main loop waits for loads; none of them spends most of it in a queue.
pub(super) fn is_thin(k: &Kernel<'_, '_>, units: &[Unit]) -> bool {
    let of = |part: Part| units.iter().find(|unit| unit.part == part);
    let times_idle = || {
        let latency = catalog::chip(k.kernel.first().device.compute_capability?)?.latency.as_ref()?;
        Some(k.phases?.load_cycles()? / f64::from(latency.dram.filter(|_| !latency.is_assumed)?))
    };
    let Some((dram, l2)) = of(Part::MemoryDram).zip(of(Part::MemoryL2)) else { return false };
    let is_fabric = l2.is_saturated() && dram.level == Level::High;
    is_fabric && is_of_dram(k) && times_idle().is_some_and(|times| times < QUEUED && dram.share * times < 1.0)
}
