//! The kernels of the report whose time matters: what limits each, what to do first, and how much of all that could save.

use super::numbers::tenth;
use super::{actions, verdict};
use crate::analysis::{Asked, Audit, Bottleneck, KernelKey, Lever, OtherKernel, Standing, asked_by};
use crate::catalog::Code;
use crate::quantity::format;
use crate::quantity::glance::{digits, time};
use crate::shell::quoted;
use crate::view::ceiling;
use crate::view::document::{Block, Cell, Section};
use crate::view::tables::{code, count, filled, fold, heading, paragraph, text};
use crate::words::{Words, words};
use regex::Regex;
use std::sync::LazyLock;

/// Characters of a name in the table; the full tables have it whole.
const NAME: usize = 40;
/// Kernels of the full table that are shown unfolded.
const UNFOLDED: usize = 12;
/// Characters of an action in the table from which on it is cut; the kernel's own page has it whole.
const ACTION: usize = 72;
/// What stands in front of a name: `at::native::`, `(anonymous namespace)::`.
static SCOPE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(\w+|\(anonymous namespace\))::").ok());

/// The section with a table of at most so many rows; `None` where the report holds no other kernel.
pub(super) fn section(audit: &Audit, most: usize) -> Option<Section> {
    if audit.report.kernels.len() < 2 {
        return None;
    }
    let shown = Shown::of(audit, most);
    let mut rows: Vec<Vec<Cell>> = shown.rows.iter().map(|row| shown.cells(row)).collect();
    rows.extend(shown.rest());
    let gain = shown.gain.map(|(kernel, percent)| {
        words!("**Most to gain:** ≤ {} % of the total, in `{}`. ", tenth(percent), named(audit, &kernel.kernel))
    });
    let scope = match shown.has_share {
        true => {
            "The total is the summed time of the profiled launches, without gaps and without launches that were not profiled."
        }
        false => "No shares: some launches have no time.",
    };
    let own = match shown.has_flags {
        true => words!("`audit generate --kernel FUNCTION`, or with a row's flags, writes a kernel's own page."),
        false => words!("`audit generate --kernel FUNCTION` writes a kernel's own page."),
    };
    let blocks =
        vec![shown.table("kernels", rows), paragraph("pick", words!("{}{} {}", words::maybe(gain), scope, own))];
    Some(Section::new("kernels", "Kernels of this report", blocks))
}

/// Every kernel of the report by its whole name and shape, those with little time folded; nothing where there is no other.
pub(in crate::view) fn in_full(audit: &Audit) -> Vec<Block> {
    if audit.report.kernels.len() < 2 {
        return Vec::new();
    }
    let rows: Vec<Row> = (0..audit.report.kernels.len()).map(|at| Row::bare(audit, at)).collect();
    let all = Shown { is_whole: true, has_grid: true, ..Shown::among(rows) };
    let part = |name: &str, rows: &[Row]| all.table(name, rows.iter().map(|row| all.cells(row)));
    let (unfolded, folded) = all.rows.split_at(all.rows.len().min(UNFOLDED));
    // Why this kernel and no other.
    let choice = match &audit.report.kernels[0] {
        first if !first.is_subject => "the one that the kernel filter names",
        first if first.time.quantity().is_some() => "the work with the most device time",
        _ => "the first in the report, which holds no durations",
    };
    let own = audit.now.artefact.kernel.short_name();
    let mut blocks = vec![
        heading("kernels", "All work in this report"),
        paragraph("kernels", words!("This page is about `{}`, {}.", own, choice)),
        part("kernels", unfolded),
    ];
    if !folded.is_empty() {
        let summary = format!("{} further kernels with less device time", folded.len());
        blocks.push(fold("kernels-rest", summary, vec![part("kernels-rest", folded)]));
    }
    blocks
}

struct Row<'a> {
    at: usize,
    kernel: &'a OtherKernel,
    /// What is concluded of it; `None` where nothing is, or its results are wrong.
    judged: Option<(&'a Bottleneck, &'a [Lever])>,
    /// What asks for it on the command line; empty where its name does.
    flags: Words,
}

impl<'a> Row<'a> {
    fn of(audit: &'a Audit, at: usize) -> Row<'a> {
        Row { flags: flags(audit, at), ..Row::bare(audit, at) }
    }

    /// Without what asks for it.
    fn bare(audit: &'a Audit, at: usize) -> Row<'a> {
        let kernel = &audit.report.kernels[at];
        let judged = match kernel.is_subject {
            true => Some((&audit.now.bottleneck, audit.now.levers.as_slice()))
                .filter(|_| audit.standing() != Standing::Wrong),
            false => {
                audit.report.others.iter().find(|one| one.at == at).map(|one| (&one.bottleneck, one.levers.as_slice()))
            }
        };
        Row { at, kernel, judged, flags: Words::default() }
    }

    /// The largest part of the time of all kernels, in percent, that its first lever could save.
    fn of_all(&self) -> Option<f64> {
        Some(self.kernel.share? * First::of(self.judged?).percent? / 100.0)
    }
}

#[derive(Default)]
struct First {
    does: Words,
    ceiling: String,
    /// The largest part of the kernel's time that it could save; `None` where that is not bounded.
    percent: Option<f64>,
}

impl First {
    fn of((bottleneck, levers): (&Bottleneck, &[Lever])) -> First {
        if bottleneck.roof.is_some() {
            return First { does: "only less work helps".into(), ..First::default() };
        }
        let Some(lever) = actions::worth(levers).next() else {
            let is_judged = !matches!(bottleneck.limiter, Code::LaunchFailed | Code::NotMeasured);
            let does = if is_judged { "none found" } else { "" };
            return First { does: does.into(), ..First::default() };
        };
        First { does: brief(&lever.sentence), ceiling: ceiling::bound(lever, &[]), percent: lever.bound }
    }
}

/// An action; of a long one what stands in front of its colon, its semicolon or its bracket, whichever is first.
fn brief(sentence: &Words) -> Words {
    let whole = sentence.to_plain();
    let ends = [": ", "; ", " ("].into_iter().filter_map(|end| whole.find(end)).min();
    match ends.filter(|_| whole.chars().count() > ACTION) {
        Some(end) => whole[..end].into(),
        None => sentence.clone(),
    }
}

struct Shown<'a> {
    rows: Vec<Row<'a>>,
    /// What takes too little time for a row.
    rest: Vec<&'a OtherKernel>,
    has_share: bool,
    /// Whether grids tell kernels of one name apart.
    has_grid: bool,
    has_flags: bool,
    /// Whether names and shapes are told in full.
    is_whole: bool,
    /// The kernel whose first lever could save the most of all, and that part in percent.
    gain: Option<(&'a OtherKernel, f64)>,
}

impl<'a> Shown<'a> {
    fn of(audit: &'a Audit, most: usize) -> Shown<'a> {
        // A file may call every kernel the subject; the first is.
        let subject = audit.report.kernels.iter().position(|kernel| kernel.is_subject);
        let is_judged = |at: usize| Some(at) == subject || audit.report.others.iter().any(|one| one.at == at);
        let (mut shown, mut rest): (Vec<usize>, Vec<usize>) =
            (0..audit.report.kernels.len()).partition(|at| is_judged(*at));
        // One is said by its name as shortly as by its number.
        if rest.len() == 1 {
            shown.append(&mut rest);
            shown.sort_unstable();
        }
        let mut rows: Vec<Row<'a>> = shown.into_iter().map(|at| Row::of(audit, at)).collect();
        let parts = rows.iter().filter_map(|row| Some((row.kernel, row.of_all()?)));
        let gain = parts.max_by(|(_, a), (_, b)| a.total_cmp(b));
        while rows.len() + usize::from(!rest.is_empty()) > most.max(2) {
            let Some(last) = rows.iter().rposition(|row| Some(row.at) != subject) else { break };
            rest.push(rows.remove(last).at);
        }
        Shown { gain, rest: rest.into_iter().map(|at| &audit.report.kernels[at]).collect(), ..Shown::among(rows) }
    }

    /// These rows alone.
    fn among(rows: Vec<Row<'a>>) -> Shown<'a> {
        let mut names: Vec<&str> = rows.iter().map(|row| row.kernel.kernel.short_name()).collect();
        names.sort_unstable();
        Shown {
            has_share: rows.iter().any(|row| row.kernel.share.is_some()),
            has_flags: rows.iter().any(|row| !row.kernel.is_subject && !row.flags.is_empty()),
            has_grid: names.windows(2).any(|pair| pair[0] == pair[1]),
            is_whole: false,
            gain: None,
            rest: Vec::new(),
            rows,
        }
    }

    fn table(&self, name: &str, rows: impl IntoIterator<Item = Vec<Cell>>) -> Block {
        let grid = if self.is_whole { "Grid × block" } else { "Grid" };
        let head = "Launches: | Time per launch: | % of time: | Limiter | Busiest, % of peak | First lever | Ceiling:";
        filled(name, format!("Kernel | {grid} | {head} | Of total: | Flags"), rows).into()
    }

    fn cells(&self, row: &Row<'_>) -> Vec<Cell> {
        let OtherKernel { kernel, launches, time: median, share, is_subject } = row.kernel;
        let (ns, part) = (median.value(), row.of_all());
        // A grid without blocks is one that the report does not tell.
        let grid = kernel.grid.filter(|grid| self.has_grid && grid.0[0] > 0);
        let block = kernel.block.filter(|_| self.is_whole).map(|block| format!(" × {block}")).unwrap_or_default();
        let own = [
            code(if self.is_whole { kernel.short_name().to_owned() } else { name(kernel) }),
            text(grid.map(|grid| format!("{grid}{block}")).unwrap_or_default()),
            count(*launches as u64),
            text(ns.map_or_else(|| "not measured".to_owned(), time)).sorted(ns),
            text(share.map(digits).unwrap_or_default()).sorted(*share),
        ];
        let First { does, ceiling, percent } = row.judged.map(First::of).unwrap_or_default();
        let unit = row.judged.and_then(|(bottleneck, _)| bottleneck.units.first());
        let judged = [
            text(row.judged.map(|(bottleneck, _)| verdict::limiter(bottleneck)).unwrap_or_default()),
            text(unit.map(crate::analysis::Unit::said).unwrap_or_default()),
            text(does),
            text(ceiling).sorted(percent),
            text(part.map(|part| format!("≤ {} %", tenth(part))).unwrap_or_default()).sorted(part),
            text(if *is_subject { Words::default() } else { row.flags.clone() }),
        ];
        own.map(|cell| if *is_subject { cell.strong() } else { cell }).into_iter().chain(judged).collect()
    }

    /// One row for what has none.
    fn rest(&self) -> Option<Vec<Cell>> {
        let launches: usize = self.rest.iter().map(|kernel| kernel.launches).sum();
        let share: Option<f64> = self.rest.iter().map(|kernel| kernel.share).sum();
        let name = text(format!("{} more", format::integer(self.rest.len() as u64)));
        let share = text(share.map(digits).unwrap_or_default()).sorted(share);
        let cells = [name, Cell::default(), count(launches as u64), Cell::default(), share];
        (!self.rest.is_empty()).then(|| [cells.to_vec(), vec![Cell::default(); 6]].concat())
    }
}

/// What asks for a kernel on the command line; empty where the name of its function does.
fn flags(audit: &Audit, at: usize) -> Words {
    let own = &audit.report.kernels[at].kernel;
    match asked_for(audit, at) {
        None => "no flag selects it alone".into(),
        Some(Asked { kernel, grid: None }) if kernel == *own.function || kernel == name(own) => Words::default(),
        Some(asked) => words::code(said(&asked)).into(),
    }
}

/// The flags of `audit generate` that take a kernel and no other; `None` where none do.
pub(super) fn asked(audit: &Audit, at: usize) -> Option<String> {
    asked_for(audit, at).as_ref().map(said)
}

fn asked_for(audit: &Audit, at: usize) -> Option<Asked> {
    let keys: Vec<&KernelKey> = audit.report.kernels.iter().map(|kernel| &kernel.kernel).collect();
    asked_by(&keys, at)
}

fn said(asked: &Asked) -> String {
    let grid = asked.grid.map(|grid| format!(" --grid {},{},{}", grid.0[0], grid.0[1], grid.0[2]));
    format!("--kernel {}{}", quoted(&asked.kernel), grid.unwrap_or_default())
}

/// A kernel's name, without scopes and cut where it is long.
pub(super) fn name(kernel: &KernelKey) -> String {
    let whole = kernel.short_name();
    if whole.chars().count() <= NAME {
        return whole.to_owned();
    }
    let bare = SCOPE.as_ref().map_or_else(|| whole.to_owned(), |scope| scope.replace_all(whole, "").into_owned());
    match bare.char_indices().nth(NAME) {
        Some((at, _)) => format!("{}…", &bare[..at]),
        None => bare,
    }
}

/// The same with its grid, where the report holds another kernel of that name, and its block, where that has the same grid.
pub(super) fn named(audit: &Audit, kernel: &KernelKey) -> String {
    among(audit.report.kernels.iter().map(|other| &other.kernel), kernel)
}

fn among<'a>(all: impl Iterator<Item = &'a KernelKey>, kernel: &KernelKey) -> String {
    let mut alike = all.filter(|other| *other != kernel && other.short_name() == kernel.short_name()).peekable();
    let grid = kernel.grid.filter(|_| alike.peek().is_some()).map(|grid| format!(" {grid}"));
    let block = kernel.block.filter(|_| alike.any(|other| other.grid == kernel.grid));
    [name(kernel), grid.unwrap_or_default(), block.map(|block| format!(" × {block}")).unwrap_or_default()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Dim3, Workload};

    #[test]
    fn kernels_of_one_name_are_told_apart_by_grid_and_those_of_one_grid_by_block() {
        let [name, function, mangled] = ["k", "k", ""].map(Into::into);
        let bare = KernelKey { workload: Workload::Kernel, name, function, mangled, grid: None, block: None };
        let key = |grid, block| KernelKey {
            grid: Some(Dim3([grid, 1, 1])),
            block: Some(Dim3([block, 1, 1])),
            ..bare.clone()
        };
        let all = [key(64, 128), key(64, 256), key(32, 256)];
        assert_eq!(
            all.each_ref().map(|one| among(all.iter(), one)),
            ["k (64, 1, 1) × (128, 1, 1)", "k (64, 1, 1) × (256, 1, 1)", "k (32, 1, 1)"]
        );
        assert_eq!(among(all[..1].iter(), &all[0]), "k");
    }

    #[test]
    fn of_a_long_action_its_beginning_is_told() {
        let told = |sentence: &str| brief(&sentence.into()).to_plain();
        let rest = "of which every one is as long as it has to be for a column that is as narrow";
        for end in [": ", "; ", " ("] {
            assert_eq!(told(&format!("Coalesce{end}words, {rest}; (and more: of it)")), "Coalesce", "{end:?}");
        }
        assert_eq!(told("Coalesce (a little)"), "Coalesce (a little)");
    }
}
