//! `audit collect` as a user meets it. Small scripts stand for NVIDIA's tools and for a scheduler; what they print and
//! write is what the real ones did on an H200 (`tests/fixtures/h200`).

use crate::project::{Run, audit};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

/// Finds the value of an option among the arguments, into `$value`.
const OPTION: &str =
    r#"option() { value=; want=$1; shift; while [ $# -gt 0 ]; do [ "$1" = "$want" ] && value=$2; shift; done; }"#;

struct Lab(tempfile::TempDir);

impl Lab {
    /// A project whose tools work, with `more` in its subject.
    fn new(more: &str) -> Lab {
        let lab = Lab(tempfile::tempdir().unwrap());
        fs::create_dir(lab.path("fake")).unwrap();
        let config = format!(
            "[tools]\nncu = \"fake/ncu\"\ncompute-sanitizer = \"fake/compute-sanitizer\"\n[[subject]]\nname = \"triad\"\nkernel = \"^stream_triad$\"\nrun = [\"./program\", \"--size\", \"big one\"]\nprefix = [\"fake/srun\", \"-N1\"]\n{more}\n"
        );
        fs::write(lab.path("audit.toml"), config).unwrap();
        lab.script("program", "exit 0");
        lab.script("fake/srun", "echo \"srun $*\" >> srun.log; [ \"$1\" = -N1 ] || exit 9; shift; exec \"$@\"");
        lab.ncu(&format!(
            "cp {FIXTURES}/labelled/stream_triad.ncu-repz \"$value\"\necho '==PROF== Profiling \"stream_triad\" - 0: 0%....50%....100% - 17 passes'"
        ));
        lab.sanitizer(
            "printf '<?xml version=\"1.0\" encoding=\"utf-8\"?>\\n<ComputeSanitizerOutput/>\\n' > \"$value\"\necho '========= COMPUTE-SANITIZER'\necho '========= ERROR SUMMARY: 0 errors'",
        );
        lab
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn script(&self, name: &str, body: &str) {
        let path = self.path(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// An ncu that says its version and else does `body`, with the report's path in `$value`.
    fn ncu(&self, body: &str) {
        let version = "[ \"$1\" = --version ] && { echo 'Version 2025.3.1.0 (build 1)'; exit 0; }";
        self.script(
            "fake/ncu",
            &format!("{version}\n{OPTION}\necho ncu >> runs.log\nall=\"$*\"\noption --export \"$@\"\n{body}"),
        );
    }

    /// A compute-sanitizer, with the tool in `$tool` and the file of findings in `$value`.
    fn sanitizer(&self, body: &str) {
        let version = "[ \"$1\" = --version ] && { echo 'Version 2025.3.1'; exit 0; }";
        let words = "option --tool \"$@\"; tool=$value; option --save \"$@\"";
        self.script(
            "fake/compute-sanitizer",
            &format!("{version}\n{OPTION}\n{words}\necho \"$tool\" >> runs.log\n{body}"),
        );
    }

    fn run(&self, words: &str) -> Run {
        let words: Vec<&str> = words.split_whitespace().collect();
        Run(audit(self.0.path()).args(words).output().unwrap())
    }

    fn read(&self, name: &str) -> String {
        crate::project::loose(&fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}")))
    }

    /// What ran since the last time.
    fn ran(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("runs.log")).unwrap_or_default();
        let _ = fs::remove_file(self.path("runs.log"));
        text.lines().map(str::to_owned).collect()
    }

    fn manifest(&self) -> serde_json::Value {
        serde_json::from_str(&self.read("collected/triad/collected.json")).unwrap()
    }

    fn step(&self, name: &str) -> serde_json::Value {
        let manifest = self.manifest();
        let steps = manifest["steps"].as_array().unwrap();
        steps.iter().find(|step| step["step"] == name).unwrap_or_else(|| panic!("no step {name}")).clone()
    }
}

#[test]
fn tools_run_in_order_behind_the_prefix_and_their_files_are_kept() {
    let lab = Lab::new("");
    lab.run("collect").done();
    assert_eq!(lab.ran(), ["synccheck", "racecheck", "memcheck", "initcheck", "ncu", "ncu"]);
    let launches = lab.step("launches")["command"].as_str().unwrap().to_owned();
    assert!(
        launches.contains("--metrics gpu__time_duration.sum,gpc__cycles_elapsed.max --import-source no"),
        "{launches}"
    );
    assert!(launches.contains("--launch-count 20") && !launches.contains("--section"), "{launches}");
    let profile = lab.step("profile");
    assert_eq!(profile["passes"], 17);
    assert_eq!(profile["tool"], "ncu 2025.3.1.0");
    let command = profile["command"].as_str().unwrap();
    assert!(command.starts_with("ncu --section LaunchStats"), "{command}");
    assert!(command.ends_with("--export profile.ncu-rep ./program <arguments>"), "{command}");
    assert!(
        command.contains("--clock-control none") && command.contains("--kernel-name 'regex:^stream_triad$'"),
        "{command}"
    );
    assert!(lab.read("srun.log").contains("--tool racecheck"));
    let log = lab.read("collected/triad/collect.log");
    assert!(log.contains("profile: exit status: 0 after") && log.contains("    ==PROF== Profiling"), "{log}");

    let again = lab.run("collect");
    again.done();
    assert!(again.err().contains("triad profile: kept from before"), "{}", again.err());
    assert!(lab.ran().is_empty(), "nothing changed");
    lab.run("collect --again").done();
    assert_eq!(lab.ran().len(), 6);
    // The program is what is measured: another program makes every file again.
    lab.script("program", "exit 0 # faster");
    lab.run("collect --quiet").done();
    assert_eq!(lab.ran().len(), 6);
    // Another set of metrics is a matter of the profile alone.
    assert!(lab.run("collect --set full --quiet").done().contains("collected/triad"));
    assert_eq!(lab.ran(), ["ncu"]);
    assert!(lab.step("profile")["command"].as_str().unwrap().contains("--set full"));
}

#[test]
fn the_page_replays_without_a_gpu_and_the_snapshot_keeps_the_collection() {
    let lab = Lab::new("");
    let racy = format!("{FIXTURES}/h200/logs/sanitizer_racecheck_racy.xml");
    lab.sanitizer(&format!(
        "case $tool in\nracecheck) cp {racy} \"$value\"; echo '========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)';;\ninitcheck) sleep 30;;\n*) printf '<ComputeSanitizerOutput/>' > \"$value\"; echo '========= ERROR SUMMARY: 0 errors';;\nesac"
    ));
    let config = lab.read("audit.toml") + "[subject.collect]\nsanitizer_timeout = 1\n";
    fs::write(lab.path("audit.toml"), config).unwrap();
    lab.run("collect --quiet").ends(0, "not measured: triad initcheck: compute-sanitizer did not end within 1 s");
    lab.run("generate triad --template full --date 2026-11-20").done();
    let page = lab.read("audits/2026-11-20-triad.md");
    let squeezed = page.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    for part in [
        "## Correctness",
        "| `synccheck` | wrong use of barriers | clean |",
        "**WRONG: 1 error**",
        "**NOT MEASURED: compute-sanitizer did not end within 1 s and was stopped with all its children**",
        "| `racecheck` | Write at devset.cu:27 (racy+0xc0); Read at devset.cu:27 (racy+0xd0) | Race condition | 1 | 1,024 |",
    ] {
        assert!(squeezed.contains(part), "{part:?} is not in\n{squeezed}");
    }
    let snapshot: serde_json::Value = serde_json::from_str(&lab.read("audits/2026-11-20-triad.json")).unwrap();
    let steps = snapshot["evidence"]["new"]["collected"]["steps"].as_array().unwrap();
    let profile = steps.iter().find(|step| step["step"] == "profile").unwrap();
    assert_eq!((&profile["tool"], &profile["passes"]), (&"ncu 2025.3.1.0".into(), &17.into()));
    // The report is of a set without them.
    let absent = profile["absent_metrics"].as_array().unwrap();
    assert!(absent.contains(&"smsp__sass_inst_executed_op_ldsm.sum".into()), "{absent:?}");
    // Without the tools the page comes out the same.
    fs::remove_dir_all(lab.path("fake")).unwrap();
    fs::remove_file(lab.path("audits/2026-11-20-triad.md")).unwrap();
    lab.run("generate triad --template full --date 2026-11-20").done();
    assert_eq!(lab.read("audits/2026-11-20-triad.md"), page);
}

#[test]
fn what_was_set_in_the_environment_stands_among_the_conditions() {
    let lab = Lab::new("");
    let mut collect = audit(lab.0.path());
    collect.args(["collect", "--quiet"]).env("CUDA_LAUNCH_BLOCKING", "1").env("CUDA_FORCE_PTX_JIT", "0");
    Run(collect.output().unwrap()).done();
    lab.run("generate triad --template full --date 2026-11-20").done();
    let page = lab.read("audits/2026-11-20-triad.md");
    let row =
        page.lines().find(|line| line.starts_with("| Set in the environment ")).unwrap_or_else(|| panic!("{page}"));
    assert_eq!(row.split('|').nth(2).map(str::trim), Some("CUDA_LAUNCH_BLOCKING"), "{row}");
    // Without it there is nothing to tell.
    let other = Lab::new("");
    other.run("collect --quiet").done();
    other.run("generate triad --template full --date 2026-11-20").done();
    assert!(!other.read("audits/2026-11-20-triad.md").contains("Set in the environment"));
}

#[test]
fn a_tool_that_did_not_end_found_nothing() {
    let lab = Lab::new("");
    lab.sanitizer("case $tool in\ninitcheck) sleep 30;;\n*) printf '<ComputeSanitizerOutput/>' > \"$value\"; echo '========= ERROR SUMMARY: 0 errors';;\nesac");
    let config = lab.read("audit.toml") + "[subject.collect]\nsanitizer_timeout = 1\n";
    fs::write(lab.path("audit.toml"), config).unwrap();
    lab.run("collect --quiet").ends(0, "not measured: triad initcheck");
    lab.run("generate triad --date 2026-11-20").done();
    let page = lab.read("audits/2026-11-20-triad.md");
    assert!(page.contains("not measured: initcheck") && !page.contains("not clean"), "{page}");
}

#[test]
fn a_failure_of_one_tool_leaves_the_others_and_the_next_run_goes_on() {
    let lab = Lab::new("");
    lab.ncu("echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.'; exit 1");
    lab.run("collect --quiet").ends(4, "NVreg_RestrictProfilingToAdminUsers=0");
    assert_eq!(lab.ran().len(), 5);
    assert_eq!(lab.step("profile")["outcome"], "failed");
    assert!(!lab.path("collected/triad/profile.ncu-repz").exists());
    lab.run("generate triad").ends(2, "holds no profile: ncu may not read the GPU's performance counters");
    lab.run("collect --quiet").ends(4, "may not read");
    assert_eq!(lab.ran(), ["ncu"], "what is whole is not made again");
}

/// The CSV of launches stands for a report: the reader does not care which.
#[test]
fn launches_timed_by_themselves_carry_the_verdict() {
    let lab = Lab::new("[subject.collect]\nsanitizers = []\n");
    let kernel = |ns: f64, count: usize| {
        let steady = crate::project::Profile::steady(ns);
        let launches = steady.launches[..count].to_vec();
        crate::project::csv(&[crate::project::Profile { kernel: "stream_triad", launches, ..steady }])
    };
    let measured = |ns: f64| {
        fs::write(lab.path("one.csv"), kernel(ns, 1)).unwrap();
        fs::write(lab.path("many.csv"), kernel(ns, 20)).unwrap();
        lab.ncu("case \"$all\" in *'--launch-count 20'*) cp many.csv \"$value\";; *) cp one.csv \"$value\";; esac\necho '==PROF== Profiling \"stream_triad\" - 0: 0%....50%....100% - 1 pass'");
        lab.run("collect --quiet --again").done();
    };
    let config = lab.read("audit.toml").replace("sanitizers = []", "sanitizers = []\nplain = true");
    fs::write(lab.path("audit.toml"), &config).unwrap();
    measured(100_000.0);
    lab.run("generate triad --date 2026-11-20").done();
    measured(97_000.0);
    lab.run("generate triad --date 2026-11-21").done();
    lab.run("check triad").ends(0, "20 launches against 20");
    lab.run("check triad").ends(0, "FASTER");
    // Turned off, nothing is timed beside the profile.
    fs::write(lab.path("audit.toml"), config.replace("plain = true", "plain = true\nlaunches = 0")).unwrap();
    lab.ran();
    lab.run("collect --quiet --again").done();
    assert_eq!(lab.ran(), ["ncu"]);
}

#[test]
fn a_filter_that_takes_nothing_lists_what_ran() {
    let lab = Lab::new("");
    lab.ncu("echo '==WARNING== No kernels were profiled.'; echo 'Available Kernels:'; echo '1. gemm_bias_v1'");
    lab.run("collect --quiet").ends(4, "the filter \"^stream_triad$\" took none; these ran: gemm_bias_v1");
}

#[test]
fn a_report_that_is_not_whole_is_not_kept() {
    let lab = Lab::new("");
    lab.ncu(&format!(
        "cp {FIXTURES}/h200/truncated.ncu-repz \"$value\"\necho '==PROF== Profiling \"x\" - 0: 0%....100% - 3 passes'"
    ));
    lab.run("collect --quiet").ends(4, "the report that ncu wrote cannot be read");
    assert!(!lab.path("collected/triad/profile.ncu-repz").exists());
}

#[test]
fn a_name_of_our_set_that_this_ncu_does_not_know_is_left_out_and_named() {
    let lab = Lab::new("[subject.collect]\nsanitizers = []\n");
    lab.ncu(&format!(
        "case \"$all\" in *sass__inst_executed_per_opcode,*) echo '==ERROR== Failed to find metric sass__inst_executed_per_opcode'; exit 9;; esac\ncp {FIXTURES}/labelled/stream_triad.ncu-repz \"$value\"\necho '==PROF== Profiling \"stream_triad\" - 0: 0%....100% - 17 passes'"
    ));
    lab.run("collect --quiet").done();
    assert_eq!(lab.ran(), ["ncu"; 3]);
    let profile = lab.step("profile");
    assert!(profile["absent_metrics"].as_array().unwrap().iter().any(|name| name == "sass__inst_executed_per_opcode"));
    assert!(!profile["command"].as_str().unwrap().contains("sass__inst_executed_per_opcode,"));
    lab.run("collect --quiet").done();
    assert!(lab.ran().is_empty(), "it is kept");
}

#[test]
fn a_program_that_hangs_is_ended_with_its_children() {
    let lab = Lab::new("[subject.collect]\ntimeout = 1\nsanitizers = []\n");
    lab.ncu("(sleep 3; touch still-alive) & sleep 30");
    let begun = Instant::now();
    lab.run("collect --quiet").ends(4, "ncu did not end within 1 s and was stopped with all its children");
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert_eq!(lab.step("profile")["outcome"], "timed-out");
    std::thread::sleep(Duration::from_millis(2500));
    assert!(!lab.path("still-alive").exists());
}

#[test]
fn ctrl_c_ends_the_tool_keeps_what_is_whole_and_leaves_no_half_file() {
    let lab = Lab::new("[subject.collect]\nsanitizers = [\"memcheck\"]\n");
    lab.ncu("echo half > \"$value\"; touch begun; sleep 30; touch still-alive");
    let mut child = audit(lab.0.path()).args(["collect", "--quiet"]).spawn().unwrap();
    let begun = Instant::now();
    while !lab.path("begun").exists() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = libc::pid_t::try_from(child.id()).unwrap();
    // SAFETY: a signal to a child that has not been waited for.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGINT) }, 0);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let names: Vec<String> = fs::read_dir(lab.path("collected/triad"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(".making") || name.contains("profile"))
        .collect();
    assert!(names.is_empty(), "{names:?}");
    assert_eq!(lab.step("memcheck")["outcome"], "made");
    assert!(!lab.path("still-alive").exists());
}

#[test]
fn what_a_tool_runs_ends_with_a_run_that_is_killed() {
    let lab = Lab::new("[subject.collect]\nsanitizers = []\n");
    lab.ncu("(touch begun; sleep 3; touch still-alive) & wait");
    let mut child = audit(lab.0.path()).args(["collect", "--quiet"]).spawn().unwrap();
    let begun = Instant::now();
    while !lab.path("begun").exists() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    std::thread::sleep(Duration::from_millis(3500));
    assert!(!lab.path("still-alive").exists());
}

#[test]
fn a_report_that_somebody_put_there_is_not_overwritten() {
    let lab = Lab::new("[subject.collect]\nsanitizers = []\n");
    fs::create_dir_all(lab.path("collected/triad")).unwrap();
    fs::write(lab.path("collected/triad/profile.ncu-repz"), "mine").unwrap();
    lab.run("collect --quiet").ends(4, "no step of its collected.json made it");
    assert_eq!(lab.read("collected/triad/profile.ncu-repz"), "mine");
    lab.run("collect --quiet --again").done();
}

#[test]
fn names_of_metrics_are_checked_before_anything_runs() {
    let lab = Lab::new("arch = \"sm_90a\"\nsource = \"k.cu\"\n");
    fs::write(lab.path("k.cu"), "").unwrap();
    let run = lab.run("collect --lint --metric smsp__sass_warp_efficiency.avg --metric dram__bytes_op_read.sum");
    run.ends(2, "smsp__sass_warp_efficiency.avg is not a metric of GH100");
    run.ends(2, "dram__bytes_op_read.sum is not a metric of GH100, only of GB202");
    assert!(lab.ran().is_empty());
    lab.run("collect --lint --metric dram__bytes_read.sum").done();
    lab.run("explain dram__bytes_op_read.sum --chip gb202").ends(0, "is a metric of GB202");
    lab.run("explain dram__bytes_op_read.sum --chip sm_90").ends(2, "near: dram__bytes_read.sum");
}

#[test]
fn without_a_driver_the_cure_is_named_and_a_plan_can_be_printed() {
    let lab = Lab::new("");
    let config = lab.read("audit.toml").replace("prefix = [\"fake/srun\", \"-N1\"]\n", "");
    fs::write(lab.path("audit.toml"), config).unwrap();
    let plan = lab.run("collect --dry-run").done();
    let steps: Vec<&str> = plan.lines().filter_map(|line| line.trim().split(": ").next()).collect();
    assert!(
        steps.starts_with(&[
            "triad into collected/triad",
            "synccheck",
            "racecheck",
            "memcheck",
            "initcheck",
            "profile"
        ]),
        "{plan}"
    );
    assert!(lab.ran().is_empty() && !lab.path("collected").exists());
    if !PathBuf::from("/proc/driver/nvidia/version").exists() {
        lab.run("collect").ends(4, "no NVIDIA driver is loaded here");
    }
}

#[test]
fn a_tool_that_is_missing_is_a_gap_and_not_a_pass() {
    let lab = Lab::new("");
    fs::remove_file(lab.path("fake/compute-sanitizer")).unwrap();
    lab.run("collect --quiet").ends(0, "not measured: triad racecheck: compute-sanitizer is not at");
    assert_eq!(lab.ran(), ["ncu"; 2]);
    lab.run("generate triad --template full --date 2026-11-20").done();
    let page = lab.read("audits/2026-11-20-triad.md");
    assert!(page.contains("**NOT MEASURED: compute-sanitizer is not at"), "{page}");
}

#[test]
fn many_subjects_are_collected_at_a_time() {
    let lab = Lab::new("[subject.collect]\nsanitizers = []\n");
    let second = "[[subject]]\nname = \"other\"\nrun = [\"./program\"]\nprefix = [\"fake/srun\", \"-N1\"]\n[subject.collect]\nsanitizers = []\n";
    fs::write(lab.path("audit.toml"), lab.read("audit.toml") + second).unwrap();
    lab.run("collect --all --jobs 2 --quiet").done();
    for name in ["triad", "other"] {
        assert!(lab.path(&format!("collected/{name}/profile.ncu-repz")).is_file());
    }
    lab.run("collect nobody").ends(2, "names no subject \"nobody\"");
}

#[test]
fn a_program_that_hangs_in_every_tool_is_left_alone_after_two() {
    let lab = Lab::new("[subject.collect]\nsanitizer_timeout = 1\ntimeout = 1\n");
    lab.script("program", "sleep 30");
    lab.sanitizer("sleep 30");
    lab.run("collect --quiet").ends(4, "triad profile: left out: synccheck and racecheck did not end in time");
    assert_eq!(lab.ran(), ["synccheck", "racecheck"]);
    assert_eq!(lab.step("synccheck")["outcome"], "timed-out");
    assert_eq!(lab.step("memcheck")["why"], "left out: synccheck and racecheck did not end in time");

    // A program that came to its end under one tool is profiled, however slow the others are.
    let lab = Lab::new("[subject.collect]\nsanitizer_timeout = 1\n");
    lab.sanitizer("[ $tool = synccheck ] || sleep 30\nprintf '<ComputeSanitizerOutput/>' > \"$value\"; echo '========= ERROR SUMMARY: 0 errors'");
    lab.run("collect --quiet")
        .ends(0, "not measured: triad initcheck: left out: racecheck and memcheck did not end in time");
    assert_eq!(lab.ran(), ["synccheck", "racecheck", "memcheck", "ncu", "ncu"]);
}

#[test]
fn how_long_the_sanitizers_will_take_is_said_before_the_first_of_them() {
    let lab = Lab::new("");
    lab.script("program", "echo alone >> runs.log; sleep 0.3");
    let said = lab.run("collect").err();
    assert_eq!(lab.ran()[..2], ["alone", "synccheck"]);
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("triad: the program takes 0."), "{said}");
    // 43.3 times what it takes alone, and four limits of 300 s.
    assert!(lines[0].contains(" alone; synccheck, racecheck, memcheck, initcheck may take about 1"), "{said}");
    assert!(lines[0].ends_with(" s, and at most 20 min"), "{said}");
    assert!(lines[1].starts_with("triad synccheck: begun, about 1") && lines[1].ends_with(" s left"), "{said}");
    // The first tools took next to nothing, and so will the others.
    assert!(said.contains("triad initcheck: begun, about 1 s left"), "{said}");
    lab.run("collect").done();
    assert!(lab.ran().is_empty(), "nothing is timed where nothing is missing");
}

#[test]
fn the_sanitizers_watch_a_smaller_program_where_one_is_named() {
    let lab = Lab::new(
        "[subject.collect]\nsanitizers = [\"memcheck\"]\norder = \"profile\"\ncheck_run = [\"./small\", \"--size\", \"512\"]\n",
    );
    lab.script("small", "exit 0");
    lab.run("collect --quiet").done();
    assert_eq!(lab.ran(), ["ncu", "ncu", "memcheck"]);
    assert!(lab.step("profile")["command"].as_str().unwrap().contains("<arguments>"));
    let memcheck = lab.step("memcheck");
    assert!(memcheck["command"].as_str().unwrap().contains("small <arguments>"));
    let remark = "checked is `./small --size 512`, not the program that is measured";
    assert!(memcheck["remarks"].as_array().unwrap().iter().any(|one| one == remark), "{memcheck}");
    lab.script("small", "exit 0 # another");
    lab.run("collect --quiet").done();
    assert_eq!(lab.ran(), ["memcheck"]);
    let steps: Vec<String> = lab
        .run("collect --dry-run")
        .done()
        .lines()
        .filter_map(|line| Some(line.split_once(": ")?.0.trim().to_owned()))
        .collect();
    assert_eq!(steps, ["profile", "launches", "memcheck"]);
}

#[test]
fn a_subject_keeps_its_deadline() {
    let lab =
        Lab::new("[subject.collect]\norder = \"profile\"\nsanitizers = [\"memcheck\", \"racecheck\"]\ndeadline = 2\n");
    lab.sanitizer("sleep 30");
    let begun = Instant::now();
    let run = lab.run("collect --quiet");
    assert!(begun.elapsed() < Duration::from_secs(10));
    run.ends(0, "not measured: triad memcheck: memcheck was stopped: the deadline of 2 s for the subject has passed");
    run.ends(0, "not measured: triad racecheck: left out: the deadline of 2 s for the subject has passed");
    assert_eq!(lab.ran(), ["ncu", "ncu", "memcheck"]);
    assert_eq!(lab.step("memcheck")["outcome"], "timed-out");
    let config = lab.read("audit.toml").replace("deadline = 2", "deadline = 0");
    fs::write(lab.path("audit.toml"), config).unwrap();
    lab.run("collect").ends(2, "expected a number above 0, found 0");
}
