//! A place that the page can name: a line with its text, or an offset where no line is known.

use crate::analysis::without_home;
use crate::evidence::{SourceLine, SourceView};
use arcstr::ArcStr;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Characters kept of a source line.
const TEXT_LENGTH: usize = 80;
/// Calls named for one spot.
const CALLERS: usize = 3;
/// Instructions named for one spot.
const INSTRUCTIONS: usize = 3;
/// Characters of a file's name in front of its ending, and those that stay of a longer one: names that a compiler made of a hash.
const STEM: usize = 40;
const STEM_KEPT: usize = 12;

/// A line of the user's source as pages name it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// File name without folders, or with one where two files share a name; empty where no line is known.
    pub file: String,
    /// Line, from 1; 0 where no line is known.
    pub line: u32,
    /// `file:line` of the calls that its leading instructions were inlined at; empty for code that is where it was written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inlined_at: Vec<String>,
}

/// A source line with its code, or an instruction whose line is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Spot {
    #[serde(flatten)]
    pub place: Place,
    /// The line's text without indentation, cut at 80 characters; empty where the report does not embed the file.
    pub text: String,
    /// The leading instructions: (byte offset in the function, opcode or nothing), without modifiers where no disassembler was.
    pub instructions: Vec<(u64, String)>,
}

impl Spot {
    /// Whether two spots are the same line, or the same instruction where no line is known.
    pub(super) fn is_same_place(&self, other: &Spot) -> bool {
        let instruction = |spot: &Spot| spot.instructions.first().map(|(offset, _)| *offset);
        (&self.place.file, self.place.line) == (&other.place.file, other.place.line)
            && (self.place.line > 0 || instruction(self) == instruction(other))
    }

    /// `gemm.cu:12`; `SASS 0x1f0` where no line is known.
    pub fn label(&self) -> String {
        match (self.place.line, self.instructions.first()) {
            (0, Some((offset, _))) => format!("SASS {offset:#x}"),
            (0, None) => String::new(),
            (line, _) => format!("{}:{line}", self.place.file),
        }
    }
}

/// Instructions grouped by line, in the order of the code.
pub(super) struct Groups<'v> {
    pub(super) view: &'v SourceView,
    short: HashMap<ArcStr, String>,
    pub(super) all: Vec<Vec<usize>>,
}

impl<'v> Groups<'v> {
    pub(super) fn of(view: &'v SourceView) -> Groups<'v> {
        let mut all: Vec<Vec<usize>> = Vec::new();
        let mut known: HashMap<&SourceLine, usize> = HashMap::new();
        for (row, instruction) in view.instructions.iter().enumerate() {
            match instruction.line() {
                Some(place) => {
                    let at = *known.entry(place).or_insert_with(|| {
                        all.push(Vec::new());
                        all.len() - 1
                    });
                    all[at].push(row);
                }
                None => all.push(vec![row]),
            }
        }
        Groups { view, short: short_names(view), all }
    }

    /// The lines that count the most, each with its count and its rows, the largest first.
    pub(super) fn leading(&self, counts: &[u64], kept: usize) -> Vec<(u64, &[usize])> {
        let sum = |rows: &[usize]| rows.iter().map(|row| counts[*row]).sum();
        let mut sums: Vec<(u64, &[usize])> = self.all.iter().map(|rows| (sum(rows), &rows[..])).collect();
        sums.retain(|(sum, _)| *sum > 0);
        sums.sort_by_key(|(sum, rows)| (std::cmp::Reverse(*sum), rows[0]));
        sums.truncate(kept);
        sums
    }

    /// The same as spots, each with its share of `whole` in percent.
    pub(super) fn shares(&self, counts: &[u64], whole: u64, kept: usize) -> Vec<(Spot, f64)> {
        let spot = |(sum, rows): (u64, &[usize])| {
            (self.spot(rows, &|row| counts[row]), 100.0 * sum as f64 / whole.max(1) as f64)
        };
        self.leading(counts, kept).into_iter().map(spot).collect()
    }

    /// The spot of some instructions of one line, the leading ones by `weight` named.
    pub(super) fn spot(&self, rows: &[usize], weight: &dyn Fn(usize) -> u64) -> Spot {
        let mut leading: Vec<usize> = rows.iter().copied().filter(|row| weight(*row) > 0).collect();
        leading.sort_by_key(|row| (std::cmp::Reverse(weight(*row)), *row));
        let Some(first) = leading.first().or(rows.first()) else { return Spot::default() };
        let instruction = &self.view.instructions[*first];
        let place = instruction.line();
        let named = if leading.is_empty() { std::slice::from_ref(first) } else { &leading[..] };
        let instructions = named.iter().take(INSTRUCTIONS).map(|row| {
            let instruction = &self.view.instructions[*row];
            (instruction.offset, instruction.named().to_owned())
        });
        let mut callers: Vec<String> = Vec::new();
        for row in named {
            let call = self.view.instructions[*row].lines().get(1);
            let call = call.map(|call| format!("{}:{}", self.file(call), call.line));
            callers.extend(call.filter(|call| callers.len() < CALLERS && !callers.contains(call)));
        }
        let text = place.and_then(|place| self.view.text(place)).map(shortened).unwrap_or_default();
        let (file, line) = place.map(|place| (self.file(place), place.line)).unwrap_or_default();
        Spot { place: Place { file, line, inlined_at: callers }, text, instructions: instructions.collect() }
    }

    /// The line that the instruction of a row belongs to.
    pub(super) fn place(&self, row: usize) -> Option<&'v SourceLine> {
        self.view.instructions[row].line()
    }

    /// The name under which spots show a file.
    pub(super) fn short_name(&self, file: &str) -> String {
        self.short.get(file).cloned().unwrap_or_default()
    }

    fn file(&self, place: &SourceLine) -> String {
        self.short_name(&place.file)
    }
}

/// A file's name without most of what is not for people.
fn readable(name: &str) -> String {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    if stem.chars().count() <= STEM {
        return name.to_owned();
    }
    let kept: String = stem.chars().take(STEM_KEPT).collect();
    format!("{kept}….{ending}")
}

/// For each file its name without folders, a very long one cut; with one folder where two files share a name.
pub(in crate::analysis) fn short_names(view: &SourceView) -> HashMap<ArcStr, String> {
    // Runs of instructions share one list of places.
    let runs = view.instructions.chunk_by(|one, next| Arc::ptr_eq(&one.places, &next.places));
    let files: HashSet<&ArcStr> = runs.flat_map(|run| run[0].places.iter()).map(|place| &place.file).collect();
    let tail = |file: &str, parts: usize| -> String {
        let mut all: Vec<&str> = file.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
        let name = all.pop().map(readable).unwrap_or_default();
        all.drain(..(all.len() + 1).saturating_sub(parts));
        all.into_iter().chain([name.as_str()]).collect::<Vec<_>>().join("/")
    };
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    for file in &files {
        *by_name.entry(tail(file, 1)).or_default() += 1;
    }
    let shared = |name: &str| by_name.get(name).is_some_and(|count| *count > 1);
    files
        .into_iter()
        .map(|file| {
            let name = tail(file, 1);
            let short = if shared(&name) { tail(file, 2) } else { name };
            (file.clone(), short)
        })
        .collect()
}

/// Gives the files of a launch the names under which pages show them; those of the CUDA toolkit stay told from the project's.
pub(in crate::analysis) fn public_names(view: &mut Arc<SourceView>) {
    let names: HashMap<ArcStr, ArcStr> = short_names(view)
        .into_iter()
        .map(|(file, short)| {
            let name = if SourceLine::is_toolkit(&file) { format!("/cuda/include/{short}") } else { short };
            (file, name.into())
        })
        .collect();
    if names.iter().any(|(file, name)| file != name) {
        rename(Arc::make_mut(view), &names);
    }
}

/// Gives the files of a launch their paths without the names of home folders.
pub fn without_homes(view: &mut SourceView) {
    let files = view.instructions.iter().flat_map(|row| row.places.iter()).map(|place| &place.file);
    let names = files.map(|file| (file.clone(), without_home(file).into())).collect();
    rename(view, &names);
}

fn rename(view: &mut SourceView, names: &HashMap<ArcStr, ArcStr>) {
    let public = |place: &SourceLine| SourceLine { file: names[&place.file].clone(), ..place.clone() };
    let mut stacks: HashMap<Arc<[SourceLine]>, Arc<[SourceLine]>> = HashMap::new();
    for row in &mut view.instructions {
        let made = || row.places.iter().map(public).collect();
        row.places = stacks.entry(row.places.clone()).or_insert_with(made).clone();
    }
    view.texts.retain_mut(|text| names.get(&text.file).map(|name| text.file = name.clone()).is_some());
    view.shown.retain(|(place, _)| names.contains_key(&place.file));
    view.shown.iter_mut().for_each(|(place, _)| *place = public(place));
    view.products.retain(|place| names.contains_key(&place.file));
    view.products.iter_mut().for_each(|place| *place = public(place));
}

/// One line of source without indentation and control characters, cut at a character boundary.
pub(in crate::analysis) fn shortened(text: &str) -> String {
    let plain: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if plain.chars().count() <= TEXT_LENGTH {
        return plain;
    }
    let kept: String = plain.chars().take(TEXT_LENGTH - 1).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Instruction;

    #[test]
    fn long_lines_are_cut_and_tabs_are_spaces() {
        assert_eq!(shortened("\t  a\tb; "), "a b;");
        let long = shortened(&"é".repeat(200));
        assert_eq!((long.chars().count(), long.ends_with('…')), (TEXT_LENGTH, true));
    }

    #[test]
    fn no_home_folder_stays_in_a_view() {
        let place = SourceLine { file: "/home/ann/x/main.cu".into(), line: 3, function: None };
        let row = Instruction { places: [place].into(), ..Instruction::default() };
        let mut view = SourceView { instructions: vec![row.clone(), row], ..SourceView::default() };
        without_homes(&mut view);
        assert!(view.instructions.iter().all(|row| &*row.places[0].file == "~/x/main.cu"));
    }
}
