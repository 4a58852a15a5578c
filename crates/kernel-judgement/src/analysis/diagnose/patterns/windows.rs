//! Sums and extremes of windows, whose neighbours hold the same values but for the ends.

use super::work::{asked_again, executed_on};
use super::*;
use crate::analysis::phases::Window;

/// What a window that slides reads for an output: what comes in, what goes out, and its part of the first window.
const OF_A_WINDOW: f64 = 3.0;

/// Outputs for each value that is brought, of windows that overlap: what lies beside the outputs of a block is brought for several blocks.
const OUTPUTS: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// Places an output that are expected to be left, and at best. Of several axes a window goes along the longest by itself, and what it makes
/// there along the others; at best it slides along each.
fn left(axes: &[f64]) -> [f64; 2] {
    let (all, most) = (axes.iter().product::<f64>(), axes.iter().copied().fold(1.0, f64::max));
    let slides = OF_A_WINDOW * axes.len() as f64;
    if axes.len() > 1 { [all / most + most, slides.min(all / most + most)] } else { [slides; 2] }
}

/// Whether about as many outputs are made as values are brought, so that each of these is one of as many windows as a window has places.
fn is_shared(m: &Measures<'_>, study: &Study<'_>, window: &Window) -> Option<bool> {
    let code = &study.code;
    let brought = if code.op(window.loads[0]).loads_shared() {
        let stores = code.run().filter(|row| code.op(*row).stores_shared() || code.op(*row).copies_global());
        let bytes = |row: usize| study.width(row).or_else(|| study.narrow(row)).unwrap_or(32) as f64 / 8.0;
        stores.map(|row| code.lanes_of(row) as f64 * bytes(row)).sum()
    } else {
        m.dram_read()?
    };
    let outputs = window.outputs * window.bytes * window.arrays / brought;
    Some(window.overlaps || OUTPUTS.contains(&outputs))
}

/// One axis of a window after the other, or one that slides along its axis, in place of all of its values for each output.
pub(super) fn window(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let code = &study.code;
    let gone = |window: &Window, left: f64| (1.0 - left / window.places()).max(0.0);
    let of_rows = |window: &Window| code.sum(&window.rows) as f64 * gone(window, left(&window.axes)[0]);
    let is_own = |window: &Window| {
        window.places() > 2.0 * OF_A_WINDOW && of_rows(window) > 0.0 && is_shared(m, study, window) == Some(true)
    };
    let window = study.windows().into_iter().filter(is_own).max_by(|a, b| of_rows(a).total_cmp(&of_rows(b)))?;
    let [expected, best] = left(&window.axes).map(|left| gone(&window, left));
    let on = |part: Part| {
        let runs = m.runs(part)?;
        let own = code.sum(window.rows.iter().filter(|row| runs(code.op(**row)))) as f64;
        Some((own / executed_on(m, part)?).min(1.0))
    };
    let of_issue = (code.sum(&window.rows) as f64 / m.executed()?).min(1.0);
    let draft = m.machine.inside().into_iter().fold(Draft::new(Action::RegisterTile).rewrites(), |draft, part| {
        let own = on(part).unwrap_or(of_issue);
        draft.keeps(&[part], 1.0 - expected * own, 1.0 - best * own)
    });
    let is_global = code.op(window.loads[0]).loads_global();
    let of_sectors = study.sectors().map_or(0.0, |[sectors, _]| {
        let own: u64 = window.loads.iter().map(|row| sectors[*row]).sum();
        own as f64 / sectors.iter().sum::<u64>().max(1) as f64
    });
    let of_stage = if is_global { of_sectors } else { of_stage(m, &window.loads).unwrap_or_default() };
    let of_l2 = (expected * of_sectors).min(asked_again(m));
    let (reason, waits) =
        if is_global { (StallReason::LongScoreboard, FOR_LOADS) } else { (StallReason::ShortScoreboard, FOR_SHARED) };
    let caused = study.samples.at_causes(reason.into());
    let part =
        window.loads.iter().map(|row| caused[*row]).sum::<u64>() as f64 / caused.iter().sum::<u64>().max(1) as f64;
    let of_each = m.waits(&OF_EACH) + m.waits(&[StallReason::MathPipeThrottle]);
    let freed = part * m.waits(&waits) + of_issue * of_each;
    let draft = draft
        .keeps(&L1, 1.0 - expected * of_stage, 1.0 - best * of_stage)
        .stays(&[Part::MemoryL2], 1.0 - of_l2)
        .frees(expected * freed, best * freed)
        .at(At::row(study, window.loads[0]));
    let axes: Vec<String> = window.axes.iter().map(|places| fixed(*places, 0).to_string()).collect();
    let how = match (window.axes.len() > 1, window.is_sum) {
        (true, _) => {
            "One axis of the window after the other: what is made along one serves all outputs along the next; there several outputs a thread, or a window that slides"
        }
        (_, true) => {
            "A window that slides: a thread goes through several outputs, takes in what comes and takes away what goes"
        }
        (_, false) => {
            "A window that slides: of stretches of its length the largest up to each place, from the front and from the back; two of them are one window"
        }
    };
    let places = words!("{} places of {} memory", axes.join(" × "), if is_global { "global" } else { "shared" });
    let loads = window.places() * window.arrays;
    let why = words!("{}, {} loads an output; those beside it read the same", places, fixed(loads, 0));
    let rounds = if window.is_sum { "; rounding of sums that go on for long" } else { "" };
    let draft = draft.says(how, why).risks(words!("fewer threads{}", rounds));
    let then = loads * (1.0 - expected);
    let check = words!("loads an output {} → {}", fixed(loads, 0), fixed(then, 0));
    Some(draft.checks(check, EXECUTED))
}

#[cfg(test)]
mod tests {
    use super::left;

    #[test]
    fn a_window_slides_along_one_axis_and_goes_along_several_one_after_the_other() {
        assert_eq!(left(&[64.0]), [3.0; 2]);
        // A row of 13, then a column of 13 of what rows left.
        assert_eq!(left(&[13.0, 13.0]), [26.0, 6.0]);
        assert_eq!(left(&[5.0, 5.0, 5.0]), [30.0, 9.0]);
    }
}
