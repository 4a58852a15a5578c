//! The nearest known name: what an error message offers when a name is unknown.

/// The candidate that is closest to `name` by edit distance, when it is close enough to be a likely slip: at most one
/// edit per three characters of the longer name, and never fewer than one. The first of equally close ones wins.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(edits, candidate)| *edits <= (length.max(candidate.chars().count()) / 3).max(1))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// `; did you mean "x"?`, or nothing when no candidate is near.
pub(crate) fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map_or_else(String::new, |near| format!("; did you mean {near:?}?"))
}

/// Edits (insert, delete, replace, swap of neighbours) that turn one name into the other, case ignored.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut edits = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                edits = edits.min(before_last[j - 1] + 1);
            }
            row.push(edits);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
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
    fn distance_counts_each_kind_of_edit_once() {
        assert_eq!(distance("abc", "abc"), 0);
        assert_eq!(distance("abc", "abxc"), 1);
        assert_eq!(distance("abc", "ac"), 1);
        assert_eq!(distance("abc", "acb"), 1);
        assert_eq!(distance("abc", "xyz"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
