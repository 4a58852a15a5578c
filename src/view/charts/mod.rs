//! Charts as data: what is drawn, with finished labels and a sentence that says the same in words.
//!
//! A file for each kind of chart; each takes an audit and gives a [`Chart`], or nothing where the table beside it says as
//! much. No coordinates, no colours: those are `render/svg`.

mod axis;
mod bars;
mod history;
mod model;
mod occupancy;
mod over_time;
mod phases;
mod placed;
mod roofline;

pub(crate) use history::chart as history_chart;
pub use model::{Axis, Bar, BarRow, Bars, CHARTS, Chart, Curve, Figure, Mark, Plot, Shade, Shape, Tick};
pub(crate) use model::{Panel, Series};

pub(super) use bars::{memory, speed_of_light, stalls};
pub(super) use history::{of_page as history, times};
pub(super) use occupancy::charts as occupancy;
pub(super) use over_time::chart as over_time;
pub(super) use phases::chart as phases;
pub(super) use placed::placed;
pub(super) use roofline::chart as roofline;
