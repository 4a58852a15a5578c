//! A row as JSON: what both sides share is said once, and a side that has nothing else to say is its number.
//!
//! `{"id": "gpu__time_duration.sum", "label": "Duration", "better": "lower", "unit": "ns", "new": 615008.0, "old": 8837600.0}`
//! A label that is absent is the id, metrics that are absent are the id alone, and a direction that is absent is neutral.
//! A side with a spread, an older spelling or another origin is a [`Reading`] of its own, and so is one without a number.

use crate::analysis::kernel::row::Row;
use crate::catalog::Better;
use crate::evidence::{Measured, Provenance, Reading};
use crate::quantity::{Quantity, Unit};
use std::sync::Arc;

#[derive(serde::Serialize, serde::Deserialize)]
pub(in crate::analysis) struct RowJson {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    better: Option<Better>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unit: Option<Unit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metrics: Option<Vec<Arc<str>>>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    formula: Arc<str>,
    new: Side,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    old: Option<Side>,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum Side {
    Number(f64),
    Reading(Reading),
}

/// The origin and unit that a side which is a number has.
struct Shared {
    unit: Unit,
    from: Provenance,
}

impl Shared {
    fn side(&self, reading: Reading) -> Side {
        match reading {
            Reading::Measured(Measured { quantity, spread: None, from })
                if quantity.unit() == self.unit && from == self.from =>
            {
                Side::Number(quantity.value())
            }
            other => Side::Reading(other),
        }
    }

    fn reading(&self, side: Side) -> Reading {
        match side {
            Side::Number(value) => match Quantity::new(value, self.unit) {
                Some(quantity) => Reading::Measured(Measured { quantity, spread: None, from: self.from.clone() }),
                None => Reading::not_applicable("the number is not finite"),
            },
            Side::Reading(reading) => reading,
        }
    }
}

impl From<Row> for RowJson {
    fn from(row: Row) -> RowJson {
        let measured = [Some(&row.new), row.old.as_ref()].into_iter().flatten().find_map(|reading| match reading {
            Reading::Measured(measured) => Some(measured),
            Reading::Missing(_) => None,
        });
        let shared = measured.map(|measured| Shared {
            unit: measured.quantity.unit(),
            from: Provenance { alias_of: None, ..measured.from.clone() },
        });
        let is_own = |metrics: &[Arc<str>]| matches!(metrics, [only] if only.as_ref() == row.id);
        let side = |reading: Reading| match &shared {
            Some(shared) => shared.side(reading),
            None => Side::Reading(reading),
        };
        RowJson {
            label: (row.label != row.id).then_some(row.label),
            better: (row.better != Better::Neutral).then_some(row.better),
            unit: shared.as_ref().map(|shared| shared.unit).filter(|unit| *unit != Unit::NONE),
            metrics: shared.as_ref().map(|shared| shared.from.metrics.clone()).filter(|metrics| !is_own(metrics)),
            formula: shared.as_ref().map(|shared| shared.from.formula.clone()).unwrap_or_default(),
            new: side(row.new),
            old: row.old.map(side),
            id: row.id,
        }
    }
}

impl From<RowJson> for Row {
    fn from(json: RowJson) -> Row {
        let metrics = json.metrics.unwrap_or_else(|| vec![json.id.as_str().into()]);
        let shared = Shared {
            unit: json.unit.unwrap_or(Unit::NONE),
            from: Provenance { metrics, formula: json.formula, alias_of: None },
        };
        Row {
            label: json.label.unwrap_or_else(|| json.id.clone()),
            better: json.better.unwrap_or(Better::Neutral),
            new: shared.reading(json.new),
            old: json.old.map(|side| shared.reading(side)),
            id: json.id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Spread;

    fn written(row: &Row) -> String {
        let text = serde_json::to_string(row).expect("JSON");
        assert_eq!(serde_json::from_str::<Row>(&text).expect("a row"), *row, "{text}");
        text
    }

    #[test]
    fn what_both_sides_share_is_said_once_and_nothing_is_lost() {
        let of = |value: f64, metrics: &[&str], formula: &str| {
            let metrics = metrics.iter().map(|name| Arc::from(*name)).collect();
            Reading::derived(Quantity::new(value, Unit::PERCENT).expect("finite"), metrics, formula)
        };
        let plain = Row::derived("a__b.sum", "B", Better::Lower, of(0.1, &["a__b.sum"], ""), None);
        assert_eq!(written(&plain), r#"{"id":"a__b.sum","label":"B","better":"lower","unit":"%","new":0.1}"#);
        let both =
            Row::derived("x", "x", Better::Neutral, of(1.0, &["m", "n"], "m / n"), Some(of(2.0, &["m", "n"], "m / n")));
        let expected = r#"{"id":"x","unit":"%","metrics":["m","n"],"formula":"m / n","new":1.0,"old":2.0}"#;
        assert_eq!(written(&both), expected);
        let other = Row::derived("x", "x", Better::Neutral, of(1.0, &["x"], ""), Some(of(2.0, &["older"], "")));
        assert!(written(&other).contains(r#""new":1.0,"old":{"value":2.0,"#));
        let Reading::Measured(mut spread) = of(3.0, &["x"], "") else { unreachable!("it is measured") };
        spread.spread = Some(Spread { count: 2, min: 2.0, max: 4.0 });
        spread.from.alias_of = Some("x".into());
        for new in [Reading::Measured(spread), Reading::not_collected("x"), Reading::not_applicable("no")] {
            written(&Row::derived("x", "x", Better::Neutral, new.clone(), None));
            written(&Row::derived("x", "x", Better::Neutral, new, Some(of(5.0, &["x"], ""))));
        }
    }
}
