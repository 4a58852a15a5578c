//! Numbers of a printed table, whose commas are groups of thousands or a decimal mark as the locale has it.

/// What a comma inside the numbers of a table means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comma {
    /// It stands between groups of three digits, or there is none.
    Group,
    /// It stands before the decimals.
    Decimal,
}

impl Comma {
    /// What it means in these numbers of one table; `None` where they allow both and differ by it.
    pub(super) fn of<'t>(numbers: impl Iterator<Item = &'t str> + Clone) -> Option<Comma> {
        let with = numbers.clone().filter(|number| number.contains(','));
        if with.clone().any(|number| !is_grouped(number)) {
            return Some(Comma::Decimal);
        }
        let has_point = numbers.clone().any(|number| number.contains('.'));
        let has_many = with.clone().any(|number| number.matches(',').count() > 1);
        (has_point || has_many || with.count() == 0).then_some(Comma::Group)
    }

    /// The number; `None` for text that is none.
    pub(super) fn number(self, text: &str) -> Option<f64> {
        let text = match self {
            Comma::Group => text.replace(',', ""),
            Comma::Decimal => text.replace('.', "").replace(',', "."),
        };
        text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
    }
}

/// Whether commas stand as they do between thousands: `1,920,000`, not `0,000` or `61,2`.
fn is_grouped(number: &str) -> bool {
    let whole = number.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && first != "0" && groups.all(|group| group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_is_what_the_table_shows_it_to_be() {
        let comma = |numbers: &[&str]| Comma::of(numbers.iter().copied());
        assert_eq!(comma(&["58.5", "5,850,000", "50"]), Some(Comma::Group));
        assert_eq!(comma(&["1,920,000"]), Some(Comma::Group));
        assert_eq!(comma(&["482,333", "3", "0,000"]), Some(Comma::Decimal));
        assert_eq!(comma(&["61,2", "900"]), Some(Comma::Decimal));
        assert_eq!(comma(&["482,333", "3"]), None);
        assert_eq!(comma(&["1", "2"]), Some(Comma::Group));
    }

    #[test]
    fn numbers_lose_their_groups() {
        assert_eq!(Comma::Group.number("5,850,000.5"), Some(5_850_000.5));
        assert_eq!(Comma::Decimal.number("482,333"), Some(482.333));
        assert_eq!([Comma::Group.number("abc"), Comma::Group.number("-1"), Comma::Group.number("nan")], [None; 3]);
    }
}
