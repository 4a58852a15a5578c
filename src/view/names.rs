//! The names of all sections and blocks, by which templates place them.
//!
//! A list, so that a template is checked without a document. Sections of the comment that are called as a subject are
//! not in it.

/// Each section with its blocks.
#[rustfmt::skip]
pub const NAMES: &[(&str, &[&str])] = &[
    ("benchmark", &["wrong", "ratio", "times", "cautions", "method", "algorithm", "reference-counters", "clocks", "launch", "arguments"]),
    ("build", &["not-collected", "build", "remarks", "warnings", "resources", "made", "identity", "arch"]),
    ("ceiling", &["levers", "nvidia-rules", "estimates"]),
    ("changed", &["change", "conditions", "accepted", "counters", "links"]),
    ("checklist", &["counts", "checks"]),
    ("checks", &["checks"]),
    ("comparability", &["conditions"]),
    ("control-flow", &["flow", "roles", "arch"]),
    ("correctness", &["standing", "outputs", "launch", "arguments", "sanitizer", "sanitizer-findings"]),
    ("history", &["history"]),
    ("hypotheses", &["tested", "refuted"]),
    ("instructions", &["instructions", "not-collected", "moves", "stores", "opcodes", "opcodes-rest", "opcode-classes", "idle-lanes", "executed-lines", "instruction-lines", "diff"]),
    ("light", &["light-lines"]),
    ("memory", &["bytes", "accesses", "sectors"]),
    ("needed", &["metrics"]),
    ("next", &["next", "ceilings"]),
    ("not-measured", &["cure"]),
    ("occupancy", &["not-collected", "occupancy", "block-limits", "occupancy-registers", "occupancy-shared-memory", "next-step", "assumed", "arch", "occupancy-lines"]),
    ("performance", &["wrong", "launches", "performance", "no-rate", "no-benchmark", "history", "members", "kernels", "kernels-rest"]),
    ("provenance", &["artefacts", "commands", "dropped", "aliases", "not-understood", "damage", "collection", "absent", "again", "facts", "metrics", "files"]),
    ("rest", &["rest"]),
    ("roofline", &["ceilings", "roofline", "points", "flags", "not-measured"]),
    ("sass", &["findings", "classes", "widths", "loops", "loops-rest", "local", "local-rest", "opcodes", "arch"]),
    ("sass-checks", &["checks", "arch"]),
    ("sass-diff", &["size", "classes", "rewritten", "listing", "arch"]),
    ("shared", &["shared-lines"]),
    ("source-view", &[]),
    ("speed-of-light", &["speed-of-light", "levels", "not-collected"]),
    ("stalls", &["not-collected", "issue", "hidden", "stalls", "share", "small", "per-issue", "share-of-active", "percent-of-peak", "samples", "waits-lines", "why-no-lines", "parked", "waits-reasons", "waits-causes", "waits-hotspots", "basis"]),
    ("subjects", &["subjects", "rest"]),
    ("throughput", &["throughput", "memory", "shared-memory", "local-memory", "pipes", "not-collected", "wavefronts", "conflict-lines", "conflict-instructions", "local-lines"]),
    ("uncoalesced", &["not-collected", "uncoalesced", "requests", "sectors", "uncoalesced-lines", "uncoalesced-instructions", "uncounted"]),
    ("units", &["units"]),
    ("verdict", &["limit", "limiting-lines", "findings", "change", "accepted", "hypotheses", "next", "how", "wrong", "tensor", "checks", "not-run", "limiter", "beside", "faults"]),
];

/// The names of the sections.
pub fn sections() -> impl Iterator<Item = &'static str> + Clone {
    NAMES.iter().map(|(section, _)| *section)
}

/// The names of the blocks behind those of their sections: `stalls.issue`.
pub fn blocks() -> impl Iterator<Item = String> {
    NAMES.iter().flat_map(|(section, blocks)| blocks.iter().map(move |block| format!("{section}.{block}")))
}
