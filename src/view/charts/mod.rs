//! Charts as data: what is drawn, with finished labels and a sentence that says the same in words.
//!
//! One file for each chart; each takes an audit and gives a [`Chart`], or nothing where the table beside it says as
//! much. No coordinates, no colours: those are `render/svg`.

mod axis;
mod history;
mod memory;
mod model;
mod occupancy;
mod over_time;
mod phases;
mod placed;
mod roofline;
mod speed_of_light;
mod stalls;

pub(crate) use history::chart as history_chart;
pub use model::{Axis, Bar, BarRow, Bars, CHARTS, Chart, Curve, Figure, Mark, Plot, Shade, Shape, Tick};
pub(crate) use model::{Panel, Series};

pub(super) use history::{of_page as history, times};
pub(super) use memory::chart as memory;
pub(super) use occupancy::charts as occupancy;
pub(super) use over_time::chart as over_time;
pub(super) use phases::chart as phases;
pub(super) use placed::placed;
pub(super) use roofline::chart as roofline;
pub(super) use speed_of_light::chart as speed_of_light;
pub(super) use stalls::chart as stalls;
