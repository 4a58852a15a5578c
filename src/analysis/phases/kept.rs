//! Phases as they are kept: numbers as exact as samples are.

use super::detail::{StallCause, Wait};
use super::model::{Phase, Phases};

/// Significant digits of a kept number; counts of samples have no more.
const DIGITS: i32 = 6;

/// A number with [`DIGITS`] significant digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.*e}", DIGITS as usize - 1).parse().unwrap_or(value)
}

impl Phases {
    /// The same with each quotient and share to six digits.
    pub(super) fn rounded(mut self) -> Phases {
        let mut round = |phase: &mut Phase| {
            let optional = [&mut phase.cycles, &mut phase.tensor, &mut phase.issue].into_iter().flatten();
            optional.chain([&mut phase.share, &mut phase.cost]).for_each(|value| *value = rounded(*value));
            for Wait { share, groups, .. } in &mut phase.waits {
                *share = rounded(*share);
                groups.iter_mut().for_each(|group| group.share = rounded(group.share));
            }
        };
        each(&mut self.phases, &mut round);
        self.roles.iter_mut().for_each(|role| each(&mut role.lines, &mut round));
        for StallCause { share, groups, .. } in &mut self.stalls {
            *share = rounded(*share);
            for group in groups {
                group.share = rounded(group.share);
                group.groups.iter_mut().for_each(|group| group.share = rounded(group.share));
            }
        }
        let time = &mut self.time;
        let optional = [
            &mut self.cycles,
            &mut self.tiles,
            &mut self.steps,
            &mut self.tensor,
            &mut self.step_efficiency,
            &mut self.drain_in_loop,
            &mut time.tensor,
            &mut time.idle,
            &mut time.empty,
            &mut time.last_wave,
        ];
        optional.into_iter().flatten().for_each(|value| *value = rounded(*value));
        self.sites.iter_mut().for_each(|site| site.share = rounded(site.share));
        self.pressure.iter_mut().for_each(|pressure| pressure.share = rounded(pressure.share));
        self.fence_chain.iter_mut().for_each(|chain| chain.cost = rounded(chain.cost));
        self.chain.iter_mut().for_each(|chain| chain.share = rounded(chain.share));
        let through = self.indirection.iter_mut().flat_map(|own| [&mut own.for_loads, &mut own.for_indices]);
        through.for_each(|value| *value = rounded(*value));
        self
    }
}

/// Calls a function with each phase and each part.
fn each(phases: &mut [Phase], call: &mut impl FnMut(&mut Phase)) {
    for phase in phases {
        call(phase);
        each(&mut phase.parts, call);
    }
}
