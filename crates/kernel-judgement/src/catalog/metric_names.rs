//! Whether a metric can be asked of ncu on a chip: it drops an unknown name in silence, or fails.
//!
//! What ncu 2025.3.1 does was seen: a counter that it does not know is left out without a word when the name has a rollup
//! (`x__y.avg`), and ends the profile with status 9 when it has none.

use super::{chip_of_arch, explain_chip::chip_named, metric, metrics, replaced::replaced};
use crate::nearest::{several, slip_of};
use crate::quantity::metric_table::{self, CHIPS, MetricType, split};
use std::collections::BTreeSet;

/// What is known about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameCheck {
    Known,
    /// It belongs to a family that no catalog here lists whole.
    NotListed,
    /// No chip has it.
    Unknown {
        /// Names that it may stand for, the likeliest first.
        near: Vec<String>,
    },
    OtherChips {
        chips: Vec<&'static str>,
        /// Names of this chip that it may stand for.
        near: Vec<String>,
    },
    /// The counter is there, and has no such rollup or rate.
    Suffix {
        /// What stands behind the counter's name.
        found: String,
        /// Endings that it may stand for.
        near: Vec<String>,
    },
}

impl NameCheck {
    /// Whether asking for it fails or gives nothing.
    pub fn is_fault(&self) -> bool {
        !matches!(self, NameCheck::Known | NameCheck::NotListed)
    }

    /// The fault as a sentence about `name` on `chip`; empty where there is none.
    pub fn sentence(&self, name: &str, chip: Option<&str>) -> String {
        let on = chip.map_or_else(|| "any chip that is known here".to_owned(), str::to_uppercase);
        let meant = |near: &[String]| match near {
            [] => String::new(),
            some => format!("; near: {}", some.join(", ")),
        };
        match self {
            NameCheck::Known | NameCheck::NotListed => String::new(),
            NameCheck::Unknown { near } => match replaced(name) {
                Some(row) => format!("{name} is not a metric of {on}; instead: {}", row.instead()),
                None => format!("{name} is not a metric of {on}{}", meant(near)),
            },
            NameCheck::OtherChips { chips, near } => {
                let chips: Vec<String> = chips.iter().map(|chip| chip.to_uppercase()).collect();
                format!("{name} is not a metric of {on}, only of {}{}", chips.join(", "), meant(near))
            }
            NameCheck::Suffix { found, near } => {
                format!("{name} ends in {found:?}, which its counter does not have{}", meant(near))
            }
        }
    }
}

/// Families whose members no catalog here lists whole.
const OPEN: [&str; 12] = [
    "launch__",
    "device__",
    "profiler__",
    "derived__",
    "sass__",
    "nvlink__",
    "nvlrx__",
    "nvltx__",
    "numa__",
    "c2clink__",
    "pmsampling:",
    "warpsampling:",
];
/// Names of these families and of sampling, as reports of ncu 2018.3 to 2026.1 hold them: what is near to one is a slip.
const SEEN: &str = include_str!("open_names.txt");
/// Metrics by instruction that ncu 2025.3.1 lists under "source".
const BY_INSTRUCTION: [&str; 5] =
    ["inst_executed", "thread_inst_executed", "memory_", "branch_inst_executed", "smsp__branch_"];

/// Checks a name for `--metrics`; `chip` is one of the metric table (`gh100`), `None` for one that it does not cover.
pub fn check_metric_name(name: &str, chip: Option<&str>) -> NameCheck {
    let name = name.trim();
    if let Some(counter) = name.strip_prefix("breakdown:") {
        return check_metric_name(counter, chip);
    }
    if name.starts_with("regex:") || name.starts_with("group:") {
        return NameCheck::NotListed;
    }
    let is_of = |families: &[&str]| families.iter().any(|family| name.starts_with(family));
    if name.contains("__pcsamp_") || is_of(&OPEN) || is_of(&BY_INSTRUCTION) {
        return of_open_family(name);
    }
    let Some((base, suffix)) = split(name) else {
        return NameCheck::Unknown { near: near_names(name, chip) };
    };
    if chip.is_some_and(|chip| base.is_on(chip) == Some(false)) {
        let chips = CHIPS.into_iter().filter(|chip| base.is_on(chip) == Some(true)).collect();
        return NameCheck::OtherChips { chips, near: near_names(name, chip) };
    }
    let endings = endings(base.metric_type);
    if suffix.is_empty() || endings.iter().any(|ending| ending == suffix) {
        return NameCheck::Known;
    }
    let near = several(suffix, endings.iter().map(String::as_str), 3).into_iter().map(str::to_owned).collect();
    NameCheck::Suffix { found: suffix.to_owned(), near }
}

fn of_open_family(name: &str) -> NameCheck {
    let known = || metrics().iter().map(|row| row.id).chain(SEEN.lines());
    match metric(name) {
        Some(_) => NameCheck::Known,
        None if SEEN.lines().any(|seen| seen == name) => NameCheck::NotListed,
        None => slip_of(name, known())
            .map_or(NameCheck::NotListed, |near| NameCheck::Unknown { near: vec![near.to_owned()] }),
    }
}

/// Whether a chip of the metric table has a metric; one that the table does not list counts as there.
pub fn is_on_chip(name: &str, chip: &str) -> bool {
    split(name).is_none_or(|(base, _)| base.is_on(chip) != Some(false))
}

/// The name in the metric table of the chip with this architecture (`sm_90a` gives `gh100`).
pub fn counters_of_arch(arch: &str) -> Option<&'static str> {
    chip_of_arch(arch)?.counters
}

/// The chip of the metric table that a word stands for: its name in any case, an architecture, or a product.
pub fn counters_named(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    let of_product = || counters_of_arch(chip_named(word)?.arch);
    CHIPS.into_iter().find(|chip| *chip == lower).or_else(|| counters_of_arch(&lower)).or_else(of_product)
}

/// Names that are on the chip and near to `name`; a near counter takes the rollup of the name.
fn near_names(name: &str, chip: Option<&str>) -> Vec<String> {
    const MOST: usize = 3;
    let start = name.find("__").map_or(name.len(), |at| at + 2);
    let end = name[start..].find('.').map_or(name.len(), |at| start + at);
    let (base, suffix) = name.split_at(end);
    let on_chip = |base: &metric_table::MetricBase| chip.is_none_or(|chip| base.is_on(chip) == Some(true));
    let counters: Vec<&'static str> = metric_table::all().filter(on_chip).map(|base| base.name).collect();
    let mut bases = several(base, counters.iter().copied(), MOST);
    bases.extend(alike(base, &counters).filter(|other| !bases.contains(other)).take(MOST).collect::<Vec<_>>());
    let mut found: Vec<String> = bases.into_iter().map(|base| format!("{base}{suffix}")).collect();
    if found.is_empty() {
        let unlisted = metrics().iter().map(|row| row.id).filter(|id| split(id).is_none());
        found.extend(several(name, unlisted, MOST).into_iter().map(str::to_owned));
    }
    found.truncate(MOST);
    found
}

/// Counters of the same unit that share at least half of the words with `name`, those that share the most first.
fn alike<'a>(name: &str, counters: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let words = |name: &str| -> BTreeSet<String> {
        name.split(['_', '.']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (wanted, unit) = (words(name), name.split("__").next().unwrap_or_default());
    let score = |counter: &&'a str| {
        let other = words(counter);
        let shared = wanted.intersection(&other).count();
        (counter.starts_with(unit) && 2 * shared >= wanted.len()).then(|| {
            let apart = wanted.len() + other.len() - 2 * shared;
            (apart, *counter)
        })
    };
    let mut scored: Vec<(usize, &str)> = counters.iter().filter_map(score).collect();
    scored.sort_unstable();
    scored.into_iter().map(|(_, counter)| counter)
}

/// How a counter's instances are rolled up to one number.
pub(super) const ROLLUPS: [&str; 4] = [".sum", ".avg", ".min", ".max"];

/// The endings that ncu takes: Nsight Compute documentation, Metrics Structure.
fn endings(kind: MetricType) -> Vec<String> {
    const RATES: [&str; 18] = [
        "",
        ".per_second",
        ".per_cycle_active",
        ".per_cycle_elapsed",
        ".per_cycle_in_frame",
        ".per_cycle_in_region",
        ".peak_sustained",
        ".peak_sustained_active",
        ".peak_sustained_active.per_second",
        ".peak_sustained_elapsed",
        ".peak_sustained_elapsed.per_second",
        ".peak_sustained_frame",
        ".peak_sustained_frame.per_second",
        ".peak_sustained_region",
        ".peak_sustained_region.per_second",
        ".pct_of_peak_sustained_active",
        ".pct_of_peak_sustained_elapsed",
        ".pct_of_peak_sustained_region",
    ];
    let all =
        |rates: &[&str]| ROLLUPS.iter().flat_map(|r| rates.iter().map(move |rate| format!("{r}{rate}"))).collect();
    match kind {
        MetricType::Counter => all(&RATES),
        MetricType::Throughput => all(&RATES[15..]),
        MetricType::Ratio => [".ratio", ".pct", ".max_rate"].map(str::to_owned).to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(name: &str, chip: &str) -> String {
        check_metric_name(name, Some(chip)).sentence(name, Some(chip))
    }

    #[test]
    fn names_of_the_default_set_are_no_faults() {
        for chip in CHIPS {
            for name in super::super::collection(Some(chip)).metrics {
                let check = check_metric_name(&name, Some(chip));
                assert!(!check.is_fault(), "{}", check.sentence(&name, Some(chip)));
            }
        }
    }

    #[test]
    fn names_that_no_chip_has_are_found_with_the_nearest() {
        let text = on("smsp__thread_inst_executed_not_switched_off.sum", "gh100");
        assert!(text.starts_with("smsp__thread_inst_executed_not_switched_off.sum is not a metric of GH100"), "{text}");
        assert!(text.contains("near: smsp__thread_inst_executed.sum"), "{text}");
        let text = on("l1tex__m_xbar2l1tex_write_bytes.sum", "gh100");
        assert!(text.contains("l1tex__m_l1tex2xbar_write_bytes.sum"), "{text}");
    }

    #[test]
    fn a_name_of_older_tools_says_what_replaces_it() {
        let text = on("smsp__sass_warp_efficiency.avg", "gh100");
        assert!(text.ends_with("is not a metric of GH100; instead: predication.efficiency or smsp__thread_inst_executed_per_inst_executed.ratio"), "{text}");
        assert!(
            on("sm__pipe_tensor_op_tcgen05_stalled_reason", "gb100").ends_with("instead: stall.REASON or tensor.busy")
        );
        assert!(
            on("gld_efficiency", "gh100")
                .contains("instead: smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct")
        );
    }

    #[test]
    fn a_slip_in_a_family_that_no_list_holds_whole_is_found() {
        let near = |name| match check_metric_name(name, None) {
            NameCheck::Unknown { near } => near.concat(),
            other => format!("{other:?}"),
        };
        assert_eq!(near("launch__registers_per_thred"), "launch__registers_per_thread");
        assert_eq!(near("memory_l1_wavefronts_sharedd"), "memory_l1_wavefronts_shared");
        assert_eq!(near("smsp__pcsamp_warps_issue_stalled_barier"), "smsp__pcsamp_warps_issue_stalled_barrier");
        for new in ["launch__of_tomorrow", "profiler__pmsampler_ctxsw_7", "device__attribute_max_ipc_per_scheduler"] {
            assert_eq!(near(new), "NotListed", "{new}");
        }
    }

    #[test]
    fn a_name_of_another_chip_says_which() {
        let text = on("dram__bytes_op_read.sum", "gh100");
        assert!(text.contains("only of GB202") && text.contains("dram__bytes_read.sum"), "{text}");
        assert_eq!(on("dram__bytes_op_read.sum", "gb202"), "");
    }

    #[test]
    fn a_wrong_ending_is_told_from_a_wrong_counter() {
        let text = on("dram__bytes.sum.pct_of_peak_sustained_elapse", "gh100");
        assert!(text.contains("pct_of_peak_sustained_elapsed"), "{text}");
        assert!(check_metric_name("sm__throughput.avg", Some("gh100")).is_fault());
        assert_eq!(check_metric_name("dram__bytes", Some("gh100")), NameCheck::Known);
    }

    #[test]
    fn architectures_lead_to_their_counters() {
        assert_eq!(counters_of_arch("sm_90a"), Some("gh100"));
        assert_eq!([counters_of_arch("sm_86"), counters_of_arch("sm_90zz")], [None; 2]);
        assert_eq!((counters_named("GB100"), counters_named("sm_120")), (Some("gb100"), Some("gb202")));
    }
}
