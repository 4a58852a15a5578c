//! Profiles side by side as a document.

use super::document::{Block, Cell, Document, Line, Section, Table};
use super::groups::{distinct, grouped};
use super::over_time;
use super::reason::Reason;
use super::tables::{self, code, heading, left, list, paragraph, right, text};
use crate::analysis::{Against, Joined, KernelKey};
use crate::catalog::Counter;
use crate::evidence::{Dim3, Reading};
use crate::quantity::{format, glance};
use crate::words;
use unicode_width::UnicodeWidthStr;

/// Columns that `A: ` takes in front of the name of a file; two more from the 27th on.
const LABEL: usize = 4;
/// Characters that a name keeps on the narrowest screen.
const SHORTEST: usize = 24;
/// Characters of a kernel's name in the summary; its section has it whole.
const NAME: usize = 28;

/// A comparison of profiles, of which one kernel after the other is told.
pub(crate) struct SideBySide {
    names: Vec<String>,
    letters: Vec<String>,
    /// Of the kernels that were told, for the summary.
    rows: Vec<Vec<Cell>>,
}

impl SideBySide {
    pub(crate) fn of(names: Vec<String>) -> SideBySide {
        SideBySide { letters: letters(names.len()), names, rows: Vec::new() }
    }

    pub(crate) fn section(&mut self, joined: &Joined) -> Section {
        self.rows.extend(summary(joined, &self.letters));
        section(joined, &self.letters)
    }

    /// What stands above the sections of those that were told.
    pub(crate) fn head(self) -> Document {
        let lead = lead(&self.names, &self.letters);
        let summary = (!self.rows.is_empty())
            .then(|| tables::table("summary", "Kernel | File | Time: | Change: | Verdict", self.rows));
        let summary = summary.map(|table| Section::new("summary", "Summary", vec![table.into()]));
        Document { title: "Comparison".into(), lead, sections: summary.into_iter().collect(), ..Document::default() }
    }

    /// The kernels without a counterpart, which stand last; `None` where each has one.
    pub(crate) fn alone(&self, unmatched: &[(usize, KernelKey)]) -> Option<Section> {
        let item = |(column, kernel): &(usize, KernelKey)| {
            let shape = |dim: Option<Dim3>| dim.map(|d| d.to_string()).unwrap_or_default();
            words!(
                "{}: `{}`, grid {}, block {}",
                &self.letters[*column],
                kernel.short_name(),
                shape(kernel.grid),
                shape(kernel.block)
            )
        };
        let blocks = vec![list("kernels", unmatched.iter().map(item))];
        (!unmatched.is_empty()).then(|| Section::new("unmatched", "Without a counterpart", blocks))
    }
}

/// One line for each profile of a kernel: its time, and the verdict against the first profile. Of three profiles or more the
/// fastest stands first.
fn summary(joined: &Joined, letters: &[String]) -> Vec<Vec<Cell>> {
    const TIME: Counter = Counter::GpuTimeDurationSum;
    let row = |against: &Against| against.panels.iter().find_map(|panel| panel.row(TIME)).cloned();
    // One time of a launch for each pair, that of its page: the benchmark's where both sides have one, else the profiler's.
    let pair = |against: &Against| {
        let timed = against.comparison.whole.time_of_change(against.timed.as_ref());
        let sides = || {
            let row = row(against);
            let side = |reading: Option<&Reading>| reading.and_then(Reading::value);
            (side(row.as_ref().and_then(|row| row.old.as_ref())), side(row.as_ref().map(|row| &row.new)))
        };
        timed.map_or_else(sides, |time| (Some(time.old), Some(time.new)))
    };
    let first = joined.against.iter().find_map(|against| pair(against).0);
    let name = |key: &KernelKey| code(without_middle(key.short_name(), NAME));
    let time = |ns: Option<f64>| text(ns.map(glance::time).unwrap_or_default()).sorted(ns);
    let rank = |ns: Option<f64>| ns.unwrap_or(f64::INFINITY);
    let base = [name(&joined.kernel), text(letters[0].as_str()), time(first), text(""), text("")];
    let mut own = vec![(rank(first), base.to_vec())];
    for against in &joined.against {
        let (old, new) = pair(against);
        let change = old.zip(new).map(|(old, new)| text(format::change(old, new)).sorted(Some(new / old)));
        let cells = vec![
            name(&against.kernel),
            text(letters[against.column].as_str()),
            time(new),
            change.unwrap_or_default(),
            tables::verdict(against.comparison.whole.verdict),
        ];
        own.push((rank(new), cells));
    }
    if own.len() > 2 {
        own.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    }
    own.into_iter().map(|(_, cells)| cells).collect()
}

pub(super) fn letters(count: usize) -> Vec<String> {
    (0..count).map(letter).collect()
}

/// The names of files as they fit in lines of `width` characters: as they are where all do, else without the folders that all
/// share, and what is still too long without its middle. Names that would then be the same stay as they are.
pub(crate) fn short_files(files: &[String], width: usize) -> Vec<String> {
    let room = width.saturating_sub(LABEL).max(SHORTEST);
    let fits = |name: &String| name.width() <= room;
    if files.iter().all(fits) {
        return files.to_vec();
    }
    let folders = files.iter().map(|file| file.rfind('/').map_or("", |at| &file[..=at]));
    let shared = folders.reduce(common).map_or(0, |shared| shared.len());
    let short: Vec<String> = files.iter().map(|file| without_middle(&file[shared..], room)).collect();
    let is_alone = |(at, name): (usize, &String)| !short[..at].contains(name);
    if short.iter().enumerate().all(is_alone) { short } else { files.to_vec() }
}

/// The folders that two paths begin with.
fn common<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    one.as_bytes()[..same].iter().rposition(|byte| *byte == b'/').map_or("", |at| &one[..=at])
}

/// A name without its middle where it has more characters than there is room.
fn without_middle(name: &str, room: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if name.width() <= room {
        return name.to_owned();
    }
    let (first, last) = ((room - 1) / 2, room / 2);
    let (front, back) = (&letters[..first], &letters[letters.len().saturating_sub(last)..]);
    front.iter().chain(&['…']).chain(back).collect()
}

pub(super) fn lead(names: &[String], letters: &[String]) -> Vec<Line> {
    letters.iter().zip(names).map(|(letter, name)| Line::new("file", words!("**{}:** `{}`", letter, name))).collect()
}

/// `A`, `B`, … `Z`, then numbers.
fn letter(at: usize) -> String {
    match u8::try_from(at) {
        Ok(small) if small < 26 => char::from(b'A' + small).to_string(),
        _ => (at + 1).to_string(),
    }
}

fn section(joined: &Joined, letters: &[String]) -> Section {
    let mut blocks = Vec::new();
    for against in &joined.against {
        let whole = &against.comparison.whole;
        let reason = Reason::of_column(against);
        let said = [reason.why(), reason.cure()].join(" ");
        let (one, first) = (&letters[against.column], &letters[0]);
        let verdict = whole.verdict.word();
        let words = words!("**{} against {}: {}.** {}", one, first, verdict, said.trim_end());
        blocks.push(paragraph("verdict", words));
    }
    let sides: Vec<_> = std::iter::once(joined.over_time.as_ref())
        .chain(joined.against.iter().map(|against| against.over_time.as_ref()))
        .collect();
    let columns: Vec<&str> = std::iter::once(0)
        .chain(joined.against.iter().map(|against| against.column))
        .map(|at| letters[at].as_str())
        .collect();
    blocks.extend(over_time::side_by_side(&sides, &columns).map(Block::from));
    let panels = joined.against.iter().flat_map(|against| &against.panels).filter(|panel| !panel.rows.is_empty());
    for (id, title) in distinct(panels.map(|panel| (panel.id.as_str(), panel.title.as_str()))) {
        blocks.push(heading(id, title));
        blocks.push(table(id, joined, letters).into());
    }
    Section::new("kernel", joined.kernel.short_name(), blocks)
}

/// One panel: the first profile, then each other one with its verdict.
fn table(id: &str, joined: &Joined, letters: &[String]) -> Table {
    let mut columns = vec![left("Metric"), right(&letters[0])];
    for against in &joined.against {
        columns.extend([right(&letters[against.column]), right("Change"), left("Verdict")]);
    }
    let panel = |at: usize| joined.against[at].panels.iter().find(|panel| panel.id == id);
    let rows = (0..joined.against.len()).filter_map(panel).flat_map(|panel| &panel.rows);
    let labels = grouped(rows.map(|row| (row.id.as_str(), row.label.as_str())));
    let line = |(row_id, labels): (&str, Vec<&str>)| {
        let old = (0..joined.against.len()).find_map(|at| panel(at)?.row(row_id)?.old.as_ref());
        let mut cells = vec![text(labels[0]), old.map(tables::reading).unwrap_or_default()];
        for (at, against) in joined.against.iter().enumerate() {
            let row = panel(at).and_then(|panel| panel.row(row_id));
            let verdict = against.comparison.reading(row_id).map(|reading| tables::verdict(reading.verdict));
            cells.extend([
                row.map(|row| tables::reading(&row.new).strong()).unwrap_or_default(),
                row.filter(|_| verdict.is_some()).map(tables::change).unwrap_or_default(),
                verdict.unwrap_or_default(),
            ]);
        }
        cells
    };
    tables::table(id, columns, labels.into_iter().map(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(files: &[&str], width: usize) -> Vec<String> {
        short_files(&files.iter().map(|file| (*file).to_owned()).collect::<Vec<_>>(), width)
    }

    #[test]
    fn files_lose_their_common_folders_and_then_their_middles() {
        let both = ["runs/2026/a/gemm-with-vector-stores.ncu-rep", "runs/2026/b/gemm-with-vector-stores.ncu-rep"];
        assert_eq!(short(&both, 80), both);
        assert_eq!(short(&both, 40), ["a/gemm-with-vector-stores.ncu-rep", "b/gemm-with-vector-stores.ncu-rep"]);
        assert_eq!(short(&both, 28), ["a/gemm-with…ores.ncu-rep", "b/gemm-with…ores.ncu-rep"]);
        // Cut, these would be one: a name that is too long says more than one that says nothing.
        let alike = ["a-very-long-name-of-run-1-of-this-kernel.csv", "a-very-long-name-of-run-2-of-this-kernel.csv"];
        assert_eq!(short(&alike, 28), alike);
        // A folder ends at its slash, and letters that begin with the same byte are not the same.
        assert_eq!(common("runs/ä/x/", "runs/ö/y/"), "runs/");
        assert_eq!(common("run-1/", "run-2/"), "");
    }
}
