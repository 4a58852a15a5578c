//! Where a browser shows no part of a page: inside comments, tags, and elements that hold text or are not shown.
//!
//! What is looked at is the frame that a template printed, in which parts are still marks; no printed part is read again.

/// Elements that hold text, to their next end tag.
const OF_TEXT: [&str; 10] =
    ["iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp"];
/// Elements of whose content nothing is shown where a browser knows them.
const UNSHOWN: [&str; 9] =
    ["audio", "canvas", "datalist", "meter", "object", "progress", "select", "template", "video"];

/// What is open at the end of a frame, or of what is left of it, and hides what follows, in words.
pub(in crate::render) fn unshown(frame: &str) -> Option<String> {
    let mut rest = frame;
    // The outermost element that is not shown, and how many of its name are open.
    let mut outer: Option<(String, usize)> = None;
    while let Some(at) = rest.find('<') {
        let tag = &rest[at + 1..];
        let (is_end, own) = tag.strip_prefix('/').map_or((false, tag), |own| (true, own));
        let length = own.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>')).unwrap_or(own.len());
        let name = own[..length].to_ascii_lowercase();
        let behind = if let Some(comment) = tag.strip_prefix("!--") {
            behind_comment(comment).ok_or("a comment".to_owned())
        } else if own.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let behind = behind_tag(&own[length..]).ok_or(format!("the tag <{name}>"));
            match &mut outer {
                _ if behind.is_err() => {}
                Some((open, count)) if *open == name => *count = if is_end { *count - 1 } else { *count + 1 },
                None if !is_end && UNSHOWN.contains(&name.as_str()) => outer = Some((name.clone(), 1)),
                _ => {}
            }
            match behind {
                Ok(text) if !is_end && OF_TEXT.contains(&name.as_str()) => {
                    behind_text(text, &name).ok_or(format!("the element <{name}>"))
                }
                behind => behind,
            }
        } else if tag.starts_with(['!', '?', '/']) {
            tag.split_once('>').map(|(_, behind)| behind).ok_or("a comment".to_owned())
        } else {
            Ok(tag)
        };
        match behind {
            Ok(behind) => rest = behind,
            Err(open) => return Some(open),
        }
        outer = outer.filter(|(_, count)| *count > 0);
    }
    outer.map(|(name, _)| format!("the element <{name}>"))
}

/// What follows a comment, from behind its `<!--`.
fn behind_comment(comment: &str) -> Option<&str> {
    let short = comment.strip_prefix('>').or_else(|| comment.strip_prefix("->"));
    let ends = ["-->", "--!>"].into_iter().filter_map(|end| Some(comment.find(end)? + end.len()));
    short.or_else(|| ends.min().map(|end| &comment[end..]))
}

/// What follows a tag, from behind its name.
fn behind_tag(attributes: &str) -> Option<&str> {
    let (mut quote, mut last) = (None, ' ');
    for (at, c) in attributes.char_indices() {
        match quote {
            Some(open) => quote = quote.filter(|_| c != open),
            None if c == '>' => return Some(&attributes[at + 1..]),
            None => quote = (last == '=' && matches!(c, '"' | '\'')).then_some(c),
        }
        if !c.is_ascii_whitespace() {
            last = c;
        }
    }
    None
}

/// What follows the end tag of an element of text.
fn behind_text<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (lower, end) = (text.to_ascii_lowercase(), format!("</{name}"));
    let is_whole = |at: &usize| lower[*at..].starts_with(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>'));
    let at = lower.match_indices(&end).map(|(at, _)| at + end.len()).find(is_whole)?;
    behind_tag(&text[at..])
}

#[cfg(test)]
mod tests {
    use super::unshown;

    #[test]
    fn what_hides_a_part_is_named_and_what_is_closed_hides_nothing() {
        for (frame, open) in [
            ("<p><!-- a > b", "a comment"),
            ("<!doctype", "a comment"),
            ("</", "a comment"),
            ("<div title=\"a>b", "the tag <div>"),
            ("<div\nclass=", "the tag <div>"),
            ("<b>x</b><SCRIPT>if (a < b) '</scripted>'", "the element <script>"),
            ("<textarea>", "the element <textarea>"),
            ("<template><template></template><p>", "the element <template>"),
            ("<select><!-- </select> --><option>", "the element <select>"),
            ("<noscript><!-- ", "the element <noscript>"),
        ] {
            assert_eq!(unshown(frame).as_deref(), Some(open), "{frame}");
        }
        for frame in [
            "",
            "a < b, <",
            "<!doctype html><p title='a>b' it's><!--> x <!---> y <!-- z --!>",
            "<style>a > b { content: '<!--' }</style >\n<script>'<script>'</SCRIPT>",
            "<title>a<!--</title><div class=\"{}\">",
            "<template><template></template></template><video/></video>",
        ] {
            assert_eq!(unshown(frame), None, "{frame}");
        }
    }
}
