//! What a snapshot keeps of a launch by instruction: everything but the text of its source, of which the lines stay that the page
//! shows.

use crate::analysis::lines::{short_names, shortened};
use crate::analysis::phases::{Phases, is_product};
use crate::analysis::{Audit, Evidence, SourceLines, Spot, profile::OtherProfile};
use crate::evidence::{CounterColumn, Instruction, SourceLine, SourceView, Value};
use arcstr::ArcStr;
use std::collections::HashSet;
use std::sync::Arc;

/// A line as pages name it: the file's name without folders, or with one, and the number.
type Shown = HashSet<(String, u32)>;

impl Evidence {
    /// The evidence as the snapshot of an audit of it keeps it.
    #[must_use]
    pub fn kept(mut self, audit: &Audit) -> Evidence {
        let calls = |phases: Option<&Phases>| phases.map(named).unwrap_or_default();
        let spots = audit.source.iter().flat_map(SourceLines::spots).filter(|spot| !spot.text.is_empty());
        let own: Shown = spots
            .map(|spot: &Spot| (spot.place.file.clone(), spot.place.line))
            .chain(calls(audit.now.phases.as_ref()))
            .collect();
        let beside =
            audit.trials.reference.as_ref().map(|reference| calls(reference.phases.as_ref())).unwrap_or_default();
        let profiles = [
            (self.new.profile.as_mut(), own),
            (
                self.old.as_mut().and_then(|old| old.profile.as_mut()),
                calls(audit.before.as_ref().and_then(|old| old.phases.as_ref())),
            ),
            (self.reference.as_mut().map(|reference| &mut reference.profile), beside),
        ];
        for (profile, shown) in profiles {
            let Some(profile) = profile else { continue };
            let of_other = |other: &OtherProfile| {
                let own = profile.other(other)?;
                let shown = calls(own.studied(&own.summary(), &audit.limits).phases.as_ref());
                Some(Arc::new(kept(other.instructions.as_ref()?, &shown)))
            };
            let others: Vec<Option<Arc<SourceView>>> = profile.others.iter().map(of_other).collect();
            profile.others.iter_mut().zip(others).for_each(|(other, view)| other.instructions = view);
            if let Some(view) = &mut profile.instructions {
                *view = Arc::new(kept(view, &shown));
            }
        }
        self
    }
}

/// The lines whose text names a phase.
fn named(phases: &Phases) -> Shown {
    let parts = phases.phases.iter().flat_map(|phase| std::iter::once(phase).chain(&phase.parts));
    let named = parts.filter_map(|phase| phase.name.as_ref());
    named.map(|name| (name.call.file.clone(), name.call.line)).collect()
}

fn kept(view: &SourceView, shown: &Shown) -> SourceView {
    let names = short_names(view);
    let is_shown =
        |place: &SourceLine| names.get(&place.file).is_some_and(|name| shown.contains(&(name.clone(), place.line)));
    // A line is looked up by its number, whatever function it stands in.
    let bare = |place: &SourceLine| SourceLine { function: None, ..place.clone() };
    let places: HashSet<SourceLine> = view.instructions.iter().flat_map(|row| row.places.iter()).map(bare).collect();
    let text = |place: &SourceLine| Some((place.clone(), shortened(view.text(place)?).into()));
    let mut texts: Vec<(SourceLine, ArcStr)> = places.iter().filter(|place| is_shown(place)).filter_map(text).collect();
    let multiplying = view.instructions.iter().filter(|row| row.op().is_product());
    let products: HashSet<SourceLine> = multiplying.flat_map(|row| row.places.iter()).map(bare).collect();
    let mut products: Vec<SourceLine> = products.into_iter().filter(|place| is_product(view, place)).collect();
    let key = |place: &SourceLine| (place.file.clone(), place.line);
    texts.sort_by_key(|(place, _)| key(place));
    products.sort_by_key(key);
    let mut function = 0;
    let rows = view.instructions.iter().enumerate().map(|(at, row)| {
        function += usize::from(at > 0 && row.function != view.instructions[at - 1].function);
        Instruction { function: function.to_string().into(), text: None, ..row.clone() }
    });
    let counted = |column: &CounterColumn| {
        let counts = view.counts(&column.metric)?.into_iter().enumerate().filter(|(_, count)| *count > 0);
        let values = counts.map(|(row, count)| (row as u32, Value::U64(count))).collect();
        Some(CounterColumn { values, unplaced: 0, ..column.clone() })
    };
    SourceView {
        launch: view.launch,
        name: view.name.clone(),
        lines: view.lines.clone(),
        capability: view.capability,
        instructions: rows.collect(),
        columns: view.columns.iter().filter_map(counted).collect(),
        texts: Vec::new(),
        shown: texts,
        products,
    }
}
