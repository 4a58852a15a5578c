//! Pairs of the same work before and after one change, both measured: what the page of before expects of the change, what it allows at
//! most, and what came. `docs/evidence/pairs.md` is made here.

use super::written::is_as_written;
use kernel_audit::analysis::{Lever, LeverCode, LeverOrigin};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;

#[derive(Deserialize)]
struct Listed {
    pair: Vec<Pair>,
}

/// One pair, as `tests/fixtures/pairs.toml` lists it.
#[derive(Deserialize)]
struct Pair {
    name: String,
    /// Under `tests/fixtures`, with the kernel of before; `after` is of the same report where `after-report` is not there.
    report: String,
    before: String,
    /// The codes of the action that the change is; the first is what was stated, the others say the same of other code.
    actions: Vec<String>,
    /// Milliseconds outside ncu, of before and after.
    times: [f64; 2],
    /// What leaves one pair out of the fit of the others: pairs of one source.
    family: String,
}

impl Pair {
    /// The part of the time of before that went, in percent.
    fn gained(&self) -> f64 {
        100.0 * (1.0 - self.times[1] / self.times[0])
    }
}

static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(|| {
    let text = std::fs::read_to_string(fixture("pairs.toml")).unwrap();
    toml::from_str::<Listed>(&text).unwrap().pair
});

fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}
