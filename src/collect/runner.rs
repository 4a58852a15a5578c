//! Running a child: in its own process group, with both pipes drained, within a time limit.

use super::CollectError;
use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A child to run.
#[derive(Clone, Debug)]
pub struct Call {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The working folder; empty for that of this process.
    pub folder: PathBuf,
    /// Variables set for it, over those of this process.
    pub environment: Vec<(&'static str, OsString)>,
    /// After which it is stopped.
    pub limit: Duration,
}

impl Call {
    /// A call without arguments that may take ten minutes.
    pub fn new(program: impl Into<PathBuf>) -> Call {
        Call {
            program: program.into(),
            arguments: Vec::new(),
            folder: PathBuf::new(),
            environment: Vec::new(),
            limit: Duration::from_secs(600),
        }
    }

    /// The call with one more argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Call {
        self.arguments.push(argument.into());
        self
    }
}

/// What a child left.
#[derive(Clone, Debug)]
pub struct Ran {
    /// How it ended.
    pub status: ExitStatus,
    /// All it wrote to its standard output.
    pub stdout: Vec<u8>,
    /// All it wrote to its standard error.
    pub stderr: Vec<u8>,
    /// From its start to its end.
    pub wall: Duration,
}

/// Runs a child to its end and keeps what it wrote. Its standard input is empty.
///
/// # Errors
/// When it cannot be started, or does not end in time; it is then stopped with all its children.
pub fn run(call: &Call) -> Result<Ran, CollectError> {
    let start = Instant::now();
    let mut command = Command::new(&call.program);
    command.args(&call.arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.envs(call.environment.iter().map(|(name, value)| (name, value)));
    if !call.folder.as_os_str().is_empty() {
        command.current_dir(&call.folder);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let refused = |source| CollectError::NotStarted { program: call.program.clone(), source };
    let mut child = command.spawn().map_err(refused)?;
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let left = || call.limit.saturating_sub(start.elapsed());
    // A pipe ends when the last process that holds it does; a child may also close its pipes and go on.
    let texts = stdout.recv_timeout(left()).and_then(|out| Ok((out, stderr.recv_timeout(left())?)));
    let ended = texts.ok().and_then(|(out, err)| Some((wait(&mut child, start, call.limit)?, out, err)));
    let Some((status, stdout, stderr)) = ended else {
        stop(&mut child);
        return Err(CollectError::TimedOut { program: call.program.clone(), seconds: call.limit.as_secs() });
    };
    Ok(Ran { status: status.map_err(refused)?, stdout, stderr, wall: start.elapsed() })
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What came before an error is still worth having.
            let _ = pipe.read_to_end(&mut bytes);
        }
        // Nobody listens any more when the time is up.
        let _ = sender.send(bytes);
    });
    receiver
}

/// The status of a child whose pipes are closed; `None` when the time is up.
fn wait(child: &mut Child, start: Instant, limit: Duration) -> Option<std::io::Result<ExitStatus>> {
    loop {
        match child.try_wait() {
            Ok(None) if start.elapsed() >= limit => return None,
            Ok(None) => std::thread::sleep(Duration::from_millis(1)),
            Ok(Some(status)) => return Some(Ok(status)),
            Err(error) => return Some(Err(error)),
        }
    }
}

/// Ends the child's process group: the compiler's own children with it.
fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        // A group that has already ended is what was wanted.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Call {
        Call::new("/bin/sh").argument("-c").argument(script)
    }

    #[test]
    fn both_pipes_are_drained_and_the_status_is_kept() {
        let ran = run(&shell("head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2; exit 3")).expect("runs");
        assert_eq!((ran.stdout.len(), ran.stderr.len(), ran.status.code()), (300_000, 200_000, Some(3)));
    }

    #[test]
    fn a_child_that_hangs_is_stopped_with_its_children() {
        let folder = tempfile::tempdir().expect("folder");
        let mark = folder.path().join("alive");
        let script = format!("(sleep 1; touch {}) & sleep 30", mark.display());
        let call = Call { limit: Duration::from_millis(150), ..shell(&script) };
        assert!(matches!(run(&call), Err(CollectError::TimedOut { .. })));
        std::thread::sleep(Duration::from_millis(1100));
        assert!(!mark.exists());
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = run(&Call::new("/nowhere/nvcc")).expect_err("nothing there").to_string();
        assert!(error.starts_with("cannot start /nowhere/nvcc"), "{error}");
    }
}
