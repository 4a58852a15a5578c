//! A log, a cubin and a launch that are not of one build.

use super::{Built, shown};
use crate::analysis::code::resources::Agreement;
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::catalog::Code;
use crate::words;
use crate::words::Words;

/// The resources on which they differ.
pub(super) struct BuildDiffers;

impl Pattern<Built<'_>> for BuildDiffers {
    type Facts = String;

    fn detect(g: &Built<'_>) -> Option<Hit<Self::Facts>> {
        let differing = g.code.resources.iter().filter(|row| row.agreement == Agreement::Differs);
        let rows: Vec<&str> = differing.map(|row| row.label.as_str()).collect();
        if rows.is_empty() {
            return None;
        }
        shown(Code::BuildDiffers, Severity::Notes, rows.join(", ").to_lowercase())
    }

    fn say(rows: &Self::Facts) -> Words {
        words!("The ptxas log, the cubin and the launch disagree on {}: they come from different builds.", rows)
    }
}
