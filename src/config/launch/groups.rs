//! Groups of rows of a product by cuBLASLt: `groups`.

use crate::config::ConfigError;
use crate::config::text::Text;
use audit_launch::{LaunchPlan, Values};
use toml::Spanned;

impl Text {
    /// Where the buffer stands that says where each group of rows begins. Of the `products` of a, b and out only those of b are
    /// counted, and all groups together must have room in `rows`.
    pub(super) fn groups(
        &self,
        name: &Spanned<String>,
        plan: &LaunchPlan,
        rows: u64,
        products: &[u64],
        position: impl Fn(&Spanned<String>) -> Result<usize, ConfigError>,
    ) -> Result<usize, ConfigError> {
        let wrong = |message: String, label: &str, help: &str| {
            Err(self.wrong(message, name.span(), label, Some(help.to_owned())))
        };
        let at = position(name)?;
        let Some((buffer, most)) = plan.buffer(at).and_then(|buffer| match buffer.values {
            Values::Offsets(_, most) => Some((buffer, most)),
            _ => None,
        }) else {
            let help = "such as { name = \"first\", dtype = \"u32\", shape = 9, offsets = [0, 128] }";
            return wrong("groups are told by a buffer of offsets".into(), "of other values", help);
        };
        let &[1, count, 1] = products else {
            let help = "`a` is [rows, k], `b` a matrix for each group, [groups, n, k], and `out` [rows, n]";
            return wrong(format!("a, b and out are of {products:?} products"), "groups of rows of one `a`", help);
        };
        if buffer.elements() != count + 1 {
            let message = format!("{count} groups have {} offsets", count + 1);
            return wrong(message, &format!("it has {}", buffer.elements()), "one for each group, and the end");
        }
        if most.unsigned_abs().saturating_mul(count.into()) > rows.into() {
            let message = format!("{count} groups of up to {most} rows do not fit into {rows}");
            return wrong(message, "", "give `a` and `out` room for the largest groups");
        }
        Ok(at)
    }
}
