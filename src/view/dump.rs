//! The conclusions as JSON: for each kernel the verdict, the findings, the levers, and the readings behind them.

use super::dump_brief;
use super::reason::Reason;
use crate::analysis::code::CheckResult;
use crate::analysis::over_time::OverTime;
use crate::analysis::{
    Audit, CheckedLine, Finding, Foresight, Judgement, Lever, LeverCode, LeverOrigin, OtherVerdict, Place, Role,
    Severity, Standing, Tested, Verdict, Where, of_line,
};
use crate::catalog::{Code, Operator};
use crate::evidence::{Missing, Reading};
use crate::words::Words;
use std::io::{self, Write};

/// The schema of conclusions as a whole; its number rises when a field changes its meaning.
pub const SCHEMA: &str = "kernel-audit/analysis/4";

/// How much is written of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// All that is concluded.
    Whole,
    /// What an agent needs to go on.
    Brief {
        /// Hypotheses that earlier audits of the kernel refuted.
        refuted: Vec<String>,
    },
}

/// Writes what is concluded about kernels, one after the other, as one JSON object on one line.
pub struct Conclusions<'o> {
    out: &'o mut dyn Write,
    detail: Detail,
    is_begun: bool,
}

impl Conclusions<'_> {
    /// Nothing is written before the first kernel.
    pub fn new(detail: Detail, out: &mut dyn Write) -> Conclusions<'_> {
        Conclusions { out, detail, is_begun: false }
    }

    /// Writes those about one kernel.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn put(&mut self, audit: &Audit) -> io::Result<()> {
        self.begin()?;
        match &self.detail {
            Detail::Whole => serde_json::to_writer(&mut *self.out, &LaunchDump::of(audit))?,
            Detail::Brief { refuted } => serde_json::to_writer(&mut *self.out, &dump_brief::kernel(audit, refuted)?)?,
        }
        Ok(())
    }

    /// What stands before the next kernel.
    fn begin(&mut self) -> io::Result<()> {
        let (schema, rows) = match self.detail {
            Detail::Whole => (SCHEMA, "launches"),
            Detail::Brief { .. } => (dump_brief::SCHEMA, "kernels"),
        };
        match std::mem::replace(&mut self.is_begun, true) {
            true => self.out.write_all(b","),
            false => write!(self.out, r#"{{"schema":"{schema}","{rows}":["#),
        }
    }

    /// Writes the end.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn end(mut self) -> io::Result<()> {
        if !self.is_begun {
            self.begin()?;
        }
        self.out.write_all(b"]}\n")
    }
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
    /// What is known of its results.
    standing: Standing,
    /// `null` for a kernel whose results are wrong: its time says nothing.
    verdict: Option<VerdictDump<'a>>,
    findings: Vec<FindingDump<'a>>,
    levers: Vec<LeverDump<'a>>,
    checks: Vec<CheckDump<'a>>,
    hypotheses: Vec<HypothesisDump<'a>>,
    /// Against the old side; `null` without one.
    comparison: Option<ComparisonDump>,
    /// What each build shows against the kernel.
    code: Vec<CodeDump<'a>>,
    /// The stated checks of machine code that no build was at hand for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unchecked: Vec<CodeCheckDump<'a>>,
    /// The other kernels of the report whose time matters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<OtherDump<'a>>,
    /// What one launch does over its time, where PM sampling was collected.
    #[serde(skip_serializing_if = "Option::is_none")]
    over_time: Option<&'a OverTime>,
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
    checks: Vec<CodeCheckDump<'a>>,
    findings: Vec<FindingDump<'a>>,
}

#[derive(serde::Serialize)]
struct CodeCheckDump<'a> {
    name: &'a str,
    /// The statement in words.
    rule: &'a str,
    #[serde(serialize_with = "of_line")]
    outcome: Judgement,
    /// What was found, or why nothing can be said.
    found: &'a str,
}

#[derive(serde::Serialize)]
struct HypothesisDump<'a> {
    name: &'a str,
    change: &'a str,
    /// `confirmed`, `refuted`, `inconclusive`, `not-measured`.
    outcome: String,
    reason: String,
    /// `before` or `after` what was audited; `unknown` where git does not tell.
    stated: Foresight,
}

#[derive(serde::Serialize)]
struct VerdictDump<'a> {
    limiter: Code,
    sentence: &'a Words,
    at: Option<&'a Place>,
    readings: Vec<ReadingDump>,
}

#[derive(serde::Serialize)]
struct FindingDump<'a> {
    code: Code,
    severity: Severity,
    sentence: &'a Words,
    at: Option<&'a Place>,
    readings: Vec<ReadingDump>,
}

#[derive(serde::Serialize)]
struct LeverDump<'a> {
    code: &'a LeverCode,
    origin: LeverOrigin,
    /// Percent of the run time; `null` for a lever without a bound.
    bound: Option<f64>,
    /// What the machine expects, in percent of the time.
    expected: Option<f64>,
    /// Between what, by measured pairs of its class.
    forecast: Option<[f64; 2]>,
    at: &'a Where,
    formula: &'a str,
    remeasure: &'a str,
}

#[derive(serde::Serialize)]
struct CheckDump<'a> {
    label: &'a str,
    from: &'a str,
    op: Operator,
    wanted: f64,
    #[serde(serialize_with = "of_line")]
    outcome: Judgement,
    reading: ReadingDump,
}

#[derive(serde::Serialize)]
struct ReadingDump {
    metric: String,
    /// `null` where there is no number; `missing` then says why.
    value: Option<f64>,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
}

impl<'a> LaunchDump<'a> {
    fn of(audit: &'a Audit) -> LaunchDump<'a> {
        let (limiter, is_right) = (audit.bottleneck.limiter, audit.standing() != Standing::Wrong);
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
            standing: audit.standing(),
            verdict: (is_right && !audit.is_of_code_alone()).then(|| VerdictDump {
                limiter,
                sentence: &audit.bottleneck.sentence,
                at: finding.and_then(|finding| finding.at.as_ref()),
                readings: readings(&audit.bottleneck.readings()),
            }),
            findings: audit.findings.iter().filter(|_| is_right).map(FindingDump::of).collect(),
            levers: audit.levers.iter().map(LeverDump::of).collect(),
            checks: audit.checks.iter().map(CheckDump::of).collect(),
            hypotheses: audit.hypotheses.iter().map(HypothesisDump::of).collect(),
            comparison: audit
                .comparison
                .as_ref()
                .zip(Reason::of(audit))
                .map(|(comparison, reason)| ComparisonDump { verdict: comparison.whole.verdict, reason: reason.why() }),
            code: audit
                .code
                .iter()
                .map(|code| CodeDump {
                    arch: &code.facts.arch,
                    checks: code.checks.iter().map(CodeCheckDump::of).collect(),
                    findings: code.findings.iter().map(FindingDump::of).collect(),
                })
                .collect(),
            unchecked: audit.unchecked.iter().map(CodeCheckDump::of).collect(),
            others: audit.others.iter().filter_map(|other| OtherDump::of(audit, other)).collect(),
            over_time: audit.over_time.as_ref().filter(|_| is_right),
        }
    }
}

impl<'a> CodeCheckDump<'a> {
    fn of(check: &'a CheckResult) -> CodeCheckDump<'a> {
        CodeCheckDump { name: &check.name, rule: &check.rule, outcome: check.verdict, found: &check.found }
    }
}

impl<'a> HypothesisDump<'a> {
    fn of(tested: &'a Tested) -> HypothesisDump<'a> {
        let outcome = tested.judgement.word(Role::Hypothesis).to_lowercase().replace(' ', "-");
        let (name, change) = (&tested.name, &tested.change);
        HypothesisDump { name, change, outcome, reason: tested.say(), stated: tested.foresight }
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
            expected: lever.expected,
            forecast: lever.forecast,
            at: &lever.at,
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

fn readings(all: &[(String, Reading)]) -> Vec<ReadingDump> {
    all.iter().map(|(metric, reading)| ReadingDump::of(metric, reading)).collect()
}

impl ReadingDump {
    fn of(metric: &str, reading: &Reading) -> ReadingDump {
        let missing = match reading {
            Reading::Measured(_) => None,
            Reading::Missing(Missing::NotCollected { why, .. }) if why.is_empty() => Some("not collected".to_owned()),
            Reading::Missing(Missing::NotCollected { why, .. } | Missing::NotApplicable { why }) => {
                Some(why.to_string())
            }
        };
        let quantity = reading.quantity();
        ReadingDump {
            metric: metric.to_owned(),
            value: quantity.map(|q| q.value()),
            unit: quantity.map_or("", |q| q.unit().as_str()),
            missing,
        }
    }
}
