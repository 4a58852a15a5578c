//! Builds of several audits side by side: resources, occupancy and instructions by class.

use super::{audit::CodeAudit, facts::CodeFacts};

/// One row: what it is, and each audit's value; `None` where an audit does not have it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct CodeColumnsRow {
    pub label: String,
    /// `B` for bytes, `%` for shares; empty for counts.
    pub unit: String,
    /// The values in the order of the audits.
    pub values: Vec<Option<f64>>,
}

/// One architecture over all audits.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct CodeColumns {
    /// `sm_90a`.
    pub arch: String,
    /// The kernel in each audit; empty where an audit has no such build.
    pub kernels: Vec<String>,
    /// Whether the machine code of each is that of the first.
    pub same_as_first: Vec<bool>,
    pub rows: Vec<CodeColumnsRow>,
}

/// The builds of some audits by architecture, in the order in which architectures are met.
pub fn code_columns(audits: &[&[CodeFacts]]) -> Vec<CodeColumns> {
    let mut archs: Vec<&str> = Vec::new();
    for code in audits.iter().copied().flatten() {
        if !archs.contains(&code.arch.as_str()) {
            archs.push(&code.arch);
        }
    }
    archs.into_iter().map(|arch| of_arch(arch, audits)).collect()
}

fn of_arch(arch: &str, audits: &[&[CodeFacts]]) -> CodeColumns {
    let sides: Vec<Option<&CodeFacts>> =
        audits.iter().map(|codes| codes.iter().find(|code| code.arch == arch)).collect();
    let first = sides.iter().flatten().next().map(|code| code.code_sha256.as_str());
    CodeColumns {
        arch: arch.into(),
        kernels: sides.iter().map(|side| side.map(|code| code.kernel.clone()).unwrap_or_default()).collect(),
        same_as_first: sides.iter().map(|side| side.map(|code| code.code_sha256.as_str()) == first).collect(),
        rows: rows(&sides),
    }
}

/// The numbers of several builds side by side, whatever they are built for.
pub fn code_rows(codes: &[CodeAudit]) -> Vec<CodeColumnsRow> {
    rows(&codes.iter().map(|code| Some(&code.facts)).collect::<Vec<_>>())
}

fn rows(sides: &[Option<&CodeFacts>]) -> Vec<CodeColumnsRow> {
    let mut labels: Vec<(String, &str)> = Vec::new();
    let values: Vec<Vec<(String, &str, f64)>> = sides.iter().map(|side| side.map(facts).unwrap_or_default()).collect();
    for (label, unit, _) in values.iter().flatten() {
        if !labels.iter().any(|(known, _)| known == label) {
            labels.push((label.clone(), unit));
        }
    }
    let row = |(label, unit): (String, &str)| {
        let of = |facts: &Vec<(String, &str, f64)>| facts.iter().find(|fact| fact.0 == label).map(|fact| fact.2);
        CodeColumnsRow { unit: unit.into(), values: values.iter().map(of).collect(), label }
    };
    labels.into_iter().map(row).collect()
}

/// The row of all instructions, behind those of resources and in front of those of classes.
pub const INSTRUCTIONS: &str = "Instructions";

fn facts(code: &CodeFacts) -> Vec<(String, &'static str, f64)> {
    let resource = |row: &super::ResourceRow| {
        let value = row.ptxas.or(row.cubin).or(row.launch)?;
        Some((row.label.clone(), if row.unit == "B" { "B" } else { "" }, value as f64))
    };
    let mut all: Vec<(String, &'static str, f64)> = code.resources.iter().filter_map(resource).collect();
    all.push((INSTRUCTIONS.into(), "", code.instructions as f64));
    all.extend(code.classes.iter().map(|class| (class.label().to_owned(), "", class.count as f64)));
    all
}
