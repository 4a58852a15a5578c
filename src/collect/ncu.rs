//! Profiling with ncu: its command, and what is read from what it prints.
//!
//! Messages are those of ncu 2025.3.1 (`tests/fixtures/h200/logs`).

use super::{Collecting, Setback, Words};
use crate::catalog::{Counter, MetricSet};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Metrics {
    /// Our own set for the chip.
    Own(MetricSet),
    /// A set of NVIDIA's: `full`, `detailed`, `basic`.
    Set(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Which kernels, as a regular expression on the function name; all when absent.
    pub kernel: Option<String>,
    pub metrics: Metrics,
    /// Whether sources and machine code go into the report.
    pub source: bool,
    /// What is collected beside that, and how.
    pub keys: Collecting,
}

/// What a launch that is only timed is asked for.
const TIMES: [Counter; 2] = [Counter::GpuTimeDurationSum, Counter::GpcCyclesElapsedMax];

/// Kernels of one call of a reference at most: a product with its parts and their sum takes three.
const MOST_OF_A_REFERENCE: u64 = 8;

/// The NVTX range around what `kernel_audit.bench` shows a profiler, as ncu is told of it.
const BENCH_RANGE: &str = "audit/";

impl Profile {
    /// The arguments of ncu up to the program: the report goes to `report`.
    pub fn words(&self, report: &str) -> Words {
        let (mut words, keys) = (Words::default(), &self.keys);
        let mut sections = keys.sections.clone();
        let mut metrics = keys.extra.clone();
        match &self.metrics {
            Metrics::Own(set) => {
                sections.splice(0..0, set.sections.iter().cloned());
                metrics.splice(0..0, set.metrics.iter().cloned());
            }
            Metrics::Set(name) => words.pair("--set", name),
        }
        for section in &sections {
            words.pair("--section", section);
        }
        if !metrics.is_empty() {
            words.pair("--metrics", metrics.join(","));
        }
        words.pair("--import-source", if self.source { "yes" } else { "no" });
        words.pair("--clock-control", &keys.clock);
        words.pair("--cache-control", &keys.cache);
        words.pair("--replay-mode", &keys.replay);
        words.pair("--target-processes", "all");
        if let Some(kernel) = self.kernel.as_ref().filter(|_| !keys.bench) {
            words.pair("--kernel-name", format!("regex:{kernel}"));
        }
        if keys.skip > 0 {
            words.pair("--launch-skip", keys.skip.to_string());
        }
        // Every launch that `kernel_audit.bench` shows is meant.
        if !keys.bench {
            words.pair("--launch-count", keys.count.to_string());
        }
        if keys.together.is_some() && !keys.bench {
            words.pair("--filter-mode", "per-launch-config");
        }
        let ranges = keys.bench.then_some(BENCH_RANGE).into_iter().chain(keys.nvtx.iter().map(String::as_str));
        for (at, range) in ranges.enumerate() {
            if at == 0 {
                words.one("--nvtx");
            }
            words.pair("--nvtx-include", range);
        }
        words.one("--force-overwrite");
        words.file("--export", report);
        words
    }

    /// How many launches of the kernel the program has to make.
    pub fn launches(&self) -> u64 {
        self.keys.skip + self.keys.count
    }

    /// The same for the kernels of a reference, of which a program launches nothing else; nobody reads them line by line.
    #[must_use]
    pub fn of_reference(&self) -> Profile {
        let metrics = match &self.metrics {
            Metrics::Own(set) => Metrics::Own(set.of_whole_kernels()),
            Metrics::Set(name) => Metrics::Set(name.clone()),
        };
        let keys = Collecting { skip: 0, count: MOST_OF_A_REFERENCE, nvtx: Vec::new(), ..self.keys.clone() };
        Profile { kernel: None, metrics, source: false, keys }
    }

    /// Time and cycles of many launches and nothing else, so that no launch is replayed: what a verdict rests on.
    #[must_use]
    pub fn of_times(&self, count: u64) -> Profile {
        let metrics = MetricSet { sections: Vec::new(), metrics: TIMES.map(String::from).to_vec() };
        let keys = Collecting { sections: Vec::new(), extra: Vec::new(), count, ..self.keys.clone() };
        Profile { kernel: self.kernel.clone(), metrics: Metrics::Own(metrics), source: false, keys }
    }

    /// The same without a metric of our own set; `None` for a name that our set does not have.
    #[must_use]
    pub fn without(&self, name: &str) -> Option<Profile> {
        let Metrics::Own(set) = &self.metrics else { return None };
        let metrics: Vec<String> = set.metrics.iter().filter(|other| *other != name).cloned().collect();
        if metrics.len() == set.metrics.len() {
            return None;
        }
        let sections = set.sections.clone();
        Some(Profile { metrics: Metrics::Own(MetricSet { sections, metrics }), ..self.clone() })
    }

    /// Every metric that is asked for by name, and that the report should therefore hold.
    pub fn asked(&self) -> Vec<String> {
        let own = match &self.metrics {
            Metrics::Own(set) => set.metrics.as_slice(),
            Metrics::Set(_) => &[],
        };
        own.iter().chain(&self.keys.extra).cloned().collect()
    }
}

/// What ncu prints when it does not begin, each with what that means and the cure; the first one holds.
const REFUSALS: [(&[&str], &str, &str); 3] = [
    (
        &["ERR_NVGPUCTRPERM"],
        "ncu may not read the GPU's performance counters",
        "run as root, give the program CAP_SYS_ADMIN, or have the administrator load the driver with `options nvidia NVreg_RestrictProfilingToAdminUsers=0` (a file under /etc/modprobe.d, then a restart); in a container add `--cap-add=SYS_ADMIN`. See https://developer.nvidia.com/ERR_NVGPUCTRPERM",
    ),
    (
        &["Failed to find metric", "Failed to find section"],
        "ncu does not know a name",
        "correct it under [subject.collect]; `audit explain NAME --chip CHIP` has the nearest real name",
    ),
    (
        &["is not an executable", "does not exist"],
        "ncu cannot start the program",
        "correct `run` in audit.toml; its paths are relative to the folder of that file",
    ),
];

/// What ncu printed, as far as it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NcuSaid {
    /// Passes of each result that was profiled.
    pub passes: Vec<u64>,
    /// Warnings, without the one about clocks that are left alone.
    pub warnings: Vec<String>,
    pub errors: Vec<String>,
    /// Kernels that ran, where the filter took none of them.
    pub available: Vec<String>,
}

impl NcuSaid {
    pub(crate) fn read(text: &str) -> NcuSaid {
        let mut said = NcuSaid::default();
        let mut is_listing = false;
        for line in text.lines().map(str::trim) {
            if let Some(passes) = line.strip_suffix(" passes").or_else(|| line.strip_suffix(" pass")) {
                said.passes.extend(passes.rsplit(' ').next().and_then(|word| word.parse::<u64>().ok()));
            } else if let Some(error) = line.strip_prefix("==ERROR==") {
                said.errors.push(error.trim().to_owned());
            } else if let Some(warning) = line.strip_prefix("==WARNING==") {
                if !warning.contains("unmodified GPU clocks") {
                    said.warnings.push(warning.trim().to_owned());
                }
            } else if is_listing {
                let numbered = line.split_once(". ").filter(|(number, _)| number.parse::<u32>().is_ok());
                match numbered {
                    Some((_, name)) => said.available.push(name.to_owned()),
                    None => is_listing = false,
                }
            }
            is_listing |= line.starts_with("Available Kernels:");
        }
        said
    }

    /// The metric that ncu does not know, as it was asked for.
    pub(crate) fn unknown(&self) -> Option<String> {
        let line = self.errors.iter().find_map(|line| line.split_once("Failed to find metric "))?.1.trim();
        let name = line.strip_prefix("regex:^").unwrap_or(line);
        let end = name.find("\\.(").or_else(|| name.find(['$', ' '])).unwrap_or(name.len());
        Some(name[..end].replace('\\', ""))
    }

    /// Why there is no report, or one that must not be used, in order of what the user has to mend first.
    pub(crate) fn setback(&self, profile: &Profile, status: &str, has_report: bool) -> Option<Setback> {
        let has = |word: &str| self.errors.iter().chain(&self.warnings).find(|line| line.contains(word));
        for (marks, what, cure) in REFUSALS {
            if let Some(line) = marks.iter().find_map(|mark| has(mark)) {
                return Some(Setback::new(format!("{what}: {line}"), cure));
            }
        }
        let took_none = has("No kernels were profiled").is_some() || self.passes.is_empty();
        if took_none && self.errors.is_empty() && !has_report {
            let filter = profile.kernel.as_deref().unwrap_or("every kernel");
            let ran = match self.available.as_slice() {
                [] => "no kernel ran at all, or fewer launches than `skip` passes over".to_owned(),
                some => format!("these ran: {}", some.join(", ")),
            };
            return Some(Setback::new(
                format!("no launch was profiled: the filter {filter:?} took none; {ran}"),
                "correct `kernel` in audit.toml (a regular expression on the function name), or `skip` under [subject.collect]",
            ));
        }
        if let Some(line) = has("The application returned an error code") {
            let rest: Vec<&str> = self.errors.iter().map(String::as_str).filter(|other| *other != line).collect();
            let rest = if rest.is_empty() { String::new() } else { format!("; {}", rest.join("; ")) };
            return Some(Setback::new(
                format!("the program failed under ncu: {line}{rest}"),
                "run the program by hand; a profile of a program that fails is not used",
            ));
        }
        if status != "exit status: 0" || !has_report {
            let said = if self.errors.is_empty() { "it printed no error".to_owned() } else { self.errors.join("; ") };
            let without = if has_report { "" } else { " and wrote no report" };
            return Some(Setback::new(
                format!("ncu ended with {status}{without}: {said}"),
                "the file collect.log in the evidence folder has the command and what ncu said",
            ));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile() -> Profile {
        Profile {
            kernel: Some("^gemm$".into()),
            metrics: Metrics::Own(MetricSet {
                sections: vec!["LaunchStats".into()],
                metrics: vec!["sm__cycles_active.avg".into()],
            }),
            source: true,
            keys: Collecting {
                sections: vec!["PmSampling".into()],
                extra: vec!["dram__bytes.sum".into()],
                skip: 2,
                count: 3,
                nvtx: vec!["step/".into()],
                ..Collecting::default()
            },
        }
    }

    #[test]
    fn the_command_states_everything_that_decides_the_numbers() {
        let shown = profile().words("/tmp/x/profile.ncu-rep").shown();
        assert_eq!(
            shown,
            "--section LaunchStats --section PmSampling --metrics sm__cycles_active.avg,dram__bytes.sum \
             --import-source yes --clock-control none --cache-control all --replay-mode kernel --target-processes all \
             --kernel-name 'regex:^gemm$' --launch-skip 2 --launch-count 3 --nvtx --nvtx-include step/ \
             --force-overwrite --export profile.ncu-rep"
        );
        let mut full = Profile { metrics: Metrics::Set("full".into()), ..profile() };
        full.keys.extra.clear();
        assert!(full.words("r").shown().starts_with("--set full --section PmSampling --import-source"));
        assert!(full.asked().is_empty());
        assert_eq!(profile().asked(), ["sm__cycles_active.avg", "dram__bytes.sum"]);
    }

    #[test]
    fn launches_that_are_timed_are_asked_for_nothing_else() {
        let shown = profile().of_times(20).words("launches.ncu-rep").shown();
        assert_eq!(
            shown,
            "--metrics gpu__time_duration.sum,gpc__cycles_elapsed.max --import-source no --clock-control none \
             --cache-control all --replay-mode kernel --target-processes all --kernel-name 'regex:^gemm$' --launch-skip 2 \
             --launch-count 20 --nvtx --nvtx-include step/ --force-overwrite --export launches.ncu-rep"
        );
    }

    const CLOCKS: &str = "==WARNING== Note: Running with unmodified GPU clocks. If not controlled otherwise, profiling results may be inconsistent.\n";

    fn setback(text: &str, status: &str, has_report: bool) -> String {
        let said = NcuSaid::read(&format!("{CLOCKS}==PROF== Connected to process 1\n{text}"));
        said.setback(&profile(), status, has_report).map(|setback| setback.to_string()).unwrap_or_default()
    }

    #[test]
    fn passes_are_read_for_each_result() {
        let text = "==PROF== Profiling \"gemm\" - 0: 0%....50%....100% - 38 passes\n==PROF== Profiling \"gemm\": 0%....50%....100% - 1 pass\n";
        assert_eq!(NcuSaid::read(text).passes, [38, 1]);
        assert_eq!(setback(text, "exit status: 0", true), "");
    }

    #[test]
    fn each_failure_says_what_to_do() {
        let says = |text: &str, status: &str, parts: &[&str]| {
            let met = setback(text, status, false);
            for part in parts {
                assert!(met.contains(part), "{part:?} in {met}");
            }
        };
        says(
            "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.\n",
            "exit status: 1",
            &["may not read", "NVreg_RestrictProfilingToAdminUsers=0"],
        );
        says(
            "==WARNING== No kernels were profiled.\nAvailable Kernels:\n1. gemm_bias_v1\n2. fill\n",
            "exit status: 0",
            &["\"^gemm$\" took none", "these ran: gemm_bias_v1, fill", "correct `kernel`"],
        );
        says(
            "==ERROR== Failed to find metric regex:^sm__x\\.(sum)$\n==ERROR== The application returned an error code (9).\n",
            "exit status: 9",
            &["does not know a name", "sm__x"],
        );
        says(
            "==ERROR== './no' does not exist or is not an executable.\n",
            "exit status: 1",
            &["cannot start", "`run`"],
        );
        says("", "exit status: 0", &["no kernel ran at all"]);
        says("==ERROR== something else\n", "exit status: 7", &["exit status: 7 and wrote no report: something else"]);
    }

    #[test]
    fn the_unknown_name_is_read_as_it_was_asked_for() {
        let of = |line: &str| NcuSaid::read(&format!("==ERROR== Failed to find metric {line}\n")).unknown();
        assert_eq!(of("regex:^sm__x_y\\.(sum|min|max|avg|pct|ratio|max_rate)$").as_deref(), Some("sm__x_y"));
        assert_eq!(of("memory_type").as_deref(), Some("memory_type"));
        assert_eq!(NcuSaid::read("==ERROR== else\n").unknown(), None);
    }

    #[test]
    fn a_report_of_a_program_that_failed_is_not_used() {
        let text = "==PROF== Profiling \"gemm\" - 0: 0%....100% - 10 passes\n==ERROR== The application returned an error code (3).\n";
        assert!(setback(text, "exit status: 3", true).starts_with("the program failed under ncu"));
    }
}
