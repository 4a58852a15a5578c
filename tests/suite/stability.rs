//! One launch collected again and again: the limiter that the page names, and what it puts first of what to change.
//! `docs/evidence/stability.md` is made here from what `tests/stability.py` read.

use crate::written::is_as_written;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// What was said how often, the most frequent first, and how often that was.
fn said<'a>(words: impl Iterator<Item = &'a str>) -> (String, usize) {
    let mut counts = BTreeMap::<&str, usize>::new();
    words.for_each(|word| *counts.entry(word).or_default() += 1);
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let text: Vec<String> = counts.iter().map(|(word, count)| format!("`{word}` {count}")).collect();
    (text.join(", "), counts[0].1)
}

#[test]
fn collected_again() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = std::fs::read_to_string(root.join("tests/fixtures/stability.tsv")).unwrap();
    let mut kernels = BTreeMap::<&str, Vec<[&str; 2]>>::new();
    for line in read.lines().skip(1) {
        let [kernel, _lease, limiter, row] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        kernels.entry(kernel).or_default().push([limiter, row]);
    }
    let mut text = String::from("| kernel | collections | limiter | first row |\n| --- | ---: | --- | --- |\n");
    let (mut all, mut limiters, mut rows) = (0, 0, 0);
    for (kernel, collections) in &kernels {
        let (limiter, same_limiter) = said(collections.iter().map(|[limiter, _]| *limiter));
        let (row, same_row) = said(collections.iter().map(|[_, row]| *row));
        all += collections.len();
        limiters += same_limiter;
        rows += same_row;
        writeln!(text, "| `{kernel}` | {} | {limiter} | {row} |", collections.len()).unwrap();
    }
    writeln!(
        text,
        "\nOf {all} collections of {} kernels {limiters} name the limiter that most of their kernel name, and {rows} put first what most put first.",
        kernels.len()
    )
    .unwrap();
    is_as_written(&root.join("docs/evidence/stability.md"), &text);
}
