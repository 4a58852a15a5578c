//! The phases of a kernel as a timeline: of a tile, of a block, or of the lifetime of a warp.

use super::axis;
use super::model::{Bar, BarRow, Bars, Chart, Figure, Shade};
use crate::analysis::Audit;
use crate::analysis::phases::{CycleUnit, Phase, PhaseKind, Phases};
use crate::quantity::{format, glance};
use crate::view::brief::places::phase_words;

/// Samples below which shares by phase say too little.
const ENOUGH: u64 = 1_000;
/// Shares below this are no row.
const SMALL: f64 = 0.005;

/// The chart; `None` without cycles by phase, and for a kernel that has one phase.
pub(in crate::view) fn chart(audit: &Audit) -> Option<Chart> {
    let phases = audit.now.phases.as_ref().filter(|phases| phases.samples >= ENOUGH)?;
    let cycles = phases.cycles?;
    let rows = rows(phases);
    if rows.len() < 2 {
        return None;
    }
    let mut ticks = axis::from_zero(cycles, glance::short);
    ticks.retain(|tick| tick.at <= cycles);
    let of = match phases.unit? {
        CycleUnit::Tile => "a tile",
        CycleUnit::Block => "a block",
        CycleUnit::Warp => "the lifetime of a warp",
    };
    let steps = phases.steps.filter(|steps| *steps >= 2.0);
    let added = steps.map(|steps| format!("; the {} steps of the main loop added up", format::fixed(steps, 0)));
    // Products in flight across phases are of none of them.
    let has_tensor = rows.iter().any(|shown| busy(shown.phase) > 0.0);
    let legend = [(Shade::New, "tensor pipe busy".to_owned()), (Shade::Old, "other cycles".to_owned())];
    let told: Vec<String> = rows.iter().map(|shown| format!("{} {}", shown.label(), span(shown.phase))).collect();
    let works = phases.tensor.map(|tensor| format!(" The tensor pipe works {} of them.", glance::cycles(tensor)));
    Some(Chart {
        id: "phases".into(),
        title: format!("Phases of {of}"),
        subtitle: format!("Cycles, in the order of the code{}", added.unwrap_or_default()),
        message: format!(
            "Cycles of {of}, {} in all: {}.{}",
            glance::cycles(cycles),
            told.join("; "),
            works.unwrap_or_default()
        ),
        file: String::new(),
        figure: Figure::Bars(Bars {
            legend: if has_tensor { legend.into() } else { Vec::new() },
            is_stacked: true,
            until: cycles,
            ticks,
            rows: rows.iter().map(|shown| row(shown, has_tensor)).collect(),
        }),
    })
}

/// A bar: a phase with the cycle that it begins at.
struct Shown<'a> {
    phase: &'a Phase,
    start: f64,
    /// Whether it is a part of the loop above it.
    is_part: bool,
}

impl Shown<'_> {
    fn label(&self) -> &'static str {
        phase_words(self.phase.kind).own
    }
}

/// Each phase, and behind a loop its parts, with the cycle that it begins at.
fn rows(phases: &Phases) -> Vec<Shown<'_>> {
    let mut rows = Vec::new();
    let mut start = 0.0;
    for phase in &phases.phases {
        let mut inside = start;
        let is_shown = |phase: &Phase| phase.share >= SMALL;
        if is_shown(phase) {
            rows.push(Shown { phase, start, is_part: false });
        }
        for part in &phase.parts {
            if is_shown(part) {
                rows.push(Shown { phase: part, start: inside, is_part: true });
            }
            inside += part.cycles.unwrap_or_default();
        }
        start += phase.cycles.unwrap_or_default();
    }
    rows
}

fn span(phase: &Phase) -> String {
    glance::cycles(phase.cycles.unwrap_or_default())
}

/// The cycles of a main loop with the tensor pipe at work.
fn busy(phase: &Phase) -> f64 {
    phase.tensor.filter(|_| phase.kind == PhaseKind::MainLoop).unwrap_or_default()
}

fn row(shown: &Shown<'_>, has_tensor: bool) -> BarRow {
    let Shown { phase, start, is_part } = *shown;
    let cycles = phase.cycles.unwrap_or_default();
    let busy = busy(phase).min(cycles);
    let bar = |shade, value, text| Bar { shade, value, text };
    let mut bars = vec![bar(Shade::Gap, start, String::new())];
    if busy > 0.0 {
        bars.push(bar(Shade::New, busy, String::new()));
    }
    bars.push(bar(if has_tensor { Shade::Old } else { Shade::New }, cycles - busy, span(phase)));
    BarRow { label: format!("{}{}", if is_part { "– " } else { "" }, shown.label()), bars }
}
