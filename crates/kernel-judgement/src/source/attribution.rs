//! From a program counter to an instruction and its source line, with the report's own machine code and line table.
//!
//! Receives launches with the instances of their metrics and the modules of the report, gives [`SourceView`]s. No
//! disassembler is needed; where a listing of the same code is at hand, the instructions' text is joined to them.

use super::cubin::{self, CodeRange};
use super::ncu_report::{NcuReport, SourceData};
use super::{NameSet, ReadError, Rules, Want, sass};
use crate::catalog::{Counter, Family};
use crate::evidence::{
    CounterColumn, Instruction, Launch, LineTable, Lines, MachineWord, Metric, SassFunction, SassListing, SourceText,
    SourceView, Value, Workload,
};
use arcstr::ArcStr;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

/// Where the report tells the kernel's address when it holds no load addresses (before ncu 2022.3).
const FUNCTION_PCS: Counter = Counter::LaunchFunctionPcs;

/// Code beyond this many bytes behind a load address is not taken for the function's, where its size is unknown.
const UNKNOWN_SIZE: u64 = 16 << 20;

/// Reads the chosen launches of a report, instruction by instruction. `want` says which metrics; those of them whose instances lie in
/// the launch's code are kept. `listings` give the instructions' text, where they are of the same code: one with encodings must agree
/// with the report's code in each. Errors: as [`NcuReport::read`]; also [`ReadError::WrongKind`] for a profile that is no report.
pub fn read_source_views(
    path: &Path,
    want: &Want,
    filter: impl Fn(&Launch) -> bool,
    listings: &[&SassListing],
) -> Result<Vec<SourceView>, ReadError> {
    let mut file = NcuReport::open(path, want.allow_damage)?;
    let heads = Want { metrics: NameSet::none(), rules: Rules::None, hash: false, ..want.clone() };
    let launches = file.read(&heads)?.launches;
    let ids = launches.into_iter().filter(|head| filter(head)).map(|head| head.id).collect();
    source_views(&mut file, want, &ids, listings)
}

/// The same for the launches of those ids in a report that is open. Errors: as [`NcuReport::read_rows`].
pub(super) fn source_views(
    file: &mut NcuReport,
    want: &Want,
    ids: &HashSet<u32>,
    listings: &[&SassListing],
) -> Result<Vec<SourceView>, ReadError> {
    let (launches, _) = file.read_rows(&with_addresses(want), ids)?;
    views(file, &launches, listings)
}

fn with_addresses(want: &Want) -> Want {
    let mut want = want.clone();
    want.metrics = want.metrics.with(FUNCTION_PCS.name());
    want.instances = want.instances.with(FUNCTION_PCS.name());
    want
}

fn views(file: &NcuReport, launches: &[Launch], listings: &[&SassListing]) -> Result<Vec<SourceView>, ReadError> {
    let keys: HashSet<(u32, u64)> = launches.iter().flat_map(|launch| launch.sources.iter().copied()).collect();
    let sources = file.sources_of(|key| keys.contains(&key))?;
    let modules: HashMap<(u32, u64), Module<'_>> =
        sources.iter().map(|source| (source.key, Module::of(source))).collect();
    Ok(launches.iter().map(|launch| view(launch, &modules, listings)).collect())
}

/// A module of the report, its functions known.
struct Module<'a> {
    source: &'a SourceData,
    ranges: Result<Vec<CodeRange>, String>,
}

impl<'a> Module<'a> {
    fn of(source: &'a SourceData) -> Module<'a> {
        let ranges = match &source.cubin {
            Some(bytes) => cubin::code_ranges(bytes, "the cubin in the report").map_err(|error| error.to_string()),
            None => Ok(Vec::new()),
        };
        Module { source, ranges }
    }

    fn range(&self, symbol: &str, index: Option<u32>) -> Option<&CodeRange> {
        let ranges = self.ranges.as_ref().ok()?;
        let is_it = |range: &&CodeRange| range.symbol.as_str() == symbol;
        let exact = ranges.iter().filter(is_it).find(|range| index.is_none_or(|index| range.symbol_index == index));
        exact.or_else(|| ranges.iter().find(is_it))
    }
}

/// A code section in the memory of the device.
struct Loaded<'a> {
    module: &'a Module<'a>,
    /// Device address of the section's first byte.
    base: u64,
    /// Mangled name of the section's function.
    section: ArcStr,
    /// Size in bytes; `None` without machine code.
    bytes: Option<u64>,
    /// The code; empty without.
    code: &'a [u8],
}

fn view(launch: &Launch, modules: &HashMap<(u32, u64), Module<'_>>, listings: &[&SassListing]) -> SourceView {
    let modules: Vec<&Module<'_>> = launch.sources.iter().filter_map(|key| modules.get(key)).collect();
    let sections = sections(launch, &modules);
    let step = Step::of(launch, &modules);
    let placed: Vec<(&Metric, Placed)> = launch
        .metrics
        .iter()
        .filter(|metric| Family::ByInstruction.has(&metric.name))
        .map(|metric| (metric, place(metric, &sections)))
        .filter(|(_, placed)| !placed.at.is_empty() || placed.unplaced > 0)
        .collect();
    let mut touched: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
    for (section, offset, _) in placed.iter().flat_map(|(_, placed)| &placed.at) {
        let counted = touched.entry(*section).or_default();
        // Of a section whose code is known every instruction is listed.
        if sections[*section].bytes.is_none() {
            counted.insert(*offset);
        }
    }
    let own = |section: &Loaded<'_>| launch.workload == Workload::Kernel && section.section == launch.mangled;
    if let Some(kernel) = sections.iter().position(own) {
        touched.entry(kernel).or_default();
    }
    let mut order: Vec<(usize, BTreeSet<u64>)> = touched.into_iter().collect();
    order.sort_by_key(|(section, _)| !own(&sections[*section]));

    let mut instructions = Vec::new();
    let mut positions: FxHashMap<(usize, u64), u32> = FxHashMap::default();
    let mut has_lines = false;
    for (section, counted) in order {
        let loaded = &sections[section];
        let lines = loaded.lines();
        let texts = listings.iter().find_map(|listing| loaded.listed(listing));
        has_lines |= lines.as_ref().is_some_and(|lines| !lines.functions.is_empty());
        for offset in step.offsets(loaded, counted) {
            positions.insert((section, offset), instructions.len() as u32);
            instructions.push(instruction(loaded, offset, lines.as_ref(), texts, step));
        }
    }
    let columns = placed.into_iter().map(|(metric, placed)| column(metric, placed, &positions)).collect();
    let unreadable = modules.iter().find_map(|module| module.ranges.as_ref().err());
    let lines = match unreadable {
        _ if has_lines => Lines::Known,
        _ if sections.is_empty() => Lines::NoAddresses,
        _ if instructions.is_empty() => Lines::NoCounters,
        Some(why) => Lines::Unreadable { why: why.clone() },
        None if modules.iter().all(|module| module.source.cubin.is_none()) => Lines::NoCode,
        None => Lines::NoLineInfo,
    };
    let texts = texts(&modules, &instructions);
    let capability = match step {
        Step::Sixteen(capability) => capability,
        Step::ThreeOfFour => None,
    };
    SourceView {
        launch: launch.id,
        name: launch.name.clone(),
        lines,
        capability,
        instructions,
        columns,
        texts,
        ..SourceView::default()
    }
}

/// The code sections that the launch's modules loaded, by address.
fn sections<'a>(launch: &Launch, modules: &[&'a Module<'a>]) -> Vec<Loaded<'a>> {
    let mut found: Vec<Loaded<'a>> = Vec::new();
    for module in modules {
        for function in &module.source.functions {
            found.extend(module.loaded(&function.symbol, Some(function.symbol_index), function.address));
        }
    }
    if let ([module], true) = (modules, found.is_empty()) {
        let code = module.range(&launch.mangled, None).map(|range| range.code.len() as u64);
        found.extend(address(launch, code).and_then(|address| module.loaded(&launch.mangled, None, address)));
    }
    found.sort_by_key(|section| section.base);
    found.dedup_by_key(|section| section.base);
    found
}

/// Bytes behind the last counted instruction of a function that its section holds at most: a jump to itself and padding.
const PADDING: u64 = 256;

/// The kernel's address, in a report that does not say which function lies where: the only one, or the only one whose counted
/// instructions end where the kernel's code, of so many bytes, does.
fn address(launch: &Launch, code: Option<u64>) -> Option<u64> {
    let metric = launch.metric(FUNCTION_PCS)?;
    let entries: Vec<u64> = match &metric.instances[..] {
        [] => vec![metric.value.as_ref()?.as_u64()?],
        many => many.iter().map(|one| one.value.as_u64()).collect::<Option<_>>()?,
    };
    if let [one] = entries[..] {
        return Some(one);
    }
    let counted = launch.metrics.iter().filter(|metric| Family::ByInstruction.has(&metric.name));
    let counted: BTreeSet<u64> =
        counted.flat_map(|metric| &metric.instances).filter_map(|one| one.id.as_u64()).collect();
    let is_it = |(at, entry): &(usize, u64)| {
        let next = entries.get(at + 1).copied().unwrap_or(u64::MAX);
        let end = counted.range(*entry..next).next_back().map(|last| last + 16 - entry);
        end.zip(code).is_some_and(|(end, code)| end <= code && code < end + PADDING && *entry + code <= next)
    };
    let mut found = entries.iter().copied().enumerate().filter(is_it);
    found.next().filter(|_| found.next().is_none()).map(|(_, entry)| entry)
}

impl<'a> Module<'a> {
    fn loaded(&'a self, symbol: &ArcStr, index: Option<u32>, address: u64) -> Option<Loaded<'a>> {
        if self.source.cubin.is_none() || self.ranges.is_err() {
            return Some(Loaded { module: self, base: address, section: symbol.clone(), bytes: None, code: &[] });
        }
        let range = self.range(symbol, index)?;
        let base = address.checked_sub(range.offset)?;
        let code = self.source.cubin.as_ref()?.get(range.code.clone())?;
        Some(Loaded { module: self, base, section: range.section.clone(), bytes: Some(code.len() as u64), code })
    }
}

impl Loaded<'_> {
    /// The function of a listing, if it is this code: a listing of another build has other instructions at the offsets.
    fn listed<'l>(&self, listing: &'l SassListing) -> Option<&'l SassFunction> {
        let is_same = |instruction: &Instruction| {
            let Some(word) = instruction.word else { return true };
            let at = usize::try_from(instruction.offset).unwrap_or(usize::MAX);
            let found = self.code.get(at..).and_then(|rest| rest.first_chunk::<16>());
            self.code.is_empty() || found.is_some_and(|found| u128::from_le_bytes(*found) == word.bits)
        };
        listing.function(&self.section).filter(|function| function.instructions.iter().all(is_same))
    }

    /// What the bits of the instruction at an offset say.
    fn word(&self, offset: u64, step: Step) -> Option<MachineWord> {
        let Step::Sixteen(Some(capability)) = step else { return None };
        let bits = self.code.get(usize::try_from(offset).ok()?..)?.first_chunk::<16>()?;
        Some(sass::decode(u128::from_le_bytes(*bits), offset, capability))
    }

    /// The places of this section's code; `None` where there is no line table that can be read.
    fn lines(&self) -> Option<LineTable> {
        let bytes = self.module.source.cubin.as_ref()?;
        cubin::line_table_of(bytes, "the cubin in the report", |name| name == self.section.as_str()).ok()
    }
}

/// The instances of one metric as (section, offset, value), in their order.
struct Placed {
    at: Vec<(usize, u64, Value)>,
    unplaced: u64,
}

fn place(metric: &Metric, sections: &[Loaded<'_>]) -> Placed {
    let mut placed = Placed { at: Vec::new(), unplaced: 0 };
    for instance in &metric.instances {
        let section = instance.id.as_u64().and_then(|address| {
            let at = sections.partition_point(|section| section.base <= address).checked_sub(1)?;
            let offset = address - sections[at].base;
            (offset < sections[at].bytes.unwrap_or(UNKNOWN_SIZE)).then_some((at, offset))
        });
        match section {
            Some((at, offset)) => placed.at.push((at, offset, instance.value.clone())),
            None => placed.unplaced += 1,
        }
    }
    placed
}

fn column(metric: &Metric, placed: Placed, positions: &FxHashMap<(usize, u64), u32>) -> CounterColumn {
    let mut values: Vec<(u32, Value)> = Vec::with_capacity(placed.at.len());
    let mut unplaced = placed.unplaced;
    for (section, offset, value) in placed.at {
        match positions.get(&(section, offset)) {
            Some(position) => values.push((*position, value)),
            None => unplaced += 1,
        }
    }
    values.sort_by_key(|(position, _)| *position);
    CounterColumn { metric: metric.name.clone(), unit: metric.unit, values, unplaced }
}

/// How instructions lie in a code section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// 16 bytes each, since compute capability 7.0; the capability, where it is known.
    Sixteen(Option<(u32, u32)>),
    /// 8 bytes each, the first 8 of every 32 holding the schedule of the three instructions behind them (5.0 to 6.2).
    ThreeOfFour,
}

impl Step {
    fn of(launch: &Launch, modules: &[&Module<'_>]) -> Step {
        let stated = modules.iter().find_map(|module| module.source.compute_capability);
        match stated.or(launch.device.compute_capability) {
            Some((major, _)) if major < 7 => Step::ThreeOfFour,
            capability => Step::Sixteen(capability),
        }
    }

    /// The offsets of a section's instructions; without machine code those that have a counter.
    fn offsets(self, section: &Loaded<'_>, counted: BTreeSet<u64>) -> Vec<u64> {
        match (section.bytes, self) {
            (None, _) => counted.into_iter().collect(),
            (Some(bytes), Step::Sixteen(_)) => (0..bytes / 16).map(|at| 16 * at).collect(),
            (Some(bytes), Step::ThreeOfFour) => (0..bytes / 8).map(|at| 8 * at).filter(|at| at % 32 != 0).collect(),
        }
    }
}

fn instruction(
    section: &Loaded<'_>,
    offset: u64,
    lines: Option<&LineTable>,
    texts: Option<&SassFunction>,
    step: Step,
) -> Instruction {
    let listed = texts.and_then(|function| {
        let at = function.instructions.binary_search_by_key(&offset, |instruction| instruction.offset).ok()?;
        Some(&function.instructions[at])
    });
    Instruction {
        function: section.section.clone(),
        offset,
        word: section.word(offset, step),
        opcode: listed.and_then(|listed| listed.opcode.clone()),
        text: listed.and_then(|listed| listed.text.clone()),
        places: lines.map(|lines| lines.places(&section.section, offset)).unwrap_or_default(),
    }
}

/// The embedded files that hold a place of the code.
fn texts(modules: &[&Module<'_>], instructions: &[Instruction]) -> Vec<SourceText> {
    let named: HashSet<&str> =
        instructions.iter().flat_map(|i| i.places.iter()).map(|place| place.file.as_ref()).collect();
    let mut seen = HashSet::new();
    let files = modules.iter().flat_map(|module| &module.source.files);
    files.filter(|file| named.contains(file.file.as_str()) && seen.insert(file.file.clone())).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Instance;
    use crate::quantity::Unit;

    /// Functions at 0x1000, 0x2000 and 0x3000, of which 70, 559 and 20 instructions are counted.
    #[test]
    fn a_kernel_among_functions_lies_where_its_code_ends() {
        let metric = |name: &str, ids: Vec<u64>, values: &[u64]| Metric {
            name: name.into(),
            unit: Unit::NONE,
            value: None,
            instances: ids
                .iter()
                .zip(values)
                .map(|(id, value)| Instance { id: Value::U64(*id), value: Value::U64(*value) })
                .collect(),
        };
        let entries = [0x1000, 0x2000, 0x5000];
        let counted: Vec<u64> = entries
            .iter()
            .zip([70, 559, 20])
            .flat_map(|(entry, count)| (0..count).map(move |at| entry + 16 * at))
            .collect();
        let ones = vec![1; counted.len()];
        let of = |entries: &[u64]| Launch {
            metrics: vec![
                metric("inst_executed", counted.clone(), &ones),
                metric(FUNCTION_PCS.name(), (0..entries.len() as u64).collect(), entries),
            ],
            ..Launch::default()
        };
        let at = |instructions: u64| address(&of(&entries), Some(16 * instructions));
        assert_eq!([72, 568, 24].map(at), [Some(0x1000), Some(0x2000), Some(0x5000)]);
        assert_eq!([60, 600, 800].map(at), [None; 3], "no function ends there");
        assert_eq!(address(&of(&entries[1..2]), None), Some(0x2000), "the only one");
    }
}
