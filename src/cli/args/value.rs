//! Values of flags from their text; what is wrong says what was expected.

use crate::analysis::{Expectation, Severity};
use crate::catalog::{self, Threshold};
use crate::collect::METRIC_SETS;
use crate::config::SubjectName;
use crate::nearest::did_you_mean;
use crate::render::{Override, TEMPLATES};
use chrono::NaiveDate;
use regex::Regex;
use serde::Deserialize;
use serde::de::IntoDeserializer;

/// A built-in template and the file in its place.
pub(super) fn template_file(text: &str) -> Result<Override, String> {
    let (name, file) = text.split_once('=').ok_or("expected NAME=FILE, such as pr=my/pr.md.hbs")?;
    if !TEMPLATES.contains(&name) {
        return Err(format!("no template is called {name:?}{}", did_you_mean(name, TEMPLATES.iter().copied())));
    }
    Ok(Override { name: name.to_owned(), file: file.into() })
}

pub(super) fn subject(text: &str) -> Result<String, String> {
    text.parse().map(|name: SubjectName| name.to_string())
}

pub(super) fn date(text: &str) -> Result<NaiveDate, String> {
    text.parse().map_err(|_| format!("expected a day as YYYY-MM-DD, found {text:?}"))
}

/// An address of the web.
pub(super) fn address(text: &str) -> Result<String, String> {
    match text.starts_with("https://") || text.starts_with("http://") {
        true => Ok(text.trim_end_matches('/').to_owned()),
        false => Err(format!("expected an address that begins with https://, found {text:?}")),
    }
}

pub(super) fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim().parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err(format!("expected a number above 0, found {text:?}")),
    }
}

/// How grave a finding is.
pub(super) fn severity(text: &str) -> Result<Severity, String> {
    let word = IntoDeserializer::<serde::de::value::Error>::into_deserializer(text);
    Severity::deserialize(word).map_err(|error| error.to_string())
}

/// A threshold of the catalog and its number.
pub(super) fn threshold(text: &str) -> Result<(Threshold, f64), String> {
    let (id, number) = text.split_once('=').ok_or("expected ID=NUMBER, such as sol-high=75")?;
    let threshold = Threshold::named(id).map_err(|met| met.to_string())?;
    let value: f64 = number.parse().map_err(|_| format!("expected a number, found {number:?}"))?;
    threshold.accepts(value)?;
    Ok((threshold, value))
}

/// A threshold that timelines are judged with.
pub(super) fn timeline_threshold(text: &str) -> Result<(Threshold, f64), String> {
    let (threshold, value) = self::threshold(text)?;
    let id: &str = threshold.into();
    match id.strip_prefix("timeline-") {
        Some(_) => Ok((threshold, value)),
        None => Err(format!("{id:?} judges kernels; timelines know timeline-idle and timeline-kernel")),
    }
}

/// A checklist of the catalog.
pub(super) fn checklist(id: &str) -> Result<String, String> {
    let known = || catalog::checklists().iter().map(|profile| profile.id.as_str());
    match catalog::checklist(id) {
        Some(_) => Ok(id.to_owned()),
        None => Err(format!("no checklist is called {id:?}{}", did_you_mean(id, known()))),
    }
}

/// An expectation of a reading that a profile can tell.
pub(super) fn expectation(text: &str) -> Result<Expectation, String> {
    let expect: Expectation = text.parse()?;
    let name = catalog::check_reading(&expect.reading).map_err(|met| met.to_string())?;
    match name.form.is_of_change() {
        true => Err(format!("only a comparison tells {:?}; a hypothesis can name it", expect.reading)),
        false => Ok(expect),
    }
}

/// A chip or an architecture whose counters are listed.
pub(super) fn counters(word: &str) -> Result<&'static str, String> {
    let known = || crate::quantity::metric_table::CHIPS.map(str::to_uppercase).join(", ");
    catalog::counters_named(word)
        .ok_or_else(|| format!("no counters are listed for {word:?}; they are for {}", known()))
}

pub(super) fn regex(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| crate::config::regex_reason(&error))
}

/// The sets that `--set` takes.
pub(super) fn metric_set(name: &str) -> Result<String, String> {
    if METRIC_SETS.contains(&name) {
        return Ok(name.to_owned());
    }
    Err(format!("no set of metrics is called {name:?}; there are {}", METRIC_SETS.join(", ")))
}
