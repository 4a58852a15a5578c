//! Launches of a kernel as profiling sees them, simulated from a seed: what the verdicts are measured on.

use kernel_audit::analysis::{Course, Limits, both_agree, judge};

/// A small generator of pseudo-random numbers (xorshift64*, Vigna 2016).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.uniform();
        }
        random
    }

    /// In [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal (Box and Muller).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// How launches of one kernel differ. The default scatters by 2 % in time.
pub(crate) struct Noise {
    /// Standard deviation of the logarithm of the cycles of a launch.
    pub(crate) cycles: f64,
    /// Share of launches that something disturbs, which then take 5 to 30 % more cycles.
    pub(crate) outliers: f64,
    /// Standard deviation of the clock from launch to launch, relative.
    pub(crate) clock: f64,
    /// Standard deviation of the clock from session to session, relative.
    pub(crate) session: f64,
    /// Largest drift of the clock over a session, relative; each session draws its own.
    pub(crate) drift: f64,
}

impl Default for Noise {
    fn default() -> Noise {
        Noise { cycles: 0.0187, outliers: 0.02, clock: 0.005, session: 0.0025, drift: 0.01 }
    }
}

impl Noise {
    /// A louder or quieter version.
    pub(crate) fn times(by: f64) -> Noise {
        let Noise { cycles, outliers, clock, session, drift } = Noise::default();
        Noise { cycles: cycles * by, outliers, clock: clock * by, session, drift }
    }

    /// (times in ns, cycles) of a session of launches of a kernel of a million cycles, times `factor`.
    fn session(&self, launches: usize, factor: f64, random: &mut Random) -> (Vec<f64>, Vec<f64>) {
        let session = self.session * random.normal();
        let drift = self.drift * (2.0 * random.uniform() - 1.0);
        let launch = |at: usize| {
            let mut cycles = 1e6 * factor * (self.cycles * random.normal()).exp();
            if random.uniform() < self.outliers {
                cycles *= 1.05 + 0.25 * random.uniform();
            }
            let along = at as f64 / launches as f64 - 0.5;
            let clock = 1.98 * (1.0 + session + drift * along + self.clock * random.normal());
            (cycles / clock, cycles)
        };
        (0..launches).map(launch).unzip()
    }
}

/// Verdicts counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) faster: usize,
    pub(crate) slower: usize,
    pub(crate) same: usize,
    pub(crate) ambiguous: usize,
}

/// The verdicts on `comparisons` of a kernel with one that takes `factor` times its cycles.
pub(crate) fn run(
    comparisons: usize,
    launches: usize,
    factor: f64,
    noise: &Noise,
    seed: u64,
    limits: &Limits,
) -> Tally {
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for _ in 0..comparisons {
        let (old_time, old_cycles) = noise.session(launches, 1.0, &mut random);
        let (new_time, new_cycles) = noise.session(launches, factor, &mut random);
        let judged = |old: &[f64], new: &[f64]| judge(old, new, limits).expect("there are launches");
        let course = both_agree(&judged(&old_time, &new_time), &judged(&old_cycles, &new_cycles), limits);
        match course {
            Course::Down => tally.faster += 1,
            Course::Up => tally.slower += 1,
            Course::Same => tally.same += 1,
            Course::Unclear => tally.ambiguous += 1,
        }
    }
    tally
}
