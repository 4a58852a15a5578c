//! A launch over its time in words: the section of the page, and the rows of a comparison.

use super::document::{Section, Table};
use super::heading::Heading;
use super::tables::{list, paragraph, table, text};
use super::{brief, charts};
use crate::analysis::over_time::{OverTime, Regime, Shape};
use crate::analysis::{Audit, LeverCode, Unit};
use crate::catalog::{Action, Part, Threshold, series_row};
use crate::quantity::{format, glance};
use crate::words::{Words, words};

/// A tail is told as one from this share of the launch on that it costs.
const TAIL: f64 = 0.02;
/// A ramp is told from this share of the launch on that it costs.
const RAMP: f64 = 0.01;
/// A tail stands beside the verdict from this share of the launch on that it costs.
const MUCH: f64 = 0.1;
/// Multiprocessors without a block are told from this share on, and clocks that differ by this share.
const IDLE: f64 = 0.02;
const CLOCKS: f64 = 0.03;
/// A sampled launch is another one than the profiled from this difference in time on.
const APART: f64 = 0.05;
/// Points of its peak by which a unit that goes up and down is told.
const SWING: f64 = 20.0;
/// A period is that of a tile, or of a block, where they differ by less than this share.
const ALIKE: f64 = 0.1;
/// Units told of a regime.
const UNITS: usize = 3;

/// The section; `None` where PM sampling was not collected.
pub(super) fn section(heading: &Heading, audit: &Audit) -> Option<Section> {
    let over = audit.now.over_time.as_ref()?;
    let mut blocks = vec![paragraph("shape-basis", words!("{}{}", basis(over), apart(audit, over)))];
    match &over.shape {
        None => blocks.push(paragraph("shape", not_measured(over, audit.limits[Threshold::OverTimeSamples]))),
        Some(shape) => {
            blocks.extend(charts::placed(heading, charts::over_time(audit)));
            let leader = unfollowed(audit, shape);
            let shape = &leader.map_or_else(|| shape.clone(), |_| shape.as_of_others());
            let mut said = sentences(over, shape);
            said.extend(leader.map(|unit| {
                words!(
                    "The busiest unit, {} at {} of its peak, has no series: the levels are of units that wait for it.",
                    unit.name.clone(),
                    percent(100.0 * unit.share)
                )
            }));
            said.extend(period(audit, shape));
            let tail = tail(over, shape);
            if let Some(own) = said.iter_mut().find(|sentence| Some(&**sentence) == tail.as_ref()) {
                own.push(evened(audit));
            }
            let told = beside_verdict(audit);
            said.retain(|sentence| Some(sentence) != told.as_ref());
            let old = audit.before.as_ref().and_then(|old| old.over_time.as_ref());
            let old = old.and_then(|old| Some((old, old.shape.as_ref()?)));
            said.extend(old.map(|(old, was)| before((old, was), (over, shape))));
            blocks.push(list("shape", said));
        }
    }
    Some(Section::new("over-time", "Over the launch", blocks))
}

/// The busiest unit, where it is high and every unit that was followed over the launch is low.
fn unfollowed<'a>(audit: &'a Audit, shape: &Shape) -> Option<&'a Unit> {
    let low = audit.limits[Threshold::SolLow];
    let busiest = audit.now.bottleneck.units.iter().max_by(|a, b| a.share.total_cmp(&b.share))?;
    // Of L2 the slices are followed, and not what lies between them.
    let has_series = matches!(busiest.part, Part::MemoryL2 | Part::MemoryDram);
    (!has_series && shape.steady < low && 100.0 * busiest.share >= low).then_some(busiest)
}

/// What the shape says against a verdict on means over the launch: a tail that costs much, or levels of different units.
pub(super) fn beside_verdict(audit: &Audit) -> Option<Words> {
    let over = audit.now.over_time.as_ref()?;
    let shape = over.shape.as_ref()?;
    if over.share(shape.tail.cost) >= MUCH {
        return tail(over, shape).map(|said| words!("{}{}", said, evened(audit)));
    }
    // A level of which no unit is high fills up or runs out, and has no limit of its own.
    let is_high = |(_, mean): &&(String, f64)| *mean >= audit.limits[Threshold::SolLow];
    let mut leads =
        shape.regimes.iter().filter_map(|regime| regime.units.first()).filter(is_high).map(|(unit, _)| unit);
    let first = leads.next()?;
    if leads.any(|unit| unit != first) { regimes(shape) } else { None }
}

/// What a row of Next that evens the end out saves at most.
fn evened(audit: &Audit) -> String {
    let ends = [Action::EvenBlocks, Action::WholeWaves].map(LeverCode::Ours);
    let rows = brief::actions::shown(audit);
    let row = rows.iter().enumerate().find(|(_, lever)| ends.contains(&lever.code));
    let bound = row.and_then(|(at, lever)| Some((at + 1, lever.bound?)));
    bound.map(|(at, bound)| format!(" Evened out: ≤ {} less (row {at} of Next).", percent(bound))).unwrap_or_default()
}

pub(super) fn called(unit: &str) -> &str {
    series_row(unit).map_or(unit, |row| row.label)
}

fn percent(value: f64) -> String {
    format!("{} %", format::fixed(value, if value.abs() < 9.95 { 1 } else { 0 }))
}

/// A stretch of time with its share of the launch.
fn span(over: &OverTime, ns: f64) -> String {
    format!("{} ({})", glance::time(ns), percent(100.0 * over.share(ns)))
}

/// `PM sampling of one launch of 344.3 µs: 230 samples, one each 1.5 µs, from 1 pass.`
fn basis(over: &OverTime) -> Words {
    let replays = if over.passes > 1 { ", each a replay of its own, aligned where the launch begins" } else { "" };
    let lost = match over.lost {
        0 => String::new(),
        lost => format!(" ncu dropped or merged {}.", format::counted(lost, "sample")),
    };
    words!(
        "PM sampling of one launch of {}: {}, one each {}, from {}{}. A level is that of the busiest unit, in percent of its peak.{}",
        glance::time(over.ns),
        format::counted(over.samples as u64, "sample"),
        glance::time(over.step),
        format::counted(over.passes as u64, "pass"),
        replays,
        lost
    )
}

/// That the sampled launch took another time than the profiled one: what its end costs is not what the verdict's launch lost.
fn apart(audit: &Audit, over: &OverTime) -> String {
    let Some(profiled) = audit.performance.time.new.value().filter(|ns| *ns > 0.0) else { return String::new() };
    if (over.ns / profiled - 1.0).abs() < APART {
        return String::new();
    }
    let by = format::change(profiled, over.ns);
    let word = if over.ns > profiled { "longer" } else { "shorter" };
    format!(" This launch took {} {word} than the profiled one.", by.trim_start_matches(['+', '−']))
}

fn not_measured(over: &OverTime, least: f64) -> Words {
    words!(
        "**NOT MEASURED:** {} within the launch are too few for a shape. {} are needed, at this distance a launch of {}; `audit explain over-time-samples` says why.",
        format::counted(over.samples as u64, "sample"),
        format::fixed(least, 0),
        glance::time(least * over.step)
    )
}

/// What the shape says, the most costly first.
fn sentences(over: &OverTime, shape: &Shape) -> Vec<Words> {
    let mut said = vec![steady(over, shape)];
    said.extend(tail(over, shape));
    said.extend(regimes(shape));
    said.extend(idle(shape));
    said.extend(blocks(over, shape));
    said.extend(clock(shape));
    said
}

/// `instruction issue at 85 %`; where units take turns, no one has the level.
fn level(shape: &Shape) -> String {
    let is_other = |regime: &Regime| regime.units.first().is_some_and(|(unit, _)| *unit != shape.unit);
    let is_one = shape.mean >= 0.9 * shape.steady && !shape.regimes.iter().any(is_other);
    let unit = if is_one { called(&shape.unit) } else { "units in turn" };
    format!("{unit} at {}{}", if is_one { "" } else { "up to " }, percent(shape.steady))
}

/// `Steady state: instruction issue at 85 % for 172.5 µs (50 %); a ramp of 4.5 µs (2.3 %) before it costs 1.8 %.`
fn steady(over: &OverTime, shape: &Shape) -> Words {
    let ramp = match over.share(shape.ramp.cost) >= RAMP {
        true => format!(
            "; a ramp of {} before it costs {}",
            span(over, shape.ramp.ns),
            percent(100.0 * over.share(shape.ramp.cost))
        ),
        false => String::new(),
    };
    let middle = (over.share(shape.middle.cost) >= 0.02)
        .then(|| format!("; in it lower levels cost {}", percent(100.0 * over.share(shape.middle.cost))));
    let drain =
        (shape.drain.ns >= over.step).then(|| format!(" Drain behind the last block: {}.", span(over, shape.drain.ns)));
    words!(
        "Steady state: {} for {}{}{}.{}",
        level(shape),
        span(over, shape.middle.ns),
        words::maybe(middle),
        ramp,
        words::maybe(drain)
    )
}

/// `The last 49 % of the time (170.3 µs) run at 9.6 % of the steady state …`
fn tail(over: &OverTime, shape: &Shape) -> Option<Words> {
    let cost = Some(over.share(shape.tail.cost)).filter(|cost| *cost >= TAIL)?;
    // Where most SMs hold a block still, what is behind it is no want of blocks.
    let is_other = shape.idle.is_some_and(|idle| 2.0 * idle.in_tail < 1.0 - shape.tail_of_steady());
    let hold = |of: u32, idle: f64| format::fixed(f64::from(of) * (1.0 - idle), 0);
    let idle = shape.idle.filter(|idle| idle.in_tail >= IDLE).map(|idle| match idle.of {
        Some(of) => format!(": of {of} SMs {} hold a block on average", hold(of, idle.in_tail)),
        None => format!(": {} of the SMs hold no block", percent(100.0 * idle.in_tail)),
    });
    Some(words!(
        "**The last {} of the time ({}) run at {} of the steady state**{}. At its level the same work takes {}: {} costs {} of the launch.",
        percent(100.0 * over.share(shape.tail.ns)),
        glance::time(shape.tail.ns),
        percent(100.0 * shape.tail_of_steady()),
        words::maybe(idle),
        glance::time((shape.tail.ns - shape.tail.cost).max(0.0)),
        if is_other { "other work, or fewer warps," } else { "the tail" },
        percent(100.0 * cost)
    ))
}

fn regimes(shape: &Shape) -> Option<Words> {
    if shape.regimes.len() < 2 {
        return None;
    }
    let said = |regime: &Regime| {
        let units = regime.units.iter().take(UNITS).map(|(unit, mean)| format!("{} {}", called(unit), percent(*mean)));
        let units: Vec<String> = units.collect();
        format!("{} to {}: {}", glance::time(regime.from), glance::time(regime.until), units.join(", "))
    };
    let all: Vec<String> = shape.regimes.iter().map(said).collect();
    let mut leads = shape.regimes.iter().map(|regime| regime.units.first().map(|unit| &unit.0));
    let first = leads.next();
    let what = match leads.all(|unit| Some(unit) == first) {
        true => "The same unit leads in each.",
        false => "Not one unit leads in all; a mean over the launch is of none of them.",
    };
    Some(words!("{} levels that last: {}. {}", shape.regimes.len().to_string(), all.join("; "), what))
}

fn idle(shape: &Shape) -> Option<Words> {
    let idle = shape.idle.filter(|idle| idle.share >= IDLE)?;
    let many = match idle.of {
        Some(of) => format!("{} of {of} SMs", glance::digits(f64::from(of) * idle.share)),
        None => format!("{} of the SMs", percent(100.0 * idle.share)),
    };
    Some(words!(
        "Over the launch {} hold no block on average; from {} on not all hold one.",
        many,
        glance::time(idle.from)
    ))
}

fn blocks(over: &OverTime, shape: &Shape) -> Option<Words> {
    let blocks = shape.blocks?;
    // Where multiprocessors run out of blocks as the last one begins, that is said already.
    let is_said =
        shape.idle.is_some_and(|idle| idle.share >= IDLE && (idle.from - blocks.last).abs() <= 2.0 * over.step);
    // Near the end it says nothing.
    let last = (0.02..1.0 - MUCH).contains(&over.share(blocks.last)) && !is_said;
    let missed = blocks.of.filter(|of| *of > blocks.seen);
    let missed = missed.map(|of| {
        format!(" The series of blocks saw {} of {} begin.", format::integer(blocks.seen), format::integer(of))
    });
    last.then(|| {
        let at = span(over, blocks.last);
        words!("The last block that was seen to begin did so at {}.{}", at, words::maybe(missed))
    })
}

/// `Tensor pipe: up and down every 23.9 µs, …: about a tile.` Where blocks do the same at the same time, the parts of the chip idle
/// at the same time as well.
fn period(audit: &Audit, shape: &Shape) -> Option<Words> {
    let period = shape.period.as_ref().filter(|period| period.swing >= SWING)?;
    let phases = audit.now.phases.as_ref();
    let unit =
        phases.and_then(|phases| Some((phases.cycles? / shape.clock?.mean, brief::lifetime::unit_name(phases.unit?))));
    let unit = unit
        .filter(|(ns, _)| (period.ns / ns - 1.0).abs() < ALIKE)
        .map(|(ns, unit)| format!(": about a {unit} ({}), in which the blocks keep step", glance::time(ns)));
    Some(words!(
        "{}: up and down every {}, {} times, by {} points{}.",
        format::capital(called(&period.unit)),
        glance::time(period.ns),
        format::fixed(period.turns, 0),
        format::fixed(period.swing, 0),
        words::maybe(unit)
    ))
}

fn clock(shape: &Shape) -> Option<Words> {
    let clock = shape.clock?;
    let ghz = |clock: f64| format!("{} GHz", format::fixed(clock, 2));
    if clock.high - clock.low < CLOCKS * clock.high {
        return None;
    }
    Some(words!(
        "The clock of the SMs moves between {} and {} within the launch ({}), {} on average.",
        ghz(clock.low),
        ghz(clock.high),
        format::counted(clock.steps as u64, "step"),
        ghz(clock.mean)
    ))
}

fn before(old: (&OverTime, &Shape), new: (&OverTime, &Shape)) -> Words {
    let tail_of = |(over, shape): (&OverTime, &Shape)| match shape.tail.ns > 0.0 {
        true => {
            let cost = percent(100.0 * over.share(shape.tail.cost));
            format!("tail {}, which costs {cost}", span(over, shape.tail.ns))
        }
        false => "no tail".to_owned(),
    };
    // What costs much has a sentence of its own.
    let [was, now] = [old, new].map(tail_of);
    let now = if tail(new.0, new.1).is_some() || now == was { String::new() } else { format!("; now {now}") };
    words!("Before, of {}: {}, {}{}.", glance::time(old.0.ns), level(old.1), was, now)
}

/// What several launches do over their time, a column for each; `None` where none was sampled. Of one that was not, the cells are
/// empty.
pub(super) fn side_by_side(sides: &[Option<&OverTime>], letters: &[&str]) -> Option<Table> {
    sides.iter().flatten().find(|over| over.shape.is_some())?;
    type Tell = fn(&OverTime, &Shape) -> String;
    let rows: [(&str, Tell); 7] = [
        ("Level over time", |over, _| line(over)),
        ("Steady state", |_, shape| level(shape)),
        ("Ramp", |over, shape| span(over, shape.ramp.ns)),
        ("Tail", |over, shape| span(over, shape.tail.ns)),
        ("Tail costs", |over, shape| percent(100.0 * over.share(shape.tail.cost))),
        ("Multiprocessors without a block", |_, shape| {
            shape.idle.map(|idle| percent(100.0 * idle.share)).unwrap_or_default()
        }),
        ("Clock, GHz", |_, shape| shape.clock.map(|clock| format::fixed(clock.mean, 2)).unwrap_or_default()),
    ];
    let cells = |(label, tell): &(&str, Tell)| {
        let of =
            |side: &Option<&OverTime>| side.and_then(|over| Some(tell(over, over.shape.as_ref()?))).unwrap_or_default();
        std::iter::once(text(*label)).chain(sides.iter().map(|side| text(of(side)))).collect()
    };
    Some(table("over-time", format!("Over the launch | {}", letters.join(" | ")), rows.iter().map(cells)))
}

/// Characters of a line of levels.
const LINE: usize = 32;

/// The level over time in one line of characters, the highest of the curves at each place.
fn line(over: &OverTime) -> String {
    let count = over.curves.iter().map(|curve| curve.points.len()).max().unwrap_or_default();
    let highest =
        |n: usize| over.curves.iter().filter_map(|curve| curve.points.get(n)).copied().max().unwrap_or_default();
    sparkline(&(0..count).map(highest).collect::<Vec<u8>>(), LINE)
}

/// Levels in percent as a line of at most so many characters, each the mean of its stretch: empty for none, full for the peak.
pub(crate) fn sparkline(points: &[u8], width: usize) -> String {
    const STEPS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let width = width.min(points.len());
    let mean = |n: usize| {
        let part = &points[n * points.len() / width..(n + 1) * points.len() / width];
        part.iter().map(|level| usize::from(*level)).sum::<usize>() as f64 / part.len() as f64
    };
    // Whatever is not nothing shows.
    let step = |level: f64| if level < 0.5 { 0 } else { ((level / 100.0 * 8.0).round() as usize).clamp(1, 8) };
    (0..width).map(|n| STEPS[step(mean(n))]).collect()
}

/// The sentence that stands for the chart.
pub(super) fn message(over: &OverTime, shape: &Shape) -> String {
    let curves: Vec<String> =
        over.curves.iter().map(|curve| format!("{} {}", called(&curve.unit), percent(curve.mean))).collect();
    let tail = match shape.tail.ns > 0.0 {
        true => format!(", then a tail of {} at {}", glance::time(shape.tail.ns), percent(shape.tail.level)),
        false => String::new(),
    };
    let ramp = (shape.ramp.ns > 0.0).then(|| format!("a ramp of {}, then ", glance::time(shape.ramp.ns)));
    format!(
        "Over a launch of {}: {}{} at {}{tail}. Means in percent of the peak: {}.",
        glance::time(over.ns),
        ramp.unwrap_or_default(),
        glance::time(shape.middle.ns),
        percent(shape.steady),
        curves.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn what_slows_down_with_a_block_on_most_sms_is_no_tail() {
        let told = |idle: f64| {
            let none = r#"{"ns": 0, "level": 0, "cost": 0}"#;
            let over = format!(
                r#"{{"ns": 1000, "step": 10, "samples": 100, "passes": 1, "shape": {{"steady": 90, "unit": "", "mean": 60, "ramp": {none}, "middle": {none}, "drain": {none}, "tail": {{"ns": 500, "level": 45, "cost": 250}}, "idle": {{"share": {idle}, "in_tail": {idle}, "from": 900}}}}}}"#
            );
            let over: OverTime = serde_json::from_str(&over).unwrap();
            tail(&over, &over.shape.clone().unwrap()).unwrap().to_plain()
        };
        assert_eq!([0.05, 0.45].map(|idle| told(idle).ends_with("the tail costs 25 % of the launch.")), [false, true]);
    }

    #[test]
    fn levels_are_characters() {
        assert_eq!(sparkline(&[0, 1, 13, 50, 100], 10), " ▁▁▄█");
        assert_eq!([sparkline(&[0, 100, 100, 100], 2), sparkline(&[], 10)], ["▄█", ""]);
    }
}
