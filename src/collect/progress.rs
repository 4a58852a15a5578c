//! What a collection tells while it runs; the command line shows it.

use super::Setback;
use std::time::Duration;

/// How a step came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// Its file was made; a few words about it may follow.
    Made(String),
    /// Its file is there from an earlier run, made by the same.
    Kept,
    /// It made nothing that can be used.
    Missed(Setback),
}

/// Hears of steps as they begin, move on and end. Steps of several subjects may be told at a time.
pub trait Progress: Sync {
    /// A step begins.
    fn begin(&self, subject: &str, step: &str);
    /// A step says how far it is, in percent of its present kernel.
    fn advance(&self, subject: &str, step: &str, percent: u8);
    /// A step ended.
    fn end(&self, subject: &str, step: &str, done: &Done, wall: Duration);
}

/// The last percentage in a piece of what ncu prints: `0%....50%....100%`.
pub(super) fn percentage(bytes: &[u8]) -> Option<u8> {
    let text = String::from_utf8_lossy(bytes);
    let end = text.rfind('%')?;
    let digits = text[..end].bytes().rev().take_while(u8::is_ascii_digit).count();
    text[end - digits..end].parse().ok().filter(|percent| *percent <= 100)
}

#[cfg(test)]
mod tests {
    use super::percentage;

    #[test]
    fn the_last_percentage_of_a_piece_counts() {
        assert_eq!(percentage(b"==PROF== Profiling \"x\" - 0: 0%....50%.."), Some(50));
        assert_eq!(percentage(b"...100% - 38 passes\n"), Some(100));
        assert_eq!(percentage(b"no number % here"), None);
        assert_eq!(percentage(b"900%"), None);
    }
}
