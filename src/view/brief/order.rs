//! Which sections the page has, in which order.

use super::beside::Room;
use super::{
    beside, build, changed, checks, hypotheses, instructions, memory, next, phases, provenance, stalls, units, verdict,
    versions, wanted,
};
use crate::analysis::{Audit, Standing};
use crate::view::document::{Block, Content, Section, Table};
use crate::view::heading::Heading;
use crate::view::{code, configurations, over_time};

/// The sections of a page with a profile. A kernel whose results are wrong has no performance to speak of: what to do
/// next, its history, its stalls and its units are left out.
pub(in crate::view) fn sections(heading: &Heading, audit: &Audit) -> Vec<Section> {
    let is_right = audit.standing() != Standing::Wrong;
    let sections = [
        Some(verdict::section(audit)),
        next::section(audit).filter(|_| is_right),
        changed::section(heading, audit),
        versions::section(heading, audit).filter(|_| is_right),
        beside::section(audit, ALL),
        code::variants(&audit.code, &audit.trials.variants),
        over_time::section(heading, audit).filter(|_| is_right),
        phases::section(audit).filter(|_| is_right),
        units::section(audit).filter(|_| is_right),
        stalls::section(audit).filter(|_| is_right),
        memory::section(audit),
        build::section(audit),
        configurations::section(audit).filter(|_| is_right),
        instructions::section(audit),
    ];
    let mut sections: Vec<Section> = sections.into_iter().flatten().collect();
    if !sections.iter().any(|section| section.name == "changed") {
        let last = sections.iter_mut().rev().find(|section| ["verdict", "next"].contains(&section.name.as_str()));
        last.into_iter().for_each(|section| section.blocks.extend(changed::links(heading)));
    }
    sections.extend(wanted::section(audit, &sections).filter(|_| is_right));
    sections.extend(checks::section(audit));
    sections.push(hypotheses::conclusions(heading, audit));
    sections.push(provenance::section(heading, audit, &sections));
    screen(&mut sections);
    let most = match (&audit.before, beside::count(audit)) {
        (Some(_), _) => COMPARED,
        (None, 0) => ALONE,
        (None, _) => SEVERAL,
    };
    fit(&mut sections, most, audit);
    // The metrics are those of the rows that the page still shows.
    sections.pop();
    sections.push(provenance::section(heading, audit, &sections));
    sections
}

/// Lines of a page with a baseline, of one without, of one that has verdicts on other kernels of its report as well, and of the first
/// screen, which ends in what changed.
const COMPARED: usize = 160;
const ALONE: usize = 100;
const SEVERAL: usize = 125;
const SCREEN: usize = 40;
/// Marker and title, and the lines under it.
const HEAD: usize = 6;
/// Sections whose tables list the largest first, so that their last rows are missed least.
const RANKED: [&str; 5] = ["instructions", "stalls", "checks", "kernels", "memory"];
/// Sections that a page without an old side goes without where shorter tables are not enough.
const SPARED: [&str; 2] = ["instructions", "build"];
/// Tables of theirs that stay whole.
const WHOLE: [&str; 2] = ["bytes", beside::EACH];
/// Rows that such a table keeps, and fewer where that is not enough.
const KEPT: [usize; 3] = [4, 3, 2];
/// All rows of the kernels of the report, and every verdict on them.
const ALL: Room = Room { rows: usize::MAX, told: usize::MAX, given_up: [false; beside::GIVEN_UP.len()] };
/// Rows of what changed that say nothing new: cycles and time stand in its first line, in percent.
const COUNTERS: usize = 2;

/// Takes the last counters off what changed until it ends within the first screen, and the table where only cycles and time are left.
fn screen(sections: &mut [Section]) {
    let Some(at) = sections.iter().position(|section| section.name == "changed") else { return };
    while HEAD + sections[..=at].iter().map(lines).sum::<usize>() > SCREEN {
        if let Some(table) = tables(&mut sections[at]).find(|table| table.rows.len() > COUNTERS) {
            table.rows.pop();
            continue;
        }
        sections[at].blocks.retain(|block| !matches!(block.content, Content::Table(_)));
        break;
    }
    // The rows that said what moved a counter may be gone.
    for table in tables(&mut sections[at]) {
        while table.columns.len() > 1
            && table.rows.iter().all(|row| row.last().is_some_and(|cell| cell.words.is_empty()))
        {
            table.columns.pop();
            table.rows.iter_mut().for_each(|row| drop(row.pop()));
        }
    }
}

/// Takes the last rows off the longest ranked tables until the page is within its lines; the full tables have them. When those are
/// short, sections on the kernel under audit make room for the verdicts on the others, then the smallest of these lose their verdicts, and
/// then the tables more rows. What is left then are whole sections of a page without an old side.
fn fit(sections: &mut Vec<Section>, most: usize, audit: &Audit) {
    let mut room = Room { told: beside::count(audit), ..ALL };
    // The end of the page: an empty line behind the fold, and a marker.
    while HEAD + sections.iter().map(lines).sum::<usize>() + 2 > most {
        let is_shorter = shorten(sections, KEPT[0], audit, &mut room)
            || given_up(sections, audit, &mut room)
            || untold(sections, audit, &mut room)
            || KEPT[1..].iter().any(|kept| shorten(sections, *kept, audit, &mut room))
            || audit.before.is_none() && spare(sections);
        if !is_shorter {
            break;
        }
    }
}

/// Leaves a section to the full tables; whether there was one.
fn spare(sections: &mut Vec<Section>) -> bool {
    let place = |name: &&str| sections.iter().position(|section| section.name == **name);
    SPARED.iter().find_map(place).map(|at| sections.remove(at)).is_some()
}

/// Gives up a section on the kernel under audit for the verdicts on others; whether there was one.
fn given_up(sections: &mut Vec<Section>, audit: &Audit, room: &mut Room) -> bool {
    let place = |name: &str| sections.iter().position(|section| section.name == name);
    let next = beside::GIVEN_UP.iter().enumerate().find_map(|(at, (name, _))| Some((at, place(name)?)));
    let Some((at, place)) = next.filter(|_| room.told > 0) else { return false };
    room.given_up[at] = true;
    sections.remove(place);
    again(sections, audit, *room)
}

/// Takes the verdict on the smallest of the other kernels away; whether there was one.
fn untold(sections: &mut [Section], audit: &Audit, room: &mut Room) -> bool {
    let Some(told) = room.told.checked_sub(1) else { return false };
    room.told = told;
    again(sections, audit, *room)
}

/// Makes the kernels of the report again, within other room.
fn again(sections: &mut [Section], audit: &Audit, room: Room) -> bool {
    replaced(sections, "kernels", beside::section(audit, room))
}

/// Puts a shorter section in the place of one; whether there were both.
fn replaced(sections: &mut [Section], name: &str, fewer: Option<Section>) -> bool {
    let place = sections.iter_mut().find(|section| section.name == name);
    place.zip(fewer).map(|(place, fewer)| *place = fewer).is_some()
}

/// Takes a row off the longest ranked table with more rows than are kept; whether there is one.
fn shorten(sections: &mut [Section], kept: usize, audit: &Audit, room: &mut Room) -> bool {
    // A row on a kernel is shorter than the verdict on it.
    let is_ranked = |name: &str| RANKED.contains(&name) && (name != "kernels" || room.told == 0);
    let ranked = sections.iter_mut().filter(|section| is_ranked(&section.name));
    // What failed stands first among the checks, and stays.
    let least = |table: &Table| if table.name == "checks" { KEPT[0] } else { kept };
    let longest = ranked
        .flat_map(tables)
        .filter(|table| !WHOLE.contains(&table.name.as_str()) && table.rows.len() > least(table));
    let Some(table) = longest.max_by_key(|table| table.rows.len()) else { return false };
    let left = table.rows.len() - 1;
    match table.name.as_str() {
        // Its last row is of all that have none.
        "kernels" => {
            room.rows = left;
            again(sections, audit, *room)
        }
        // What they leave out is told beside them.
        "checks" => replaced(sections, "checks", checks::within(audit, left)),
        "stalls" => replaced(sections, "stalls", stalls::within(audit, left)),
        _ => {
            table.rows.truncate(left);
            true
        }
    }
}

fn tables(section: &mut Section) -> impl Iterator<Item = &mut Table> {
    section.blocks.iter_mut().filter_map(|block| match &mut block.content {
        Content::Table(table) => Some(table),
        _ => None,
    })
}

/// The lines that a section takes in Markdown: its marker, its heading, its blocks with an empty line between two.
fn lines(section: &Section) -> usize {
    2 + blocks(&section.blocks)
}

fn blocks(all: &[Block]) -> usize {
    let of = |block: &Block| match &block.content {
        Content::Table(table) => table.rows.len() + 2 + 2 * usize::from(!table.caption.is_empty()),
        Content::List { items, .. } => items.len(),
        Content::Code { text, .. } => text.lines().count() + 2,
        Content::Fold { blocks: inner, .. } => 4 + blocks(inner),
        Content::Heading(_) | Content::Paragraph(_) | Content::Chart(_) => 1,
    };
    // A list follows a paragraph without an empty line.
    let is_joined = |pair: &&[Block]| {
        matches!(pair, [Block { content: Content::Paragraph(_), .. }, Block { content: Content::List { .. }, .. }])
    };
    all.iter().map(of).sum::<usize>() + all.len().saturating_sub(1) - all.windows(2).filter(is_joined).count()
}
