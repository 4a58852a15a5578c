//! The blocks of a page in HTML.

use crate::render::outline::is_safe_target;
use crate::render::sink::{Ink, Sink, glued, lines_of, one_line};
use crate::render::{svg, xml};
use crate::view::charts::{Chart, Figure};
use crate::view::{Align, Block, Column, Document, Section, Table, Tone};
use crate::words::Words;

struct Elements;

impl Ink for Elements {
    fn text(text: &str, _in_cell: bool) -> String {
        breakable(xml::text(&glued(text))).replace('\n', "<br>")
    }

    fn code(name: &str, _in_cell: bool) -> String {
        format!("<code>{}</code>", breakable(xml::text(name)))
    }

    fn strong(inner: String) -> String {
        format!("<strong>{inner}</strong>")
    }

    fn link(inner: String, target: &str) -> String {
        match is_safe_target(target) {
            true => format!("<a href=\"{}\" rel=\"noopener noreferrer\">{inner}</a>", xml::text(target)),
            false => inner,
        }
    }
}

/// Bytes of a word from which on it may be parted where a part of it ends: names of counters, files and kernels.
const LONG: usize = 18;

fn breakable(text: String) -> String {
    let part = |word: &str| match word.len() < LONG {
        true => word.to_owned(),
        false => ["_", "/", "::"].iter().fold(word.to_owned(), |word, end| word.replace(end, &format!("{end}<wbr>"))),
    };
    text.split_inclusive(char::is_whitespace).map(part).collect()
}

pub(in crate::render) fn line(plain: &str) -> String {
    xml::text(&one_line(plain))
}

pub(super) fn words(words: &Words) -> String {
    Elements::words(words, false)
}

pub(in crate::render) fn lead(document: &Document) -> String {
    document.lead.iter().map(|line| format!("<p>{}</p>", words(&line.words))).collect::<Vec<_>>().join("\n")
}

pub(in crate::render) fn blocks<'b>(blocks: impl IntoIterator<Item = &'b Block>) -> String {
    let mut page = Html::default();
    page.blocks(blocks);
    page.0.trim_end().to_owned()
}

/// A section with its heading; one with details opens by a click on it. Where the other tables stand is said of other pages than
/// this one, which has them.
pub(in crate::render) fn section(section: &Section, title: &str, is_detail: bool) -> String {
    let own = section.blocks.iter().filter(|block| block.name != "links");
    let (name, title, blocks) = (line(&section.name), line(title), blocks(own));
    if is_detail {
        opening(&name, &title, &blocks)
    } else {
        format!("<section id=\"{name}\">\n<h2>{title}</h2>\n{blocks}\n</section>")
    }
}

/// A section that is closed at first; its parts are HTML.
pub(super) fn opening(name: &str, title: &str, inner: &str) -> String {
    format!(
        "<section id=\"{name}\">\n<details class=\"part\">\n<summary><h2>{title}</h2></summary>\n{inner}\n</details>\n</section>"
    )
}

#[derive(Default)]
struct Html(String);

impl Html {
    fn push(&mut self, element: &str) {
        self.0.push_str(element);
        self.0.push('\n');
    }
}

impl Sink for Html {
    fn heading(&mut self, text: &str) {
        self.push(&format!("<h3>{}</h3>", line(text)));
    }

    fn paragraph(&mut self, own: &Words) {
        self.push(&format!("<p>{}</p>", words(own)));
    }

    fn list(&mut self, ordered: bool, items: &[Words]) {
        let element = if ordered { "ol" } else { "ul" };
        let items: String = items.iter().map(|item| format!("<li>{}</li>\n", words(item))).collect();
        self.push(&format!("<{element}>\n{items}</{element}>"));
    }

    fn table(&mut self, table: &Table) {
        if !table.caption.is_empty() {
            self.paragraph(&table.caption);
        }
        let class = |column: Option<&Column>| match column {
            Some(Column { align: Align::Right, .. }) => "number",
            _ => "words",
        };
        let head = |column: &Column| {
            let title = Elements::words(&Words::from(&column.title), true);
            format!("<th class=\"{}\" scope=\"col\">{title}</th>", class(Some(column)))
        };
        let header: String = table.columns.iter().map(head).collect();
        self.push(&format!(
            "<div class=\"wide\">\n<table class=\"grid\" data-table=\"{}\">\n<thead>\n<tr>{header}</tr>\n</thead>\n<tbody>",
            line(&table.name)
        ));
        for row in &table.rows {
            let cells = row.iter().enumerate().map(|(at, cell)| {
                let key = cell.sort.map(|key| key.to_string()).unwrap_or_default();
                let class = format!("{}{}", class(table.columns.get(at)), tone(cell.tone));
                format!("<td class=\"{class}\" data-key=\"{key}\">{}</td>", Elements::words(&cell.words, true))
            });
            let cells: String = cells.collect();
            self.push(&format!("<tr>{cells}</tr>"));
        }
        self.push("</tbody>\n</table>\n</div>");
    }

    fn code(&mut self, _language: &str, text: &str) {
        self.push(&format!("<pre>{}</pre>", xml::text(&lines_of(text))));
    }

    fn fold(&mut self, summary: &str, blocks: &[Block]) {
        self.push(&format!("<details>\n<summary>{}</summary>", line(summary)));
        self.blocks(blocks);
        self.push("</details>");
    }

    fn chart(&mut self, chart: &Chart) {
        match chart.figure {
            // The script lets a reader walk over the points.
            Figure::Series(_) => {
                let drawn = svg::inline(chart);
                let label = xml::text("Values over time: pointer or arrow keys");
                self.push(&format!(
                    "<figure class=\"over-time\" tabindex=\"0\" aria-label=\"{label}\">\n{drawn}<output></output>\n</figure>"
                ));
            }
            Figure::Bars(_) | Figure::Plot(_) => self.push(&format!("<figure>\n{}</figure>", svg::inline(chart))),
        }
    }
}

fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Good => " good",
        Tone::Bad => " bad",
        Tone::Unsure => " unsure",
    }
}
