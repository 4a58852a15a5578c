//! The frame in which lines are told: the kernel itself, or the function that holds all of its main loop.

use crate::analysis::lines::Attribution;
use crate::evidence::{Instruction, SourceLine};
use std::collections::HashMap;

/// Share of the samples that a call must hold to be told by the lines of what it calls.
const HOLDS: f64 = 0.9;

/// The calls that all of each main loop was inlined from, the kernel's own line first.
#[derive(Debug, Default)]
pub(super) struct Frame {
    calls: Vec<Vec<SourceLine>>,
}

impl Frame {
    /// The frame of main loops, each with its rows.
    pub(super) fn of<'r>(
        rows: &[Instruction],
        samples: &Attribution<'_>,
        mains: impl IntoIterator<Item = &'r [usize]>,
    ) -> Frame {
        Frame { calls: mains.into_iter().map(|main| calls(rows, samples, main)).collect() }
    }

    /// Which of the places of an instruction, its own first, is told; `None` where no line is known.
    fn at(&self, places: &[SourceLine]) -> Option<usize> {
        let last = places.len().checked_sub(1)?;
        let is_inside = |calls: &&Vec<SourceLine>| {
            calls.len() <= places.len() && places.iter().rev().zip(*calls).all(|(own, outer)| own == outer)
        };
        let inside = self.calls.iter().filter(is_inside).map(Vec::len).max().unwrap_or_default();
        Some(last.saturating_sub(inside))
    }

    pub(super) fn line<'p>(&self, places: &'p [SourceLine]) -> Option<&'p SourceLine> {
        places.get(self.at(places)?)
    }

    /// Where the function that is called there stands.
    pub(super) fn callee<'p>(&self, places: &'p [SourceLine]) -> Option<&'p SourceLine> {
        places.get(self.at(places)?.checked_sub(1)?)
    }
}

/// The calls around nearly all samples of a main loop.
fn calls(rows: &[Instruction], samples: &Attribution<'_>, main: &[usize]) -> Vec<SourceLine> {
    let all = samples.at(main) as f64;
    let mut frame = Frame { calls: vec![Vec::new()] };
    loop {
        // By line: its samples in a function of the same file that is called there.
        let mut counts: HashMap<&SourceLine, u64> = HashMap::new();
        for row in main {
            let places = &rows[*row].places;
            let is_own = |at: &usize| *at > 0 && places[at - 1].file == places[*at].file;
            if let Some(at) = frame.at(places).filter(is_own) {
                *counts.entry(&places[at]).or_default() += samples.all[*row];
            }
        }
        let most = counts.into_iter().max_by_key(|(line, sum)| (*sum, std::cmp::Reverse(line.line)));
        match most.filter(|(_, inside)| all > 0.0 && *inside as f64 >= HOLDS * all) {
            Some((line, _)) => frame.calls[0].push(line.clone()),
            None => return frame.calls.remove(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(line: u32) -> SourceLine {
        SourceLine { file: "a.cu".into(), line, function: None }
    }

    #[test]
    fn a_call_of_the_whole_loop_is_told_by_what_it_calls() {
        let frame = Frame { calls: vec![vec![line(421)], Vec::new()] };
        // `wait`, inlined at 390 of a lambda that is called at 421; the epilogue is called at 422; a jump at the call itself.
        let (wait, store, jump) = ([line(73), line(390), line(421)], [line(210), line(422)], [line(421)]);
        let lines = |places: &[SourceLine]| frame.line(places).map(|place| place.line);
        assert_eq!([&wait[..], &store, &jump].map(lines), [Some(390), Some(422), Some(421)]);
        assert_eq!(frame.callee(&wait), Some(&line(73)));
        assert_eq!((frame.callee(&jump), frame.line(&[])), (None, None));
    }
}
