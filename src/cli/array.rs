//! `audit collect --slurm`: a job array with a task for each subject that is not whole yet, and what came of it.

use super::args::Collect;
use super::launcher::own_program;
use super::requests::{Place, survey};
use super::task::{self, Note};
use super::{Failure, Status, say};
use crate::collect::{Array, CollectError, Interrupt, Request, Summary, Task, files, queue, submit};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Where tasks note how they ended, below the project's folder.
const NOTES: &str = "collected/.array";
const TABLE: &str = "summary.tsv";
/// How long the queue may give no answer.
const PATIENCE: Duration = Duration::from_secs(600);
/// Between two looks at the queue, at first and at most.
const LOOKS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(10));

/// Submits what is missing of the subjects, waits for it and says what came of it.
pub(super) fn run(
    requests: &[Request],
    place: &Place<'_>,
    options: &[String],
    arguments: &Collect,
    interrupt: &Interrupt,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let missing: Vec<&Request> = match arguments.again {
        true => requests.iter().collect(),
        false => {
            let found = survey(requests, place)?;
            requests.iter().zip(&found).filter(|(_, found)| found.missed().next().is_some()).map(|(r, _)| r).collect()
        }
    };
    let kept = requests.len() - missing.len();
    if missing.is_empty() {
        writeln!(out, "{kept} of {} subjects are whole; nothing is submitted", requests.len())?;
        return Ok(());
    }
    let array = array(&missing, place, options, arguments)?;
    if let Some(fault) = array.fault() {
        return Err(Failure::usage(fault));
    }
    if arguments.dry_run {
        write!(out, "{}", array.script())?;
        return Ok(());
    }
    let begun = Instant::now();
    let number = submit(&array)?;
    if !arguments.quiet {
        say(format!("array {number}: {} tasks; {kept} subjects are whole", missing.len()))?;
    }
    let last = watch(&number, missing.len(), arguments.quiet, interrupt)?;
    let found = survey(missing.iter().copied(), place)?;
    let folder = array.notes.join(&number);
    let row = |(at, (request, found)): (usize, (&&Request, &Summary))| {
        let notes = task::notes(&folder, &request.subject);
        Row::of(&request.subject, found, &notes, last.get(&at))
    };
    let rows: Vec<Row> = missing.iter().zip(&found).enumerate().map(row).collect();
    table(&rows, &folder)?;
    told(&number, &rows, begun.elapsed(), &folder.join(TABLE), out)
}

fn array(missing: &[&Request], place: &Place<'_>, options: &[String], arguments: &Collect) -> Result<Array, Failure> {
    let lost = |error: std::io::Error| Failure::usage(format!("the place of this program cannot be found: {error}"));
    let project = if place.project.as_os_str().is_empty() { Path::new(".") } else { place.project };
    let project = std::fs::canonicalize(project).map_err(lost)?;
    let mut words = Vec::new();
    let mut pair = |flag: &str, value: String| words.extend([flag.to_owned(), value]);
    if let Some(name) = place.config.and_then(Path::file_name) {
        pair("--config", name.to_string_lossy().into_owned());
    }
    if let Some(folder) = &arguments.evidence {
        pair("--evidence", std::path::absolute(folder).map_err(lost)?.display().to_string());
    }
    arguments.set.iter().for_each(|set| pair("--set", set.clone()));
    arguments.metrics.iter().for_each(|metric| pair("--metric", metric.clone()));
    let flags = [(arguments.again, "--again"), (arguments.timeline, "--timeline")];
    words.extend(flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| (*flag).to_owned()));
    Ok(Array {
        notes: project.join(NOTES),
        project,
        options: options.to_vec(),
        at_a_time: arguments.jobs,
        subjects: missing.iter().map(|request| request.subject.clone()).collect(),
        program: own_program().map_err(lost)?,
        words,
    })
}

/// Waits until no task runs or may still run; gives the last that the queue said of each.
fn watch(number: &str, tasks: usize, quiet: bool, interrupt: &Interrupt) -> Result<BTreeMap<usize, Task>, Failure> {
    let mut last: BTreeMap<usize, Task> = BTreeMap::new();
    let (mut shown, mut answered, mut pause, mut is_over) = (String::new(), Instant::now(), LOOKS.0, false);
    loop {
        match queue(number, interrupt) {
            Ok(None) => return Ok(last),
            Ok(Some(rows)) => {
                answered = Instant::now();
                // A task that was cancelled before it began leaves no trace.
                last.values_mut().filter(|task| task.is_open()).for_each(|task| task.state.clear());
                last.extend(rows.into_iter().map(|task| (task.index, task)));
                let open = last.values().filter(|task| task.is_open()).count();
                // A task whose node died is for a moment neither running nor back in the queue.
                if open == 0 && std::mem::replace(&mut is_over, true) {
                    return Ok(last);
                }
                is_over = open == 0;
                let running = last.values().filter(|task| task.state == "RUNNING").count();
                let line =
                    format!("array {number}: {} of {tasks} tasks ended, {running} running", tasks - open.min(tasks));
                if !quiet && line != shown {
                    say(&line)?;
                    shown = line;
                }
            }
            Err(CollectError::Interrupted) => return Err(left(number)),
            Err(error) if answered.elapsed() >= PATIENCE => return Err(error.into()),
            Err(_) => {}
        }
        let wake = Instant::now() + pause;
        while Instant::now() < wake {
            if interrupt.is_set() {
                return Err(left(number));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        pause = LOOKS.1.min(pause.mul_f64(1.1));
    }
}

/// What is said to a user who does not wait.
fn left(number: &str) -> Failure {
    Failure::of(
        Status::Interrupted,
        format!(
            "array {number} keeps running\n  help: `scancel {number}` ends it; what its tasks made is kept, and the next run continues from there"
        ),
    )
}

#[derive(Debug)]
struct Row {
    subject: String,
    /// Where its last attempt ran; empty where none began.
    node: String,
    attempts: usize,
    /// Of all attempts that came to their end.
    seconds: f64,
    /// What Slurm said last.
    state: String,
    /// Why there is no profile; empty where there is one.
    failure: String,
    /// Other steps that are missing, each with its reason.
    missed: Vec<String>,
}

impl Row {
    fn of(subject: &str, found: &Summary, notes: &[Note], last: Option<&Task>) -> Row {
        let node = notes.iter().rev().find_map(Note::node);
        let state = last.map(|task| task.state.clone()).unwrap_or_default();
        let mut row = Row {
            subject: subject.to_owned(),
            node: node.or(last.map(|task| task.node.as_str())).unwrap_or_default().to_owned(),
            attempts: notes.iter().filter(|note| note.node().is_some()).count(),
            seconds: notes.iter().map(Note::seconds).fold(0.0, |sum, one| sum + one),
            state,
            failure: String::new(),
            missed: Vec::new(),
        };
        for (step, setback) in found.missed() {
            if step == files::PROFILE.0 {
                row.failure = row.why(notes, &setback.what);
            } else {
                row.missed.push(format!("{step}: {}", setback.what));
            }
        }
        row
    }

    /// Why a subject has no profile: what its last attempt said, and what Slurm says of it.
    fn why(&self, notes: &[Note], found: &str) -> String {
        let slurm = match self.state.as_str() {
            "" | "COMPLETED" => None,
            state => Some(format!("Slurm says {state}")),
        };
        let said = match notes.last() {
            Some(Note::Ended { failure, .. }) if failure.is_empty() => found.to_owned(),
            // Its own words say more than that it failed.
            Some(Note::Ended { failure, .. }) if self.state == "FAILED" => return failure.clone(),
            Some(Note::Ended { failure, .. }) => failure.clone(),
            Some(Note::Begun { node, .. }) => format!("its task on {node} was killed from outside"),
            None if slurm.is_none() => "its task left the queue before it began".to_owned(),
            None => "its task did not begin".to_owned(),
        };
        slurm.map_or(said.clone(), |slurm| format!("{slurm}: {said}"))
    }

    fn result(&self) -> &'static str {
        match (self.failure.is_empty(), self.missed.is_empty()) {
            (false, _) => "no profile",
            (true, false) => "not whole",
            (true, true) => "whole",
        }
    }
}

fn table(rows: &[Row], folder: &Path) -> Result<(), Failure> {
    let mut text = "subject\tnode\tattempts\tseconds\tslurm\tresult\twhy\n".to_owned();
    for row in rows {
        let failure = Some(row.failure.as_str()).filter(|why| !why.is_empty());
        let why: Vec<&str> = failure.into_iter().chain(row.missed.iter().map(String::as_str)).collect();
        let cells = [
            row.subject.as_str(),
            &row.node,
            &row.attempts.to_string(),
            &format!("{:.1}", row.seconds),
            &row.state,
            row.result(),
            &why.join("; "),
        ];
        text += &(cells.map(|cell| cell.replace(['\t', '\n'], " ")).join("\t") + "\n");
    }
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(folder.join(TABLE), text));
    written.map_err(|error| {
        Failure::of(Status::Unreadable, format!("cannot write {TABLE} in {}: {error}", folder.display()))
    })
}

/// Says what ran where, how long, and what failed with which words; the same words once.
fn told(number: &str, rows: &[Row], wall: Duration, table: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(
        out,
        "array {number}: {} tasks in {:.0} s; a row for each in {}",
        rows.len(),
        wall.as_secs_f64(),
        table.display()
    )?;
    let mut nodes: BTreeMap<&str, (usize, usize, f64)> = BTreeMap::new();
    for row in rows {
        let node = nodes.entry(if row.node.is_empty() { "no node" } else { &row.node }).or_default();
        *node = (node.0 + 1, node.1 + usize::from(row.result() == "whole"), node.2 + row.seconds);
    }
    for (node, (tasks, whole, seconds)) in &nodes {
        writeln!(out, "  {node}: {tasks} subjects, {whole} whole, {seconds:.1} s")?;
    }
    let mut words: BTreeMap<(bool, String), Vec<&str>> = BTreeMap::new();
    for row in rows {
        let neutral = |text: &str| text.replace(row.subject.as_str(), "SUBJECT");
        if !row.failure.is_empty() {
            words.entry((true, neutral(&row.failure))).or_default().push(&row.subject);
        }
        for missed in &row.missed {
            words.entry((false, neutral(missed))).or_default().push(&row.subject);
        }
    }
    for ((_, text), subjects) in words.iter().filter(|((is_lost, _), _)| !is_lost) {
        say(format!("not measured: {text}: {}", subjects.join(", ")))?;
    }
    let lost = words.iter().filter(|((is_lost, _), _)| *is_lost);
    let lost = lost.map(|((_, text), subjects)| format!("{}: {text}", subjects.join(", ")));
    let lost: Vec<String> = lost.collect();
    let whole = rows.iter().filter(|row| row.result() == "whole").count();
    writeln!(out, "{whole} of {} subjects are whole", rows.len())?;
    if lost.is_empty() {
        return Ok(());
    }
    let help = "\n  help: the next run takes up what is missing; the log of a task is beside that table";
    Err(Failure::of(Status::Tool, format!("{}{help}", lost.join("\n"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::{Done, Setback};

    fn found(missed: &[(&str, &str)]) -> Summary {
        let step = |(step, why): &(&str, &str)| ((*step).to_owned(), Done::Missed(Setback::new(*why, "")));
        Summary { steps: missed.iter().map(step).collect() }
    }

    fn begun(node: &str) -> Note {
        Note::Begun { node: node.into(), moment: "2026-11-20T00:00:00Z".into() }
    }

    #[test]
    fn a_subject_that_another_attempt_made_whole_has_no_failure() {
        let notes = [begun("n1"), begun("n2"), Note::Ended { seconds: 4.0, failure: String::new() }];
        let row = Row::of("a", &found(&[]), &notes, None);
        assert_eq!((row.result(), row.node.as_str(), row.attempts, row.seconds), ("whole", "n2", 2, 4.0));
    }

    #[test]
    fn a_task_without_an_end_has_the_words_of_slurm_and_one_that_failed_its_own() {
        let missing = found(&[("profile", "not collected yet"), ("memcheck", "not collected yet")]);
        let timed = Task { index: 0, state: "TIMEOUT".into(), node: "n1".into() };
        let row = Row::of("a", &missing, &[begun("n1")], Some(&timed));
        assert_eq!(
            (row.failure.as_str(), row.missed.len()),
            ("Slurm says TIMEOUT: its task on n1 was killed from outside", 1)
        );
        assert_eq!(Row::of("a", &missing, &[begun("n1")], None).failure, "its task on n1 was killed from outside");
        assert_eq!(Row::of("a", &missing, &[], None).failure, "its task left the queue before it began");
        let failed = Task { state: "FAILED".into(), ..timed };
        let full = Note::Ended { seconds: 1.0, failure: "no space".into() };
        assert_eq!(Row::of("a", &missing, &[begun("n1"), full], Some(&failed)).failure, "no space");
        assert_eq!(Row::of("a", &missing, &[], Some(&failed)).failure, "Slurm says FAILED: its task did not begin");
    }
}
