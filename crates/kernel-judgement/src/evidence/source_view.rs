//! Counters of one launch, instruction by instruction and line by line.

use super::{Instruction, SourceLine};
use crate::quantity::Unit;
use arcstr::ArcStr;
use ncu_report::{SourceText, Value};
use std::collections::HashMap;

/// The instances of one metric by instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct CounterColumn {
    pub metric: ArcStr,
    pub unit: Unit,
    /// Position in [`SourceView::instructions`] and value, by position. An instruction that is not listed has none:
    /// ncu's source page shows 0 there for counts and `-` for codes.
    pub values: Vec<(u32, Value)>,
    /// Instances at addresses outside the listed functions.
    pub unplaced: u64,
}

impl CounterColumn {
    /// The value of the instruction at a position.
    pub fn value(&self, position: usize) -> Option<&Value> {
        let at = self.values.binary_search_by_key(&position, |(row, _)| *row as usize).ok()?;
        Some(&self.values[at].1)
    }
}

/// Whether instructions could be traced to lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum Lines {
    /// The cubin has a line table.
    Known,
    /// The code was compiled without line information.
    #[default]
    NoLineInfo,
    /// The report holds no machine code: only instructions with a counter are listed.
    NoCode,
    /// The report does not say where functions were loaded, so that no counter can be placed.
    NoAddresses,
    /// No counter tells instructions apart, and the result covers no single kernel whose code could be listed.
    NoCounters,
    /// The machine code cannot be read.
    Unreadable {
        /// What was wrong with it.
        why: String,
    },
}

/// One launch, instruction by instruction. As JSON it has no text but that of `shown`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceView {
    /// Row of the report.
    pub launch: u32,
    /// The name that ncu displays.
    pub name: ArcStr,
    /// Whether lines are known.
    pub lines: Lines,
    /// The compute capability that the code is for; `None` where nothing tells.
    pub capability: Option<(u32, u32)>,
    /// All instructions of the kernel's code section, then those of other functions that have counters, each by offset.
    pub instructions: Vec<Instruction>,
    /// The metrics with values by instruction, by name.
    pub columns: Vec<CounterColumn>,
    /// Embedded sources of the lines; none in a launch that was kept.
    pub texts: Vec<SourceText>,
    /// Of a launch that was kept, the text of the lines that its page shows.
    pub shown: Vec<(SourceLine, ArcStr)>,
    /// Of a launch that was kept, the lines of its tensor instructions that hold or call a product.
    pub products: Vec<SourceLine>,
}

/// How a metric's values on several instructions make one of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    /// Counts add up.
    Sum,
    /// Codes are bit masks.
    Union,
    /// Averages of one instruction mean nothing for several.
    Apart,
}

/// How the values of a metric combine: masks are `memory_type` and its kin, averages carry `avg` or `nway` in their names.
pub(crate) fn combine(metric: &str) -> Combine {
    match metric {
        "memory_type" | "memory_access_type" | "memory_access_size_type" => Combine::Union,
        _ if metric.starts_with("derived__avg_") || metric.starts_with("derived__derivative_") => Combine::Apart,
        _ if metric.ends_with("_nway") || metric.ends_with("_evict_type") => Combine::Apart,
        _ => Combine::Sum,
    }
}

/// One line and what its instructions add up to.
#[derive(Clone, Debug, PartialEq)]
pub struct LineCounts {
    pub place: SourceLine,
    /// (position in [`SourceView::columns`], value), for the metrics that combine and have a value here.
    pub values: Vec<(usize, Value)>,
}

impl SourceView {
    pub fn column(&self, metric: impl AsRef<str>) -> Option<&CounterColumn> {
        let metric = metric.as_ref();
        self.columns.binary_search_by(|column| column.metric.as_str().cmp(metric)).ok().map(|at| &self.columns[at])
    }

    /// The counts of a metric by instruction, 0 where ncu shows 0; `None` where the report does not hold the metric so.
    pub fn counts(&self, metric: impl AsRef<str>) -> Option<Vec<u64>> {
        let column = self.column(metric)?;
        let mut counts = vec![0; self.instructions.len()];
        for (row, value) in &column.values {
            counts[*row as usize] = value.as_u64()?;
        }
        Some(counts)
    }

    /// The text of a line, where the report embeds its file.
    pub fn text(&self, place: &SourceLine) -> Option<&str> {
        if let Some((_, text)) = self.shown.iter().find(|(shown, _)| shown.is_line(place)) {
            return Some(text);
        }
        let text = self.texts.iter().find(|text| text.file == place.file)?;
        text.text.lines().nth(place.line.checked_sub(1)? as usize)
    }

    /// What each line adds up to, by file and line. An instruction counts on its own line and on every line that it was
    /// inlined into, once each, as NVIDIA counts it; sums over lines may therefore exceed the kernel's.
    pub fn line_counts(&self) -> Vec<LineCounts> {
        let mut by_place: HashMap<&SourceLine, HashMap<usize, Value>> = HashMap::new();
        for (at, column) in self.columns.iter().enumerate() {
            let how = combine(&column.metric);
            for (row, value) in column.values.iter().filter(|_| how != Combine::Apart) {
                let places = &self.instructions[*row as usize].places;
                for place in places.iter().enumerate().filter(|(n, p)| !places[..*n].contains(p)).map(|(_, p)| p) {
                    let sums = by_place.entry(place).or_default();
                    match sums.get_mut(&at) {
                        Some(sum) => *sum = combined(how, sum, value),
                        None => drop(sums.insert(at, value.clone())),
                    }
                }
            }
        }
        let mut lines: Vec<LineCounts> = by_place
            .into_iter()
            .map(|(place, sums)| {
                let mut values: Vec<(usize, Value)> = sums.into_iter().collect();
                values.sort_by_key(|(column, _)| *column);
                LineCounts { place: place.clone(), values }
            })
            .collect();
        lines.sort_by(|a, b| (&a.place.file, a.place.line).cmp(&(&b.place.file, b.place.line)));
        lines
    }
}

fn combined(how: Combine, a: &Value, b: &Value) -> Value {
    match (a.as_u64(), b.as_u64()) {
        (Some(a), Some(b)) if how == Combine::Union => Value::U64(a | b),
        (Some(a), Some(b)) => Value::U64(a.saturating_add(b)),
        _ => Value::F64(a.as_f64().unwrap_or(f64::NAN) + b.as_f64().unwrap_or(f64::NAN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(file: &str, line: u32) -> SourceLine {
        SourceLine { file: file.into(), line, function: None }
    }

    fn instruction(offset: u64, places: Vec<SourceLine>) -> Instruction {
        Instruction { function: "k".into(), offset, places: places.into(), ..Instruction::default() }
    }

    fn column(metric: &str, values: &[(u32, u64)]) -> CounterColumn {
        let values = values.iter().map(|(row, value)| (*row, Value::U64(*value))).collect();
        CounterColumn { metric: metric.into(), unit: Unit::NONE, values, unplaced: 0 }
    }

    #[test]
    fn an_instruction_counts_once_on_each_line_of_its_stack() {
        let view = SourceView {
            lines: Lines::Known,
            instructions: vec![
                instruction(0, vec![line("b.h", 4), line("a.cu", 9), line("b.h", 4)]),
                instruction(16, vec![line("a.cu", 9)]),
                instruction(32, vec![]),
            ],
            columns: vec![
                column("derived__avg_thread_executed", &[(0, 32)]),
                column("inst_executed", &[(0, 3), (1, 5), (2, 7)]),
                column("memory_access_type", &[(0, 2), (1, 4)]),
            ],
            texts: vec![SourceText { file: "a.cu".into(), text: "one\r\ntwo\n".into() }],
            ..SourceView::default()
        };
        let sums: Vec<(u32, Vec<(usize, u64)>)> = view
            .line_counts()
            .iter()
            .map(|sum| (sum.place.line, sum.values.iter().map(|(at, v)| (*at, v.as_u64().unwrap_or(0))).collect()))
            .collect();
        assert_eq!(sums, [(9, vec![(1, 8), (2, 6)]), (4, vec![(1, 3), (2, 2)])]);
        assert_eq!(view.counts("memory_access_type"), Some(vec![2, 4, 0]));
        assert_eq!(view.counts("memory_type"), None);
        assert_eq!((view.text(&line("a.cu", 2)), view.text(&line("a.cu", 3))), (Some("two"), None));
    }
}
