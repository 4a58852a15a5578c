//! The life of an audit in a fresh repository, as the guide's chapter on continuous integration tells it: the first page,
//! milestones, a regression, an attempt to heal it, an acceptance, a pin, a new schema, two audits a day, a failed launch.

use crate::project::{Profile, Project, Run, audit, csv};
use std::fs;
use std::process::Command;

/// A repository with a source and a profile, and nothing of audit in it.
pub(crate) struct Repository(pub(crate) Project);

impl Repository {
    pub(crate) fn new() -> Repository {
        let repository = Repository(Project::new());
        fs::remove_file(repository.0.path("audit.toml")).unwrap();
        fs::create_dir(repository.0.path("src")).unwrap();
        fs::write(repository.0.path("src/scale.cu"), "__global__ void scale(float *x, int n) {}\n").unwrap();
        repository.profile(Profile::steady(100_000.0));
        repository.git(&["init", "-q", "-b", "main"]);
        repository
    }

    pub(crate) fn git(&self, words: &[&str]) -> String {
        let name = ["-c", "user.name=n", "-c", "user.email=e@localhost", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").args(name).args(words).current_dir(self.0.0.path()).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    pub(crate) fn profile(&self, profile: Profile) {
        fs::write(self.0.path("scale.csv"), csv(&[profile])).unwrap();
    }

    /// Runs audit on a day.
    pub(crate) fn on(&self, day: u32, words: &[&str]) -> Run {
        // The first of January 2026, in seconds.
        let second = 1_767_225_600 + u64::from(day - 1) * 86_400 + 3_600;
        Run(audit(self.0.0.path()).env("SOURCE_DATE_EPOCH", second.to_string()).args(words).output().unwrap())
    }

    /// A step of the kernel: its source is changed and committed, then it is profiled, audited, and the page is committed.
    pub(crate) fn step(&self, day: u32, message: &str, ns: f64) -> String {
        let source = self.0.read("src/scale.cu");
        fs::write(self.0.path("src/scale.cu"), format!("{source}// {message}\n")).unwrap();
        self.commit(message);
        self.profile(Profile::steady(ns));
        let run = self.on(day, &["generate"]);
        let page = run.done().lines().next().unwrap().to_owned();
        assert!(run.err().contains("scale: "), "{}", run.err());
        let text = self.0.read(&page);
        self.commit(&format!("audit of {message}"));
        text
    }

    pub(crate) fn check(&self, words: &str, status: i32, says: &str) {
        let words: Vec<&str> = std::iter::once("check").chain(words.split_whitespace()).collect();
        self.on(40, &words).ends(status, says);
    }

    fn pages(&self) -> usize {
        let all = fs::read_dir(self.0.path("audits")).unwrap().map(|entry| entry.unwrap().file_name());
        all.filter(|name| name.to_string_lossy().ends_with("-scale.md")).count()
    }
}

#[test]
fn the_whole_life() {
    let repository = Repository::new();
    let read = |name: &str| repository.0.read(name);

    // An audit.toml from what is there; a second one takes nothing away.
    repository.on(1, &["init"]).ends(0, "audit.toml: 1 subject\n  scale: from scale.csv");
    let config = read("audit.toml");
    assert!(config.contains("kernel = \"^scale$\"") && config.contains("# source = \"src/scale.cu\""), "{config}");
    repository.on(1, &["init"]).ends(2, "audit.toml is there already");
    repository.on(1, &["lint"]).ends(0, "1 subject,");
    repository.check("", 6, "NO BASELINE scale: audits holds no audit of it");

    // Six milestones.
    let times = [100_000.0, 95_000.0, 90_000.0, 70_000.0, 65_000.0, 60_000.0];
    for (at, ns) in times.into_iter().enumerate() {
        let page = repository.step(1 + at as u32, &format!("step {}", at + 1), ns);
        match at {
            0 => {
                repository.check("", 6, "NO BASELINE scale: This is its first audit");
                repository.check("--allow-new", 0, "NO BASELINE");
            }
            _ => {
                assert!(page.contains("FASTER"), "{page}");
                repository.check("", 0, "PASS scale: FASTER");
                repository.check("", 0, &format!("Baseline audits/2026-01-0{at}-scale.json: committed."));
            }
        }
    }
    let history = repository.on(6, &["history", "scale"]).done();
    let rows: Vec<&str> = history.lines().filter(|line| line.starts_with("| 2026-")).collect();
    assert_eq!(rows.len(), 6, "{history}");
    for (at, row) in rows.iter().enumerate() {
        assert!(row.contains(&format!("step {}", at + 1)) && !row.contains("dirty"), "{row}");
    }
    let index = read("audits/README.md");
    let row = index.lines().find(|line| line.contains("[scale](2026-01-06-scale.md)")).expect(&index);
    assert!(row.contains("60.3 µs") && row.contains("FASTER") && row.contains("█") && row.contains("▅"), "{row}");

    // From a folder below, the same.
    let below = audit(&repository.0.path("src")).args(["check"]).output().unwrap();
    Run(below).ends(0, "PASS scale: FASTER");

    // A regression, and attempts to heal it.
    let slow = repository.step(7, "step 7", 66_000.0);
    assert!(slow.contains("SLOWER"), "{slow}");
    repository.check("", 1, "FAIL scale: SLOWER");
    repository.check("--allow-inconclusive --allow-new --no-checks", 1, "FAIL scale: SLOWER");
    for day in [8, 9] {
        let again = repository.on(day, &["generate"]).done();
        assert!(again.starts_with("audits/2026-01-07-scale.md\n"), "{again}");
        repository.check("", 1, "FAIL scale: SLOWER");
    }
    assert_eq!((repository.pages(), read("audits/2026-01-07-scale.md")), (7, slow.clone()));
    repository.on(9, &["generate", "--date", "2026-01-09"]).ends(2, "nothing new was measured");
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
    // An edited page is found.
    let own = repository.0.raw("audits/2026-01-07-scale.md");
    fs::write(repository.0.path("audits/2026-01-07-scale.md"), own.replace("SLOWER", "FASTER")).unwrap();
    repository.check("", 1, "Its page does not say what its snapshot says");
    let (before, rest) = own.split_once("<!-- audit:begin history ").unwrap();
    let behind = rest.split_once("<!-- audit:end history -->").unwrap().1;
    fs::write(repository.0.path("audits/2026-01-07-scale.md"), format!("{before}{behind}")).unwrap();
    repository.check("", 1, "Its page does not say what its snapshot says: it lacks the block \"history\".");
    fs::write(repository.0.path("audits/2026-01-07-scale.md"), repository.0.raw("audits/2026-01-06-scale.md")).unwrap();
    repository.check("", 1, "Its page does not say what its snapshot says: the block \"lead\" is of another audit");
    fs::write(repository.0.path("audits/2026-01-07-scale.md"), b"\xff").unwrap();
    repository.check("", 1, "cannot be read: invalid utf-8");
    repository.git(&["checkout", "-q", "audits"]);
    let comment = repository.on(9, &["render", "audits/2026-01-07-scale.json", "--format", "pr"]).done();
    assert!(comment.starts_with("<!-- audit:pull-request -->") && comment.contains("SLOWER"), "{comment}");

    // It is accepted, with a reason that stands on the page.
    repository.on(9, &["check", "--accept", "--reason", "rounds correctly"]).ends(0, "Accepted on 2026-01-09");
    repository.on(9, &["generate"]).done();
    assert!(read("audits/2026-01-07-scale.md").contains("rounds correctly"));
    repository.commit("the slow-down is accepted");
    repository.check("", 0, "PASS scale: SLOWER");

    // Another, as large, is not.
    repository.step(10, "step 8", 72_700.0);
    repository.check("", 1, "FAIL scale: SLOWER");

    // A pin holds from its day on.
    let pin = ["baseline", "pin", "scale", "--reason", "release 1", "--snapshot", "audits/2026-01-03-scale.json"];
    repository.on(11, &pin).ends(0, "audits of scale from 2026-01-11 on are compared with 2026-01-03-scale.json");
    let pinned = repository.step(11, "step 9", 73_000.0);
    assert!(pinned.contains("FASTER"), "{pinned}");
    repository.check("", 0, "Baseline audits/2026-01-03-scale.json: committed.");
    repository.on(11, &["baseline", "list"]).ends(0, "release 1");
    repository.on(12, &["baseline", "unpin", "scale", "--reason", "release 2 follows"]).done();

    let history = repository.on(12, &["history", "scale"]).done();
    assert!(!history.contains("Not in the table") && history.lines().filter(|l| l.starts_with("| 202")).count() == 9);
    repository.check("", 0, "PASS scale: FASTER");

    // Two audits a day.
    let first = repository.step(13, "step 10", 71_500.0);
    let second = repository.step(13, "step 11", 68_500.0);
    assert!(first.contains("2026-01-13") && second.contains("2026-01-13.2"), "{second}");
    assert!(second.contains("FASTER"), "{second}");
    assert_eq!(repository.pages(), 11);
    let index = read("audits/README.md");
    assert!(index.contains("[scale](2026-01-13.2-scale.md)"), "{index}");

    // A launch that failed decides nothing, and nobody mistakes it for a first audit.
    let nan: String = csv(&[Profile { launches: vec![(1.0, 1.0)], ..Profile::default() }])
        .lines()
        .map(|line| line.replace("\"1\",\"1\",\"4096\"", "\"nan\",\"nan\",\"nan\"") + "\n")
        .collect();
    assert!(nan.contains("nan"));
    fs::write(repository.0.path("scale.csv"), nan).unwrap();
    repository.on(14, &["generate"]).done();
    repository.check("--allow-new", 6, "INCONCLUSIVE scale");
    assert!(read("audits/README.md").contains("not measured"));
}

#[test]
fn who_begins_is_told_how_to_go_on() {
    let project = Project::new();
    fs::remove_file(project.path("audit.toml")).unwrap();
    project.run("generate").ends(3, "\n  help: `audit init` writes one from what lies here");
    project.run("lint").ends(0, "no audit.toml here, nor above: only the templates are checked");
    project.run("check --date soon").ends(2, "expected a day as YYYY-MM-DD, found \"soon\"");
    project.run("check --regression -1").ends(2, "expected a number above 0, found \"-1\"");
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/ptxas/spills.log");
    fs::copy(log, project.path("build.log")).unwrap();
    project.run("init").ends(2, "a build log says nothing about a run: name it with a report or a source (build.log)");
    // Beside a report it is taken.
    let report = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/h200/gemm_bias_v2.ncu-repz");
    fs::copy(report, project.path("gemm.ncu-repz")).unwrap();
    project.run("init").ends(0, "gemm_bias_v2: from gemm.ncu-repz");
}

#[test]
fn a_project_of_cmake_says_the_chip_and_the_program() {
    let project = Project(tempfile::tempdir().unwrap());
    std::fs::create_dir(project.path("src")).unwrap();
    let lists = "set(CMAKE_CUDA_ARCHITECTURES 80 90a-real)\nadd_executable(bench main.cpp src/scale.cu)\n";
    std::fs::write(project.path("CMakeLists.txt"), lists).unwrap();
    std::fs::write(project.path("src/scale.cu"), "__global__ void scale(float *x) { *x *= 2; }\n").unwrap();
    project.run("init").ends(0, "  scale: from its source");
    let stated = project.read("audit.toml");
    assert!(stated.contains("arch = \"sm_90a\"") && stated.contains("# run = [\"./build/bench\"]"), "{stated}");
    project.run("lint").done();
}

#[test]
fn a_project_of_python_is_written_down_as_it_can_be_run() {
    let project = Project::new();
    let write = |name: &str, text: &str| {
        fs::create_dir_all(project.path(name).parent().unwrap()).unwrap();
        fs::write(project.path(name), text).unwrap();
    };
    let init = || {
        let _ = fs::remove_file(project.path("audit.toml"));
        project.run("init")
    };
    let written = || fs::read_to_string(project.path("audit.toml")).unwrap();
    // A kernel that nothing launches says what would.
    write("softmax.py", "import triton\n@triton.jit\ndef softmax(x):\n    pass\n");
    init().ends(2, "no Python program here launches softmax of softmax.py\n  help: write a program that calls `kernel_audit.bench`");
    write("train.py", "import torch, softmax\nsoftmax.softmax[(1,)](None)\n");
    init().ends(0, "  softmax: from python train.py\n");
    assert!(written().contains("inputs = [\"softmax.py\"]"), "{}", written());
    fs::remove_file(project.path("softmax.py")).unwrap();
    // What PyTorch compiles: its own kernels, and an extension, which no compiler builds without its headers.
    write("train.py", "import torch\nmodel = torch.compile(model)\nmodel(1)\n");
    init().ends(0, "  train: from python train.py\n");
    assert!(written().contains("kernel = \"^triton_\""), "{}", written());
    fs::remove_file(project.path("train.py")).unwrap();
    write("csrc/scale.cu", "#include <torch/extension.h>\n__global__ void scale(float *x) {}\n");
    init().ends(2, "no Python program here launches scale of csrc/scale.cu");
    write("setup.py", "import torch\nsetup(ext_modules=[CUDAExtension('fast.ops', ['csrc/scale.cu'])])\n");
    write("tests/test_scale.py", "import torch\nimport fast.ops\ndef test_scale():\n    pass\n");
    init().ends(0, "  scale: from python -m pytest tests/test_scale.py\n");
    assert!(written().contains("inputs = [\"csrc/scale.cu\"]"), "{}", written());
    project.run("lint").ends(0, "audit.toml: 1 subject");
}

/// The commands of the chapter's blocks in order, each with the status that its comment states.
fn chapter() -> Vec<Vec<(String, i32)>> {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/ci.md")).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap().to_owned());
    let line = |line: &str| {
        let (command, comment) = line.split_once("  #").unwrap_or((line, ""));
        let status = comment.trim().split(',').next().and_then(|word| word.parse().ok()).unwrap_or(0);
        (command.trim().to_owned(), status)
    };
    blocks.map(|block| block.lines().map(line).collect()).collect()
}

#[test]
fn the_commands_of_the_chapter_run() {
    let repository = Repository::new();
    fs::remove_file(repository.0.path("scale.csv")).unwrap();
    let profile = |ns: f64| {
        let profile = Profile { kernel: "gemm", ..Profile::steady(ns) };
        fs::write(repository.0.path("gemm.csv"), csv(&[profile])).unwrap();
    };
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_audit")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let shell = |day: u64, (command, status): &(String, i32)| {
        let mut bash = Command::new("bash");
        bash.args(["-c", command]).current_dir(repository.0.0.path()).env("PATH", &path).env("NO_COLOR", "1");
        bash.env("SOURCE_DATE_EPOCH", (1_767_229_200 + (day - 1) * 86_400).to_string());
        for of in ["AUTHOR", "COMMITTER"] {
            bash.env(format!("GIT_{of}_NAME"), "n").env(format!("GIT_{of}_EMAIL"), "e@localhost");
        }
        let run = Run(bash.output().unwrap());
        assert_eq!(run.status(), *status, "{command}: {}{}", run.out(), run.err());
    };
    let [begin, accept, pin, meet] = &chapter()[..] else { panic!("four blocks") };
    profile(100_000.0);
    begin.iter().for_each(|line| shell(1, line));
    for (day, ns) in [(2, 90_000.0), (3, 96_300.0)] {
        profile(ns);
        shell(day, &("audit generate && git add -A && git commit -qm audit".to_owned(), 0));
    }
    shell(3, &("audit check".to_owned(), 1));
    accept.iter().for_each(|line| shell(3, line));
    shell(3, &("audit check && grep -q 'correct rounding' audits/2026-01-03-gemm.md".to_owned(), 0));
    pin.iter().for_each(|line| shell(4, line));

    let audited = "audit generate && git add -A && git commit -qm audit";
    shell(5, &("git add -A && git commit -qm pinned && git checkout -qb other".to_owned(), 0));
    for (ns, then) in [(80_000.0, "git checkout -q -"), (85_000.0, "true")] {
        profile(ns);
        shell(5, &(format!("{audited} && {then}"), 0));
    }
    let [merge, rest @ ..] = &meet[..] else { panic!("a merge") };
    shell(6, merge);
    shell(6, &("git checkout -q --ours '*.csv' && git add '*.csv'".to_owned(), 0));
    rest.iter().for_each(|line| shell(6, line));
    assert!(repository.0.path("audits/2026-01-05.2-gemm.md").is_file());
}
