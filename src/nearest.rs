//! The nearest known names: what an error message offers when a name is unknown.

/// The candidate that is closest to `name` by edit distance, when it is close enough to be a likely slip: at most one
/// edit per three characters of the longer name, and never fewer than one. The first of equally close ones wins.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let limit = (length.max(candidate.chars().count()) / 3).max(1);
            Some((within(name, candidate, limit)?, candidate))
        })
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// `; did you mean "x"?`, or nothing when no candidate is near.
pub(crate) fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
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

/// The candidate that `name` differs from by one or two edits, other digits aside: a slip even where names that nobody
/// lists are to be expected.
pub(crate) fn slip_of<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let is_number = |other: &str| {
        let letters = |name: &str| name.replace(|c: char| c.is_ascii_digit(), "");
        letters(name) == letters(other)
    };
    let near = candidates.filter_map(|other| Some((within(name, other, 2)?, other)));
    near.min_by_key(|(edits, _)| *edits).map(|(_, other)| other).filter(|other| !is_number(other))
}

/// Edits (insertions, deletions, replacements, swaps of neighbours) that turn one name into the other, case ignored; `None`
/// for more than `limit`.
fn within(a: &str, b: &str, limit: usize) -> Option<usize> {
    // So many edits there are at least. Thousands of names are tried, and a file may hold one of megabytes.
    if a.chars().count().abs_diff(b.chars().count()) > limit {
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

    #[allow(clippy::disallowed_methods, reason = "a test of how long it takes")]
    #[test]
    fn a_name_of_megabytes_is_compared_with_none() {
        let begun = std::time::Instant::now();
        assert_eq!(nearest(&"x".repeat(8 << 20), ["title", "kernel", "baseline", "report"]), None);
        assert!(begun.elapsed() < std::time::Duration::from_secs(2), "{:?}", begun.elapsed());
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
