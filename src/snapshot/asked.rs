//! The list of metrics that a profiler was asked for, said once: command lines repeat it, and the readings have its names.

use crate::analysis::{self, Evidence, KeptMetric};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How that begins which stands in a command line for the metrics that it lists.
const ASKED: &str = "{asked";

/// A metric of the list: its place among the readings of the new side where they have it.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub(super) enum Name {
    At(usize),
    Spelled(Arc<str>),
}

/// Changes every command line that `change` gives another text for.
pub(super) fn each_command(evidence: &mut Evidence, change: impl Fn(&str) -> Option<String>) {
    let reference = evidence.reference.iter_mut().map(|reference| &mut reference.profile);
    for profile in
        evidence.new.profile.iter_mut().chain(evidence.old.iter_mut().flat_map(|old| &mut old.profile)).chain(reference)
    {
        if let Some(line) = change(&profile.session.command_line) {
            profile.session.command_line = line.into();
        }
    }
    for side in std::iter::once(&mut evidence.new).chain(&mut evidence.old) {
        for step in side.collected.iter_mut().flat_map(|collected| &mut collected.steps) {
            if let Some(line) = change(&step.command) {
                step.command = line;
            }
        }
    }
}

fn metrics(evidence: &Evidence) -> &[KeptMetric] {
    evidence.new.profile.as_ref().map(|profile| profile.readings.metrics.as_slice()).unwrap_or_default()
}

/// The list of the new side's command line, and the evidence with that list said once.
pub(super) fn shortened(evidence: &Evidence) -> (Vec<Name>, Evidence) {
    let mut evidence = evidence.clone();
    let line = evidence.new.profile.as_ref().map(|profile| profile.session.command_line.clone()).unwrap_or_default();
    let names: Vec<Arc<str>> =
        analysis::asked(&line).into_iter().flat_map(|list| list.split(',')).map(Arc::from).collect();
    let is_once = names.iter().collect::<HashSet<_>>().len() == names.len();
    if names.is_empty() || !is_once || line.contains(ASKED) {
        return (Vec::new(), evidence);
    }
    each_command(&mut evidence, |line| {
        let own = analysis::asked(line)?;
        let short = short(&names, own)?;
        Some(line.replacen(&format!(" --metrics {own}"), &format!(" --metrics {short}"), 1))
    });
    let places: HashMap<&str, usize> =
        metrics(&evidence).iter().enumerate().map(|(at, metric)| (&*metric.name, at)).collect();
    let name = |name: &Arc<str>| places.get(&**name).map_or_else(|| Name::Spelled(name.clone()), |at| Name::At(*at));
    (names.iter().map(name).collect(), evidence)
}

/// A list of metrics by the names that it leaves out of `asked`: `{asked}`, `{asked-a,b}`. `None` for a list that has others,
/// or the same in another order, and for one that is shorter as it is.
fn short(asked: &[Arc<str>], list: &str) -> Option<String> {
    let own: HashSet<&str> = list.split(',').collect();
    let (there, gone): (Vec<&str>, Vec<&str>) = asked.iter().map(AsRef::as_ref).partition(|name| own.contains(name));
    let without = if gone.is_empty() { String::new() } else { format!("-{}", gone.join(",")) };
    (there.join(",") == list && without.len() <= list.len()).then(|| format!("{ASKED}{without}}}"))
}

/// The evidence with its lists spelled out.
///
/// # Errors
/// A place that the readings do not have, in words.
pub(super) fn spelled(asked: Vec<Name>, mut evidence: Evidence) -> Result<Evidence, String> {
    let name = |name: Name| match name {
        Name::Spelled(name) => Ok(name),
        Name::At(at) => metrics(&evidence)
            .get(at)
            .map(|metric| metric.name.clone())
            .ok_or_else(|| format!("`asked` names the reading {at}, and there are {}", metrics(&evidence).len())),
    };
    let names = asked.into_iter().map(name).collect::<Result<Vec<_>, String>>()?;
    if !names.is_empty() {
        each_command(&mut evidence, |line| spell(&names, line));
    }
    Ok(evidence)
}

/// A command line with its list spelled out; `None` for one that has none.
pub(super) fn spell(names: &[Arc<str>], line: &str) -> Option<String> {
    let (head, rest) = line.split_once(ASKED)?;
    let (without, tail) = rest.split_once('}')?;
    let gone: HashSet<&str> = without.trim_start_matches('-').split(',').collect();
    let list: Vec<&str> = names.iter().map(AsRef::as_ref).filter(|name| !gone.contains(name)).collect();
    Some(format!("{head}{}{tail}", list.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_told_by_what_it_leaves_out() {
        let asked: Vec<Arc<str>> = ["a", "b", "c"].map(Arc::from).to_vec();
        assert_eq!(short(&asked, "a,b,c").as_deref(), Some("{asked}"));
        assert_eq!(short(&asked, "a,c").as_deref(), Some("{asked-b}"));
        assert_eq!(short(&asked, "b"), None);
        assert_eq!(short(&asked, "b,a"), None);
        assert_eq!(short(&asked, "a,d"), None);
        assert_eq!(spell(&asked, "ncu --metrics {asked-a,c} -o x").as_deref(), Some("ncu --metrics b -o x"));
    }
}
