//! The facts of one kernel in one profile: what an audit is made from, as small as it can be kept.
//!
//! Receives a report with the counters by instruction, keeps what judgements read and nothing else. Everything that is
//! concluded is a function of these facts, so that a snapshot of them gives the same audit.

use crate::analysis::kernel::overview::{members, overview, that_matter};
use crate::analysis::kernel::select::{self, KernelGroup};
use crate::analysis::kernel::{commands, private};
use crate::analysis::over_time::{OverTime, over_time};
use crate::analysis::readings::kept;
use crate::analysis::{
    KernelKey, KernelSummary, Limits, OtherKernel, SelectionError, Work, kernel::readings::Readings,
    lines::public_names, studied::Studied,
};
use crate::evidence::{ClockStatus, Damage, Device, Origin, Report, RuleResult, Session, SourceView};
use arcstr::ArcStr;
use regex::Regex;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Instructions that are kept of all other kernels together, so that a snapshot stays small.
const ROOM: usize = 6_000;

/// One kernel as a profile has it.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Profile {
    pub origin: Origin,
    /// Who measured: versions and the command line.
    pub session: Session,
    pub kernel: KernelKey,
    /// Rows of the report (ncu's IDs), one for each launch.
    pub launches: Vec<u32>,
    pub device: Device,
    /// Base name of the program that launched it; empty where the artefact does not say.
    pub program: ArcStr,
    pub clock: Option<ClockStatus>,
    /// Display driver version that the result itself carries.
    pub driver: Option<f32>,
    /// NVIDIA's rules that estimate a speedup: title, estimate, and the first metric that each points at.
    pub rules: Vec<RuleResult>,
    /// The numbers, launch by launch; the JSON of [`Evidence`](crate::analysis::Evidence) has them in one table.
    #[serde(skip)]
    pub readings: Readings,
    /// Metrics that were asked for and that no result holds.
    pub dropped: Vec<String>,
    /// Lines of text that were not understood: what, and how many.
    pub not_understood: Vec<(String, u64)>,
    pub damage: Vec<Damage>,
    /// All kernels of the artefact, the most device time first. One that was chosen beside the kernel under audit has its own
    /// row alone, so that what is kept grows with the artefact and not with its square.
    pub kernels: Vec<OtherKernel>,
    /// What judging the other kernels needs, of those whose time matters; none where nobody asked for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherProfile>,
    /// Kernels inside a range or graph: (name, launches); empty for a kernel.
    pub members: Vec<(String, usize)>,
    /// One launch by instruction; `None` where none was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Arc<SourceView>>,
    /// What one launch does over its time; `None` where PM sampling was not collected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_time: Option<OverTime>,
}

/// Another kernel of the artefact: what says what limits it, and nothing that says where in its source.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OtherProfile {
    /// Its place in [`Profile::kernels`].
    pub at: usize,
    /// The device, where it is another one than that of the kernel under audit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<Device>,
    /// The numbers, as of one launch: the median over its launches. JSON has them in the table of all readings.
    #[serde(skip)]
    pub readings: Readings,
    /// One launch by instruction; `None` where none was read, or those of kernels with more time fill the room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Arc<SourceView>>,
    /// See [`Profile::over_time`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_time: Option<OverTime>,
}

/// What a kernel's facts are read with.
#[derive(Clone, Copy, Debug)]
pub struct Reduction<'a> {
    /// Launches by instruction; those of other kernels do not count.
    pub source: &'a [SourceView],
    /// What the subject states: the readings that it names are kept.
    pub work: &'a Work,
    /// Which lines are worth keeping.
    pub limits: &'a Limits,
}

/// The kernels of a report that a filter takes, the most device time first.
#[derive(Debug)]
pub struct Kernels {
    /// All that the report holds.
    all: Vec<OtherKernel>,
    /// Where those that are taken stand there.
    at: HashMap<KernelKey, usize>,
    /// Those that are taken, with the ids of their launches.
    taken: Vec<(KernelKey, Vec<u32>)>,
}

impl Kernels {
    /// Finds them, by what is read of every launch. Errors: when the filter takes none.
    pub fn of(report: &Report, filter: Option<&Regex>) -> Result<Kernels, SelectionError> {
        let taken = select::choose(report, filter)?;
        let all = taken.first().map(|first| overview(select::groups(report), &first.key)).unwrap_or_default();
        let is_taken = |row: &OtherKernel| row.kernel.is_taken(filter);
        let places = all.iter().enumerate().filter(|(_, row)| is_taken(row));
        let at = places.map(|(at, row)| (row.kernel.clone(), at)).collect();
        let one = |group: KernelGroup<'_>| (group.key, group.launches.iter().map(|launch| launch.id).collect());
        Ok(Kernels { all, at, taken: taken.into_iter().map(one).collect() })
    }

    /// Those that are taken, in their order.
    pub fn keys(&self) -> impl Iterator<Item = &KernelKey> {
        self.taken.iter().map(|(key, _)| key)
    }

    /// The ids of the launches of those at some places of [`Kernels::keys`].
    pub fn launches(&self, places: &[usize]) -> HashSet<u32> {
        places.iter().flat_map(|at| &self.taken[*at].1).copied().collect()
    }

    /// Some places of [`Kernels::keys`] in parts of about `size` launches.
    pub fn parts(&self, places: impl IntoIterator<Item = usize>, size: usize) -> Vec<Vec<usize>> {
        let (mut parts, mut held) = (Vec::<Vec<usize>>::new(), 0);
        for at in places {
            let more = self.taken[at].1.len();
            match parts.last_mut().filter(|_| held + more <= size) {
                Some(part) => {
                    part.push(at);
                    held += more;
                }
                None => {
                    parts.push(vec![at]);
                    held = more;
                }
            }
        }
        parts
    }

    /// The profiles of those that are taken and of which `report`, the whole or a part, holds launches.
    pub fn profiles(&self, report: &Report, with: &Reduction<'_>) -> impl Iterator<Item = Profile> {
        select::groups(report).into_iter().filter_map(|group| {
            let row = &self.all[*self.at.get(&group.key)?];
            let kernels = match row.is_subject {
                true => self.all.clone(),
                false => vec![OtherKernel { is_subject: true, ..row.clone() }],
            };
            Some(Profile::of(report, group, kernels, with))
        })
    }
}

impl Profile {
    /// Every kernel of a report that the filter takes, the most device time first. Errors: when the filter takes none.
    pub fn chosen(
        report: &Report,
        filter: Option<&Regex>,
        with: &Reduction<'_>,
    ) -> Result<Vec<Profile>, SelectionError> {
        Ok(Kernels::of(report, filter)?.profiles(report, with).collect())
    }

    /// A kernel with what else the report holds.
    fn among_all(report: &Report, group: KernelGroup<'_>, with: &Reduction<'_>) -> Profile {
        let kernels = overview(select::groups(report), &group.key);
        Profile::of(report, group, kernels, with)
    }

    /// The first of these kernels: the one under audit. Errors: when the filter takes none.
    pub fn subject(report: &Report, filter: Option<&Regex>, with: &Reduction<'_>) -> Result<Profile, SelectionError> {
        Ok(Profile::among_all(report, select::choose(report, filter)?.swap_remove(0), with))
    }

    /// The counterpart of a kernel in the report of the old side. Errors: when the filter takes no kernel, or none can be meant.
    pub fn counterpart(
        report: &Report,
        of: &KernelKey,
        filter: Option<&Regex>,
        with: &Reduction<'_>,
    ) -> Result<Profile, SelectionError> {
        Ok(Profile::among_all(report, select::counterpart(report, of, filter)?, with))
    }

    /// The same with what judging the other kernels of its report needs, of those whose time matters.
    #[must_use]
    pub fn beside_others(mut self, report: &Report, with: &Reduction<'_>) -> Profile {
        let groups = select::groups(report);
        let mut room = ROOM;
        let other = |at: usize| {
            let kernel = KernelSummary::new(groups[at].clone());
            let own = own_view(&groups[at], with);
            let fits = own.filter(|view| view.instructions.len() <= room);
            room -= fits.map_or(0, |view| view.instructions.len());
            let device = kernel.device();
            OtherProfile {
                at,
                device: (*device != self.device).then(|| device.clone()),
                instructions: fits.cloned().map(Arc::new),
                over_time: sampled(&groups[at], with),
                readings: kept(kernel, &report.session.command_line, &Work::default()).medians(),
            }
        };
        self.others = that_matter(&self.kernels).filter(|at| *at < groups.len()).map(other).collect();
        self
    }

    /// The profile of another kernel; `None` for one that is not among the kernels.
    pub(in crate::analysis) fn other(&self, other: &OtherProfile) -> Option<Profile> {
        Some(Profile {
            device: other.device.clone().unwrap_or_else(|| self.device.clone()),
            readings: other.readings.clone(),
            instructions: other.instructions.clone(),
            over_time: other.over_time.clone(),
            ..Profile::unmeasured(self.kernels.get(other.at)?.kernel.clone())
        })
    }

    /// See [`Evidence::made_public`](crate::analysis::Evidence::made_public).
    pub(in crate::analysis) fn make_public(&mut self) {
        self.origin.path = private::public_path(&self.origin.path);
        let command = commands::with_counted_list(&commands::public_command(&self.session.command_line));
        self.session = who_measured(&self.session, command.into());
        self.program = private::public_text(&private::public_path(&self.program)).into();
        let others = self.others.iter_mut().map(|other| &mut other.instructions);
        for view in std::iter::once(&mut self.instructions).chain(others).flatten() {
            public_names(view);
        }
    }

    fn of(report: &Report, group: KernelGroup<'_>, kernels: Vec<OtherKernel>, with: &Reduction<'_>) -> Profile {
        let launches = group.launches.iter().map(|launch| launch.id).collect();
        let (own, members) = (own_view(&group, with), members(&group));
        let over_time = sampled(&group, with);
        let kernel = KernelSummary::new(group);
        let lines = report.unrecognised_lines.len() as u64;
        let not_understood = if lines > 0 { vec![("lines of text".into(), lines)] } else { Vec::new() };
        let session = &report.session;
        Profile {
            origin: report.origin.clone(),
            session: who_measured(session, session.command_line.clone()),
            kernel: kernel.key().clone(),
            launches,
            device: kernel.device().clone(),
            program: kernel.program.clone(),
            clock: kernel.clock,
            driver: kernel.driver,
            rules: kernel.rules.iter().filter_map(estimate).collect(),
            dropped: report.dropped.iter().map(ToString::to_string).collect(),
            not_understood,
            damage: report.damage.clone(),
            kernels,
            others: Vec::new(),
            members,
            instructions: own.cloned().map(Arc::new),
            over_time,
            readings: kept(kernel, &session.command_line, with.work),
        }
    }

    /// A kernel of which nothing was measured.
    pub fn unmeasured(kernel: KernelKey) -> Profile {
        Profile { kernel, ..Profile::default() }
    }

    /// What follows from its instructions.
    pub(in crate::analysis) fn studied(&self, kernel: &KernelSummary<'_>, limits: &Limits) -> Studied<'_> {
        Studied::of(self.instructions.as_deref(), kernel, limits)
    }

    pub(in crate::analysis) fn summary(&self) -> KernelSummary<'_> {
        KernelSummary {
            key: Cow::Borrowed(&self.kernel),
            launches: self.launches.len().max(1),
            device: Cow::Borrowed(&self.device),
            program: self.program.clone(),
            clock: self.clock,
            driver: self.driver,
            rules: Cow::Borrowed(&self.rules),
            readings: Cow::Borrowed(&self.readings),
        }
    }
}

/// What is kept of a session, with this command line.
fn who_measured(session: &Session, command_line: ArcStr) -> Session {
    let [ncu_version, cuda_version, driver_version] =
        [&session.ncu_version, &session.cuda_version, &session.driver_version].map(ArcStr::clone);
    Session { ncu_version, cuda_version, driver_version, command_line, ..Session::default() }
}

/// The launch of a kernel that was read by instruction.
fn own_view<'a>(group: &KernelGroup<'_>, with: &Reduction<'a>) -> Option<&'a SourceView> {
    with.source.iter().find(|view| group.launches.iter().any(|launch| launch.id == view.launch))
}

/// Its launch of which counters were sampled over time.
fn sampled(group: &KernelGroup<'_>, with: &Reduction<'_>) -> Option<OverTime> {
    group.launches.iter().find_map(|launch| over_time(launch, with.limits))
}

/// What is kept of a rule; `None` for one without an estimate.
fn estimate(rule: &RuleResult) -> Option<RuleResult> {
    let mut kept = RuleResult {
        section: "".into(),
        messages: rule.messages.iter().filter(|message| !message.title.is_empty()).take(1).cloned().collect(),
        focus: rule.focus.iter().take(1).cloned().collect(),
        tables: Vec::new(),
        ..rule.clone()
    };
    // A snapshot has no word for a number that is none.
    kept.speedup.as_ref().filter(|speedup| speedup.percent.is_finite())?;
    kept.focus.retain(|focus| focus.value.is_finite());
    kept.messages.iter_mut().for_each(|message| message.text = "".into());
    kept.focus.iter_mut().for_each(|focus| focus.info = "".into());
    Some(kept)
}
