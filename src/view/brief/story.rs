//! What made the kernel faster or slower, in a sentence and in the rows that show it.

use super::chain;
use super::numbers::{both, row, tenth};
use crate::analysis::{Audit, Row, StallBasis, Story, StoryCause};
use crate::catalog::{self, Code, Counter, Part};
use crate::quantity::format;
use crate::quantity::glance::{amount, digits};
use crate::view::document::Cell;
use crate::view::tables::text;
use crate::words;
use crate::words::Words;

/// Executed instructions that explain this part of the change of the cycles are the story of such a kernel.
const MOST_OF_IT: f64 = 0.75;
/// Warps in flight that changed by this factor are the story of a kernel without a busy unit.
const IN_FLIGHT: f64 = 1.2;

/// Executed spills that changed by this factor are the story of a side that they limit.
const SPILLED: f64 = 2.0;

/// The sentence, with a space in front; empty where nothing tells.
pub(super) fn sentence(audit: &Audit) -> Words {
    let Some(story) = audit.change.as_ref().and_then(|change| change.story.as_ref()) else { return Words::default() };
    let unit = &story.unit;
    let (work, cycles) = (unit.busy.0 / unit.busy.1, story.cycles.0 / story.cycles.1);
    let shares = format!("{} → {} %", tenth(unit.share.0), tenth(unit.share.1));
    if let Some(spills) = spills(audit, story) {
        return spills;
    }
    match (story.cause, unit.is_tensor) {
        (StoryCause::Tail, _) => tail(audit, story),
        (StoryCause::Work, true) => words!(
            " Tensor cycles changed as much (÷ {}) as elapsed cycles (÷ {}), tensor pipe at {}: **{}, not overlap**.",
            digits(work),
            digits(cycles),
            shares,
            if story.is_faster() { "faster products" } else { "slower products" }
        ),
        (StoryCause::Work, false) => words!(
            " **{} work for {}** (busy cycles ÷ {}{}){}.",
            if story.is_faster() { "Less" } else { "More" },
            unit.label.as_str(),
            digits(work),
            instructions(audit, story),
            next(story)
        ),
        (StoryCause::Overlap, _) => words!(
            " The work of {} is nearly the same ({}): **{} overlap**, {} of its peak.",
            unit.label.as_str(),
            format::change(unit.busy.0, unit.busy.1),
            if story.is_faster() { "better" } else { "worse" },
            shares
        ),
        (StoryCause::Both, _) => words!(
            " **Both** the work of {} (÷ {}) and its overlap ({} of its peak) changed{}.",
            unit.label.as_str(),
            digits(work),
            shares,
            next(story)
        ),
        (StoryCause::Traded, _) => because(
            audit,
            story,
            format!(
                " The work of {} {} (busy cycles {}), and yet the launch is {}",
                unit.label,
                if story.is_faster() { "rose" } else { "fell" },
                format::change(unit.busy.0, unit.busy.1),
                if story.is_faster() { "shorter" } else { "longer" }
            ),
        ),
        (StoryCause::Latency, _) => {
            because(audit, story, format!(" No unit was full ({} at {} %)", unit.label, tenth(unit.share.0)))
        }
    }
}

/// Spills that limited the slower side, and that the other one has few of.
fn spills(audit: &Audit, story: &Story) -> Option<Words> {
    let slower = if story.is_faster() { audit.before.as_ref()? } else { &audit.now };
    let spilled = row(audit, Counter::SassInstExecutedRegisterSpilling)?;
    let (was, is) = (spilled.old.as_ref()?.value()?, spilled.new.value()?);
    let (few, many) = if story.is_faster() { (is, was) } else { (was, is) };
    let is_told = slower.bottleneck.limiter == Code::RegisterSpilling && many >= SPILLED * few;
    is_told.then(|| {
        let went = if story.is_faster() { "went" } else { "came" };
        let (was, is) = (amount(was), amount(is));
        words!(" **The spills {}**: {} → {} executed instructions spill or refill registers.", went, was, is)
    })
}

/// The blocks end together now, or no longer do.
fn tail(audit: &Audit, story: &Story) -> Words {
    let Some((was, is)) = story.tail else { return Words::default() };
    let was_small = audit.before.as_ref().is_some_and(|old| old.bottleneck.limiter == Code::LaunchSmallGrid);
    words!(
        " **{}**: the average SM is without a block for {} → {} % of the busiest SM's time.",
        match (story.is_faster(), was_small) {
            (true, true) => "SMs that had no block have one",
            (true, false) => "The tail went",
            (false, _) => "The tail came",
        },
        tenth(was),
        tenth(is)
    )
}

/// `; instructions −10.6 %, LOP3 17.3 M → 11.5 M in the main loop`: where they went, of a kernel that issue held; else empty.
fn instructions(audit: &Audit, story: &Story) -> Words {
    let is_issue = catalog::subsystem_of(&story.unit.counter).is_some_and(|part| part.code == Part::Issue);
    let executed = row(audit, Counter::SmspInstExecutedSum).and_then(Row::change).filter(|_| is_issue);
    let Some(executed) = executed else { return Words::default() };
    let most = chain::because(audit, Counter::SmspInstExecutedSum, executed.new > executed.old);
    let most = if most.is_empty() { most } else { words!(", {}", most) };
    words!("; instructions {}{}", format::change(executed.old, executed.new), most)
}

/// Which unit leads now.
fn next(story: &Story) -> String {
    story.next.as_ref().map_or_else(String::new, |(label, share)| format!("; the next is {label}, {} %", tenth(*share)))
}

/// What no unit's work tells: executed instructions, warps in flight, else the stall that changed most.
fn because(audit: &Audit, story: &Story, opening: String) -> Words {
    let faster = story.is_faster();
    let executed = row(audit, Counter::SmspInstExecutedSum).and_then(Row::change);
    let ratio = |(was, is): (f64, f64)| (was / is).ln();
    if let Some(executed) = executed
        && ratio((executed.old, executed.new)) / ratio(story.cycles) >= MOST_OF_IT
    {
        let most = chain::because(audit, Counter::SmspInstExecutedSum, !faster);
        return words!(
            "{}: **{} instructions**, {}{}{}.",
            opening,
            if faster { "fewer" } else { "more" },
            format::change(executed.old, executed.new),
            if most.is_empty() { "" } else { ", " },
            most
        );
    }
    if let Some((was, is)) = story.in_flight
        && (if faster { is >= IN_FLIGHT * was } else { was >= IN_FLIGHT * is })
    {
        let word = if faster { "more" } else { "fewer" };
        return words!(
            "{}: **{} warps in flight**, {} → {} % of an SM's warp slots.",
            opening,
            word,
            tenth(was),
            tenth(is)
        );
    }
    let table = audit.now.stalls.table(StallBasis::PerIssue);
    let moved = table.iter().flat_map(|table| &table.rows).filter(|row| row.is_stall()).filter_map(|row| {
        let (was, is) = (row.row.old.as_ref()?.value()?, row.row.new.value()?);
        Some((row, was, is, if faster { was - is } else { is - was }))
    });
    match moved.max_by(|a, b| a.3.total_cmp(&b.3)).filter(|(.., by)| *by > 0.0) {
        Some((row, was, is, _)) => words!(
            "{}: **{} {}**, {} → {} cycles per instruction.",
            opening,
            if faster { "less" } else { "more" },
            format::uncapital(&row.row.label),
            digits(was),
            digits(is)
        ),
        None => words!("{}.", opening),
    }
}

/// Busy cycles of the unit that tells the story, and its share of peak.
pub(super) fn unit_rows(audit: &Audit) -> Vec<Vec<Cell>> {
    let story = audit.change.as_ref().and_then(|change| change.story.as_ref());
    let Some(story) = story.filter(|story| !matches!(story.cause, StoryCause::Latency | StoryCause::Tail)) else {
        return Vec::new();
    };
    let unit = &story.unit;
    let label =
        if unit.is_tensor { "Tensor".to_owned() } else { format::capital(unit.label.trim_start_matches("the ")) };
    let by = unit.share.1 - unit.share.0;
    let points = format!("{}{} pp", if by < 0.0 { "−" } else { "+" }, format::fixed(by.abs(), 1));
    let mut shares = both(format!("{label}: % of peak"), unit.share, tenth);
    shares[3] = text(points);
    vec![both(format!("{label}: busy cycles"), unit.busy, amount), shares]
}

/// Why the SM clock under ncu may be another, where it fell by more than a little.
pub(super) fn clock(audit: &Audit) -> &'static str {
    const LEAST: f64 = 0.97;
    let value = |reading: Option<&crate::evidence::Reading>| reading.and_then(crate::evidence::Reading::value);
    let perf = &audit.performance;
    let hertz = |cycles: Option<f64>, ns: Option<f64>| Some(cycles? / ns?);
    let was = hertz(value(perf.cycles.old.as_ref()), value(perf.time.old.as_ref()));
    let is = hertz(value(Some(&perf.cycles.new)), value(Some(&perf.time.new)));
    let busier = audit
        .change
        .as_ref()
        .and_then(|change| change.story.as_ref())
        .is_some_and(|story| story.unit.is_tensor && story.unit.share.1 > story.unit.share.0);
    match was.zip(is) {
        Some((was, is)) if busier && is < LEAST * was => ": the busier pipe draws more power",
        _ => "",
    }
}
