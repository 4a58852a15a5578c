//! The launches of a page, instruction by instruction.

use super::failure::Failure;
use crate::analysis::{self, Selection};
use crate::evidence::{CodeBuild, Launch, Report, SassListing, SourceView, Want};
use crate::source::Profile;
use std::collections::HashSet;
use std::path::Path;

/// Reads the launch that the analysis by line is made of, and one of each further kernel of the page; none for a profile that
/// is no report, which holds no instructions. `builds` give the instructions' text where the profiled code is theirs.
pub(super) fn page_views(
    profile: &mut Profile,
    report: &Report,
    selection: &Selection,
    allow_damage: bool,
    builds: &[CodeBuild],
) -> Result<Vec<SourceView>, Failure> {
    let listings: Vec<&SassListing> = builds.iter().map(|build| &build.listing).collect();
    views(profile, &analysis::page_launches(report, selection)?, allow_damage, &listings)
}

/// Reads a launch of the report of the old side.
pub(super) fn old_view(path: &Path, launch: &Launch, allow_damage: bool) -> Result<Option<SourceView>, Failure> {
    let mut profile = Profile::open(path, allow_damage)?;
    Ok(views(&mut profile, &[launch], allow_damage, &[])?.into_iter().next())
}

/// Reads the launch of a reference's report that is compared with.
pub(super) fn reference_view(path: &Path, report: &Report) -> Result<Option<SourceView>, Failure> {
    let Ok(launch) = analysis::subject_launch(report, &Selection::default()) else { return Ok(None) };
    old_view(path, launch, false)
}

/// The same for every kernel that the selection takes, without the instructions' text.
pub(super) fn source_views(
    profile: &mut Profile,
    report: &Report,
    selection: &Selection,
    allow_damage: bool,
) -> Result<Vec<SourceView>, Failure> {
    views(profile, &analysis::subject_launches(report, selection)?, allow_damage, &[])
}

fn views(
    profile: &mut Profile,
    launches: &[&Launch],
    allow_damage: bool,
    listings: &[&SassListing],
) -> Result<Vec<SourceView>, Failure> {
    let want = Want { allow_damage, ..analysis::source_want(launches) };
    let ids: HashSet<u32> = launches.iter().map(|launch| launch.id).collect();
    let views = profile.source_views(&want, &ids, listings)?;
    Ok(views.into_iter().map(analysis::phases::at_their_products).collect())
}
