//! The words of a command, as the system gets them and as a reader sees them.

use crate::shell::quoted;
use std::ffi::{OsStr, OsString};

/// Arguments, each with what stands for it where the command is shown: an output file loses its temporary folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(Vec<(OsString, String)>);

/// Words that are shown as they are.
impl<W: AsRef<OsStr>> FromIterator<W> for Words {
    fn from_iter<I: IntoIterator<Item = W>>(all: I) -> Words {
        let mut words = Words::default();
        all.into_iter().for_each(|word| words.one(word));
        words
    }
}

impl Words {
    /// A word that is shown as it is.
    pub fn one(&mut self, word: impl AsRef<OsStr>) {
        let word = word.as_ref();
        self.0.push((word.to_owned(), word.to_string_lossy().into_owned()));
    }

    /// A word that is shown as another.
    pub fn shown_as(&mut self, word: impl AsRef<OsStr>, shown: impl Into<String>) {
        self.0.push((word.as_ref().to_owned(), shown.into()));
    }

    pub fn pair(&mut self, option: &str, value: impl AsRef<OsStr>) {
        self.one(option);
        self.one(value);
    }

    /// An option and a file, which is shown by its name alone.
    pub fn file(&mut self, option: &str, path: &str) {
        self.one(option);
        self.shown_as(path, path.rsplit(['/', '\\']).next().unwrap_or(path));
    }

    /// These with further words behind them.
    pub fn then(mut self, words: &Words) -> Words {
        self.0.extend_from_slice(&words.0);
        self
    }

    pub fn arguments(&self) -> impl Iterator<Item = OsString> {
        self.0.iter().map(|(word, _)| word.clone())
    }

    /// The command line as a POSIX shell takes it.
    pub fn shown(&self) -> String {
        self.0.iter().map(|(_, shown)| quoted(shown)).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_can_be_given_to_a_shell() {
        let mut words = Words::default();
        words.pair("--kernel-name", "regex:^a$");
        words.file("--export", "/tmp/.making/x.ncu-rep");
        words.one("it's");
        assert_eq!(words.shown(), "--kernel-name 'regex:^a$' --export x.ncu-rep 'it'\\''s'");
        assert_eq!(words.arguments().nth(3), Some("/tmp/.making/x.ncu-rep".into()));
    }
}
