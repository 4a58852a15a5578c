//! What tests of whole runs share: folders with reports whose launches are written down here, and the program.

use kernel_audit::snapshot::{SCHEMA, Snapshot};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A profile as `ncu --csv --page raw` prints it: launches of one kernel, each with its time and cycles.
pub(crate) struct Profile {
    pub(crate) kernel: &'static str,
    pub(crate) grid: &'static str,
    pub(crate) gpu: &'static str,
    pub(crate) instructions: u64,
    pub(crate) registers: u64,
    /// (ns, cycles) of each launch.
    pub(crate) launches: Vec<(f64, f64)>,
}

impl Default for Profile {
    fn default() -> Profile {
        let launches = vec![(100_000.0, 180_000.0)];
        Profile { kernel: "scale", grid: "(64, 1, 1)", gpu: "NVIDIA H200", instructions: 4096, registers: 32, launches }
    }
}

impl Profile {
    /// Twenty launches around a time, with a scatter of about half a percent, at a clock of 1.8 GHz.
    pub(crate) fn steady(ns: f64) -> Profile {
        let launch = |at: u32| {
            let time = ns * (1.0 + 0.001 * f64::from((at * 7) % 11));
            (time, time * 1.8)
        };
        Profile { launches: (0..20).map(launch).collect(), ..Profile::default() }
    }

    fn rows(&self, first: usize) -> String {
        let row = |(at, (time, cycles)): (usize, &(f64, f64))| {
            format!(
                "\"{}\",\"7\",\"app\",\"127.0.0.1\",\"{}(float *, int)\",\"1\",\"7\",\"(128, 1, 1)\",\"{}\",\"0\",\"9.0\",\"{}\",\"{time}\",\"{cycles}\",\"{}\",\"{}\"\n",
                first + at,
                self.kernel,
                self.grid,
                self.gpu,
                self.instructions,
                self.registers
            )
        };
        self.launches.iter().enumerate().map(row).collect()
    }
}

/// A page with plain spaces in front of units.
pub(crate) fn loose(page: &str) -> String {
    page.replace('\u{a0}', " ")
}

/// The text of a report that holds some profiles.
pub(crate) fn csv(profiles: &[Profile]) -> String {
    let mut text = String::from(
        "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"device__attribute_display_name\",\"gpu__time_duration.sum\",\"gpc__cycles_elapsed.max\",\"smsp__inst_executed.sum\",\"launch__registers_per_thread\"\n\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"ns\",\"cycle\",\"inst\",\"register/thread\"\n",
    );
    let mut first = 0;
    for profile in profiles {
        text += &profile.rows(first);
        first += profile.launches.len();
    }
    text
}

/// A folder with a configuration of the subject `scale`, whose report is `new.csv`; its pages show everything.
pub(crate) struct Project(pub(crate) tempfile::TempDir);

impl Project {
    pub(crate) fn new() -> Project {
        let project = Project(tempfile::tempdir().unwrap());
        let config = "[audit]\nout = \"pages\"\ntemplate = \"full\"\n[[subject]]\nname = \"scale\"\nreport = \"new.csv\"\ncommit = \"c1\"\n";
        fs::write(project.path("audit.toml"), config).unwrap();
        project
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn report(&self, name: &str, profiles: &[Profile]) {
        fs::write(self.path(name), csv(profiles)).unwrap();
    }

    /// A file's text, numbers with plain spaces in front of their units.
    pub(crate) fn read(&self, name: &str) -> String {
        loose(&self.raw(name))
    }

    /// A file's text as it is.
    pub(crate) fn raw(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn run(&self, words: &str) -> Run {
        let words: Vec<&str> = words.split_whitespace().collect();
        self.words(&words)
    }

    pub(crate) fn words(&self, words: &[&str]) -> Run {
        Run(audit(self.0.path()).args(words).output().unwrap())
    }

    /// Writes the audit of a day from a profile.
    pub(crate) fn audit(&self, date: &str, profile: Profile) -> String {
        self.report("new.csv", &[profile]);
        let printed = self.run(&format!("generate scale --date {date}")).done();
        self.raw(printed.lines().next().unwrap_or_default())
    }
}

/// A command that runs `audit` in an environment that does not depend on the machine.
pub(crate) fn audit(folder: &Path) -> Command {
    audit_at(Path::new(env!("CARGO_BIN_EXE_audit")), folder)
}

/// The same with the program at another place.
pub(crate) fn audit_at(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env_remove("SOURCE_DATE_EPOCH").env_remove("COLUMNS").env("NO_COLOR", "1");
    command
}

/// What a run left.
pub(crate) struct Run(pub(crate) Output);

impl Run {
    pub(crate) fn status(&self) -> i32 {
        self.0.status.code().unwrap()
    }

    /// What it printed, numbers with plain spaces in front of their units.
    pub(crate) fn out(&self) -> String {
        loose(&String::from_utf8(self.0.stdout.clone()).unwrap())
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }

    pub(crate) fn done(&self) -> String {
        assert_eq!(self.status(), 0, "{}{}", self.out(), self.err());
        self.out()
    }

    /// Expects a status and a text on either stream.
    pub(crate) fn ends(&self, status: i32, says: &str) {
        let all = self.out() + &self.err();
        assert_eq!(self.status(), status, "{all}");
        assert!(all.contains(says), "expected {says:?} in\n{all}");
    }
}

/// Writes the audit of a labelled report into `folder`; gives the path of its snapshot.
pub(crate) fn snapshot(folder: &Path, kernel: &str) -> String {
    let report = format!("tests/fixtures/labelled/{kernel}.ncu-repz");
    let run = audit(Path::new(env!("CARGO_MANIFEST_DIR")))
        .args(["generate", "--report", &report, "--commit", "c", "--date", "2026-11-20", "--out"])
        .arg(folder)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    folder.join(format!("2026-11-20-{kernel}.json")).display().to_string()
}

/// The parts of a snapshot, without its hash.
pub(crate) fn plain_parts(bytes: &[u8]) -> serde_json::Value {
    let snapshot = Snapshot::parse(Path::new("x.json"), bytes).unwrap();
    serde_json::json!({
        "schema": SCHEMA,
        "heading": snapshot.heading,
        "milestone": snapshot.milestone,
        "limits": snapshot.limits.numbers(),
        "evidence": snapshot.evidence,
    })
}
