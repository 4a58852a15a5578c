//! Verdicts: on whole comparisons of reports, and their error rates on noise that is known.

use crate::judged;
use crate::project::{Profile, csv};
use crate::simulation::{Noise, Tally, run};
use kernel_audit::analysis::{self, Audit, Basis, Evidence, Limits, ReadingVerdict, Verdict, Work};
use kernel_audit::evidence::{ClockStatus, Origin, Report, Want};
use kernel_audit::source::ncu_csv;
use kernel_audit::view::Reason;

fn report(profile: Profile) -> Report {
    ncu_csv::read(csv(&[profile]).as_bytes(), Origin::default(), &Want::everything()).unwrap()
}

fn compare(old: Profile, new: Profile) -> Audit {
    let (old, new) = (report(old), report(new));
    let evidence = judged::since(judged::evidence(&new, &[], &Work::default()), &old, &[]);
    analysis::audit(&evidence, &Limits::default())
}

fn one(ns: f64, cycles: f64, instructions: u64) -> Profile {
    Profile { launches: vec![(ns, cycles)], instructions, ..Profile::default() }
}

#[track_caller]
fn expect(audit: &Audit, verdict: Verdict, says: &str) {
    let whole = &audit.comparison().unwrap().whole;
    assert_eq!(whole.verdict, verdict, "{whole:?}");
    let why = why(audit);
    assert!(why.contains(says), "{why}");
}

fn why(audit: &Audit) -> String {
    Reason::of(audit).unwrap().why()
}

fn reading<'a>(audit: &'a Audit, id: &str) -> &'a ReadingVerdict {
    audit.comparison().unwrap().reading(id).unwrap()
}

#[test]
fn repeated_launches_decide_small_changes() {
    let faster = compare(Profile::steady(100_000.0), Profile::steady(98_000.0));
    expect(&faster, Verdict::Faster, "20 launches against 20");
    assert_eq!(reading(&faster, "gpu__time_duration.sum").verdict, Verdict::Faster);
    expect(&compare(Profile::steady(100_000.0), Profile::steady(103_000.0)), Verdict::Slower, "99.2 % confidence");
    expect(&compare(Profile::steady(100_000.0), Profile::steady(100_100.0)), Verdict::Same, "+0.1 %");
}

#[test]
fn a_claim_has_to_hold_in_cycles() {
    // The clock is 4 % lower: the time grows, the cycles do not.
    let slow_clock = |ns: f64| {
        let mut profile = Profile::steady(ns);
        profile.launches.iter_mut().for_each(|(time, _)| *time *= 1.04);
        profile
    };
    let audit = compare(Profile::steady(100_000.0), slow_clock(100_000.0));
    expect(&audit, Verdict::Ambiguous, "Time and cycles disagree");
    let cure = Reason::of(&audit).unwrap().cure();
    assert!(cure.contains("--clock-control base"), "{cure}");
}

#[test]
fn one_launch_each_leans_on_counters_that_explain() {
    let changed = compare(one(100_000.0, 180_000.0, 4096), one(80_000.0, 144_000.0, 2048));
    expect(&changed, Verdict::Faster, "one launch on each side; decided by warp instructions executed −50.0 %");
    assert_eq!(reading(&changed, "smsp__inst_executed.sum").verdict, Verdict::Better);
    assert_eq!(reading(&changed, "smsp__inst_executed.sum").basis, Some(Basis::Exact));
    assert_eq!(reading(&changed, "launch__registers_per_thread").verdict, Verdict::Same);
    let unexplained = compare(one(100_000.0, 180_000.0, 4096), one(80_000.0, 144_000.0, 4096));
    expect(&unexplained, Verdict::Ambiguous, "cannot tell noise from change");
    // The row claims no more than the kernel.
    assert_eq!(reading(&unexplained, "gpu__time_duration.sum").verdict, Verdict::Ambiguous);
    let small = compare(one(100_000.0, 180_000.0, 4096), one(98_000.0, 176_400.0, 2048));
    expect(&small, Verdict::Ambiguous, "5.0 % or more is a change");
    expect(&compare(one(1e5, 1.8e5, 4096), one(1e5, 1.8e5, 4096)), Verdict::Same, "one launch on each side");
}

#[test]
fn a_trifle_explains_nothing() {
    let old = || one(100_000.0, 180_000.0, 1_000_000);
    let trifle = |ns: f64, instructions| compare(old(), one(ns, 1.8 * ns, instructions));
    // One instruction in a hundred thousand, or the other way; and the size.
    expect(&trifle(106_000.0, 1_000_010), Verdict::Ambiguous, "no counter explains it in sign and size");
    expect(&trifle(112_000.0, 900_000), Verdict::Ambiguous, "no counter explains it in sign and size");
    expect(&trifle(112_000.0, 1_050_000), Verdict::Ambiguous, "no counter explains it");
    expect(&trifle(112_000.0, 1_060_000), Verdict::Slower, "warp instructions executed +6.0 %");
    let registers = Profile { registers: 34, ..one(112_000.0, 201_600.0, 1_000_000) };
    expect(&compare(old(), registers), Verdict::Ambiguous, "no counter explains it");
    // A change beyond what single launches differ by, of code that is another.
    let other = compare(old(), one(200_000.0, 360_000.0, 900_000));
    expect(&other, Verdict::Slower, "decided by other code (10 % of the executed instructions)");
    // And of the same code in another grid.
    let grid = || Profile { grid: "(64, 64, 1)", ..one(50_000.0, 90_000.0, 1_000_000) };
    expect(&compare(old(), grid()), Verdict::Faster, "decided by another grid or block");
    let slight = Profile { launches: vec![(98_000.0, 176_400.0)], ..grid() };
    expect(&compare(old(), slight), Verdict::Ambiguous, "5.0 % or more is a change");
}

#[test]
fn more_launches_never_weaken_a_verdict() {
    let launches = |ns: f64, scatter: &[f64], instructions| Profile {
        launches: scatter.iter().map(|by| (ns * by, 1.8 * ns * by)).collect(),
        instructions,
        ..Profile::default()
    };
    let scattered = |old: u64, new: u64| compare(launches(1e5, &[1.0, 1.02], old), launches(0.88e5, &[1.0, 1.02], new));
    expect(&scattered(4096, 3500), Verdict::Faster, "2 launches against 2, judged by their ranges; decided by");
    expect(&scattered(4096, 4096), Verdict::Ambiguous, "");
    let quiet = |new: u64| compare(launches(1e5, &[1.0, 1.0006], 4096), launches(0.969e5, &[1.0, 1.0006], new));
    expect(&quiet(2048), Verdict::Faster, "decided by warp instructions executed −50.0 %");
    expect(&quiet(4096), Verdict::Ambiguous, "");
}

#[test]
fn other_kernels_in_other_grids_carry_a_caution() {
    let other = || Profile { kernel: "other", grid: "(8192, 1, 1)", ..one(50_000.0, 90_000.0, 2048) };
    expect(
        &compare(one(1e5, 1.8e5, 4096), other()),
        Verdict::Faster,
        "Caution: other in a grid of (8192, 1, 1) is compared",
    );
    let renamed = Profile { grid: "(64, 1, 1)", ..other() };
    assert!(!why(&compare(one(1e5, 1.8e5, 4096), renamed)).contains("Caution"));
    let (new, old) = (report(other()), report(one(1e5, 1.8e5, 4096)));
    let work = Work { flop: Some(1_000_000), ..Work::default() };
    let evidence = judged::since(judged::evidence(&new, &[], &work), &old, &[]);
    let stated = analysis::audit(&evidence, &Limits::default());
    assert!(!why(&stated).contains("Caution"), "{}", why(&stated));
}

#[test]
fn held_clocks_in_one_file_let_time_decide() {
    let side = |ns: f64, instructions: u64, is_held: bool| {
        let read = report(Profile { launches: vec![(ns, 1.0)], instructions, ..Profile::default() });
        let mut evidence = judged::evidence(&read, &[], &Work::default());
        let profile = evidence.new.profile.as_mut().unwrap();
        profile.readings.metrics.retain(|metric| &*metric.name != "gpc__cycles_elapsed.max");
        profile.origin.blake3 = "one".into();
        profile.clock = Some(ClockStatus { requested: true, executed: is_held });
        evidence
    };
    let verdict = |is_held| {
        let old = side(1e5, 4096, is_held).new.as_old();
        let evidence = Evidence { old: Some(old), ..side(6e4, 2048, is_held) };
        analysis::audit(&evidence, &Limits::default())
    };
    expect(&verdict(true), Verdict::Faster, "−40.0 % in time with locked clocks, in one run of ncu");
    expect(&verdict(false), Verdict::Ambiguous, "the clocks cannot be ruled out");
}

#[test]
fn a_launch_that_failed_is_not_compared() {
    let failed = Profile { grid: "(0, 0, 0)", ..one(50_000.0, 90_000.0, 2048) };
    expect(
        &compare(one(1e5, 1.8e5, 4096), failed),
        Verdict::NotMeasured,
        "The launch failed: its grid holds no blocks",
    );
}

#[test]
fn other_conditions_do_not_compare() {
    let other = Profile { gpu: "NVIDIA A100", ..Profile::steady(50_000.0) };
    let audit = compare(Profile::steady(100_000.0), other);
    expect(&audit, Verdict::NotComparable, "GPU: NVIDIA H200 (sm_90) → NVIDIA A100 (sm_90)");
    assert!(audit.change.unwrap().comparison.readings.iter().all(|reading| reading.verdict == Verdict::NotComparable));
}

#[test]
fn few_launches_say_so() {
    let three = |ns: f64| Profile {
        launches: [1.0, 1.001, 1.002].map(|by| (ns * by, 1.8 * ns * by)).to_vec(),
        ..Profile::default()
    };
    expect(&compare(three(1e5), three(1.2e5)), Verdict::Slower, "3 launches against 3, judged by their ranges");
    expect(&compare(three(1e5), three(1.03e5)), Verdict::Ambiguous, "more than 5.0 %");
}

/// The small version of `cargo bench --bench verdicts`.
#[test]
fn false_alarms_are_rare_and_true_changes_are_found() {
    let limits = Limits::default();
    let noise = Noise::default();
    let same: Tally = run(200, 20, 1.0, &noise, 11, &limits);
    assert!(same.faster + same.slower <= 4, "{same:?}");
    let slower = run(100, 20, 1.03, &noise, 12, &limits);
    assert!(slower.slower >= 90 && slower.faster == 0, "{slower:?}");
    let faster = run(100, 20, 1.0 / 1.03, &noise, 13, &limits);
    assert!(faster.faster >= 90 && faster.slower == 0, "{faster:?}");
    let quiet = run(50, 10, 1.02, &Noise::times(0.1), 14, &limits);
    assert_eq!(quiet.slower, 50, "{quiet:?}");
    for launches in [2, 3, 4, 5, 10] {
        let same = run(1000, launches, 1.0, &noise, 15, &limits);
        assert!(same.faster + same.slower < 15, "{launches}: {same:?}");
    }
    // The same seed gives the same noise.
    assert_eq!(same, run(200, 20, 1.0, &noise, 11, &limits));
}
