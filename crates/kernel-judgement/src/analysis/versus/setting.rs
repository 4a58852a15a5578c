//! Under which conditions each side was measured, and what a difference means for the comparison.

use crate::analysis::{Side, Work, public_text, version::Version};
use crate::catalog::Counter;
use crate::evidence::Session;
use crate::quantity::format;

/// What a difference in a condition does to the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// Times of the two sides do not compare.
    Breaks,
    /// Small differences in time may come from it.
    Weakens,
    /// Worth knowing; usually the change itself.
    Informs,
}

/// One condition on both sides.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Setting {
    pub id: String,
    pub label: String,
    /// The new side; `None` where the report does not say.
    pub new: Option<String>,
    /// The old side; `None` where the report does not say or there is none.
    pub old: Option<String>,
    pub weight: Weight,
    /// The new side's over the old side's, of a clock that both tell.
    #[serde(skip)]
    ratio: Option<f64>,
}

/// Clocks by the id of their condition.
const CLOCKS: [(&str, Counter); 2] =
    [("sm-clock", Counter::GpcCyclesElapsedAvgPerSecond), ("dram-clock", Counter::DramCyclesElapsedAvgPerSecond)];

impl Setting {
    /// Whether both sides say it and differ.
    pub fn differs(&self) -> bool {
        matches!((&self.new, &self.old), (Some(new), Some(old)) if new != old)
    }

    /// Whether they differ by more than clocks do from launch to launch, which cycles and time side by side tell already.
    pub fn sets_apart(&self) -> bool {
        const DRIFT: f64 = 0.02;
        self.differs() && self.ratio.is_none_or(|ratio| (ratio - 1.0).abs() >= DRIFT)
    }
}

/// What clock control says of clocks that were held, and cache control of caches that were emptied.
const LOCKED: &str = "locked to base";
const FLUSHED: &str = "all";

/// Whether the clocks of the new side were free to move; `None` where nobody knows.
pub fn clocks_are_free(settings: &[Setting]) -> Option<bool> {
    said(settings, "clock-control").map(|control| control != LOCKED)
}

/// Whether caches were emptied before each launch of the new side, which is ncu's default.
pub fn caches_are_flushed(settings: &[Setting]) -> bool {
    said(settings, "cache-control") == Some(&of_default(FLUSHED))
}

fn said<'a>(settings: &'a [Setting], id: &str) -> Option<&'a str> {
    settings.iter().find(|setting| setting.id == id)?.new.as_deref()
}

fn of_default(value: &str) -> String {
    format!("{value} (ncu's default)")
}

type Reader = fn(Version<'_, '_>) -> Option<String>;

const CONDITIONS: [(&str, &str, Weight, Reader); 17] = [
    ("gpu", "GPU", Weight::Breaks, gpu),
    ("sm-count", "SMs", Weight::Breaks, |s| s.kernel.device().sm_count.map(|n| n.to_string())),
    ("driver", "Display driver", Weight::Weakens, driver),
    ("cuda", "CUDA of the driver", Weight::Weakens, |s| text(&s.profile.session.cuda_version)),
    ("ncu", "Nsight Compute", Weight::Weakens, |s| text(s.profile.session.ncu_version.split_whitespace().next()?)),
    ("clock-control", "Clock control", Weight::Breaks, clock_control),
    ("sm-clock", "SM clock, measured", Weight::Weakens, |s| clock(s, CLOCKS[0].1)),
    ("dram-clock", "DRAM clock, measured", Weight::Weakens, |s| clock(s, CLOCKS[1].1)),
    ("cache-control", "Cache control", Weight::Breaks, |s| option(&s.profile.session, "--cache-control", FLUSHED)),
    ("replay", "Replay mode", Weight::Weakens, |s| option(&s.profile.session, "--replay-mode", "kernel")),
    ("passes", "Passes", Weight::Informs, |s| {
        s.kernel.value(Counter::ProfilerReplayerPasses).map(|v| format::fixed(v, 0))
    }),
    ("metric-set", "Metric selection", Weight::Informs, |s| metric_set(&s.profile.session)),
    ("kernel", "Kernel", Weight::Informs, |s| Some(s.kernel.key().short_name().to_string())),
    ("grid", "Grid", Weight::Informs, |s| s.kernel.key().grid.map(|d| d.to_string())),
    ("block", "Block", Weight::Informs, |s| s.kernel.key().block.map(|d| d.to_string())),
    ("launches", "Launches summarised", Weight::Informs, |s| Some(s.kernel.launches.to_string())),
    ("command", "Program", Weight::Informs, program),
];

/// All conditions of both sides; those that neither side states are left out.
pub(in crate::analysis) fn settings(new: Version<'_, '_>, old: Option<Version<'_, '_>>) -> Vec<Setting> {
    let ratio = |id: &str| {
        let (_, counter) = CLOCKS.into_iter().find(|(own, _)| *own == id)?;
        Some(new.kernel.value(counter)? / old?.kernel.value(counter)?)
    };
    let read = |(id, label, weight, read): &(&str, &str, Weight, Reader)| Setting {
        ratio: ratio(id),
        id: (*id).into(),
        label: (*label).into(),
        new: read(new),
        old: old.and_then(read),
        weight: *weight,
    };
    let stated = CONDITIONS.iter().map(read).filter(|s| s.new.is_some() || s.old.is_some());
    let environment = of_environment(new.side, old.map(|old| old.side));
    let of_both = old.iter().flat_map(|old| of_work(&new.side.work, &old.side.work));
    stated.chain(environment).chain(of_both).collect()
}

/// What was set in the environment of a collection and makes launches take another time; `None` where nothing was on either side.
fn of_environment(new: &Side, old: Option<&Side>) -> Option<Setting> {
    const NONE: &str = "nothing that changes times";
    let said = |side: &Side| {
        let variables = side.collected.as_ref()?.variables().into_iter().collect::<Vec<_>>().join(", ");
        Some(if variables.is_empty() { NONE.into() } else { variables })
    };
    let (new, old) = (said(new), old.and_then(said));
    let is_set = [&new, &old].into_iter().flatten().any(|said| said != NONE);
    is_set.then(|| Setting {
        id: "environment".into(),
        label: "Set in the environment".into(),
        new,
        old,
        weight: Weight::Weakens,
        ratio: None,
    })
}

/// Stated work as a condition, where both sides state it and otherwise.
fn of_work(new: &Work, old: &Work) -> Vec<Setting> {
    let flop = |work: &Work| work.flop.map(|flop| format!("{} FLOP", format::integer(flop)));
    let bytes = |work: &Work| work.bytes.map(|bytes| format!("{} B", format::integer(bytes)));
    [(flop(new), flop(old)), (bytes(new), bytes(old))]
        .into_iter()
        .filter(|(new, old)| new.is_some() && old.is_some() && new != old)
        .map(|(new, old)| Setting {
            id: "work".into(),
            label: "Stated work".into(),
            new,
            old,
            weight: Weight::Breaks,
            ratio: None,
        })
        .collect()
}

fn text(value: &str) -> Option<String> {
    (!value.is_empty()).then(|| value.to_string())
}

fn gpu(version: Version<'_, '_>) -> Option<String> {
    let device = &version.kernel.device();
    let arch = device.compute_capability.map(|(major, minor)| format!("sm_{major}{minor}"));
    match (device.name.is_empty(), arch) {
        (false, Some(arch)) => Some(format!("{} ({arch})", device.name)),
        (false, None) => Some(device.name.to_string()),
        (true, arch) => arch,
    }
}

fn driver(version: Version<'_, '_>) -> Option<String> {
    let own = version.kernel.driver.filter(|v| *v > 0.0).map(|v| v.to_string());
    text(&version.profile.session.driver_version).or(own)
}

fn clock_control(version: Version<'_, '_>) -> Option<String> {
    let status = version.kernel.clock?;
    Some(match (status.requested, status.executed) {
        (_, true) => LOCKED.into(),
        (true, false) => "lock refused, clocks free".into(),
        (false, false) => "none, clocks free".into(),
    })
}

/// Clocks drift: they are compared to the precision that is printed, on both sides in the same unit.
fn clock(version: Version<'_, '_>, id: Counter) -> Option<String> {
    Some(format!("{} GHz", format::fixed(version.kernel.reading(id).value()? / 1e9, 2)))
}

/// An option of the ncu command line, or its documented default where the line is known and does not set it.
fn option(session: &Session, name: &str, default: &str) -> Option<String> {
    let mut words = session.command_line.split_whitespace();
    if session.command_line.is_empty() {
        return None;
    }
    while let Some(word) = words.next() {
        if let Some(value) = word.strip_prefix(name) {
            let value = value.strip_prefix('=').or_else(|| words.next())?;
            // The default is the same condition whether it was spelled out or not.
            return Some(if value == default { of_default(default) } else { value.to_owned() });
        }
    }
    Some(of_default(default))
}

fn metric_set(session: &Session) -> Option<String> {
    let mut picked = Vec::new();
    let mut words = session.command_line.split_whitespace().peekable();
    while let Some(word) = words.next() {
        for name in ["--set", "--section", "--metrics"] {
            let value = match word.strip_prefix(name) {
                Some("") => words.peek().map(|next| (*next).to_string()),
                Some(rest) => rest.strip_prefix('=').map(str::to_string),
                None => None,
            };
            picked.extend(value.map(|value| if name == "--metrics" { "own metrics".into() } else { value }));
        }
    }
    picked.dedup();
    (!picked.is_empty()).then(|| picked.join(", "))
}

/// What ran, without home folders: the base name of the profiled process.
fn program(version: Version<'_, '_>) -> Option<String> {
    text(&version.kernel.program).map(|name| public_text(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(command_line: &str) -> Session {
        Session { command_line: command_line.into(), ..Session::default() }
    }

    #[test]
    fn options_come_from_the_command_line_or_are_the_default() {
        let line = session("ncu --set full --cache-control none --replay-mode=application ./app");
        assert_eq!(option(&line, "--cache-control", "all").as_deref(), Some("none"));
        assert_eq!(option(&line, "--replay-mode", "kernel").as_deref(), Some("application"));
        assert_eq!(option(&session("ncu ./app"), "--cache-control", "all").as_deref(), Some("all (ncu's default)"));
        let spelled = session("ncu --cache-control all ./app");
        assert_eq!(option(&spelled, "--cache-control", "all").as_deref(), Some("all (ncu's default)"));
        assert_eq!(option(&session(""), "--cache-control", "all"), None);
        assert_eq!(metric_set(&line).as_deref(), Some("full"));
    }

    #[test]
    fn clocks_that_drift_set_no_sides_apart() {
        let setting = |old: &str, new: &str, ratio: Option<f64>| Setting {
            id: "sm-clock".into(),
            label: "SM clock, measured".into(),
            new: Some(new.into()),
            old: Some(old.into()),
            weight: Weight::Weakens,
            ratio,
        };
        let drift = setting("1.97 GHz", "1.98 GHz", Some(1.98 / 1.97));
        assert!(drift.differs() && !drift.sets_apart());
        assert!(setting("1.97 GHz", "1.80 GHz", Some(1.80 / 1.97)).sets_apart());
        assert!(setting("13.0", "12.9", None).sets_apart());
    }
}
