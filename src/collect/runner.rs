//! Running a child: in its own process group, with both pipes drained, within a time limit.

use super::CollectError;
use std::ffi::OsString;
use std::io::{Read, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Bytes that are kept of each stream; what a child writes beyond is read and dropped.
const KEPT: usize = 16 << 20;
/// How often the time and the wish to stop are looked at.
const TICK: Duration = Duration::from_millis(20);

/// A wish to stop, which every child in work obeys; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// The flag, for a signal handler to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Clone, Debug)]
pub struct Call {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// The working folder; empty for that of this process.
    pub folder: PathBuf,
    /// Variables set for it, over those of this process.
    pub environment: Vec<(&'static str, OsString)>,
    /// After which it is stopped.
    pub limit: Duration,
    /// At which it is stopped.
    pub interrupt: Interrupt,
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
            interrupt: Interrupt::default(),
        }
    }

    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Call {
        self.arguments.push(argument.into());
        self
    }
}

#[derive(Clone, Debug)]
pub struct Ran {
    pub status: ExitStatus,
    /// What it wrote to its standard output, up to 16 MiB.
    pub stdout: Vec<u8>,
    /// What it wrote to its standard error, up to 16 MiB.
    pub stderr: Vec<u8>,
    /// From its start to its end.
    pub wall: Duration,
}

/// Runs a child to its end and keeps what it wrote. Its standard input is empty. Errors: when it cannot be started,
/// does not end in time, or is interrupted; it is then stopped with all its children.
pub fn run(call: &Call) -> Result<Ran, CollectError> {
    run_watched(call, &mut |_| {})
}

/// As [`run`], and hands what the child writes to `watch` as it comes.
pub(crate) fn run_watched(call: &Call, watch: &mut dyn FnMut(&[u8])) -> Result<Ran, CollectError> {
    let start = Instant::now();
    let mut command = Command::new(&call.program);
    command.args(&call.arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.envs(call.environment.iter().map(|(name, value)| (name, value)));
    if !call.folder.as_os_str().is_empty() {
        command.current_dir(&call.folder);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    end_with_us(&mut command);
    let refused = |source| CollectError::NotStarted { program: call.program.clone(), source };
    let mut child = command.spawn().map_err(refused)?;
    let _watcher = Watcher::of(&child);
    let (sender, receiver) = channel();
    drain(0, child.stdout.take(), sender.clone());
    drain(1, child.stderr.take(), sender);
    let mut kept: [Vec<u8>; 2] = Default::default();
    let ended = loop {
        // A pipe ends when the last process that holds it does; a child may also close its pipes and go on.
        match receiver.recv_timeout(TICK) {
            Ok((stream, bytes)) => {
                watch(&bytes);
                let into: &mut Vec<u8> = &mut kept[stream];
                into.extend_from_slice(&bytes[..bytes.len().min(KEPT - into.len())]);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                Err(error) => break Err(refused(error)),
            },
        }
        if call.interrupt.is_set() {
            break Err(CollectError::Interrupted);
        }
        if start.elapsed() >= call.limit {
            let seconds = call.limit.as_secs();
            break Err(CollectError::TimedOut { program: call.program.clone(), seconds });
        }
    };
    let [stdout, stderr] = kept;
    let status = ended.inspect_err(|_| stop(&mut child))?;
    if !status.success() && is_stopped_soon(call) {
        return Err(CollectError::Interrupted);
    }
    Ok(Ran { status, stdout, stderr, wall: start.elapsed() })
}

/// Lets the system end the child when this program is killed, which can then stop nobody. The thread that starts a child
/// waits for it, so that it does not end before.
#[cfg(target_os = "linux")]
fn end_with_us(command: &mut Command) {
    use rustix::process::{Signal, set_parent_process_death_signal};
    use std::os::unix::process::CommandExt as _;
    // SAFETY: what runs between fork and exec is one system call, which allocates nothing and takes no lock.
    unsafe { command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?)) };
}

#[cfg(not(target_os = "linux"))]
fn end_with_us(_: &mut Command) {}

/// Ends the group of a child, the program that a profiler runs with it, once this program was killed: a shell in a group of its
/// own, which waits for a word or for the end of the pipe that only this program holds. Where there is no shell, nobody does.
struct Watcher(Option<Child>);

impl Watcher {
    #[cfg(unix)]
    fn of(child: &Child) -> Watcher {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "read -r done || kill -s KILL -- \"-$0\""]).arg(child.id().to_string());
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        Watcher(shell.spawn().ok())
    }

    #[cfg(not(unix))]
    fn of(_: &Child) -> Watcher {
        Watcher(None)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let Some(mut shell) = self.0.take() else { return };
        // A shell that is gone has nobody to end.
        let _ = shell.stdin.take().map(|mut pipe| pipe.write_all(b"done\n"));
        let _ = shell.wait();
    }
}

/// Whether the wish to stop is set or comes within a moment. A scheduler signals all processes of a job, each by itself: a
/// child that fails first has failed of that.
fn is_stopped_soon(call: &Call) -> bool {
    (0..10).any(|_| {
        if !call.interrupt.is_set() {
            std::thread::sleep(TICK);
        }
        call.interrupt.is_set()
    })
}

/// Reads a pipe to its end in a thread of its own.
fn drain(stream: usize, pipe: Option<impl Read + Send + 'static>, sender: Sender<(usize, Vec<u8>)>) {
    std::thread::spawn(move || {
        let Some(mut pipe) = pipe else { return };
        let mut bytes = vec![0; 64 << 10];
        // What came before an error is still worth having; nobody listens any more when the time is up.
        while let Ok(length @ 1..) = pipe.read(&mut bytes) {
            if sender.send((stream, bytes[..length].to_vec())).is_err() {
                return;
            }
        }
    });
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
    fn a_child_that_a_signal_to_all_ends_first_has_not_failed_by_itself() {
        let call = shell("kill -TERM $$");
        let flag = call.interrupt.flag();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(60));
                flag.store(true, Ordering::Relaxed);
            });
            assert!(matches!(run(&call), Err(CollectError::Interrupted)));
        });
    }

    #[test]
    fn output_without_end_is_cut_and_does_not_block() {
        let ran = run(&shell("head -c 20000000 /dev/zero")).expect("runs");
        assert_eq!(ran.stdout.len(), KEPT);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = run(&Call::new("/nowhere/nvcc")).expect_err("nothing there").to_string();
        assert!(error.starts_with("cannot start /nowhere/nvcc"), "{error}");
    }
}
