//! The lines under the title: which kernel, what work, where it ran, and what sets the two sides apart.

use super::benchmark;
use super::escape;
use super::page::Heading;
use crate::analysis::{Audit, Setting, Standing, Weight};

/// The lines, each inline Markdown.
pub(super) fn lines(heading: &Heading, audit: &Audit) -> Vec<String> {
    let mut lines = Vec::new();
    if audit.standing() == Standing::Wrong {
        let faults = audit.faults().iter().map(|fault| escape::text(fault)).collect::<Vec<_>>().join("; ");
        lines.push(format!("**WRONG:** {faults}. This page gives no verdict on performance."));
    }
    let kernel = &audit.new.kernel;
    let mut what = format!("**{}:** {}", workload(audit), escape::code(kernel.short_name()));
    if !heading.title.is_empty() {
        what += &format!(" — {}", escape::text(&heading.title));
    }
    if !heading.commit.is_empty() {
        what += &format!(" · commit {}", escape::code(&heading.commit));
    }
    lines.push(what);
    if let Some(old) = &audit.old {
        let mut against = format!(
            "**Compared with:** {} of {}",
            escape::code(old.kernel.short_name()),
            escape::code(&old.origin.path)
        );
        if !heading.change.is_empty() {
            against += &format!(" · change: {}", escape::text(&heading.change));
        }
        if !heading.baseline.is_empty() {
            against += &format!(" · {}", escape::text(&heading.baseline));
        }
        lines.push(against);
    } else {
        let why = if heading.baseline.is_empty() { "No baseline was given." } else { &heading.baseline };
        lines.push(format!("**Compared with:** nothing. {} This page says nothing about progress.", escape::text(why)));
    }
    let work: Vec<String> =
        [&audit.work.shape, &audit.work.types].into_iter().filter(|w| !w.is_empty()).map(|w| escape::text(w)).collect();
    if !work.is_empty() {
        lines.push(format!("**Work:** {}", work.join(" · ")));
    }
    lines.extend(benchmark::lead(audit));
    lines.push(format!("**Measured on:** {}", measured_on(audit)));
    lines.extend(comparability(audit));
    if let Some(damage) = audit.new.damage.first().or(audit.old.as_ref().and_then(|old| old.damage.first())) {
        lines.push(format!("**Incomplete evidence:** {}", escape::text(&damage.what)));
    }
    lines
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
    parts.extend(value("gpu").map(escape::text));
    parts.extend(value("sm-count").map(|n| format!("{n} SMs")));
    parts.extend(value("driver").map(|v| format!("driver {}", escape::text(v))));
    parts.extend(value("cuda").map(|v| format!("CUDA {}", escape::text(v))));
    parts.extend(value("ncu").map(|v| format!("ncu {}", escape::text(v))));
    parts.extend(value("clock-control").map(|v| format!("clock control: {}", escape::text(v))));
    parts.extend(value("passes").map(|v| format!("{v} passes")));
    if parts.is_empty() { "the report does not say".into() } else { parts.join(" · ") }
}

/// What sets the two sides apart, in one line.
fn comparability(audit: &Audit) -> Option<String> {
    let old = audit.old.as_ref()?;
    let differing = |weight: Weight| audit.settings.iter().filter(move |s| s.weight == weight && s.differs());
    let list = |weight: Weight| {
        let words: Vec<String> = differing(weight)
            .map(|s| {
                let (old, new) = (s.old.as_deref().unwrap_or_default(), s.new.as_deref().unwrap_or_default());
                format!("{} ({} → {})", s.label, escape::text(old), escape::text(new))
            })
            .collect();
        words.join(", ")
    };
    let (breaks, weakens) = (list(Weight::Breaks), list(Weight::Weakens));
    let verdict = match (breaks.is_empty(), weakens.is_empty()) {
        (false, _) => format!(
            "**not comparable in time**: {breaks}{}",
            if weakens.is_empty() { String::new() } else { format!("; also {weakens}") }
        ),
        (true, false) => format!("same conditions except {weakens}; small differences in time may come from that"),
        (true, true) => "same GPU, tools, clocks and settings on both sides".into(),
    };
    let free = setting(audit, "clock-control").is_some_and(|s| s.new.as_deref().is_some_and(|v| v.ends_with("free")));
    let clocks = if free { " Clocks were free to move: prefer cycles over time." } else { "" };
    let is_same_file = !old.origin.blake3.is_empty() && audit.new.origin.blake3 == old.origin.blake3;
    let same_file = if is_same_file { " Both sides come from one file." } else { "" };
    Some(format!("**Comparability:** {verdict}.{clocks}{same_file}"))
}
