//! What made the kernel faster or slower, in a sentence and in the rows that show it.

use super::chain;
use super::numbers::{both, row, tenth};
use crate::analysis::{Audit, Root, RootKind, StallBasis, Story, StoryCause};
use crate::catalog::{Code, Counter, Part};
use crate::quantity::glance::{amount, digits, quantity};
use crate::quantity::{Quantity, Unit, format};
use crate::view::document::Cell;
use crate::view::tables::text;
use crate::words::{Words, words};

/// A count that fell to less than this part of what it was has gone.
const GONE: f64 = 0.05;

/// The sentence, with a space in front; empty where nothing tells.
pub(super) fn sentence(audit: &Audit) -> Words {
    let Some(story) = audit.change.as_ref().and_then(|change| change.story.as_ref()) else { return Words::default() };
    let unit = &story.unit;
    let is_faster = story.is_faster();
    let shares = format!("{} → {} %", tenth(unit.share.0), tenth(unit.share.1));
    let busy = factor(unit.busy);
    match (story.cause, story.root.map(|root| told(audit, root))) {
        (StoryCause::Tail, _) => tail(audit, story),
        (StoryCause::Overlap, root) => words!(
            " The work of {} is nearly the same ({}): **{} overlap**, {} of its peak{}.",
            unit.label.as_str(),
            format::change(unit.busy.0, unit.busy.1),
            if is_faster { "better" } else { "worse" },
            shares,
            root.map_or_else(Words::default, |(what, how)| words!("; {}{}", what, how))
        ),
        (StoryCause::Work | StoryCause::Both, Some((what, how))) => {
            words!(" **{}**{}. Busy cycles of {} {}.", format::capital(&what), how, unit.label.as_str(), busy)
        }
        (_, Some((what, how))) => words!(" **{}**{}.", format::capital(&what), how),
        (StoryCause::Work, None) if unit.is_tensor => words!(
            " Tensor cycles changed as much ({}) as elapsed cycles ({}), tensor pipe at {}: **{}, not overlap**{}.",
            busy,
            factor(story.cycles),
            shares,
            if is_faster { "faster products" } else { "slower products" },
            work(audit, story)
        ),
        (StoryCause::Work, None) => words!(
            " **{} work for {}** (busy cycles {}{}).",
            if is_faster { "Less" } else { "More" },
            unit.label.as_str(),
            busy,
            work(audit, story)
        ),
        (StoryCause::Both, None) => words!(
            " **Both** the work of {} ({}{}) and its overlap ({} of its peak) changed.",
            unit.label.as_str(),
            busy,
            work(audit, story),
            shares
        ),
        (StoryCause::Traded | StoryCause::Latency, None) => stall(audit, is_faster),
    }
}

/// `÷ 2.33`, `× 1.98`.
fn factor((was, is): (f64, f64)) -> String {
    if was >= is { format!("÷ {}", digits(was / is)) } else { format!("× {}", digits(is / was)) }
}

/// A root in words: what it is, and its numbers.
fn told(audit: &Audit, Root { kind, was, is }: Root) -> (String, Words) {
    let word = if is < was { "fewer" } else { "more" };
    let counted = |noun: &str| match (is < GONE * was, was < GONE * is) {
        (true, _) => format!("the {noun} went"),
        (_, true) => format!("the {noun} came"),
        _ => format!("{word} {noun}"),
    };
    let numbers = |unit: &str| words!(": {} → {}{}", amount(was), amount(is), unit);
    let traffic = |noun: &str, counter: Counter| {
        (
            format!("{word} {noun}"),
            words!(", {}{}", format::change(was, is), opcode(chain::because(audit, counter, is > was))),
        )
    };
    match kind {
        RootKind::Products => (counted("products of the tensor cores"), numbers(" executed")),
        RootKind::Spills => (counted("spills"), numbers(" executed instructions spill or refill registers")),
        RootKind::Local => (counted("accesses to local memory"), numbers(" executed")),
        RootKind::Conflicts => (counted("bank conflicts"), numbers(" wavefronts of shared memory beyond the least")),
        RootKind::Sectors => (counted("excess sectors of global accesses"), numbers("")),
        RootKind::Shared => (counted("accesses to shared memory"), numbers(" executed")),
        RootKind::Columns => {
            (format!("{} products", if is > was { "wider" } else { "narrower" }), numbers(" columns each"))
        }
        RootKind::Atomics => (counted("atomics at L2"), numbers(" executed")),
        RootKind::AtomicLanes => (counted("atomics at L2"), numbers(" by lanes")),
        RootKind::Barriers => (counted("barriers of the block"), numbers(" executed")),
        RootKind::LongDivisions => (counted("divisions of 64-bit integers"), numbers(" executed")),
        RootKind::Divisions => (counted("divisions of integers"), numbers(" executed")),
        RootKind::Loaded => {
            let [was, is] = [was, is].map(|bytes| Quantity::new(bytes, Unit::BYTE).map(quantity).unwrap_or_default());
            (format!("{word} bytes loaded"), words!(": {} → {} with all lanes on", was, is))
        }
        RootKind::Constants => (counted("loads of constants by lane"), numbers(" executed")),
        RootKind::Blocks => (format!("{word} blocks"), numbers("")),
        RootKind::Lanes => {
            let numbers = words!(": {} → {} of 32 in the average instruction", tenth(was), tenth(is));
            (format!("{word} lanes on"), numbers)
        }
        RootKind::Instructions => {
            let most = opcode(chain::because(audit, Counter::SmspInstExecutedSum, is > was));
            let beside = if chain::is_beside(audit) { " beside the same arithmetic" } else { "" };
            (format!("{word} instructions{beside}"), words!(", {}{}", format::change(was, is), most))
        }
        RootKind::Warps => {
            let numbers = words!(": {} → {} % of an SM's warp slots", tenth(was), tenth(is));
            (format!("{word} warps in flight"), numbers)
        }
        RootKind::Copies => (
            format!("{word} copies in flight"),
            words!(": {} → {} groups at the wait for one", amount(was), amount(is)),
        ),
        RootKind::Loads => {
            let (was, is) = (format::fixed(was, 0), format::fixed(is, 0));
            let numbers = words!(": {} → {} B a lane before the first use", was, is);
            (format!("{word} loads in flight"), numbers)
        }
        RootKind::Hits => (format!("{word} hits in L2"), words!(": {} → {} % of its sectors", tenth(was), tenth(is))),
        RootKind::L2 => traffic("sectors of L2", Counter::LtsTSectorsSum),
        RootKind::Dram => traffic("bytes of DRAM", Counter::DramBytesReadSum),
    }
}

/// `, LOP3 17.3 M in the main loop → 11.5 M`; empty without one.
fn opcode(moved: Words) -> Words {
    if moved.is_empty() { moved } else { words!(", {}", moved) }
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

/// `; instructions −10.6 %, LOP3 17.3 M in the main loop → 11.5 M`: what the work of the unit counts, and the opcode that moved it.
fn work(audit: &Audit, story: &Story) -> Words {
    const DRAM: [Counter; 2] = [Counter::DramBytesReadSum, Counter::DramBytesWriteSum];
    const STAGE: [Counter; 2] = [Counter::MemoryL1WavefrontsShared, Counter::MemoryL2TheoreticalSectorsGlobal];
    let rose = !story.is_faster();
    let counters = match story.unit.part {
        Part::Issue => &[Counter::SmspInstExecutedSum][..],
        Part::MemoryShared | Part::MemoryL1tex => &STAGE,
        Part::MemoryL2 => &[Counter::LtsTSectorsSum],
        Part::MemoryDram => &DRAM,
        part => {
            let most = chain::of_pipe(audit, part, rose);
            let most = if most.is_empty() { chain::because(audit, Counter::SmspInstExecutedSum, rose) } else { most };
            return if most.is_empty() { most } else { words!("; {}", most) };
        }
    };
    let moved = counters.iter().filter_map(|counter| {
        let row = row(audit, *counter)?;
        let change = row.change().filter(|change| (change.new > change.old) == rose)?;
        Some((*counter, row, change))
    });
    let most = moved.max_by(|(.., a), (.., b)| (a.new - a.old).abs().total_cmp(&(b.new - b.old).abs()));
    most.map_or_else(Words::default, |(counter, row, change)| {
        let label = if counter == Counter::SmspInstExecutedSum { "instructions" } else { row.label.as_str() };
        let most = opcode(chain::because(audit, counter, rose));
        words!("; {} {}{}", format::uncapital(label), format::change(change.old, change.new), most)
    })
}

/// The stall that changed most, where no count tells.
fn stall(audit: &Audit, is_faster: bool) -> Words {
    let table = audit.now.stalls.table(StallBasis::PerIssue);
    let moved = table.iter().flat_map(|table| &table.rows).filter(|row| row.is_stall()).filter_map(|row| {
        let (was, is) = (row.row.old.as_ref()?.value()?, row.row.new.value()?);
        Some((row, was, is, if is_faster { was - is } else { is - was }))
    });
    let most = moved.max_by(|a, b| a.3.total_cmp(&b.3)).filter(|(.., by)| *by > 0.0);
    most.map_or_else(Words::default, |(row, was, is, _)| {
        words!(
            " **{} {}**: {} → {} cycles per instruction.",
            if is_faster { "Less" } else { "More" },
            format::uncapital(&row.row.label),
            digits(was),
            digits(is)
        )
    })
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
    let points = format!("{} pp", format::signed(unit.share.1 - unit.share.0, 1));
    let mut shares = both(format!("{label}: % of peak"), unit.share, tenth);
    shares[3] = text(points);
    vec![both(format!("{label}: busy cycles"), (unit.busy.0.round(), unit.busy.1.round()), amount), shares]
}

/// Why the SM clock under ncu may be another, where it fell by more than a little.
pub(super) fn clock(audit: &Audit) -> &'static str {
    const LEAST: f64 = 0.97;
    let value = |reading: Option<&crate::evidence::Reading>| reading.and_then(crate::evidence::Reading::value);
    let perf = &audit.performance;
    let hertz = |cycles: Option<f64>, ns: Option<f64>| Some(cycles? / ns?);
    let was = hertz(value(perf.cycles.old.as_ref()), value(perf.time.old.as_ref()));
    let is = hertz(value(Some(&perf.cycles.new)), value(Some(&perf.time.new)));
    let story = audit.change.as_ref().and_then(|change| change.story.as_ref());
    let busier = story.is_some_and(|story| story.unit.is_tensor && story.unit.share.1 > story.unit.share.0);
    match was.zip(is) {
        Some((was, is)) if busier && is < LEAST * was => ": the busier pipe draws more power",
        _ => "",
    }
}
