//! Markdown escaping: text and code become Markdown that GitHub shows as exactly that text and nothing more.
//!
//! Owns every rule about special characters. The grammar is CommonMark 0.31 with GitHub's tables, strikethrough,
//! autolinks and mathematics; characters that cannot act where they stand are left alone, so that pages stay readable
//! as text.

use super::sink::one_line;

/// Plain text as a heading, with a closing run of number signs kept as text.
pub(super) fn heading(plain: &str) -> String {
    let text = text(&one_line(plain), false);
    let body = text.trim_end_matches('#');
    if body.len() < text.len() && (body.is_empty() || body.ends_with(' ')) {
        return format!("{body}\\{}", &text[body.len()..]);
    }
    text
}

/// Inline Markdown on one line that stays a paragraph: a beginning such as `1.`, `-`, `#` or `>` is defused.
/// Markdown that is already safe comes back unchanged.
pub(super) fn line_start(markdown: &str) -> String {
    let line = markdown.trim().to_owned();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = |at: usize| line.as_bytes().get(at).is_none_or(|b| *b == b' ');
    let hashes = line.bytes().take_while(|b| *b == b'#').count();
    let at = match line.as_bytes().first() {
        Some(b'-' | b'+' | b'*') if after(1) => Some(0),
        Some(b'-' | b'=') if line.bytes().all(|b| matches!(b, b'-' | b'=' | b' ')) => Some(0),
        Some(b'#') if hashes <= 6 && after(hashes) => Some(0),
        Some(b'>') => Some(0),
        Some(b'0'..=b'9') if digits <= 9 && matches!(line.as_bytes().get(digits), Some(b'.' | b')')) => {
            after(digits + 1).then_some(digits)
        }
        _ => None,
    };
    match at {
        Some(at) => format!("{}\\{}", &line[..at], &line[at..]),
        None => line,
    }
}

/// Plain text as the text alternative of an image, on one line. Every character that could act is escaped: an
/// alternative is read aloud, so that it can hold no comments that part signs as [`text`] does.
pub(super) fn image(plain: &str) -> String {
    let plain = one_line(plain);
    let mut out = String::with_capacity(plain.len());
    for (at, c) in plain.char_indices() {
        let is_address = plain[at..].starts_with("://") || c == '.' && ends_in_www(&plain[..at]);
        if is_address || "\\`*_[]<>&!~$|#@^".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A name as a code span. In a table a bar ends the cell even between backticks.
///
/// Parsers disagree on a backslash before a bar inside a code span, so such text is set with `<code>` and entities.
pub(super) fn code(plain: &str, in_table: bool) -> String {
    if !in_table || !plain.contains('|') {
        return fenced(plain);
    }
    if plain.contains("\\|") {
        return format!("<code>{}</code>", text(plain, true));
    }
    fenced(plain).replace('|', "\\|")
}

/// An address as the target of a link: what would end it is written by its code.
pub(super) fn target(link: &str) -> String {
    let mut out = String::new();
    for c in link.chars() {
        match c {
            '(' | ')' | '<' | '>' | '\\' | '"' | '\'' | '`' => out.push_str(&format!("%{:02X}", u32::from(c))),
            c if c.is_control() || c.is_whitespace() => out.push_str("%20"),
            c => out.push(c),
        }
    }
    out
}

/// Text inside an HTML element such as `<summary>`.
pub(super) fn html(plain: &str) -> String {
    let plain = one_line(plain);
    let mut out = String::with_capacity(plain.len());
    for (at, c) in plain.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '@' | '#' if is_reference(&plain, at) => {
                out.push(c);
                out.push_str("<!-- -->");
            }
            c => out.push(c),
        }
    }
    out
}

/// A fence of backticks that is longer than every run of backticks at the start of a line of `text`, at least three.
pub(super) fn fence(text: &str) -> String {
    let longest = text.lines().map(|line| run(line.trim_start(), '`')).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// A code span with a fence that no run of backticks in `text` equals. Empty text gives an empty string: Markdown has
/// no empty code span.
fn fenced(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let mut runs = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('`') {
        let length = run(&rest[at..], '`');
        runs.push(length);
        rest = &rest[at + length..];
    }
    let fence = "`".repeat((1..).find(|length| !runs.contains(length)).unwrap_or(1));
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// How often `c` is repeated at the start of `text`.
fn run(text: &str, c: char) -> usize {
    text.chars().take_while(|x| *x == c).count()
}

/// Text without control characters as inline Markdown; in a table with its line ends and bars.
pub(super) fn text(text: &str, in_table: bool) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut done = 0;
    // Only these characters can act somewhere in Markdown.
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| b"\n\\|`~$*[]_<&:.@#".contains(byte)) {
        let before = text[..at].chars().next_back();
        let rest = &text[at..];
        let next = rest.chars().nth(1);
        let escaped = match byte {
            b'\n' => "<br>",
            // A backslash right before a bar: the entity cannot be mistaken for the bar's own escape.
            b'\\' if in_table && next == Some('|') => "&#92;",
            b'|' if in_table => "\\|",
            b'\\' => "\\\\",
            b'`' => "\\`",
            b'~' => "\\~",
            b'$' => "\\$",
            b'*' if !(is_space(before) && is_space(next)) => "\\*",
            // A footnote or a check box; a link's end or a definition. Other brackets stay text.
            b'[' if ["[^", "[ ]", "[x]", "[X]"].iter().any(|start| rest.starts_with(start)) => "\\[",
            b']' if matches!(next, Some('(' | '[' | ':')) => "\\]",
            b'_' if !is_inside_word(text, at) => "\\_",
            b'<' if next.is_some_and(|n| n.is_ascii_alphabetic() || matches!(n, '/' | '!' | '?')) => "\\<",
            b'&' if is_entity(rest) => "\\&",
            b':' if rest.starts_with("://") => "\\:",
            b'.' if ends_in_www(&text[..at]) => "\\.",
            // GitHub looks for mentions and issue numbers in the finished text; a comment parts them from their sign.
            b'@' if is_reference(text, at) => "@<!-- -->",
            b'#' if is_reference(text, at) => "#<!-- -->",
            _ => continue,
        };
        out.push_str(&text[done..at]);
        out.push_str(escaped);
        done = at + 1;
    }
    out.push_str(&text[done..]);
    out
}

/// Whether text ends in `www` in any case: with a dot behind it that would begin an address.
fn ends_in_www(text: &str) -> bool {
    text.as_bytes().last_chunk::<3>().is_some_and(|last| last.eq_ignore_ascii_case(b"www"))
}

fn is_space(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_whitespace() && c != '\n')
}

/// Whether the run of underscores around `at` has letters or digits on both sides, where it cannot mean emphasis.
fn is_inside_word(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches('_').chars().next_back();
    let after = text[at..].trim_start_matches('_').chars().next();
    before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)
}

/// Whether text that starts with `&` would be read as a character reference.
fn is_entity(rest: &str) -> bool {
    let body = &rest[1..];
    let length = body.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'#').count();
    length > 0 && body.as_bytes().get(length) == Some(&b';')
}

/// Whether `@` or `#` at `at` starts what GitHub takes for a mention, an address or an issue number.
pub(super) fn is_reference(text: &str, at: usize) -> bool {
    let next = text[at..].chars().nth(1);
    match text[at..].chars().next() {
        Some('@') => next.is_some_and(char::is_alphanumeric),
        Some('#') => next.is_some_and(|c| c.is_ascii_digit()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_means_nothing_in_markdown_is_left_alone() {
        for plain in
            ["sm__throughput.avg.pct", "a * b", "5 < 6 & 7 > 3", "R&D", "1.5 ms (2x)", "x = y - z", "Time [ns]"]
        {
            assert_eq!(text(plain, false), plain);
        }
    }

    #[test]
    fn special_characters_are_defused() {
        assert_eq!(text("transpose<float, 0>", false), "transpose\\<float, 0>");
        assert_eq!(text("*a* _b_ [c](d) `e` ~f~ $g$", false), "\\*a\\* \\_b\\_ [c\\](d) \\`e\\` \\~f\\~ \\$g\\$");
        assert_eq!(text("&lt; &#35;", false), "\\&lt; \\&#<!-- -->35;");
        assert_eq!(text("http://x.y www.z.org", false), "http\\://x.y www\\.z.org");
        assert_eq!(text("@someone #12", false), "@<!-- -->someone #<!-- -->12");
    }

    #[test]
    fn cells_keep_bars_and_lines() {
        assert_eq!(text("a|b\nc", true), "a\\|b<br>c");
        assert_eq!(text("a\\|b", true), "a&#92;\\|b");
        assert_eq!(code("a|b", true), "`a\\|b`");
        assert_eq!(code("a\\|b", true), "<code>a&#92;\\|b</code>");
    }

    #[test]
    fn code_spans_choose_a_fence_that_the_text_does_not_hold() {
        assert_eq!(code("a", false), "`a`");
        assert_eq!(code("a`b", false), "``a`b``");
        assert_eq!(code("`a``", false), "``` `a`` ```");
        assert_eq!(code("a``b", false), "`a``b`");
    }

    #[test]
    fn paragraphs_do_not_become_lists_headings_or_quotes() {
        for (plain, markdown) in [
            ("1. one", "1\\. one"),
            ("12) x", "12\\) x"),
            ("- x", "\\- x"),
            ("+ x", "\\+ x"),
            ("# x", "\\# x"),
            ("> x", "\\> x"),
            ("---", "\\---"),
            ("1.5 ms", "1.5 ms"),
            ("-3 %", "-3 %"),
        ] {
            assert_eq!(line_start(&text(plain, false)), markdown);
        }
    }

    #[test]
    fn a_link_cannot_end_early() {
        assert_eq!(target("https://x/a (b)>c"), "https://x/a%20%28b%29%3Ec");
    }

    #[test]
    fn html_text_is_escaped() {
        assert_eq!(html("a<b> & \"c\" @d"), "a&lt;b&gt; &amp; &quot;c&quot; @<!-- -->d");
    }
}
