//! A chart on a page.

use super::Chart;
use crate::view::document::{Block, Content};
use crate::view::heading::Heading;

/// The block of a chart; `None` where there is none, or the page goes without charts.
pub(in crate::view) fn placed(heading: &Heading, chart: Option<Chart>) -> Option<Block> {
    let chart = chart.filter(|_| !heading.is_without_charts)?;
    let file = format!("{}/{}.svg", heading.stem(), chart.id);
    Some(Block { name: chart.id.clone(), content: Content::Chart(Box::new(Chart { file, ..chart })) })
}
