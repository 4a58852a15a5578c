//! Instructions and lines as the page names them: the place, the call that leads there, the function's name.

use super::detail::{Line, Named, Point};
use super::products::{called, is_product};
use super::{frame::Frame, model::Span, study::Study};
use crate::analysis::lines::shortened;
use crate::evidence::{SourceLine, SourceView};
use std::collections::{BTreeMap, HashMap};

/// Share of a phase's samples that one call must hold to name it.
const NAMING: f64 = 0.8;

pub(in crate::analysis) fn point(study: &Study<'_>, row: usize) -> Point {
    let instruction = &study.view.instructions[row];
    let Line { file, line } = instruction.line().map(|own| study.line(own)).unwrap_or_default();
    Point {
        file,
        line,
        call: instruction.lines().get(1).map(|call| study.line(call)),
        offset: instruction.offset,
        opcode: instruction.named().to_owned(),
    }
}

/// The function that nearly all samples of some rows were inlined from by one line, with the lines of the function itself: by the
/// name in the code's line table, else in the text of that line. `None` where there is none.
pub(super) fn named(study: &Study<'_>, frame: &Frame, rows: &[usize]) -> Option<Named> {
    let places = |row: usize| &study.view.instructions[row].places[..];
    let call = |row: usize| frame.line(places(row)).zip(frame.callee(places(row)));
    let mut calls: BTreeMap<(&str, u32), (u64, &SourceLine, Option<&str>)> = BTreeMap::new();
    for row in rows.iter().copied() {
        let Some((line, callee)) = call(row) else { continue };
        let found = calls.entry((&line.file, line.line)).or_insert((0, line, None));
        found.0 += study.samples.all[row];
        found.2 = found.2.or(callee.function.as_deref());
    }
    let (samples, call, function) =
        calls.into_values().max_by_key(|(samples, call, _)| (*samples, std::cmp::Reverse(call.line)))?;
    if (samples as f64) < NAMING * study.samples.at(rows) as f64 || samples == 0 {
        return None;
    }
    let name = match function {
        Some(function) => function.to_owned(),
        None => called(&shortened(study.view.text(call)?))?.to_owned(),
    };
    let own = |row: &usize| frame.callee(places(*row)).filter(|_| frame.line(places(*row)) == Some(call));
    let lines: Vec<&SourceLine> = rows.iter().filter_map(own).filter(|line| line.line > 0).collect();
    let file = lines.first()?.file.clone();
    let lines = || lines.iter().filter(|line| line.file == file).map(|line| line.line);
    let (first, last) = (lines().min()?, lines().max()?);
    Some(Named { name, call: study.line(call), file: study.name(&file), first, last })
}

/// The line of most of some tensor instructions that calls or holds the product; without the source's text, the one that the page tells
/// them by.
pub(super) fn product_line<'v>(study: &Study<'v>, rows: &[usize]) -> Option<&'v SourceLine> {
    let view = study.view;
    let places = |row: &usize| &view.instructions[*row].places[..];
    let most = |lines: Vec<&'v SourceLine>| {
        let mut votes: BTreeMap<(&str, u32), (usize, &SourceLine)> = BTreeMap::new();
        lines.into_iter().for_each(|line| votes.entry((&line.file, line.line)).or_insert((0, line)).0 += 1);
        votes.into_values().max_by_key(|(count, line)| (*count, std::cmp::Reverse(line.line))).map(|(_, line)| line)
    };
    let products = rows.iter().filter_map(|row| places(row).iter().rev().find(|line| is_product(view, line)));
    most(products.collect()).or_else(|| most(rows.iter().filter_map(|row| study.frame.line(places(row))).collect()))
}

/// The line that most of some rows were inlined into from another one.
pub(super) fn calling<'v>(view: &'v SourceView, rows: &[usize], line: &SourceLine) -> Option<&'v SourceLine> {
    let mut votes: BTreeMap<(u32, &str), (usize, &SourceLine)> = BTreeMap::new();
    for row in rows {
        let caller = view.instructions[*row].places.iter().skip_while(|place| *place != line).nth(1);
        caller.into_iter().for_each(|call| votes.entry((call.line, &call.file)).or_insert((0, call)).0 += 1);
    }
    votes.into_values().rev().max_by_key(|(count, _)| *count).map(|(_, call)| call)
}

/// The lines of some rows, as inlined into: from the first to the last with more than a twentieth of their samples.
pub(super) fn span(study: &Study<'_>, frame: &Frame, rows: &[usize]) -> Span {
    let Study { code, samples, .. } = study;
    let offsets = || rows.iter().map(|row| code.rows[*row].offset);
    let (start, end) = (offsets().min().unwrap_or_default(), offsets().max().unwrap_or_default());
    let mut lines: HashMap<(&str, u32), u64> = HashMap::new();
    for row in rows {
        if let Some(place) = frame.line(&code.rows[*row].places) {
            *lines.entry((&place.file, place.line)).or_default() += samples.all[*row];
        }
    }
    let all: u64 = lines.values().sum();
    let mut files: HashMap<&str, u64> = HashMap::new();
    lines.iter().for_each(|((file, _), count)| *files.entry(file).or_default() += count + 1);
    let Some((file, _)) = files.into_iter().max_by_key(|(file, count)| (*count, *file)) else {
        return Span { start, end, ..Span::default() };
    };
    let counts = lines.iter().filter(|((other, line), _)| *other == file && *line > 0);
    let large: Vec<u32> = counts.filter(|(_, count)| 20 * **count >= all).map(|((_, line), _)| *line).collect();
    Span {
        file: study.name(file),
        first: large.iter().min().copied().unwrap_or_default(),
        last: large.iter().max().copied().unwrap_or_default(),
        start,
        end,
    }
}

#[cfg(test)]
mod tests {
    use super::called;

    #[test]
    fn calls_are_named_by_hand() {
        assert_eq!(called("        store_tile(out, acc, m, n);"), Some("store_tile"));
        assert_eq!(called("if (ready) wait<0>(barrier);"), Some("wait"));
        assert_eq!(called("for (int k = 0; k < 6; ++k) {"), None);
        assert_eq!(called("warpgroup_wait<0, true>();"), Some("warpgroup_wait"));
        assert_eq!(called("sum += a[i] * b[i];"), None);
    }
}
