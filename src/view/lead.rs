//! Lines under a title: which kernel, what work, where it ran.

use super::document::Line;
use super::faults::faults;
use super::heading::Heading;
use crate::analysis::{Audit, Standing, Work};
use crate::words;

/// What the kernels of a page have in common: where they ran, and what of the report is damaged.
pub(super) fn lines(audit: &Audit) -> Vec<Line> {
    let mut lines = Vec::new();
    if audit.standing() == Standing::Wrong {
        let faults = faults(audit).join("; ");
        lines.push(Line::new("wrong", words!("**WRONG:** {}. This page gives no verdict on performance.", faults)));
    }
    lines.push(Line::new("measured-on", words!("**Measured on:** {}", measured_on(audit))));
    if let Some(damage) =
        audit.now.artefact.damage.first().or(audit.before.as_ref().and_then(|old| old.artefact.damage.first()))
    {
        lines.push(Line::new("incomplete", words!("**Incomplete evidence:** {}", &damage.what)));
    }
    lines
}

/// What the page is about.
pub(super) fn kernel_line(heading: &Heading, what: &str, kernel: &str) -> Line {
    let mut words = words!("**{}:** `{}`", what, kernel);
    if !heading.title.is_empty() {
        words.push(format!(" — {}", heading.title));
    }
    if !heading.commit.is_empty() {
        words.push(words!(" · commit `{}`", &heading.commit));
    }
    Line::new("kernel", words)
}

/// The stated work; `None` where none is.
pub(super) fn work(work: &Work) -> Option<Line> {
    let stated: Vec<&str> = [work.shape.as_str(), &work.types].into_iter().filter(|words| !words.is_empty()).collect();
    (!stated.is_empty()).then(|| Line::new("work", words!("**Work:** {}", stated.join(" · "))))
}

fn measured_on(audit: &Audit) -> String {
    let value = |id: &str| audit.settings.iter().find(|setting| setting.id == id)?.new.as_deref();
    let mut parts = Vec::new();
    parts.extend(value("gpu").map(str::to_owned));
    parts.extend(value("sm-count").map(|n| format!("{n} SMs")));
    parts.extend(value("driver").map(|v| format!("driver {v}")));
    parts.extend(value("cuda").map(|v| format!("CUDA {v}")));
    parts.extend(value("ncu").map(|v| format!("ncu {v}")));
    parts.extend(value("clock-control").map(|v| format!("clock control: {v}")));
    parts.extend(value("passes").map(|v| format!("{v} passes")));
    if parts.is_empty() { "the report does not say".into() } else { parts.join(" · ") }
}
