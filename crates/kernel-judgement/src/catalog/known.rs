//! Every name that `audit explain` knows, and those that another one may stand for.

use super::{
    MetricRow, NameCheck, check_metric_name, checklists, chips, collection::section_names, explain_chip::products,
    levers, limiters, metrics, replaced::replaced_names, sass_aliases, stalls, thresholds, words,
};
use crate::nearest::several;
use cuda_binary::{Class, Op};

/// The known name that differs in letters, spaces, hyphens, underscores and the plural alone.
pub(super) fn alike(name: &str) -> Option<&'static str> {
    let plain = |name: &str| {
        let letters: String = name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).collect();
        letters.to_ascii_lowercase().trim_end_matches('s').to_owned()
    };
    let asked = plain(name);
    known().find(|known| !asked.is_empty() && plain(known) == asked)
}

/// Known names that `name` may stand for, the likeliest first; at most five.
pub fn nearest(name: &str) -> Vec<String> {
    let own = match check_metric_name(name, None) {
        NameCheck::Suffix { found, near } => {
            let counter = name.trim().strip_suffix(found.as_str()).unwrap_or(name);
            near.into_iter().map(|ending| format!("{counter}{ending}")).collect()
        }
        NameCheck::Unknown { near } if name.contains("__") => near,
        _ => Vec::new(),
    };
    if !own.is_empty() {
        return own;
    }
    several(name, known(), 5).into_iter().map(str::to_owned).collect()
}

/// Every name of the catalogs.
fn known() -> impl Iterator<Item = &'static str> {
    metrics()
        .iter()
        .flat_map(MetricRow::spellings)
        .chain(stalls().iter().flat_map(|row| row.names.iter().copied()))
        .chain(Class::ALL.iter().flat_map(|class| std::iter::once(class.id()).chain(class.ops().map(Op::name))))
        .chain(thresholds().iter().map(|row| row.id))
        .chain(limiters().iter().map(|row| row.code.as_str()))
        .chain(section_names())
        .chain(levers().iter().map(|row| row.code))
        .chain(checklists().iter().map(|row| row.id.as_str()))
        .chain(replaced_names().iter().map(|row| row.name))
        .chain(sass_aliases().iter().map(|row| row.name))
        .chain(words().iter().flat_map(|row| std::iter::once(row.word).chain(row.also.iter().copied())))
        .chain(chips().iter().flat_map(|row| [row.arch, row.name].into_iter().chain(products(row))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_gets_suggestions() {
        assert_eq!(nearest("long_scorebord").first().map(String::as_str), Some("long_scoreboard"));
        assert!(
            nearest("sm__throughput.avg.pct").contains(&"sm__throughput.avg.pct_of_peak_sustained_elapsed".to_owned())
        );
        assert_eq!(nearest("H20O").first().map(String::as_str), Some("H200"));
        assert!(nearest("qqqqqqqqqqqq").is_empty());
    }
}
