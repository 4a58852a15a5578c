//! Every reader against input that nobody meant: real files with changes, and structures made at random. A run may end in an
//! answer or an error, within [`TIME`] and [`MEMORY`]; a panic, an abort or more than that fails.
//!
//! The tests make few runs. For more: `AUDIT_FUZZ_RUNS=77000 cargo test --release --test fuzz`, which is a million in all;
//! `AUDIT_FUZZ_SEED` begins elsewhere. An input that fails is kept under `target/fuzz`.

#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

mod change;
mod made;
mod meter;
mod targets;

use change::Random;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What a run may take.
const TIME: Duration = Duration::from_secs(2);
/// Bytes that a run may hold at a time.
const MEMORY: usize = 300 << 20;

/// Reads an input.
type Run = Box<dyn FnMut(&[u8])>;

/// A reader under test.
struct Target {
    name: &'static str,
    /// Whole files, small ones first.
    seeds: Vec<Vec<u8>>,
    /// Pieces that a change puts in: names, numbers and signs of the format.
    words: &'static [&'static str],
    /// Makes an input at random, where changes of bytes would not come far.
    made: Option<fn(&mut Random) -> Vec<u8>>,
    /// Runs of a test.
    runs: u64,
    run: Run,
}

impl Target {
    fn test(mut self) {
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let runs = number("AUDIT_FUZZ_RUNS").unwrap_or(self.runs);
        let seed = number("AUDIT_FUZZ_SEED").unwrap_or(1);
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
        std::fs::create_dir_all(&folder).unwrap();
        let kept = folder.join(format!("{}-{}", self.name, std::process::id()));
        let (mut slowest, mut largest) = (Duration::ZERO, 0);
        for at in 0..runs {
            let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(at));
            let input = match self.made {
                Some(made) if at % 2 == 1 || self.seeds.is_empty() => made(&mut random),
                _ => {
                    let whole = &self.seeds[random.below(self.seeds.len())];
                    if at == 0 { whole.clone() } else { random.changed(whole, self.words) }
                }
            };
            // What a run that ends the process had is there to be looked at.
            let is_kept = at % 64 == 0 || runs < 10_000;
            if is_kept {
                std::fs::write(&kept, &input).unwrap();
            }
            let held = meter::begin();
            let begun = Instant::now();
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (self.run)(&input)));
            let (took, most) = (begun.elapsed(), meter::most_since(held));
            (slowest, largest) = (slowest.max(took), largest.max(most));
            if ended.is_err() || took > TIME || most > MEMORY {
                std::fs::write(&kept, &input).unwrap();
                panic!("{}, run {at} of seed {seed}: {took:?}, {most} bytes, input {}", self.name, kept.display());
            }
        }
        println!("{}: {runs} runs, slowest {slowest:?}, most {} KiB", self.name, largest >> 10);
        let _ = std::fs::remove_file(&kept);
    }
}

macro_rules! targets {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            targets::$name().test();
        })*
    };
}

targets!(
    ncu_report,
    ncu_repz,
    ncu_csv,
    ptxas_log,
    sass_text,
    cubin,
    ptx,
    sanitizer_xml,
    nsys_csv,
    launched_json,
    snapshot_json,
    audit_toml,
    template,
    page_of_a_report,
    page_of_a_snapshot,
);
