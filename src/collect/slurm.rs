//! A job array of Slurm: the script that `sbatch` takes, and what `squeue` says of its tasks.
//!
//! Options and fields are those of Slurm's manual pages sbatch(1) and squeue(1), tried with 22.05.

use super::{Call, CollectError, Interrupt, Ran, Setback, run};
use crate::shell::quoted;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A job array with one task for each subject.
#[derive(Clone, Debug)]
pub struct Array {
    /// The folder of audit.toml, on storage that every node sees under this path.
    pub project: PathBuf,
    /// Where tasks note how they ended; the array's number is added.
    pub notes: PathBuf,
    pub options: Vec<String>,
    /// Tasks that run at a time at most.
    pub at_a_time: Option<usize>,
    /// The subjects, in the order of the tasks.
    pub subjects: Vec<String>,
    pub program: PathBuf,
    /// What follows `collect SUBJECT --task FOLDER`.
    pub words: Vec<String>,
}

/// A task as the queue shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its number: the place of its subject.
    pub index: usize,
    /// `PENDING`, `RUNNING`, `COMPLETED`, `TIMEOUT`, …
    pub state: String,
    /// The node; empty before it has one.
    pub node: String,
}

impl Task {
    /// Whether it runs or may still run.
    pub fn is_open(&self) -> bool {
        const OPEN: &str = "PENDING CONFIGURING RUNNING COMPLETING SUSPENDED STOPPED SIGNALING STAGE_OUT RESIZING REQUEUED \
                            REQUEUE_FED REQUEUE_HOLD";
        OPEN.split(' ').any(|open| open == self.state)
    }
}

impl Array {
    /// The first of its words that a script cannot hold: a line end leaves the comment that an option stands in.
    pub fn fault(&self) -> Option<Setback> {
        let path = |what: &'static str, path: &Path| (what, path.display().to_string());
        let places = [path("the project's folder", &self.project), path("this program's path", &self.program)];
        let options = self.options.iter().map(|option| ("an option of [slurm]", option.clone()));
        let words = self.words.iter().map(|word| ("an argument", word.clone()));
        let mut all = places.into_iter().chain(options).chain(words);
        let (what, text) = all.find(|(_, text)| text.chars().any(char::is_control))?;
        let what = format!("{what} holds a control character, which no job script can: {text:?}");
        Some(Setback::new(what, "write it on one line; rename the folder"))
    }

    /// The script. A task is put into the queue again when its node dies; what it made until then is kept.
    pub fn script(&self) -> String {
        let last = self.subjects.len().saturating_sub(1);
        let most = self.at_a_time.map_or_else(String::new, |most| format!("%{most}"));
        let options: String = self.options.iter().map(|option| format!("#SBATCH {}\n", quoted(option))).collect();
        let subjects: String = self.subjects.iter().map(|subject| format!("  {subject}\n")).collect();
        let words: String = self.words.iter().map(|word| format!(" {}", quoted(word))).collect();
        let [project, notes, program] =
            [&self.project, &self.notes, &self.program].map(|path| quoted(&path.display().to_string()));
        format!(
            "#!/bin/bash\n\
             #SBATCH --job-name=audit-collect\n\
             #SBATCH --array=0-{last}{most}\n\
             #SBATCH --nodes=1 --ntasks=1 --requeue\n\
             #SBATCH --output=/dev/null --chdir={project}\n\
             {options}\
             subjects=(\n{subjects})\n\
             subject=${{subjects[$SLURM_ARRAY_TASK_ID]}}\n\
             notes={notes}/$SLURM_ARRAY_JOB_ID\n\
             mkdir -p \"$notes\"\n\
             exec {program} collect \"$subject\" --task \"$notes\"{words} >>\"$notes/$subject.log\" 2>&1\n"
        )
    }
}

/// Submits an array and gives its number. Errors: where Slurm is not at hand or refuses the array, with its words.
pub(crate) fn submit(array: &Array) -> Result<String, CollectError> {
    let refused = |source| CollectError::Io { doing: "write the script of the job array".into(), source };
    let mut script = tempfile::NamedTempFile::new().map_err(refused)?;
    script.write_all(array.script().as_bytes()).map_err(refused)?;
    let call = Call::new("sbatch").argument("--parsable").argument(script.path());
    let ran = asked(&call)?;
    let said = text(&ran);
    // `NUMBER`, or `NUMBER;CLUSTER`.
    let number: String = String::from_utf8_lossy(&ran.stdout).trim().chars().take_while(char::is_ascii_digit).collect();
    if ran.status.success() && !number.is_empty() {
        return Ok(number);
    }
    let what = format!("sbatch refused the job array of {} tasks: {said}", array.subjects.len());
    let cure = "correct `options` under [slurm] in audit.toml; --dry-run prints the script; `scontrol show config` has MaxArraySize, above which subjects are named in several runs";
    Err(CollectError::Setback(Setback::new(what, cure)))
}

/// The tasks of an array that the queue still knows; `None` once it has forgotten the array. An error of the queue's
/// own, such as a controller that restarts, is worth another try.
pub fn queue(array: &str, interrupt: &Interrupt) -> Result<Option<Vec<Task>>, CollectError> {
    let mut call = Call { interrupt: interrupt.clone(), limit: Duration::from_secs(60), ..Call::new("squeue") };
    let words = ["--noheader", "--array", "--states=all", "--format=%K|%T|%N", "--jobs", array];
    call.arguments = words.iter().map(Into::into).collect();
    let ran = asked(&call)?;
    if ran.status.success() {
        return Ok(Some(tasks(&String::from_utf8_lossy(&ran.stdout))));
    }
    let said = text(&ran);
    if said.contains("Invalid job id") {
        return Ok(None);
    }
    Err(CollectError::Setback(Setback::new(
        format!("squeue says: {said}"),
        "see that slurmctld answers: `scontrol ping`",
    )))
}

/// Rows of `index|state|node`.
fn tasks(text: &str) -> Vec<Task> {
    let row = |line: &str| {
        let mut cells = line.trim().split('|');
        let index = cells.next()?.parse().ok()?;
        let (state, node) = (cells.next()?.to_owned(), cells.next().unwrap_or_default().to_owned());
        Some(Task { index, state, node })
    };
    text.lines().filter_map(row).collect()
}

fn asked(call: &Call) -> Result<Ran, CollectError> {
    match run(call) {
        Err(CollectError::NotStarted { program, source }) if source.kind() == std::io::ErrorKind::NotFound => {
            let name = Path::new(&program).display();
            let cure = "run this where Slurm's commands are, or print the script with --dry-run and submit it there";
            Err(CollectError::Setback(Setback::new(format!("{name} is not in PATH"), cure)))
        }
        ended => ended,
    }
}

/// What a command said, in one line.
fn text(ran: &Ran) -> String {
    let said = String::from_utf8_lossy(&ran.stderr) + String::from_utf8_lossy(&ran.stdout);
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() { format!("nothing; it ended with {}", ran.status) } else { lines.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array() -> Array {
        Array {
            project: "/shared/my project".into(),
            notes: "/shared/my project/collected/.array".into(),
            options: vec!["--gpus=1".into(), "--comment=a b".into()],
            at_a_time: Some(8),
            subjects: vec!["gemm".into(), "triad".into()],
            program: "/shared/bin/audit".into(),
            words: vec!["--set".into(), "full".into()],
        }
    }

    #[test]
    fn the_script_has_a_task_for_each_subject() {
        let script = array().script();
        for line in [
            "#SBATCH --array=0-1%8",
            "#SBATCH --output=/dev/null --chdir='/shared/my project'",
            "#SBATCH '--comment=a b'",
            "notes='/shared/my project/collected/.array'/$SLURM_ARRAY_JOB_ID",
            "exec /shared/bin/audit collect \"$subject\" --task \"$notes\" --set full >>\"$notes/$subject.log\" 2>&1",
        ] {
            assert!(script.lines().any(|found| found == line), "{line}\n{script}");
        }
    }

    #[test]
    fn a_line_end_in_an_option_or_a_path_is_refused() {
        assert!(array().fault().is_none());
        let option = Array { options: vec!["--comment=a\ntouch /tmp/x".into()], ..array() };
        let folder = Array { project: "/shared/a\nb".into(), ..array() };
        for array in [option, folder] {
            assert!(array.fault().is_some_and(|fault| fault.to_string().contains("\\n")));
        }
    }

    #[test]
    fn rows_of_the_queue_are_read() {
        let read = tasks("0|RUNNING|n1\n1|PENDING|\n2|NODE_FAIL|n2\nN/A|RUNNING|n1\n");
        let open: Vec<(usize, bool)> = read.iter().map(|task| (task.index, task.is_open())).collect();
        assert_eq!(open, [(0, true), (1, true), (2, false)]);
        assert_eq!(read[2].node, "n2");
    }
}
