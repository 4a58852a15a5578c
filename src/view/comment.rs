//! The comment on a pull request: verdicts, what moved, what to do next; the worst subject first.

use super::brief;
use super::document::{Block, Cell, Document, Section, Table};
use super::groups::summed;
use super::heading::Heading;
use super::tables::{self, paragraph, text};
use crate::analysis::{Audit, Standing, Verdict};
use crate::catalog::{Code, LimiterKind, limiter_label};
use crate::quantity::format;
use crate::quantity::glance::time;
use crate::words::{Words, words};

/// The name of the template that prints a comment.
pub const COMMENT: &str = "pr";
/// What a comment begins with, so that the next one takes its place. A reader does not see it.
pub(crate) const COMMENT_MARKER: &str = "<!-- audit:pull-request -->";
/// Characters of a comment: GitHub takes 65,536 in one, and what a job says before it takes its part.
const LIMIT: usize = 61_000;

#[derive(Clone, Debug)]
pub struct Entry<'a> {
    pub heading: &'a Heading,
    /// Its audit; `None` for one of the code alone.
    pub audit: Option<&'a Audit>,
    /// Its page: what the link says.
    pub page: String,
    /// Where the link leads; empty for no link.
    pub link: String,
}

#[derive(Clone, Copy, Debug)]
struct Room {
    full: usize,
    /// Subjects with their verdict and the readings that moved.
    brief: usize,
    rows: usize,
}

/// The comment on some subjects as `print` sets it, within GitHub's limit: what does not fit is left to the pages, the
/// best subjects first, and the comment says so. `index` leads to the audits of the whole project.
pub fn comment<E>(
    entries: &[Entry<'_>],
    index: Option<&Words>,
    print: impl Fn(&Document) -> Result<String, E>,
) -> Result<String, E> {
    let mut sorted: Vec<&Entry<'_>> = entries.iter().collect();
    sorted.sort_by(|a, b| badness(b).total_cmp(&badness(a)).then_with(|| a.heading.subject.cmp(&b.heading.subject)));
    let all = sorted.len();
    let set = |room: Room| -> Result<(bool, String), E> {
        let text = format!("{COMMENT_MARKER}\n{}", print(&document(&sorted, room, index))?);
        Ok((text.chars().count() <= LIMIT, text))
    };
    // The largest number that fits of each in turn: full sections, then brief ones, then rows.
    let mut room = Room { full: 0, brief: 0, rows: all };
    let (fits, _) = set(room)?;
    if !fits {
        room.rows = most(all, |rows| Ok(set(Room { rows, ..room })?.0))?;
        return Ok(set(room)?.1);
    }
    room.brief = most(all, |brief| Ok(set(Room { brief, ..room })?.0))?;
    room.full = most(room.brief, |full| Ok(set(Room { full, ..room })?.0))?;
    Ok(set(room)?.1)
}

/// The largest number up to `all` that holds, where each smaller one does too.
fn most<E>(all: usize, holds: impl Fn(usize) -> Result<bool, E>) -> Result<usize, E> {
    let (mut low, mut high) = (0, all);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if holds(middle)? {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Ok(low)
}

fn is_wrong(audit: &Audit) -> bool {
    audit.standing() == Standing::Wrong
}

fn verdict_of(entry: &Entry<'_>) -> Verdict {
    if entry.audit.is_some_and(is_wrong) {
        return Verdict::Wrong;
    }
    let comparison = entry.audit.and_then(|audit| audit.comparison());
    comparison.map_or(Verdict::NotMeasured, |comparison| comparison.whole.verdict)
}

/// What a heading says of a subject: its verdict, or that it has nothing to be held against.
fn word_of(entry: &Entry<'_>) -> &'static str {
    match (verdict_of(entry), entry.audit) {
        (Verdict::NotMeasured, None) => "code alone",
        (Verdict::NotMeasured, Some(_)) if !has_comparison(entry) => "no baseline",
        (verdict, _) => verdict.word(),
    }
}

fn has_comparison(entry: &Entry<'_>) -> bool {
    entry.audit.is_some_and(|audit| audit.change.is_some())
}

/// Wrong results, slow-downs by their size, then what is not known, what became faster, and what has no news.
fn badness(entry: &Entry<'_>) -> f64 {
    let change = entry.audit.and_then(|audit| audit.comparison()?.whole.change()).unwrap_or(0.0);
    let rank = match verdict_of(entry) {
        Verdict::Wrong => 6e9,
        Verdict::Slower | Verdict::Worse => 5e9,
        Verdict::Ambiguous => 4e9,
        Verdict::NotComparable => 3e9,
        Verdict::NotMeasured if has_comparison(entry) => 2e9,
        Verdict::Faster | Verdict::Better => 1e9,
        Verdict::Same | Verdict::Moved => 0.0,
        // A subject without anything to compare with has no news.
        Verdict::NotMeasured => -1e9,
    };
    rank + change.clamp(-1e6, 1e6)
}

fn document(sorted: &[&Entry<'_>], room: Room, index: Option<&Words>) -> Document {
    let mut sections = Vec::new();
    if sorted.len() > 1 {
        let (shown, rest) = sorted.split_at(room.rows.min(sorted.len()));
        let mut blocks = vec![overview(shown).into()];
        if !rest.is_empty() {
            let words = words!("{} further subjects, none with more news, do not fit into a comment.", rest.len());
            blocks.push(paragraph("rest", words));
        }
        blocks.extend(index.map(|index| paragraph("index", words!("Every audit: {}", index.clone()))));
        sections.push(Section::new("subjects", "All subjects, failures first", blocks));
    }
    sections.extend(sorted.iter().take(room.brief).enumerate().map(|(at, entry)| section(entry, at < room.full)));
    if room.brief < sorted.len() && sorted.len() > 1 {
        let left = sorted.len() - room.brief;
        let words = words!("{} of {} subjects are in the table only; see their pages.", left, sorted.len());
        sections.push(Section::new("rest", "What does not fit", vec![paragraph("rest", words)]));
    }
    Document { title: title(sorted), sections, ..Document::default() }
}

/// `Performance audit: 1 slower, 2 faster`.
fn title(sorted: &[&Entry<'_>]) -> String {
    if let [only] = sorted {
        return format!("Performance audit of {}: {}", only.heading.subject, word_of(only));
    }
    let counts = summed(sorted.iter().map(|entry| (word_of(entry), 1)));
    let words: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {}", word.to_lowercase())).collect();
    format!("Performance audit: {}", words.join(", "))
}

fn overview(entries: &[&Entry<'_>]) -> Table {
    let row = |entry: &&Entry<'_>| {
        // The time of wrong results is none to compare.
        let sound = entry.audit.filter(|audit| !is_wrong(audit));
        let change = sound.and_then(Audit::time_of_change);
        let timing = sound.and_then(|audit| audit.trials.timing.as_ref()).map(|timing| timing.kernel.time.median);
        let alone = timing.or_else(|| sound?.performance.time.new.value());
        let side = |ns: Option<f64>| text(ns.map(time).unwrap_or_default()).sorted(ns);
        vec![
            text(&entry.heading.subject),
            Cell { words: word_of(entry).into(), ..tables::verdict(verdict_of(entry)) }.strong(),
            side(change.map(|change| change.old)),
            side(change.map(|change| change.new).or(alone)),
            change.map(|c| text(format::change(c.old, c.new)).sorted(c.new / c.old)).unwrap_or_default(),
            text(sound.map(|audit| limiter_label(audit.now.bottleneck.limiter)).unwrap_or_default()),
        ]
    };
    tables::table(
        "subjects",
        "Subject | Verdict | Old time: | New time: | Change: | Limited by",
        entries.iter().map(row),
    )
}

/// A subject in the words of its page: verdict, what changed, and with room for it what to do next.
fn section(entry: &Entry<'_>, is_full: bool) -> Section {
    let open = entry.heading.open().map(|words| paragraph("open", words));
    let (mut blocks, mut beside): (Vec<Block>, Vec<Block>) = (open.into_iter().collect(), Vec::new());
    match entry.audit {
        Some(audit) => {
            for section in brief::order::sections(entry.heading, audit) {
                let is_shown = match section.name.as_str() {
                    "verdict" | "changed" => true,
                    "next" | "kernels" => is_full,
                    _ => false,
                };
                let is_changed = section.name == "changed";
                let own = section.blocks.into_iter().filter(|block| block.name != "links");
                // The other kernels have headings of their own, under which nothing else may stand.
                let place = if section.name == "kernels" { &mut beside } else { &mut blocks };
                place.extend(own.filter(|_| is_shown));
                blocks.extend(Some(audit).filter(|audit| is_changed && !is_wrong(audit)).and_then(patterns));
            }
        }
        None => {
            let words = words!("**Code alone**: without a report there is no time.");
            blocks.push(paragraph("change", words));
        }
    }
    let page = if entry.link.is_empty() { words::code(&entry.page) } else { words::link(&entry.page, &entry.link) };
    blocks.push(paragraph("page", words!("Page: {}", page)));
    blocks.append(&mut beside);
    let title = format!("{}: {}", entry.heading.subject, word_of(entry));
    Section::new(&entry.heading.subject, title, blocks)
}

/// Patterns that only one side shows: their readings crossed a threshold.
fn patterns(audit: &Audit) -> Option<Block> {
    let is_pattern = |code: &&Code| code.row().is_some_and(|row| row.kind != LimiterKind::Limiter);
    audit.before.as_ref()?;
    let listed = |word: &str, codes: Vec<Code>| {
        let codes: Vec<String> = codes.iter().filter(is_pattern).map(|code| limiter_label(*code)).collect();
        (!codes.is_empty()).then(|| words!("{}: {}", word, tables::listed(&codes)))
    };
    let came = listed("new", audit.new_findings().map(|finding| finding.code).collect());
    let went = listed("gone", audit.gone_findings().collect());
    let both = words::join(came.into_iter().chain(went), "; ");
    (!both.is_empty()).then(|| paragraph("patterns", words!("**Patterns**, {}.", both)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_that_holds() {
        for limit in 0..=9 {
            let found: Result<usize, ()> = most(9, |n| Ok(n <= limit));
            assert_eq!(found, Ok(limit));
        }
    }
}
