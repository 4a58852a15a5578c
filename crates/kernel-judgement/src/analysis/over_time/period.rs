//! What repeats in samples.

/// Turns that must be seen.
const TURNS: usize = 4;
/// The shortest turn that samples show, in samples.
const SHORTEST: usize = 3;
/// How alike two turns must be: the autocorrelation, 1 for equal ones.
const ALIKE: f64 = 0.5;
/// The swing that stands out, in points of percent.
const SWING: f64 = 5.0;

/// A turn: its length in samples, and from the mean of the lowest tenth of the samples to that of the highest; `None` where nothing
/// repeats at least four times, or stands out of the level.
pub(super) fn period(samples: &[f64]) -> Option<(f64, f64, f64)> {
    let most = samples.len() / TURNS;
    let swing = swing(samples).filter(|swing| *swing >= SWING && most > SHORTEST)?;
    let level = without_trend(samples);
    let power: f64 = level.iter().map(|value| value * value).sum();
    // Divided by the count of products, so that long turns weigh as much as short ones.
    let alike = |lag: usize| {
        let products: f64 = level.iter().zip(&level[lag..]).map(|(a, b)| a * b).sum();
        products / (level.len() - lag) as f64 * level.len() as f64 / power
    };
    let alike: Vec<f64> = (0..=most).map(alike).collect();
    // A level that changes slowly is like itself at short lags: what repeats is unlike in between.
    let below = alike.iter().position(|value| *value < 0.0)?;
    let is_peak =
        |lag: &usize| alike[*lag] >= alike[lag - 1] && alike.get(lag + 1).is_none_or(|next| alike[*lag] >= *next);
    let peak = (below.max(SHORTEST)..alike.len()).filter(is_peak);
    let lag = peak.max_by(|a, b| alike[*a].total_cmp(&alike[*b]).then(b.cmp(a))).filter(|lag| alike[*lag] >= ALIKE)?;
    // Of a turn and its multiples the shortest that is nearly as alike.
    let first = (below.max(SHORTEST)..lag).filter(is_peak).find(|shorter| alike[*shorter] >= 0.9 * alike[lag]);
    let lag = first.unwrap_or(lag);
    Some((vertex(&alike, lag), swing, alike[lag]))
}

/// The top of the parabola through a peak and its neighbours.
fn vertex(values: &[f64], at: usize) -> f64 {
    let (Some(left), Some(right)) = (values.get(at - 1), values.get(at + 1)) else { return at as f64 };
    let bend = left - 2.0 * values[at] + right;
    if bend < 0.0 { at as f64 + 0.5 * (left - right) / bend } else { at as f64 }
}

/// From the mean of the lowest tenth of the samples to that of the highest.
fn swing(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let tenth = (sorted.len() / 10).max(1);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let (low, high) = (sorted.get(..tenth)?, sorted.get(sorted.len() - tenth..)?);
    Some(mean(high) - mean(low))
}

/// The distance of each sample from the line through all of them.
fn without_trend(samples: &[f64]) -> Vec<f64> {
    let count = samples.len() as f64;
    let (middle, mean) = ((count - 1.0) / 2.0, samples.iter().sum::<f64>() / count);
    let along = |n: usize| n as f64 - middle;
    let (mut up, mut across) = (0.0, 0.0);
    for (n, sample) in samples.iter().enumerate() {
        up += along(n) * (sample - mean);
        across += along(n) * along(n);
    }
    let slope = if across > 0.0 { up / across } else { 0.0 };
    samples.iter().enumerate().map(|(n, sample)| sample - mean - slope * along(n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_has_its_length_and_swing() {
        let turns: Vec<f64> = (0..100).map(|n| if n % 10 < 5 { 80.0 } else { 40.0 }).collect();
        let (length, swing, alike) = period(&turns).expect("ten turns");
        assert!((length - 10.0).abs() < 0.05 && swing == 40.0 && alike > 0.95, "{length} {swing} {alike}");
        let rising: Vec<f64> = (0..120).map(|n| if n % 8 < 2 { 60.0 } else { 30.0 } + n as f64 * 0.2).collect();
        assert!(period(&rising).is_some_and(|(length, ..)| (length - 8.0).abs() < 0.1), "a trend hides nothing");
    }

    #[test]
    fn what_does_not_repeat_has_none() {
        let step: Vec<f64> = (0..100).map(|n| if n < 50 { 80.0 } else { 20.0 }).collect();
        assert_eq!(period(&step), None);
        let thrice: Vec<f64> = (0..60).map(|n| if n % 20 < 10 { 80.0 } else { 20.0 }).collect();
        assert_eq!(period(&thrice), None, "three turns are too few");
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / (1_u64 << 24) as f64
        };
        let noise: Vec<f64> = (0..200).map(|_| 50.0 + 20.0 * random()).collect();
        assert_eq!(period(&noise), None);
        let faint: Vec<f64> = (0..100).map(|n| 50.0 + if n % 10 < 5 { 1.0 } else { -1.0 }).collect();
        assert_eq!(period(&faint), None, "2 points do not stand out");
        for few in [&[][..], &[1.0][..], &[f64::MAX, 0.0, 1.0][..]] {
            assert_eq!(period(few), None);
        }
    }
}
