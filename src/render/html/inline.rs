//! Text and inline Markdown as HTML.

use crate::render::outline;
use crate::view::escape;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// Text inside an element or a quoted attribute; control characters become U+FFFD.
pub(super) fn text(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len() + 8);
    for c in plain.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Text on one line.
pub(super) fn line(plain: &str) -> String {
    text(&escape::normal(plain, true))
}

/// Inline Markdown of the view, whose data is escaped. Raw HTML in it stays text, but for line breaks and code, and for
/// the comments that part signs from numbers.
pub(super) fn markdown(markdown: &str) -> String {
    let mut out = String::new();
    for event in Parser::new_ext(&escape::line_start(markdown), outline::options()) {
        match event {
            Event::Text(plain) => out.push_str(&text(&plain)),
            Event::Code(plain) => out.push_str(&format!("<code>{}</code>", text(&plain))),
            Event::SoftBreak => out.push(' '),
            Event::HardBreak => out.push_str("<br>"),
            Event::InlineHtml(html) | Event::Html(html) => match html.as_ref() {
                "<br>" | "<code>" | "</code>" => out.push_str(&html),
                "<!-- -->" => {}
                other => out.push_str(&text(other)),
            },
            Event::InlineMath(plain) | Event::DisplayMath(plain) => out.push_str(&text(&format!("${plain}$"))),
            Event::FootnoteReference(name) => out.push_str(&text(&format!("[^{name}]"))),
            Event::Start(tag) => out.push_str(&open(&tag)),
            Event::End(tag) => out.push_str(close(tag)),
            Event::Rule | Event::TaskListMarker(_) => {}
        }
    }
    out
}

fn open(tag: &Tag<'_>) -> String {
    match tag {
        Tag::Strong => "<strong>".to_owned(),
        Tag::Emphasis => "<em>".to_owned(),
        Tag::Strikethrough => "<del>".to_owned(),
        Tag::Link { dest_url, .. } if outline::is_safe_target(dest_url) => {
            format!("<a href=\"{}\" rel=\"noopener noreferrer\">", text(dest_url))
        }
        Tag::Link { .. } => "<a>".to_owned(),
        _ => String::new(),
    }
}

fn close(tag: TagEnd) -> &'static str {
    match tag {
        TagEnd::Strong => "</strong>",
        TagEnd::Emphasis => "</em>",
        TagEnd::Strikethrough => "</del>",
        TagEnd::Link => "</a>",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_html_and_nothing_else() {
        assert_eq!(markdown("**a** `b<c>` 1 < 2"), "<strong>a</strong> <code>b&lt;c&gt;</code> 1 &lt; 2");
        assert_eq!(markdown("a <script>x</script> #<!-- -->1"), "a &lt;script&gt;x&lt;/script&gt; #1");
        assert_eq!(
            markdown("[x](javascript:alert) [y](docs/a.md)"),
            "<a>x</a> <a href=\"docs/a.md\" rel=\"noopener noreferrer\">y</a>"
        );
        assert_eq!(text("\"'\u{0}"), "&quot;&#39;\u{fffd}");
    }
}
