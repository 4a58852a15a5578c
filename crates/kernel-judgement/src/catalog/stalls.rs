//! The stall catalog: why a warp did not issue, and in which metric families that is told.

use super::row::{Catalog, catalog, embedded};
use serde::Deserialize;
use std::sync::LazyLock;

/// What kind of resource a warp waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StallKind {
    /// Data from a memory, or room in a memory queue.
    Memory,
    /// A busy math pipe.
    Compute,
    /// Other warps.
    Sync,
    /// A fixed latency between dependent instructions.
    Latency,
    /// The next instruction or an immediate constant.
    Fetch,
    /// The scheduler itself.
    Issue,
}

/// A finer reading of a stall reason in a kernel that has certain instructions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StallReading {
    /// Base opcodes of which at least one must occur.
    pub opcodes: Vec<&'static str>,
    /// What the reason means then.
    pub means: &'static str,
    /// What helps then, where it is something else than in general.
    #[serde(rename = "try")]
    pub advice: Option<&'static str>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StallRow {
    /// The id, as the per-issue metrics spell it.
    pub id: &'static str,
    /// Every spelling over versions and metric families, the id first.
    pub names: Vec<&'static str>,
    /// A short name for a table row.
    pub label: &'static str,
    /// What of the sentence of ncu's rule on stalls names it, in any version.
    #[serde(default)]
    pub printed: Vec<&'static str>,
    /// What kind of resource the warp waits for.
    pub kind: StallKind,
    /// The reason that already counts this one, so that a sum must leave it out.
    pub part_of: Option<&'static str>,
    /// What the warp waits for, in one sentence.
    pub means: &'static str,
    /// What usually helps.
    #[serde(rename = "try")]
    pub advice: &'static str,
    /// The vendor page at which it can be checked.
    pub cite: &'static str,
    /// Finer readings, tried in order.
    #[serde(default)]
    pub when: Vec<StallReading>,
}

impl StallRow {
    /// The first finer reading of which an opcode is among those that the kernel executes.
    pub fn reading_for(&self, is_executed: impl Fn(&str) -> bool) -> Option<&StallReading> {
        self.when.iter().find(|reading| reading.opcodes.iter().any(|opcode| is_executed(opcode)))
    }

    /// Whether a sentence of ncu's rule on stalls names this reason.
    pub fn is_named_in(&self, said: &str) -> bool {
        self.printed.iter().any(|words| said.contains(words))
    }

    /// Whether this is a stall: `selected` is an issued instruction and `not_selected` a warp that was ready.
    pub fn is_stall(&self) -> bool {
        !matches!(self.id, "selected" | "not_selected")
    }
}

/// A family of metrics that has one metric for each stall reason, all on one basis.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StallFamily {
    /// The id: `per-issue`.
    pub id: &'static str,
    /// What stands before the name of the reason.
    pub prefix: &'static str,
    /// What stands after it.
    pub suffix: &'static str,
    /// The basis, for a caption.
    pub label: &'static str,
    /// What the numbers of the family are.
    pub help: &'static str,
}

catalog! {
    StallRow, "stalls.toml", "stall", |row| row.names.clone(),
    /// Every stall reason, `selected` and `not_selected` included.
    pub fn stalls,
    /// The stall reason with this id or spelling: `long_scoreboard`, `warpgroup_arrive`.
    pub fn stall
}
static FAMILIES: LazyLock<Catalog<StallFamily>> =
    LazyLock::new(|| Catalog::load(embedded!("stall_families.toml"), "family", |row| vec![row.id]));

/// The metric families that tell stall reasons. Never compare numbers of two families with different labels.
pub fn stall_families() -> &'static [StallFamily] {
    FAMILIES.rows()
}

/// ncu's counter of a reason for each issued instruction.
pub fn per_issue(reason: &str) -> String {
    metric_in("per-issue", reason)
}

/// ncu's counter of the samples of a reason.
pub(super) fn samples(reason: &str) -> String {
    metric_in("samples", reason)
}

fn metric_in(family: &str, reason: &str) -> String {
    FAMILIES.get(family).map(|family| format!("{}{reason}{}", family.prefix, family.suffix)).unwrap_or_default()
}

/// The family and the reason of a full metric name (`smsp__pcsamp_warps_issue_stalled_wait_not_issued`); `None` for another name.
pub fn stall_of_metric(metric: &str) -> Option<(&'static StallFamily, &'static StallRow)> {
    stall_families().iter().find_map(|family| {
        let name = metric.strip_prefix(family.prefix)?.strip_suffix(family.suffix)?;
        Some((family, stall(name)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn spellings_of_all_versions_lead_to_one_reason() {
        for name in [
            "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio",
            "smsp__pcsamp_warps_issue_stalled_warpgroup_arrive",
            "smsp__pcsamp_warps_issue_stalled_warpgroup_arrive_not_issued",
        ] {
            assert_eq!(stall_of_metric(name).map(|(_, row)| row.id), Some("gmma"), "{name}");
        }
        let family = |name| stall_of_metric(name).map(|(family, row)| (family.id, row.id));
        assert_eq!(
            family("smsp__pcsamp_warp_stall_no_instructions"),
            Some(("samples-before-2020.2", "no_instruction"))
        );
        assert_eq!(
            family("smsp__pcsamp_warps_issue_stalled_wait_not_issued"),
            Some(("samples-not-issued", "wait")),
            "the family without issue must not be taken for the samples of all cycles"
        );
        assert_eq!(family("smsp__pcsamp_warps_issue_stalled_wait"), Some(("samples", "wait")));
        assert_eq!(family("smsp__pcsamp_sample_count"), None);
        assert_eq!(family("smsp__pcsamp_warps_issue_stalled_moonshine"), None);
    }

    /// What ncu names a wait by, of 2021 and since 2023, in words of our own around it.
    const PRINTED: [(&str, &str, &str); 17] = [
        ("barrier", "for others at a CTA barrier", "at a CTA barrier"),
        ("branch_resolving", "for a branch target to be known", "for a branch target"),
        ("dispatch_stall", "on a dispatch stall", "on a dispatch stall"),
        ("drain", "until the warp's resources can be freed", "so that resources can be freed"),
        ("imc_miss", "for an immediate constant cache (IMC) miss", "for an immediate constant cache (IMC) miss"),
        (
            "lg_throttle",
            "for room in the local/global instruction queue",
            "the L1 instruction queue for local and global (LG) work",
        ),
        ("long_scoreboard", "by a dependency on a L1TEX (local) one", "by a dependency on a L1TEX (local) one"),
        (
            "math_pipe_throttle",
            "for a math execution pipeline to be available",
            "for the execution pipe to be available",
        ),
        ("membar", "on a memory barrier", "on a memory barrier"),
        ("mio_throttle", "for room in the MIO instruction queue", "the MIO (memory input/output) instruction queue"),
        ("misc", "on a miscellaneous hardware reason", "for a miscellaneous hardware reason"),
        ("no_instruction", "without the next instruction fetched", "to fetch, or an instruction cache miss"),
        ("not_selected", "due to not being selected by the scheduler", "for the micro scheduler to select it"),
        (
            "short_scoreboard",
            "by a dependency on an MIO one (not to TEX or L1)",
            "by a dependency on a MIO (memory input/output) one (not to L1TEX)",
        ),
        ("sleeping", "in the sleep state", "in the blocked, yielded, or sleep state"),
        ("tex_throttle", "for room in the L1TEX instruction queue", "the L1 instruction queue for texture work"),
        ("wait", "on a fixed latency execution dependency", "on a fixed latency execution dependency"),
    ];

    #[test]
    fn the_words_of_every_version_name_one_reason() {
        let named = |said| stalls().iter().filter(|row| row.is_named_in(said)).map(|row| row.id).collect::<Vec<_>>();
        for (id, old, new) in PRINTED {
            for said in [old, new] {
                assert_eq!(named(said), [id], "{said}");
            }
        }
        let words = stalls().iter().filter(|row| !row.printed.is_empty()).map(|row| row.id).collect::<BTreeSet<_>>();
        assert_eq!(words, PRINTED.map(|(id, ..)| id).into());
        let all = stalls().iter().flat_map(|row| &row.printed);
        let unheard =
            all.filter(|words| !PRINTED.iter().any(|(_, old, new)| old.contains(*words) || new.contains(*words)));
        assert_eq!(unheard.collect::<Vec<_>>(), Vec::<&&str>::new());
    }

    #[test]
    fn a_reason_reads_finer_beside_certain_instructions() {
        let row = stall("long_scoreboard").expect("row");
        let tmem = row.reading_for(|opcode| matches!(opcode, "LDG" | "LDTM")).expect("reading");
        assert!(tmem.means.contains("tensor memory"), "{}", tmem.means);
        assert!(row.reading_for(|opcode| opcode == "FADD").is_none());
    }

    #[test]
    fn a_part_is_counted_in_its_whole() {
        let parts: Vec<_> = stalls().iter().filter_map(|row| row.part_of.map(|whole| (row.id, whole))).collect();
        assert_eq!(
            parts,
            [("long_scoreboard_pipe_l1tex", "long_scoreboard"), ("mio_throttle_pipe_mio", "mio_throttle")]
        );
    }

    #[test]
    fn issued_and_ready_warps_are_no_stalls() {
        let kept: Vec<_> = stalls().iter().filter(|row| !row.is_stall()).map(|row| row.id).collect();
        assert_eq!(kept, ["not_selected", "selected"]);
    }
}
