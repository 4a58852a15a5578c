//! The source view: code line by line with its costs, and the instructions beside it.

use super::walk::{line, opening, words};
use crate::render::sink::glued;
use crate::render::xml;
use crate::view::{CodeRow, CostText, SourceText};

/// Name and title of the view's section.
pub(in crate::render) const SOURCE: (&str, &str) = ("source-view", "Source view");

/// The section; `None` where a page has no source view.
pub(in crate::render) fn source_view(source: &SourceText) -> Option<String> {
    if source.note.is_empty() {
        return None;
    }
    let lines = source.files.iter().map(|file| {
        let rows = file.rows.iter().map(|of| {
            let [samples, sectors, excess, executed, waits] = costs(&of.cost);
            let old = if source.has_old { number("old", &of.cost.old.1, &of.cost.old.0) } else { String::new() };
            row(of, [old, samples, sectors, excess, code(of), executed, waits])
        });
        let head = ["Line", "Old", "Samples", "Sectors", "Excess", &file.name, "Executed", "Waits for"];
        let head: Vec<&str> = head.into_iter().filter(|title| source.has_old || *title != "Old").collect();
        table(&file.name, &head, rows)
    });
    let lines: String = lines.collect();
    let instructions = source.code.iter().map(|of| {
        let [samples, sectors, excess, executed, waits] = costs(&of.cost);
        row(of, [samples, code(of), sectors, excess, executed, waits])
    });
    let instructions = match source.code.is_empty() {
        true => String::new(),
        false => {
            let head = ["Offset", "Samples", "SASS", "Sectors", "Excess", "Executed", "Waits for"];
            pane("Instructions", &table("instructions", &head, instructions))
        }
    };
    let one = if source.code.is_empty() { " one" } else { "" };
    let (id, title) = SOURCE;
    let lines = pane("Source lines", &lines);
    let inner = format!("<p>{}</p>\n<div class=\"panes{one}\">\n{lines}{instructions}</div>", words(&source.note));
    Some(opening(id, title, &inner))
}

fn pane(label: &str, inner: &str) -> String {
    format!("<div class=\"pane\" tabindex=\"0\" aria-label=\"{label}\">\n{inner}</div>\n")
}

const NUMBERS: [&str; 5] = ["Old", "Samples", "Sectors", "Excess", "Executed"];

/// A table of this name, by which it is saved.
fn table(name: &str, head: &[&str], rows: impl Iterator<Item = String>) -> String {
    let title = |title: &&str| {
        let class = if NUMBERS.contains(title) { " class=\"number\"" } else { "" };
        format!("<th{class} scope=\"col\">{}</th>", line(title))
    };
    let (head, rows): (String, String) = (head.iter().map(title).collect(), rows.collect());
    format!(
        "<table class=\"lines\" data-table=\"{}\">\n<thead>\n<tr>{head}</tr>\n</thead>\n<tbody>\n{rows}</tbody>\n</table>\n",
        line(name)
    )
}

fn row<const N: usize>(of: &CodeRow, cells: [String; N]) -> String {
    let (own, counts, at) = (line(&of.line), line(&of.cost.counts), line(&of.at));
    format!("<tr data-line=\"{own}\" data-counts=\"{counts}\"><td class=\"at\">{at}</td>{}</tr>\n", cells.concat())
}

fn code(of: &CodeRow) -> String {
    let callers = match of.callers.as_str() {
        "" => String::new(),
        callers => format!("<span class=\"from\">called at {}</span>", line(callers)),
    };
    format!("<td class=\"text\">{}{callers}</td>", xml::text(&of.text))
}

/// A cell of a number with the class of its kind and of its heat.
fn number(kind: &str, heat: &str, text: &str) -> String {
    let class = |name: &str, of: &str| if of.is_empty() { String::new() } else { format!(" {name}{}", line(of)) };
    format!("<td class=\"number{}{}\">{}</td>", class("", kind), class("h", heat), line(&glued(text)))
}

/// Samples, sectors, excess, executions and waits.
fn costs(cost: &CostText) -> [String; 5] {
    [
        number("", &cost.heat, &cost.samples),
        number("", "", &cost.sectors),
        number("", "", &cost.excess),
        number("", "", &cost.executed),
        format!("<td>{}</td>", line(&glued(&cost.waits))),
    ]
}
