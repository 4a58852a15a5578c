//! The text of `audit explain`: one name, one paragraph, from whichever catalog knows it.

use super::explain_chip::{chip_named, of_chip};
use super::explain_metric::{by_name, reading};
use super::replaced::{ReplacedRow, replaced};
use super::{
    AliasKind, AliasRow, Better, Checklist, LeverRow, LimiterKind, LimiterRow, MetricRow, ReadingForm, ReadingName,
    StallFamily, StallRow, ThresholdRow, WordRow, check_metric_name, check_reading, checklist, collection::section,
    explanation::Explanation, known::alike, lever, levers, limiter, limiters, metric, metrics, sass_aliases, stall,
    stall_of_metric, stalls, threshold_row, thresholds, word, words,
};
use cuda_binary::{Class, Op};
use strum::VariantArray;

/// Where opcodes can be checked.
const INSTRUCTION_SET: &str = "CUDA Binary Utilities documentation, Instruction Set Reference";

/// Explains a metric (id, alias, or any name that a chip has), stall reason, opcode, opcode class, chip, threshold, limiter, finding,
/// lever, instruction of PTX, section of ncu or word of the field, in whatever letters it is written; an option or a qualifier also
/// with its value. `None` when no catalog knows the name; `nearest` then has suggestions.
pub fn explain(name: &str) -> Option<Explanation> {
    let name = name.trim().trim_end_matches('…').trim_end_matches('.');
    let without_value = || {
        let is_option = name.starts_with('-').then(|| name.split_once([' ', '=']));
        is_option.flatten().map(|(option, _)| option).or_else(|| name.split_once("::").map(|(head, _)| head))
    };
    let in_words = || Some(name.replace('-', " ")).filter(|words| words != name);
    exactly(name)
        .or_else(|| alike(name).and_then(exactly))
        .or_else(|| in_words().and_then(|words| exactly(&words)))
        .or_else(|| without_value().and_then(exactly))
        .or_else(|| qualified(name))
}

/// As the catalogs write it.
fn exactly(name: &str) -> Option<Explanation> {
    // In small letters it is the instruction of PTX, in capitals that of the machine.
    let is_ptx = name.contains('.') && !name.contains(|c: char| c.is_ascii_uppercase());
    let ptx = || ptx(name).or_else(|| family(name));
    metric(name)
        .map(|row| of_metric(name, row))
        .or_else(|| stall_of_metric(name).map(|(family, row)| of_stall(row, Some(family))))
        .or_else(|| stall(name.strip_prefix("stalled_").unwrap_or(name)).map(|row| of_stall(row, None)))
        .or_else(|| Class::of(name).map(of_class))
        .or_else(|| threshold_row(name).map(of_threshold))
        .or_else(|| limiter(name).map(of_limiter))
        .or_else(|| lever(name).map(of_lever))
        .or_else(|| checklist(name).map(of_checklist))
        .or_else(|| chip_named(name).map(of_chip))
        .or_else(|| is_ptx.then(ptx).flatten())
        .or_else(|| of_opcode(name))
        .or_else(|| replaced(name).map(of_replaced))
        .or_else(ptx)
        .or_else(|| counter(name))
        .or_else(|| by_name(name))
        .or_else(|| word(name).map(of_word))
        .or_else(|| section(name).map(|told| of_section(name, told)))
        .or_else(|| of_reading(name))
        .or_else(|| labelled(name))
}

/// A name of an older tool: what gives the same, and what each of these is.
fn of_replaced(row: &'static ReplacedRow) -> Explanation {
    let what = |name: &&str| {
        let label = metric(name).map(|row| row.label.to_owned());
        let label = label.or_else(|| check_reading(name).ok().map(|reading| reading.form.row().2.to_owned()));
        label.map_or_else(|| (*name).to_owned(), |label| format!("{name}: {label}."))
    };
    let text = format!("ncu has no metric of this name. Instead: {}. {}", row.instead(), row.note);
    let facts = row.by.iter().map(what).collect();
    Explanation { facts, ..Explanation::of("replaced name", row.name, text.trim_end()) }
}

/// A section of ncu, by its name or by one that ncu does not have.
fn of_section(asked: &str, (name, help): (&'static str, &'static str)) -> Explanation {
    let other = || format!("ncu has no section {asked}: this one is meant.");
    let facts = (!asked.eq_ignore_ascii_case(name)).then(other).into_iter().collect();
    Explanation { facts, ..Explanation::of("section of ncu", name, help) }
}

fn ptx(name: &str) -> Option<Explanation> {
    sass_aliases().iter().find(|row| row.name.eq_ignore_ascii_case(name)).map(of_alias)
}

/// A construct of PTX or CUDA C++: what it becomes on each chip.
fn of_alias(row: &'static AliasRow) -> Explanation {
    let on = |(chip, patterns): (&&str, &Vec<&str>)| match patterns.as_slice() {
        [] => format!("On {chip}: no instruction of its own."),
        some => format!("On {chip}: {}.", some.join(", ")),
    };
    let (kind, whose) = match row.kind {
        AliasKind::Ptx => ("PTX instruction", "An instruction of PTX."),
        AliasKind::Cuda => ("CUDA construct", "A construct of CUDA C++."),
    };
    let facts = row.sass.iter().map(on).collect();
    Explanation { facts, ..Explanation::of(kind, row.name, format!("{whose} {}", row.note).trim_end()) }
}

/// The instructions of PTX whose names go on from this one, as sentences name them: `wgmma`, `cp.async`.
fn family(name: &str) -> Option<Explanation> {
    let name = name.to_ascii_lowercase();
    if !name.ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let begins = |row: &AliasRow| row.name.strip_prefix(&name).is_some_and(|rest| rest.starts_with(['.', ':', '_']));
    members(&name, begins)
}

/// The instructions of PTX that take a qualifier: `kind::mxf4`.
fn qualified(name: &str) -> Option<Explanation> {
    let name = name.trim_start_matches('.').to_ascii_lowercase();
    members(&name, |row| row.name.split([' ', '.']).any(|part| part == name))
}

fn members(name: &str, belongs: impl Fn(&AliasRow) -> bool) -> Option<Explanation> {
    let members: Vec<&str> = sass_aliases().iter().filter(|row| belongs(row)).map(|row| row.name).collect();
    let text = format!("Instructions of PTX; each has an explanation of its own: {}.", members.join(", "));
    (!members.is_empty()).then(|| Explanation::of("PTX instructions", name, text))
}

/// What has this label on pages: a stall reason, a finding, a metric.
fn labelled(name: &str) -> Option<Explanation> {
    let is = |label: &str| label.eq_ignore_ascii_case(name);
    let stall = stalls().iter().find(|row| is(row.label)).map(|row| of_stall(row, None));
    stall
        .or_else(|| limiters().iter().find(|row| is(&row.label)).and_then(|row| limiter(&row.code)).map(of_limiter))
        .or_else(|| metrics().iter().find(|row| is(row.label)).map(|row| of_metric(row.id, row)))
}

/// A reading that checks and hypotheses name, by the name or by one of its kind.
fn of_reading(name: &str) -> Option<Explanation> {
    let listed = ReadingForm::VARIANTS.iter().copied().find(|form| form.row().0.eq_ignore_ascii_case(name));
    let form = match listed {
        Some(form) => form,
        // Without two underscores it is no metric, which would be looked for among thousands.
        None if name.contains("__")
            || ReadingName::of(name).form != ReadingForm::Metric && name.contains(['.', '-']) =>
        {
            check_reading(name).ok()?.form
        }
        None => return None,
    };
    let (name, unit, help) = form.row();
    let unit = if unit.is_none() { String::new() } else { format!(", in {unit}") };
    let text = format!("A reading for checks, expectations and hypotheses: {help}{unit}.");
    Some(Explanation::of("reading", name, text))
}

fn of_word(row: &'static WordRow) -> Explanation {
    let facts = match row.also.as_slice() {
        [] => Vec::new(),
        also => vec![format!("Also: {}.", also.join(", "))],
    };
    Explanation { facts, ..Explanation::of("word", row.word, row.help) }
}

/// A list of names with a few words on each: `readings`, `thresholds`, `words`, `levers`, or `findings`, which takes in what limits.
pub fn list(of: &str) -> Option<Vec<(String, String)>> {
    let united = |what: String, unit: crate::quantity::Unit| match unit.is_none() {
        true => what,
        false => format!("{what} ({unit})"),
    };
    match of {
        "readings" => Some(
            ReadingForm::VARIANTS
                .iter()
                .map(|form| form.row())
                .map(|row| (row.0.to_owned(), united(row.2.to_owned(), row.1)))
                .collect(),
        ),
        "thresholds" => Some(
            thresholds()
                .iter()
                .map(|row| (row.id.to_owned(), format!("{} ({})", row.help, of_threshold(row).label)))
                .collect(),
        ),
        "words" => Some(words().iter().map(|row| (row.word.to_owned(), row.help.to_owned())).collect()),
        "levers" => Some(levers().iter().map(|row| (row.code.to_owned(), row.does.to_owned())).collect()),
        "findings" => Some(limiters().iter().map(|row| (row.code.clone(), row.label.clone())).collect()),
        _ => None,
    }
}

fn of_metric(asked: &str, row: &'static MetricRow) -> Explanation {
    let mut facts = Vec::new();
    match row.better {
        Better::Lower => facts.push("Better when lower.".to_owned()),
        Better::LowerOnceUsed => facts.push("Better when lower, among kernels that have any.".to_owned()),
        Better::Higher => facts.push("Better when higher.".to_owned()),
        Better::Neutral => {}
    }
    if asked != row.id {
        facts.push(format!("{asked} is another spelling of {}.", row.id));
    }
    let others: Vec<_> = row.aliases.iter().copied().filter(|alias| *alias != asked).collect();
    if !others.is_empty() {
        facts.push(format!("Other spellings: {}.", others.join(", ")));
    }
    facts.extend(reading(asked));
    let (label, cite) = (row.label.to_owned(), row.cite.to_owned());
    Explanation { label, facts, cite, ..Explanation::of("metric", row.id, row.help) }
}

/// A counter without roll-up, or with one that the catalog does not list: explained by the listed metrics of that counter.
fn counter(name: &str) -> Option<Explanation> {
    let base = name.split('.').next().unwrap_or(name);
    // Without the part of the chip in front, as sentences have it.
    let counter =
        |id: &'static str| id.split('.').next().filter(|id| *id == base || id.split("__").nth(1) == Some(base));
    let same: Vec<_> = metrics().iter().filter(|row| counter(row.id).is_some()).collect();
    let first = *same.first()?;
    if name.contains("__") && check_metric_name(name, None).is_fault() {
        return None;
    }
    let listed: Vec<String> = same.iter().map(|row| format!("{} ({})", row.id, row.label)).collect();
    let mut facts = vec![format!("The catalog lists this counter as {}.", listed.join(", "))];
    facts.extend(reading(name));
    let text = format!("As {}: {}", first.id, first.help);
    Some(Explanation { facts, cite: first.cite.to_owned(), ..Explanation::of("metric", name, text) })
}

fn of_stall(row: &'static StallRow, family: Option<&'static StallFamily>) -> Explanation {
    let mut facts: Vec<String> =
        row.when.iter().map(|reading| format!("With {}: {}", reading.opcodes.join(", "), reading.means)).collect();
    if let Some(family) = family {
        facts.insert(0, format!("As {}: {}", family.label, family.help));
    }
    if let Some(whole) = row.part_of {
        facts.push(format!("Counted in {whole} already: do not add both."));
    }
    let others: Vec<_> = row.names.iter().skip(1).copied().collect();
    if !others.is_empty() {
        facts.push(format!("Other spellings: {}.", others.join(", ")));
    }
    facts.extend(word(row.id).map(|own| format!("As the name of a phase: {}", own.help)));
    let (label, cite) = (row.label.to_owned(), row.cite.to_owned());
    let text = format!("{} What usually helps: {}", row.means, row.advice);
    Explanation { label, facts, cite, ..Explanation::of("stall reason", row.id, text) }
}

fn of_class(class: Class) -> Explanation {
    let opcodes: Vec<&str> = class.ops().map(Op::name).collect();
    Explanation {
        kind: "opcode class",
        name: class.id().to_owned(),
        label: class.label().to_owned(),
        text: class.help().to_owned(),
        facts: vec![format!("Opcodes: {}.", opcodes.join(", "))],
        cite: INSTRUCTION_SET.to_owned(),
    }
}

fn of_opcode(name: &str) -> Option<Explanation> {
    if name.contains(char::is_whitespace) {
        return None;
    }
    let upper = name.to_ascii_uppercase();
    let op = Op::of(&upper);
    let told = of_class(op.class()?);
    Some(Explanation { kind: "opcode", name: op.name().to_owned(), ..told })
}

fn of_threshold(row: &'static ThresholdRow) -> Explanation {
    let unit = if row.unit.is_none() { String::new() } else { format!(" {}", row.unit) };
    let (label, cite) = (format!("{}{unit}", row.value), row.cite.to_owned());
    Explanation { label, cite, ..Explanation::of("threshold", row.id, row.help) }
}

fn of_limiter(row: LimiterRow) -> Explanation {
    let kind = if row.kind == LimiterKind::Limiter { "limiter" } else { "finding" };
    let text = format!("{} What usually helps: {}", row.help, row.advice);
    Explanation { label: row.label, cite: row.cite, ..Explanation::of(kind, row.code, text) }
}

fn of_lever(row: &'static LeverRow) -> Explanation {
    let facts = vec![format!("Its ceiling: {}", row.ceiling)];
    Explanation { facts, ..Explanation::of("lever", row.code, row.does) }
}

fn of_checklist(row: &'static Checklist) -> Explanation {
    let line = |check: &super::ChecklistLine| {
        let number = match (&check.threshold, check.value) {
            (Some(threshold), _) => threshold.to_string(),
            (None, value) => value.map(|value| value.to_string()).unwrap_or_default(),
        };
        format!("{}: {} {} {number}", check.label, check.reading, check.op)
    };
    let (label, facts, cite) = (row.label.clone(), row.check.iter().map(line).collect(), row.cite.clone());
    Explanation { label, facts, cite, ..Explanation::of("checklist", &row.id, &row.help) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_and_name(name: &str) -> Option<(&'static str, String)> {
        explain(name).map(|told| (told.kind, told.name))
    }

    #[test]
    fn every_kind_of_name_is_explained() {
        let told = |kind, name: &str| Some((kind, name.to_owned()));
        assert_eq!(kind_and_name("sm__sol_pct"), told("metric", "sm__throughput.avg.pct_of_peak_sustained_elapsed"));
        assert_eq!(kind_and_name("gpu__time_duration.max"), told("metric", "gpu__time_duration.max"));
        assert_eq!(kind_and_name("long_scoreboard"), told("stall reason", "long_scoreboard"));
        assert_eq!(kind_and_name("smsp__pcsamp_warps_issue_stalled_wait"), told("stall reason", "wait"));
        assert_eq!(kind_and_name("global-load"), told("opcode class", "global-load"));
        assert_eq!(kind_and_name("ldg.e.128"), told("opcode", "LDG"));
        assert_eq!(kind_and_name("sol-high"), told("threshold", "sol-high"));
        assert_eq!(kind_and_name("tensor-gemm"), told("checklist", "tensor-gemm"));
        assert_eq!(kind_and_name("memory-dram"), told("limiter", "memory-dram"));
        assert_eq!(kind_and_name("latency-long-scoreboard"), told("limiter", "latency-long-scoreboard"));
        assert_eq!(kind_and_name("register-spilling"), told("finding", "register-spilling"));
        for chip in ["sm_90", "sm_90a", "9.0", "gh100", "H200", "NVIDIA H200", "h100 pcie"] {
            assert_eq!(kind_and_name(chip), told("chip", "sm_90"), "{chip}");
        }
        assert_eq!(
            kind_and_name("smsp__sass_warp_efficiency.avg"),
            told("replaced name", "smsp__sass_warp_efficiency")
        );
        assert_eq!(kind_and_name("TCGEN05.LD"), told("PTX instruction", "tcgen05.ld"));
        assert_eq!(kind_and_name("coalesce"), told("lever", "coalesce"));
        assert_eq!(kind_and_name("cp.async"), told("PTX instructions", "cp.async"));
        assert_eq!(kind_and_name("nonsense"), None);
        assert_eq!(kind_and_name(""), None);
    }

    #[test]
    fn an_alias_says_what_it_is_an_alias_of() {
        let told = explain("sm__sol_pct").expect("known");
        assert!(told.facts.iter().any(|fact| fact.contains("another spelling")), "{:?}", told.facts);
    }
}
