//! The nearest known names: what an error message offers when a name is unknown.

/// The candidate that is closest to `name` by edit distance, when it is close enough to be a likely slip: at most one
/// edit per three characters of the longer name, and never fewer than one. The first of equally close ones wins.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let limit = slips(length, candidate.chars().count())?;
            Some((within(name, candidate, limit)?, candidate))
        })
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Edits by which two names of so many characters may differ and be one; `None` where their lengths differ by more.
fn slips(one: usize, other: usize) -> Option<usize> {
    let limit = (one.max(other) / 3).max(1);
    (one.abs_diff(other) <= limit).then_some(limit)
}

/// `; did you mean "x"?`, or nothing when no candidate is near.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map_or_else(String::new, |near| format!("; did you mean {near:?}?"))
}

/// Up to `most` of the candidates that are likely meant by `name`, the likeliest first: those within one edit per four
/// characters of it, then those that contain it. For lists of thousands of long names.
pub(crate) fn several<'a>(name: &str, candidates: impl Iterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let wanted = name.trim().to_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    let limit = (wanted.len() / 4).clamp(1, 8);
    let mut found: Vec<(usize, usize, &str)> = candidates
        .filter_map(|candidate| {
            let part = wanted.len() >= 3 && candidate.to_lowercase().contains(&wanted);
            let edits = within(&wanted, candidate, limit).or(part.then_some(limit + 1))?;
            Some((edits, candidate.len(), candidate))
        })
        .collect();
    found.sort_unstable();
    found.dedup_by_key(|(_, _, candidate)| *candidate);
    found.into_iter().take(most).map(|(_, _, candidate)| candidate).collect()
}

/// The candidate that `name` differs from by one or two edits, other digits aside: a slip also among names that nobody lists.
pub(crate) fn slip_of<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let is_number = |other: &str| {
        let letters = |name: &str| name.replace(|c: char| c.is_ascii_digit(), "");
        letters(name) == letters(other)
    };
    let near = candidates.filter_map(|other| Some((within(name, other, 2)?, other)));
    near.min_by_key(|(edits, _)| *edits).map(|(_, other)| other).filter(|other| !is_number(other))
}

/// Edits (insertions, deletions, replacements, swaps) from one name to the other, case ignored; `None` for more than `limit`.
fn within(a: &str, b: &str, limit: usize) -> Option<usize> {
    // Thousands of names are tried, of which most differ too much in length already. A character has up to four bytes.
    if a.len().abs_diff(b.len()) > limit * 4 {
        return None;
    }
    Some(strsim::osa_distance(&a.to_lowercase(), &b.to_lowercase())).filter(|edits| *edits <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_finds_none() {
        let names = ["title", "kernel", "baseline", "report"];
        assert_eq!(nearest("titel", names), Some("title"));
        assert_eq!(nearest("Kernel", names), Some("kernel"));
        assert_eq!(nearest("base_line", names), Some("baseline"));
        assert_eq!(nearest("occupancy", names), None);
        assert_eq!(nearest("", names), None);
    }

    #[test]
    fn names_of_other_lengths_are_not_compared_letter_by_letter() {
        assert_eq!([slips(8 << 20, 5), slips(5, 8 << 20), slips(9, 5)], [None; 3]);
        assert_eq!([slips(6, 5), slips(9, 6), slips(1, 2)], [Some(2), Some(3), Some(1)]);
    }

    #[test]
    fn the_nearest_of_several_comes_first_and_parts_follow() {
        let known = ["membar", "barrier", "launch__barrier_count", "wait"];
        let near = |name| several(name, known.into_iter(), 5);
        assert_eq!(near("Barier"), ["barrier"]);
        assert_eq!(near("barrier"), ["barrier", "launch__barrier_count"]);
        assert!(near("zzzzzz").is_empty() && near("  ").is_empty());
    }
}
