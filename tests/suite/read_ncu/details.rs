//! `--page details --csv`: the rows of the rules.

use super::{WITH_TRUTH, everything, page};
use kernel_audit::evidence::RuleResult;
use regex::{Captures, Regex};

/// The text as the page has it: `@section:Id:label@` becomes the label, `@url:label:address@` the label and the address.
fn resolved(text: &str) -> String {
    let link = Regex::new("@(section|url|source):([^@]*)@").unwrap();
    let replaced = link.replace_all(text, |link: &Captures<'_>| match &link[1] {
        "section" => link[2].split_once(':').unwrap().1.to_owned(),
        "url" => {
            let (label, address) = link[2].split_once(':').unwrap();
            format!("{label} ({address})")
        }
        _ => link[2].rsplit(':').next().unwrap().to_owned(),
    });
    replaced.into_owned()
}

/// A number with four significant digits and no trailing zeros.
fn four_digits(number: f64) -> String {
    let decimals = (3 - number.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The cells from the rule's name on, one row for each message.
fn rows(rule: &RuleResult) -> Vec<[String; 5]> {
    let speedup = rule.speedup.map_or((String::new(), String::new()), |speedup| {
        let kind = if speedup.is_global { "global" } else { "local" };
        (kind.to_owned(), four_digits(speedup.percent))
    });
    let messages = rule.messages.iter().map(|message| {
        let kind = match message.kind.as_ref() {
            "optimization" => "OPT",
            "warning" => "WRN",
            "error" => "ERR",
            _ => "INF",
        };
        let text = resolved(&message.text);
        [rule.id.to_string(), kind.to_owned(), text, speedup.0.clone(), speedup.1.clone()]
    });
    messages.collect()
}

#[test]
fn every_rule_row_of_the_details_page_is_read() {
    let mut compared = 0;
    for name in WITH_TRUTH {
        let report = everything(name);
        let page = page(&format!("{name}.details.csv"));
        let column = |title: &str| page[0].iter().position(|cell| cell == title);
        let Some(rule) = column("Rule Name") else {
            let said: Vec<&RuleResult> = report.launches.iter().flat_map(|launch| &launch.rules).collect();
            assert_eq!(said, [] as [&RuleResult; 0], "{name}: the page has no rules");
            continue;
        };
        let (id, section) = (column("ID").unwrap(), column("Section Name").unwrap());
        for launch in &report.launches {
            let mut ours: Vec<(String, [String; 5])> = launch
                .rules
                .iter()
                .flat_map(|rule| rows(rule).into_iter().map(|row| (rule.section.to_string(), row)))
                .collect();
            let mut theirs: Vec<(String, [String; 5])> = page[1..]
                .iter()
                .filter(|row| row[id] == launch.id.to_string() && row.get(rule).is_some_and(|name| !name.is_empty()))
                .map(|row| {
                    let cell = |at: usize| row.get(rule + at).cloned().unwrap_or_default();
                    (row[section].clone(), [cell(0), cell(1), cell(2), cell(3), cell(4)])
                })
                .collect();
            ours.sort();
            theirs.sort();
            assert_eq!(ours, theirs, "{name}, result {}", launch.id);
            compared += ours.len();
        }
    }
    assert!(compared >= 25, "only {compared} rule rows were compared");
}

#[test]
fn a_rule_with_nothing_but_a_table_of_source_positions_is_kept() {
    let report = everything("gemm_bias_v1");
    let rules: Vec<&RuleResult> =
        report.launches[0].rules.iter().filter(|rule| rule.id.as_str() == "UncoalescedGlobalAccess").collect();
    assert_eq!(rules.len(), 2);
    assert_eq!(rules[1].messages, []);
    assert_eq!(rules[1].tables[0].title.as_str(), "L2 Theoretical Sectors Global Excessive");
    assert_eq!(rules[1].tables[0].columns, ["derived__memory_l2_theoretical_sectors_global_excessive"]);
    assert_eq!(rules[0].focus[0].metric.as_str(), "derived__memory_l2_theoretical_sectors_global_excessive");
    assert_eq!(rules[0].focus[0].value, 1_880_883_200.0);
}
