//! Numbers as ncu prints them under any locale.
//!
//! Digits are grouped by the locale of the machine that ran ncu ("1,586,991.25", "1.586.991,25", "1 586 991,25"). ncu
//! prints none, two or six decimals and groups of three, so one separator with three digits after it is the only shape
//! that can mean two things; the other cells of the same text then decide.

use crate::evidence::Value;

/// Which character separates what, as far as the cells of a text tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Locale {
    point: Option<u8>,
    group: Option<u8>,
}

/// What a cell holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Number {
    /// A number as plain digits with `.` before decimals, ready to be shifted and parsed.
    Plain(String),
    /// NaN: the metric was asked for and its collection failed, or a ratio was 0/0.
    NaN,
    /// One separator that may be a decimal point or a group, and nothing in the text tells which.
    Ambiguous,
    Text,
}

/// Digits and separators of a cell: sign, digits with separators, without white-space groups and apostrophes.
fn shape(cell: &str) -> Option<(bool, String)> {
    let (negative, digits) = match cell.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, cell),
    };
    let spaced = |c: char| matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '\u{2019}');
    let plain: String = if digits.contains(spaced) {
        let groups: Vec<&str> = digits.split(spaced).collect();
        let whole = |group: &str| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
        let last = groups.last().copied().unwrap_or_default();
        let last_whole = last.split([',', '.']).next().unwrap_or_default();
        let inner = groups.get(1..groups.len() - 1).unwrap_or_default();
        if !inner.iter().all(|group| whole(group)) || !whole(last_whole) {
            return None;
        }
        groups.concat()
    } else {
        digits.to_owned()
    };
    let bytes = plain.as_bytes();
    let ends = bytes.first()?.is_ascii_digit() && bytes.last()?.is_ascii_digit();
    (ends && bytes.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b','))).then_some((negative, plain))
}

/// The separators of a shape with their positions.
fn separators(digits: &str) -> Vec<(usize, u8)> {
    digits.bytes().enumerate().filter(|(_, byte)| !byte.is_ascii_digit()).collect()
}

impl Locale {
    /// Learns from one cell. A cell with one separator and six decimals tells nothing: those are printed without locale.
    pub(super) fn learn(&mut self, cell: &str) {
        let Some((_, digits)) = shape(cell) else { return };
        let found = separators(&digits);
        let (Some(first), Some(last)) = (found.first(), found.last()) else { return };
        if first.1 != last.1 {
            self.group.get_or_insert(first.1);
            self.point.get_or_insert(last.1);
        } else if found.len() > 1 {
            self.group.get_or_insert(last.1);
        } else if matches!(digits.len() - last.0 - 1, 1 | 2) || (digits.starts_with('0') && last.0 == 1) {
            self.point.get_or_insert(last.1);
        }
    }

    pub(super) fn number(self, cell: &str) -> Number {
        let cell = cell.trim();
        if matches!(cell, "nan" | "-nan" | "NaN" | "-nan(ind)" | "nan(ind)") {
            return Number::NaN;
        }
        let Some((negative, digits)) = shape(cell) else { return Number::Text };
        let found = separators(&digits);
        let sign = if negative { "-" } else { "" };
        let without = |separator: u8| digits.replace(char::from(separator), "");
        let as_point = |separator: u8| Number::Plain(format!("{sign}{}", digits.replace(char::from(separator), ".")));
        let as_group = |separator: u8| Number::Plain(format!("{sign}{}", without(separator)));
        let (Some(first), Some(last)) = (found.first(), found.last()) else {
            return Number::Plain(format!("{sign}{digits}"));
        };
        if first.1 != last.1 {
            if found[..found.len() - 1].iter().any(|(_, byte)| *byte != first.1) {
                return Number::Text;
            }
            let whole = without(first.1).replace(char::from(last.1), ".");
            return Number::Plain(format!("{sign}{whole}"));
        }
        let decimals = digits.len() - last.0 - 1;
        if found.len() > 1 {
            return if decimals == 3 { as_group(last.1) } else { Number::Text };
        }
        if decimals != 3 || last.0 > 3 || digits.starts_with('0') {
            return as_point(last.1);
        }
        match (self.point == Some(last.1), self.group == Some(last.1)) {
            (false, true) => as_group(last.1),
            (true, false) => as_point(last.1),
            (true, true) => Number::Ambiguous,
            (false, false) if last.1 == b',' || self.point.is_some() => as_group(last.1),
            (false, false) => Number::Ambiguous,
        }
    }
}

/// The value of plain digits times ten to the power of `shift`: an integer where the digits are one and nothing is
/// shifted, a float otherwise. The shift is done on the decimal text, so no digit is lost to rounding.
pub(super) fn value(plain: &str, shift: i32) -> Option<Value> {
    if shift == 0
        && let Ok(whole) = plain.parse::<u64>()
    {
        return Some(Value::U64(whole));
    }
    let number = if shift == 0 { plain.parse::<f64>() } else { format!("{plain}e{shift}").parse::<f64>() };
    number.ok().filter(|number| number.is_finite()).map(Value::F64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn under(cells: &[&str]) -> Locale {
        let mut locale = Locale::default();
        cells.iter().for_each(|cell| locale.learn(cell));
        locale
    }

    fn plain(text: &str) -> Number {
        Number::Plain(text.into())
    }

    #[test]
    fn groups_and_points_of_every_locale() {
        let any = Locale::default();
        assert_eq!(any.number("1,586,991.25"), plain("1586991.25"));
        assert_eq!(any.number("1.586.991,25"), plain("1586991.25"));
        assert_eq!(any.number("1\u{202f}586\u{a0}991,25"), plain("1586991.25"));
        assert_eq!(any.number("1'586'991.25"), plain("1586991.25"));
        assert_eq!(any.number("12,34,567.00"), plain("1234567.00"));
        assert_eq!(any.number("-3,50"), plain("-3.50"));
        assert_eq!(any.number("8.839776"), plain("8.839776"));
        assert_eq!(any.number("0.125"), plain("0.125"));
        assert_eq!(any.number("2048"), plain("2048"));
    }

    #[test]
    fn three_digits_after_one_separator_follow_the_other_cells() {
        assert_eq!(under(&["0.09", "16,795,825.26"]).number("2,048"), plain("2048"));
        assert_eq!(under(&["0,09", "16.795.825,26"]).number("2.048"), plain("2048"));
        assert_eq!(under(&["0,09"]).number("2.048"), plain("2048"));
        assert_eq!(under(&["0.09"]).number("2.048"), plain("2.048"));
        assert_eq!(Locale::default().number("2,048"), plain("2048"));
        assert_eq!(Locale::default().number("2.048"), Number::Ambiguous);
        assert_eq!(under(&["1.586.991", "3.50"]).number("2.048"), Number::Ambiguous);
    }

    #[test]
    fn words_are_no_numbers() {
        for cell in ["n/a", "NVIDIA H200", "No-CC", "(32, 32, 1)", "1.2.3", "1,", "-", "1e5", "0x10", "1 2", "+3", ""] {
            assert_eq!(Locale::default().number(cell), Number::Text, "{cell}");
        }
        assert_eq!(Locale::default().number("-nan"), Number::NaN);
    }

    #[test]
    fn shifting_loses_no_digit() {
        assert_eq!(value("8.839776", 6), Some(Value::F64(8_839_776.0)));
        assert_eq!(value("615.01", 3), Some(Value::F64(615_010.0)));
        assert_eq!(value("17498374", 0), Some(Value::U64(17_498_374)));
        assert_eq!(value("-5", 0), Some(Value::F64(-5.0)));
    }
}
