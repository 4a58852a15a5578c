//! The NVTX ranges that were open at a launch.

use super::message::NvtxState;
use super::text::Texts;
use crate::evidence::NvtxRange;
use bytes::Bytes;
use std::collections::HashMap;

/// Push-pop ranges of the launching thread, outermost first, domain by domain; then start-end ranges of the process.
pub(super) fn ranges(state: &NvtxState, thread: Option<u32>, texts: &mut Texts) -> Vec<NvtxRange> {
    let default = state.default_domain;
    let domains: HashMap<Option<u64>, &Option<Bytes>> =
        state.domains.iter().map(|domain| (domain.id, &domain.name)).collect();
    let domain = |id: Option<u64>| if id == default { None } else { domains.get(&id).and_then(|name| name.as_ref()) };
    let mut ranges = Vec::new();
    for stack in state.threads.iter().filter(|of| of.id == thread).flat_map(|thread| &thread.stacks) {
        for range in &stack.ranges {
            ranges.push(NvtxRange {
                domain: texts.of_field(domain(stack.domain)),
                name: texts.of_field(range.name.as_ref()),
            });
        }
    }
    for group in &state.start_end {
        for range in &group.ranges {
            ranges.push(NvtxRange {
                domain: texts.of_field(domain(group.domain)),
                name: texts.of_field(range.name.as_ref()),
            });
        }
    }
    ranges
}
