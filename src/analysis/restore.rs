//! What an audit leaves out when it is kept, since its readings tell it, and how that is made again.
//!
//! A part is left out only if what is made of the kept readings is equal to it; the stored audit names what it left out.

use crate::analysis::audit::Audit;
use crate::analysis::derive::coalescing::Coalescing;
use crate::analysis::derive::line;
use crate::analysis::derive::mix::InstructionMix;
use crate::analysis::derive::named::Known;
use crate::analysis::derive::occupancy::Occupancy;
use crate::analysis::derive::panels::Panel;
use crate::analysis::derive::roofline::Roofline;
use crate::analysis::derive::stalls::Stalls;
use crate::analysis::kept;
use crate::analysis::kernel::select;
use crate::analysis::kernel::side::{OtherKernel, aliases, overview};
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::lines::SourceLines;
use crate::analysis::versus::verdict::{Comparison, ReadingVerdict};
use crate::evidence::{Reading, Report};
use std::collections::HashSet;
use std::sync::Arc;

/// How that begins which stands in a stored command line for the metrics that it lists.
const ASKED: &str = "{asked";

/// What is made of the kept readings alone.
struct Made {
    panels: Vec<Panel>,
    stalls: Stalls,
    mix: InstructionMix,
    coalescing: Coalescing,
    occupancy: Occupancy,
    roofline: Roofline,
    old_roofline: Option<Roofline>,
    line: Vec<(String, Reading)>,
    aliases: Vec<(String, String)>,
    old_aliases: Vec<(String, String)>,
    /// The verdict on each reading.
    verdicts: Vec<ReadingVerdict>,
    kernels: Vec<OtherKernel>,
}

/// What happens to the parts.
enum Way<'a> {
    /// Those that are equal go, and their names are noted.
    LeaveOut(&'a mut Vec<String>),
    /// Those of these names come back.
    PutBack(&'a [String]),
}

impl Way<'_> {
    fn part<T: Default + PartialEq>(&mut self, name: &str, part: &mut T, made: T) {
        match self {
            Way::LeaveOut(names) if *part == made => {
                *part = T::default();
                names.push(name.to_owned());
            }
            Way::PutBack(names) if names.iter().any(|known| known == name) => *part = made,
            Way::LeaveOut(_) | Way::PutBack(_) => {}
        }
    }
}

impl Made {
    /// `None` where no launch is kept.
    fn of(audit: &Audit) -> Option<Made> {
        let report = audit.kept.new.report(&audit.new);
        let old = audit.old.as_ref().zip(audit.kept.old.as_ref()).map(|(side, readings)| readings.report(side));
        let new = &kernel(&report)?;
        let old = old.as_ref().and_then(kernel);
        let old = old.as_ref();
        let panels = Panel::all(new, old);
        let stalls = Stalls::of(new, old, &audit.limits);
        let mix = InstructionMix::of(new, old);
        let coalescing = Coalescing::of(new, old, &mix);
        let line = line::line(&Known { kernel: new, stalls: &stalls, mix: &mix, coalescing: &coalescing });
        let rows = panels.iter().flat_map(|panel| &panel.rows);
        let compared = old.map(|old| Comparison::of(rows, new, old, &audit.settings, &audit.limits).readings);
        Some(Made {
            occupancy: Occupancy::of(new, old),
            roofline: Roofline::of(new, &mix, &audit.work),
            old_roofline: old.map(|old| Roofline::of(old, &InstructionMix::of(old, None), &audit.work)),
            aliases: aliases(&panels, |row| Some(&row.new)),
            old_aliases: aliases(&panels, |row| row.old.as_ref()),
            verdicts: compared.unwrap_or_default(),
            kernels: overview(&report, &audit.new.kernel),
            panels,
            stalls,
            mix,
            coalescing,
            line,
        })
    }

    fn go(self, audit: &mut Audit, way: &mut Way<'_>) {
        way.part("panels", &mut audit.panels, self.panels);
        // Parked warps are told by samples of instructions.
        let parked = audit.stalls.parked;
        way.part("stalls", &mut audit.stalls, Stalls { parked, ..self.stalls });
        audit.stalls.parked = parked;
        way.part("mix", &mut audit.mix, self.mix);
        way.part("coalescing", &mut audit.coalescing, self.coalescing);
        way.part("occupancy", &mut audit.occupancy, self.occupancy);
        way.part("roofline", &mut audit.roofline, self.roofline);
        way.part("old_roofline", &mut audit.old_roofline, self.old_roofline);
        way.part("line", &mut audit.line, self.line);
        way.part("kernels", &mut audit.kernels, self.kernels);
        way.part("new.aliases", &mut audit.new.aliases, self.aliases);
        if let Some(old) = &mut audit.old {
            way.part("old.aliases", &mut old.aliases, self.old_aliases);
        }
        if let Some(comparison) = &mut audit.comparison {
            way.part("comparison.readings", &mut comparison.readings, self.verdicts);
        }
    }
}

/// What an audit says in two places: facts of the launch that the benchmark shares with the check of the outputs, and the
/// readings of the limiter, which is a finding too.
fn said_twice(audit: &mut Audit, way: &mut Way<'_>) {
    let limiter = audit.bottleneck.limiter;
    if let Some(finding) = audit.findings.iter_mut().find(|finding| finding.code == limiter) {
        way.part("findings.limiter.readings", &mut finding.readings, audit.bottleneck.readings());
    }
    if let (Some(check), Some(timing)) = (&audit.correctness, &mut audit.timing) {
        let benchmark = &mut timing.benchmark;
        way.part("timing.benchmark.device", &mut benchmark.device, check.device.clone());
        way.part("timing.benchmark.launch", &mut benchmark.launch, check.launch.clone());
    }
}

fn kernel(report: &Report) -> Option<KernelSummary<'_>> {
    select::groups(report).into_iter().next().map(KernelSummary::new)
}

/// The command lines of an audit.
fn command_lines(audit: &mut Audit) -> impl Iterator<Item = &mut String> {
    let sides = [Some(&mut audit.new), audit.old.as_mut()].into_iter().flatten().map(|side| &mut side.command_line);
    let steps = audit.collected.iter_mut().flat_map(|collected| &mut collected.steps);
    sides.chain(steps.map(|step| &mut step.command))
}

/// Says the list of metrics once, in the kept table, where the command lines of an audit repeat it.
fn name_asked(audit: &mut Audit) {
    let Some(list) = kept::asked(&audit.new.command_line).map(str::to_owned) else { return };
    let names: Vec<Arc<str>> = list.split(',').map(Arc::from).collect();
    let is_once = names.iter().collect::<HashSet<_>>().len() == names.len();
    if !is_once || command_lines(audit).any(|line| line.contains(ASKED)) {
        return;
    }
    for line in command_lines(audit) {
        let Some(own) = kept::asked(line).map(str::to_owned) else { continue };
        if let Some(short) = shortened(&names, &own) {
            *line = line.replacen(&format!(" --metrics {own}"), &format!(" --metrics {short}"), 1);
        }
    }
    audit.kept.asked = names;
}

/// A list of metrics by the names that it leaves out of `asked`: `{asked}`, `{asked-a,b}`. `None` for a list that has others,
/// or the same in another order.
fn shortened(asked: &[Arc<str>], list: &str) -> Option<String> {
    let own: HashSet<&str> = list.split(',').collect();
    let (there, gone): (Vec<&str>, Vec<&str>) = asked.iter().map(AsRef::as_ref).partition(|name| own.contains(name));
    let is_same = there.join(",") == list;
    let without = if gone.is_empty() { String::new() } else { format!("-{}", gone.join(",")) };
    is_same.then(|| format!("{ASKED}{without}}}"))
}

fn spell_asked(audit: &mut Audit) {
    let names = std::mem::take(&mut audit.kept.asked);
    if names.is_empty() {
        return;
    }
    for line in command_lines(audit) {
        let Some((head, rest)) = line.split_once(ASKED) else { continue };
        let Some((without, tail)) = rest.split_once('}') else { continue };
        let gone: HashSet<&str> = without.trim_start_matches('-').split(',').collect();
        let list: Vec<&str> = names.iter().map(AsRef::as_ref).filter(|name| !gone.contains(name)).collect();
        *line = format!("{head}{}{tail}", list.join(","));
    }
}

impl Audit {
    /// The audit as it is kept: without what its readings tell.
    pub fn stored(&self) -> Audit {
        let (mut stored, mut names) = (self.clone(), Vec::new());
        let mut way = Way::LeaveOut(&mut names);
        if let Some(made) = Made::of(self) {
            made.go(&mut stored, &mut way);
        }
        said_twice(&mut stored, &mut way);
        stored.left_out = names;
        name_asked(&mut stored);
        stored.source.iter_mut().for_each(SourceLines::gather_texts);
        stored
    }

    /// The whole audit of one that was kept.
    #[must_use]
    pub fn restored(mut self) -> Audit {
        spell_asked(&mut self);
        self.source.iter_mut().for_each(SourceLines::spread_texts);
        let names = std::mem::take(&mut self.left_out);
        let mut way = Way::PutBack(&names);
        if let Some(made) = Made::of(&self) {
            made.go(&mut self, &mut way);
        }
        said_twice(&mut self, &mut way);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_told_by_what_it_leaves_out() {
        let asked: Vec<Arc<str>> = ["a", "b", "c"].map(Arc::from).to_vec();
        assert_eq!(shortened(&asked, "a,b,c").as_deref(), Some("{asked}"));
        assert_eq!(shortened(&asked, "b").as_deref(), Some("{asked-a,c}"));
        assert_eq!(shortened(&asked, "b,a"), None);
        assert_eq!(shortened(&asked, "a,d"), None);
    }
}
