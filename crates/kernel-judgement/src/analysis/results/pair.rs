//! A version beside an old one: under which conditions, in which numbers, and what that comes to.

use crate::analysis::{
    Comparison, Limits, Setting, Standing, Timing, Verdict, Why, derive::panels::Panel, version::Version,
    versus::setting::settings,
};

/// What is measured of a version, alone or beside an old one.
pub(in crate::analysis) struct Pair {
    pub(in crate::analysis) settings: Vec<Setting>,
    pub(in crate::analysis) panels: Vec<Panel>,
    /// Times outside the profiler; `None` where the new side has none.
    pub(in crate::analysis) timing: Option<Timing>,
}

impl Pair {
    pub(in crate::analysis) fn of(new: Version<'_, '_>, old: Option<Version<'_, '_>>, limits: &Limits) -> Pair {
        let old_times = old.and_then(|old| old.side.benchmark.as_ref());
        let times = new.side.benchmark.as_ref();
        Pair {
            settings: settings(new, old),
            panels: Panel::all(new.kernel, old.map(|old| old.kernel)),
            timing: times.and_then(|times| Timing::of(times, old_times, &new.side.work, limits)),
        }
    }

    /// What the version comes to against the old one: the verdict of the profiles, with what was found by launching put into it.
    pub(in crate::analysis) fn compared(
        &self,
        new: Version<'_, '_>,
        old: Version<'_, '_>,
        limits: &Limits,
    ) -> Comparison {
        let rows = self.panels.iter().flat_map(|panel| &panel.rows);
        let mut comparison = Comparison::of(rows, new, old, &self.settings, limits);
        let whole = &mut comparison.whole;
        if !new.side.work.states_an_amount() {
            whole.warn_of_other_work(&new.profile.kernel, &old.profile.kernel);
        }
        if let Some(change) = self.timing.as_ref().and_then(|timing| timing.change.as_ref()) {
            whole.join(change.verdict, change.tells().then(|| change.percent()), limits);
        }
        if old.side.looked().standing() == Standing::Wrong {
            whole.void(Verdict::NotComparable, Why::OldWrong);
        }
        if new.side.looked().standing() == Standing::Wrong {
            whole.void(Verdict::Wrong, Why::Wrong);
        }
        comparison
    }
}
