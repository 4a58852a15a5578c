//! `audit collect` of a subject without a program of its own: `audit launch` is what the tools watch. A script in the place
//! of the scheduler answers for it, so that no GPU is needed.

use crate::project::{Run, audit};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

/// Leaves the file of a step: what the tools and `audit launch` wrote on a GPU.
const SCHEDULER: &str = r#"
all="$*"
while [ $# -gt 0 ]; do case $1 in --export|--save|--json-to) file=$2;; esac; shift; done
step=run
case $all in
*--json-to*) case $all in *--check*) step=correctness;; *) step=benchmark;; esac;;
*compute-sanitizer*) step=sanitizer;;
*--reference-only*) step=reference;;
*--launch-count\ 20*) step=launches;;
*ncu*) step=profile;;
esac
echo "$step: $all" >> runs.log
case $step in
correctness) cp correctness.json "$file"; echo '  WRONG'; exit 1;;
benchmark) cp benchmark.json "$file";;
sanitizer) printf '<ComputeSanitizerOutput/>' > "$file"; echo '========= COMPUTE-SANITIZER'; echo '========= ERROR SUMMARY: 0 errors';;
*) cp "$REPORT" "$file"; echo '==PROF== Profiling "bank_conflict" - 0: 0%....100% - 17 passes';;
esac
"#;

const CONFIG: &str = r#"
[tools]
ncu = "fake/ncu"
compute-sanitizer = "fake/compute-sanitizer"

[[subject]]
name = "conflict"
kernel = "^bank_conflict$"
cubin = "code.cubin"
prefix = ["fake/gpu"]

[subject.launch]
grid = 1056
block = 256
dynamic_shared = 0
args = [
  { name = "out", role = "out", dtype = "f32", shape = 270336 },
  { name = "in", dtype = "f32", shape = 270336, uniform = [0.5, 1.5] },
]

[subject.correctness]
source = "reference.cu"
tolerance = 0.00001

[subject.reference]
source = "reference.cu"
"#;

struct Lab(tempfile::TempDir);

impl Lab {
    fn new() -> Lab {
        let lab = Lab(tempfile::tempdir().unwrap());
        fs::create_dir(lab.path("fake")).unwrap();
        fs::write(lab.path("audit.toml"), CONFIG).unwrap();
        fs::write(lab.path("reference.cu"), "// the reference").unwrap();
        fs::copy(format!("{FIXTURES}/cubin/attributes.cubin"), lab.path("code.cubin")).unwrap();
        let wrong = fs::read_to_string(format!("{FIXTURES}/launched/bank_conflict.correctness.json")).unwrap();
        fs::write(lab.path("correctness.json"), wrong.replace("\"passed\": true", "\"passed\": false")).unwrap();
        fs::copy(format!("{FIXTURES}/launched/bank_conflict.benchmark.json"), lab.path("benchmark.json")).unwrap();
        lab.script("gpu", SCHEDULER);
        lab.script("ncu", "echo 'Version 2025.3.1.0 (build 1)'");
        lab.script("compute-sanitizer", "echo 'Version 2025.3.1'");
        lab
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn script(&self, name: &str, body: &str) {
        let path = self.path("fake").join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn run(&self, words: &str) -> Run {
        let mut command = audit(self.0.path());
        command.args(words.split_whitespace()).env("REPORT", format!("{FIXTURES}/labelled/bank_conflict.ncu-repz"));
        Run(command.output().unwrap())
    }

    /// (step, command) of everything that ran since the last time.
    fn ran(&self) -> Vec<(String, String)> {
        let text = fs::read_to_string(self.path("runs.log")).unwrap_or_default();
        let _ = fs::remove_file(self.path("runs.log"));
        text.lines().filter_map(|line| line.split_once(": ")).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
    }

    fn steps(&self) -> Vec<String> {
        self.ran().into_iter().map(|(step, _)| step).collect()
    }
}

#[test]
fn the_kernel_is_checked_then_timed_then_profiled_through_the_own_launcher() {
    let lab = Lab::new();
    let run = lab.run("collect");
    run.done();
    // A wrong kernel ends `audit launch` with status 1 and is a result.
    assert!(run.err().contains("conflict correctness: done in") && run.err().contains(" s, WRONG"), "{}", run.err());
    let ran = lab.ran();
    let steps: Vec<&str> = ran.iter().map(|(step, _)| step.as_str()).collect();
    // The launcher is timed alone before the first tool of compute-sanitizer.
    let checks = ["run", "sanitizer", "sanitizer", "sanitizer", "sanitizer"];
    assert_eq!(steps, [&["correctness"][..], &checks, &["benchmark", "profile", "launches", "reference"]].concat());
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(lab.path("collected/conflict/collected.json")).unwrap()).unwrap();
    let step = |name: &str| {
        let steps = manifest["steps"].as_array().unwrap();
        steps.iter().find(|step| step["step"] == name).unwrap_or_else(|| panic!("no step {name}")).clone()
    };
    let command = |name: &str| step(name)["command"].as_str().unwrap().to_owned();
    assert_eq!(command("correctness"), "audit launch conflict --check --json-to correctness.json");
    assert_eq!(command("benchmark"), "audit launch conflict --time --json-to benchmark.json");
    assert!(command("memcheck").ends_with(" audit launch conflict --times 0"), "{}", command("memcheck"));
    assert!(command("profile").ends_with(" --export profile.ncu-rep audit launch conflict --times 0"));
    assert!(command("launches").ends_with(" --export launches.ncu-rep audit launch conflict --times 19"));
    assert!(command("profile").contains("--kernel-name 'regex:^bank_conflict$'"));
    // The reference is another kernel under another name, and all that its program launches.
    assert!(command("reference").ends_with(" audit launch conflict --reference-only --times 0"));
    assert!(!command("reference").contains("--kernel-name"), "{}", command("reference"));
    for file in ["correctness.json", "benchmark.json", "profile.ncu-repz", "reference.ncu-repz"] {
        assert!(lab.path("collected/conflict").join(file).is_file(), "{file}");
    }
    let program = ran[0].1.split(' ').next().unwrap();
    assert!(PathBuf::from(program).is_absolute(), "{program}");
}

#[test]
fn each_step_is_kept_until_what_decides_it_changes() {
    let lab = Lab::new();
    lab.run("collect --quiet").done();
    lab.ran();
    lab.run("collect --quiet").done();
    assert_eq!(lab.steps(), [""; 0]);
    // The tolerance decides the check, and whether times are believed.
    let config = fs::read_to_string(lab.path("audit.toml")).unwrap();
    fs::write(lab.path("audit.toml"), config.replace("tolerance = 0.00001", "tolerance = 0.001")).unwrap();
    lab.run("collect --quiet").done();
    assert_eq!(lab.steps(), ["correctness", "benchmark"]);
    // The reference decides the check, the times beside it, and its own profile.
    fs::write(lab.path("reference.cu"), "// another reference").unwrap();
    lab.run("collect --quiet").done();
    assert_eq!(lab.steps(), ["correctness", "benchmark", "reference"]);
    // More launches to pass over are more launches to make.
    let config = fs::read_to_string(lab.path("audit.toml")).unwrap();
    fs::write(lab.path("audit.toml"), config + "[subject.collect]\nskip = 2\nsanitizers = []\n").unwrap();
    lab.run("collect --quiet").done();
    let ran = lab.ran();
    assert_eq!(ran.len(), 2, "{ran:?}");
    assert!(ran[0].1.ends_with("launch conflict --times 2"), "{ran:?}");
    assert!(ran[1].1.ends_with("launch conflict --times 21"), "{ran:?}");
    // The code under audit decides everything.
    fs::copy(format!("{FIXTURES}/cubin/old80.cubin"), lab.path("code.cubin")).unwrap();
    lab.run("collect --quiet").done();
    assert_eq!(lab.steps(), ["correctness", "benchmark", "profile", "launches", "reference"]);
}

#[test]
fn a_launch_that_fails_is_said_and_the_rest_goes_on() {
    let lab = Lab::new();
    let failing = SCHEDULER.replace(
        "benchmark) cp benchmark.json \"$file\";;",
        "benchmark) echo 'error: no GPU memory is left' >&2; exit 4;;",
    );
    lab.script("gpu", &failing);
    lab.run("collect --quiet").ends(
        0,
        "not measured: conflict benchmark: audit launch ended with exit status: 4: error: no GPU memory is left",
    );
    assert!(lab.path("collected/conflict/profile.ncu-repz").is_file());
    let lab = Lab::new();
    lab.script("gpu", &SCHEDULER.replace("cp correctness.json \"$file\"", "echo '{' > \"$file\""));
    lab.run("collect --quiet").ends(0, "not measured: conflict correctness: what audit launch wrote cannot be read");
    assert!(!lab.path("collected/conflict/correctness.json").exists());
    assert!(lab.path("collected/conflict/benchmark.json").is_file());
}

#[test]
fn of_all_subjects_those_that_nothing_launches_are_passed_over() {
    let lab = Lab::new();
    let report = format!("{FIXTURES}/labelled/atomics.ncu-repz");
    let more = format!("\n[[subject]]\nname = \"kept\"\nreport = \"{report}\"\n");
    fs::write(lab.path("audit.toml"), CONFIG.to_owned() + &more).unwrap();
    let run = lab.run("collect --all --quiet --jobs 2");
    run.done();
    lab.run("collect --all").ends(0, "kept is passed over: audit.toml does not say how its kernel is launched");
    lab.run("collect kept").ends(2, "nothing launches the kernel of kept");
}

#[test]
fn every_variant_is_collected_in_a_folder_of_its_own() {
    let lab = Lab::new();
    let config =
        CONFIG.replace("cubin = \"code.cubin\"", "source = \"reference.cu\"\narch = \"sm_90a\"\nflags = [\"-O3\"]");
    let variants = "\n[[subject.variant]]\nname = \"Narrow\"\n[[subject.variant]]\nname = \"N = 256, wide\"\nflags = [\"-DWIDE\"]\n";
    fs::write(lab.path("audit.toml"), config.clone() + variants).unwrap();
    let planned = lab.run("collect --dry-run").done();
    let (first, further) =
        planned.split_once("conflict.n-256-wide into collected/conflict/n-256-wide").expect(&planned);
    assert!(first.starts_with("conflict into collected/conflict\n") && !first.contains("-DWIDE"), "{first}");
    assert!(further.contains("-DWIDE") && !first.contains("--variant"), "{further}");
    let launched = "audit launch conflict --variant n-256-wide --cubin collected/conflict/n-256-wide/build.cubin.zst";
    assert!(further.contains(launched), "{further}");

    let one = lab.run("collect conflict.n-256-wide --dry-run").done();
    assert!(one.starts_with("conflict.n-256-wide into ") && one.matches(" into ").count() == 1, "{one}");
    lab.run("collect conflict.wide --dry-run").ends(2, "there are conflict, conflict.n-256-wide");
    lab.run("launch conflict --variant wide").ends(2, "it has narrow, n-256-wide");
    // Two whose folders would be one.
    fs::write(lab.path("audit.toml"), config + &variants.replace("Narrow", "n-256 Wide")).unwrap();
    lab.run("lint").ends(2, "expected a name that no other variant has");
}
