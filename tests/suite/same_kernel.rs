//! A kernel against itself: how often a verdict claims a change where there is none, on launches that were measured.
//!
//! The material is every sample of every benchmark under `tests/fixtures/collected` whose clocks the driver never held down:
//! under a power cap times wander with the clock, and only a profile has the cycles that do not. To it come the launches of
//! further reports where `AUDIT_SAME_KERNEL` names a folder of them. `docs/evidence/same-kernel.md` has what comes out;
//! `INSTA_UPDATE=always` writes it.

use crate::project::{Profile, csv};
use crate::simulation::Random;
use kernel_audit::analysis::{self, Evidence, Limits, Reduction, Side, Verdict, Work};
use kernel_audit::evidence::{Benchmark, Clocks, Origin, Report, Want};
use kernel_audit::source::{self, ncu_csv};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Launches a side, and comparisons of each kernel.
const COUNTS: [(usize, usize); 4] = [(1, 40), (2, 20), (3, 20), (4, 20)];
/// The same where an interval decides: comparisons begin at every launch that `STEP` divides, so that there are enough for a rate.
const INTERVALS: [usize; 4] = [5, 10, 15, 20];
const STEP: usize = 2;
/// Claims among a hundred comparisons, at most.
const MOST: f64 = 1.0;

/// (time in ns, cycles) of the launches of one kernel.
type Launches = Vec<(f64, f64)>;

/// What is done to one counter of one side that executes the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Trifle {
    Nothing,
    /// One instruction in a hundred thousand.
    Instructions,
    /// A register in twenty.
    Registers,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The samples of each kernel and reference that ran at one clock.
fn benchmarks() -> Vec<Launches> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder().join("collected"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("benchmark.json"))
        .collect();
    paths.sort();
    let read = |path: &PathBuf| -> Vec<Launches> {
        let Ok(text) = fs::read(path) else { return Vec::new() };
        let benchmark: Benchmark = serde_json::from_slice(&text).unwrap();
        let is_free = |clocks: &Option<Clocks>| clocks.as_ref().is_some_and(|clocks| clocks.held_by() == Some(0));
        if !(is_free(&benchmark.clocks_before) && is_free(&benchmark.clocks_after)) {
            return Vec::new();
        }
        let sides = [Some(&benchmark.samples_ms), benchmark.reference.as_ref().map(|reference| &reference.samples_ms)];
        // At one clock cycles are times.
        let launches = |samples: &Vec<f64>| samples.iter().map(|ms| (ms * 1e6, ms * 1e6 * 1.755)).collect();
        sides.into_iter().flatten().map(launches).collect()
    };
    paths.iter().flat_map(read).filter(|launches| launches.len() >= 30).collect()
}

/// The launches of every kernel that a folder of reports holds eight times or more.
fn reports(folder: &str) -> Vec<Launches> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(report) = source::read_profile(&path, &analysis::want()) else { continue };
        for group in analysis::groups(&report).into_iter().filter(|group| group.launches.len() >= 8) {
            let kernel = analysis::KernelSummary::new(group);
            let (times, cycles) = (kernel.values("gpu__time_duration.sum"), kernel.values("gpc__cycles_elapsed.max"));
            if times.len() == cycles.len() {
                found.push(times.into_iter().zip(cycles).collect());
            }
        }
    }
    found
}

/// A report of all launches.
fn report(launches: &[(f64, f64)], trifle: Trifle) -> Report {
    let profile = Profile {
        launches: launches.to_vec(),
        instructions: if trifle == Trifle::Instructions { 1_000_010 } else { 1_000_000 },
        registers: if trifle == Trifle::Registers { 42 } else { 40 },
        ..Profile::default()
    };
    ncu_csv::read(csv(&[profile]).as_bytes(), Origin::default(), &Want::everything()).unwrap()
}

/// Some launches of a report as a side.
fn side(report: &Report, launches: Range<usize>) -> Side {
    let report =
        Report { launches: report.launches[launches].to_vec(), session: report.session.clone(), ..Report::default() };
    let (work, limits) = (Work::default(), Limits::default());
    let with = Reduction { source: &[], work: &work, limits: &limits };
    Evidence::of(analysis::Profile::chosen(&report, None, &with).unwrap().swap_remove(0)).new
}

/// Verdicts counted, and rows of time that claim what the kernel does not.
#[derive(Default)]
struct Tally {
    all: usize,
    same: usize,
    ambiguous: usize,
    claimed: usize,
    rows: usize,
}

/// Where the first launch of each comparison stands, of launches that followed each other, as a profiler takes them: `comparisons` of a
/// kernel that share none, or one from every launch that `STEP` divides.
fn starts(launches: usize, count: usize, comparisons: Option<usize>, random: &mut Random) -> Vec<usize> {
    let Some(comparisons) = comparisons else {
        return (0..(launches + 1).saturating_sub(2 * count)).step_by(STEP).collect();
    };
    let comparisons = comparisons.min(launches / (2 * count));
    let room = launches - comparisons * 2 * count;
    let from = (random.uniform() * (room + 1) as f64) as usize;
    (0..comparisons).map(|comparison| from + comparison * 2 * count).collect()
}

fn compared(
    kernels: &[(Launches, Report)],
    count: usize,
    comparisons: Option<usize>,
    trifle: Trifle,
    random: &mut Random,
) -> Tally {
    let (mut tally, limits) = (Tally::default(), Limits::default());
    for (launches, plain) in kernels {
        // The new side of one comparison is the old one of a later.
        let mut sides = HashMap::new();
        let changed = (trifle != Trifle::Nothing).then(|| report(launches, trifle));
        let other = changed.as_ref().unwrap_or(plain);
        for start in starts(launches.len(), count, comparisons, random) {
            let both = [(start, Trifle::Nothing, plain), (start + count, trifle, other)];
            for (from, trifle, report) in both {
                sides.entry((from, trifle)).or_insert_with(|| side(report, from..from + count));
            }
            let [old, new] = both.map(|(from, trifle, _)| &sides[&(from, trifle)]);
            let joined = analysis::joined(old, &[(1, new, &limits)]).unwrap();
            let comparison = &joined.against[0].comparison;
            tally.all += 1;
            match comparison.whole.verdict {
                Verdict::Same => tally.same += 1,
                Verdict::Ambiguous => tally.ambiguous += 1,
                _ => tally.claimed += 1,
            }
            let claims =
                |id| comparison.reading(id).is_some_and(|row| matches!(row.verdict, Verdict::Faster | Verdict::Slower));
            let is_open = comparison.whole.verdict == Verdict::Ambiguous;
            tally.rows +=
                usize::from(is_open && (claims("gpu__time_duration.sum") || claims("gpc__cycles_elapsed.max")));
        }
    }
    tally
}

/// The largest distance of two launches of one kernel in percent.
fn furthest(kernels: &[Launches]) -> f64 {
    let spread = |launches: &Launches| {
        let values = || launches.iter().map(|(ns, _)| *ns);
        100.0 * (values().fold(0.0, f64::max) / values().fold(f64::MAX, f64::min) - 1.0)
    };
    kernels.iter().map(spread).fold(0.0, f64::max)
}

#[test]
fn a_kernel_against_itself_is_never_faster_or_slower() {
    let mut kernels = benchmarks();
    let by_hand = std::env::var("AUDIT_SAME_KERNEL").ok();
    kernels.extend(by_hand.iter().flat_map(|folder| reports(folder)));
    let mut text = format!(
        "Of {} kernels, {} launches; two of one kernel are at most {:.1} % apart.\n\n| launches a side | differs in | comparisons | SAME | AMBIGUOUS | FASTER or SLOWER |\n| ---: | --- | ---: | ---: | ---: | ---: |\n",
        kernels.len(),
        kernels.iter().map(Vec::len).sum::<usize>(),
        furthest(&kernels)
    );
    let read = |launches: Launches| {
        let plain = report(&launches, Trifle::Nothing);
        (launches, plain)
    };
    let kernels: Vec<(Launches, Report)> = kernels.into_iter().map(read).collect();
    let mut random = Random::new(7);
    let mut rows: Vec<(usize, Option<usize>, Trifle, &str)> =
        COUNTS.iter().map(|(count, comparisons)| (*count, Some(*comparisons), Trifle::Nothing, "nothing")).collect();
    rows.extend(INTERVALS.iter().map(|count| (*count, None, Trifle::Nothing, "nothing")));
    rows.push((1, Some(20), Trifle::Instructions, "instructions, +0.001 %"));
    rows.push((1, Some(20), Trifle::Registers, "registers, +5 %"));
    rows.push((2, Some(10), Trifle::Instructions, "instructions, +0.001 %"));
    for (count, comparisons, trifle, what) in rows {
        let tally = compared(&kernels, count, comparisons, trifle, &mut random);
        assert!(tally.all > 50, "{count}: {}", tally.all);
        let claimed = 100.0 * tally.claimed as f64 / tally.all as f64;
        assert!(claimed < MOST, "{count}, {what}: {} of {} claim a change", tally.claimed, tally.all);
        assert_eq!(tally.rows, 0, "{count}, {what}: rows claim what the kernel does not");
        writeln!(
            text,
            "| {count} | {what} | {} | {} | {} | {} ({claimed:.2} %) |",
            tally.all, tally.same, tally.ambiguous, tally.claimed
        )
        .unwrap();
    }
    println!("{text}");
    if by_hand.is_none() {
        crate::written::is_as_written(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/evidence/same-kernel.md"),
            &text,
        );
    }
}
