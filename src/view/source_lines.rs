//! Costs by source line: tables inside the sections of stalls, throughput, accesses and instructions.

use super::brief;
use super::document::{Block, Cell};
use super::spots::{place, table};
use super::tables::{self, columns_of, count, fold, heading, left, paragraph, right, text};
use crate::analysis::phases::SectorAccess;
use crate::analysis::{AccessLine, Accesses, Audit, LineWaits, Pattern, Place, ReasonLines, SourceLines, Spot, Waits};
use crate::evidence::Lines;
use crate::quantity::format;
use crate::words::Words;
use crate::{catalog, words};

/// Lines below this share stay off the page, in percent.
const SMALL: f64 = 1.0;
/// Shares closer than this read the same, in percentage points.
const SAME_SHARE: f64 = 0.05;

fn percent(value: f64) -> Cell {
    tables::percent(value, 1)
}

fn bound(value: Option<f64>) -> Cell {
    let bounded = |bound: f64| text(format!("≤ {} %", format::fixed(bound, 1))).sorted(bound);
    value.map_or_else(|| text("not collected"), bounded)
}

/// What is large enough for the page; the first always is.
fn shown<T>(all: impl IntoIterator<Item = T>, share: impl Fn(&T) -> f64) -> impl Iterator<Item = T> {
    all.into_iter().enumerate().filter(move |(at, one)| *at == 0 || share(one) >= SMALL).map(|(_, one)| one)
}

/// Which launch the lines are of, where the numbers elsewhere are medians of several, and why there are no lines.
fn basis(audit: &Audit, source: &SourceLines) -> String {
    let mut words = Vec::new();
    if audit.now.artefact.launches.len() > 1 {
        words.push(format!("By line, of launch {} alone.", source.launch));
    }
    if source.lines != Lines::Known {
        words.push("The rows are instructions, by their byte offset in the function.".into());
    }
    words.join(" ")
}

/// Why there are no lines, and how to get them.
fn why_no_lines(lines: &Lines) -> Option<Words> {
    match lines {
        Lines::Known => None,
        Lines::NoLineInfo => Some(words!(
            "The code carries no line information: build with `nvcc -lineinfo` and profile with `--import-source yes` to see source lines."
        )),
        Lines::NoCode | Lines::NoAddresses | Lines::NoCounters => Some("The report does not hold the machine code with its load addresses: profile with ncu 2022.3 or later to see source lines.".into()),
        Lines::Unreadable { .. } => {
            Some(words!("The machine code in the report cannot be read, so its source lines are not known."))
        }
    }
}

fn lead(name: &str, audit: &Audit, source: &SourceLines, sentence: impl Into<Words>) -> Block {
    let (mut words, basis): (Words, String) = (sentence.into(), basis(audit, source));
    if !basis.is_empty() {
        words.push(format!(" {basis}"));
    }
    paragraph(name, words)
}

pub(super) fn waits(audit: &Audit) -> Vec<Block> {
    let Some(source) = &audit.source else { return Vec::new() };
    let title = heading("waits-lines", "Where the warps wait");
    let Some(waits) = &source.waits else {
        let words = words!(
            "No lines: the report counts nothing by instruction. Collect with `--section SourceCounters --import-source yes`."
        );
        return vec![title, paragraph("waits-lines", words)];
    };
    let sentence = "Warp samples by line, issuing cycles included. The sampler names the instruction that waits, which comes after its cause: the first use of a loaded value, or the instruction after a barrier.";
    let cells = |line: &LineWaits| {
        let reasons: Vec<String> = line.reasons.iter().map(|(id, share)| reason(id, *share)).collect();
        vec![percent(line.share), text(reasons.join(", "))]
    };
    let make = |name, lines: &[LineWaits], by_instruction| {
        let rows = shown(lines, |line| line.share).map(|line| (&line.spot, cells(line)));
        let columns = vec![right("Samples"), left("Waits of these samples")];
        table(name, columns, rows, by_instruction)
    };
    let mut blocks =
        vec![title, lead("waits-lines", audit, source, sentence), make("waits-lines", &waits.lines, false)];
    blocks.extend(why_no_lines(&source.lines).map(|words| paragraph("why-no-lines", words)));
    blocks.extend(source.parked.as_ref().map(|parked| {
        let words = words!(
            "Warps with nothing left to do, at the last barrier of the kernel ({}), make {} % of the samples: the verdict does not count them as waits at barriers.",
            place(&parked.at),
            format::fixed(parked.share, 1)
        );
        paragraph("parked", words)
    }));
    let mut folded = Vec::new();
    if !waits.reasons.is_empty() {
        let rows: Vec<(&Spot, Vec<Cell>)> = waits
            .reasons
            .iter()
            .flat_map(|reason| reason.lines.iter().map(move |(spot, share)| (reason, spot, *share)))
            .filter(|(_, _, share)| *share >= SMALL)
            .map(|(reason, spot, share)| {
                (spot, vec![text(label(&reason.reason)), percent(reason.share), percent(share)])
            })
            .collect();
        folded.push(table(
            "waits-reasons",
            "Stall reason | Samples of the reason: | Of these at the line:",
            rows,
            false,
        ));
        folded.extend(causes(waits));
    }
    if !waits.hotspots.is_empty() && source.lines == Lines::Known {
        folded.push(paragraph("waits-hotspots", "Single instructions with more than a tenth of all samples:"));
        folded.push(make("waits-hotspots", &waits.hotspots, true));
    }
    if !folded.is_empty() {
        blocks.push(fold("waits-reasons", "By stall reason and by instruction", folded));
    }
    blocks
}

/// Where a reason is met, in a few words: the place that is waited for, else the line with most of its samples.
pub(super) fn place_of_wait(audit: &Audit, reason: &str) -> Option<Words> {
    /// A place that holds less of a reason than this does not stand for it, in percent.
    const TELLS: f64 = 25.0;
    let waits = audit.source.as_ref()?.waits.as_ref()?;
    let own = waits.reasons.iter().find(|lines| lines.reason == reason)?;
    // The file stands in the verdict where all lines are of one.
    let mut all = own.lines.iter().chain(&own.causes).map(|(spot, _)| &spot.place.file);
    let file = all.next().filter(|first| all.all(|other| other == *first));
    let short = |spot: &Spot| match file.is_some() && spot.place.line > 0 {
        true => format!(":{}", spot.place.line),
        false => spot.label(),
    };
    let large = |places: &[(Spot, f64)]| -> Vec<(String, f64)> {
        let told = places.iter().filter(|(spot, share)| *share >= TELLS && !spot.label().is_empty());
        told.take(2).map(|(spot, share)| (short(spot), *share)).collect()
    };
    let at = |places: &[(String, f64)]| {
        let told = places.iter().map(|(place, share)| format!("{} % at {place}", format::fixed(*share, 0)));
        told.collect::<Vec<_>>().join(", ")
    };
    let (causes, lines) = (large(&own.causes), large(&own.lines));
    let told = match (causes.as_slice(), lines.as_slice()) {
        ([], []) => return None,
        (causes, []) => at(causes),
        ([], lines) => at(lines),
        (causes, lines) if at(causes) == at(lines) => at(lines),
        ([(cause, _)], lines) => format!("{}, for what {cause} issues", at(lines)),
        (causes, lines) => format!("{}, for what {} and {} issue", at(lines), causes[0].0, causes[1].0),
    };
    Some(told.into())
}

/// What the waits are for, where the machine code tells.
fn causes(waits: &Waits) -> Vec<Block> {
    let all =
        waits.reasons.iter().flat_map(|reason| reason.causes.iter().map(move |(spot, share)| (reason, spot, *share)));
    // A wait at its own cause stands in the table above.
    let is_told = |reason: &ReasonLines, spot: &Spot, share: f64| {
        reason.lines.iter().any(|(other, waits)| other.label() == spot.label() && (waits - share).abs() < SAME_SHARE)
    };
    let rows: Vec<(&Spot, Vec<Cell>)> = all
        .filter(|(reason, spot, share)| *share >= SMALL && !is_told(reason, spot, *share))
        .map(|(reason, spot, share)| (spot, vec![text(label(&reason.reason)), percent(share)]))
        .collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let columns = vec![left("Stall reason"), right("Of its samples for this line")];
    let words = "What these warps wait for, traced in the SASS: the preceding barrier, or the nearest earlier instruction that sets the scoreboard.";
    vec![paragraph("waits-causes", words), table("waits-causes", columns, rows, false)]
}

pub(super) fn limiting(audit: &Audit) -> Vec<Block> {
    let Some(limiting) = audit.source.as_ref().and_then(|source| source.limiting.as_ref()) else { return Vec::new() };
    let rows = shown(&limiting.lines, |(_, share)| *share).map(|(spot, share)| (spot, vec![percent(*share)]));
    let words = words!("**Largest contributors**, by {}:", limiting.say());
    let columns = vec![right("Share")];
    vec![paragraph("limiting-lines", words), table("limiting-lines", columns, rows, false)]
}

fn label(reason: &str) -> &str {
    catalog::stall(reason).map_or(reason, |row| row.label)
}

fn reason(id: &str, share: f64) -> String {
    format!("{} {} %", label(id), format::fixed(share, 0))
}

fn kind(line: &AccessLine) -> String {
    let width = line.width_bits.map(|bits| format!("{bits}-bit"));
    let known = [Some(line.kind.clone()).filter(|kind| !kind.is_empty()), width];
    known.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn pattern(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Broadcast => "all lanes in one sector",
        Pattern::SideBySide => "contiguous",
        Pattern::Misaligned => "contiguous, not sector-aligned",
        Pattern::Strided { .. } => "strided, or rows of a tile: part of each sector is used",
        Pattern::SectorPerLane => "one sector per lane: stride of 32 B or more, or scattered",
        Pattern::Unknown => "not known",
    }
}

fn excess_lines(lines: &[AccessLine]) -> impl Iterator<Item = &AccessLine> {
    shown(lines.iter().filter(|line| line.excess > 0), |line| line.share)
}

pub(super) fn global(audit: &Audit) -> Vec<Block> {
    let Some(source) = &audit.source else { return Vec::new() };
    let Some(accesses) = source.global.as_ref().filter(|accesses| accesses.excess > 0) else { return Vec::new() };
    let head =
        "Access | Requests: | Sectors per request: | Excess sectors: | Share of excess: | Bound: | Addresses of a warp";
    let cells = |line: &AccessLine| {
        let ideal = line.ideal.map(|ideal| format::fixed(ideal as f64 / line.requests.max(1) as f64, 1));
        let ideal = ideal.map(|ideal| format!(" (ideal {ideal})")).unwrap_or_default();
        let per = format!("{}{ideal}", format::fixed(line.per_request, 1));
        // What the code shows says more than the counts.
        let is_same = |access: &&SectorAccess| {
            let Place { file, line: own, .. } = &line.spot.place;
            access.at.file == *file && access.at.line == *own && access.width_bits == line.width_bits
        };
        let known = audit.now.phases.iter().flat_map(|phases| &phases.accesses).filter(is_same);
        let words = text(
            known
                .filter_map(|access| brief::memory::apart(audit, access))
                .next()
                .unwrap_or_else(|| pattern(line.pattern).into()),
        );
        vec![
            text(kind(line)),
            count(line.requests),
            text(per).sorted(line.per_request),
            count(line.excess),
            percent(line.share),
            bound(line.bound),
            words,
        ]
    };
    let sentence = "Lines that move more sectors than their bytes need, loads and stores apart. The pattern is what the counts imply for evenly spaced lanes; the bound is the share of the time that the excess can cost while L2 works, and bounds do not add up.";
    let name = "uncoalesced-lines";
    let mut blocks = vec![heading(name, "By source line"), lead(name, audit, source, sentence)];
    blocks.extend(excess(source, accesses, [name, "uncoalesced-instructions"], head, cells));
    blocks
}

/// A table of the accesses with an excess by line, and of the instructions where these say more; the names are those of both.
fn excess(
    source: &SourceLines,
    accesses: &Accesses,
    [by_line, by_instruction]: [&str; 2],
    head: &str,
    cells: impl Fn(&AccessLine) -> Vec<Cell>,
) -> Vec<Block> {
    let make = |name, of: &[AccessLine], is_of_instructions| {
        let rows = excess_lines(of).map(|line| (&line.spot, cells(line)));
        table(name, columns_of(head), rows, is_of_instructions)
    };
    let mut blocks = vec![make(by_line, &accesses.lines, false)];
    let rows = |of| excess_lines(of).count();
    if source.lines == Lines::Known && rows(&accesses.instructions) > rows(&accesses.lines) {
        let table = make(by_instruction, &accesses.instructions, true);
        blocks.push(fold(by_instruction, "By instruction", vec![table]));
    }
    blocks
}

pub(super) fn shared(audit: &Audit) -> Vec<Block> {
    let Some(source) = &audit.source else { return Vec::new() };
    let Some(accesses) = source.shared.as_ref().filter(|accesses| accesses.excess > 0) else { return Vec::new() };
    let head = "Access | Requests: | Wavefronts: | Ideal: | Conflict: | Share of excess: | Bound:";
    let cells = |line: &AccessLine| {
        let ways = line.ways().map(|ways| text(format!("{}-way", format::fixed(ways, 1))).sorted(ways));
        vec![
            text(kind(line)),
            count(line.requests),
            count(line.moved),
            line.ideal.map_or_else(Cell::default, count),
            ways.unwrap_or_default(),
            percent(line.share),
            bound(line.bound),
        ]
    };
    let all = accesses.ideal.map_or(0.0, |_| 100.0 * accesses.excess as f64 / accesses.moved.max(1) as f64);
    let sentence = format!(
        "{} of {} shared-memory wavefronts ({} %) come from bank conflicts. Wavefronts over the ideal give the n of an n-way conflict; the bound is the share of the time that the excess can cost while L1 works.",
        format::integer(accesses.excess),
        format::integer(accesses.moved),
        format::fixed(all, 2)
    );
    let name = "conflict-lines";
    let mut blocks = vec![heading(name, "Bank conflicts by source line"), lead(name, audit, source, sentence)];
    blocks.extend(excess(source, accesses, [name, "conflict-instructions"], head, cells));
    blocks
}

pub(super) fn local(audit: &Audit) -> Vec<Block> {
    let Some(source) = &audit.source else { return Vec::new() };
    let Some(accesses) = &source.local else { return Vec::new() };
    let rows = shown(&accesses.lines, |line| line.share)
        .map(|line| (&line.spot, vec![text(kind(line)), count(line.requests), count(line.moved), percent(line.share)]));
    let (name, words) = ("local-lines", "Spilled registers and arrays of a thread that the compiler put in memory.");
    vec![
        heading(name, "Local memory by source line"),
        lead(name, audit, source, words),
        table(name, "Access | Requests: | Sectors: | Share of local sectors:", rows, false),
    ]
}

pub(super) fn instructions(audit: &Audit) -> Vec<Block> {
    let Some(source) = &audit.source else { return Vec::new() };
    let mut blocks = Vec::new();
    if let Some(lines) = source.idle_lanes.as_ref().filter(|lines| !lines.is_empty()) {
        let rows = lines.iter().map(|line| {
            let lanes = text(format!("{} of 32", format::fixed(line.lanes, 1))).sorted(line.lanes);
            (&line.spot, vec![count(line.executed), lanes, percent(line.share)])
        });
        blocks.push(heading("idle-lanes", "Lines with idle lanes"));
        blocks.push(lead(
            "idle-lanes",
            audit,
            source,
            "Lines whose instructions ran for few lanes of their warps, by divergence or by predicate; guards that no lane takes are left out.",
        ));
        blocks.push(table("idle-lanes", "Executions: | Lanes that ran: | Idle, of all lane slots:", rows, false));
    }
    blocks
}
