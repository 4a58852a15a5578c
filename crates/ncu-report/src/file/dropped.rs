//! The metrics that were asked for and that no result holds.
//!
//! ncu writes the name of every metric that it tried into the string table. A name that no result uses was tried in
//! vain. ncu tries all four rollups (`avg`, `max`, `min`, `sum`, or their `_rate`) when one is asked for; so names that
//! differ only in the rollup are one family, and of a family is reported
//! - what the command line spells out, when it does;
//! - else nothing, when some result has a member: the others are expansions;
//! - else the base, when all four bare rollups are unused (`x__y` for `x__y.avg`, `.max`, `.min`, `.sum`);
//! - else nothing, when exactly three are unused: they are expansions of the fourth, which was never written;
//! - else every member.

use arcstr::ArcStr;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

const ROLLUPS: [&str; 4] = ["avg", "max", "min", "sum"];

/// The name with its rollup replaced by `*`; `None` when it has none.
fn family(name: &str) -> Option<String> {
    let mut parts: Vec<&str> = name.split('.').collect();
    // The rollup is the first part after the base; a base may itself have a prefix with dots.
    let at = parts.iter().position(|part| ROLLUPS.contains(&part.strip_suffix("_rate").unwrap_or(part)))?;
    let rate = parts[at].ends_with("_rate");
    parts[at] = if rate { "*_rate" } else { "*" };
    (at > 0).then(|| parts.join("."))
}

/// The words of a command line that may spell a metric name out: what stands between separators.
fn words(command_line: &str) -> FxHashSet<&str> {
    command_line.split(|c: char| c == ',' || c == '=' || c == '"' || c.is_whitespace()).collect()
}

/// Chooses from the unused names those that somebody asked for; sorted.
pub(super) fn asked_for(unused: &[&str], used: &[&str], command_line: &str) -> Vec<ArcStr> {
    if unused.is_empty() {
        return Vec::new();
    }
    let (used, spelled): (FxHashSet<&str>, _) = (used.iter().copied().collect(), words(command_line));
    let is_collected = |family: &str| ROLLUPS.iter().any(|rollup| used.contains(family.replace('*', rollup).as_str()));
    let mut families: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut dropped: BTreeSet<ArcStr> = BTreeSet::new();
    for name in unused {
        match family(name) {
            Some(family) => families.entry(family).or_default().push(name),
            None => drop(dropped.insert((*name).into())),
        }
    }
    for (family, members) in families {
        let mut own = members.iter().copied().filter(|name| spelled.contains(name)).peekable();
        if own.peek().is_some() {
            dropped.extend(own.map(ArcStr::from));
        } else if is_collected(&family) {
            continue;
        } else if let Some(base) = family.strip_suffix(".*").filter(|_| members.len() == ROLLUPS.len()) {
            dropped.insert(base.into());
        } else if members.len() != ROLLUPS.len() - 1 {
            dropped.extend(members.into_iter().map(ArcStr::from));
        }
    }
    dropped.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(unused: &[&str], used: &[&str], command_line: &str) -> Vec<String> {
        asked_for(unused, used, command_line).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn other_rollups_of_a_collected_metric_were_not_asked_for() {
        let unused = ["a__b.avg_rate", "a__b.min_rate", "c__d.max.per_second", "e__f.sum"];
        let used = ["a__b.max_rate", "c__d.sum.per_second", "e__f.sum.per_second"];
        assert_eq!(names(&unused, &used, ""), ["e__f.sum"]);
    }

    #[test]
    fn four_bare_rollups_are_one_metric() {
        assert_eq!(names(&["x__y.avg", "x__y.max", "x__y.min", "x__y.sum"], &[], ""), ["x__y"]);
    }

    #[test]
    fn three_rollups_are_expansions_of_the_fourth() {
        assert_eq!(names(&["x__y.max.pct", "x__y.min.pct", "x__y.sum.pct"], &[], ""), [""; 0]);
        assert_eq!(names(&["x__y.max.pct", "x__y.min.pct"], &[], ""), ["x__y.max.pct", "x__y.min.pct"]);
    }

    #[test]
    fn the_spelling_of_the_command_line_wins() {
        let unused = ["x__y.avg", "x__y.max", "x__y.min", "x__y.sum", "z__w.avg", "z__w.max", "z__w.min", "z__w.sum"];
        let line = "ncu --metrics gpu__time_duration.sum,x__y.avg -o out ./app z__w.sum.more";
        assert_eq!(names(&unused, &["x__y.sum.pct"], line), ["x__y.avg", "z__w"]);
    }
}
