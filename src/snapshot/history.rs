//! The history of a subject: one milestone for each snapshot.

use super::error::SnapshotError;
use super::file::Snapshot;
use super::folder::{self, Dated};
use crate::analysis::Milestone;
use std::path::Path;

/// The milestones of a subject before a moment, the oldest first, and what is wrong with the snapshots that have none.
///
/// # Errors
/// A folder that cannot be read.
pub fn milestones(
    folder: &Path,
    subject: &str,
    before: Option<Dated>,
) -> Result<(Vec<Milestone>, Vec<SnapshotError>), SnapshotError> {
    let (mut known, mut lost) = (Vec::new(), Vec::new());
    for found in folder::earlier(folder, subject, before)? {
        match Snapshot::read_milestone(&found.path) {
            Ok(milestone) => known.push(milestone),
            Err(error) => lost.push(error),
        }
    }
    Ok((known, lost))
}
