//! A gate that could not be run says so where its outcome would stand: in the annotations and in the JUnit file.

use crate::cli::args::Check;
use crate::cli::failure::Failure;
use crate::plain;
use crate::render::{Level, Output, Remark, github, junit, write_together};
use std::io::Write;

/// The gate.
///
/// # Errors
/// Its own; what cannot be written of them is not said.
pub(in crate::cli) fn run(arguments: &Check, out: &mut dyn Write) -> Result<(), Failure> {
    super::run::run(arguments, out).inspect_err(|failure| {
        if failure.report().is_empty() {
            return;
        }
        let mut text = anstream::StripStream::new(Vec::new());
        let _ = text.write_all(failure.report().as_bytes());
        let text = plain::clean(&String::from_utf8_lossy(&text.into_inner())).into_owned();
        let (name, file) = ("audit check".to_owned(), String::new());
        let remark = [Remark { name, level: Level::Fail, text, file, seconds: 0.0 }];
        if let Some(path) = &arguments.junit {
            let _ = write_together(&[Output { path, bytes: junit(&remark).as_bytes() }]);
        }
        if arguments.github {
            let _ = out.write_all(github(&remark).as_bytes());
        }
    })
}
