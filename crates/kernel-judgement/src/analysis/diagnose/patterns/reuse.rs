//! What is read again where it could stay: shared memory, more bytes than were stated.

use super::additions::{added, spread};
use super::atomics::own_retries;
use super::banks::{matrix_loads, wavefronts};
use super::barriers::{barriers, is_in_rounds};
use super::constants::broadcasts;
use super::loads::sorted;
use super::local::keep_in_registers;
use super::order::is_shared;
use super::passes::by_turns;
use super::sectors::{ASKED, apart, coalesce};
use super::tile::{LARGE, LARGER, Tile, register_tile, sums};
use super::units::shuffles;
use super::work::{answered, asked_again, is_of_matrix, of_tile, of_values, sent, width};
use super::*;
use crate::analysis::derive::traffic::Traffic;

/// The part of the work of L1's data stage, or of L2, that conflicts, sectors beside the bytes and fragments by halves make.
fn wasted(m: &Measures<'_>, is_inside: bool) -> f64 {
    let sectors = sectors::wasted(m);
    let stage = m.stage().filter(|stage| is_inside && stage.whole > 0.0);
    let Some(stage) = stage else { return if is_inside { 0.0 } else { sectors } };
    let conflicts = wavefronts(m).map_or(0.0, |found| 100.0 * found.excess);
    let by_halves = matrix_loads(m).map_or(0.0, |wide| 1.0 - wide.leaves(Part::MemoryShared));
    ((conflicts + sectors * stage.other()) / stage.whole + by_halves).min(1.0)
}

/// The part of the largest need from which a part is worth relieving of what is no waste.
const LEADING: f64 = 0.8;

/// Bytes that the L1 caches get over those that L2 sends, from which some go to several of them.
const SHARED_BY: f64 = 1.1;

/// What is expected to stay of the accesses where values are used again.
pub(super) const REUSED: f64 = 0.4;

/// Whether most sectors of loads are at places that loaded values choose, from all there are: for each block others, or the same for several.
fn is_mostly_gathered(m: &Measures<'_>, for_several: bool) -> bool {
    let is_own =
        |access: &&SectorAccess| access.is_inherent && !has_own_row(m, access) && is_shared(m, access) == for_several;
    let gathered = m.accesses().iter().filter(|access| is_own(access) && access.at.op().reads_global());
    2.0 * sectors_of(gathered) > sectors_of(m.accesses())
}

/// Whether each thread picks from a row that it has to itself, and those of a block fit in shared memory.
fn has_own_row(m: &Measures<'_>, access: &SectorAccess) -> bool {
    let row = access.own_row().zip(m.block_warps).zip(m.chip());
    row.is_some_and(|((bytes, warps), chip)| bytes as f64 * WARP * warps <= f64::from(chip.shared_per_block_max))
}

/// Of the sectors that loads touch the part, 0 to 1, of such rows.
fn own_rows(m: &Measures<'_>) -> f64 {
    sectors_of(reads(m).filter(|access| has_own_row(m, access))) / sectors_of(reads(m)).max(1.0)
}

/// Blocks that each GPU with clusters can put into one (CUDA C++ Programming Guide, "Thread Block Clusters"): words that their shared
/// memory does not hold together no block can keep a copy of.
const CLUSTER: f64 = 8.0;

/// Bytes of the sectors that lanes add to where data chooses them, at least: of N sectors drawn evenly, two lanes of a request share one
/// `n·(n − 1)/2N` times on average, and of some that are drawn more often than others more often.
fn added_to(m: &Measures<'_>) -> Option<f64> {
    let own = m.accesses().iter().filter(|access| access.is_inherent && access.at.op().is_l2_atomic());
    let most = own.max_by_key(|access| access.sectors)?;
    let requests = most.requests as f64;
    let lanes = most.ideal as f64 * SECTOR / (most.width_bits? as f64 / 8.0) / requests;
    let met = lanes * requests - most.sectors as f64;
    Some(SECTOR * requests * lanes * (lanes - 1.0) / 2.0 / met.max(1.0))
}

/// What a tile alone gives at most from which it is worth making for one output a thread.
const LITTLE: f64 = 0.2;

/// What is left of the passes of loads that all lanes make at one address: shared memory brings 16 bytes of them in one.
const ONE_ADDRESS: f64 = 0.25;

/// The most that a tile in shared memory saves, 0 to 1, where each thread reads there as often as from L1, for one output: a request takes
/// the same stage once at least, and issue has as much to do.
fn by_tile_alone(m: &Measures<'_>) -> Option<f64> {
    let study = m.sampled_code()?;
    let code = &study.code;
    let rows_are_warps = m.kernel.key().block.is_some_and(|block| block.0[0].is_multiple_of(32));
    let loads = code.run().filter(|row| code.op(*row).loads_global());
    let passes = |row: usize| {
        let differs = code.differs_by_lane(row, rows_are_warps);
        code.executed[row] as f64 * if differs { 1.0 } else { ONE_ADDRESS }
    };
    let largest = m.units.iter().map(|unit| m.need(unit.part)).fold(0.0, f64::max);
    Some(saved_alone(loads.map(passes).sum::<f64>() / m.sm_cycles()?, m.need(Part::Issue), largest))
}

/// The same by what the stage needs then, what issue needs, and what the busiest part needs now.
fn saved_alone(stage: f64, issue: f64, largest: f64) -> f64 {
    (1.0 - stage.max(issue) / largest).max(0.0)
}

/// What to do where accesses are narrow.
const WIDER: &str = "Fewer and wider accesses: several outputs a thread, 16 bytes a lane";

/// A cache or the LSU serves accesses without waste: reuse.
pub(super) fn reuse(m: &Measures<'_>) -> Option<Draft> {
    // Operands of products are read by no access that could be wider.
    let is_inside = m.need_of(&L1) >= m.need(Part::MemoryL2) && super::products::operands(m).is_none();
    let parts = if is_inside { &L1[..] } else { &[Part::MemoryL2] };
    let unit = m.unit(m.machine.busiest(|part| parts.contains(&part))?.0)?;
    // What L2 gets from DRAM once is read by nobody twice, and what lanes add to has a row of its own.
    let is_stream = !is_inside && (level::is_of_dram(m) != Some(false) || spread(m).is_some());
    let is_added = !is_inside && added(m).is_some();
    // What loaded values choose is used again only where they say so, or on each turn of a loop.
    let turns = if is_inside { None } else { by_turns(m) }.filter(|(part, _)| *part > REUSED);
    let is_by_data = !is_inside && turns.is_none() && is_mostly_gathered(m, false);
    let largest = m.units.iter().map(|unit| m.need(unit.part)).fold(0.0, f64::max);
    // What data chooses in a table is no run of words, and a copy of the table, or of what is added up, says what helps.
    let is_gathered = || m.study.and_then(Study::gathers_shared).is_some_and(|part| 2.0 * part >= 1.0);
    let is_table = is_inside && (is_gathered() || own_retries(m).is_some());
    // Requests of several SMs for a sector that meet on the way, in a cluster or by themselves, are answered once already: L2 has to be full
    // all the same. Blocks that pick the same rows can be one.
    let meets = |got: f64, sent: f64| got > SHARED_BY * SECTOR * sent;
    let is_picked_alike = !is_inside && is_mostly_gathered(m, true);
    let is_multicast = !is_inside
        && !is_picked_alike
        && m.need(unit.part) < ROOF
        && m.value(RECEIVED).zip(m.value(SENT)).is_some_and(|(got, sent)| meets(got, sent));
    let stage = m.stage();
    // A tile in registers is how words of shared memory are used again, where it is not there yet; without counts its sums say so.
    let has_tile = || Tile::of(m).map_or(sums(m) >= LARGE, |own| own.next().is_none());
    let is_narrow = width(m, false).is_none_or(|(_, is_wide)| !is_wide);
    let is_tile = is_inside
        && (register_tile(m).is_some_and(|tile| tile.refused.is_none())
            || stage.is_some_and(|stage| stage.is_mostly_shared()) && !is_narrow && has_tile());
    // Warps that exchange values in rounds use none again.
    let is_exchange = is_inside && is_in_rounds(m) && barriers(m).is_some();
    if m.need(unit.part) < (LEADING * largest).max(ASKED)
        || is_exchange
        || is_inside && apart(m).is_some()
        || is_stream
        || is_by_data
        || is_tile
        || is_table
        || is_multicast
    {
        return None;
    }
    let is_shuffled = is_inside && shuffles(m).is_some();
    let is_global = is_inside && stage.is_some_and(|stage| !stage.is_mostly_shared());
    let again = if is_global { answered(m) } else { 0.0 };
    // Lanes load more bytes than DRAM is read for, by as much as a tile keeps: the same values come again, and not only their sectors.
    let needed = SECTOR * reads(m).map(|access| access.ideal as f64).sum::<f64>();
    let is_loaded_again = |unknown: bool| m.dram_read().map_or(unknown, |read| read <= REUSED * needed);
    let is_tile_of_block = again > REUSED && !is_shuffled && is_loaded_again(false);
    let is_of_tile = is_global && again > REUSED && is_loaded_again(true);
    let scattered = if is_added { added_to(m) } else { None };
    let fit = m.chip().map(|chip| CLUSTER * f64::from(chip.shared_per_block_max));
    let scattered = scattered.zip(fit).filter(|(bytes, fit)| bytes > fit).map(|(bytes, _)| bytes);
    let own_rows = if is_inside { 0.0 } else { own_rows(m) };
    let alone = if is_of_tile { by_tile_alone(m) } else { None }.filter(|alone| *alone < LITTLE);
    let how = match is_inside {
        false if turns.is_some() => {
            "Keep what each turn of the loop around reads again: in shared memory, or in registers, a lane of a warp for each element"
        }
        false if is_picked_alike => {
            "One block for those that pick the same rows: a row that is loaded once serves the outputs of all of them, in registers"
        }
        false if scattered.is_some() => {
            "Partition the values by the words that they add to first, so that those of a block fit in its shared memory and are added up there"
        }
        false if own_rows >= 0.5 => {
            "Rows of the threads in shared memory: a block copies them there side by side, and each thread picks from its own, word by word in its own bank"
        }
        false if is_added => "Add up inside the SM first: a copy of the words, or of a part of them, in shared memory",
        false => "Reuse data inside the SM: shared memory, registers, clusters",
        true if is_shuffled => "Fewer shuffles: combine the values of a thread first, redux.sync for integers",
        // What threads of a block read each for itself L1 answers, and a tile once for all of them.
        true if alone.is_some() => {
            "Several outputs a thread, from a tile in shared memory: each value that a thread reads there serves all of them"
        }
        true if is_of_tile && m.chain().is_some_and(|chain| chain.is_search) => {
            "The first steps of the search from shared memory, which all threads of a block share; or the values sorted, so that lanes share lines"
        }
        true if is_of_tile => {
            "Tiles in shared memory: a block loads each value once, its threads read it there for several outputs each"
        }
        true if !is_global && is_narrow && has_tile() => {
            "Wider loads of shared memory: 16 bytes a lane, from a tile that is stored so that the words of a thread lie side by side"
        }
        true if !is_global && has_tile() => {
            "Fewer passes of shared memory for the same tile: words of a thread in groups of four, so that lanes side by side meet in no bank"
        }
        true if width(m, is_global).is_some_and(|(most, _)| most == WIDEST) || matrix_loads(m).is_some() => {
            "Fewer accesses: reuse values in registers, several outputs a thread"
        }
        true => WIDER,
    };
    // Most loads tell what there is to widen.
    let bits = width(m, is_global).map(|(bits, _)| bits).filter(|bits| how == WIDER && (8..WIDEST).contains(bits));
    let narrow = bits.map(|bits| words!("; most loads have {} a lane", format::counted(bits / 8, "byte")));
    let narrow = alone.map(|alone| words!("; the tile alone gives {} at most", share(alone))).or(narrow);
    let narrow = scattered.map(|bytes| words!("; lanes add to about {} of words", glance::bytes(bytes))).or(narrow);
    let narrow = is_picked_alike.then(|| "; several blocks pick the same rows".into()).or(narrow);
    let by_turns =
        |(part, _): (f64, f64)| words!("; {} of all sectors are read again by the turns of that loop", share(part));
    let narrow = turns.map(by_turns).or(narrow);
    let waits = match is_inside {
        // A row or a column that a thread loads for several outputs it waits for once.
        true if again > REUSED && m.study.is_some_and(is_of_matrix) => {
            [StallReason::LongScoreboard, StallReason::MioThrottle, StallReason::LgThrottle]
        }
        true => [StallReason::ShortScoreboard, StallReason::MioThrottle, StallReason::LgThrottle],
        false => [StallReason::LongScoreboard, StallReason::LgThrottle, StallReason::TexThrottle],
    };
    // What each access wastes it wastes still, and what is asked for once it asks for still; the rest is asked for less often.
    let again = if is_inside { 1.0 } else { asked_again(m) };
    // Fragments of products are used for a tile of sums already, which fill the registers: the next larger one is what there is.
    let is_fragments = is_inside && m.has_tensor && stage.is_some_and(|stage| stage.is_mostly_shared());
    let reused = if is_fragments { LARGER } else { REUSED };
    // What a block brings to a tile it brings side by side.
    let wasted = if is_tile_of_block { 0.0 } else { wasted(m, is_inside) };
    let kept = 1.0 - (1.0 - reused) * again.min(1.0 - wasted);
    // Of rows that threads have to themselves each sector comes once, whatever lies beside the word.
    let once = m.dram_read().zip(sent(m)).map_or(1.0, |(read, sent)| (read / sent).min(1.0));
    let kept = own_rows * once + (1.0 - own_rows) * kept;
    // What each turn of a loop around reads again comes once, whatever lies beside it.
    let hits = answered(m);
    let asked = |part: f64| if hits < 1.0 { ((part - hits) / (1.0 - hits)).max(0.0) } else { 0.0 };
    let kept = turns.map_or(kept, |(part, _)| kept.min(1.0 - asked(part)));
    // Where nearly all of that are values for all lanes, the row of their table says it, by what its loads wait for.
    if is_global && broadcasts(m).is_some_and(|own| own.leaves(unit.part) <= kept) {
        return None;
    }
    let draft = Draft::new(Action::ReuseInSm).rewrites().keeps(parts, kept, 0.0).frees_of(m, &waits, 1.0 - kept);
    // What is computed with the values is computed still.
    let draft = of_values(m).into_iter().fold(draft, |draft, (part, least)| draft.keeps(&[part], 1.0, least));
    let draft = of_tile(m, draft);
    let draft =
        if is_inside && felt(m) < 1.0 { draft.expects(felt(m) * (1.0 - kept) * m.waits(&waits)) } else { draft };
    // A tile of a block takes away what L1 asks L2 for again.
    let draft = match stage {
        Some(_) if is_global => draft.keeps(&[Part::MemoryL2], 1.0, 1.0 - asked_again(m)),
        None if is_inside => draft.unknown(m, &[Part::MemoryL2]),
        _ => draft,
    };
    // In shared memory a request for it takes the stage once, and from L1 once for each of the lines that its sectors fill.
    let of_stage = stage.filter(|stage| stage.whole > 0.0).zip(turns).map(|(stage, (part, each))| {
        let lines = (each * SECTOR / LINE).max(1.0);
        part * (1.0 - 1.0 / lines) * stage.other() / stage.whole
    });
    let draft = of_stage.into_iter().fold(draft, |draft, gone| draft.keeps(&DATA_STAGE, 1.0 - gone, 0.0));
    // The pass before writes what is loaded, and it is read once more.
    let again = scattered.and_then(|_| Some(2.0 * m.dram_read()? / m.sum(DRAM_BYTES)?));
    let draft = again.into_iter().fold(draft, |draft, again| {
        let draft = draft.stays(&[Part::MemoryDram], 1.0 + again);
        draft.risks("a pass that writes the values by part, and reads them again")
    });
    let has_words = m.count(|op| op.is_in(Space::Shared)) > 0.0;
    let at = At::most(m, |op| match unit.part {
        _ if is_shuffled => op.is_shuffle(),
        _ if is_added => op.is_l2_atomic(),
        Part::MemoryShared if has_words => op.is_in(Space::Shared),
        // Shuffles take the same stage.
        Part::MemoryShared => op.is_shuffle(),
        _ => op.reads_global(),
    });
    // At the same rate its work falls with the time.
    let now = share(unit.share);
    let falls =
        draft.forecast(m).map(|saved| saved.map(|saved| 1.0 - saved / 100.0)).filter(|[_, least]| *least < kept);
    let goal = match falls.map(|left| left.map(|left| share(unit.share * left))) {
        Some([most, least]) => words!("{} to {}", most, least),
        None => share(unit.share * kept).into(),
    };
    let draft = draft.at(at).says(how, words!("{} at {}{}", &unit.name, &now, words::maybe(narrow)));
    Some(draft.checks(words!("{} busy {} → {} of today's cycles", &unit.name, now, goal), unit.counter.clone()))
}

/// Bytes of DRAM that the stated work does not need. What the SMs ask of L2 stays: of a stream its fabric carries the same bytes and is
/// no need of its own, and of anything else most of its sectors never came from DRAM.
pub(super) fn bytes(m: &Measures<'_>) -> Option<Draft> {
    m.unit(Part::MemoryDram)?;
    // What single sectors bring from DRAM beside themselves another order of the work takes away, and nothing else.
    if is_mostly_gathered(m, false) && sorted(m).is_some() {
        return None;
    }
    let traffic = Traffic::of(m.kernel, m.work).filter(|traffic| !traffic.is_reached(m.limits))?;
    // Sectors beside the bytes, and those of local memory, go with the rows of their own.
    let others = [coalesce(m), keep_in_registers(m)].into_iter().flatten();
    let left = others.map(|draft| draft.leaves(Part::MemoryDram)).fold(1.0, f64::min);
    let kept = (traffic.stated / traffic.moved / left).min(1.0);
    let draft = Draft::new(Action::FewerBytes).stays(&[Part::MemoryDram], kept);
    // How many times that is stands beside each level of memory.
    let [moved, stated] = [traffic.moved, traffic.stated].map(glance::bytes);
    let beside =
        (left < 1.0).then(|| format!(", {} of them beside what other rows take", glance::bytes(traffic.moved * left)));
    let check = format!("DRAM bytes {moved} → {stated}");
    let why = words!("DRAM moved {}{}; the stated work has {}", moved, words::maybe(beside), stated);
    Some(draft.because(why).at(At::most(m, Op::reads_global)).checks(check, DRAM_BYTES[0]))
}

/// Indices of 64 bits, where 32 would do for 4 G elements.
pub(super) fn narrow_index(m: &Measures<'_>) -> Option<Draft> {
    let phases = m.sampled()?;
    let index = &m.study?.indirection()?.index;
    let is_own = |access: &&SectorAccess| access.at.offset == index.offset && access.width_bits == Some(64);
    let gone = 16.0 * phases.accesses.iter().find(is_own)?.sectors as f64;
    let moved = m.sum(DRAM_BYTES).filter(|moved| *moved > gone)?;
    let kept = 1.0 - gone / moved;
    let of_l2 = 1.0 - gone / (SECTOR * sectors_of(&phases.accesses));
    let draft = Draft::new(Action::FewerBytes).stays(&[Part::MemoryDram], kept);
    let why = words!("{} of the bytes of DRAM are upper halves of indices", share(1.0 - kept));
    let draft = draft.stays(&[Part::MemoryL2], of_l2).at(At::point(index));
    let draft = draft.says("Indices of 32 bits in place of 64", why).risks("at most 4 G elements");
    Some(draft.loses(m, "bytes read from DRAM", gone, glance::bytes, DRAM_BYTES[0]))
}

/// Whether lanes of so many bits find two words or more in a sector, though only data bring them there: their neighbours' are side by side
/// as well, and what they read is a stream that is read once. Rows without excess may lie anywhere.
fn meet(bits: u64, sectors: u64, excess: u64) -> bool {
    excess > 0 && 2.0 * bits as f64 / 8.0 * sectors as f64 <= SECTOR * (sectors - excess) as f64
}

/// The part of what is gathered that L2 answers from which most of the table is there, and streams push the rest out.
const NEARLY_ALL: f64 = 2.0 / 3.0;
/// A table that is gathered from beside streams, which are used once and take its place in L2. DRAM is read for the streams, and for what
/// of the table was pushed out; L2 looks for each sector, and takes those in that DRAM brings.
pub(super) fn kept_in_l2(m: &Measures<'_>) -> Option<Draft> {
    let accesses = &m.sampled()?.accesses;
    let sectors = |is_meant: &dyn Fn(&SectorAccess) -> bool| -> f64 {
        accesses.iter().filter(|access| is_meant(access)).map(|access| access.sectors as f64).sum()
    };
    let is_gathered = |access: &SectorAccess| access.is_inherent && access.at.op().loads_global();
    let is_smooth = |access: &SectorAccess| {
        let [_, touched] = access.apart;
        is_gathered(access) && meet(access.width_bits.unwrap_or(8), touched, access.excess() + access.again)
    };
    let gathered = sectors(&is_gathered);
    let streamed = sectors(&|access| !access.is_inherent && access.at.op().loads_global());
    let filled = m.dram_read()? / SECTOR;
    let again = filled - streamed;
    let stored = sectors(&|access| !access.is_inherent && access.at.op().stores_global());
    let code = &m.study?.code;
    let is_global = |row: usize| code.op(row).reads_global() || code.op(row).stores_global();
    let is_marked = code.run().any(|row| is_global(row) && code.word(row).goes_first());
    if sectors(&is_smooth) >= MOST * gathered
        || is_marked
        || streamed == 0.0
        || again <= 0.0
        || again > (1.0 - NEARLY_ALL) * gathered
    {
        return None;
    }
    // Each sector of a stream pushes one of the table out.
    let gone = again.min(streamed + stored);
    let of_l2 = gone / (sectors(&|_| true) + filled);
    let of_dram = SECTOR * gone / m.sum(DRAM_BYTES)?;
    let table = accesses.iter().filter(|access| is_gathered(access)).max_by_key(|access| access.sectors)?;
    let draft = Draft::new(Action::FewerBytes)
        .keeps(&[Part::MemoryL2], 1.0 - UNTOLD * of_l2, 1.0 - of_l2)
        .keeps(&[Part::MemoryDram], 1.0 - UNTOLD * of_dram, 1.0 - of_dram)
        .at(At::point(&table.at));
    let how = words!("Keep the table in L2: mark what is read or written once (`__ldcs`, `__stcs`)");
    let why = words!(
        "L2 answers {} of the gathers; {}B are read from DRAM beside the streams",
        share(1.0 - again / gathered),
        glance::short(SECTOR * again)
    );
    let draft = draft.says(how, why).risks("what a next kernel would find in L2");
    Some(draft.loses(m, "bytes read from DRAM", UNTOLD * SECTOR * gone, glance::bytes, DRAM_BYTES[0]))
}

#[cfg(test)]
mod tests {
    use super::{meet, saved_alone};

    #[test]
    fn lanes_that_meet_in_a_sector_read_a_stream_and_no_table() {
        assert!(meet(32, 846, 446), "four words a sector, along a field");
        assert!(!meet(32, 1040, 861), "1.4 of those lanes that still look");
        assert!(!meet(128, 1600, 0), "rows anywhere");
    }

    #[test]
    fn a_tile_alone_saves_no_more_than_its_own_passes_and_issue_leave() {
        // The stage is at 96 %, what a tile is asked for would fill 40 % of it, and issue is at 80 %.
        assert!((saved_alone(0.4, 0.8, 0.96) - 1.0 / 6.0).abs() < 1e-9);
        assert_eq!(saved_alone(0.9, 0.2, 0.9), 0.0);
    }
}
