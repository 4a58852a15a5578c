//! Printed units back to base units.

use crate::quantity::Unit;

/// The base unit of a printed unit and the power of ten that a printed number is multiplied with.
///
/// ncu prefixes bytes with K, M, G, T, P (decimal), hertz with K, M, G, and time with u, m or nothing above ns; a rate
/// of anything else is printed per ms, us or ns. `%/Kbyte` is the printed number times 1000 per byte, not divided:
/// ncu scales that value as it scales bytes. Versions up to 2023 spell `second` where later ones spell `s`, and print
/// clock rates in cycles per second. A unit that is not of these shapes is a base unit as it stands.
pub(super) fn base(printed: &str) -> (i32, Unit) {
    let printed = printed.trim();
    let (top, bottom) = printed.split_once('/').map_or((printed, None), |(top, bottom)| (top, Some(bottom)));
    if let Some(shift) = shift(&BYTES, top) {
        return (shift, joined("byte", bottom.map(|unit| if unit == "second" { "s" } else { unit })));
    }
    match (top, bottom) {
        ("%", Some(bottom)) => shift(&BYTES, bottom).map(|shift| (shift, Unit::new("%/byte"))),
        ("cycle", Some(bottom)) => per_second(bottom).map(|shift| (shift, Unit::HZ)),
        (_, Some(bottom)) => per_second(bottom).map(|shift| (shift, joined(top, Some("s")))),
        (unit, None) => {
            shift(&HERTZ, unit).map(|shift| (shift, Unit::HZ)).or(shift(&TIME, unit).map(|shift| (shift, Unit::NS)))
        }
    }
    .unwrap_or_else(|| (0, Unit::new(printed)))
}

fn joined(top: &str, bottom: Option<&str>) -> Unit {
    bottom.map_or_else(|| Unit::new(top), |bottom| Unit::new(&format!("{top}/{bottom}")))
}

/// Printed units with the power of ten above the base unit: of bytes, of frequency, of time.
const BYTES: [(&str, i32); 6] = [("byte", 0), ("Kbyte", 3), ("Mbyte", 6), ("Gbyte", 9), ("Tbyte", 12), ("Pbyte", 15)];
const HERTZ: [(&str, i32); 8] =
    [("hz", 0), ("Hz", 0), ("Khz", 3), ("KHz", 3), ("Mhz", 6), ("MHz", 6), ("Ghz", 9), ("GHz", 9)];
const TIME: [(&str, i32); 8] =
    [("ns", 0), ("nsecond", 0), ("us", 3), ("usecond", 3), ("ms", 6), ("msecond", 6), ("s", 9), ("second", 9)];

fn shift(of: &[(&str, i32)], unit: &str) -> Option<i32> {
    of.iter().find(|(name, _)| *name == unit).map(|(_, shift)| *shift)
}

fn per_second(unit: &str) -> Option<i32> {
    shift(&TIME, unit).map(|shift| 9 - shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prefix_goes_back_to_its_base() {
        for (printed, shift, unit) in [
            ("Mbyte", 6, "byte"),
            ("Gbyte/s", 9, "byte/s"),
            ("Gbyte/second", 9, "byte/s"),
            ("Kbyte/block", 3, "byte/block"),
            ("byte/cycle", 0, "byte/cycle"),
            ("Ghz", 9, "hz"),
            ("cycle/nsecond", 9, "hz"),
            ("cycle/second", 0, "hz"),
            ("us", 3, "ns"),
            ("second", 9, "ns"),
            ("sector/us", 6, "sector/s"),
            ("inst/ns", 9, "inst/s"),
            ("1/s", 0, "1/s"),
            ("%/Kbyte", 3, "%/byte"),
            ("%/register", 0, "%/register"),
            ("register/thread", 0, "register/thread"),
            ("%", 0, "%"),
            ("", 0, ""),
            ("zork", 0, "zork"),
        ] {
            assert_eq!(base(printed), (shift, Unit::new(unit)), "{printed}");
        }
    }
}
