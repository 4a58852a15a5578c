//! Text inside XML and HTML.

/// Text inside an element or a quoted attribute; control characters become U+FFFD.
pub(super) fn text(plain: &str) -> String {
    let shown = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c };
    quick_xml::escape::escape(plain.chars().map(shown).collect::<String>()).into_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_acts() {
        assert_eq!(super::text("a<b> & \"c\" '\0"), "a&lt;b&gt; &amp; &quot;c&quot; &apos;\u{fffd}");
    }
}
