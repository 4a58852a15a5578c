//! `audit show`: files as tables on the terminal.

use super::args::Show;
use super::failure::Failure;
use super::lines;
use crate::analysis::{self, Inputs, Limits, Selection, Work};
use crate::evidence::Want;
use crate::render::terminal;
use crate::source::{self, Profile, ReadError};
use crate::view::{self, Document, Heading};
use std::io::Write;
use std::path::Path;

/// Columns when neither the user nor the terminal says.
const WIDTH: usize = 80;

pub(super) fn run(arguments: &Show, out: &mut dyn Write) -> Result<(), Failure> {
    let width = width(arguments.width);
    for (at, file) in arguments.files.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        terminal::print(&document(file, arguments)?, width, out)?;
    }
    Ok(())
}

/// The columns to print in: as given, else what the terminal says.
pub(super) fn width(given: Option<usize>) -> usize {
    let from_terminal = || std::env::var("COLUMNS").ok()?.parse().ok();
    given.or_else(from_terminal).unwrap_or(WIDTH)
}

fn document(file: &Path, arguments: &Show) -> Result<Document, Failure> {
    let want = Want { allow_damage: arguments.allow_damage, ..analysis::want() };
    let mut profile = match Profile::open(file, want.allow_damage) {
        Ok(profile) => profile,
        Err(error @ ReadError::WrongKind { .. }) => {
            return source::read_build_log(file).map(|log| view::build_log(&log)).map_err(|_| error.into());
        }
        Err(error) => return Err(error.into()),
    };
    let selection = Selection { kernel: arguments.kernel.clone(), baseline_kernel: None };
    let report = profile.read_chosen(&want, analysis::brief(), |report| analysis::subject_rows(report, &selection))?;
    let source = lines::source_view(&mut profile, &report, &selection, arguments.allow_damage, &[])?;
    let audit = analysis::analyse(&Inputs {
        new: &report,
        old: None,
        builds: &[],
        source: source.as_slice(),
        selection,
        work: Work::default(),
        limits: Limits::default(),
    })?;
    let document = view::document(&Heading::default(), &audit);
    Ok(Document { title: file.display().to_string(), ..document })
}
