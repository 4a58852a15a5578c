//! What the code shows against a kernel before it runs: one function for each pattern, as for those of a profile.

use super::resources::{Agreement, REGISTER_CAP, SPILL_LOADS, SPILL_STORES};
use super::{accesses::WidthRow, facts::CodeFacts, tensor_memory};
use crate::analysis::derive::occupancy::{SHARED, STAGE};
use crate::analysis::derive::product_shape::{cycles, sides, wavefronts};
use crate::analysis::{Finding, Limits, Severity};
use crate::catalog::{self, Code, Threshold};
use crate::quantity::format;
use crate::words;
use crate::words::Words;
use cuda_binary::Op;
use cuda_binary::op::Space;

struct Built<'a> {
    code: &'a CodeFacts,
    limits: &'a Limits,
}

/// Every pattern of the code, the most telling first.
const PATTERNS: [fn(&Built<'_>) -> Option<Finding>; 11] = [
    build_differs,
    spills,
    local_arrays,
    older_tensor_path,
    narrow_products,
    occupancy,
    split_allocation,
    load_latency,
    narrow_access,
    double,
    calls,
];

/// What the code shows, the most telling first.
pub(in crate::analysis) fn findings(code: &CodeFacts, limits: &Limits) -> Vec<Finding> {
    let built = Built { code, limits };
    PATTERNS.iter().filter_map(|pattern| pattern(&built)).collect()
}

impl Built<'_> {
    /// Instructions of a class of opcodes.
    fn count(&self, class: &str) -> u64 {
        self.code.classes.iter().find(|row| row.class == class).map_or(0, |row| row.count as u64)
    }
}

/// A finding of the code: nothing ranks it but its place in the list.
fn shown(code: Code, severity: Severity, sentence: Words) -> Option<Finding> {
    Some(Finding { code, severity, sentence, at: None, readings: Vec::new(), share: 0.0 })
}

/// A log, a cubin and a launch that are not of one build: the resources on which they differ.
fn build_differs(g: &Built<'_>) -> Option<Finding> {
    let differing = g.code.resources.iter().filter(|row| row.agreement == Agreement::Differs);
    let rows: Vec<&str> = differing.map(|row| row.label.as_str()).collect();
    let sentence = words!(
        "The ptxas log, the cubin and the launch disagree on {}: they come from different builds.",
        rows.join(", ").to_lowercase()
    );
    shown(Code::BuildDiffers, Severity::Notes, sentence).filter(|_| !rows.is_empty())
}

/// Spilled registers: bytes by ptxas, instructions that the cubin marks, and the cap on registers where the kernel uses all of it.
fn spills(g: &Built<'_>) -> Option<Finding> {
    let stores = g.code.resource(SPILL_STORES).and_then(|row| row.ptxas);
    let loads = g.code.resource(SPILL_LOADS).and_then(|row| row.ptxas);
    let marked = g.code.resource("Instructions that spill or refill").and_then(|row| row.cubin);
    if [stores, loads, marked].into_iter().flatten().sum::<u64>() == 0 {
        return None;
    }
    let cap = g.code.resource(REGISTER_CAP).and_then(|row| row.cubin).filter(|cap| g.code.registers() >= Some(*cap));
    let cap = cap.map(|cap| {
        words!(
            "; `__launch_bounds__` or `-maxrregcount` caps a thread at {} registers, and the kernel uses all of them",
            format::integer(cap)
        )
    });
    let marked = marked.map(|count| words!(" by {} instructions", format::integer(count)));
    let bytes = stores.zip(loads).map(|(stores, loads)| {
        words!(
            " ({} B stored and {} B loaded per thread, each instruction counted once)",
            format::integer(stores),
            format::integer(loads)
        )
    });
    let sentence = words!(
        "Registers are spilled to local memory{}{}{}.",
        words::maybe(marked),
        words::maybe(bytes),
        words::maybe(cap)
    );
    shown(Code::RegisterSpilling, Severity::Costs, sentence)
}

/// Local memory that no spill explains.
fn local_arrays(g: &Built<'_>) -> Option<Finding> {
    let others: usize = g.code.local.iter().filter_map(|row| Some(row.count.saturating_sub(row.spills?))).sum();
    let sentence = words!(
        "{} instructions access local memory without being spills: an array indexed at run time, or the frame of a called function.",
        format::integer(others as u64)
    );
    shown(Code::LocalMemory, Severity::Notes, sentence).filter(|_| others > 0)
}

/// Tensor instructions of an older generation than the class that alone reaches the chip's full rate.
fn older_tensor_path(g: &Built<'_>) -> Option<Finding> {
    let class = catalog::chip_of_arch(&g.code.arch)?.full_rate_tensor?;
    let warp = g.count("tensor-mma");
    let sentence = words!(
        "{} warp-level tensor instructions and {}, the only path to this chip's full tensor rate.",
        format::integer(warp),
        if class == "tensor-wgmma" { "no wgmma" } else { "no tcgen05" }
    );
    shown(Code::OlderTensorPath, Severity::Costs, sentence).filter(|_| warp > 0 && g.count(class) == 0)
}

/// Products of warpgroups that shared memory cannot feed: those of the fewest columns.
fn narrow_products(g: &Built<'_>) -> Option<Finding> {
    let of_groups = g.code.products.iter().filter_map(|product| Some((product, sides(&product.opcode)?[1])));
    let (product, columns) = of_groups.min_by_key(|(_, columns)| *columns)?;
    let (reads, multiplies) = (wavefronts(columns), cycles(columns));
    let sentence = words!(
        "{} × `{}` with both operands in shared memory: reading them takes {} cycles and multiplying {}, so the tensor pipe reaches {} % of its peak at most; from 64 columns on it is fed.",
        product.count.to_string(),
        &product.opcode,
        format::fixed(reads, 0),
        format::fixed(multiplies, 0),
        format::fixed(100.0 * multiplies / reads, 0)
    );
    shown(Code::NarrowProducts, Severity::Costs, sentence)
}

/// Occupancy at the block size that is known, as the build fixes it: low, or none at all.
fn occupancy(g: &Built<'_>) -> Option<Finding> {
    let [known] = g.code.occupancies.as_slice() else { return None };
    if known.percent >= g.limits[Threshold::OccupancyTheoreticalLow] {
        return None;
    }
    let limiters = known.limiters().join(" and ");
    let threads = format::integer(known.threads.into());
    if known.blocks == 0 {
        let sentence = words!("A block of {} threads does not fit on an SM, by {}.", threads, limiters);
        return shown(Code::DoesNotFit, Severity::Limits, sentence);
    }
    // One block of a kernel with products is its design, unless a stage less of shared memory makes room for a second one.
    let room = catalog::chip_of_arch(&g.code.arch).map_or(f64::INFINITY, |chip| f64::from(chip.shared_per_sm));
    let is_full = known.limiters() != [SHARED] || known.shared_bytes as f64 > (0.5 + STAGE) * room;
    if known.blocks == 1 && !g.code.products.is_empty() && is_full {
        return None;
    }
    let sentence = words!(
        "An SM holds at most {} of {} warps ({} %), {} of {} threads: limited by {}.",
        u64::from(known.warps),
        u64::from(known.max_warps),
        format::fixed(known.percent, 1),
        format::counted(known.blocks.into(), "block"),
        threads,
        limiters
    );
    shown(Code::OccupancyLimit, Severity::Notes, sentence)
}

/// Tensor memory that is asked for more than once: the second request of a block was seen to wait for ever.
fn split_allocation(g: &Built<'_>) -> Option<Finding> {
    let count = g.code.resource(tensor_memory::ALLOCATIONS)?.cubin.filter(|count| *count > 1)?;
    let columns = g.code.resource(tensor_memory::COLUMNS).and_then(|row| row.cubin);
    let columns = columns.map(|columns| format!(", {} columns together", format::integer(columns)));
    let sentence = words!(
        "Tensor memory is asked for {} times{}: two requests of 256 columns by one block were seen to wait for ever, where one of 512 comes at once; the parts of one are column offsets.",
        format::integer(count),
        words::maybe(columns)
    );
    shown(Code::SplitAllocation, Severity::Costs, sentence)
}

/// Loads in a loop whose values are used before they can be there: one warp alone waits for the value, and there is no room for
/// as many warps as would issue in the meantime. The loop that needs the most warps, beside the warps of a scheduler that there
/// is room for.
fn load_latency(g: &Built<'_>) -> Option<Finding> {
    let [known] = g.code.occupancies.as_slice() else { return None };
    let chip = catalog::chip_of_arch(&g.code.arch)?;
    let room = f64::from(known.warps) / f64::from(chip.schedulers_per_sm);
    let is_assumed = chip.latency.as_ref()?.is_assumed;
    let exposed = g.code.loads.iter().filter(|load| load.is_exposed());
    let load = exposed.max_by_key(|load| load.warps()).filter(|load| f64::from(load.warps()) > room)?;
    // A quarter of tensor memory is open to one warp of four alone, so that no other warp can take the wait.
    let cure = match load.opcode.is_in(Space::TensorMemory) {
        true => "; a quarter of tensor memory is open to one warp alone, so issue the next load before the wait for this one".to_owned(),
        false => format!(
            ", so {} warps per scheduler would hide the latency; there is room for {}",
            format::integer(load.warps().into()),
            format::plain(room, 1)
        ),
    };
    let sentence = words!(
        "The result of `{}`{} is used {} cycles after issue, of the {} that {} takes{}: one warp needs {} cycles per iteration of {} instructions{}.",
        load.opcode.name(),
        words::maybe(load.line.map(|line| words!(" at line {}", line.to_string()))),
        format::integer(load.cycles.into()),
        format::integer(load.latency.into()),
        if load.opcode.is_in(Space::TensorMemory) { "tensor memory" } else { "global memory, from L2" },
        if is_assumed { " (assumed, not measured)" } else { "" },
        format::integer(load.turn.into()),
        format::integer(load.instructions.into()),
        cure
    );
    shown(Code::LoadLatency, Severity::Notes, sentence)
}

/// All accesses to global memory of one direction move 32 bits or fewer a lane where the kernel spends its time: in the hottest
/// loop, or anywhere in a kernel without one.
fn narrow_access(g: &Built<'_>) -> Option<Finding> {
    let rows = g.code.hot_widths.as_ref().unwrap_or(&g.code.widths);
    let is_narrow = |row: &&WidthRow| row.widths.iter().all(|(bits, _)| *bits <= 32);
    let narrow = |(what, opcode): (&str, Op)| {
        let row = rows.iter().filter(|row| row.opcode == opcode).find(is_narrow)?;
        Some(format::counted(row.widths.iter().map(|(_, count)| *count as u64).sum(), what))
    };
    let found: Vec<String> =
        [("global load", Op::LDG), ("global store", Op::STG)].into_iter().filter_map(narrow).collect();
    let sentence = words!(
        "{} in the {}, none wider than 32 bits a lane; where a lane's data is contiguous, one 128-bit access does the work of four.",
        found.join(" and "),
        if g.code.hot_widths.is_some() { "hottest loop" } else { "kernel" }
    );
    shown(Code::NarrowAccess, Severity::Notes, sentence).filter(|_| !found.is_empty())
}

fn double(g: &Built<'_>) -> Option<Finding> {
    let count = g.count("fp64");
    let sentence = words!(
        "{} double-precision instructions; a constant without the suffix f is a common cause.",
        format::integer(count)
    );
    shown(Code::Fp64, Severity::Notes, sentence).filter(|_| count > 0)
}

/// Functions that are called and not inlined.
fn calls(g: &Built<'_>) -> Option<Finding> {
    let called = g.code.flow.called as u64;
    let sentence = words!("Not inlined: the kernel calls {}.", format::counted(called, "function"));
    shown(Code::Calls, Severity::Notes, sentence).filter(|_| called > 0)
}
