//! The index of a folder of audits: a row for each subject, the last audited first.

use super::charts::times;
use super::document::{Cell, Table};
use super::floor;
use super::tables::{self, code, text};
use crate::analysis::Milestone;
use crate::quantity::{format, glance};
use crate::words;
use std::collections::BTreeSet;

const SHOWN: usize = 16;
/// Levels of a trend, from fast to slow.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

#[derive(Clone, Debug)]
pub struct Listed {
    pub subject: String,
    /// Its last page, relative to the index.
    pub page: String,
    /// Its audits, the oldest first; at least one.
    pub milestones: Vec<Milestone>,
}

pub fn index(subjects: &[Listed]) -> Table {
    let gpus = subjects.iter().filter_map(|listed| listed.milestones.last().map(gpu)).filter(|gpu| !gpu.is_empty());
    let has_gpus = gpus.collect::<BTreeSet<&str>>().len() > 1;
    let gpu = if has_gpus { " | GPU" } else { "" };
    let head = format!(
        "Subject | Last audit{gpu} | Time: | Rate: | Of the reference: | Of the floor: | Verdict | Limited by | First change | Forecast: | Trend",
    );
    tables::table("index", head, subjects.iter().filter_map(|listed| row(listed, has_gpus)))
}

/// `H200` of `NVIDIA H200 (sm_90)`.
fn gpu(milestone: &Milestone) -> &str {
    milestone.gpu.trim_start_matches("NVIDIA ").split(" (").next().unwrap_or_default()
}

fn row(listed: &Listed, has_gpus: bool) -> Option<Vec<Cell>> {
    let last = listed.milestones.last()?;
    let time = last.ns().map(glance::time);
    let of_bytes = || last.rate_of_bytes().map(|rate| glance::rate(rate.value(), "B/s"));
    let rate = last.rate().map(|rate| glance::rate(rate.value(), rate.unit().as_str())).or_else(of_bytes);
    let beside = last.beside.as_ref();
    let share = beside.map(|(_, percent)| format!("{} %", format::fixed(*percent, 0)));
    let verdict = match last.verdict {
        Some(_) if last.is_accepted || last.problem.is_some() => text(last.outcome().unwrap_or_default()),
        Some(verdict) => tables::verdict(verdict),
        None if last.is_code_alone => text("code alone"),
        None => Cell::default(),
    };
    let limiter = last.limiter.map_or_else(Cell::default, |limiter| code(limiter.to_string()));
    let first = last.levers.iter().find(|_| !last.is_at_roof);
    let bound = first.and_then(|first| first.bound);
    let forecast = first.and_then(|first| first.forecast).map(|ends| glance::between(ends, bound));
    let ceiling = bound.map(|bound| format!("≤ {} %", format::fixed(bound, 0)));
    let mut cells = vec![
        Cell::new(words!("{}", words::link(listed.subject.as_str(), listed.page.as_str()))),
        text(last.day()),
        text(time.unwrap_or_else(|| "not measured".to_owned())),
        text(rate.unwrap_or_default()),
        text(share.unwrap_or_default()),
        text(floor::standing(last, listed.milestones.first()?)).sorted(last.of_floor()),
        verdict,
        limiter,
        text(first.map_or(if last.is_at_roof { "less work" } else { "" }, |first| first.what.as_str())),
        text(forecast.or(ceiling).unwrap_or_default()).sorted(bound),
        text(trend(&listed.milestones)),
    ];
    if has_gpus {
        cells.insert(2, text(gpu(last)));
    }
    Some(cells)
}

/// The times of the last audits as bars, the highest the slowest; nothing for fewer than two.
fn trend(milestones: &[Milestone]) -> String {
    let all: Vec<f64> = times(milestones).into_iter().map(|(_, ns)| ns).collect();
    let shown = &all[all.len().saturating_sub(SHOWN)..];
    let slowest = shown.iter().copied().fold(0.0, f64::max);
    if shown.len() < 2 || slowest <= 0.0 {
        return String::new();
    }
    let level = |time: &f64| ((time / slowest * LEVELS.len() as f64).ceil() as usize).clamp(1, LEVELS.len()) - 1;
    shown.iter().map(|time| LEVELS[level(time)]).collect()
}
