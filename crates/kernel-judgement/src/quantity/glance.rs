//! Numbers at a glance, as prose and small tables write them: the unit is that of the number as it is written, so that none reads
//! `1000.0 µs`.

use super::format::{Scale, fixed, plain};
use super::{Quantity, Unit};

/// How many decimals a number in a unit has.
#[derive(Clone, Copy)]
enum Decimals {
    Fixed(usize),
    /// So many that three digits count.
    Three,
    /// One more than for three.
    Four,
}

impl Decimals {
    fn of(self, value: f64) -> usize {
        match self {
            Decimals::Fixed(decimals) => decimals,
            Decimals::Three => three(value),
            Decimals::Four => three(value) + 1,
        }
    }
}

/// A unit: its size, its name, the decimals.
type Step = (f64, &'static str, Decimals);

/// Decimals that leave three digits, by the number as it is rounded.
fn three(value: f64) -> usize {
    match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    }
}

/// The number in the first unit, the smallest first, in which it is written below a thousand; in the last if in none.
fn stepped(value: f64, steps: &[Step]) -> Option<(f64, &'static str, usize)> {
    let is_below = |(size, _, decimals): &&Step| {
        let scaled = value.abs() / size;
        scaled < 1e3 - 0.5 / 10f64.powi(decimals.of(scaled) as i32)
    };
    let (size, unit, decimals) = steps.iter().find(is_below).or(steps.last())?;
    Some((value / size, unit, decimals.of(value / size)))
}

fn written(value: f64, steps: &[Step]) -> String {
    stepped(value, steps)
        .map(|(value, unit, decimals)| format!("{} {unit}", fixed(value, decimals)))
        .unwrap_or_default()
}

/// Three digits that count.
pub fn digits(value: f64) -> String {
    fixed(value, three(value))
}

/// Cycles of a step, a phase or a tile, which rest on samples or differ from launch to launch: three digits count, `47,000`, `1.31 M`.
pub fn cycles(value: f64) -> String {
    if value.abs() >= 999_500.0 {
        return short(value);
    }
    let unit = 10f64.powf((value.abs().max(1.0).log10().floor() - 2.0).max(0.0));
    fixed((value / unit).round() * unit, 0)
}

/// A time in ns: `980 ns`, `141.5 µs`, `1.680 ms`, `51.93 ms`: from a millisecond on four digits count.
pub fn time(ns: f64) -> String {
    use Decimals::{Fixed, Four};
    written(ns, &[(1.0, "ns", Fixed(0)), (1e3, "µs", Fixed(1)), (1e6, "ms", Four), (1e9, "s", Four)])
}

/// What may be saved, times in ns: between two and at most, three digits of the largest in its unit: `12 to 527 µs, ≤ 546 µs`, or
/// `12 to ≤ 546 µs`.
pub fn saved(between: Option<[f64; 2]>, most: f64) -> String {
    use Decimals::Three;
    const STEPS: [Step; 4] = [(1.0, "ns", Three), (1e3, "µs", Three), (1e6, "ms", Three), (1e9, "s", Three)];
    let Some((value, unit, decimals)) = stepped(most, &STEPS) else { return String::new() };
    let of = |ns: f64| fixed(if most > 0.0 { ns * value / most } else { 0.0 }, decimals);
    let most = fixed(value, decimals);
    let between = between.map(|[low, high]| [low, high].map(of)).map(|[low, high]| match high == most {
        true => format!("{low} to "),
        false => format!("{low} to {high} {unit}, "),
    });
    format!("{}≤ {most} {unit}", between.unwrap_or_default())
}

/// What may be saved of a time, in percent: whole numbers, with a decimal where the upper end would round above `most`, its ceiling.
pub fn between([low, high]: [f64; 2], most: Option<f64>) -> String {
    let decimals = usize::from(most.is_some_and(|most| high.round() > most));
    format!("{} to {} %", fixed(low, decimals), fixed(high, decimals))
}

/// A count in full up to a million, then by three digits, from a hundred million on by four: `1,752`, `7.49 M`, `133.8 M`, `2.134 G`.
pub fn amount(value: f64) -> String {
    match value.abs() {
        size if size >= 999.95e6 => written(value, &[(1e9, "G", Decimals::Four), (1e12, "T", Decimals::Four)]),
        size if size >= 1e6 => format!("{} M", fixed(value / 1e6, three(value / 1e6).max(1))),
        size if size >= 1e4 => fixed(value, 0),
        _ => fixed(value, if value.fract() == 0.0 { 0 } else { 2 }),
    }
}

/// A rate of work: `652 TFLOP/s`.
pub fn rate(per_second: f64, unit: &str) -> String {
    use Decimals::Three;
    const STEPS: [Step; 4] = [(1e6, "M", Three), (1e9, "G", Three), (1e12, "T", Three), (1e15, "P", Three)];
    match stepped(per_second, &STEPS).filter(|_| per_second >= 1e6) {
        Some((value, prefix, decimals)) => format!("{} {prefix}{unit}", fixed(value, decimals)),
        None => format!("{} {unit}", digits(per_second)),
    }
}

/// `7.83 GB`, `714 MB`.
pub fn bytes(value: f64) -> String {
    use Decimals::{Fixed, Three};
    let steps = [(1.0, "B", Fixed(0)), (1e3, "kB", Three), (1e6, "MB", Three), (1e9, "GB", Three), (1e12, "TB", Three)];
    written(value, &steps)
}

/// A quantity: a percentage with one decimal, everything else in three digits with its unit.
pub fn quantity(found: Quantity) -> String {
    match (found.unit(), found.value()) {
        (Unit::PERCENT, percent) => format!("{} %", fixed(percent, 1)),
        (Unit::NS, ns) => time(ns),
        (Unit::BYTE, size) => bytes(size),
        (Unit::INST, count) => short(count),
        (unit, value) => {
            let three = if value.abs() < 1e4 && value.fract() != 0.0 { digits(value) } else { short(value) };
            format!("{three} {}", Scale::of(unit, [1.0]).unit()).trim_end().to_owned()
        }
    }
}

/// A count: three digits with a decimal prefix from ten thousand on, `16.8 M`.
pub fn short(value: f64) -> String {
    use Decimals::Three;
    const STEPS: [Step; 5] =
        [(1e3, "k", Three), (1e6, "M", Three), (1e9, "G", Three), (1e12, "T", Three), (1e15, "P", Three)];
    match stepped(value, &STEPS).filter(|_| value.abs() >= 1e4) {
        Some((value, prefix, decimals)) => format!("{} {prefix}", fixed(value, decimals)),
        None => plain(value, 2),
    }
}

/// A share as a sentence has it: `45.5 %`.
pub fn share(value: f64) -> String {
    format!("{} %", fixed(100.0 * value, 1))
}

/// A share in whole percent, without the sign: `46`.
pub fn whole(value: f64) -> String {
    fixed(100.0 * value, 0)
}

/// A count in full below a million, else by three digits: `15,387`, `10.8 M`.
pub(crate) fn count(value: f64) -> String {
    if value.abs() < 1e6 { fixed(value, 0) } else { short(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forecast_does_not_stand_above_its_ceiling() {
        assert_eq!(between([1.2, 10.7], Some(10.7)), "1.2 to 10.7 %");
        assert_eq!(between([1.2, 10.4], Some(10.7)), "1 to 10 %");
        assert_eq!(between([1.2, 10.7], None), "1 to 11 %");
    }

    #[test]
    fn the_unit_is_that_of_the_rounded_number() {
        assert_eq!([999.4, 999.6, 999_960.0, 1e6].map(time), ["999 ns", "1.0 µs", "1.000 ms", "1.000 ms"]);
        assert_eq!([1.68e6, 141_504.0, 2.5e9, 0.0].map(time), ["1.680 ms", "141.5 µs", "2.500 s", "0 ns"]);
        assert_eq!([999.0, 999_700.0, 7.83e9, 5e15].map(bytes), ["999 B", "1.00 MB", "7.83 GB", "5,000 TB"]);
        assert_eq!(
            [9_999_999.0, 7.49e6, 2.1338e9, 3.429e10, 1_752.0, 0.25].map(amount),
            ["10.0 M", "7.49 M", "2.134 G", "34.29 G", "1,752", "0.25"]
        );
        assert_eq!(
            [652.1e12, 999.8e9, 12.0].map(|per| rate(per, "FLOP/s")),
            ["652 TFLOP/s", "1.00 TFLOP/s", "12.0 FLOP/s"]
        );
        assert_eq!([9.996, 99.96, 123.0].map(digits), ["10.0", "100", "123"]);
    }

    #[test]
    fn cycles_have_three_digits() {
        let told = [1_314_159.0, 46_976.4, 7_004.0, 999.6, 471.2, 12.4, 0.0].map(cycles);
        assert_eq!(told, ["1.31 M", "47,000", "7,000", "1,000", "471", "12", "0"]);
    }

    #[test]
    fn counts() {
        assert_eq!(
            [0.0, 9_999.0, 16_777_216.0, 999_700.0, 1e12].map(short),
            ["0", "9,999", "16.8 M", "1.00 M", "1.00 T"]
        );
    }
}
