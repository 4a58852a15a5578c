//! The text of a source line in snapshots of schemas 5 and 6: said at the first cost that names the line.

use super::costs::SourceLines;
use super::spot::Spot;
use std::collections::HashMap;

impl SourceLines {
    fn spots(&mut self) -> Vec<&mut Spot> {
        let mut spots: Vec<&mut Spot> = Vec::new();
        if let Some(waits) = &mut self.waits {
            spots.extend(waits.lines.iter_mut().chain(&mut waits.hotspots).map(|line| &mut line.spot));
            let lines = waits.reasons.iter_mut().flat_map(|reason| reason.lines.iter_mut().chain(&mut reason.causes));
            spots.extend(lines.map(|(spot, _)| spot));
        }
        for accesses in [&mut self.global, &mut self.shared, &mut self.local].into_iter().flatten() {
            spots.extend(accesses.lines.iter_mut().chain(&mut accesses.instructions).map(|line| &mut line.spot));
        }
        spots.extend(self.idle_lanes.iter_mut().flatten().map(|line| &mut line.spot));
        spots.extend(self.executed.iter_mut().map(|line| &mut line.spot));
        spots.extend(self.parts.iter_mut().flat_map(|part| &mut part.lines).map(|(spot, _)| spot));
        spots.extend(self.atomics.iter_mut().map(|(spot, _)| spot));
        spots
    }

    /// Gives each spot the text of its line, which is said at the first.
    pub(in crate::analysis) fn say_texts_everywhere(&mut self) {
        let mut said: HashMap<String, String> = HashMap::new();
        for spot in self.spots() {
            let first = said.entry(spot.place()).or_default();
            if first.is_empty() {
                first.clone_from(&spot.text);
            } else if spot.text.is_empty() {
                spot.text.clone_from(first);
            }
        }
    }
}
