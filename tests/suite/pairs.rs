//! Pairs of the same work before and after one change, both measured: what the page of before expects of the change, what it allows at
//! most, and what came. `docs/evidence/pairs.md` is made here.

use crate::written::is_as_written;
use kernel_audit::catalog::{self, ForecastRow};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

#[derive(Deserialize)]
struct Listed {
    pair: Vec<Pair>,
}

/// One pair, as `tests/fixtures/pairs.toml` lists it.
#[derive(Deserialize)]
struct Pair {
    name: String,
    /// Under `tests/fixtures`, with the kernel of before.
    report: String,
    before: String,
    /// The codes of the action that the change is; the first is what was stated, the others say the same of other code.
    actions: Vec<String>,
    /// Milliseconds outside ncu, of before and after.
    times: [f64; 2],
    /// What leaves one pair out of the fit of the others: pairs of one source.
    family: String,
    /// Whether its author tried to gain; a change that was meant to lose says nothing of what one gives.
    #[serde(default = "yes")]
    expects_gain: bool,
    /// Whether the change is several rows at once: what it gave is neither what one of them expects nor what it allows.
    #[serde(default)]
    together: bool,
}

fn yes() -> bool {
    true
}

impl Pair {
    /// The part of the time of before that went, in percent.
    fn gained(&self) -> f64 {
        100.0 * (1.0 - self.times[1] / self.times[0])
    }
}

/// What the first row of a pair's page asks for, or another one, made by hand and measured beside the change of the pair.
#[derive(Deserialize)]
struct Alternative {
    pair: String,
    variant: String,
    /// The code of the row; `made` for the change of the pair, in the same run.
    action: String,
    /// The part of the time of before that went, in percent.
    gained: f64,
}

#[derive(Deserialize)]
struct Made {
    alternative: Vec<Alternative>,
}

static ALTERNATIVES: LazyLock<Vec<Alternative>> = LazyLock::new(|| {
    let text = std::fs::read_to_string(fixture("alternatives.toml")).unwrap();
    toml::from_str::<Made>(&text).unwrap().alternative
});

/// What an action gained on the kernel of a pair, where it was measured.
fn measured(pair: &str, action: &str) -> Option<f64> {
    let own = ALTERNATIVES.iter().find(|own| own.pair == pair && own.action == action)?;
    Some(own.gained)
}

static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(|| {
    let text = std::fs::read_to_string(fixture("pairs.toml")).unwrap();
    toml::from_str::<Listed>(&text).unwrap().pair
});

fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// A pair beside what the page of before says of its change.
struct Judged {
    pair: &'static Pair,
    /// The place of the change among the rows, from 1, with its row; `None` where no row names it.
    row: Option<(usize, Row)>,
    /// All rows.
    rows: Vec<Row>,
}

impl Judged {
    /// What the first row gained where somebody made it, in percent.
    fn first_gained(&self) -> Option<f64> {
        measured(&self.pair.name, &self.rows.first()?.code)
    }

    /// Whether the change is among the first rows, or the first row gains as much, both measured in one run.
    fn is_right(&self, rows: usize) -> bool {
        let as_much = || Some(self.first_gained()? >= measured(&self.pair.name, "made")? - 2.0 * NOISE);
        self.row.as_ref().is_some_and(|(at, _)| *at <= rows) || as_much().unwrap_or(false)
    }
}

#[derive(Clone, Deserialize)]
pub(crate) struct Row {
    pub(crate) code: String,
    origin: String,
    pub(crate) bound: Option<f64>,
    pub(crate) expected: Option<f64>,
}

impl Row {
    /// Whether it is no estimate of NVIDIA's.
    pub(crate) fn is_ours(&self) -> bool {
        self.origin == "audit"
    }
}

#[derive(Deserialize)]
pub(crate) struct Dumped {
    pub(crate) launches: Vec<Launch>,
}

#[derive(Deserialize)]
pub(crate) struct Launch {
    pub(crate) name: String,
    pub(crate) levers: Vec<Row>,
    pub(crate) verdict: Verdict,
    pub(crate) findings: Vec<Finding>,
}

#[derive(Deserialize)]
pub(crate) struct Finding {
    pub(crate) code: String,
    pub(crate) sentence: String,
}

#[derive(Deserialize)]
pub(crate) struct Verdict {
    pub(crate) limiter: String,
}

/// A kernel of a pair's report, of before or after.
pub(crate) fn launch(name: &str) -> &'static Launch {
    let reports: BTreeSet<&str> = PAIRS.iter().map(|pair| pair.report.as_str()).collect();
    let mut launches = reports.into_iter().flat_map(|report| &dump(report).launches);
    launches
        .find(|launch| launch.name == name)
        .unwrap_or_else(|| panic!("no kernel {name} in the reports of the pairs"))
}

static JUDGED: LazyLock<Vec<Judged>> = LazyLock::new(|| {
    let judged = |pair: &'static Pair| {
        let launch = dump(&pair.report).launches.iter().find(|launch| launch.name == pair.before);
        let rows: Vec<&Row> = launch
            .unwrap_or_else(|| panic!("{}: no kernel {} in {}", pair.name, pair.before, pair.report))
            .levers
            .iter()
            .filter(|row| row.is_ours())
            .collect();
        let at = rows.iter().position(|row| pair.actions.contains(&row.code));
        let row = at.map(|at| (at + 1, rows[at].clone()));
        Judged { pair, row, rows: rows.into_iter().cloned().collect() }
    };
    PAIRS.iter().map(judged).collect()
});

/// A report under `tests/fixtures`, judged once for all tests.
pub(crate) fn dump(report: &str) -> &'static Dumped {
    static DUMPED: Mutex<BTreeMap<String, &'static Dumped>> = Mutex::new(BTreeMap::new());
    let mut dumped = DUMPED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = dumped.get(report) {
        return known;
    }
    let mut audit = Command::new(env!("CARGO_BIN_EXE_audit"));
    let done = audit.args(["dump", "analysis"]).arg(fixture(report)).output().unwrap();
    assert!(done.status.success(), "{report}: {}", String::from_utf8_lossy(&done.stderr));
    let new: &'static Dumped = Box::leak(Box::new(serde_json::from_slice(&done.stdout).unwrap()));
    dumped.insert(report.into(), new);
    new
}

/// A gain from which a change is one, in percent.
const GAIN: f64 = 5.0;
/// What times of one build differ by from run to run, in percent.
const NOISE: f64 = 1.0;
/// The most points that the median interval may be wide.
const WIDEST: f64 = 30.0;
/// The part of the pairs of a class that its interval holds: the narrowest with which four of five of those left out fall inside.
const HELD: f64 = 0.84;

/// A row whose change was made, with what it gained, in percent; pairs of one source are a family.
struct Outcome {
    family: &'static str,
    name: &'static str,
    row: &'static Row,
    gained: f64,
}

/// The change of every pair that a row names, and what was made beside them.
static OUTCOMES: LazyLock<Vec<Outcome>> = LazyLock::new(|| {
    let of_pair = |one: &'static Judged| {
        let (_, row) = one.row.as_ref().filter(|_| one.pair.expects_gain && !one.pair.together)?;
        Some(Outcome { family: &one.pair.family, name: &one.pair.name, row, gained: one.pair.gained() })
    };
    let beside = |own: &'static Alternative| {
        let judged = JUDGED.iter().find(|judged| judged.pair.name == own.pair).filter(|_| own.action != "made")?;
        let row = judged.rows.iter().find(|row| row.code == own.action)?;
        Some(Outcome { family: &judged.pair.family, name: &own.variant, row, gained: own.gained })
    };
    JUDGED.iter().filter_map(of_pair).chain(ALTERNATIVES.iter().filter_map(beside)).collect()
});

/// The interval of a class: of all that hold [`HELD`] of its changes, the one that is narrowest on their mean; the family `without` is left
/// out.
fn fit(class: &'static str, without: Option<&str>) -> ForecastRow {
    let is_of = |one: &&Outcome| catalog::lever(&one.row.code).is_some_and(|row| row.class == class);
    let kept = OUTCOMES.iter().filter(is_of).filter(|one| Some(one.family) != without);
    let kept: Vec<(f64, f64, f64)> =
        kept.filter_map(|one| Some((one.row.expected?, one.row.bound?, one.gained))).collect();
    let mut powers: Vec<f64> =
        kept.iter().filter_map(|(expected, _, gained)| ForecastRow::power(*expected, *gained)).collect();
    powers.sort_by(f64::total_cmp);
    let pairs = u32::try_from(powers.len()).unwrap();
    let held = ((HELD * f64::from(pairs)).ceil() as usize).max(1);
    let windows = powers.windows(held).map(|own| ForecastRow {
        class,
        least: (100.0 * own[0]).floor() / 100.0,
        most: (100.0 * own[held - 1]).ceil() / 100.0,
        pairs,
    });
    let width = |row: &ForecastRow| {
        kept.iter()
            .map(|(expected, bound, _)| row.interval(*expected, *bound))
            .map(|[low, high]| high - low)
            .sum::<f64>()
    };
    let narrowest = windows.min_by(|one, other| width(one).total_cmp(&width(other)));
    narrowest.unwrap_or(ForecastRow { class, least: 0.0, most: 0.0, pairs })
}

#[test]
fn forecasts_are_what_the_pairs_give() {
    let text = |rows: &[ForecastRow]| -> String {
        let row = |row: &ForecastRow| {
            let ForecastRow { class, least, most, pairs } = row;
            format!("[[forecast]]\nclass = \"{class}\"\nleast = {least:?}\nmost = {most:?}\npairs = {pairs}\n\n")
        };
        rows.iter().map(row).collect()
    };
    let given: Vec<ForecastRow> = catalog::forecasts().iter().map(|row| fit(row.class, None)).collect();
    assert_eq!(
        text(catalog::forecasts()),
        text(&given),
        "crates/kernel-judgement/src/catalog/forecasts.toml is not what the pairs give"
    );
}

#[test]
fn no_ceiling_is_broken() {
    let all = OUTCOMES.iter().filter_map(|one| Some((one.name, one.row.bound?, one.gained)));
    let broken: Vec<(&str, f64, f64)> = all.filter(|(_, bound, gained)| *gained > bound + NOISE).collect();
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
fn the_page_of_before_against_what_came() {
    let mut text = String::from(
        "| pair | saved | the change | its row | expected, by the other families | ceiling | inside | first row |\n| --- | ---: | --- | ---: | ---: | ---: | --- | --- |\n",
    );
    let (mut inside, mut forecasts, mut widths) = (0, 0, Vec::new());
    for one in JUDGED.iter() {
        let pair = one.pair;
        let class = |code: &str| catalog::lever(code).map_or("", |row| row.class);
        let interval = one.row.as_ref().filter(|_| !pair.together).and_then(|(_, row)| {
            let fit = fit(class(&row.code), Some(&pair.family));
            let (expected, bound) = (row.expected?, row.bound?);
            (fit.pairs >= 5).then(|| fit.interval(expected, bound))
        });
        let is_inside = interval.map(|[low, high]| (low - NOISE..=high + NOISE).contains(&pair.gained()));
        forecasts += usize::from(interval.is_some());
        inside += usize::from(is_inside == Some(true));
        widths.extend(interval.map(|[low, high]| high - low));
        let place = one.row.as_ref().map_or("none".to_owned(), |(at, _)| at.to_string());
        let said = interval.map_or_else(String::new, |[low, high]| format!("{low:.0} to {high:.0} %"));
        let bound =
            one.row.as_ref().and_then(|(_, row)| row.bound).map_or_else(String::new, |bound| format!("≤ {bound:.1} %"));
        let gained = one.first_gained().map_or_else(String::new, |gained| format!(", {gained:.1} %"));
        let first = one.rows.first().map_or("none".to_owned(), |row| format!("`{}`{gained}", row.code));
        let held = is_inside.map_or("", |held| if held { "yes" } else { "no" });
        writeln!(
            text,
            "| {} | {:.1} % | `{}` | {place} | {said} | {bound} | {held} | {first} |",
            pair.name,
            pair.gained(),
            pair.actions[0]
        )
        .unwrap();
    }
    widths.sort_by(f64::total_cmp);
    let width = widths.get(widths.len() / 2).copied().unwrap_or_default();
    assert!(10 * inside >= 8 * forecasts, "{inside} of {forecasts} came as forecast");
    assert!(width <= WIDEST, "the median interval is {width:.1} points wide");
    let gains: Vec<&Judged> = JUDGED.iter().filter(|one| one.pair.gained() >= GAIN).collect();
    let among = |rows: usize| gains.iter().filter(|one| one.row.as_ref().is_some_and(|(at, _)| *at <= rows)).count();
    let right = |rows: usize| gains.iter().filter(|one| one.is_right(rows)).count();
    assert!(10 * right(1) >= 8 * gains.len(), "the first row is right on {} of {}", right(1), gains.len());
    writeln!(
        text,
        "\nOf {} pairs that gain {GAIN} % or more the change is the first row in {}, among the first two in {}; counting first rows that somebody made and that gained as much, {} and {}. What came lies inside the interval, fitted without its own family, on {inside} of {forecasts}; the median interval is {:.0} points wide.",
        gains.len(),
        among(1),
        among(2),
        right(1),
        right(2),
        width
    )
    .unwrap();
    println!("{text}");
    is_as_written(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/evidence/pairs.md"), &text);
}
