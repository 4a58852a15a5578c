//! What this report lacks for an answer, and the sections of ncu that bring it; and the counters that ncu was asked for by name, as far
//! as no other section of the page shows them.

use super::actions;
use super::lead::setting;
use super::numbers::{row, tenth};
use crate::analysis::{Audit, HIDDEN_ARGUMENTS, LeverCode, Row, StallBasis, public_parts};
use crate::catalog::{self, Action, Code, Counter};
use crate::evidence::Reading;
use crate::quantity::format;
use crate::shell::quoted;
use crate::view::document::{Block, Section};
use crate::view::tables::{paragraph, readings};
use crate::words::{Words, words};
use std::collections::HashSet;

/// A section of ncu, what it answers, and whether the report has it.
type Asked = (&'static str, &'static str, fn(&Audit) -> bool);

/// What the verdict and the levers rest on.
const ASKED: [Asked; 4] = [
    ("SpeedOfLight", "unit utilisation", |audit| !audit.now.bottleneck.units.is_empty()),
    (WAITS, "all stall reasons", |audit| {
        let has_sum = |basis| !matches!(basis, StallBasis::PerIssue | StallBasis::PercentOfPeak);
        audit.now.stalls.tables.iter().any(|table| has_sum(table.basis))
    }),
    (BY_LINE, "samples and wasted sectors by line", |audit| {
        audit.now.phases.is_some() || audit.now.stalls.table(StallBasis::Samples).is_some()
    }),
    (BY_LEVEL, "traffic and hit rate of each cache", |audit| row(audit, Counter::LtsTSectorHitRatePct).is_some()),
];
/// The section of bytes by level of memory.
const BY_LEVEL: &str = "MemoryWorkloadAnalysis";
const WAITS: &str = "WarpStateStats";
/// The section of samples by instruction, which the source goes with.
const BY_LINE: &str = "SourceCounters";
/// The sections that every version of ncu collects when it is asked for none.
const DEFAULT: [&str; 3] = ["SpeedOfLight", "LaunchStats", "Occupancy"];
/// Options of ncu that decide what two reports have in common.
const CONDITIONS: [&str; 5] =
    ["--clock-control", "--cache-control", "--replay-mode", "--target-processes", "--graph-profiling"];
/// Characters of a kernel's name from which on a command does not repeat it, and launches that it asks for at most.
const NAME: usize = 60;
const LAUNCHES: usize = 20;

/// The sections that are not there; none where the others answer without them.
fn lacking(audit: &Audit) -> Vec<&'static Asked> {
    let lacking: Vec<&Asked> = ASKED.iter().filter(|(.., is_there)| !is_there(audit)).collect();
    // Bytes by level alone decide nothing.
    let is_enough = lacking.iter().all(|(section, ..)| *section == BY_LEVEL);
    // Another build is another kernel.
    let is_rebuilt = audit.now.levers.iter().any(|lever| lever.code == LeverCode::Ours(Action::Rebuild));
    if is_enough || is_rebuilt || audit.now.bottleneck.limiter == Code::LaunchFailed { Vec::new() } else { lacking }
}

/// Whether collecting is the first step: without waits and lines no lever is more than a guess, but one that follows from the launch
/// alone; and where there is no other step.
pub(super) fn is_first(audit: &Audit) -> bool {
    let has_step = audit.now.bottleneck.roof.is_some() || !actions::shown(audit).is_empty();
    let is_of_launch = matches!(
        audit.now.bottleneck.limiter,
        Code::LaunchSmallGrid
            | Code::LaunchShort
            | Code::LaunchUnderfilled
            | Code::LaunchShortBlocks
            | Code::LaunchTail
    );
    let lacking = lacking(audit);
    let lacks_waits = lacking.iter().any(|(section, ..)| *section == WAITS);
    !lacking.is_empty() && (!has_step || lacks_waits && !is_of_launch)
}

/// The command that completes the report of this program, and what it adds.
pub(super) fn command(audit: &Audit) -> Option<Words> {
    let lacking = lacking(audit);
    if lacking.is_empty() {
        return None;
    }
    let (tool, shown) = public_parts(&audit.now.artefact.command_line);
    let is_condition = |option: &String| CONDITIONS.contains(&option.split([' ', '=']).next().unwrap_or_default());
    let mut words = vec!["ncu".to_owned()];
    words.extend(tool.into_iter().filter(is_condition));
    words.extend(
        collected(audit).into_iter().filter(|flag| !lacking.iter().any(|(section, ..)| flag.ends_with(section))),
    );
    words.extend(lacking.iter().map(|(section, ..)| format!("--section {section}")));
    let has_lines = lacking.iter().any(|(section, ..)| *section == BY_LINE);
    words.extend(has_lines.then(|| "--import-source yes".to_owned()));
    let function = &*audit.now.artefact.kernel.function;
    if audit.now.artefact.kernel.grid.is_some() && !function.is_empty() && function.len() <= NAME {
        words.push(format!("--kernel-name {}", quoted(function)));
    }
    words.push(format!("--launch-count {} -o new", audit.now.artefact.launches.len().clamp(1, LAUNCHES)));
    words.extend(program(audit, &shown));
    let answers: Vec<&str> = lacking.iter().map(|(_, answers, _)| *answers).collect();
    Some(words!(
        "**{}:** `{}`. It adds {}.{}",
        if is_first(audit) { "Collect first" } else { "Also collect" },
        words.join(" "),
        answers.join("; "),
        nan(audit)
    ))
}

/// Counters that the report has as NaN, with what is known of the tool on this chip.
fn nan(audit: &Audit) -> Words {
    let Some(first) = audit.now.artefact.nan.first() else { return Words::default() };
    let count = format::counted(audit.now.artefact.nan.len() as u64, "counter");
    let seen = audit.now.artefact.compute_capability.and_then(catalog::chip).and_then(|chip| chip.nan.as_ref());
    let seen = seen.map(|fact| format!(" {} ({})", fact.text, fact.cite));
    words!(" The report holds NaN for {}, `{}` among them.{}", count, first.as_str(), words::maybe(seen))
}

/// The program that was profiled, with `…` for what pages do not show of it; `APP …` where nothing is known.
fn program(audit: &Audit, shown: &[String]) -> Vec<String> {
    if shown.iter().any(|word| word != HIDDEN_ARGUMENTS) {
        return shown.iter().map(|word| if word == HIDDEN_ARGUMENTS { "…".to_owned() } else { word.clone() }).collect();
    }
    let process = setting(audit, "command").map(|program| program.trim_end_matches(char::is_control));
    let name = process.filter(|name| !name.is_empty()).map_or_else(|| "APP".to_owned(), quoted);
    vec![name, "…".to_owned()]
}

/// What the report was collected with, as flags: its set and its sections; those of ncu's default where it names neither.
fn collected(audit: &Audit) -> Vec<String> {
    let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let named = setting(audit, "metric-set").unwrap_or_default().split(", ").filter(is_name);
    let flag = |name: &str| match name.starts_with(|c: char| c.is_ascii_uppercase()) {
        true => format!("--section {name}"),
        false => format!("--set {name}"),
    };
    let flags: Vec<String> = named.filter(|name| !name.is_empty()).map(flag).collect();
    if flags.is_empty() { DEFAULT.iter().map(|section| flag(section)).collect() } else { flags }
}

/// The section behind those that stand already; `None` where they show everything that was asked for.
pub(super) fn section(audit: &Audit, before: &[Section]) -> Option<Section> {
    let cells = before.iter().flat_map(Section::tables).flat_map(|table| &table.rows).flatten();
    let shown: HashSet<&str> = cells.flat_map(|cell| &cell.metrics).map(String::as_str).collect();
    let own = audit.asked.iter().filter(|row| !names(row).iter().any(|name| shown.contains(name)));
    let (none, rows): (Vec<&Row>, Vec<&Row>) = own.partition(|row| sides(row).all(|side| side.value() == Some(0.0)));
    let mut blocks: Vec<Block> = Vec::new();
    if !rows.is_empty() {
        let mut table = readings("asked", "Counter", &rows, Vec::new());
        for (cells, row) in table.rows.iter_mut().zip(&rows) {
            for (cell, reading) in cells.iter_mut().skip(1).zip(sides(row)) {
                *cell = std::mem::take(cell).of(reading);
            }
        }
        blocks.push(table.into());
    }
    blocks.extend(zeros(&none).map(|words| paragraph("zeros", words)));
    if let Some(on) = audit.now.mix.predication.value().filter(|_| !audit.asked.is_empty()) {
        blocks.push(paragraph(
            "lanes",
            words!("**Lanes on:** {} % of the threads that a warp instruction had.", tenth(on)),
        ));
    }
    (!blocks.is_empty()).then(|| Section::new("asked", "Counters asked for", blocks))
}

fn sides(row: &Row) -> impl Iterator<Item = &Reading> {
    row.old.iter().chain([&row.new])
}

/// `**Measured as 0:** …`: what nothing happened of is told in a sentence, as many names as fit on a line.
fn zeros(rows: &[&Row]) -> Option<Words> {
    const MOST: usize = 340;
    let (mut told, mut length): (Vec<Words>, usize) = (Vec::new(), 0);
    for row in rows {
        length += row.label.len() + 4;
        if length > MOST {
            break;
        }
        let is_name = row.label.contains("__");
        told.push(if is_name { words::code(row.label.as_str()).into() } else { row.label.as_str().into() });
    }
    let rest = rows.len() - told.len();
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    (!told.is_empty()).then(|| words!("**Measured as 0:** {}{}.", words::join(told, ", "), rest))
}

fn names(row: &Row) -> Vec<&str> {
    let names = sides(row).filter_map(|reading| match reading {
        Reading::Measured(measured) => Some(measured.from.metrics.iter().map(AsRef::as_ref)),
        Reading::Missing(_) => None,
    });
    names.flatten().collect()
}
