//! What ncu says beside its tables.

use crate::evidence::{Damage, Report};

/// Takes one `==LEVEL== text` line into the report: dropped metrics by name, warnings as settings of the session, errors
/// as damage. Progress carries no evidence.
pub(super) fn take(report: &mut Report, line: u64, message: &str) {
    let Some((level, text)) = message.trim_start_matches('=').split_once("==") else { return };
    let text = text.trim();
    match level {
        "WARNING" => match unavailable(text) {
            Some(names) => report.dropped.extend(names.map(Into::into)),
            None => report.session.settings.push(("warning".into(), text.into())),
        },
        "ERROR" => report.damage.push(Damage { at: line, what: format!("ncu reported an error: {text}") }),
        _ => {}
    }
}

/// The names in `Unable to access the following 6 metrics: a, b, c.`
fn unavailable(text: &str) -> Option<impl Iterator<Item = &str>> {
    let (_, names) = text.strip_prefix("Unable to access the following ")?.split_once(": ")?;
    Some(names.trim_end_matches('.').split(',').map(str::trim).filter(|name| !name.is_empty()))
}

/// What to do about a text without any result, by what ncu said in it.
pub(super) fn cure(text: &str) -> &'static str {
    if text.contains("ERR_NVGPUCTRPERM") {
        "the user may not read the GPU's counters: run ncu as root, or have the driver loaded with \
         NVreg_RestrictProfilingToAdminUsers=0"
    } else if text.contains("No kernels were profiled") {
        "ncu profiled no kernel: check `--kernel-name`, `--launch-skip` and `--launch-count`, and that the program \
         launches kernels at all"
    } else {
        "print a page with `ncu --import REPORT.ncu-rep --page raw --csv`, or give the .ncu-rep file itself"
    }
}
