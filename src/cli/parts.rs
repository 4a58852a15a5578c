//! The kernels of a file, of which a part is held at a time, and launches by instruction.

use super::Failure;
use crate::analysis::{self, KernelKey, Kernels, Limits, Profile, Reduction, Selection, SelectionError, Work};
use crate::evidence::{CodeBuild, Launch, Report, SassListing, SourceView, Want};
use crate::source;
use regex::Regex;
use std::collections::HashSet;
use std::path::Path;

/// Launches of a file that are looked at together; what is held of a file grows with these.
const AT_ONCE: usize = 1024;

#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) filter: Option<&'a Regex>,
    /// Then all are read at once, so that each knows all of the damage.
    pub(super) allow_damage: bool,
    /// One launch of each by instruction as well.
    pub(super) by_instruction: bool,
    pub(super) work: &'a Work,
    pub(super) limits: &'a Limits,
}

/// A file whose kernels are known by what is read of every launch.
pub(super) struct Opened<'a> {
    profile: source::Profile,
    report: Report,
    kernels: Kernels,
    want: Want,
    reading: Reading<'a>,
}

impl<'a> Opened<'a> {
    /// The file at `path`; why the filter takes no kernel of it, where it takes none.
    pub(super) fn of(path: &Path, reading: Reading<'a>) -> Result<Result<Opened<'a>, SelectionError>, Failure> {
        let want = Want { allow_damage: reading.allow_damage, ..analysis::want_for(reading.work) };
        let mut profile = source::Profile::open(path, reading.allow_damage)?;
        let mut report = profile.read_chosen(&want, analysis::brief(), |_| HashSet::new())?;
        analysis::leave_configurations(&mut report);
        let kernels = Kernels::of(&report, reading.filter);
        Ok(kernels.map(|kernels| Opened { profile, report, kernels, want, reading }))
    }

    /// The kernels that are taken, the most device time first.
    pub(super) fn keys(&self) -> impl Iterator<Item = &KernelKey> {
        self.kernels.keys()
    }

    /// Some places of [`Opened::keys`] as they are read together, where `share` files are read at once.
    pub(super) fn parts(&self, places: impl IntoIterator<Item = usize>, share: usize) -> Vec<Vec<usize>> {
        self.kernels.parts(places, if self.reading.allow_damage { usize::MAX } else { AT_ONCE / share })
    }

    pub(super) fn profiles(&mut self, places: &[usize]) -> Result<Vec<Profile>, Failure> {
        let Reading { filter, allow_damage, by_instruction, work, limits } = self.reading;
        let part = self.profile.part(&mut self.report, &self.want, &self.kernels.launches(places))?;
        let selection = Selection { kernel: filter.cloned(), baseline_kernel: None };
        let source = match by_instruction {
            true => source_views(&mut self.profile, &part, &selection, allow_damage)?,
            false => Vec::new(),
        };
        Ok(self.kernels.profiles(&part, &Reduction { source: &source, work, limits }).collect())
    }
}

/// Reads the launch that the analysis by line is made of, and one of each further kernel of the page; none for a profile that
/// is no report, which holds no instructions. `builds` give the instructions' text where the profiled code is theirs.
pub(super) fn page_views(
    profile: &mut source::Profile,
    report: &Report,
    selection: &Selection,
    allow_damage: bool,
    builds: &[CodeBuild],
) -> Result<Vec<SourceView>, Failure> {
    let listings: Vec<&SassListing> = builds.iter().map(|build| &build.listing).collect();
    views(profile, &analysis::page_launches(report, selection)?, allow_damage, &listings)
}

pub(super) fn view_of(path: &Path, launch: Option<&Launch>, allow_damage: bool) -> Result<Option<SourceView>, Failure> {
    let Some(launch) = launch else { return Ok(None) };
    let mut profile = source::Profile::open(path, allow_damage)?;
    Ok(views(&mut profile, &[launch], allow_damage, &[])?.pop())
}

/// The same for every kernel that the selection takes, without the instructions' text.
pub(super) fn source_views(
    profile: &mut source::Profile,
    report: &Report,
    selection: &Selection,
    allow_damage: bool,
) -> Result<Vec<SourceView>, Failure> {
    views(profile, &analysis::subject_launches(report, selection)?, allow_damage, &[])
}

fn views(
    profile: &mut source::Profile,
    launches: &[&Launch],
    allow_damage: bool,
    listings: &[&SassListing],
) -> Result<Vec<SourceView>, Failure> {
    let want = Want { allow_damage, ..analysis::source_want(launches) };
    let ids: HashSet<u32> = launches.iter().map(|launch| launch.id).collect();
    let views = profile.source_views(&want, &ids, listings)?;
    Ok(views.into_iter().map(analysis::phases::at_their_products).collect())
}
