//! Readings by name as JSON: `[name, value, unit]` for the number of the metric of that name, else `[name, reading]`.

use crate::evidence::{Measured, Provenance, Reading};
use crate::quantity::{Quantity, Unit};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Named {
    Number(String, f64, Unit),
    Reading(String, Reading),
}

/// Whether a reading is its metric's number and nothing more.
fn is_plain(name: &str, measured: &Measured) -> bool {
    let Measured { spread, from: Provenance { metrics, formula, alias_of }, .. } = measured;
    spread.is_none()
        && formula.is_empty()
        && alias_of.is_none()
        && matches!(metrics.as_slice(), [only] if **only == *name)
}

pub(in crate::analysis) fn serialize<S: Serializer>(
    readings: &[(String, Reading)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(readings.iter().map(|(name, reading)| match reading {
        Reading::Measured(measured) if is_plain(name, measured) => {
            Named::Number(name.clone(), measured.quantity.value(), measured.quantity.unit())
        }
        reading => Named::Reading(name.clone(), reading.clone()),
    }))
}

pub(in crate::analysis) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<(String, Reading)>, D::Error> {
    let named = |named| match named {
        Named::Number(name, value, unit) => {
            let number = |quantity| Reading::measured(quantity, &name.as_str().into());
            let reading = Quantity::new(value, unit).map_or_else(|| Reading::not_collected(&name), number);
            (name, reading)
        }
        Named::Reading(name, reading) => (name, reading),
    };
    Ok(Vec::<Named>::deserialize(deserializer)?.into_iter().map(named).collect())
}
