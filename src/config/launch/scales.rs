//! Scales of blocks of a product by cuBLASLt: `a_scale` and `b_scale`.

use super::reference::GemmKeys;
use crate::config::ConfigError;
use crate::config::text::Text;
use audit_launch::{BlockScale, BlockScales, Buffer, LaunchPlan};
use std::ops::Range;
use toml::Spanned;

impl Text {
    /// The scales of blocks of a product of `k` values, for both operands with their rows, and where the first are named.
    pub(super) fn scales(
        &self,
        keys: &GemmKeys,
        plan: &LaunchPlan,
        operands: [(usize, u64); 2],
        k: u64,
        position: impl Fn(&Spanned<String>) -> Result<usize, ConfigError>,
    ) -> Result<Option<(BlockScales, Range<usize>)>, ConfigError> {
        let (of_a, of_b) = match (&keys.a_scale, &keys.b_scale) {
            (None, None) => return Ok(None),
            (Some(of_a), Some(of_b)) => (of_a, of_b),
            (Some(one), None) | (None, Some(one)) => {
                let help = Some("name `a_scale` and `b_scale`, or neither".to_owned());
                return Err(self.wrong("only one operand has scales of blocks".into(), one.span(), "", help));
            }
        };
        let at = [position(of_a)?, position(of_b)?];
        let dtypes = |at: [usize; 2]| Some([plan.buffer(at[0])?.dtype, plan.buffer(at[1])?.dtype]);
        let types = dtypes(operands.map(|(at, _)| at)).zip(dtypes(at));
        let Some(kind) = types.and_then(|(operands, scales)| BlockScale::of(operands, scales)) else {
            let help = "e2m1 with scales ue4m3 of 16 values (NVFP4), or e4m3 and e5m2 with scales e8m0 of 32 (MXFP8)";
            let message = "cuBLASLt has no product of these types with such scales";
            return Err(self.wrong(message.into(), of_a.span(), "", Some(help.into())));
        };
        for ((name, at), (_, rows)) in [of_a, of_b].into_iter().zip(at).zip(operands) {
            let (wanted, found) = (kind.elements(rows, k), plan.buffer(at).map_or(0, Buffer::elements));
            if wanted != found {
                let message = format!("expected {wanted} scales: tiles of 128 rows by 4 for {rows} rows of {k} values");
                return Err(self.wrong(message, name.span(), &format!("it has {found}"), None));
            }
        }
        Ok(Some((BlockScales { kind, a: at[0], b: at[1] }, of_a.span())))
    }
}
