//! Cutting samples into stretches of one level each.

use std::ops::Range;

/// Stretches at most.
const MOST: usize = 24;
/// Levels differ from this share of the highest sample on, and from this many points of percent on in any case.
const APART: f64 = 0.12;
const POINTS: f64 = 1.0;
/// A cut must explain more than noise does: this many times the variance between neighbours, times the logarithm of the count.
const NOISE: f64 = 12.0;

/// Cuts samples of several units, all of one count, where a unit goes from one level to another that lasts: the cut that takes the
/// most off the squared distance to the means first, then each half again, as long as a unit differs enough on both sides.
/// Neighbours that do not differ in the end are joined again.
pub(super) fn stretches(units: &[&[f64]]) -> Vec<Range<usize>> {
    let count = units.iter().map(|unit| unit.len()).min().unwrap_or_default();
    if count == 0 {
        return Vec::new();
    }
    let sums: Vec<Sums> = units.iter().map(|unit| Sums::of(&unit[..count])).collect();
    let highest = units.iter().flat_map(|unit| &unit[..count]).copied().fold(0.0, f64::max);
    let apart = (APART * highest).max(POINTS);
    let noise: f64 = units.iter().map(|unit| variance_between_neighbours(&unit[..count])).sum();
    let least = NOISE * noise * (count as f64).ln();
    let with_cut = |range: Range<usize>| (best_cut(&sums, &range, apart), range);
    let mut parts = vec![with_cut(0..count)];
    while parts.len() < MOST {
        let cuts = parts.iter().enumerate().filter_map(|(at, (cut, _))| Some((at, (*cut)?)));
        let best = cuts.max_by(|a, b| a.1.1.total_cmp(&b.1.1)).filter(|(_, (_, gain))| *gain > least);
        let Some((at, (cut, _))) = best else { break };
        let range = parts[at].1.clone();
        parts.splice(at..=at, [range.start..cut, cut..range.end].map(with_cut));
    }
    let mut found: Vec<Range<usize>> = parts.into_iter().map(|(_, range)| range).collect();
    join(&sums, &mut found, apart);
    found
}

/// Joins neighbours of which no unit differs enough.
fn join(sums: &[Sums], found: &mut Vec<Range<usize>>, apart: f64) {
    while let Some(at) = (1..found.len()).find(|at| largest_step(sums, &found[at - 1], &found[*at]) < apart) {
        let until = found.remove(at).end;
        found[at - 1].end = until;
    }
}

fn largest_step(sums: &[Sums], left: &Range<usize>, right: &Range<usize>) -> f64 {
    sums.iter().map(|sums| (sums.mean(left) - sums.mean(right)).abs()).fold(0.0, f64::max)
}

/// Where a stretch is cut best, and what that takes off the squared distance to the means.
fn best_cut(sums: &[Sums], range: &Range<usize>, apart: f64) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    for cut in range.start + 1..range.end {
        let (left, right) = (range.start..cut, cut..range.end);
        let (l, r) = (left.len() as f64, right.len() as f64);
        let gain: f64 = sums.iter().map(|s| l * r / (l + r) * (s.mean(&left) - s.mean(&right)).powi(2)).sum();
        if best.is_none_or(|(_, most)| gain > most) && largest_step(sums, &left, &right) >= apart {
            best = Some((cut, gain));
        }
    }
    best
}

/// Running sums: means of any stretch at once.
struct Sums(Vec<f64>);

impl Sums {
    fn of(samples: &[f64]) -> Sums {
        let mut sum = 0.0;
        let running = samples.iter().map(|sample| {
            sum += sample;
            sum
        });
        Sums(std::iter::once(0.0).chain(running).collect())
    }

    fn mean(&self, range: &Range<usize>) -> f64 {
        (self.0[range.end] - self.0[range.start]) / (range.len() as f64).max(1.0)
    }
}

/// The variance that the steps between neighbours show, by their median, which a few large steps do not move.
fn variance_between_neighbours(samples: &[f64]) -> f64 {
    let mut steps: Vec<f64> = samples.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    steps.sort_by(f64::total_cmp);
    let median = steps.get(steps.len() / 2).copied().unwrap_or_default();
    // The median step between two values of a normal distribution is 0.954 times its deviation.
    (median / 0.954).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(units: &[&[f64]]) -> Vec<usize> {
        stretches(units).iter().map(|range| range.end).collect()
    }

    fn level(level: f64, count: usize) -> Vec<f64> {
        (0..count).map(|n| level + [0.3, -0.4, 0.2, -0.1][n % 4]).collect()
    }

    #[test]
    fn steps_are_found_at_their_samples() {
        let samples = [level(85.0, 30), level(8.0, 20), level(40.0, 10)].concat();
        assert_eq!(stretches(&[&samples]), [0..30, 30..50, 50..60]);
        let other = [level(10.0, 15), level(60.0, 45)].concat();
        assert_eq!(stretches(&[&samples, &other]), [0..15, 15..30, 30..50, 50..60], "a step of any unit counts");
    }

    #[test]
    fn noise_and_small_steps_are_one_level() {
        assert_eq!(ends(&[&level(50.0, 100)]), [100]);
        let small = [level(80.0, 50), level(85.0, 50)].concat();
        assert_eq!(ends(&[&small]), [100], "5 of 85 is less than 12 %");
        let wild: Vec<f64> = (0..120).map(|n| [94.0, 74.0, 91.0, 86.0][n % 4]).collect();
        assert_eq!(ends(&[&wild]), [120]);
    }

    #[test]
    fn odd_input_is_one_stretch_or_none() {
        assert!(ends(&[]).is_empty());
        assert!(ends(&[&[]]).is_empty());
        assert_eq!(ends(&[&[5.0]]), [1]);
        assert_eq!(ends(&[&[0.0; 40]]), [40]);
    }
}
