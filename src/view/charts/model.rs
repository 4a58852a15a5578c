//! The parts of a chart.

/// Ids of all charts, which are also the names of their files.
pub const CHARTS: [&str; 9] = [
    "history",
    "memory",
    "occupancy-registers",
    "occupancy-shared-memory",
    "over-time",
    "phases",
    "roofline",
    "speed-of-light",
    "stalls",
];

/// A chart: a figure and the words that stand for it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Chart {
    /// Stable id, one of [`CHARTS`].
    pub id: String,
    pub title: String,
    /// Basis and unit of the numbers; plain text.
    pub subtitle: String,
    /// What the numbers say, for readers who do not see the figure; plain text.
    pub message: String,
    /// Path of its file, relative to the page.
    pub file: String,
    pub figure: Figure,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Figure {
    Bars(Bars),
    Plot(Plot),
    Series(Series),
}

/// Shares of peaks over the time of a launch, one panel for each side on one scale of time.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Series {
    /// What the levels are called, in the order of their looks.
    pub legend: Vec<String>,
    pub ticks: Vec<Tick>,
    /// The right end of that axis, in the unit of its marks.
    pub until: f64,
    /// The unit of time, `µs`.
    pub unit: String,
    pub panels: Vec<Panel>,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Panel {
    /// Which side; empty for the only one.
    pub title: String,
    /// Where the launch ends, on the scale of [`Series::until`].
    pub end: f64,
    /// Stretches that are set off: from, until, what they are.
    pub stretches: Vec<(f64, f64, String)>,
    /// Levels in percent at equal distances from 0 to `end`: the place in the legend, and the points.
    pub levels: Vec<(usize, Vec<u8>)>,
}

/// The role of a colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Shade {
    Old,
    /// The new side, or the only one.
    New,
    /// What it is held against.
    Reference,
    Excess,
    /// A bound: ceilings, curves of what is possible.
    #[default]
    Bound,
    /// Nothing: the stretch in front of a bar that begins later.
    Gap,
}

/// Horizontal bars, one row for each thing.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Bars {
    /// What the shades stand for; empty where there is one.
    pub legend: Vec<(Shade, String)>,
    /// Whether the bars of a row follow one another on one line; else they stand below one another.
    pub is_stacked: bool,
    /// The right end of the axis.
    pub until: f64,
    pub ticks: Vec<Tick>,
    /// Rows from top to bottom.
    pub rows: Vec<BarRow>,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct BarRow {
    pub label: String,
    pub bars: Vec<Bar>,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Bar {
    pub shade: Shade,
    /// Length, on the scale of [`Bars::until`].
    pub value: f64,
    /// The number as the table writes it; empty for a bar that is labelled by its row's last one.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Tick {
    pub at: f64,
    /// Its label; may be empty.
    pub text: String,
}

/// An axis. All of its numbers are finite, `from` lies below `until`, and above 0 on a logarithmic one.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Axis {
    /// Quantity and unit.
    pub title: String,
    /// Whether equal factors are equal lengths.
    pub is_log: bool,
    pub from: f64,
    pub until: f64,
    pub ticks: Vec<Tick>,
}

/// The form of a mark: tells marks apart without colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    #[default]
    Disc,
    Square,
    Triangle,
    Diamond,
}

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Curve {
    pub shade: Shade,
    /// Written along its end; may be empty.
    pub label: String,
    pub points: Vec<(f64, f64)>,
    pub is_dashed: bool,
}

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Mark {
    pub shade: Shade,
    pub shape: Shape,
    pub x: f64,
    pub y: f64,
    /// Written beside it; may be empty.
    pub label: String,
    /// Its line in the legend; empty for none.
    pub legend: String,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Plot {
    pub x: Axis,
    pub y: Axis,
    pub curves: Vec<Curve>,
    pub marks: Vec<Mark>,
}
