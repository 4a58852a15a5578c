//! The launch under audit, instruction by instruction.

use super::failure::Failure;
use crate::analysis::{self, Selection};
use crate::evidence::{Report, SourceView};
use crate::source;
use std::path::Path;

/// Reads the launch that the analysis by line is made of; `None` for a profile that is no report, which holds no
/// instructions.
pub(super) fn source_view(path: &Path, report: &Report, selection: &Selection) -> Result<Option<SourceView>, Failure> {
    if report.origin.format != "ncu-report" {
        return Ok(None);
    }
    let id = analysis::subject_launch(report, selection)?.id;
    let views = source::read_source_views(path, &analysis::source_want(), |head| head.id == id, None)?;
    Ok(views.into_iter().next())
}
