//! The old side of an audit: a file that is named, the pinned snapshot, else the last audit of the subject; and
//! `audit baseline`.

use super::args::{Baseline, BaselineVerb, PinBaseline};
use super::failure::Failure;
use super::moment;
use super::plan::out_folder;
use crate::analysis::Side;
use crate::analysis::code::CodeAudit;
use crate::render::{Output, write_together};
use crate::snapshot::{Pin, Pins, Snapshot, earlier, is_snapshot_like, newest};
use chrono::NaiveDate;
use std::fs::File;
use std::io::{Read as _, Write};
use std::path::Path;

/// The old side of a subject's audit of `date` from a snapshot, the one that is given or that of an earlier audit, and in
/// words where it comes from or why there is none.
pub(super) fn find(
    given: Option<&Path>,
    folder: &Path,
    subject: &str,
    date: NaiveDate,
) -> Result<(Option<Side>, String), Failure> {
    let side = |snapshot: Snapshot| Some(snapshot.evidence.new.as_old());
    if let Some(path) = given {
        let snapshot = Snapshot::read(path)?;
        let words = format!("the audit {}", of(&snapshot));
        return Ok((side(snapshot), words));
    }
    if let Some((pin, snapshot)) = Pins::snapshot(folder, subject)? {
        return Ok((side(snapshot), format!("baseline pinned on {}: {}", pin.date, pin.reason)));
    }
    Ok(match newest(folder, subject, Some(date)) {
        Ok(Some((_, snapshot))) => {
            let words = format!("the audit before, {}", of(&snapshot));
            (side(snapshot), words)
        }
        Ok(None) => (None, "No baseline was given, and there is no earlier audit of this subject.".to_owned()),
        // The page says it; an audit of today does not fail over a file of an earlier day.
        Err(error) => {
            let first = error.to_string().lines().next().unwrap_or_default().to_owned();
            let shown = first.replace(&format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR), "");
            (None, format!("The audit before cannot be used: {}.", crate::analysis::without_home(&shown)))
        }
    })
}

/// The machine code of the last audit of a subject before `date`, with a report or without; `None` where there is none, or
/// it cannot be used.
pub(super) fn code(folder: &Path, subject: &str, date: NaiveDate) -> Option<Vec<CodeAudit>> {
    let last = earlier(folder, subject, Some(date)).ok()?.pop()?.path;
    let code = Snapshot::read(&last).ok()?.evidence.new.code;
    (!code.is_empty()).then_some(code)
}

/// Whether the file begins as a snapshot does.
pub(super) fn is_snapshot(path: &Path) -> bool {
    let mut head = [0; 64];
    let read = File::open(path).and_then(|mut file| file.read(&mut head)).unwrap_or(0);
    is_snapshot_like(&head[..read])
}

fn of(snapshot: &Snapshot) -> String {
    let heading = &snapshot.heading;
    let commit = if heading.commit.is_empty() { String::new() } else { format!(", commit {}", heading.commit) };
    format!("of {}{commit}", heading.date)
}

pub(super) fn run(arguments: &Baseline, out: &mut dyn Write) -> Result<(), Failure> {
    match &arguments.verb {
        BaselineVerb::Pin(pin) => self::pin(pin, out),
    }
}

/// Notes the newest snapshot of a subject, or the one that is named, as its baseline.
fn pin(arguments: &PinBaseline, out: &mut dyn Write) -> Result<(), Failure> {
    let folder = out_folder(arguments.folder.out.as_deref(), arguments.folder.config.as_deref())?;
    let subject = arguments.name.as_str();
    if arguments.reason.trim().is_empty() {
        return Err(Failure::usage("a baseline is pinned for a reason\n  help: give it with --reason TEXT"));
    }
    let path = match &arguments.snapshot {
        Some(path) => path.clone(),
        None => earlier(&folder, subject, None)?.pop().map(|found| found.path).ok_or_else(|| {
            Failure::usage(format!(
                "{} holds no snapshot of {subject}\n  help: run `audit generate {subject}`, or name one with --snapshot FILE",
                folder.display()
            ))
        })?,
    };
    let snapshot = Snapshot::read(&path)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    if snapshot.heading.subject != subject || !same(&folder.join(&name), &path) {
        return Err(Failure::usage(format!(
            "{} is an audit of {}, expected one of {subject} in {}\n  help: pins name snapshots of their subject in the folder of audits",
            path.display(),
            snapshot.heading.subject,
            folder.display()
        )));
    }
    let mut pins = Pins::read(&folder)?;
    pins.put(Pin {
        subject: subject.to_owned(),
        snapshot: name.clone(),
        sha256: snapshot.sha256.clone(),
        date: moment::date(arguments.date)?.to_string(),
        commit: snapshot.heading.commit.clone(),
        reason: arguments.reason.clone(),
    });
    let text = pins.to_toml().map_err(|error| Failure::usage(format!("the pins cannot be kept: {error}")))?;
    let file = Pins::path(&folder);
    write_together(&[Output { path: &file, bytes: text.as_bytes() }])?;
    writeln!(out, "{}: {subject} is compared with {name} from now on", file.display())?;
    Ok(())
}
