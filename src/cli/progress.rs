//! How a collection is shown while it runs: moving lines on a terminal, plain lines elsewhere, nothing when asked.

use super::mention;
use crate::collect::{Done, Progress, about};
use crate::plain;
use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use std::collections::HashMap;
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What suits the error stream of this process.
pub(super) fn of(quiet: bool) -> Box<dyn Progress> {
    if quiet {
        Box::new(Silent)
    } else if std::io::stderr().is_terminal() {
        Box::new(Moving::default())
    } else {
        Box::new(Plain)
    }
}

struct Silent;

impl Progress for Silent {}

/// One line when a step begins that takes time, one when it ended.
struct Plain;

impl Progress for Plain {
    fn begin(&self, subject: &str, step: &str, left: Option<Duration>) {
        let left = left.map_or_else(String::new, |left| format!(", about {} left", about(left)));
        mention(format!("{subject} {step}: begun{left}"));
    }

    fn remark(&self, subject: &str, text: &str) {
        mention(format!("{subject}: {text}"));
    }

    fn end(&self, subject: &str, step: &str, done: &Done, wall: Duration) {
        mention(ended(subject, step, done, wall));
    }
}

/// A line for each step in work, above them the steps that ended.
#[derive(Default)]
struct Moving {
    lines: MultiProgress,
    bars: Mutex<HashMap<String, ProgressBar>>,
}

impl Progress for Moving {
    fn begin(&self, subject: &str, step: &str, left: Option<Duration>) {
        let name = format!("{subject} {step}");
        if self.bars.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&name) {
            return;
        }
        let bar = self.lines.add(ProgressBar::new_spinner());
        // The template is ours and has no mistake; without it the line is only plainer.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {elapsed} {msg}{left}") {
            bar.set_style(style.with_key("left", move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let rest = left.map(|left| left.saturating_sub(state.elapsed())).filter(|rest| !rest.is_zero());
                let _ = rest.map(|rest| write!(out, "about {} left", about(rest)));
            }));
        }
        bar.set_prefix(name.clone());
        bar.enable_steady_tick(Duration::from_millis(120));
        self.bars.lock().unwrap_or_else(PoisonError::into_inner).insert(name, bar);
    }

    fn remark(&self, subject: &str, text: &str) {
        let _ = self.lines.println(plain::message(&format!("{subject}: {text}")));
    }

    fn advance(&self, subject: &str, step: &str, percent: u8) {
        let bars = self.bars.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = bars.get(&format!("{subject} {step}")) {
            bar.set_message(format!("{percent} % of the passes"));
        }
    }

    fn end(&self, subject: &str, step: &str, done: &Done, wall: Duration) {
        if let Some(bar) = self.bars.lock().unwrap_or_else(PoisonError::into_inner).remove(&format!("{subject} {step}"))
        {
            bar.finish_and_clear();
        }
        // A terminal that went away is no reason to stop collecting.
        let _ = self.lines.println(plain::message(&ended(subject, step, done, wall)));
    }
}

fn ended(subject: &str, step: &str, done: &Done, wall: Duration) -> String {
    match done {
        Done::Made(note) if note.is_empty() => format!("{subject} {step}: done in {:.1} s", wall.as_secs_f64()),
        Done::Made(note) => format!("{subject} {step}: done in {:.1} s, {note}", wall.as_secs_f64()),
        Done::Kept => format!("{subject} {step}: kept from before"),
        Done::Missed(setback) => format!("{subject} {step}: NOT MEASURED: {}", setback.what),
    }
}
