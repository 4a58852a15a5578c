//! Names of metrics that stand in a report whatever was asked for.

/// Beginnings of what a report tells of a launch, its device and its links.
const ALWAYS: [&str; 7] = ["launch__", "device__", "profiler__", "numa__", "nvlink__", "c2clink__", "pcie__"];
/// What a name holds that tells the most that the chip allows.
const MOST: &str = "__maximum_";

/// Whether a metric is a counter (`unit__name`) that was measured because somebody asked for it or for its section. Series of PM sampling
/// and NVIDIA's breakdowns have more in front of their unit.
pub fn is_asked_for(name: &str) -> bool {
    let is_counter = name.split_once("__").is_some_and(|(unit, _)| !unit.contains(['.', ':']));
    is_counter && !ALWAYS.iter().any(|prefix| name.starts_with(prefix)) && !name.contains(MOST)
}
