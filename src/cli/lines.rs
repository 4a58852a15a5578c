//! The launch under audit, instruction by instruction.

use super::failure::Failure;
use crate::analysis::{self, Selection};
use crate::evidence::{CodeBuild, Report, SassListing, SourceView, Want};
use crate::source::Profile;
use std::collections::HashSet;

/// Reads the launch that the analysis by line is made of; `None` for a profile that is no report, which holds no
/// instructions. `builds` give the instructions' text where the profiled code is theirs.
pub(super) fn source_view(
    profile: &mut Profile,
    report: &Report,
    selection: &Selection,
    allow_damage: bool,
    builds: &[CodeBuild],
) -> Result<Option<SourceView>, Failure> {
    let launch = analysis::subject_launch(report, selection)?;
    let listings: Vec<&SassListing> = builds.iter().map(|build| &build.listing).collect();
    let want = Want { allow_damage, ..analysis::source_want(launch) };
    let views = profile.source_views(&want, &HashSet::from([launch.id]), &listings)?;
    Ok(views.into_iter().next())
}
