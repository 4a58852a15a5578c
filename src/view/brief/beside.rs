//! Verdict and Next of the other kernels that take much of the report's time, in the words of their own pages.

use super::{actions, kernels, next, verdict};
use crate::analysis::{Audit, Bottleneck, Lever, OtherKernel, Standing};
use crate::quantity::glance::digits;
use crate::view::document::{Block, Section};
use crate::view::tables::{heading, paragraph};
use crate::words::{Words, words};

/// Percent of the time of all kernels from which on a kernel has its verdict and its actions on the page.
const LEAST: f64 = 10.0;
const ACTIONS: usize = 3;
/// The blocks of one kernel, and what stands for those that have none.
pub(super) const EACH: &str = "each";
const REST: &str = "rest";

/// How much of the section the page has room for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) rows: usize,
    /// Kernels with Verdict and Next under it.
    pub(super) told: usize,
    /// Which of [`GIVEN_UP`] went for it.
    pub(super) given_up: [bool; GIVEN_UP.len()],
}

/// Sections on the kernel under audit that make room for the verdicts on the others, by name and as the page calls them.
pub(super) const GIVEN_UP: [(&str, &str); 3] =
    [("instructions", "instruction counts"), ("build", "build and occupancy"), ("memory", "memory")];

/// What is said of one kernel, and the others of which the same holds.
struct Told<'a> {
    at: usize,
    bottleneck: &'a Bottleneck,
    levers: Vec<&'a Lever>,
    alike: Vec<usize>,
}

impl<'a> Told<'a> {
    fn of(at: usize, bottleneck: &'a Bottleneck, levers: &'a [Lever]) -> Told<'a> {
        let has_roof = bottleneck.roof.is_some();
        let levers = actions::worth(levers).filter(|_| !has_roof).take(ACTIONS).collect();
        Told { at, bottleneck, levers, alike: Vec::new() }
    }

    /// Whether both have one verdict and the same actions; their ceilings stand in the table of kernels.
    fn is_like(&self, other: &Told<'_>) -> bool {
        let does = |told: &Told<'_>| told.levers.iter().map(|lever| lever.sentence.clone()).collect::<Vec<_>>();
        self.bottleneck.sentence == other.bottleneck.sentence && does(self) == does(other)
    }

    fn blocks(&self, audit: &Audit) -> Vec<Block> {
        let kernel = &audit.report.kernels[self.at];
        let mut said = verdict::of_other(self.bottleneck);
        if !self.alike.is_empty() {
            said.push(words!(" The same holds for {}.", listed(audit, &self.alike)));
        }
        let title = format!("{}: {} % of the time", kernels::named(audit, &kernel.kernel), share(kernel));
        let mut blocks = vec![heading(EACH, title), paragraph(EACH, said)];
        blocks.extend(self.bottleneck.roof.iter().map(|roof| paragraph(EACH, roof)));
        blocks.extend(
            (!self.levers.is_empty())
                .then(|| next::levers_table(EACH, &kernel.kernel, &self.levers, kernel.time.value()).into()),
        );
        blocks
    }
}

/// What is said of the kernels with much of the time, the largest first, and those of which Verdict and Next of the page itself hold.
fn told(audit: &Audit) -> (Vec<Told<'_>>, Vec<usize>) {
    let subject = audit.report.kernels.iter().position(|kernel| kernel.is_subject);
    let subject = subject.filter(|_| audit.standing() != Standing::Wrong);
    let subject = subject.map(|at| Told::of(at, &audit.now.bottleneck, &audit.now.levers));
    let (mut told, mut as_subject): (Vec<Told<'_>>, Vec<usize>) = (Vec::new(), Vec::new());
    for other in &audit.report.others {
        let has_much = |kernel: &OtherKernel| kernel.share.is_some_and(|share| share >= LEAST);
        if !audit.report.kernels.get(other.at).is_some_and(has_much) {
            continue;
        }
        let own = Told::of(other.at, &other.bottleneck, &other.levers);
        if subject.as_ref().is_some_and(|subject| subject.is_like(&own)) {
            as_subject.push(other.at);
            continue;
        }
        match told.iter_mut().find(|known| known.is_like(&own)) {
            Some(known) => known.alike.push(other.at),
            None => told.push(own),
        }
    }
    (told, as_subject)
}

/// How many kernels have something of their own to be said.
pub(super) fn count(audit: &Audit) -> usize {
    told(audit).0.len()
}

/// The kernels of the report: the table, then Verdict and Next of the largest, and which have no room; `None` where there is no other.
pub(super) fn section(audit: &Audit, room: Room) -> Option<Section> {
    let mut section = kernels::section(audit, room.rows)?;
    let (told, as_subject) = told(audit);
    let (shown, left) = told.split_at(room.told.min(told.len()));
    if !as_subject.is_empty() {
        let words = words!("Verdict and Next of this page hold for {} as well.", listed(audit, &as_subject));
        section.blocks.push(paragraph(EACH, words));
    }
    section.blocks.extend(left_out(audit, left, room));
    section.blocks.extend(shown.iter().flat_map(|one| one.blocks(audit)));
    Some(section)
}

/// What has no room: sections, and kernels with what prints the first of them.
fn left_out(audit: &Audit, left: &[Told<'_>], room: Room) -> Option<Block> {
    let sections: Vec<&str> =
        GIVEN_UP.iter().zip(room.given_up).filter(|(_, gone)| *gone).map(|((_, called), _)| *called).collect();
    let own = kernels::named(audit, &audit.now.artefact.kernel);
    let sections = (!sections.is_empty()).then(|| words!("{} of `{}` (in the full tables)", sections.join(", "), own));
    let places: Vec<usize> = left.iter().flat_map(|one| [&[one.at], one.alike.as_slice()].concat()).collect();
    let verdicts = places.first().map(|first| {
        let command = kernels::asked(audit, *first).map(|flags| format!("audit generate {flags}"));
        let prints = command.map_or_else(Words::default, |command| words!("; `{}` prints the first", command));
        words!("Verdict and Next of {}{}", listed(audit, &places), prints)
    });
    let parts: Vec<Words> = [sections, verdicts].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| paragraph(REST, words!("Left out for room: {}.", words::join(parts, "; "))))
}

fn listed(audit: &Audit, places: &[usize]) -> Words {
    let one = |at: &usize| {
        let kernel = &audit.report.kernels[*at];
        words!("`{}` ({} %)", kernels::named(audit, &kernel.kernel), share(kernel))
    };
    words::join(places.iter().map(one), ", ")
}

fn share(kernel: &OtherKernel) -> String {
    kernel.share.map(digits).unwrap_or_default()
}
