//! A product by cuBLASLt: its matrices, groups of rows of one (`groups`), and scales of blocks (`a_scale` and `b_scale`).

use crate::config::ConfigError;
use crate::config::text::Text;
use audit_launch::{Argument, BlockScale, BlockScales, Buffer, Gemm, LaunchPlan, Values};
use std::ops::Range;
use toml::Spanned;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as `{ a = \"a\", b = \"b\", out = \"c\" }`")]
pub(super) struct GemmKeys {
    a: Spanned<String>,
    b: Spanned<String>,
    a_scale: Option<Spanned<String>>,
    b_scale: Option<Spanned<String>>,
    bias: Option<Spanned<String>>,
    out: Spanned<String>,
    groups: Option<Spanned<String>>,
    #[serde(default)]
    transpose_a: bool,
    #[serde(default)]
    transpose_b: bool,
    #[serde(default)]
    tf32: bool,
    fast_accumulation: Option<bool>,
}

impl Text {
    /// A product of the matrices that the subject has and its reference `own`.
    pub(super) fn gemm(
        &self,
        keys: &GemmKeys,
        plan: &LaunchPlan,
        own: &[Argument],
        position: impl Fn(&Spanned<String>) -> Result<usize, ConfigError>,
    ) -> Result<Gemm, ConfigError> {
        let plan = LaunchPlan { arguments: plan.arguments.iter().chain(own).cloned().collect(), ..plan.clone() };
        let mut batches: Vec<u64> = Vec::new();
        let mut matrix = |name: &Spanned<String>| {
            let at = position(name)?;
            match plan.buffer(at).map(|buffer| &buffer.shape[..]) {
                Some(&[rows, columns]) => {
                    batches.push(1);
                    Ok((at, rows, columns))
                }
                Some(&[batch, rows, columns]) => {
                    batches.push(batch);
                    Ok((at, rows, columns))
                }
                _ => {
                    let help = Some("or three, of which the first counts products".to_owned());
                    Err(self.wrong("a product needs buffers with two extents".into(), name.span(), "", help))
                }
            }
        };
        let turned = |(at, rows, columns): (usize, u64, u64), is_turned: bool| match is_turned {
            true => (at, columns, rows),
            false => (at, rows, columns),
        };
        let (a, m, k) = turned(matrix(&keys.a)?, keys.transpose_a);
        let (b, inner, n) = turned(matrix(&keys.b)?, keys.transpose_b);
        let (out, rows, columns) = matrix(&keys.out)?;
        if k != inner || (m, n) != (rows, columns) {
            let message = format!("[{m}, {k}] × [{inner}, {n}] does not give [{rows}, {columns}]");
            let help = Some("check `transpose_a` and `transpose_b`: `b` stored as [n, k] is transposed".to_owned());
            return Err(self.wrong(message, keys.b.span(), "", help));
        }
        let groups = keys.groups.as_ref().map(|name| self.groups(name, &plan, m, &batches, &position)).transpose()?;
        if let Some(name) = keys.groups.as_ref().filter(|_| keys.transpose_a) {
            let help = Some("store `a` as [rows, k]".to_owned());
            return Err(self.wrong("groups are of rows of `a`".into(), name.span(), "", help));
        }
        // Of groups only `b` has a matrix for each.
        let batch = batches[usize::from(groups.is_some())];
        if groups.is_none() && batches.iter().any(|other| *other != batch) {
            let message = format!("a, b and out are of {batches:?} products");
            return Err(self.wrong(message, keys.out.span(), "", None));
        }
        let scales = self.scales(keys, &plan, [(a, m), (b, n)], k, &position)?;
        if let Some((_, span)) = scales.as_ref().filter(|_| batch > 1 || keys.transpose_a || !keys.transpose_b) {
            let help = Some("store `a` as [m, k] and `b` as [n, k], with `transpose_b = true`".to_owned());
            let message = "a product with scales of blocks is one product of rows of `a` and rows of `b`";
            return Err(self.wrong(message.into(), span.clone(), "", help));
        }
        let bias = keys.bias.as_ref().map(|name| Ok((position(name)?, name.span()))).transpose()?;
        if let Some((at, span)) = &bias
            && plan.buffer(*at).is_none_or(|buffer| buffer.elements() != n)
        {
            return Err(self.wrong(format!("expected a bias of {n} elements"), span.clone(), "", None));
        }
        let floats = [a, b, out].iter().all(|at| plan.buffer(*at).is_some_and(|buffer| buffer.dtype.is_float()));
        if !floats {
            return Err(self.wrong(
                "here a cuBLASLt product is of floating-point types".into(),
                keys.a.span(),
                "",
                None,
            ));
        }
        Ok(Gemm {
            own: own.to_vec(),
            batch,
            groups,
            a,
            b,
            scales: scales.map(|(scales, _)| scales),
            bias: bias.map(|(at, _)| at),
            out,
            m,
            n,
            k,
            transpose_a: keys.transpose_a,
            transpose_b: keys.transpose_b,
            tf32: keys.tf32,
            fast_accumulation: keys.fast_accumulation.unwrap_or(true),
            then: None,
        })
    }

    /// Where the buffer stands that says where each group of rows begins. Of the `products` of a, b and out only those of b are
    /// counted, and all groups together must have room in `rows`.
    fn groups(
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

impl Text {
    /// The scales of blocks of a product of `k` values, for both operands with their rows, and where the first are named.
    fn scales(
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
