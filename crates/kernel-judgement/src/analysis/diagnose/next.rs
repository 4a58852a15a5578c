//! What could be done about a verdict, ranked; what is left at the roof, and what is ruled out.

use super::draft::Draft;
use super::held::{count, share};
use super::level::{DRAM_BYTES, is_by_sector, is_shared};
use super::lever::{Lever, LeverCode};
use super::machine::{Change, ROOF};
use super::measures::Measures;
use super::patterns::banks::wavefronts;
use super::patterns::launch::is_mostly_launch;
use super::patterns::occupancy::FULL_WAVE;
use super::patterns::origin::by_caller;
use super::patterns::sectors::packable;
use super::patterns::units::as_full;
use super::patterns::work::{leading, runs_on};
use super::patterns::{MOST, WORTH, WORTH_A_TRY, changes};
use crate::catalog::{Action, Code, Counter, Part, Threshold};
use crate::quantity::{format, glance};
use crate::words;
use crate::words::Words;
use cuda_binary::Class;

/// Changes, each with the share of the time that it is expected to save.
type Drafts = Vec<(Draft, f64)>;

/// What could be done, and what was looked at.
#[derive(Default)]
pub(super) struct Levers {
    /// Worth a row, the largest expected saving first, those without a bound last.
    pub(super) rows: Vec<Lever>,
    /// Every action that was computed, with the share of the time that it is expected to save.
    pub(super) computed: Vec<(Action, f64)>,
    /// Too little for a row, the most first.
    pub(super) slight: Drafts,
    /// What would be among the first rows and cannot be done here, with what it would save.
    pub(super) refused: Drafts,
}

impl Levers {
    /// Whether an action has a row.
    fn names(&self, action: Action) -> bool {
        self.rows.iter().any(|lever| lever.code == LeverCode::Ours(action))
    }

    /// What an action is expected to save, where it was computed.
    fn saves(&self, action: Action) -> Option<f64> {
        self.computed.iter().find(|(other, _)| *other == action).map(|(_, saves)| *saves)
    }
}

/// So many rows are the first ones.
const FIRST: usize = 2;

/// What could be done, once for each action: the one that is expected to save most, and one that can be done before one that cannot.
/// Those that can be done, and those that cannot.
pub(super) fn drafts(ask: &Measures<'_>) -> (Drafts, Drafts) {
    let mut merged = Drafts::new();
    for draft in changes(ask) {
        let expected = draft.expected(ask);
        match merged.iter_mut().find(|(other, _)| other.action == draft.action) {
            Some((other, most)) if (other.refused.is_none(), *most) >= (draft.refused.is_none(), expected) => {}
            Some(other) => *other = (draft, expected),
            None => merged.push((draft, expected)),
        }
    }
    merged.into_iter().partition(|(draft, _)| draft.refused.is_none())
}

/// A share of the time below which what is saved is not worth a word.
const TRACE: f64 = 0.002;

/// What the machine itself expects of a row at least: the middle of a class whose rows may give far more says nothing of one of them.
const EXPECTED: f64 = 0.01;

/// The part of what the first row is expected to save from which one that the verdict speaks for goes before it. Waits that are hidden
/// leave the work beside which they are hidden, and that the two overlap is what is sure least. On the measured pairs and ladders of twelve
/// authors the order is as good at 0.2 to 0.5, and worse above, whichever author is left out.
const NEAR: f64 = 0.5;

/// So many times what the first row takes off the part that the verdict names, a row takes that the verdict speaks for: less is within what
/// either is off by. 1.25 and 2 lose one of those pairs each.
const MORE: f64 = 1.5;

/// The need of the part that the verdict names from which its work goes before slots that stand empty: warps that fill these queue for it.
const BUSY: f64 = 0.7;

/// What the verdict asks for.
#[derive(Clone, Copy, Default)]
pub(super) struct Named {
    /// What takes the limiter away.
    pub(super) cure: Option<Action>,
    /// The part that limits, or that a cause of its own fills.
    pub(super) part: Option<Part>,
}

/// The levers of a kernel, of what can be done and what cannot.
pub(super) fn levers(ask: &Measures<'_>, named: Named, mut merged: Drafts, mut refused: Drafts) -> Levers {
    if let Some(own) = by_caller(ask) {
        (merged, refused) = (own.into_iter().map(|draft| (draft, 0.0)).collect(), Vec::new());
    }
    let computed = merged.iter().map(|(draft, expected)| (draft.action, *expected)).collect();
    let least = ask.limits[Threshold::LeverLeast] / 100.0;
    let is_row = |(draft, expected): &(Draft, f64)| {
        let middle = draft.middle(ask, *expected).min(draft.saves(ask));
        // What would take the verdict away is the row that its reader looks for, however little it is expected to give.
        let is_cure = Some(draft.action) == named.cure && draft.saves(ask) >= least;
        draft.is_rough() || is_cure || middle >= least && *expected >= EXPECTED.min(least)
    };
    let (merged, mut slight): (Drafts, Drafts) = merged.into_iter().partition(is_row);
    slight.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    // One that raises the ceiling of another follows it.
    let of = |action: Action| merged.iter().find(|(other, _)| other.action == action).map(|(_, expected)| *expected);
    let rank = |(draft, expected): &(Draft, f64)| {
        draft.raises().and_then(of).map_or(*expected, |base| base.min(*expected) - f64::EPSILON)
    };
    let mut ranked: Vec<(f64, &Draft)> = merged.iter().map(|own| (rank(own), &own.0)).collect();
    // What takes the verdict away is the first one without a bound as well; what is mostly launch gets shorter by what is launched with it.
    let takes_away =
        |draft: &Draft| Some(draft.action) == named.cure || draft.action == Action::Fuse && is_mostly_launch(ask);
    let is_last = |draft: &Draft| draft.is_rough() && !takes_away(draft);
    let is_first = |draft: &Draft| draft.is_rough() && takes_away(draft);
    ranked.sort_by(|(a, one), (b, other)| {
        let kinds = (is_first(other), is_last(one)).cmp(&(is_first(one), is_last(other)));
        kinds.then(b.total_cmp(a))
    });
    if let Some(at) = spoken_for(ask, named, &ranked) {
        ranked[..=at].rotate_right(1);
    }
    let bounded = ranked.iter().filter(|(_, draft)| !draft.is_rough());
    let bar = bounded.map(|(rank, _)| *rank).nth(FIRST - 1).unwrap_or_default().max(WORTH_A_TRY);
    refused.retain(|own| rank(own) >= bar);
    refused.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    refused.truncate(FIRST);
    Levers { rows: ranked.into_iter().map(|(_, draft)| draft.clone().done(ask)).collect(), computed, slight, refused }
}

/// The place of the row that goes before the first one because the verdict speaks for it: the cure of the limiter where the first row ends
/// at the part that this takes work off, or a row that takes more off the part that the verdict names. What fills slots or multiprocessors
/// that stand empty is in front of any part that is not busy, and stays first; so does code written anew of which nobody knows what it leaves
/// of that part.
fn spoken_for(ask: &Measures<'_>, named: Named, ranked: &[(f64, &Draft)]) -> Option<usize> {
    let (most, first) = ranked.first().filter(|(_, first)| !first.is_rough())?;
    let ends_at = first.left(ask);
    let takes = |draft: &Draft| ends_at.is_some_and(|part| draft.relieves_place(part)) || draft.fills_slots();
    let cures = |draft: &Draft| Some(draft.action) == named.cure && takes(draft);
    let is_slots = first.fills_slots() && named.part.is_none_or(|part| ask.need(part) < BUSY);
    let part = named.part.filter(|part| !is_slots && first.counts(*part));
    let takes_more = |draft: &Draft| {
        let gone = part.map(|part| [draft, first].map(|one| 1.0 - one.leaves(part)));
        gone.is_some_and(|[own, of_first]| own > 0.0 && own >= MORE * of_first)
    };
    let is_near = |(rank, draft): &(f64, &Draft)| *rank >= NEAR * most && (cures(draft) || takes_more(draft));
    ranked.iter().position(is_near).filter(|at| *at > 0)
}

/// Nothing that was computed takes off what is worth a row of a unit that is nearly full or limits all the same: what is left, and that
/// only less work helps.
pub(super) fn at_the_roof(m: &Measures<'_>, limiter: Code, levers: &Levers) -> Option<Words> {
    let Code::Unit(part) = limiter else { return None };
    let is_pipe = part.computes() && part != Part::ComputeControl;
    let unit = m.unit(part).filter(|_| part == Part::MemoryDram || is_pipe)?;
    // What waits in L2 for the next launch is no time of this one.
    let later = if part == Part::MemoryDram { m.machine.later } else { 0.0 };
    let need = m.machine.need(part)? / (1.0 + later);
    let is_worth = levers.names(Action::Rebuild) || levers.computed.iter().any(|(_, saves)| *saves >= WORTH_A_TRY);
    if is_worth || need < if levers.rows.is_empty() { MOST } else { ROOF } {
        return None;
    }
    // DRAM does not reach its peak.
    let most = m.units.iter().map(|unit| unit.share).fold(need, f64::max);
    let bytes = |name: Counter| m.value(name).map(|bytes| format!("{}B", glance::short(bytes)));
    let less = match part {
        Part::MemoryDram if is_by_sector(m) => {
            let read = bytes(DRAM_BYTES[0]).map(|read| words!(" ({} read here)", read));
            words!("fewer look-ups, a smaller table, an order in which lanes share sectors{}", words::maybe(read))
        }
        Part::MemoryDram => {
            let is_much = |name: &Counter| m.value(*name).zip(m.moved()).is_some_and(|(own, all)| own >= WORTH * all);
            let told = DRAM_BYTES.into_iter().zip(["read", "written"]).filter(|(name, _)| is_much(name));
            let told = told.filter_map(|(name, way)| Some(format!("{} {way}", bytes(name)?)));
            let told = told.collect::<Vec<String>>().join(", ");
            let saved = (!told.is_empty()).then(|| words!(" (saves its read or write: {} here)", told));
            words!("fuse with a neighbour{}, a narrower type, no intermediate", words::maybe(saved))
        }
        Part::ComputeTensor => "fewer products, a narrower type, or structured sparsity".into(),
        Part::ComputeFma => "another algorithm, a narrower type, or tensor instructions for products".into(),
        // Words of bits have no narrower type.
        Part::ComputeAlu if runs_on(m, part).is_some_and(|(most, _)| most[0].0.is_of(&[Class::Logic])) => {
            "another algorithm".into()
        }
        _ => "another algorithm, or a narrower type".into(),
    };
    let has_kinds = is_pipe && part != Part::ComputeTensor;
    let work = runs_on(m, part).filter(|_| has_kinds).map(|(most, all)| words!(" ({})", leading(&most, all)));
    let beside = as_full(m, unit).filter(|_| is_pipe).map(|others| words!(", with {} as full", others));
    let name = words!("{}{}{}", unit.named(), words::maybe(work), words::maybe(beside));
    let left = share(1.0 - most);
    if 1.0 - most >= WORTH_A_TRY {
        let rate = match part {
            Part::MemoryDram if is_by_sector(m) => " for sectors that lanes ask for one by one",
            Part::MemoryDram => " at the rate of a plain stream",
            _ => "",
        };
        return Some(words!(
            "≤ {} is left beside the work of {}{}. Sure to help is less of it: {}.",
            left,
            name,
            rate,
            less
        ));
    }
    let left = if most < 1.0 { format!("≤ {left}") } else { "nothing".to_owned() };
    Some(words!("At the roof of {}: {} is left in this kernel. Only less work helps: {}.", name, left, less))
}

/// The widest span of clocks between the base, at which ncu holds the SMs, and the boost of a part: 585 and 1,590 MHz of a Tesla T4.
const BOOST: f64 = 2.7;

/// Hz that no SM clocks at.
const FASTEST: f64 = 3.2e9;

/// The clock of the SMs here, and that from which device memory has as much to do as the busiest part of the SMs, in Hz. What parts of the SMs
/// need is cycles, which take less time at a higher clock, and what device memory needs is time: they meet at `clock · need of the SMs / need
/// of DRAM`. `None` where the SMs do not clock as high, or are not busy: the latency of their warps may set the pace then.
fn dram_leads(m: &Measures<'_>) -> Option<[f64; 2]> {
    let now = m.value(Counter::GpcCyclesElapsedAvgPerSecond)?;
    let (_, of_sms) = m.machine.busiest(|part| !is_shared(part)).filter(|(_, need)| *need >= BUSY)?;
    let from = now * of_sms / m.machine.need(Part::MemoryDram)?;
    let most = m.value(Counter::DeviceAttributeClockRate).map_or((BOOST * now).min(FASTEST), |khz| 1e3 * khz);
    (now < from && from <= most).then_some([now, from])
}

/// What no lever names, each with its number, and what would be a first row and cannot be done here.
pub(super) fn ruled_out(m: &Measures<'_>, levers: &Levers, is_found: impl Fn(Code) -> bool) -> Option<Words> {
    let mut found: Vec<String> = Vec::new();
    if let Some(wave) = wavefronts(m).filter(|_| !levers.names(Action::Unconflict)) {
        let excess = wave.all - wave.ideal;
        // Most of few wavefronts is no reason to rule them out.
        if excess <= WORTH * wave.all && wave.excess < WORTH {
            found.push(format!("bank conflicts ({} excess wavefronts)", count(excess)));
        }
    }
    let slight = levers.slight.iter().filter(|(_, saves)| levers.rows.is_empty() && *saves >= TRACE);
    let slight: Vec<&(Draft, f64)> = slight.take(FIRST).collect();
    let coalescing = levers.saves(Action::Coalesce);
    let is_told = slight.iter().any(|(draft, _)| draft.action == Action::Coalesce) || levers.names(Action::Coalesce);
    let has_lever = is_told || coalescing.is_some_and(|saves| saves >= WORTH_A_TRY);
    let all = m.accesses();
    if !all.is_empty() && !has_lever {
        let by_data = all.iter().any(|access| access.is_inherent && access.excess() > 0);
        let is_shifted = all.iter().any(|access| access.is_shifted && !access.is_inherent);
        found.extend(match (packable(m).is_empty(), by_data, coalescing) {
            // Sectors that come twice have a row of their own.
            (true, false, _) if levers.names(Action::AlignCopies) => None,
            // So have words that lanes add to next.
            (true, false, _) if all.iter().any(|access| access.stays < 1.0) => None,
            (true, false, _) if is_shifted => Some("coalescing (contiguous, off the boundary of a sector)".to_owned()),
            (true, false, _) => Some(match all.iter().map(|access| access.again).sum::<u64>() {
                0 => match all.iter().map(|access| access.excess()).sum::<u64>() {
                    0 => "coalescing (0 excess sectors)".to_owned(),
                    own => format!("coalescing ({} excess sectors, none by the order of the lanes)", count(own as f64)),
                },
                again => {
                    let again = count(again as f64);
                    format!("coalescing ({again} excess sectors, all of which the load beside it reads again)")
                }
            }),
            (true, ..) => Some("coalescing by layout (the addresses are loaded values)".to_owned()),
            (false, _, Some(saves)) if saves < TRACE => Some("coalescing (its excess takes no time)".to_owned()),
            (false, _, Some(saves)) => Some(format!("coalescing (about {} of the time)", share(saves))),
            (false, _, None) => None,
        });
    }
    if let Some(room) = m.theoretical.filter(|_| !levers.names(Action::MoreWarps)) {
        let all_slots = Change { warps: (room, room), ..Change::default() };
        if m.is_by_design() == Some(true) {
            found.push("occupancy (1 block/SM by design)".to_owned());
        } else if let Some(saves) = Some(m.machine.after(&all_slots).expected).filter(|saves| *saves < WORTH_A_TRY) {
            let sizes = m.block_sizes();
            let fuller = sizes.as_ref().and_then(|sizes| Some((sizes.fuller()?, f64::from(sizes.most_warps()))));
            let fuller = fuller.map(|(size, most)| {
                format!("; blocks of {} threads: {}", size.threads, share(f64::from(size.warps) / most))
            });
            let is_told = room < 1.0 && saves >= TRACE;
            let all = if is_told {
                format!("; with all slots filled about {} less time", share(saves))
            } else {
                String::new()
            };
            found.push(format!("occupancy limits ({} theoretical{all}{})", share(room), fuller.unwrap_or_default()));
        }
    }
    let wave = m.phases.and_then(|phases| Some((phases.time.last_wave?, phases.is_persistent)));
    // A tail that was measured is there, whatever the waves say.
    if let Some((wave, is_persistent)) = wave.filter(|(wave, is_persistent)| {
        let is_less = !is_persistent && m.waves.is_some_and(|waves| waves < FULL_WAVE);
        let is_short = *wave < WORTH_A_TRY && m.machine.time.tail < WORTH_A_TRY;
        is_short && !is_less && !levers.names(Action::WholeWaves)
    }) {
        let kind = if is_persistent { "persistent, " } else { "" };
        found.push(format!("wave quantisation ({kind}{})", share(wave)));
    }
    let is_low = |share: f64| 100.0 * share < m.limits[Threshold::SolLow] && !is_found(Code::Unit(Part::MemoryDram));
    let dram = m.unit(Part::MemoryDram).filter(|dram| is_low(m.highest(dram).0));
    let dram = dram.filter(|_| !levers.names(Action::FewerBytes)).map(|dram| format!("DRAM ({})", share(dram.share)));
    let faster = dram.as_ref().and_then(|dram| Some((dram, dram_leads(m)?)));
    let ghz = |hz: f64| format!("{} GHz", format::fixed(hz / 1e9, 2));
    let faster = faster.map(|(dram, [now, from])| {
        let (now, from) = (ghz(now), ghz(from));
        words!(
            "Not ruled out: {} at an SM clock of {} sets the pace above {}; `--clock-control none` tells.",
            dram,
            now,
            from
        )
    });
    found.extend(dram.filter(|_| faster.is_none()));
    let of_refused = |(draft, saves): &(Draft, f64)| {
        Some(words!("{} (about {} otherwise): {}", draft.in_short(), share(*saves), draft.refused.clone()?))
    };
    let refused: Vec<Words> = levers.refused.iter().filter_map(of_refused).collect();
    let of_slight = |(draft, saves): &(Draft, f64)| {
        let left = draft.left(m).and_then(|part| m.unit(part));
        let left = left.map(|unit| format!("; {} stays at {}", unit.named(), share(unit.share)));
        words!("{} (about {}{})", draft.in_short(), share(draft.middle(m, *saves)), words::maybe(left))
    };
    let slight: Vec<Words> = slight.into_iter().map(of_slight).collect();
    let slight = (!slight.is_empty()).then(|| words!("Too little for a row: {}.", words::join(slight, ", ")));
    let ruled = (!found.is_empty()).then(|| words!("Ruled out: {}.", found.join(", ")));
    let refused = (!refused.is_empty()).then(|| words!("Not here: {}.", words::join(refused, "; ")));
    let said: Vec<Words> = slight.into_iter().chain(ruled).chain(faster).chain(refused).collect();
    (!said.is_empty()).then(|| words::join(said, " "))
}
