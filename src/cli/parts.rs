//! The kernels of a file, of which a part is held at a time.

use super::failure::Failure;
use super::lines;
use crate::analysis::{self, Kernels, Limits, Profile, Reduction, Selection, SelectionError, Work};
use crate::evidence::Want;
use crate::source;
use regex::Regex;
use std::collections::HashSet;
use std::path::Path;

/// Launches of a file that are looked at together; what is held of a file grows with these.
const AT_ONCE: usize = 1024;

/// How the kernels of a file are read.
pub(super) struct Reading<'a> {
    /// Which of them.
    pub(super) filter: Option<&'a Regex>,
    /// Then all are read at once, so that each knows all of the damage.
    pub(super) allow_damage: bool,
    /// One launch of each by instruction as well.
    pub(super) by_instruction: bool,
    pub(super) work: &'a Work,
    pub(super) limits: &'a Limits,
}

/// Gives every kernel of a file that the filter takes to `found`, the most device time first; tells why where it takes none.
///
/// # Errors
/// Those of reading, and of `found`.
pub(super) fn each_kernel(
    path: &Path,
    reading: &Reading<'_>,
    mut found: impl FnMut(Profile) -> Result<(), Failure>,
) -> Result<Option<SelectionError>, Failure> {
    let Reading { filter, allow_damage, by_instruction, work, limits } = *reading;
    let want = Want { allow_damage, ..analysis::want_for(work) };
    let mut profile = source::Profile::open(path, allow_damage)?;
    let mut report = profile.read_chosen(&want, analysis::brief(), |_| HashSet::new())?;
    analysis::leave_configurations(&mut report);
    let kernels = match Kernels::of(&report, filter) {
        Ok(kernels) => kernels,
        Err(error) => return Ok(Some(error)),
    };
    let selection = Selection { kernel: filter.cloned(), baseline_kernel: None };
    for ids in kernels.parts(if allow_damage { usize::MAX } else { AT_ONCE }) {
        let part = profile.part(&mut report, &want, &ids)?;
        let source = match by_instruction {
            true => lines::source_views(&mut profile, &part, &selection, allow_damage)?,
            false => Vec::new(),
        };
        for kernel in kernels.profiles(&part, &Reduction { source: &source, work, limits }) {
            found(kernel)?;
        }
    }
    Ok(None)
}
