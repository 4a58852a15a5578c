//! The conclusions as JSON: for each kernel the verdict, the findings, the levers, and the readings behind them.

use super::dump_brief;
use super::reason::Reason;
use crate::analysis::code::CheckResult;
use crate::analysis::{Audit, CheckedLine, Finding, Judgement, Lever, OtherVerdict, Role, Standing, Tested, of_line};
use crate::evidence::{Missing, Reading};
use serde_json::{Value, json};
use std::io::{self, Write};

/// The schema of conclusions as a whole; its number rises when a field changes its meaning.
pub const SCHEMA: &str = "kernel-audit/analysis/4";

/// How much is written of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
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

    pub fn put(&mut self, audit: &Audit) -> io::Result<()> {
        self.begin()?;
        match &self.detail {
            Detail::Whole => serde_json::to_writer(&mut *self.out, &launch(audit)?)?,
            Detail::Brief { refuted } => serde_json::to_writer(&mut *self.out, &dump_brief::kernel(audit, refuted)?)?,
        }
        Ok(())
    }

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

    pub fn end(mut self) -> io::Result<()> {
        if !self.is_begun {
            self.begin()?;
        }
        self.out.write_all(b"]}\n")
    }
}

/// All that is concluded about a kernel. Of wrong results there is no verdict (`null`), no finding and no shape: their time says
/// nothing. What only some audits have is a key of theirs alone.
fn launch(audit: &Audit) -> io::Result<Value> {
    let (limiter, is_right) = (audit.now.bottleneck.limiter, audit.standing() != Standing::Wrong);
    let at = audit.now.findings.iter().find(|finding| finding.code == limiter).map(|finding| &finding.at);
    let verdict = (is_right && !audit.is_of_code_alone()).then(|| {
        json!({
            "limiter": limiter,
            "sentence": audit.now.bottleneck.sentence,
            "at": at,
            "readings": readings(&audit.now.bottleneck.readings()),
        })
    });
    let comparison = audit.comparison().zip(Reason::of(audit));
    let comparison =
        comparison.map(|(comparison, reason)| json!({ "verdict": comparison.whole.verdict, "reason": reason.why() }));
    let build = |code: &crate::analysis::code::CodeAudit| -> io::Result<Value> {
        Ok(json!({
            "arch": code.facts.arch,
            "checks": code.checks.iter().map(of_code).collect::<io::Result<Vec<_>>>()?,
            "findings": code.findings.iter().map(finding).collect::<Vec<_>>(),
        }))
    };
    let mut all = json!({
        // ncu's IDs of the launches that were summarised, the first by itself.
        "id": audit.now.artefact.launches.first(),
        "ids": audit.now.artefact.launches,
        "name": audit.now.artefact.kernel.short_name(),
        "standing": audit.standing(),
        "verdict": verdict,
        "findings": audit.now.findings.iter().filter(|_| is_right).map(finding).collect::<Vec<_>>(),
        "levers": audit.now.levers.iter().map(lever).collect::<Vec<_>>(),
        "checks": audit.checks.iter().map(checked).collect::<io::Result<Vec<_>>>()?,
        "hypotheses": audit.hypotheses.iter().map(hypothesis).collect::<Vec<_>>(),
        "comparison": comparison,
        "code": audit.code.iter().map(build).collect::<io::Result<Vec<_>>>()?,
    });
    // Percent of the summed time of the launches of its report, where that holds other kernels and all have a time.
    let own = audit.report.kernels.iter().find(|kernel| kernel.is_subject).and_then(|own| own.share);
    if let Some(share) = own.filter(|share| audit.report.kernels.len() > 1 || *share < 100.0) {
        all["share"] = json!(share);
    }
    if !audit.unchecked.is_empty() {
        all["unchecked"] = json!(audit.unchecked.iter().map(of_code).collect::<io::Result<Vec<_>>>()?);
    }
    let others: Vec<Value> = audit.report.others.iter().filter_map(|one| other(audit, one)).collect();
    if !others.is_empty() {
        all["others"] = json!(others);
    }
    if let Some(over_time) = audit.now.over_time.as_ref().filter(|_| is_right) {
        all["over_time"] = serde_json::to_value(over_time)?;
    }
    Ok(all)
}

/// A judgement as it is called of a line of a checklist.
fn outcome(of: Judgement) -> io::Result<Value> {
    Ok(of_line(&of, serde_json::value::Serializer)?)
}

/// A check of machine code: its statement in words, and what was found, or why nothing can be said.
fn of_code(check: &CheckResult) -> io::Result<Value> {
    let outcome = outcome(check.verdict)?;
    Ok(json!({ "name": check.name, "rule": check.rule, "outcome": outcome, "found": check.found }))
}

fn checked(line: &CheckedLine) -> io::Result<Value> {
    Ok(json!({
        "label": line.expected.label,
        "from": line.expected.from,
        "op": line.expected.op,
        "wanted": line.expected.value,
        "outcome": outcome(line.outcome)?,
        "reading": reading(&line.expected.reading, &line.found),
    }))
}

/// A hypothesis: `outcome` is `confirmed`, `refuted`, `inconclusive` or `not-measured`; `stated` is `before` or `after` what was
/// audited, `unknown` where git does not tell.
fn hypothesis(tested: &Tested) -> Value {
    let outcome = tested.judgement.word(Role::Hypothesis).to_lowercase().replace(' ', "-");
    json!({
        "name": tested.name,
        "change": tested.change,
        "outcome": outcome,
        "reason": tested.say(),
        "stated": tested.foresight,
    })
}

/// Another kernel of the report; `None` of one that the report does not have.
fn other(audit: &Audit, other: &OtherVerdict) -> Option<Value> {
    let kernel = audit.report.kernels.get(other.at)?;
    let mut all = json!({
        "name": kernel.kernel.short_name(),
        "launches": kernel.launches,
        "limiter": other.bottleneck.limiter,
        "sentence": other.bottleneck.sentence,
        "levers": other.levers.iter().map(lever).collect::<Vec<_>>(),
    });
    if let Some(share) = kernel.share {
        all["share"] = json!(share);
    }
    Some(all)
}

fn finding(finding: &Finding) -> Value {
    json!({
        "code": finding.code,
        "severity": finding.severity,
        "sentence": finding.sentence,
        "at": finding.at,
        "readings": readings(&finding.readings),
    })
}

/// A lever: `bound` in percent of the run time, `null` without one; `expected` by the machine, in percent of the time, and `forecast`
/// between what by measured pairs of its class.
fn lever(lever: &Lever) -> Value {
    json!({
        "code": lever.code,
        "origin": lever.origin,
        "bound": lever.bound,
        "expected": lever.expected,
        "forecast": lever.forecast,
        "at": lever.at,
        "formula": lever.formula,
        "remeasure": lever.remeasure,
    })
}

fn readings(all: &[(String, Reading)]) -> Vec<Value> {
    all.iter().map(|(metric, found)| reading(metric, found)).collect()
}

/// A reading: `value` is `null` where there is no number, and `missing` then says why.
fn reading(metric: &str, found: &Reading) -> Value {
    let quantity = found.quantity();
    let unit = quantity.map_or("", |quantity| quantity.unit().as_str());
    let mut all = json!({ "metric": metric, "value": quantity.map(|quantity| quantity.value()), "unit": unit });
    match found {
        Reading::Measured(_) => {}
        Reading::Missing(Missing::NotCollected { why, .. }) if why.is_empty() => {
            all["missing"] = json!("not collected")
        }
        Reading::Missing(Missing::NotCollected { why, .. } | Missing::NotApplicable { why }) => {
            all["missing"] = json!(why.to_string());
        }
    }
    all
}
