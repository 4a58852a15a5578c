//! Room for warps, and blocks that end before it is filled.

use super::balance::{at_block, at_loop, ends, outermost};
use super::local::{SPILLS, moves};
use super::tile::{of_sums, sums};
use super::*;
use crate::analysis::derive::block_size::{BlockSize, BlockSizes};
use crate::analysis::derive::occupancy::{FileInUse, SHARED_BYTE};

pub(super) const PATTERNS: [Pattern; 3] = [
    Pattern::asks(
        "Do blocks end faster than they start?",
        short_blocks,
        Stands::Warps(|m| m.filled(), Action::LargerBlocks),
    )
    .needs(LIVES)
    .cured_by(&[larger_blocks]),
    Pattern::asks("Do slots stay empty while blocks wait?", uneven, Stands::Beside).needs(LIVES).cured_by(&[fill]),
    Pattern::asks("Do too few warps fit?", occupancy, Stands::Warps(little_room, Action::MoreWarps))
        .needs(("theoretical occupancy and stall reasons", |m| {
            m.theoretical.is_some_and(|room| room >= 1.0 || m.top_wait().is_some())
        }))
        .cured_by(&[warps]),
];

/// In one wave no slot is filled again.
const LIVES: Need = ("waves, warps in flight and their lives", |m| {
    m.waves.is_some_and(|waves| waves <= 1.0 || m.filled().and(m.life).is_some())
});

/// Waves from which the blocks of a grid fill the chip.
pub(in crate::analysis::diagnose) const FULL_WAVE: f64 = 0.95;

/// Room for few of the warps that an SM can hold, though blocks are there to fill it.
fn occupancy(m: &Measures<'_>) -> Option<Held> {
    let room = m.theoretical.filter(|room| *room < 1.0)?;
    if m.is_by_design() != Some(false) || m.waves.is_some_and(|waves| waves < FULL_WAVE) {
        return None;
    }
    // More warps lengthen a queue.
    let (reason, wait) = m.top_wait().filter(|(top, _)| m.queued() < MOST && !QUEUES.contains(top))?;
    let binding = Some(m.occupancy.binding().join(" and ")).filter(|binding| !binding.is_empty());
    let sentence = words!(
        "An SM has room for {} of its warps{}, too few to hide what they wait for ({} {}).",
        share(room),
        words::maybe(binding.map(|binding| format!(", limited by {binding}"))),
        reason.row()?.label,
        share(wait)
    );
    let few = 100.0 - m.limits[Threshold::OccupancyFew];
    let held = Held::new(Code::OccupancyLimit, 100.0 - 100.0 * room, few, sentence);
    Some(held.of_wait(m, reason, &[THEORETICAL.name(), ACHIEVED.name()]))
}

/// Several waves, few of the warps that fit, and warps that live shortly: slots are empty again before new blocks fill them.
pub(super) fn short_blocks(m: &Measures<'_>) -> Option<Held> {
    m.waves.filter(|waves| *waves > 1.0)?;
    let life = m.life.filter(|_| m.ends_soon() == Some(true))?;
    let (blocks, filled) = (m.blocks?, m.filled()?);
    let every = m.sm_cycles().zip(m.active).map(|(cycles, active)| glance::cycles(cycles * active / blocks));
    let every = every.map(|cycles| format!(", and an SM starts one every {cycles} cycles"));
    let sentence = words!(
        "{} blocks of {} live {} cycles each{}: an SM holds {} warps, {} of those that fit.",
        count(blocks),
        format::counted(m.block_warps? as u64, "warp"),
        glance::cycles(life),
        words::maybe(every),
        fixed(m.warps?, 1),
        share(filled)
    );
    let least = m.limits[Threshold::FilledLow];
    let held = Held::new(Code::LaunchShortBlocks, 100.0 - 100.0 * filled, 100.0 - least, sentence);
    Some(held.from(m.readings(&[WAVES, ACHIEVED, THEORETICAL])))
}

/// Slots that long blocks leave empty: each is free again when the last warp of its block has ended. SMs that have no block left are the tail.
fn uneven(m: &Measures<'_>) -> Option<Held> {
    let vacant = m.vacant().filter(|_| m.ends_soon() == Some(false))?;
    let is_tail = m.unequal.is_some_and(|idle| 100.0 * idle >= m.limits[Threshold::TailIdle]);
    let sentence = words!(
        "An SM holds {} warps, {} of those that fit, in {} waves of blocks that live {} cycles: the warps of a block, or the blocks, end at different times.",
        fixed(m.warps?, 1),
        share(m.filled()?),
        glance::digits(m.waves?),
        glance::cycles(m.life?)
    );
    let least = 100.0 - m.limits[Threshold::FilledLow];
    let held = Held::new(Code::LaunchTail, 100.0 * vacant, least, sentence).only_if(!is_tail);
    Some(held.at(at_loop(m)).from(m.readings(&[WAVES, ACHIEVED, THEORETICAL])))
}

/// Warps that end together, so that their slots are filled together. In front of a full part more of them queue longer.
fn fill(m: &Measures<'_>) -> Option<Draft> {
    let is_full = m.machine.busiest(|_| true).is_some_and(|(_, need)| need >= ROOF);
    uneven(m).filter(|held| held.holds && !is_full)?;
    let (filled, achieved) = (1.0 - m.vacant()?, m.achieved?);
    // Work is hardly ever made equal for all warps: half of the slots are expected to be filled.
    let change = Change { warps: (0.5 * (1.0 + filled), filled), ..Change::default() };
    let draft = Draft::of(Action::EvenBlocks, change);
    let how = "Equal work for the warps of a block, or smaller blocks: a slot is free when the last warp of its block has ended";
    let why = words!("{} of the slots that fit are filled while blocks wait", share(filled));
    let check = words!("achieved occupancy {} → {}", share(achieved), share((achieved / filled).min(1.0)));
    Some(
        draft
            .at(at_loop(m))
            .says(how, why)
            .risks("more blocks to start, or work that moves between warps")
            .checks(check, ACHIEVED),
    )
}

/// Warps of the largest block.
const MOST_WARPS: f64 = 32.0;
/// Room for warps below which more of it is worth trying.
const LITTLE_ROOM: f64 = 0.5;

/// The part of the slots that there is room for, where more of it is worth trying: it is little, or blocks of another size fill more.
fn little_room(m: &Measures<'_>) -> Option<f64> {
    let has_fuller = || m.block_sizes().as_ref().and_then(BlockSizes::fuller).is_some();
    m.theoretical.filter(|room| (*room <= LITTLE_ROOM || has_fuller()) && lacks_registers(m).is_none())
}

/// Room for more warps, where latency limits; of a block whose size leaves slots empty, the size that fills them.
fn warps(m: &Measures<'_>) -> Option<Draft> {
    let sizes = m.block_sizes();
    // Blocks that end too soon have the size that a row of their own says.
    let is_short = short_blocks(m).is_some_and(|held| held.holds);
    let fuller = sizes.as_ref().and_then(BlockSizes::fuller).filter(|_| !is_short);
    let few = few_registers(m);
    let fuller = fuller.filter(|size| few.is_none_or(|(_, warps)| f64::from(size.warps) > warps));
    let room = m.theoretical.filter(|room| *room <= LITTLE_ROOM || fuller.is_some())?;
    if m.is_by_design() != Some(false) {
        return None;
    }
    // The next step: a block more on an SM, or the block that fits better; at best all slots.
    let is_shared =
        m.occupancy.binding() == ["shared memory"] && m.block_warps.is_some_and(|warps| 2.0 * warps <= MOST_WARPS);
    // The chip holds no block more, however small: more warps are larger blocks.
    if fuller.is_none() && m.occupancy.binding().contains(&"blocks") {
        return None;
    }
    // A block more on an SM takes blocks that are not there yet.
    let has_blocks = m.waves.zip(m.fit).is_none_or(|(waves, blocks)| waves * blocks >= FULL_WAVE * (blocks + 1.0));
    let over_shared = larger_over_shared(m).filter(|_| is_shared && fuller.is_none());
    // Without a barrier no other warp reads what a thread stores: it is state, and no tile that smaller blocks would bring again.
    let is_state = is_shared && over_shared.is_none() && work::barriers_executed(m) == Some(0.0);
    let step = match (&fuller, m.fit.filter(|blocks| *blocks >= 1.0)) {
        (Some(size), _) => f64::from(size.warps) / sizes.as_ref().map_or(1.0, |sizes| f64::from(sizes.most_warps())),
        (None, Some(_)) if over_shared.is_some() => over_shared.map_or(room, |(_, filled)| filled),
        // Half of the state serves twice the warps.
        (None, Some(_)) if is_state && has_blocks => (m.waves.unwrap_or(2.0).min(2.0) * room).min(1.0),
        (None, Some(blocks)) if has_blocks => (room * (blocks + 1.0) / blocks).min(1.0),
        // The same shared memory serves twice the threads.
        (None, Some(_)) if is_shared => (2.0 * room).min(1.0),
        (None, Some(_)) => room,
        // Without the caps nobody knows the next step: half of the way to all slots is expected.
        (None, None) => 0.5 * (1.0 + room),
    };
    let at_best = if m.fit.is_some() || fuller.is_some() { room / step } else { room };
    let change = Change { warps: ((room / step).min(1.0), at_best.min(1.0)), ..Change::default() };
    let draft = Draft::of(Action::MoreWarps, change);
    let no_blocks = || {
        let wanted = m.sms? * (m.fit? + 1.0);
        let why = words!("a block more on an SM takes {} blocks, and the grid has {}", count(wanted), count(m.blocks?));
        Some(why)
    };
    // Room that no block takes is none.
    if let Some(why) = full(m).or_else(|| no_blocks().filter(|_| step <= room)) {
        let more = m.fit.map_or(room, |blocks| room.max(blocks / (blocks + 1.0)));
        return Some(Draft::of(Action::MoreWarps, Change { warps: (more, room), ..Change::default() }).not_here(why));
    }
    // More warps do as much work, but what is not kept in shared memory need not be brought there: without a table a block came below what L1
    // took (`lookup`, `rc4`). Counters alone do not show a table.
    let binding = m.occupancy.binding();
    let is_kept = m.study.is_some() && (binding.is_empty() || binding.contains(&"shared memory"));
    let draft = if is_kept { draft.keeps(&L1, 1.0, 0.0) } else { draft };
    let (how, why, risk, goal) = match fuller.zip(sizes) {
        Some((size, sizes)) => {
            let (now, most) = (sizes.now(), f64::from(sizes.most_warps()));
            let threads = |size: BlockSize| count(size.threads.into());
            let fits =
                |size: BlockSize| format!("{} = {} warps", format::counted(size.blocks.into(), "block"), size.warps);
            (
                words!("Blocks of {} threads: an SM holds {}", threads(size), fits(size)),
                words!("of {} threads it holds {} of {}", threads(now), fits(now), count(most)),
                "the work per block changes: index arithmetic, shared tiles",
                share(f64::from(size.warps) / most),
            )
        }
        None => {
            let limits = Some(binding.join(" and ")).filter(|limits| !limits.is_empty() && !is_shared);
            let less = m.occupancy.cliffs.iter().find(|cliff| cliff.unit == SHARED_BYTE).and_then(|cliff| cliff.gain);
            let (larger, risk) = match less.filter(|_| is_shared && m.has_tensor) {
                Some((bytes, _)) => {
                    let bytes = format::integer(bytes);
                    let larger = format!("one stage less, or smaller ones: a block more fits at {bytes} B each");
                    (larger, "fewer stages in flight a block")
                }
                None if over_shared.is_some() => {
                    let threads = over_shared.map_or(0.0, |(threads, _)| threads);
                    (
                        format!("blocks of {} threads over the same shared memory", count(threads)),
                        "a reduction over more warps",
                    )
                }
                None if is_state => {
                    let less = "half of the shared memory a thread: narrower types, values in registers, several lanes to one state";
                    (less.to_owned(), "conversions, or exchanges between lanes")
                }
                None if is_shared => {
                    let larger = "more threads a block over the same shared memory, or less of it a block";
                    (larger.to_owned(), "smaller tiles, or a reduction over more warps")
                }
                None if binding.contains(&"registers") => {
                    ("use less of what limits it".to_owned(), "spills, or smaller tiles")
                }
                None => ("use less of what limits it".to_owned(), "smaller tiles, or less work a block"),
            };
            let limits = limits.map(|limits| format!(" ({limits})"));
            let larger = match few.zip(m.value(Counter::LaunchRegistersPerThread)) {
                Some(((to, warps), now)) => words!(
                    "{} registers a thread in place of {} by `__launch_bounds__`: an SM then holds {} warps",
                    to.to_string(),
                    count(now),
                    count(warps)
                ),
                None => words!("{}{}", larger, words::maybe(limits)),
            };
            (
                words!("Raise occupancy: {}", larger),
                words!("{} theoretical occupancy", share(room)),
                risk,
                if m.fit.is_some() { share(step) } else { "more".to_owned() },
            )
        }
    };
    let check = words!("theoretical occupancy {} → {}", share(room), goal);
    // The size of a block is the launch's; its shared memory is where it is filled, its registers are those of the kernel.
    let at = match (m.study, &fuller) {
        (_, Some(_)) => At::Launch,
        (study, None) if binding == ["registers"] => {
            let first = study.map(|study| At::row(study, 0));
            first.filter(|at| matches!(at, At::Place(_))).unwrap_or(At::Nowhere)
        }
        (None, None) => At::Launch,
        _ => At::most(m, |op| op.copies_global() || op.is_in(Space::Shared) && op.act() != Some(Act::Load)),
    };
    Some(draft.at(at).says(how, why).risks(risk).checks(check, THEORETICAL))
}

/// The threads of a block over the same shared memory with which an SM holds most warps, and the part of its slots that they fill, 0 to 1:
/// where the threads of a block share the turns of its loop, more of them take fewer turns each. `None` where no size fills more.
fn larger_over_shared(m: &Measures<'_>) -> Option<(f64, f64)> {
    let (study, cycle) = outermost(m).filter(|_| !m.has_tensor)?;
    ends(study, cycle).iter().any(|end| end.thread && !end.block).then_some(())?;
    let (now, blocks) = (m.block_warps?, m.fit?);
    let slots = now * blocks / m.theoretical?;
    let registers = m.value(Counter::LaunchRegistersPerThread).zip(m.occupancy.registers);
    let by_registers = registers.map_or(f64::INFINITY, |(own, file)| file.all / own / WARP);
    let filled = |warps: f64| warps * blocks.min((slots.min(by_registers) / warps).floor()) / slots;
    let sizes = std::iter::successors(Some(now), |warps| Some(2.0 * warps)).take_while(|warps| *warps <= MOST_WARPS);
    let best = sizes.fold(now, |best, warps| if filled(warps) > filled(best) { warps } else { best });
    (best > now).then(|| (WARP * best, filled(best)))
}

/// The part of a thread's registers that a compiler finds elsewhere.
const FEW_REGISTERS: f64 = 0.1;

/// The registers of a thread with which an SM holds a block more, and its warps then, where that is a few less than now.
fn few_registers(m: &Measures<'_>) -> Option<(u64, f64)> {
    let (to, warps) = m.block_sizes()?.fewer_registers()?;
    let now = m.value(Counter::LaunchRegistersPerThread)?;
    (now - to as f64 <= FEW_REGISTERS * now).then_some((to, f64::from(warps)))
}

/// Whether a block more on an SM takes more of a thread's registers than a compiler finds elsewhere.
fn is_by_registers(m: &Measures<'_>) -> bool {
    m.occupancy.binding() == ["registers"] && few_registers(m).is_none()
}

/// What does not fit in the registers that there are fits in fewer even less: spills, or much of local memory where these were not counted.
fn lacks_registers(m: &Measures<'_>) -> Option<Words> {
    let (executed, do_what) = match m.value(SPILLS) {
        Some(spills) => (spills, "spill or refill registers"),
        None => (moves(m).filter(|moves| *moves >= WORTH * m.count(|_| true))?, "move what registers do not hold"),
    };
    let is_so = executed > 0.0 && is_by_registers(m);
    is_so.then(|| words!("{} executed instructions {} as it is", count(executed), do_what))
}

/// Sums of a thread from which they are a tile, of 4 × 4: each value that it reads is used four times.
const SMALL_TILE: f64 = 16.0;

/// Why there is no use for more room for warps, or none to be made.
fn full(m: &Measures<'_>) -> Option<Words> {
    // The accumulators of a tile are its registers: fewer of them are smaller tiles, with more operands for each product.
    if m.has_tensor && m.occupancy.binding().contains(&"registers") {
        let of_file = m.occupancy.file_in_use().map(|used| {
            let FileInUse { file, threads, share: part } = used;
            words!(": {} × {} threads, {} of the file", count(file.per_thread), count(threads), share(part))
        });
        return Some(words!("the registers hold the sums of the products{}", words::maybe(of_file)));
    }
    // So it is with the sums of other products, where a smaller tile reads more from the unit that is the busiest, or has no room either.
    let (sums, first) = (sums(m), m.units.first());
    let blocks = m.fit.zip(m.block_warps).zip(m.chip());
    let room = blocks.map(|((blocks, warps), chip)| f64::from(chip.registers_per_sm) / ((blocks + 1.0) * warps * WARP));
    let is_served = |unit: &Unit| L1.contains(&unit.part) && unit.level > Level::Idle;
    let is_fed = || first.is_some_and(is_served) || room.is_some_and(|room| of_sums(sums) > room);
    if let Some(why) = lacks_registers(m) {
        return Some(why);
    }
    if is_by_registers(m) && sums >= SMALL_TILE && is_fed() {
        let feeds =
            first.filter(|unit| is_served(unit)).map(|unit| words!(", and {} serves its operands", unit.named()));
        return Some(words!("the registers hold {} sums of products{}", count(sums), words::maybe(feeds)));
    }
    // More warps only make a queue longer.
    let queued = m.queued();
    if queued >= MOST {
        return Some(words!("warps queue for {} of their time in front of what serves them", share(queued)));
    }
    // Warps that are missing are no room that is missing.
    let waves = m.waves.filter(|waves| *waves < FULL_WAVE)?;
    Some(words!(
        "{} in the grid: {} of the room that there is",
        format::counted(m.blocks? as u64, "block"),
        share(waves)
    ))
}

/// Blocks with more work.
fn larger_blocks(m: &Measures<'_>) -> Option<Draft> {
    short_blocks(m).filter(|held| held.holds)?;
    let (warps, life, achieved, filled, room) = (m.block_warps?, m.life?, m.achieved?, m.filled()?, m.theoretical?);
    // Blocks start no faster: as many as now are there at a time, whatever their size.
    let sizes = m.block_sizes();
    let filling = sizes.as_ref().and_then(|sizes| Some((sizes.filling(m.warps? / warps)?, sizes.most_warps())));
    let (larger, fits, goal) = match filling {
        Some(((size, held), most)) => (
            format!("Blocks of {} threads", count(size.threads.into())),
            Some(f64::from(size.blocks)),
            format!("up to {}", share(f64::from(held) / f64::from(most))),
        ),
        None => (
            "Larger blocks".to_owned(),
            m.fit,
            format!("above {} % of what fits", fixed(m.limits[Threshold::FilledLow], 0)),
        ),
    };
    let resident = fits.zip(m.sms).map(|(blocks, sms)| format!("{} ", count(blocks * sms))).unwrap_or_default();
    let how = words!("{}, several elements per thread, or a grid-stride loop over {}resident blocks", larger, resident);
    let why = words!("a block of {} lives {} cycles", format::counted(warps as u64, "warp"), glance::cycles(life));
    // A size of which more warps fit opens those slots as well.
    let opens = filling.map_or(1.0, |((size, _), most)| room * f64::from(most) / f64::from(size.warps)).min(1.0);
    let change = Change { warps: (filled * opens, filled.powi(2) * opens), ..Change::default() };
    let draft = Draft::of(Action::LargerBlocks, change).at(at_block(m)).says(how, why);
    Some(draft.checks(words!("achieved occupancy {} → {}", share(achieved), goal), ACHIEVED))
}
