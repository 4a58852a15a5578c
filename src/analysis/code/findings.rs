//! What the code alone says against a kernel.

use super::accesses::WidthRow;
use super::audit::CodeAudit;
use super::resources::{Agreement, ResourceRow};
use crate::quantity::format;

/// Something that the code shows before it runs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CodeFinding {
    /// Stable code: `register-spills`.
    pub code: String,
    /// One sentence with its numbers.
    pub sentence: String,
}

/// Below this share of warps, occupancy is named: the threshold of Nsight Compute's own rule.
const LOW_OCCUPANCY: f64 = 80.0;

/// Findings, the most telling first.
pub(super) fn findings(facts: &CodeAudit) -> Vec<CodeFinding> {
    let found = [
        disagreement(facts),
        spills(facts),
        local_arrays(facts),
        older_tensor_path(facts),
        occupancy(facts),
        narrow(facts),
        double(facts),
        calls(facts),
    ];
    let finding = |(code, sentence): (&str, String)| CodeFinding { code: code.into(), sentence };
    found.into_iter().flatten().map(finding).collect()
}

/// `1 block`, `2 blocks`.
fn plural(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{} {word}s", format::integer(count as u64)) }
}

type Found = Option<(&'static str, String)>;

fn resource<'a>(facts: &'a CodeAudit, label: &str) -> Option<&'a ResourceRow> {
    facts.resources.iter().find(|row| row.label == label)
}

fn disagreement(facts: &CodeAudit) -> Found {
    let rows: Vec<&str> = facts
        .resources
        .iter()
        .filter(|row| row.agreement == Agreement::Differs)
        .map(|row| row.label.as_str())
        .collect();
    (!rows.is_empty()).then(|| {
        (
            "build-differs",
            format!(
                "The log, the cubin and the launch do not agree on {}: they are not of one build.",
                rows.join(", ").to_lowercase()
            ),
        )
    })
}

fn spills(facts: &CodeAudit) -> Found {
    let stores = resource(facts, "Spill stores, callees included").and_then(|row| row.ptxas);
    let loads = resource(facts, "Spill loads, callees included").and_then(|row| row.ptxas);
    let marked = resource(facts, "Instructions that spill or refill").and_then(|row| row.cubin);
    if stores.unwrap_or(0) + loads.unwrap_or(0) + marked.unwrap_or(0) == 0 {
        return None;
    }
    let bytes = match (stores, loads) {
        (Some(stores), Some(loads)) => {
            format!(
                " ({} B stored and {} B loaded per thread, each instruction counted once)",
                format::integer(stores),
                format::integer(loads)
            )
        }
        _ => String::new(),
    };
    let marked = marked.map_or_else(String::new, |count| format!(" by {} instructions", format::integer(count)));
    Some(("register-spills", format!("Registers are spilled to local memory{marked}{bytes}.")))
}

/// Local memory that no spill explains: an array that is indexed at run time, or the frame of a called function.
fn local_arrays(facts: &CodeAudit) -> Found {
    let others: usize = facts.local.iter().filter_map(|row| Some(row.count - row.spills?)).sum();
    (others > 0).then(|| {
        ("local-memory", format!("{} instructions access local memory without being spills: an array indexed at run time, or the frame of a called function.", format::integer(others as u64)))
    })
}

fn count(facts: &CodeAudit, class: &str) -> usize {
    facts.classes.iter().find(|row| row.class == class).map_or(0, |row| row.count)
}

fn older_tensor_path(facts: &CodeAudit) -> Found {
    let (warp, group, fifth) =
        (count(facts, "tensor-mma"), count(facts, "tensor-wgmma"), count(facts, "tensor-tcgen05"));
    if facts.arch.starts_with("sm_90") && warp > 0 && group == 0 {
        return Some((
            "older-tensor-path",
            format!(
                "{} warp-level tensor instructions and no warpgroup ones, which alone reach this chip's full tensor rate.",
                format::integer(warp as u64)
            ),
        ));
    }
    if facts.arch.starts_with("sm_10") && warp > 0 && fifth == 0 {
        return Some((
            "older-tensor-path",
            format!(
                "{} warp-level tensor instructions and none of tcgen05, which alone reach this chip's full tensor rate.",
                format::integer(warp as u64)
            ),
        ));
    }
    None
}

fn occupancy(facts: &CodeAudit) -> Found {
    let [known] = facts.occupancies.as_slice() else { return None };
    (known.percent < LOW_OCCUPANCY).then(|| {
        let limiters = known.limiters().join(" and ");
        let sentence = format!(
            "An SM holds at most {} of {} warps ({} %), {} of {} threads: limited by {limiters}.",
            known.warps,
            known.max_warps,
            format::fixed(known.percent, 1),
            plural(known.blocks as usize, "block"),
            format::integer(known.threads.into()),
        );
        if known.blocks == 0 {
            return (
                "does-not-fit",
                format!(
                    "A block of {} threads does not fit on an SM, by {limiters}.",
                    format::integer(known.threads.into())
                ),
            );
        }
        ("occupancy-limit", sentence)
    })
}

/// All accesses to global memory of one direction move 32 bits or fewer a lane where the kernel spends its time: in the
/// hottest loop, or anywhere in a kernel without one.
fn narrow(facts: &CodeAudit) -> Found {
    let of = |opcode: &str| {
        let rows = facts.hot_widths.as_ref().unwrap_or(&facts.widths).iter().filter(|row| row.opcode == opcode);
        let is_narrow = |row: &&WidthRow| row.widths.iter().all(|(bits, _)| *bits <= 32);
        rows.filter(is_narrow).map(|row| row.widths.iter().map(|(_, count)| count).sum::<usize>()).next()
    };
    let found: Vec<String> = [("global load", "LDG"), ("global store", "STG")]
        .into_iter()
        .filter_map(|(what, opcode)| of(opcode).map(|count| plural(count, what)))
        .collect();
    (!found.is_empty()).then(|| {
        let place = if facts.hot_widths.is_some() { "in the hottest loop" } else { "in the kernel" };
        ("narrow-access", format!(
            "{} {place} at 32 bits a lane or less and none wider; where a lane's data lies side by side, one of 128 bits does the work of four.",
            found.join(" and "),
        ))
    })
}

fn double(facts: &CodeAudit) -> Found {
    let count = count(facts, "fp64");
    (count > 0).then(|| {
        (
            "fp64",
            format!(
                "{} double-precision instructions; a constant without the suffix f makes some that nobody meant.",
                format::integer(count as u64)
            ),
        )
    })
}

fn calls(facts: &CodeAudit) -> Found {
    (facts.flow.called > 0)
        .then(|| ("calls", format!("The kernel calls {}, not inlined.", plural(facts.flow.called, "function"))))
}
