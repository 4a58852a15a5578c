//! The launch under audit, instruction by instruction.

use super::failure::Failure;
use crate::analysis::{self, Selection};
use crate::evidence::{CodeBuild, Report, SassListing, SourceView, Want};
use crate::source;
use std::path::Path;

/// Reads the launch that the analysis by line is made of; `None` for a profile that is no report, which holds no
/// instructions. `builds` give the instructions' text where the profiled code is theirs.
pub(super) fn source_view(
    path: &Path,
    report: &Report,
    selection: &Selection,
    allow_damage: bool,
    builds: &[CodeBuild],
) -> Result<Option<SourceView>, Failure> {
    if report.origin.format != "ncu-report" {
        return Ok(None);
    }
    let launch = analysis::subject_launch(report, selection)?;
    let listings: Vec<&SassListing> = builds.iter().map(|build| &build.listing).collect();
    let want = Want { allow_damage, ..analysis::source_want(launch) };
    let views = source::read_source_views(path, &want, |head| head.id == launch.id, &listings)?;
    Ok(views.into_iter().next())
}
