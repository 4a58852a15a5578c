//! The readings of all sides as JSON: one table of columns of one length, so that a query needs nothing of ours. `metric` and `unit`
//! name the rows; each side has `median`, and where a kernel was launched more than once `min`, `max`, `n` and the numbers of single
//! launches in `each`. `others` has the medians of the report's other kernels, in the order of the profile's `others`.

use crate::analysis::kernel::readings::{Found, KeptMetric, Readings, median_of_sorted};
use crate::analysis::{Evidence, Reference, Side};
use crate::quantity::Unit;
use arcstr::ArcStr;
use std::collections::{BTreeMap, HashMap};

#[derive(serde::Serialize, serde::Deserialize)]
struct EvidenceJson {
    readings: Table,
    new: Side,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    old: Option<Side>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reference: Option<Reference>,
}

impl serde::Serialize for Evidence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        EvidenceJson::from(self.clone()).serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Evidence {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Evidence, D::Error> {
        EvidenceJson::deserialize(deserializer).map(Evidence::from)
    }
}

#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Table {
    metric: Vec<ArcStr>,
    unit: Vec<Unit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    new: Option<Columns>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    old: Option<Columns>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reference: Option<Columns>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<Columns>,
}

/// The numbers of one side; a row without any is a metric that the side does not hold, unless a list below names it.
#[derive(Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
struct Columns {
    median: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    min: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    max: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    n: Vec<usize>,
    /// By row; `null` for a launch without a number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    each: BTreeMap<usize, Vec<Option<f64>>>,
    /// Rows that hold nothing but NaN.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_a_number: Vec<usize>,
    /// Rows that are held and have no number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    no_number: Vec<usize>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    opcodes: BTreeMap<ArcStr, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    with_modifiers: Option<BTreeMap<ArcStr, f64>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    curves: BTreeMap<ArcStr, Vec<(u64, f64)>>,
    /// Each counter by its row, or by name where no row has it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    breakdowns: BTreeMap<ArcStr, Vec<Listed>>,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum Listed {
    Row(usize),
    Name(ArcStr),
}

/// The rows of a table while it is made.
#[derive(Default)]
struct Rows {
    all: Vec<(ArcStr, Unit)>,
    at: HashMap<(ArcStr, Unit), usize>,
}

impl Rows {
    fn place(&mut self, name: ArcStr, unit: Unit) -> usize {
        let next = self.all.len();
        let at = *self.at.entry((name.clone(), unit)).or_insert(next);
        if at == next {
            self.all.push((name, unit));
        }
        at
    }

    fn columns(&mut self, readings: Readings) -> Columns {
        let Readings { metrics, opcodes, with_modifiers, curves, breakdowns } = readings;
        let mut columns = Columns { opcodes, with_modifiers, curves, ..Columns::default() };
        // A metric that all launches agree on is one number; others have each.
        let each = metrics.iter().filter_map(|metric| match &metric.found {
            Found::Each(each) => Some(each.len()),
            _ => None,
        });
        let launches = each.max();
        let mut places: HashMap<ArcStr, usize> = HashMap::new();
        for KeptMetric { name, unit, found } in metrics {
            let at = self.place(name.clone(), unit);
            places.insert(name, at);
            let mut numbers: Vec<f64> = match &found {
                Found::Number(number) => vec![*number],
                Found::Each(each) => each.iter().copied().flatten().collect(),
                Found::NotANumber | Found::NoNumber => Vec::new(),
            };
            numbers.sort_by(f64::total_cmp);
            put(&mut columns.median, at, (!numbers.is_empty()).then(|| median_of_sorted(&numbers)));
            if let Some(launches) = launches {
                put(&mut columns.min, at, numbers.first().copied());
                put(&mut columns.max, at, numbers.last().copied());
                put(&mut columns.n, at, if matches!(found, Found::Number(_)) { launches } else { numbers.len() });
            }
            match found {
                Found::Number(_) => {}
                Found::Each(each) => drop(columns.each.insert(at, each)),
                Found::NotANumber => columns.not_a_number.push(at),
                Found::NoNumber => columns.no_number.push(at),
            }
        }
        let counter = |name: &str| places.get(name).map_or_else(|| Listed::Name(name.into()), |at| Listed::Row(*at));
        let list = |(name, list): (ArcStr, ArcStr)| (name, list.split(',').map(counter).collect());
        columns.breakdowns = breakdowns.into_iter().map(list).collect();
        columns
    }
}

/// Puts a value into a column at a row; rows before it that have none get the default.
fn put<T: Default + Clone>(column: &mut Vec<T>, at: usize, value: T) {
    if column.len() <= at {
        column.resize(at + 1, T::default());
    }
    column[at] = value;
}

impl From<Evidence> for EvidenceJson {
    fn from(evidence: Evidence) -> EvidenceJson {
        let Evidence { mut new, mut old, mut reference } = evidence;
        let mut rows = Rows::default();
        let own = |side: &mut Side| side.profile.as_mut().map(|profile| std::mem::take(&mut profile.readings));
        let mut readings = Table {
            new: own(&mut new).map(|readings| rows.columns(readings)),
            old: old.as_mut().and_then(own).map(|readings| rows.columns(readings)),
            reference: reference.as_mut().map(|one| rows.columns(std::mem::take(&mut one.profile.readings))),
            ..Table::default()
        };
        let others = new.profile.iter_mut().flat_map(|profile| &mut profile.others);
        readings.others = others.map(|other| rows.columns(std::mem::take(&mut other.readings))).collect();
        (readings.metric, readings.unit) = rows.all.into_iter().unzip();
        let length = readings.metric.len();
        let sides = [&mut readings.new, &mut readings.old, &mut readings.reference].into_iter().flatten();
        for columns in sides.chain(&mut readings.others) {
            columns.median.resize(length, None);
            if !columns.n.is_empty() {
                columns.min.resize(length, None);
                columns.max.resize(length, None);
                columns.n.resize(length, 0);
            }
        }
        EvidenceJson { readings, new, old, reference }
    }
}

impl From<EvidenceJson> for Evidence {
    fn from(json: EvidenceJson) -> Evidence {
        let EvidenceJson { readings: table, mut new, mut old, mut reference } = json;
        let Table { metric, unit, .. } = table;
        let rows: Vec<(ArcStr, Unit)> = metric.into_iter().zip(unit).collect();
        let others = new.profile.iter_mut().flat_map(|profile| &mut profile.others);
        for (other, columns) in others.zip(table.others) {
            other.readings = columns.readings(&rows);
        }
        let profiles = [
            (new.profile.as_mut(), table.new),
            (old.as_mut().and_then(|old| old.profile.as_mut()), table.old),
            (reference.as_mut().map(|reference| &mut reference.profile), table.reference),
        ];
        for (profile, columns) in profiles {
            if let (Some(profile), Some(columns)) = (profile, columns) {
                profile.readings = columns.readings(&rows);
            }
        }
        Evidence { new, old, reference }
    }
}

impl Columns {
    fn readings(self, rows: &[(ArcStr, Unit)]) -> Readings {
        let Columns { median, mut each, not_a_number, no_number, opcodes, with_modifiers, curves, breakdowns, .. } =
            self;
        let metric = |(at, (name, unit)): (usize, &(ArcStr, Unit))| {
            let found = match (each.remove(&at), median.get(at).copied().flatten()) {
                (Some(each), _) => Found::Each(each),
                (None, Some(number)) => Found::Number(number),
                (None, None) if not_a_number.contains(&at) => Found::NotANumber,
                (None, None) if no_number.contains(&at) => Found::NoNumber,
                (None, None) => return None,
            };
            Some(KeptMetric { name: name.clone(), unit: *unit, found })
        };
        let mut metrics: Vec<KeptMetric> = rows.iter().enumerate().filter_map(metric).collect();
        metrics.sort_by(|a, b| a.name.cmp(&b.name));
        let name = |counter: Listed| match counter {
            Listed::Row(at) => rows.get(at).map(|row| row.0.clone()).unwrap_or_default(),
            Listed::Name(name) => name,
        };
        let list = |counters: Vec<Listed>| counters.into_iter().map(name).collect::<Vec<_>>().join(",").into();
        let breakdowns = breakdowns.into_iter().map(|(name, counters)| (name, list(counters))).collect();
        Readings { metrics, opcodes, with_modifiers, curves, breakdowns }
    }
}
