//! Which sections the page has, in which order.

use super::{
    build, changed, checks, conclusions, history, instructions, kernels, memory, next, phases, provenance, stalls,
    units, verdict,
};
use crate::analysis::{Audit, Standing};
use crate::view::document::{Block, Content, Section};
use crate::view::heading::Heading;

/// The sections of a page with a profile. A kernel whose results are wrong has no performance to speak of: what to do
/// next, its history, its stalls and its units are left out.
pub(in crate::view) fn sections(heading: &Heading, audit: &Audit) -> Vec<Section> {
    let is_right = audit.standing() != Standing::Wrong;
    let sections = [
        Some(verdict::section(audit)),
        next::section(audit).filter(|_| is_right),
        Some(changed::section(heading, audit)),
        history::section(heading, audit).filter(|_| is_right),
        kernels::section(audit),
        phases::section(audit).filter(|_| is_right),
        units::section(audit).filter(|_| is_right),
        stalls::section(audit).filter(|_| is_right),
        memory::section(audit),
        build::section(audit),
        instructions::section(audit),
        checks::section(audit),
        Some(conclusions::section(heading, audit)),
    ];
    let mut sections: Vec<Section> = sections.into_iter().flatten().collect();
    sections.push(provenance::section(heading, audit, &sections));
    fit(&mut sections, if audit.old.is_some() { COMPARED } else { ALONE });
    sections
}

/// Lines of a page with a baseline, and of one without.
const COMPARED: usize = 200;
const ALONE: usize = 120;
/// Sections whose tables list the largest first, so that their last rows are missed least.
const RANKED: [&str; 5] = ["instructions", "stalls", "checks", "kernels", "memory"];
/// Rows that such a table keeps.
const KEPT: usize = 4;

/// Takes the last rows off the longest ranked tables until the page is within its lines; the full tables have them.
fn fit(sections: &mut [Section], most: usize) {
    // Title, lead, and the empty lines around them.
    const HEAD: usize = 8;
    while HEAD + sections.iter().map(lines).sum::<usize>() > most {
        let ranked = sections.iter_mut().filter(|section| RANKED.contains(&section.name.as_str()));
        let tables = ranked.flat_map(|section| &mut section.blocks).filter_map(|block| match &mut block.content {
            Content::Table(table) if table.rows.len() > KEPT => Some(table),
            _ => None,
        });
        let Some(longest) = tables.max_by_key(|table| table.rows.len()) else { return };
        longest.rows.pop();
    }
}

/// The lines that a section takes in Markdown, with the empty one behind it.
fn lines(section: &Section) -> usize {
    fn of(block: &Block) -> usize {
        1 + match &block.content {
            Content::Table(table) => table.rows.len() + 2 + 2 * usize::from(!table.caption.is_empty()),
            Content::List { items, .. } => items.len(),
            Content::Code { text, .. } => text.lines().count() + 2,
            Content::Fold { blocks, .. } => 4 + blocks.iter().map(of).sum::<usize>(),
            Content::Heading(_) | Content::Paragraph(_) | Content::Chart(_) => 1,
        }
    }
    2 + section.blocks.iter().map(of).sum::<usize>()
}
