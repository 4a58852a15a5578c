//! A reader under test: what it is given, how often, and what a run may take.

use crate::change::Random;
use crate::meter;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a run may take.
const TIME: Duration = Duration::from_secs(2);
/// Bytes that a run may hold at a time.
const MEMORY: usize = 300 << 20;

/// Reads an input.
pub(crate) type Run = Box<dyn FnMut(&[u8])>;

/// A reader under test.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Whole files, small ones first.
    pub(crate) seeds: Vec<Vec<u8>>,
    /// Pieces that a change puts in: names, numbers and signs of the format.
    pub(crate) words: &'static [&'static str],
    /// Makes an input at random, where changes of bytes would not come far.
    pub(crate) made: Option<fn(&mut Random) -> Vec<u8>>,
    /// Runs of a test.
    pub(crate) runs: u64,
    pub(crate) run: Run,
}

impl Target {
    /// Runs it; `AUDIT_FUZZ_RUNS` and `AUDIT_FUZZ_SEED` say how often and from where.
    pub(crate) fn test(mut self) {
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let runs = number("AUDIT_FUZZ_RUNS").unwrap_or(self.runs);
        let seed = number("AUDIT_FUZZ_SEED").unwrap_or(1);
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
        fs::create_dir_all(&folder).unwrap();
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
                fs::write(&kept, &input).unwrap();
            }
            let held = meter::begin();
            let begun = Instant::now();
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (self.run)(&input)));
            let (took, most) = (begun.elapsed(), meter::most_since(held));
            (slowest, largest) = (slowest.max(took), largest.max(most));
            if ended.is_err() || took > TIME || most > MEMORY {
                fs::write(&kept, &input).unwrap();
                panic!("{}, run {at} of seed {seed}: {took:?}, {most} bytes, input {}", self.name, kept.display());
            }
        }
        println!("{}: {runs} runs, slowest {slowest:?}, most {} KiB", self.name, largest >> 10);
        let _ = fs::remove_file(&kept);
    }
}

/// A file that each input is written into, for readers that take a path.
pub(crate) struct Scratch {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        Scratch { _folder: folder, path }
    }

    pub(crate) fn put(&self, input: &[u8]) -> &Path {
        fs::write(&self.path, input).unwrap();
        &self.path
    }
}
