//! Numbers to text: with [`glance`](super::glance), which writes fewer digits, the only place that rounds, scales and groups.
//!
//! A reader must be able to find the printed number in ncu: percent and ratios get two decimals as ncu prints them,
//! whole counts keep every digit, and times, sizes and rates get the decimal prefix of the larger of the values that
//! stand side by side, so that a row is in one unit.

use super::{Quantity, Unit};

/// How the numbers of one row are written: a divisor, a unit text and the number of decimals.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    divisor: f64,
    unit: String,
    decimals: Decimals,
}

/// The part of a thousand from which two decimals round up to it.
const ROUNDS_UP: f64 = 1.0 - 5e-6;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Decimals {
    Fixed(usize),
    /// Whole numbers without decimals, others with two.
    Count,
}

impl Scale {
    /// The scale for numbers of one unit that are read together; by the largest magnitude among them.
    pub fn of(unit: Unit, values: impl IntoIterator<Item = f64>) -> Scale {
        // What is written as a thousand of a unit is one of the next.
        let largest = values.into_iter().map(f64::abs).fold(0.0, f64::max) / ROUNDS_UP;
        let scale = |steps: &[(f64, &str)], rest: &str| {
            let &(divisor, prefix) = steps.iter().rev().find(|(least, _)| largest >= *least).unwrap_or(&steps[0]);
            Scale { divisor, unit: format!("{prefix}{rest}"), decimals: Decimals::Fixed(2) }
        };
        const DECIMAL: [(f64, &str); 5] = [(1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T"), (1e15, "P")];
        match unit.as_str() {
            "%" => Scale { divisor: 1.0, unit: "%".into(), decimals: Decimals::Fixed(2) },
            "ns" if largest < 1e3 => count("ns"),
            "ns" => scale(&[(1e3, "µs"), (1e6, "ms"), (1e9, "s")], ""),
            "byte" if largest < 1e4 => count("B"),
            "byte" => scale(&DECIMAL, "B"),
            "byte/block" => count("B/block"),
            "hz" => scale(&DECIMAL, "Hz"),
            // ncu's unit of the per-instruction memory metrics, which count sectors or wavefronts as their names say.
            "" | "sectors" => count(""),
            text => match text.strip_suffix("/s") {
                Some(base) if largest >= 1e4 => {
                    let base = if base == "byte" { "B" } else { base };
                    scale(&DECIMAL, &format!("{base}/s"))
                }
                _ => count(&spelled(text)),
            },
        }
    }

    /// The scale of times in ns of a benchmark: µs from one on, because their intervals are finer than a hundredth of a ms.
    pub fn of_samples(values: impl IntoIterator<Item = f64>) -> Scale {
        let largest = values.into_iter().map(f64::abs).fold(0.0, f64::max);
        if largest < 1e3 * ROUNDS_UP {
            return count("ns");
        }
        Scale { divisor: 1e3, unit: "µs".into(), decimals: Decimals::Fixed(2) }
    }

    /// The number with its unit.
    pub fn write(&self, value: f64) -> String {
        let number = self.write_bare(value);
        match self.unit.as_str() {
            "" => number,
            plural if number == "1" => format!("1 {}", singular(plural)),
            unit => format!("{number} {unit}"),
        }
    }

    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// The number without its unit.
    pub fn write_bare(&self, value: f64) -> String {
        let scaled = value / self.divisor;
        match self.decimals {
            Decimals::Fixed(digits) => fixed(scaled, digits),
            Decimals::Count if scaled.fract() == 0.0 => fixed(scaled, 0),
            Decimals::Count => fixed(scaled, 2),
        }
    }
}

fn count(unit: &str) -> Scale {
    Scale { divisor: 1.0, unit: unit.into(), decimals: Decimals::Count }
}

/// Units that count things are spelled in the plural, as a reader says them.
fn spelled(unit: &str) -> String {
    match unit {
        "cycle" | "sector" | "warp" | "block" | "thread" | "register" | "request" => format!("{unit}s"),
        "branch" => "branches".into(),
        "register/thread" => "registers/thread".into(),
        other => other.into(),
    }
}

/// The unit after a lone 1.
fn singular(unit: &str) -> &str {
    match unit {
        "registers/thread" => "register/thread",
        "cycles" | "sectors" | "warps" | "blocks" | "threads" | "registers" | "requests" | "branches" => {
            unit.strip_suffix(if unit == "branches" { "es" } else { "s" }).unwrap_or(unit)
        }
        other => other,
    }
}

/// One quantity with a scale of its own.
pub fn quantity(q: Quantity) -> String {
    let said = Scale::of(q.unit(), [q.value()]).write(q.value());
    said.strip_prefix('-').map(|digits| format!("−{digits}")).unwrap_or(said)
}

/// A number of the given decimals with `,` between groups of three digits; never `-0`.
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) if rest.bytes().any(|b| b.is_ascii_digit() && b != b'0') => ("-", rest),
        Some(rest) => ("", rest),
        None => ("", text.as_str()),
    };
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(w, f)| (w, Some(f)));
    let mut out = sign.to_owned() + &grouped(whole);
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// A number with at most `decimals` decimals and no trailing zeros among them.
pub fn plain(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A small number by its magnitude, `3.12e-7`; zero as `0`. For errors and tolerances.
pub fn scientific(value: f64) -> String {
    if value == 0.0 { "0".into() } else { format!("{value:.2e}") }
}

/// A share in percent, `81.20 %`.
pub fn percent(value: f64) -> String {
    format!("{} %", fixed(value, 2))
}

/// A count of things whose plural ends in `s`: `1 block`, `2 blocks`, `6 passes`.
pub fn counted(count: u64, word: &str) -> String {
    let ending = if word.ends_with('s') { "es" } else { "s" };
    if count == 1 { format!("1 {word}") } else { format!("{} {word}{ending}", integer(count)) }
}

/// A sentence's beginning: the first letter large.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}

/// A label within a sentence: the first letter small, but for names such as `MIO throttle` and `L1 tag requests`.
pub fn uncapital(label: &str) -> String {
    let mut letters = label.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain([second]).chain(letters).collect()
        }
        _ => label.to_owned(),
    }
}

/// A whole number with grouped digits.
pub fn integer(value: u64) -> String {
    grouped(&value.to_string())
}

/// Digits with `,` between groups of three.
fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A relative change in percent with its sign and one decimal; factors above 10 are written as `×N`.
pub fn change(old: f64, new: f64) -> String {
    if old == new {
        return "0.0 %".into();
    }
    if old == 0.0 {
        return "from 0".into();
    }
    let ratio = new / old;
    if ratio >= 10.0 {
        return format!("×{}", fixed(ratio, if ratio < 100.0 { 1 } else { 0 }));
    }
    format!("{} %", signed(100.0 * (new - old) / old.abs(), 1))
}

/// A number of so many decimals with its sign; none where it is rounded to zero.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    match text.strip_prefix('-') {
        Some(rest) => format!("−{rest}"),
        None if text.chars().all(|digit| matches!(digit, '0' | '.')) => text,
        None => format!("+{text}"),
    }
}

/// A difference of two percentages, in points, with its sign.
pub fn points(old: f64, new: f64) -> String {
    format!("{} pp", signed(new - old, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: f64, unit: &str) -> String {
        quantity(Quantity::new(value, Unit::new(unit)).expect("finite"))
    }

    #[test]
    fn units_are_scaled_as_an_engineer_reads_them() {
        assert_eq!(text(8_837_600.0, "ns"), "8.84 ms");
        assert_eq!(text(764.0, "ns"), "764 ns");
        assert_eq!(text(96.0212, "%"), "96.02 %");
        assert_eq!(text(1_442_100_117.68, "byte/s"), "1.44 GB/s");
        assert_eq!(text(2_216_755_200.0, "sector"), "2,216,755,200 sectors");
        assert_eq!(text(1_979_943_219.0, "hz"), "1.98 GHz");
        assert_eq!(text(7.757_575, ""), "7.76");
        assert_eq!(text(1024.0, "byte/block"), "1,024 B/block");
        assert_eq!(text(4_294_967_296_000.0, "FLOP/s"), "4.29 TFLOP/s");
        assert_eq!(text(0.0, "byte/s"), "0 byte/s");
    }

    #[test]
    fn small_numbers_and_plain_ones() {
        assert_eq!((scientific(1.25e-7), scientific(0.0)), ("1.25e-7".into(), "0".into()));
        assert_eq!((plain(2.50, 2), plain(10.0, 2), plain(100.0, 0)), ("2.5".into(), "10".into(), "100".into()));
    }

    #[test]
    fn a_row_shares_one_scale() {
        let scale = Scale::of(Unit::NS, [8_837_600.0, 764_000.0]);
        assert_eq!((scale.write(8_837_600.0), scale.write(764_000.0)), ("8.84 ms".into(), "0.76 ms".into()));
    }

    #[test]
    fn changes_keep_their_sign() {
        assert_eq!(change(100.0, 97.9), "−2.1 %");
        assert_eq!(change(100.0, 107.8), "+7.8 %");
        assert_eq!(change(1.0, 35.0), "×35.0");
        assert_eq!(change(0.0, 3.0), "from 0");
        assert_eq!(points(68.5, 82.2), "+13.70 pp");
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(fixed(-1234567.5, 1), "-1,234,567.5");
    }
}
