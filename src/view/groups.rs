//! Lists put together by what their parts are called, in the order in which they come.

use std::ops::AddAssign;

/// What belongs to each name.
pub(super) fn grouped<K: PartialEq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (name, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(value),
            None => groups.push((name, vec![value])),
        }
    }
    groups
}

/// What the numbers of each name add up to.
pub(super) fn summed<K: PartialEq, N: AddAssign>(pairs: impl IntoIterator<Item = (K, N)>) -> Vec<(K, N)> {
    let mut sums: Vec<(K, N)> = Vec::new();
    for (name, number) in pairs {
        match sums.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += number,
            None => sums.push((name, number)),
        }
    }
    sums
}

/// Each once.
pub(crate) fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    grouped(all.into_iter().map(|one| (one, ()))).into_iter().map(|(one, _)| one).collect()
}
