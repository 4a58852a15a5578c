//! The order of findings: what limits before what costs before notes; a cause before the limiter that it explains.

use super::{CHECKS, Finding, Ground};

/// Everything that the checks find, the most severe first.
///
/// Within a severity the larger share goes first, except that the limiter follows its causes: a pattern that makes the
/// limiting part's work is the thing to change, the part only says where it shows.
pub(in crate::analysis) fn findings(ground: &Ground<'_, '_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = CHECKS.iter().filter_map(|check| check(ground)).collect();
    let is_limiter = |finding: &Finding| finding.code == ground.limiter();
    found.sort_by(|a, b| {
        let (a_last, b_last) = (is_limiter(a), is_limiter(b));
        a.severity.cmp(&b.severity).then(a_last.cmp(&b_last)).then(b.share.total_cmp(&a.share))
    });
    found
}
