//! The number by which a cell is sorted.

/// What the first number of a printed cell amounts to, its decimal prefix and its unit of time included; `None` for
/// words.
pub(super) fn key(text: &str) -> Option<f64> {
    let text = text.trim().trim_start_matches(['≤', '≥', '×', '+', '<', ' ']);
    let (sign, text) = match text.strip_prefix(['-', '−']) {
        Some(rest) => (-1.0, rest.trim_start_matches('<')),
        None => (1.0, text),
    };
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(text.len());
    let number: f64 = text[..end].replace(',', "").parse().ok()?;
    let unit = text[end..].split_whitespace().next().unwrap_or_default();
    Some(sign * number * factor(unit))
}

/// Times count in seconds, other units in themselves.
fn factor(unit: &str) -> f64 {
    match unit {
        "ns" => return 1e-9,
        "µs" => return 1e-6,
        "ms" => return 1e-3,
        _ => {}
    }
    let mut chars = unit.chars();
    let power = match chars.next() {
        Some('k') => 1e3,
        Some('M') => 1e6,
        Some('G') => 1e9,
        Some('T') => 1e12,
        Some('P') => 1e15,
        _ => return 1.0,
    };
    let rest = chars.as_str();
    let is_unit = rest.is_empty() || rest.ends_with("/s") || matches!(rest, "B" | "Hz");
    if is_unit { power } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn numbers_are_found_with_their_scale() {
        assert_eq!(key("1,234 sectors"), Some(1234.0));
        assert_eq!(key("−57.2 %, better"), Some(-57.2));
        assert_eq!((key("2 ms"), key("3 µs")), (Some(0.002), Some(3e-6)));
        assert_eq!((key("4.29 TFLOP/s"), key("16.8 M"), key("1.5 MB")), (Some(4.29e12), Some(16.8e6), Some(1.5e6)));
        assert_eq!((key("≤ 33.9 %"), key("×35.0"), key("−<0.1 %")), (Some(33.9), Some(35.0), Some(-0.1)));
        assert_eq!((key("LDG"), key(""), key("not collected")), (None, None, None));
    }
}
