//! Text inside XML and HTML.

use crate::plain;

/// Text inside an element or a quoted attribute; characters that act become U+FFFD.
pub(super) fn text(own: &str) -> String {
    quick_xml::escape::escape(plain::clean(own)).into_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_acts() {
        assert_eq!(super::text("a<b> & \"c\" '\0"), "a&lt;b&gt; &amp; &quot;c&quot; &apos;\u{fffd}");
    }
}
