//! Characters that act where they are shown: control characters, and those that turn the direction of a line or are not
//! seen at all. Data never brings one to a page, a terminal or a log.

use std::borrow::Cow;
use std::io::{self, Write};

/// What stands for such a character.
const INSTEAD: char = '\u{fffd}';

/// Whether a character acts instead of being seen: controls, marks of direction (the Bidirectional Algorithm, UAX #9),
/// separators of lines and paragraphs, and characters without a width. Those that join letters and signs stay.
pub(crate) fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Text in which nothing acts but line ends and tabs.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    let is_seen = |c: char| matches!(c, '\n' | '\t') || !acts(c);
    match text.chars().all(is_seen) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.chars().map(|c| if is_seen(c) { c } else { INSTEAD }).collect()),
    }
}

/// Text on one line in which nothing acts.
pub(crate) fn one_line(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\r' | '\t' => ' ',
        c if acts(c) => INSTEAD,
        c => c,
    };
    text.trim().chars().map(shown).collect()
}

/// A message of several lines, of which only the first begins at the margin. What begins so behind it came with data and
/// is set behind the line before, and no line is a command to the service that runs the program (`::error::`, `##[group]`).
pub(crate) fn message(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    for (at, line) in clean(text).split('\n').enumerate() {
        if at > 0 {
            whole.push(if line.starts_with(' ') || line.is_empty() { '\n' } else { ' ' });
        }
        whole.push_str(&no_command(line));
    }
    whole
}

/// A line that GitHub Actions takes for text: <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>.
pub(crate) fn no_command(line: &str) -> Cow<'_, str> {
    let body = line.trim_start();
    let line = match body.starts_with("::") {
        true => Cow::Owned(format!("{}: :{}", &line[..line.len() - body.len()], &body[2..])),
        false => Cow::Borrowed(line),
    };
    if line.contains("##[") { Cow::Owned(line.replace("##[", "## [")) } else { line }
}

/// A stream that lets text, line ends, tabs and colours (`ESC [ … m`) pass and nothing else that acts.
pub(crate) struct Screen<W: Write> {
    to: W,
    /// The beginning of a character or of a colour whose end was not written yet.
    held: Vec<u8>,
}

/// Bytes of the longest colour.
const COLOUR: usize = 16;

impl<W: Write> Screen<W> {
    pub(crate) fn new(to: W) -> Screen<W> {
        Screen { to, held: Vec::new() }
    }

    /// Writes what is whole of some bytes; gives how many that is.
    fn pass(&mut self, bytes: &[u8], is_last: bool) -> io::Result<usize> {
        let whole = match std::str::from_utf8(bytes) {
            Ok(_) => bytes.len(),
            Err(error) if error.error_len().is_none() && !is_last => error.valid_up_to(),
            Err(_) => bytes.len(),
        };
        let text = String::from_utf8_lossy(&bytes[..whole]);
        let mut rest: &str = &text;
        let mut done = String::with_capacity(rest.len());
        while let Some(at) = rest.find('\u{1b}') {
            done.push_str(&clean(&rest[..at]));
            let body = rest[at + 1..].strip_prefix('[').unwrap_or_default();
            let digits = body.bytes().take_while(|b| b.is_ascii_digit() || *b == b';').count();
            let is_open = rest.len() - at <= COLOUR
                && (rest.len() == at + 1 || digits == body.len() && rest[at + 1..].starts_with('['));
            if is_open && !is_last {
                self.to.write_all(done.as_bytes())?;
                return Ok(whole - (rest.len() - at));
            }
            match body.as_bytes().get(digits) {
                Some(b'm') => {
                    let end = at + 2 + digits + 1;
                    done.push_str(&rest[at..end]);
                    rest = &rest[end..];
                }
                _ => {
                    done.push(INSTEAD);
                    rest = &rest[at + 1..];
                }
            }
        }
        done.push_str(&clean(rest));
        self.to.write_all(done.as_bytes())?;
        Ok(whole)
    }
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_seen = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
        if self.held.is_empty() && bytes.iter().all(is_seen) {
            self.to.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        let passed = self.pass(&all, false)?;
        self.held = all.split_off(passed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.pass(&held, true)?;
        self.to.flush()
    }
}

/// A stream of JSON, whose texts spell what acts by its number (`\u202e`).
pub(crate) struct Json<W: Write>(pub(crate) W);

impl<W: Write> Write for Json<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A writer of JSON hands out whole characters.
        match std::str::from_utf8(bytes) {
            Ok(text) if text.chars().any(|c| c > '~' && acts(c)) => {
                let mut spelled = String::with_capacity(text.len() + 8);
                for c in text.chars() {
                    if c <= '~' || !acts(c) {
                        spelled.push(c);
                    } else {
                        let mut units = [0; 2];
                        c.encode_utf16(&mut units).iter().for_each(|unit| spelled.push_str(&format!("\\u{unit:04x}")));
                    }
                }
                self.0.write_all(spelled.as_bytes())?;
            }
            _ => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_acts_is_replaced_and_letters_are_not() {
        assert_eq!(
            clean("a\u{1b}]0;x\u{7}\u{9b}2J\u{202e}b\u{200b}c\n\td\r"),
            "a\u{fffd}]0;x\u{fffd}\u{fffd}2J\u{fffd}b\u{fffd}c\n\td\u{fffd}"
        );
        for text in ["ä × µs − ↓ 日本 \u{1f469}\u{200d}\u{1f4bb} نص", ""] {
            assert!(matches!(clean(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn a_message_gives_no_command_and_no_line_of_its_own() {
        let said = message("cannot read a\n::stop-commands::x\n##[group]\n  help: do\n   ::error::no");
        assert_eq!(said, "cannot read a : :stop-commands::x ## [group]\n  help: do\n   : :error::no");
    }

    fn screen(pieces: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut screen = Screen::new(&mut out);
        pieces.iter().for_each(|piece| screen.write_all(piece).expect("writes"));
        screen.flush().expect("flushes");
        drop(screen);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn colours_pass_and_nothing_else_that_acts() {
        assert_eq!(screen(&[b"\x1b[1m\x1b[91merror\x1b[0m: x\n"]), "\u{1b}[1m\u{1b}[91merror\u{1b}[0m: x\n");
        assert_eq!(screen(&[b"\x1b]0;x\x07\x1b[2J\x1b"]), "\u{fffd}]0;x\u{fffd}\u{fffd}[2J\u{fffd}");
        assert_eq!(
            screen(&[b"\x1b", b"[3", b"1mred", b"\x1b[", b"0m \xc3", b"\xa4\xe2\x80", b"\xae"]),
            "\u{1b}[31mred\u{1b}[0m ä\u{fffd}"
        );
    }

    proptest! {
        #[test]
        fn however_it_is_cut_the_same_passes(text in "[\u{1b}\\[;0-9maä\u{202e}\u{9b}\n]{0,40}", cuts in prop::collection::vec(0_usize..60, 0..6)) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let passed = screen(&pieces);
            prop_assert_eq!(&passed, &screen(&[bytes]));
            let plain = regex::Regex::new("\u{1b}\\[[0-9;]*m").expect("a pattern").replace_all(&passed, "").into_owned();
            prop_assert!(plain.chars().all(|c| c == '\n' || !acts(c)), "{:?}", passed);
        }

        #[test]
        fn json_comes_back_as_it_was(text in "\\PC*[\u{1}\u{9b}\u{202e}\u{e0041}\u{feff}]?\\PC*") {
            let mut out = Vec::new();
            serde_json::to_writer(Json(&mut out), &text).expect("writes");
            let written = String::from_utf8(out).expect("text");
            prop_assert!(!written.chars().any(acts), "{:?}", written);
            prop_assert_eq!(serde_json::from_str::<String>(&written).expect("JSON"), text);
        }
    }
}
