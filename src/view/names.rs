//! The names of all sections and blocks, by which templates place them.
//!
//! A list, so that a template is checked without a document. Sections of the comment that are called as a subject are
//! not in it.

#[rustfmt::skip]
pub const NAMES: &[(&str, &[&str])] = &[
    ("asked", &["asked", "zeros", "lanes"]),
    ("benchmark", &["wrong", "ratio", "completed", "times", "cautions", "method", "algorithm", "reference-counters", "clocks", "launch"]),
    ("build", &["build", "build-notes", "resources", "made", "identity", "warnings", "occupancy", "assumed", "arch"]),
    ("ceiling", &["levers", "nvidia-rules", "estimates"]),
    ("changed", &["change", "conditions", "counters", "links"]),
    ("checklist", &["counts", "checks"]),
    ("checks", &["checks", "passed", "follows", "more"]),
    ("comparability", &["against", "conditions"]),
    ("conclusions", &["lessons", "unedited"]),
    ("configurations", &["basis", "configurations", "why"]),
    ("control-flow", &["flow", "roles", "phases", "arch"]),
    ("correctness", &["standing", "outputs", "launch", "tests", "sanitizer", "sanitizer-findings"]),
    ("diagnosis", &["limiting-lines", "findings", "change", "how"]),
    ("evidence", &["artefacts", "dropped", "not-understood", "damage", "again"]),
    ("history", &["history", "step"]),
    ("hypotheses", &["tested", "ledger"]),
    ("instruction-mix", &["instructions", "not-collected", "moves", "stores", "opcodes", "opcodes-rest", "opcode-classes", "idle-lanes", "diff"]),
    ("instructions", &["instructions", "counts", "instruction-lines", "diff"]),
    ("kernels", &["kernels", "pick", "rest", "each"]),
    ("light", &["light-lines"]),
    ("memory", &["bytes", "accesses", "sectors"]),
    ("needed", &["metrics"]),
    ("next", &["roof", "idle", "next", "collect", "links", "no-lever", "ruled-out", "ceilings", "cure"]),
    ("occupancy", &["not-collected", "occupancy", "block-limits", "occupancy-registers", "occupancy-shared-memory", "next-step", "assumed", "arch", "occupancy-lines"]),
    ("over-time", &["shape-basis", "over-time", "shape"]),
    ("phases", &["phases-basis", "phases", "pacer", "phases-notes", "arch"]),
    ("phases-in-full", &["phases-basis", "phases"]),
    ("provenance", &["again", "facts", "metrics", "files"]),
    ("resources", &["not-collected", "unchecked", "build", "remarks", "warnings", "resources", "made", "identity", "arch"]),
    ("rest", &["rest"]),
    ("roofline", &["ceilings", "roofline", "points", "flags", "not-measured"]),
    ("sass", &["findings", "classes", "widths", "loops", "loops-rest", "local", "local-rest", "opcodes", "arch"]),
    ("sass-checks", &["checks", "arch"]),
    ("sass-diff", &["size", "classes", "listing", "arch"]),
    ("shared", &["shared-lines"]),
    ("source-view", &[]),
    ("speed-of-light", &["wrong", "launches", "speed-of-light", "not-collected", "no-benchmark", "members", "kernels", "kernels-rest"]),
    ("stalls", &["basis", "stalls"]),
    ("subjects", &["subjects", "rest", "index"]),
    ("throughput", &["memory", "shared-memory", "local-memory", "pipes", "tensor-memory", "not-collected", "conflict-lines", "conflict-instructions", "local-lines"]),
    ("uncoalesced", &["not-collected", "uncoalesced", "requests", "uncoalesced-lines", "uncoalesced-instructions"]),
    ("units", &["units", "level"]),
    ("variants", &["builds", "same"]),
    ("verdict", &["findings", "hypotheses", "wrong", "checks", "limiter", "beside", "faults", "links"]),
    ("warp-states", &["not-collected", "issue", "hidden", "stalls", "share", "per-issue", "share-of-active", "percent-of-peak", "samples", "waits-lines", "why-no-lines", "parked", "waits-reasons", "waits-causes", "waits-hotspots"]),
];

pub fn sections() -> impl Iterator<Item = &'static str> + Clone {
    NAMES.iter().map(|(section, _)| *section)
}

/// The names of the blocks behind those of their sections: `stalls.issue`.
pub fn blocks() -> impl Iterator<Item = String> {
    NAMES.iter().flat_map(|(section, blocks)| blocks.iter().map(move |block| format!("{section}.{block}")))
}
