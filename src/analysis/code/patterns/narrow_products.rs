//! Products of warpgroups that shared memory cannot feed.

use super::{Built, shown};
use crate::analysis::code::ProductShape;
use crate::analysis::derive::product_shape::{cycles, sides, wavefronts};
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::catalog::Code;
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// The products of the fewest columns.
pub(super) struct NarrowProducts;

impl Pattern<Built<'_>> for NarrowProducts {
    type Facts = (ProductShape, u32);

    fn detect(g: &Built<'_>) -> Option<Hit<Self::Facts>> {
        let of_groups =
            g.code.products.iter().filter_map(|product| Some((product.clone(), sides(&product.opcode)?[1])));
        shown(Code::NarrowProducts, Severity::Costs, of_groups.min_by_key(|(_, columns)| *columns)?)
    }

    fn say((product, columns): &Self::Facts) -> Words {
        let (reads, multiplies) = (wavefronts(*columns), cycles(*columns));
        words!(
            "{} × `{}` with both operands in shared memory: reading them takes {} cycles and multiplying {}, so the tensor pipe reaches {} % of its peak at most; from 64 columns on it is fed.",
            product.count.to_string(),
            &product.opcode,
            format::fixed(reads, 0),
            format::fixed(multiplies, 0),
            format::fixed(100.0 * multiplies / reads, 0)
        )
    }
}
