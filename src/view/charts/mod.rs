//! Charts as data: what is drawn, with finished labels and a sentence that says the same in words.
//!
//! One file for each chart; each takes an audit and gives a [`Chart`], or nothing where the table beside it says as
//! much. No coordinates, no colours: those are `render/svg`.

mod axis;
mod history;
mod model;
mod occupancy;
mod phases;
mod roofline;
mod sectors;
mod speed_of_light;
mod stalls;

pub use history::chart as history_chart;
pub use model::{Axis, Bar, BarRow, Bars, Chart, Curve, Figure, Mark, Plot, Shade, Shape, Tick};

use super::document::{Block, Content};
use super::heading::Heading;

pub(super) use history::{of_page as history, times};
pub(super) use occupancy::charts as occupancy;
pub(super) use phases::chart as phases;
pub(super) use roofline::chart as roofline;
pub(super) use sectors::{global as sectors, shared as wavefronts};
pub(super) use speed_of_light::chart as speed_of_light;
pub(super) use stalls::chart as stalls;

/// Ids of all charts, which are also the names of their files.
pub const CHARTS: [&str; 9] = [
    "history",
    "occupancy-registers",
    "occupancy-shared-memory",
    "phases",
    "roofline",
    "sectors",
    "speed-of-light",
    "stalls",
    "wavefronts",
];

/// The block of a chart; `None` where there is none, or the page goes without charts.
pub(super) fn placed(heading: &Heading, chart: Option<Chart>) -> Option<Block> {
    let chart = chart.filter(|_| !heading.is_without_charts)?;
    let file = format!("{}/{}.svg", heading.stem(), chart.id);
    Some(Block { name: chart.id.clone(), content: Content::Chart(Box::new(Chart { file, ..chart })) })
}
