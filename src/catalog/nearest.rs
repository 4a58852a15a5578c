//! Which known names a misspelt one is near to.

/// Edit distance between two texts: insertions, deletions, replacements and swaps of neighbours
/// (optimal string alignment; Damerau 1964). `None` once it must exceed `limit`.
fn distance(a: &[u8], b: &[u8], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    for (i, &left) in a.iter().enumerate() {
        row[0] = i + 1;
        for (j, &right) in b.iter().enumerate() {
            let replaced = above[j] + usize::from(left != right);
            row[j + 1] = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && left == b[j - 1] && a[i - 1] == right {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        if row.iter().all(|&cost| cost > limit) {
            return None;
        }
        std::mem::swap(&mut before, &mut above);
        std::mem::swap(&mut above, &mut row);
    }
    Some(above[b.len()]).filter(|&cost| cost <= limit)
}

/// Up to `most` of the known names that are likely meant by `name`, the likeliest first: names within a few edits,
/// then names that contain it. Letter case is ignored.
pub(super) fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let wanted = name.trim().to_ascii_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    let limit = (wanted.len() / 4).clamp(1, 8);
    let mut found: Vec<(usize, usize, &str)> = known
        .filter_map(|candidate| {
            let lower = candidate.to_ascii_lowercase();
            let cost = distance(wanted.as_bytes(), lower.as_bytes(), limit);
            let part = wanted.len() >= 3 && lower.contains(&wanted);
            match (cost, part) {
                (Some(cost), _) => Some((cost, candidate.len(), candidate)),
                (None, true) => Some((limit + 1, candidate.len(), candidate)),
                (None, false) => None,
            }
        })
        .collect();
    found.sort_unstable();
    found.dedup_by_key(|(_, _, candidate)| *candidate);
    found.into_iter().take(most).map(|(_, _, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        let d = |a: &str, b: &str| distance(a.as_bytes(), b.as_bytes(), 9);
        assert_eq!(d("barrier", "barrier"), Some(0));
        assert_eq!(d("barier", "barrier"), Some(1));
        assert_eq!(d("hihg", "high"), Some(1));
        assert_eq!(d("", "abc"), Some(3));
        assert_eq!(d("kitten", "sitting"), Some(3));
        assert_eq!(distance(b"abc", b"xyz", 2), None);
    }

    #[test]
    fn the_nearest_comes_first_and_parts_follow() {
        let known = ["membar", "barrier", "launch__barrier_count", "wait"];
        assert_eq!(near("Barier", known.into_iter(), 5), ["barrier"]);
        assert_eq!(near("barrier", known.into_iter(), 5), ["barrier", "launch__barrier_count"]);
        assert!(near("zzzzzz", known.into_iter(), 5).is_empty());
        assert!(near("  ", known.into_iter(), 5).is_empty());
    }
}
