//! The conclusions as JSON: for each kernel the verdict, the findings, the levers, and the readings behind them.

use super::reason::Reason;
use crate::analysis::{
    Audit, CheckedLine, Finding, Judgement, Lever, LeverCode, LeverOrigin, OtherVerdict, Place, Severity, Verdict,
    of_line,
};
use crate::catalog::{Code, Comparison};
use crate::evidence::{Missing, Reading};
use crate::words::Words;
use std::io::{self, Write};

/// The schema that [`write_json`] writes; its number rises when a field changes its meaning.
pub const SCHEMA: &str = "kernel-audit/analysis/1";

/// Writes what is concluded about kernels of one report, in the order given, as one JSON object on one line.
///
/// # Errors
/// Those of `out`.
pub fn write_json(audits: &[Audit], out: &mut dyn Write) -> io::Result<()> {
    let launches = audits.iter().map(LaunchDump::of).collect();
    serde_json::to_writer(&mut *out, &Dump { schema: SCHEMA, launches })?;
    out.write_all(b"\n")
}

#[derive(serde::Serialize)]
struct Dump<'a> {
    schema: &'static str,
    launches: Vec<LaunchDump<'a>>,
}

#[derive(serde::Serialize)]
struct LaunchDump<'a> {
    /// ncu's ID of the first launch.
    id: Option<u32>,
    /// ncu's IDs of all launches that were summarised.
    ids: &'a [u32],
    name: &'a str,
    /// Percent of the summed time of the launches of its report, where that holds other kernels and all have a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
    verdict: VerdictDump<'a>,
    findings: Vec<FindingDump<'a>>,
    levers: Vec<LeverDump<'a>>,
    checks: Vec<CheckDump<'a>>,
    /// Against the old side; `null` without one.
    comparison: Option<ComparisonDump>,
    /// What each build shows against the kernel.
    code: Vec<CodeDump<'a>>,
    /// The other kernels of the report whose time matters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<OtherDump<'a>>,
}

#[derive(serde::Serialize)]
struct OtherDump<'a> {
    name: &'a str,
    /// Launches that were summarised.
    launches: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
    limiter: Code,
    sentence: &'a Words,
    levers: Vec<LeverDump<'a>>,
}

#[derive(serde::Serialize)]
struct ComparisonDump {
    verdict: Verdict,
    reason: String,
}

#[derive(serde::Serialize)]
struct CodeDump<'a> {
    arch: &'a str,
    findings: Vec<FindingDump<'a>>,
}

#[derive(serde::Serialize)]
struct VerdictDump<'a> {
    limiter: Code,
    sentence: &'a Words,
    at: Option<&'a Place>,
    readings: Vec<ReadingDump<'a>>,
}

#[derive(serde::Serialize)]
struct FindingDump<'a> {
    code: Code,
    severity: Severity,
    sentence: &'a Words,
    at: Option<&'a Place>,
    readings: Vec<ReadingDump<'a>>,
}

#[derive(serde::Serialize)]
struct LeverDump<'a> {
    code: &'a LeverCode,
    origin: LeverOrigin,
    /// Percent of the run time.
    bound: f64,
    formula: &'a str,
    remeasure: &'a str,
}

#[derive(serde::Serialize)]
struct CheckDump<'a> {
    label: &'a str,
    from: &'a str,
    op: Comparison,
    wanted: f64,
    #[serde(serialize_with = "of_line")]
    outcome: Judgement,
    reading: ReadingDump<'a>,
}

#[derive(serde::Serialize)]
struct ReadingDump<'a> {
    metric: &'a str,
    /// `null` where there is no number; `missing` then says why.
    value: Option<f64>,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
}

impl<'a> LaunchDump<'a> {
    fn of(audit: &'a Audit) -> LaunchDump<'a> {
        let limiter = audit.bottleneck.limiter;
        let finding = audit.findings.iter().find(|finding| finding.code == limiter);
        LaunchDump {
            id: audit.new.launches.first().copied(),
            ids: &audit.new.launches,
            name: audit.new.kernel.short_name(),
            share: audit
                .kernels
                .iter()
                .find(|kernel| kernel.is_subject)
                .and_then(|own| own.share.filter(|share| audit.kernels.len() > 1 || *share < 100.0)),
            verdict: VerdictDump {
                limiter,
                sentence: &audit.bottleneck.sentence,
                at: finding.and_then(|finding| finding.at.as_ref()),
                readings: readings(audit.bottleneck.steps.iter().flat_map(|step| &step.readings)),
            },
            findings: audit.findings.iter().map(FindingDump::of).collect(),
            levers: audit.levers.iter().map(LeverDump::of).collect(),
            checks: audit.checks.iter().map(CheckDump::of).collect(),
            comparison: audit
                .comparison
                .as_ref()
                .zip(Reason::of(audit))
                .map(|(comparison, reason)| ComparisonDump { verdict: comparison.whole.verdict, reason: reason.why() }),
            code: audit
                .code
                .iter()
                .map(|code| CodeDump {
                    arch: &code.arch,
                    findings: code.findings.iter().map(FindingDump::of).collect(),
                })
                .collect(),
            others: audit.others.iter().filter_map(|other| OtherDump::of(audit, other)).collect(),
        }
    }
}

impl<'a> OtherDump<'a> {
    fn of(audit: &'a Audit, other: &'a OtherVerdict) -> Option<OtherDump<'a>> {
        let kernel = audit.kernels.get(other.at)?;
        Some(OtherDump {
            name: kernel.kernel.short_name(),
            launches: kernel.launches,
            share: kernel.share,
            limiter: other.bottleneck.limiter,
            sentence: &other.bottleneck.sentence,
            levers: other.levers.iter().map(LeverDump::of).collect(),
        })
    }
}

impl<'a> FindingDump<'a> {
    fn of(finding: &'a Finding) -> FindingDump<'a> {
        FindingDump {
            code: finding.code,
            severity: finding.severity,
            sentence: &finding.sentence,
            at: finding.at.as_ref(),
            readings: readings(&finding.readings),
        }
    }
}

impl<'a> LeverDump<'a> {
    fn of(lever: &'a Lever) -> LeverDump<'a> {
        LeverDump {
            code: &lever.code,
            origin: lever.origin,
            bound: lever.bound,
            formula: &lever.formula,
            remeasure: &lever.remeasure,
        }
    }
}

impl<'a> CheckDump<'a> {
    fn of(line: &'a CheckedLine) -> CheckDump<'a> {
        CheckDump {
            label: &line.expected.label,
            from: &line.expected.from,
            op: line.expected.op,
            wanted: line.expected.value,
            outcome: line.outcome,
            reading: ReadingDump::of(&line.expected.reading, &line.found),
        }
    }
}

fn readings<'a>(all: impl IntoIterator<Item = &'a (String, Reading)>) -> Vec<ReadingDump<'a>> {
    all.into_iter().map(|(metric, reading)| ReadingDump::of(metric, reading)).collect()
}

impl<'a> ReadingDump<'a> {
    fn of(metric: &'a str, reading: &Reading) -> ReadingDump<'a> {
        let missing = match reading {
            Reading::Measured(_) => None,
            Reading::Missing(Missing::NotCollected { why, .. }) if why.is_empty() => Some("not collected".to_owned()),
            Reading::Missing(Missing::NotCollected { why, .. } | Missing::NotApplicable { why }) => {
                Some(why.to_string())
            }
        };
        let quantity = reading.quantity();
        ReadingDump {
            metric,
            value: quantity.map(|q| q.value()),
            unit: quantity.map_or("", |q| q.unit().as_str()),
            missing,
        }
    }
}
