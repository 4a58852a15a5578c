//! The driver and the GPUs of this machine, from the driver's own files, which need no library of NVIDIA's.

use super::tools::is_program;
use super::{Call, Places, Setback, run};
use crate::evidence::VARIABLES_SET;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Version of the kernel driver, `580.95.05`; absent without a driver.
    pub driver: Option<String>,
    /// Names of the GPUs; `GPU` for one whose name the driver does not tell.
    pub gpus: Vec<String>,
    pub counters: Counters,
    /// Names of variables of this environment under which a program runs otherwise than by itself.
    pub variables: Vec<&'static str>,
    /// Whether Slurm was asked for a GPU and began this job without one.
    pub is_left_out: bool,
}

/// Variables that make launches wait, compile code anew, or put something between the program and the driver (CUDA Programming
/// Guide, CUDA Environment Variables).
const VARIABLES: [&str; 6] = [
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_FORCE_PTX_JIT",
    "CUDA_DEVICE_WAITS_ON_EXCEPTION",
    "CUDA_INJECTION64_PATH",
    "CUDA_ENABLE_COREDUMP_ON_EXCEPTION",
];

/// Who may read the GPU's performance counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counters {
    #[default]
    Unknown,
    Everybody,
    /// Administrators, of whom this process is one.
    Administrator,
    /// Administrators, of whom this process is none.
    Refused,
}

impl Machine {
    /// Looks at `/proc/driver/nvidia` and `/dev`; `variable` gives the value of a variable of the environment.
    pub fn look(variable: impl Fn(&str) -> Option<OsString>) -> Machine {
        let is_left_out = is_left_out(&variable);
        Machine { variables: variables(variable), is_left_out, ..Machine::below(Path::new("/")) }
    }

    fn below(root: &Path) -> Machine {
        let version = std::fs::read_to_string(root.join("proc/driver/nvidia/version")).ok();
        let is_number = |word: &&str| {
            word.split('.').count() >= 2 && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        };
        let driver = version.as_deref().and_then(|text| text.lines().next()?.split_whitespace().find(is_number));
        let entries = |folder: &str| std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        let is_gpu = |name: &str| {
            name.strip_prefix("nvidia").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        };
        let nodes = entries("dev").filter(|entry| entry.file_name().to_str().is_some_and(is_gpu)).count();
        let model = |text: String| text.lines().find_map(|line| Some(line.strip_prefix("Model:")?.trim().to_owned()));
        let mut gpus: Vec<String> = entries("proc/driver/nvidia/gpus")
            .filter_map(|entry| model(std::fs::read_to_string(entry.path().join("information")).ok()?))
            .collect();
        gpus.sort();
        gpus.resize(nodes, "GPU".to_owned());
        let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
        let counters = counters(&read("proc/driver/nvidia/params"), &read("proc/self/status"));
        Machine { driver: driver.map(str::to_owned), gpus, counters, ..Machine::default() }
    }

    /// What the variables that are set mean for what is measured; `None` where none is.
    pub fn warning(&self) -> Option<String> {
        let names = self.variables.join(", ");
        (!names.is_empty()).then(|| format!("{VARIABLES_SET}{names}; the program's times are not those without"))
    }

    /// Why nothing can be run on a GPU here.
    pub fn setback(&self) -> Option<Setback> {
        let cure = "run this on a machine with an NVIDIA GPU, or reach one with `prefix` in audit.toml, such as prefix = [\"srun\", \"-N1\", \"--gpus=1\"]";
        if self.driver.is_none() {
            return Some(Setback::new(
                "no NVIDIA driver is loaded here: /proc/driver/nvidia/version is not there",
                cure,
            ));
        }
        if self.gpus.is_empty() {
            let cure =
                format!("give the container or the job a GPU (`docker run --gpus all`, `srun --gpus=1`); or {cure}");
            return Some(Setback::new("a driver is loaded and no GPU is here: /dev has no nvidia0", cure));
        }
        if self.is_left_out {
            let cure = "submit it again; in a shell of salloc reach the GPU with `prefix` in audit.toml, such as prefix = [\"srun\"]";
            let what = "Slurm was asked for a GPU and gave this job none, so any GPU here may be at work for another";
            return Some(Setback::new(what, cure));
        }
        None
    }

    /// What nvidia-smi says of the clocks in use and at most: one line for each GPU. Empty without it.
    pub fn clocks(places: &Places) -> Vec<String> {
        let line = |line: &str| {
            let [sm, sm_max, memory, memory_max] = line.split(',').map(str::trim).collect::<Vec<_>>()[..] else {
                return None;
            };
            Some(format!("SM {sm} of {sm_max}, memory {memory} of {memory_max}"))
        };
        let said = nvidia_smi(places, "clocks.sm,clocks.max.sm,clocks.mem,clocks.max.mem").unwrap_or_default();
        said.lines().filter_map(line).collect()
    }

    /// The architecture of the first GPU, `sm_90`, as nvidia-smi of the driver tells it.
    pub fn arch(places: &Places) -> Option<String> {
        let said = nvidia_smi(places, "compute_cap")?;
        let (major, minor) = said.lines().next()?.trim().split_once('.')?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        (is_number(major) && is_number(minor)).then(|| format!("sm_{major}{minor}"))
    }

    /// Driver and GPUs in one line, as a part of what decides a measurement.
    pub fn line(&self) -> String {
        let driver = self.driver.as_deref().unwrap_or("none");
        format!("driver {driver}; {}", if self.gpus.is_empty() { "no GPU".to_owned() } else { self.gpus.join(", ") })
    }
}

/// What the driver's own program in `PATH` says of each GPU.
fn nvidia_smi(places: &Places, query: &str) -> Option<String> {
    let program = places.path.iter().map(|folder| folder.join("nvidia-smi")).find(|path| is_program(path))?;
    let call = Call { limit: Duration::from_secs(30), ..Call::new(program) };
    let ran = run(&call.argument(format!("--query-gpu={query}")).argument("--format=csv,noheader")).ok()?;
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// Which of the variables have a value other than 0.
fn variables(variable: impl Fn(&str) -> Option<OsString>) -> Vec<&'static str> {
    let is_set = |name: &&str| variable(name).is_some_and(|value| !value.is_empty() && value != "0");
    VARIABLES.into_iter().filter(is_set).collect()
}

/// Whether Slurm was asked for GPUs and names none to this job (sbatch(1), Output Environment Variables). Slurm 22.05 begins a
/// task so whose first launch failed because its node had died.
fn is_left_out(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| variable(name).is_some());
    has(&["SLURM_GPUS", "SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_TASK"])
        && !has(&["SLURM_JOB_GPUS", "SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE", "CUDA_VISIBLE_DEVICES"])
}

/// Who may read counters, from the driver's parameters and this process's effective capabilities (bit 21 is
/// `CAP_SYS_ADMIN`: capabilities(7)).
fn counters(parameters: &str, status: &str) -> Counters {
    const SYS_ADMIN: u32 = 21;
    let value = |text: &str, key: &str| -> Option<String> {
        text.lines().find_map(|line| Some(line.strip_prefix(key)?.trim().to_owned()))
    };
    let capabilities = value(status, "CapEff:").and_then(|digits| u64::from_str_radix(&digits, 16).ok()).unwrap_or(0);
    match value(parameters, "RmProfilingAdminOnly:").as_deref() {
        Some("0") => Counters::Everybody,
        Some("1") if capabilities >> SYS_ADMIN & 1 == 1 => Counters::Administrator,
        Some("1") => Counters::Refused,
        _ => Counters::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn driver_and_gpus_are_read_from_the_drivers_files() {
        let root = tempfile::tempdir().expect("folder");
        let put = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
            std::fs::write(path, text).expect("file");
        };
        assert!(Machine::below(root.path()).setback().is_some_and(|s| s.what.contains("no NVIDIA driver")));
        let version =
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\nGCC version: 13\n";
        put("proc/driver/nvidia/version", version);
        assert!(Machine::below(root.path()).setback().is_some_and(|s| s.what.contains("no GPU is here")));
        put("dev/nvidia0", "");
        put("dev/nvidiactl", "");
        put("proc/driver/nvidia/gpus/0000:1b:00.0/information", "Model: \t\t NVIDIA H200\nIRQ: 1\n");
        let machine = Machine::below(root.path());
        assert_eq!(machine.line(), "driver 580.95.05; NVIDIA H200");
        assert_eq!((machine.setback(), machine.counters), (None, Counters::Unknown));
        let left_out = Machine { is_left_out: true, ..machine };
        assert!(left_out.setback().is_some_and(|s| s.what.contains("gave this job none")));
        put("proc/driver/nvidia/params", "Mobile: 4294967295\nRmProfilingAdminOnly: 1\n");
        put("proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
        assert_eq!(Machine::below(root.path()).counters, Counters::Refused);
        put("proc/self/status", "CapEff:\t000001ffffffffff\n");
        assert_eq!(Machine::below(root.path()).counters, Counters::Administrator);
        put("proc/driver/nvidia/params", "RmProfilingAdminOnly: 0\n");
        assert_eq!(Machine::below(root.path()).counters, Counters::Everybody);
    }

    #[test]
    fn a_job_that_slurm_begins_without_the_gpu_it_asked_for_is_left_out() {
        let of = |set: &[&str]| is_left_out(|name| set.contains(&name).then(|| "1".into()));
        assert!(of(&["SLURM_JOB_ID", "SLURM_GPUS"]));
        assert!(!of(&["SLURM_GPUS", "SLURM_JOB_GPUS", "CUDA_VISIBLE_DEVICES"]));
        assert!(!of(&["SLURM_JOB_ID"]) && !of(&[]));
    }

    #[test]
    fn variables_are_named_without_their_values() {
        let environment = |name: &str| match name {
            "CUDA_LAUNCH_BLOCKING" => Some("1".into()),
            "CUDA_FORCE_PTX_JIT" => Some("0".into()),
            "CUDA_INJECTION64_PATH" => Some("/opt/own.so".into()),
            _ => None,
        };
        let machine = Machine { variables: variables(environment), ..Machine::default() };
        assert_eq!(machine.variables, ["CUDA_LAUNCH_BLOCKING", "CUDA_INJECTION64_PATH"]);
        let warning = machine.warning().expect("two are set");
        assert!(
            warning.contains("CUDA_LAUNCH_BLOCKING, CUDA_INJECTION64_PATH") && !warning.contains("own.so"),
            "{warning}"
        );
        assert_eq!(Machine::default().warning(), None);
    }
}
