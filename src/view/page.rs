//! The order of the page.

use super::document::{Document, Section};
use super::heading::Heading;
use super::{benchmark, brief, ceiling, code, conditions, correctness, roofline};
use crate::analysis::Audit;

/// The page for one audit: what people act on, and behind it everything else that is known.
pub fn document(heading: &Heading, audit: &Audit) -> Document {
    if audit.is_of_code_alone() {
        return code::static_document(heading, audit);
    }
    Document {
        title: title("Performance Audit", heading),
        lead: brief::lead::lines(heading, audit),
        sections: brief::order::sections(heading, audit),
        details: details(heading, audit),
    }
}

/// `Performance Audit — NAME — DATE`, without what is not known.
pub(super) fn title(kind: &str, heading: &Heading) -> String {
    let day = heading.day();
    [kind, &heading.subject, &day].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" — ")
}

fn details(heading: &Heading, audit: &Audit) -> Vec<Section> {
    let trials = std::iter::once(correctness::section(heading, audit)).chain(benchmark::section(audit));
    let first = trials.chain(brief::verdict::in_full(audit)).chain([brief::units::in_full(heading, audit)]);
    let stated = brief::hypotheses::in_full(heading, &audit.hypotheses)
        .into_iter()
        .chain(brief::checks::checklist_in_full(audit));
    let rest = [
        brief::build::in_full(audit),
        roofline::section(heading, audit),
        brief::stalls::in_full(heading, audit),
        brief::units::subsystems_in_full(heading, audit),
        brief::memory::in_full(audit),
        brief::instructions::in_full(audit),
        brief::occupancy::in_full(heading, audit),
        ceiling::section(audit),
        conditions::section(heading, audit),
        brief::provenance::in_full(heading, audit),
    ];
    let mut sections: Vec<Section> = first.chain(stated).chain(rest).collect();
    if let Some(in_full) = brief::phases::in_full(heading, audit) {
        let at = sections.iter().position(|section| section.name == "warp-states").unwrap_or(sections.len());
        sections.insert(at, in_full);
    }
    code::join(&mut sections, audit);
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_leaves_out_what_is_not_known() {
        let mut heading = Heading { subject: "gemm".into(), date: "2026-11-22".into(), ..Heading::default() };
        assert_eq!(title("Performance Audit", &heading), "Performance Audit — gemm — 2026-11-22");
        heading.subject.clear();
        heading.date.clear();
        assert_eq!(title("Performance Audit", &heading), "Performance Audit");
    }
}
