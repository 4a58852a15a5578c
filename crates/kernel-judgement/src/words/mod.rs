//! Sentences as typed pieces: what is text, what is a name, what stands out.
//!
//! Owns [`Words`] and the macro [`words!`](crate::words!). Used by the analysis, which says what it found, and by the
//! view; knows neither Markdown nor HTML. `use crate::words::{Words, words};` brings the macro and this room as well.
//!
//! ```
//! use kernel_audit::words;
//! let sentence = words!("The pipe `{}` is busy for {} of the time.", "lsu", "81.20 %");
//! assert_eq!(sentence.to_plain(), "The pipe lsu is busy for 81.20 % of the time.");
//! ```

pub use crate::words;

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    /// Text as it is; no character in it acts.
    Text(String),
    /// A name as a tool prints it: a metric, a kernel, an opcode, a flag.
    Code(String),
    /// What stands out.
    Strong(Words),
    /// Words that lead to a file or an address.
    Link {
        /// What is read.
        words: Words,
        /// Where it leads.
        target: String,
    },
}

/// A sentence or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(Vec<Inline>);

/// A sentence as it is read, with `{}` for each piece that follows: `words!("The pipe `{}` is **busy**.", name)`. In the
/// text, and only there, backticks make a name and double stars make words stand out; a piece is taken as it is. Pieces
/// are text, counts, an [`Inline`] or [`Words`]; a number of pieces that is not that of the places does not compile.
#[macro_export]
macro_rules! words {
    ($text:literal $(, $piece:expr)* $(,)?) => {{
        const PIECES: &[&str] = &[$(stringify!($piece)),*];
        const { assert!($crate::words::places($text) == PIECES.len(), "one piece for each place, and no other brace") };
        $crate::words::Words::filled($text, [$($crate::words::Words::from($piece)),*])
    }};
}

/// The places for pieces in the text of a sentence; more than any sentence has where a brace is not one of `{}`.
pub const fn places(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut places) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'{' if at + 1 < bytes.len() && bytes[at + 1] == b'}' => {
                places += 1;
                at += 1;
            }
            b'{' | b'}' => return usize::MAX,
            _ => {}
        }
        at += 1;
    }
    places
}

/// A name as a tool prints it.
pub fn code(name: impl Into<String>) -> Inline {
    Inline::Code(name.into())
}

/// Words that stand out.
pub fn strong(words: impl Into<Words>) -> Inline {
    Inline::Strong(words.into())
}

/// Words that lead to a file or an address.
pub fn link(words: impl Into<Words>, target: impl Into<String>) -> Inline {
    Inline::Link { words: words.into(), target: target.into() }
}

/// A piece of which nothing is said where there is nothing.
pub fn maybe(piece: Option<impl Into<Words>>) -> Words {
    piece.map_or_else(Words::default, Into::into)
}

/// Parts with a separator between them: names with commas, sentences with spaces.
pub fn join<W: Into<Words>>(parts: impl IntoIterator<Item = W>, separator: &str) -> Words {
    let mut all = Words::default();
    for (at, part) in parts.into_iter().enumerate() {
        if at > 0 {
            all.push(separator);
        }
        all.push(part);
    }
    all
}

impl Words {
    /// Adds a piece at the end. Text behind text becomes one piece, so that a renderer sees each character with its neighbours.
    pub fn push(&mut self, piece: impl Into<Words>) {
        for inline in piece.into().0 {
            match (self.0.last_mut(), inline) {
                (Some(Inline::Text(last)), Inline::Text(text)) => last.push_str(&text),
                (_, inline) => self.0.push(inline),
            }
        }
    }

    /// What [`words!`](crate::words!) makes.
    pub fn filled<const N: usize>(text: &'static str, pieces: [Words; N]) -> Words {
        fill(text, &mut pieces.into_iter())
    }

    /// What a sentence says first: up to a colon, a semicolon or what stands in parentheses.
    #[must_use]
    pub fn head(&self) -> Words {
        self.until(&[':', ';', '('])
    }

    /// What stands in front of the first of these in the text.
    #[must_use]
    pub fn until(&self, ends: &[char]) -> Words {
        let mut head = Words::default();
        for inline in &self.0 {
            let end = if let Inline::Text(text) = inline { text.find(ends).map(|at| &text[..at]) } else { None };
            if let Some(last) = end {
                head.push(last.trim_end());
                break;
            }
            head.push(inline.clone());
        }
        head
    }

    /// The same with the text that they begin with, if any, written otherwise.
    #[must_use]
    pub fn begun(mut self, write: impl FnOnce(&str) -> String) -> Words {
        if let Some(Inline::Text(first)) = self.0.first_mut() {
            *first = write(first);
        }
        self
    }

    /// The words without any mark.
    pub fn to_plain(&self) -> String {
        self.written("")
    }

    /// The pieces, for a renderer.
    pub fn inlines(&self) -> &[Inline] {
        &self.0
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The words in a row, names between two marks.
    fn written(&self, mark: &str) -> String {
        let piece = |inline: &Inline| match inline {
            Inline::Text(text) => text.clone(),
            Inline::Code(name) => format!("{mark}{name}{mark}"),
            Inline::Strong(words) | Inline::Link { words, .. } => words.written(mark),
        };
        self.0.iter().map(piece).collect()
    }
}

/// Reads the notation of [`words!`](crate::words!): places, names and what stands out, the last two up to their next mark.
fn fill(text: &str, pieces: &mut impl Iterator<Item = Words>) -> Words {
    let mut words = Words::default();
    let mut rest = text;
    while let Some((at, mark)) = ["{}", "`", "**"].iter().filter_map(|mark| Some((rest.find(mark)?, *mark))).min() {
        words.push(&rest[..at]);
        rest = &rest[at + mark.len()..];
        if mark == "{}" {
            words.push(pieces.next().unwrap_or_default());
            continue;
        }
        let (inner, after) = rest.split_once(mark).unwrap_or((rest, ""));
        let inner = fill(inner, pieces);
        words.push(if mark == "`" { code(inner.to_plain()) } else { strong(inner) });
        rest = after;
    }
    words.push(rest);
    words
}

impl From<Inline> for Words {
    fn from(inline: Inline) -> Words {
        Words(vec![inline])
    }
}

impl From<String> for Words {
    fn from(text: String) -> Words {
        Words(if text.is_empty() { Vec::new() } else { vec![Inline::Text(text)] })
    }
}

macro_rules! written {
    ($($from:ty),+) => {
        $(impl From<$from> for Words {
            fn from(text: $from) -> Words {
                text.to_string().into()
            }
        })+
    };
}
written!(&str, &String, u64, usize);

impl From<&Words> for Words {
    fn from(words: &Words) -> Words {
        words.clone()
    }
}

/// In data a sentence is text with its names in backticks.
impl serde::Serialize for Words {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.written("`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_words_and_data_keeps_the_names() {
        let names = join([code("a"), code("b")], ", ");
        let words = words!("Of {} and `{}_x`: **{}**, {}.", names, "`c", "al*l", 3_usize);
        assert_eq!(words.to_plain(), "Of a, b and `c_x: al*l, 3.");
        let words = words!("Of {}: **all of `b`**.", code("a"));
        let data = serde_json::to_string(&words).expect("serialises");
        assert_eq!(data, "\"Of `a`: all of `b`.\"");
    }

    #[test]
    fn the_head_of_a_sentence_in_the_middle_of_another() {
        let told = words!("Take work off `a:b` first (`:12`): no further stage").head();
        assert_eq!(told, words!("Take work off `a:b` first"));
        assert_eq!(words!("TMA for `cp.async`; mbarriers").head(), words!("TMA for `cp.async`"));
        assert_eq!(told.begun(str::to_lowercase), words!("take work off `a:b` first"));
        assert_eq!(words!("`A`").begun(str::to_lowercase), words!("`A`"));
    }

    #[test]
    fn only_places_are_braces() {
        assert_eq!(["", "{} of {}", "{x}", "}"].map(places), [0, 2, usize::MAX, usize::MAX]);
    }
}
