//! Tensor instructions of an older generation than the chip.

use super::{Built, shown};
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::catalog::{self, Code};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// The instructions, and the class that alone reaches the full rate.
pub(super) struct OlderTensorPath;

impl Pattern<Built<'_>> for OlderTensorPath {
    type Facts = (u64, &'static str);

    fn detect(g: &Built<'_>) -> Option<Hit<Self::Facts>> {
        let class = catalog::chip_of_arch(&g.code.arch)?.full_rate_tensor?;
        let warp = g.count("tensor-mma");
        if warp == 0 || g.count(class) > 0 {
            return None;
        }
        shown(Code::OlderTensorPath, Severity::Costs, (warp, class))
    }

    fn say((warp, class): &Self::Facts) -> Words {
        let lacking = match *class {
            "tensor-wgmma" => "no wgmma",
            _ => "no tcgen05",
        };
        words!(
            "{} warp-level tensor instructions and {}, the only path to this chip's full tensor rate.",
            format::integer(*warp),
            lacking
        )
    }
}
