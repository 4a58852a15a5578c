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
    /// A step begins; `left` is how long it and those like it after it may take.
    fn begin(&self, _subject: &str, _step: &str, _left: Option<Duration>) {}
    /// Something is worth knowing of what comes.
    fn remark(&self, _subject: &str, _text: &str) {}
    /// A step says how far it is, in percent of its present kernel.
    fn advance(&self, _subject: &str, _step: &str, _percent: u8) {}
    fn end(&self, _subject: &str, _step: &str, _done: &Done, _wall: Duration) {}
}

/// A time that is not known well: seconds, or minutes where they are many.
pub fn about(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 120.0 { format!("{:.0} s", seconds.max(1.0)) } else { format!("{:.0} min", seconds / 60.0) }
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
    use super::*;

    #[test]
    fn a_time_that_is_not_known_well_is_rounded() {
        let times = [0.2, 119.0, 1200.0].map(|seconds| about(Duration::from_secs_f64(seconds)));
        assert_eq!(times, ["1 s", "119 s", "20 min"]);
    }

    #[test]
    fn the_last_percentage_of_a_piece_counts() {
        assert_eq!(percentage(b"==PROF== Profiling \"x\" - 0: 0%....50%.."), Some(50));
        assert_eq!(percentage(b"...100% - 38 passes\n"), Some(100));
        assert_eq!(percentage(b"no number % here"), None);
        assert_eq!(percentage(b"900%"), None);
    }
}
