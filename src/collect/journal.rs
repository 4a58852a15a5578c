//! The log of a collection: every command with its moment, its end, its time, and what the tool said. What the program
//! under the tool printed is not kept: it may name what it works on.

use super::{CollectError, Ran};
use crate::analysis::{public_command, public_text};
use crate::plain;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

pub(crate) const JOURNAL: &str = "collect.log";
/// Bytes of output that are kept of each stream of a command.
const KEPT: usize = 256 << 10;

pub(crate) struct Journal<'c> {
    /// `None` where nothing is written.
    file: Option<File>,
    now: &'c dyn Fn() -> String,
}

impl<'c> Journal<'c> {
    /// Opens the log of an evidence folder; `now` tells the moment, `2026-11-20T14:03:11Z`.
    pub(crate) fn open(folder: &Path, now: &'c dyn Fn() -> String) -> Result<Journal<'c>, CollectError> {
        let path = folder.join(JOURNAL);
        let refused = |source| CollectError::Io { doing: format!("write {JOURNAL} in {}", folder.display()), source };
        if path.is_symlink() {
            return Err(refused(io::Error::other("it is a symbolic link, which this program does not follow")));
        }
        let opened = OpenOptions::new().create(true).append(true).open(path);
        Ok(Journal { file: Some(opened.map_err(refused)?), now })
    }

    pub(crate) fn nowhere(now: &'c dyn Fn() -> String) -> Journal<'c> {
        Journal { file: None, now }
    }

    pub(crate) fn now(&self) -> String {
        (self.now)()
    }

    pub(crate) fn begin(&mut self, step: &str, command: &str) {
        let line = format!("{} {step}: {}\n", self.now(), public_command(command));
        self.write(line.as_bytes());
    }

    pub(crate) fn end(&mut self, step: &str, ended: &Result<Ran, CollectError>) {
        let now = self.now();
        match ended {
            Ok(ran) => {
                self.write(format!("{now} {step}: {} after {:.3} s\n", ran.status, ran.wall.as_secs_f64()).as_bytes());
                self.quote(&ran.stdout);
                self.quote(&ran.stderr);
            }
            Err(error) => self.write(format!("{now} {step}: {}\n", public_text(&error.to_string())).as_bytes()),
        }
    }

    pub(crate) fn remark(&mut self, step: &str, text: &str) {
        let line = format!("{} {step}: {}\n", self.now(), public_text(text));
        self.write(line.as_bytes());
    }

    fn quote(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(KEPT)]);
        // ncu and compute-sanitizer begin their lines so.
        let (own, others): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("=="));
        let quoted: String = own.iter().map(|line| format!("    {}\n", plain::one_line(&public_text(line)))).collect();
        self.write(quoted.as_bytes());
        if !others.is_empty() {
            self.write(format!("    ({} lines of the program)\n", others.len()).as_bytes());
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        // A full disk is told where a file of evidence cannot be written; the log is no evidence.
        let _ = self.file.as_mut().map(|file| file.write_all(bytes));
    }
}
