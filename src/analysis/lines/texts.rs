//! The text of each source line said once, where an audit is kept; costs name the line.

use super::costs::SourceLines;
use super::spot::Spot;
use std::collections::BTreeMap;

impl SourceLines {
    fn spots(&mut self) -> Vec<&mut Spot> {
        let mut spots: Vec<&mut Spot> = Vec::new();
        if let Some(waits) = &mut self.waits {
            spots.extend(waits.lines.iter_mut().chain(&mut waits.hotspots).map(|line| &mut line.spot));
            let reasons = waits.reasons.iter_mut();
            spots.extend(
                reasons.flat_map(|reason| reason.lines.iter_mut().chain(&mut reason.causes)).map(|(spot, _)| spot),
            );
        }
        for accesses in [&mut self.global, &mut self.shared, &mut self.local].into_iter().flatten() {
            spots.extend(accesses.lines.iter_mut().chain(&mut accesses.instructions).map(|line| &mut line.spot));
        }
        spots.extend(self.idle_lanes.iter_mut().flatten().map(|line| &mut line.spot));
        spots.extend(self.executed.iter_mut().map(|line| &mut line.spot));
        spots.extend(self.limiting.iter_mut().flat_map(|limiting| &mut limiting.lines).map(|(spot, _)| spot));
        spots.extend(self.parked.iter_mut().map(|parked| &mut parked.at));
        spots.extend(self.atomics.iter_mut().map(|(spot, _)| spot));
        spots
    }

    /// Moves the texts of lines into one table; a line with two texts keeps them where they are.
    pub(in crate::analysis) fn gather_texts(&mut self) {
        let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
        let mut spots = self.spots();
        for spot in &spots {
            let known = texts.entry(spot.place()).or_insert_with(|| Some(spot.text.clone()));
            if known.as_ref().is_some_and(|known| *known != spot.text) {
                *known = None;
            }
        }
        for spot in &mut spots {
            if texts.get(&spot.place()).is_some_and(Option::is_some) {
                spot.text.clear();
            }
        }
        self.texts =
            texts.into_iter().filter_map(|(place, text)| Some((place, text.filter(|t| !t.is_empty())?))).collect();
    }

    /// Puts the texts of the table where they belong.
    pub(in crate::analysis) fn spread_texts(&mut self) {
        let texts = std::mem::take(&mut self.texts);
        for spot in self.spots() {
            if let Some(text) = texts.get(&spot.place()) {
                spot.text.clone_from(text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::counts::LineCount;
    use super::*;
    use crate::evidence::Lines;

    #[test]
    fn texts_come_back_even_where_a_line_has_two() {
        let spot = |line, text: &str| Spot { file: "a.cu".into(), line, text: text.into(), ..Spot::default() };
        let count = |line, text| LineCount { spot: spot(line, text), executed: 1, share: 1.0 };
        let whole = SourceLines {
            launch: 0,
            texts: BTreeMap::new(),
            lines: Lines::Known,
            has_opcodes: true,
            waits: None,
            global: None,
            shared: None,
            local: None,
            idle_lanes: None,
            executed: vec![count(1, "x"), count(1, "x"), count(2, "y"), count(2, ""), count(3, ""), count(0, "z")],
            limiting: None,
            parked: None,
            atomics: Vec::new(),
        };
        let mut kept = whole.clone();
        kept.gather_texts();
        assert_eq!(
            kept.texts.iter().map(|(at, text)| format!("{at} {text}")).collect::<Vec<_>>(),
            ["a.cu:0 z", "a.cu:1 x"]
        );
        assert!(kept.executed[0].spot.text.is_empty() && kept.executed[2].spot.text == "y");
        let text = serde_json::to_string(&kept).expect("JSON");
        let mut read: SourceLines = serde_json::from_str(&text).expect("source lines");
        read.spread_texts();
        assert_eq!(read, whole);
    }
}
