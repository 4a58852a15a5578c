//! What an agent needs to go on, in at most 2 kB a kernel: standing, limiter, the first changes, what was refuted before.

use super::brief::{actions, next::place_of};
use super::reason::Reason;
use crate::analysis::{Audit, Judgement, KernelKey, Lever, Standing, Verdict};
use crate::catalog::Code;
use crate::words::Words;
use std::io;

pub(super) const SCHEMA: &str = "kernel-audit/brief/1";
/// Bytes that a kernel takes at most.
const MOST: usize = 2000;
const CHANGES: usize = 3;
/// Characters of a sentence.
const SENTENCE: usize = 360;

#[derive(serde::Serialize)]
pub(super) struct Kernel {
    name: String,
    standing: Standing,
    /// `null` for a kernel whose results are wrong.
    limiter: Option<Code>,
    sentence: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    at: String,
    next: Vec<Change>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Compared>,
    /// Hypotheses that a measurement refuted, this one's first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refuted: Vec<String>,
}

#[derive(serde::Serialize)]
struct Change {
    code: String,
    #[serde(rename = "do")]
    action: String,
    /// `gemm.cu:20`, `launch`, or the function where no line is known.
    at: String,
    /// Between what percent of the run time measured changes of this kind saved; `null` where too few were measured.
    forecast: Option<[f64; 2]>,
    /// Percent of the run time that it saves at most; `null` without a bound.
    ceiling: Option<f64>,
    why: String,
    check: String,
}

#[derive(serde::Serialize)]
struct Compared {
    verdict: Verdict,
    reason: String,
}

/// What is concluded about a kernel; `before` names what earlier audits of it refuted.
pub(super) fn kernel(audit: &Audit, before: &[String]) -> io::Result<Kernel> {
    let is_right = audit.standing() != Standing::Wrong;
    let limiter = audit.now.bottleneck.limiter;
    let finding = audit.now.findings.iter().find(|finding| finding.code == limiter);
    let own = audit.hypotheses.iter().filter(|one| one.judgement == Judgement::Fails).map(|one| one.name.clone());
    let mut refuted: Vec<String> = own.collect();
    refuted.extend(before.iter().filter(|name| !refuted.contains(name)).cloned().collect::<Vec<_>>());
    let sentence = match is_right {
        true => said(&audit.now.bottleneck.sentence),
        false => "The results are wrong: nothing is said of the performance.".to_owned(),
    };
    let at = finding.and_then(|finding| finding.at.as_ref());
    let at = at.map(|at| format!("{}:{}", at.file, at.line)).unwrap_or_default();
    let mut kernel = Kernel {
        name: cut(audit.now.artefact.kernel.short_name()),
        standing: audit.standing(),
        limiter: is_right.then_some(limiter),
        sentence,
        at: cut(&at),
        next: actions::shown(audit)
            .into_iter()
            .take(CHANGES)
            .map(|lever| change(lever, &audit.now.artefact.kernel))
            .collect(),
        comparison: audit
            .comparison()
            .zip(Reason::of(audit))
            .map(|(comparison, reason)| Compared { verdict: comparison.whole.verdict, reason: cut(&reason.why()) }),
        refuted: refuted.iter().map(|name| cut(name)).collect(),
    };
    // The last changes and the oldest refutations go first.
    while serde_json::to_vec(&kernel)?.len() > MOST {
        if kernel.refuted.len() > CHANGES {
            kernel.refuted.pop();
        } else if kernel.next.len() > 1 {
            kernel.next.pop();
        } else if kernel.refuted.pop().is_none() {
            break;
        }
    }
    Ok(kernel)
}

fn change(lever: &Lever, kernel: &KernelKey) -> Change {
    Change {
        code: lever.code.to_string(),
        action: said(&lever.sentence),
        at: cut(&place_of(&lever.at, kernel).to_plain()),
        forecast: lever.forecast.map(|ends| ends.map(tenths)),
        ceiling: lever.bound.map(tenths),
        why: said(&lever.why),
        check: said(&lever.check),
    }
}

fn tenths(percent: f64) -> f64 {
    (percent * 10.0).round() / 10.0
}

fn said(words: &Words) -> String {
    cut(&words.to_plain())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SENTENCE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
