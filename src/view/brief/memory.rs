//! Memory: what each level moved against what it cannot avoid, and the accesses that touch more sectors than their bytes fill.

use super::lead::called;
use super::numbers::{row, sides, tenth, value};
use super::places;
use crate::analysis::phases::{Amount, LaneStep, Phases, SectorAccess};
use crate::analysis::{AccessLine, Audit, Row};
use crate::catalog::{self, Counter};
use crate::quantity::glance::{amount, bytes, digits};
use crate::quantity::{SECTOR, format};
use crate::view::document::{Block, Cell, Section, Table};
use crate::view::groups::grouped;
use crate::view::source_lines;
use crate::view::tables::{self, filled, paragraph, table, text};
use crate::words::{Words, words};
use std::cmp::Reverse;

/// Bytes that L1 received from L2, copies to several blocks counted for each, and sectors that L2 sent.
const RECEIVED: Counter = Counter::L1texMXbar2l1texReadBytesSum;
const SENT: Counter = Counter::LtsTSectorsSrcunitTexOpReadSum;
/// Bytes that L1 received for bulk copies.
const BULK: Counter = Counter::L1texMXbar2l1texReadBytesMemGlobalOpTmaLdSum;
const READ: Counter = Counter::DramBytesReadSum;
/// Bytes that reached L2 from L1, and DRAM from L2.
const STORED: Counter = Counter::L1texML1tex2xbarWriteBytesSum;
const WRITTEN: Counter = Counter::DramBytesWriteSum;

const SHOWN: usize = 4;
/// Reasons that are told of sectors that no other order of the lanes takes.
const TOLD: usize = 2;
/// The part that is written as all.
const ALL: f64 = 0.995;
/// The share of all sectors below which an access is left out, and an excess in all below which there is nothing to see by
/// access, in percent.
const LEAST: f64 = 1.0;
const LEAST_EXCESS: f64 = 5.0;
/// The part of what the busiest level moved below which another is left out, and of one direction of DRAM beside the other.
const LEAST_MOVED: f64 = 0.01;
const LEAST_WAY: f64 = 0.05;

/// The section; `None` where nothing of it was collected.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let mut blocks: Vec<Block> = Vec::new();
    blocks.extend(bytes_moved(audit).map(Block::from));
    let phases = audit.now.phases.as_ref().filter(|phases| !phases.accesses.is_empty());
    blocks.extend(match phases {
        _ if audit.now.coalescing.total("excess-share").is_some_and(|share| share < LEAST_EXCESS) => None,
        Some(phases) => accesses(audit, phases).map(Block::from),
        None => by_line(audit).map(Block::from),
    });
    let said: Vec<Words> = [coalescing(audit), multicast(audit), shared(audit)].into_iter().flatten().collect();
    if !said.is_empty() {
        blocks.push(paragraph("sectors", words::join(said, " ")));
    }
    (!blocks.is_empty()).then(|| Section::new("memory", "Memory and coalescing", blocks))
}

/// Sectors that global accesses asked for beyond those they needed, and the lines that did.
pub(in crate::view) fn in_full(audit: &Audit) -> Section {
    let coalescing = &audit.now.coalescing;
    let totals: Vec<&Row> = coalescing.totals.iter().filter(|row| row.has_number()).collect();
    let mut blocks = match totals.is_empty() {
        true => vec![paragraph(
            "not-collected",
            words!(
                "Not collected: `memory_l2_theoretical_sectors_global` and its ideal. Collect with `--section SourceCounters`. This is not a statement that the accesses are coalesced."
            ),
        )],
        false => vec![tables::metrics("uncoalesced", &totals)],
    };
    if !coalescing.requests.is_empty() {
        blocks.push(paragraph(
            "requests",
            "Loads and stores apart, as L1 counts them. A warp that reads contiguous elements needs 4 sectors per request for 4-byte elements, 8 for 8-byte, 16 for 16-byte; 1 is a broadcast, 32 is a sector for every lane.",
        ));
        blocks.push(tables::metrics("requests", &coalescing.requests.iter().collect::<Vec<&Row>>()));
    }
    blocks.extend(source_lines::global(audit));
    Section::new("uncoalesced", "Uncoalesced global accesses", blocks)
}

/// A level: what it is called, its counter, what it cannot avoid, the hit rate in front of it.
pub(in crate::view) struct Level {
    pub(in crate::view) label: &'static str,
    pub(in crate::view) metric: Counter,
    least: Option<Amount>,
    pub(in crate::view) hits: Option<(&'static str, Counter)>,
}

/// The levels of memory that moved something worth a row, from DRAM to L1.
pub(in crate::view) fn levels(audit: &Audit) -> Vec<(Level, &Row)> {
    let least = audit.unavoidable.clone();
    let value = |metric: Counter| row(audit, metric)?.new.value();
    // What reaches DRAM of what was stored is told once.
    let is_same =
        value(STORED).zip(value(WRITTEN)).is_some_and(|(stored, written)| (stored / written - 1.0).abs() < 0.05);
    let boxes = || {
        let bytes = value(BULK).filter(|bytes| *bytes > 0.0)?;
        Some(Amount { bytes, what: "boxes of the bulk copies".into() })
    };
    let copied = least.operands.or_else(boxes);
    let copied = copied.filter(|copied| value(RECEIVED).is_some_and(|all| copied.bytes >= all / 2.0));
    let hits = Some(("L2", Counter::LtsTSectorHitRatePct));
    let mut levels = vec![
        Level { label: "DRAM read", metric: READ, least: least.read, hits: None },
        Level { label: "DRAM write", metric: WRITTEN, least: least.write, hits: None },
        Level { label: "L2 → L1", metric: RECEIVED, least: copied, hits },
    ];
    if !is_same {
        levels.push(Level { label: "L1 → L2", metric: STORED, least: None, hits: None });
    }
    let most = levels.iter().filter_map(|level| value(level.metric)).fold(0.0, f64::max);
    let dram = value(READ).unwrap_or_default().max(value(WRITTEN).unwrap_or_default());
    let floor = |metric: Counter| match metric {
        READ | WRITTEN => (LEAST_WAY * dram).max(LEAST_MOVED * most),
        _ => LEAST_MOVED * most,
    };
    let held = levels.into_iter().filter_map(|level| row(audit, level.metric).map(|row| (level, row)));
    held.filter(|(level, row)| row.new.value().is_some_and(|moved| moved > 0.0 && moved >= floor(level.metric)))
        .collect()
}

fn bytes_moved(audit: &Audit) -> Option<Table> {
    let rate = |level: &Level| {
        let (name, metric) = level.hits?;
        // Sectors and hits are counted in different passes.
        Some(format!("{name} {} %", tenth(value(audit, metric)?.min(100.0))))
    };
    let line = |(level, row): &(Level, &Row)| {
        let ([old, new], [least, factor]) =
            (sides(audit, row, bytes), against(level, row.new.value().unwrap_or_default()));
        vec![text(level.label), old, new, least, factor, text(rate(level).unwrap_or_default())]
    };
    let rows: Vec<Vec<Cell>> = levels(audit).iter().map(line).collect();
    let own = if audit.before.is_some() { "New" } else { "Bytes" };
    (!rows.is_empty())
        .then(|| filled("bytes", format!("Level | Old: | {own}: | Unavoidable: | Factor: | Hit rate:"), rows))
}

/// The part of what cannot be avoided below which more is missing than what levels round and count in other passes.
const LESS: f64 = 0.9;

/// What a level cannot avoid, and how many times it was moved.
fn against(level: &Level, moved: f64) -> [Cell; 2] {
    let Some(Amount { bytes: least, what }) = &level.least else { return [Cell::default(), Cell::default()] };
    let factor = moved / least;
    let rest = match level.metric {
        WRITTEN if factor < 0.995 => ", rest dirty in L2",
        READ if factor < LESS => ", rest was in L2 or is not read",
        RECEIVED if factor < LESS => ", rest was in L1",
        _ => "",
    };
    [
        text(format!("{} ({what})", bytes(*least))).sorted(*least),
        text(format!("{}{rest}", format::fixed(factor, 2))).sorted(factor),
    ]
}

/// That blocks of a cluster share what L2 sends: `None` without clusters and bulk copies.
fn multicast(audit: &Audit) -> Option<Words> {
    let value = |metric: Counter| row(audit, metric)?.new.value();
    let is_shared = value(Counter::LaunchClusterSize)? > 1.0 && value(BULK)? > value(RECEIVED)? / 2.0;
    let (received, sent) = (value(RECEIVED)?, SECTOR * value(SENT)?);
    let is_less = is_shared && received > 1.05 * sent;
    is_less.then(|| words!("**Multicast:** L2 sent {} for the {} that L1 received.", bytes(sent), bytes(received)))
}

const ACCESSES: &str = "Access | Requests: | Sectors/request: | Ideal: | Excess sectors:";

/// `LDG.64`.
fn opcode(access: &SectorAccess) -> String {
    let width = access.width_bits.map(|bits| format!(".{bits}")).unwrap_or_default();
    format!("{}{width}", access.at.opcode.split('.').next().unwrap_or_default())
}

/// The accesses with an excess of sectors, each request by itself; where none has, the sentence below says so.
fn accesses(audit: &Audit, phases: &Phases) -> Option<Table> {
    let excess = |access: &SectorAccess| access.excess() + access.again;
    let all: u64 = phases.accesses.iter().map(|access| access.apart[1]).sum();
    let is_told = |access: &&SectorAccess| excess(access) > 0 && 100.0 * access.apart[1] as f64 >= LEAST * all as f64;
    let told: Vec<&SectorAccess> = phases.accesses.iter().filter(is_told).collect();
    if told.is_empty() {
        return None;
    }
    let file = places::file(phases);
    let label = |access: &SectorAccess| {
        let apart = apart(audit, access).map(|apart| words!(": {}", apart));
        words!("`{}` ({}){}", opcode(access), places::called_line(&access.at, file), words::maybe(apart))
    };
    let mut alike = grouped(told.into_iter().map(|access| ((label(access), access.is_inherent), access)));
    alike.sort_by_key(|(_, all)| Reverse(all.iter().map(|access| excess(access)).sum::<u64>()));
    let line = |((label, is_inherent), all): ((Words, bool), Vec<&SectorAccess>)| {
        let sum = |of: &dyn Fn(&SectorAccess) -> f64| all.iter().map(|access| of(access)).sum::<f64>();
        let [requests, sectors] = [0, 1].map(|of| sum(&|one| one.apart[of] as f64));
        let (excess, again) = (sum(&|one| excess(one) as f64), sum(&|one| one.again as f64));
        let inherent = if is_inherent { ", inherent" } else { "" };
        let again = match again {
            again if again >= ALL * excess => ", read again by the load beside it".to_owned(),
            again if again > 0.0 => format!(", {} of it read again", amount(again)),
            _ => String::new(),
        };
        let [sectors, ideal] = [sectors, sectors - excess].map(|sum| sum / requests.max(1.0));
        vec![
            text(label),
            text(amount(requests)).sorted(requests),
            text(digits(sectors)).sorted(sectors),
            text(digits(ideal)).sorted(ideal),
            text(format!("{}{inherent}{again}", amount(excess))).sorted(excess),
        ]
    };
    Some(table("accesses", ACCESSES, alike.into_iter().take(SHOWN).map(line)))
}

/// `size`, where the launcher tells the arguments; `the argument at byte 16`, of those that the kernel is called with; its place in the
/// bank where nobody knows where they begin.
fn factor(audit: &Audit, byte: u16) -> Words {
    let chip = audit.now.artefact.compute_capability.and_then(catalog::chip);
    let Some(byte) = chip.and_then(|chip| byte.checked_sub(chip.arguments?)) else {
        return words!("argument `{}`", format!("c[0x0][{byte:#x}]"));
    };
    let launch = audit.trials.correctness.as_ref().map(|correctness| &correctness.launch);
    match launch.and_then(|launch| launch.argument_at(byte.into())) {
        Some(name) => words!("`{}`", name),
        None => words!("the argument at byte {}", byte.to_string()),
    }
}

/// `lanes 1,536 B apart`, where the code shows it; of those side by side nothing.
pub(in crate::view) fn apart(audit: &Audit, access: &SectorAccess) -> Option<Words> {
    let LaneStep { group, bytes, argument } = access.step?;
    if (group, argument) == (1, None) && access.width_bits == Some(8 * bytes.unsigned_abs()) {
        return None;
    }
    let who = if group == 1 { "lanes".to_owned() } else { format!("groups of {group} lanes") };
    let bytes = format::integer(bytes.unsigned_abs());
    Some(match argument {
        Some(byte) => words!("{} {} B × {} apart", who, bytes, factor(audit, byte)),
        None => words!("{} {} B apart", who, bytes),
    })
}

/// The same by source line, for a report without the code's bits.
fn by_line(audit: &Audit) -> Option<Table> {
    let accesses = audit.source.as_ref()?.global.as_ref()?;
    let is_told = |line: &&AccessLine| line.excess > 0 && 100.0 * line.moved as f64 >= LEAST * accesses.moved as f64;
    let lines: Vec<&AccessLine> = accesses.lines.iter().filter(is_told).take(SHOWN).collect();
    let row = |line: &&AccessLine| {
        let width = line.width_bits.map(|bits| format!(".{bits}")).unwrap_or_default();
        let ideal = line.ideal.map(|ideal| digits(ideal as f64 / line.requests.max(1) as f64));
        vec![
            text(format!("{}{width}, {}", line.kind, line.spot.label())),
            text(amount(line.requests as f64)).sorted(line.requests as f64),
            text(digits(line.per_request)).sorted(line.per_request),
            text(ideal.unwrap_or_default()),
            text(amount(line.excess as f64)).sorted(line.excess as f64),
        ]
    };
    (!lines.is_empty()).then(|| table("accesses", ACCESSES, lines.iter().map(row)))
}

fn coalescing(audit: &Audit) -> Option<Words> {
    let of = |id: &str| audit.now.coalescing.total(id);
    let (share, excess, all) = (of("excess-share")?, of("excess")?, of("sectors")?);
    let bulk: Vec<String> =
        audit.now.coalescing.uncounted.iter().map(|(opcode, count)| format!("{} {opcode}", amount(*count))).collect();
    let bulk = match bulk.as_slice() {
        [] => String::new(),
        some => format!(" Bulk copies are not counted: {}.", some.join(", ")),
    };
    if excess <= 0.0 {
        return Some(words!("**Uncoalesced:** none of {} sectors.{}", amount(all), bulk));
    }
    if share < 0.05 {
        return Some(words!("**Uncoalesced:** under 0.1 % of {} sectors.{}", amount(all), bulk));
    }
    let phases = audit.now.phases.as_ref();
    let with_excess = || phases.into_iter().flat_map(|phases| &phases.accesses).filter(|access| access.excess() > 0);
    let sum = |is_own: fn(&SectorAccess) -> bool| {
        with_excess().filter(|access| is_own(access)).map(SectorAccess::excess).sum::<u64>() as f64
    };
    let again = phases.into_iter().flat_map(|phases| &phases.accesses).map(|access| access.again).sum::<u64>() as f64;
    let index = with_excess().find(|access| access.is_inherent).and_then(|access| access.index.as_ref()).zip(phases);
    let index = index.map_or_else(String::new, |(at, phases)| {
        format!(" (index: {})", places::called_line(at, places::file(phases)))
    });
    // What no other order of the lanes takes.
    let mut parts = vec![
        (again, "are read again by the load beside it".to_owned()),
        (sum(|one| one.is_inherent), format!("lie at loaded addresses{index}")),
        (
            sum(|one| one.is_shifted && !one.is_inherent),
            "are there because contiguous bytes start off a sector's boundary".to_owned(),
        ),
        (sum(|one| one.is_gappy && !one.is_inherent && !one.is_shifted), "lie beside lanes that are off".to_owned()),
        (sum(SectorAccess::is_split), "are brought twice by copies of 16 bytes a lane".to_owned()),
        (sum(|one| one.stays < 1.0 && !one.is_inherent), "hold the words that the lanes add to next".to_owned()),
    ];
    let packed = excess - parts.iter().map(|(own, _)| own).sum::<f64>();
    let is_worth = |own: f64| 100.0 * own >= LEAST * all;
    parts.retain(|(own, _)| is_worth(*own));
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    parts.truncate(TOLD);
    let is_packed = is_worth(packed) || parts.is_empty();
    if is_packed {
        parts.insert(0, (packed.max(0.0), "would go if the bytes were packed".to_owned()));
    }
    let told = parts.iter().enumerate().map(|(at, (own, why))| match at {
        0 => format!("{} of {} sectors at L1 ({} %) {why}", amount(*own), amount(all), tenth(100.0 * own / all)),
        _ => format!("{} {why}", amount(*own)),
    });
    let worst = phases.filter(|_| is_packed).and_then(|phases| {
        let is_own = |access: &&SectorAccess| {
            !access.is_inherent && !access.is_shifted && !access.is_gappy && access.stays >= 1.0
        };
        let access = with_excess().find(is_own)?;
        let at = words!("`{}` of {}", opcode(access), places::line(&access.at, places::file(phases)));
        let all = format::fixed(access.bytes_used(), 0);
        Some(match access.side_by_side() {
            beside if beside < 2.0 => words!("; {} uses {} of 32 bytes of a sector", at, all),
            beside => words!(
                "; a load of {} uses {} of 32 bytes of a sector, all of a row {}",
                at,
                format::fixed(access.bytes_used() / beside, 0),
                all
            ),
        })
    });
    Some(words!(
        "**Uncoalesced:** {}{}{}.{}{}",
        if is_packed { "" } else { "none that packing a request takes; " },
        told.collect::<Vec<String>>().join(", "),
        words::maybe(worst),
        words::maybe(beside(audit).filter(|_| share >= LEAST_EXCESS)),
        bulk
    ))
}

/// The sectors of loads and stores by lanes beside those of the reference, which tells whether the work itself asks for them.
fn beside(audit: &Audit) -> Option<String> {
    let (name, reference) =
        (&audit.trials.timing.as_ref()?.benchmark.reference.as_ref()?.name, audit.trials.reference.as_ref()?);
    let of = |sectors: Counter| {
        let row = reference.rows.iter().find(|row| row.id == sectors)?;
        Some((row.kernel.value()?, row.reference.value()?))
    };
    let (loads, stores) =
        (of(Counter::L1texTSectorsPipeLsuMemGlobalOpLdSum)?, of(Counter::L1texTSectorsPipeLsuMemGlobalOpStSum)?);
    let sectors = |count: f64| if count > 0.0 { amount(count) } else { "none".to_owned() };
    Some(format!(
        " Sectors loaded and stored: {} and {}; {} {} and {}.",
        sectors(loads.0),
        sectors(stores.0),
        called(name),
        sectors(loads.1),
        sectors(stores.1)
    ))
}

/// The wavefronts of shared memory beyond the least, where they are most of what all changed by.
pub(super) fn conflicts(audit: &Audit) -> Option<(f64, f64)> {
    let (was, is) = (audit.before.as_ref()?.coalescing.shared?, audit.now.coalescing.shared?);
    let beyond = |(all, least): (f64, f64)| all - least;
    (2.0 * (beyond(is) - beyond(was)).abs() > (is.0 - was.0).abs()).then(|| (beyond(was), beyond(is)))
}

fn shared(audit: &Audit) -> Option<Words> {
    let (all, ideal) = audit.now.coalescing.shared?;
    let excess = all - ideal;
    Some(if excess <= 0.0 {
        words!("**Bank conflicts:** none in {} wavefronts.", amount(all))
    } else {
        words!(
            "**Bank conflicts:** {} of {} shared-memory wavefronts ({} %).",
            amount(excess),
            amount(all),
            tenth(100.0 * excess / all)
        )
    })
}
