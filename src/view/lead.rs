//! The lines under the title: which kernel, what work, where it ran, and what sets the two sides apart.

use super::benchmark;
use super::document::Line;
use super::faults::faults;
use super::heading::Heading;
use crate::analysis::{Audit, Setting, Standing, Weight, Work, clocks_are_free};
use crate::words;
use crate::words::Words;

pub(super) fn lines(heading: &Heading, audit: &Audit) -> Vec<Line> {
    let mut lines = Vec::new();
    if audit.standing() == Standing::Wrong {
        let faults = faults(audit).join("; ");
        lines.push(Line::new("wrong", words!("**WRONG:** {}. This page gives no verdict on performance.", faults)));
    }
    let kernel = &audit.new.kernel;
    lines.push(kernel_line(heading, workload(audit), kernel.short_name()));
    lines.push(Line::new(
        "compared-with",
        if let Some(old) = &audit.old {
            let mut against = words!("**Compared with:** `{}` of `{}`", old.kernel.short_name(), &old.origin.path);
            if !heading.change.is_empty() {
                against.push(format!(" · change: {}", heading.change));
            }
            if !heading.baseline.is_empty() {
                against.push(format!(" · {}", heading.baseline));
            }
            against
        } else {
            let why = if heading.baseline.is_empty() {
                "No baseline was given, and there is no earlier audit."
            } else {
                &heading.baseline
            };
            words!("**Compared with:** nothing. {}", why)
        },
    ));
    lines.extend(heading.open().map(|words| Line::new("open", words)));
    lines.extend(work(&audit.work));
    lines.extend(benchmark::lead(audit).map(|words| Line::new("time", words)));
    lines.push(Line::new("measured-on", words!("**Measured on:** {}", measured_on(audit))));
    lines.extend(comparability(audit).map(|words| Line::new("comparability", words)));
    if let Some(damage) = audit.new.damage.first().or(audit.old.as_ref().and_then(|old| old.damage.first())) {
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

fn workload(audit: &Audit) -> &'static str {
    match audit.new.kernel.workload {
        crate::evidence::Workload::Kernel => "Kernel",
        crate::evidence::Workload::Range => "Range",
        crate::evidence::Workload::Cmdlist => "Command list",
        crate::evidence::Workload::Graph => "Graph",
    }
}

fn setting<'a>(audit: &'a Audit, id: &str) -> Option<&'a Setting> {
    audit.settings.iter().find(|s| s.id == id)
}

fn measured_on(audit: &Audit) -> String {
    let value = |id: &str| setting(audit, id).and_then(|s| s.new.as_deref());
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

/// What sets the two sides apart, in one line.
fn comparability(audit: &Audit) -> Option<Words> {
    let old = audit.old.as_ref()?;
    let differing = |weight: Weight| audit.settings.iter().filter(move |s| s.weight == weight && s.differs());
    let list = |weight: Weight| {
        let words: Vec<String> = differing(weight)
            .map(|s| {
                let (old, new) = (s.old.as_deref().unwrap_or_default(), s.new.as_deref().unwrap_or_default());
                format!("{} ({old} → {new})", s.label)
            })
            .collect();
        words.join(", ")
    };
    let (breaks, weakens) = (list(Weight::Breaks), list(Weight::Weakens));
    let verdict = match (breaks.is_empty(), weakens.is_empty()) {
        (false, _) => words!(
            "**not comparable in time**: {}{}",
            breaks,
            if weakens.is_empty() { String::new() } else { format!("; also {weakens}") }
        ),
        (true, false) => words!("same conditions except {}; small differences in time may come from that", weakens),
        (true, true) => {
            let is_other = |id: &str| setting(audit, id).is_some_and(Setting::differs);
            match is_other("metric-set") || is_other("passes") {
                true => "same GPU, tools and clocks on both sides, and other metrics".into(),
                false => "same GPU, tools, clocks and settings on both sides".into(),
            }
        }
    };
    let clocks = if clocks_are_free(&audit.settings) == Some(true) {
        " Clocks were free to move: prefer cycles over time."
    } else {
        ""
    };
    let is_same_file = !old.origin.blake3.is_empty() && audit.new.origin.blake3 == old.origin.blake3;
    let same_file = if is_same_file { " Both sides come from one file." } else { "" };
    Some(words!("**Comparability:** {}.{}{}", verdict, clocks, same_file))
}
