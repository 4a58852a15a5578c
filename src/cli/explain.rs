//! `audit explain`: a name of the field in a paragraph.

use super::Failure;
use super::args::Explain;
use crate::catalog::{self, NameCheck};
use crate::render::{explain_view, terminal};
use std::io::Write;

pub(super) fn run(arguments: &Explain, out: &mut dyn Write) -> Result<(), Failure> {
    let name = arguments.name.join(" ");
    if name == "view" {
        write!(out, "{}", explain_view())?;
        return Ok(());
    }
    if let Some(rows) = catalog::list(&name) {
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        for (name, what) in rows {
            writeln!(out, "{name:width$}  {what}")?;
        }
        return Ok(());
    }
    if let Some(chip) = arguments.chip {
        return on_chip(&name, chip, out);
    }
    let Some(found) = catalog::explain(&name) else {
        let near = catalog::nearest(&name);
        let help = if near.is_empty() {
            "metrics, stall reasons, opcodes, thresholds, limiters, findings, levers and chips have explanations; `readings`, `thresholds`, `findings`, `levers` and `words` are lists".to_owned()
        } else {
            format!("near: {}", near.join(", "))
        };
        return Err(Failure::usage(format!("nothing is known about {:?}\n  help: {help}", name)));
    };
    let width = super::show::width(None);
    writeln!(out, "\x1b[1m{}\x1b[0m ({})", found.name, found.kind)?;
    if !found.label.is_empty() && found.label != found.name {
        writeln!(out, "{}", found.label)?;
    }
    writeln!(out)?;
    terminal::print_text(&found.text, width, out)?;
    if !found.facts.is_empty() {
        writeln!(out)?;
    }
    for fact in &found.facts {
        terminal::print_text(&format!("- {fact}"), width, out)?;
    }
    if !found.cite.is_empty() {
        writeln!(out)?;
        terminal::print_text(&format!("Source: {}", found.cite), width, out)?;
    }
    Ok(())
}

/// Says whether ncu has a metric on a chip; a name that it lacks is a wrong usage.
fn on_chip(name: &str, chip: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let check = catalog::check_metric_name(name, Some(chip));
    let says = match &check {
        NameCheck::Known => format!("{name} is a metric of {}", chip.to_uppercase()),
        NameCheck::NotListed => {
            format!(
                "{name} belongs to a family that is not listed by chip: only ncu on that chip shows whether it exists"
            )
        }
        _ => return Err(Failure::usage(check.sentence(name, Some(chip)))),
    };
    Ok(writeln!(out, "{says}")?)
}
