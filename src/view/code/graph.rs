//! The control flow of a kernel as a graph that Graphviz draws.

use crate::analysis::phases::dispatches;
use crate::analysis::sass::Listed;
use crate::evidence::SassFunction;
use crate::plain;
use crate::quantity::format;
use std::collections::BTreeSet;

/// Lines of a function in the language of Graphviz: a node for each basic block, with its address range, its instructions, the
/// loops around it and its lines; a frame for each role of warps; a bold edge where a loop turns.
pub fn graph(function: &SassFunction) -> String {
    let listed = Listed::of(function);
    let (flow, found) = (&listed.flow, &listed.loops);
    let name = |block: usize| format!("\"{:#06x}\"", flow.blocks[block].start);
    let mut lines =
        vec![format!("digraph {} {{", quoted(&function.mangled)), "  node [shape=box, fontname=monospace];".to_owned()];
    for block in 0..flow.blocks.len() {
        lines.push(format!("  {} [label={}];", name(block), quoted(&label(&listed, block))));
    }
    for (at, role) in dispatches(&listed).iter().flat_map(|dispatch| &dispatch.roles).enumerate() {
        let blocks: Vec<String> = role.blocks.iter().map(|block| name(*block)).collect();
        let who = role.who.map_or_else(String::new, |who| who.to_string());
        lines.push(format!("  subgraph cluster_{at} {{ label={}; {} }}", quoted(&who), blocks.join("; ")));
    }
    for (from, block) in flow.blocks.iter().enumerate() {
        for to in &block.successors {
            let turns = found.iter().any(|own| own.header == *to && own.latches.contains(&from));
            lines.push(format!("  {} -> {}{};", name(from), name(*to), if turns { " [style=bold]" } else { "" }));
        }
    }
    lines.push("}\n".to_owned());
    lines.join("\n")
}

/// `0x0320–0x0410`, `16 instructions`, `loop at 0x0320, depth 1`, `lines 20–21`.
fn label(Listed { code, flow, loops, .. }: &Listed<'_>, block: usize) -> String {
    let code = &code[flow.blocks[block].instructions.clone()];
    let last = code.last().map_or(0, |last| last.offset);
    let mut said = vec![
        format!("{:#06x}–{last:#06x}", flow.blocks[block].start),
        format::counted(code.len() as u64, "instruction"),
    ];
    let around = loops.iter().filter(|own| own.blocks.contains(&block)).max_by_key(|own| own.depth);
    said.extend(around.map(|own| format!("loop at {:#06x}, depth {}", flow.blocks[own.header].start, own.depth)));
    let lines: BTreeSet<u32> = code.iter().filter_map(|own| own.places.last()).map(|place| place.line).collect();
    said.extend(lines.first().zip(lines.last()).map(|(first, last)| match first == last {
        true => format!("line {first}"),
        false => format!("lines {first}–{last}"),
    }));
    if flow.blocks[block].leaves_unseen {
        said.push("goes on where the listing does not say".to_owned());
    }
    said.join("\n")
}

/// A string of Graphviz in which nothing acts: its line breaks are `\l`, which sets a line to the left.
fn quoted(text: &str) -> String {
    let lines = text.lines().map(|line| plain::one_line(line).replace('\\', "\\\\").replace('"', "\\\""));
    format!("\"{}\"", lines.collect::<Vec<_>>().join("\\l"))
}
