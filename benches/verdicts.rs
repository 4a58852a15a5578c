//! How often verdicts are right, on simulated launches.
//!
//! ```sh
//! cargo bench --bench verdicts
//! ```
//!
//! Each row is 10,000 comparisons of two sessions. "Off by" is the true difference in cycles; with none, every FASTER and
//! SLOWER is a false alarm. `AUDIT_BENCH_SEED` sets the seed (1).

#![allow(clippy::disallowed_methods, reason = "a benchmark runs programs and measures time")]

#[path = "support/simulation.rs"]
mod simulation;

use kernel_audit::analysis::Limits;
use simulation::{Noise, run};

const COMPARISONS: usize = 10_000;

fn main() {
    let seed = std::env::var("AUDIT_BENCH_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let limits = Limits::default();
    println!("| launches a side | noise | off by | FASTER | SLOWER | SAME | AMBIGUOUS |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (launches, loud) in [(2, 1.0), (3, 1.0), (5, 1.0), (10, 1.0), (20, 0.25), (20, 1.0), (20, 3.0), (50, 1.0)] {
        for off in [0.0, 0.01, 0.03, -0.03, 0.10] {
            let tally = run(COMPARISONS, launches, 1.0 + off, &Noise::times(loud), seed, &limits);
            let share = |count: usize| format!("{:.1} %", 100.0 * count as f64 / COMPARISONS as f64);
            println!(
                "| {launches} | {:.1} % | {:+.0} % | {} | {} | {} | {} |",
                2.0 * loud,
                100.0 * off,
                share(tally.faster),
                share(tally.slower),
                share(tally.same),
                share(tally.ambiguous)
            );
        }
    }
}
