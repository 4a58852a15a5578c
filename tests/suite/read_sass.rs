//! Reading disassemblies, and what their code tells: counts, blocks, loops, sequences.

use crate::truth;
use kernel_audit::analysis::sass::{ControlFlow, Listed, class_counts, loops, opcode_counts, sequences};
use kernel_audit::evidence::{Op, Origin, SassFunction, SassListing, SourceLine};
use kernel_audit::source::{ReadError, sass};
use kernel_audit::view::graph;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

static DEVSET: LazyLock<String> = LazyLock::new(|| truth::unpacked_text("h200/devset.sass"));
const V1: &str = "_Z12gemm_bias_v1PKfS0_S0_Pfiii";
const V2: &str = "_Z12gemm_bias_v2PKfS0_S0_Pfiii";

fn read(text: &str) -> SassListing {
    sass::read(text.as_bytes(), Origin::default(), "").unwrap()
}

/// The same text counted with `split` alone: offset lines of each function, by opcode.
fn counted_by_hand(text: &str) -> BTreeMap<(String, String), usize> {
    let mut counts = BTreeMap::new();
    let mut function = String::new();
    for line in text.lines() {
        if let Some((_, name)) = line.split_once("Function : ") {
            function = name.to_owned();
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [address, first, rest @ ..] = &words[..]
            && address.starts_with("/*")
            && address.ends_with("*/")
        {
            let opcode = if first.starts_with('@') { rest[0] } else { first };
            *counts.entry((function.clone(), opcode.trim_end_matches(';').to_owned())).or_default() += 1;
        }
    }
    counts
}

#[test]
fn every_instruction_of_the_listing_is_read() {
    let listing = read(&DEVSET);
    assert_eq!((listing.functions.len(), listing.unrecognised_count), (7, 0));
    assert!(listing.functions.iter().all(|function| function.arch.as_str() == "sm_90a"));
    let mut counts = BTreeMap::new();
    for function in &listing.functions {
        for instruction in &function.instructions {
            *counts.entry((function.mangled.to_string(), instruction.named().to_owned())).or_default() += 1;
        }
    }
    assert_eq!(counts, counted_by_hand(&DEVSET));
    assert_eq!(counts.values().sum::<usize>(), DEVSET.matches("/* 0x").count() / 2);
    let first = &listing.functions[0].instructions[1];
    assert_eq!((first.offset, first.named(), first.spelt()), (0x10, "S2R", "R7, SR_TID.X"));
    assert_eq!(first.word.map(|word| word.bits), Some(0x000e_2e00_0000_2100_0000_0000_0007_7919));
    assert!(listing.functions.iter().flat_map(|f| &f.instructions).all(|i| i.word.is_some() && i.places.is_empty()));
}

#[test]
fn both_disassemblers_give_the_same_code() {
    let plain = read(include_str!("../fixtures/sass/tiny.sass"));
    let lines = read(include_str!("../fixtures/sass/tiny.lines.sass"));
    assert_eq!((plain.unrecognised_count, lines.unrecognised_count), (0, 0));
    let (plain, lines) = (&plain.functions[0], &lines.functions[0]);
    assert_eq!((plain.mangled.as_ref(), &plain.mangled, &plain.arch), ("tiny", &lines.mangled, &lines.arch));
    let code = plain.body();
    assert_eq!(code.len(), lines.body().len());
    for (a, b) in code.iter().zip(lines.body()) {
        assert_eq!((a.offset, &a.opcode, a.guard()), (b.offset, &b.opcode, b.guard()));
        assert_eq!(a.targets(), b.targets(), "{:#x}", a.offset);
    }
    assert_eq!(ControlFlow::of(plain.body()).blocks.len(), ControlFlow::of(lines.body()).blocks.len());
}

#[test]
fn line_information_has_the_calls_that_were_inlined() {
    let listing = read(&truth::unpacked_text("sass/roads.lines.sass"));
    let roads = listing.function("sw").unwrap();
    let at = |line| SourceLine { file: "/opt/devset/roads.cu".into(), line, function: None };
    let chains: BTreeSet<Vec<u32>> =
        roads.instructions.iter().map(|i| i.places.iter().map(|place| place.line).collect()).collect();
    assert!(chains.contains(&vec![3, 4, 8]) && chains.contains(&vec![2, 8]), "{chains:?}");
    assert_eq!(roads.instructions[0].places[..], [at(5)]);
    assert!(roads.instructions.iter().all(|i| i.places.iter().all(|place| place.file == at(1).file)));
}

/// A node of `nvdisasm -bbcfg -poff`: where it starts, how many instructions it holds, where it leads.
pub(crate) fn nodes_of_dot(text: &str) -> BTreeMap<u64, (usize, BTreeSet<u64>)> {
    let mut starts = BTreeMap::new();
    let mut nodes: BTreeMap<u64, (usize, BTreeSet<u64>)> = BTreeMap::new();
    let mut name = "";
    let mut edges = Vec::new();
    // Offsets begin anew in every function: a function's number keeps them apart.
    let mut function = 0;
    for line in text.lines() {
        function += u64::from(line.starts_with("subgraph") && !line.contains("cluster_$"));
        let key = |offset: u64| function << 32 | offset;
        if let Some((from, to)) = line.split_once(" -> ") {
            edges.push((function, quoted(from), quoted(to)));
        } else if line.starts_with('"') {
            name = quoted(line);
        } else if line.starts_with("[label=") {
            let offsets = line.split(['\\', '|', '>', '{']).filter_map(|part| {
                let digits = part.trim_start_matches('l').split(':').next()?;
                (digits.len() == 4 && part.contains(':')).then(|| u64::from_str_radix(digits, 16).ok())?
            });
            let offsets: Vec<u64> = offsets.collect();
            starts.insert((function, name), key(offsets[0]));
            nodes.insert(key(offsets[0]), (offsets.len(), BTreeSet::new()));
        }
    }
    for (function, from, to) in edges {
        let to = starts[&(function, to)];
        nodes.get_mut(&starts[&(function, from)]).unwrap().1.insert(to);
    }
    nodes
}

fn quoted(text: &str) -> &str {
    text.split('"').nth(1).unwrap()
}

pub(crate) fn nodes_of_flow<'a>(
    functions: impl Iterator<Item = &'a SassFunction>,
) -> BTreeMap<u64, (usize, BTreeSet<u64>)> {
    let mut nodes = BTreeMap::new();
    for (number, function) in (1..).zip(functions) {
        let key = |offset: u64| number << 32 | offset;
        let flow = ControlFlow::of(function.body());
        for block in &flow.blocks {
            let next = block.successors.iter().map(|to| key(flow.blocks[*to].start)).collect();
            nodes.insert(key(block.start), (block.instructions.len(), next));
        }
    }
    nodes
}

#[test]
fn blocks_and_edges_are_those_of_nvdisasm() {
    let listing = read(&DEVSET);
    let ours = nodes_of_flow(listing.functions.iter());
    let theirs = nodes_of_dot(&truth::unpacked_text("sass/devset.bbcfg.dot"));
    assert_eq!(ours, theirs);
    assert_eq!(theirs.len(), 26);
}

/// Joins the nodes that nvdisasm also begins at labels which nothing names; how many there are. Each goes on from the node in front alone.
pub(crate) fn join_unnamed(
    theirs: &mut BTreeMap<u64, (usize, BTreeSet<u64>)>,
    ours: &BTreeMap<u64, (usize, BTreeSet<u64>)>,
) -> usize {
    let unnamed: Vec<u64> = theirs.keys().copied().filter(|start| !ours.contains_key(start)).collect();
    for start in &unnamed {
        let (count, next) = theirs.remove(start).unwrap();
        let [(_, before)] = &mut theirs.iter_mut().filter(|(_, node)| node.1.contains(start)).collect::<Vec<_>>()[..]
        else {
            panic!("{start:#x} is entered from one node")
        };
        assert_eq!(std::mem::replace(&mut before.1, next), BTreeSet::from([*start]));
        before.0 += count;
    }
    unnamed.len()
}

#[test]
fn switches_and_calls_are_followed_as_nvdisasm_does() {
    let listing = read(&truth::unpacked_text("sass/roads.lines.sass"));
    let ours = nodes_of_flow(listing.functions.iter());
    let mut theirs = nodes_of_dot(&truth::unpacked_text("sass/roads.bbcfg.dot"));
    assert_eq!(join_unnamed(&mut theirs, &ours), 3);
    for (start, node) in &theirs {
        assert_eq!(&ours[start], node, "{:#x}", start & 0xffff_ffff);
    }
    assert_eq!(ours.len(), theirs.len());
    let flow = ControlFlow::of(listing.function("sw").unwrap().body());
    assert!(flow.blocks.iter().all(|block| !block.leaves_unseen));
    assert!(flow.entries.len() >= 3, "{:?}", flow.entries);
}

#[test]
fn the_graph_for_dot_has_the_blocks_and_edges_of_nvdisasm() {
    let listing = read(&DEVSET);
    let mut ours: BTreeMap<u64, (usize, BTreeSet<u64>)> = BTreeMap::new();
    for (number, function) in (1u64..).zip(&listing.functions) {
        let text = graph(function);
        let key = |text: &str| number << 32 | u64::from_str_radix(&quoted(text)[2..], 16).unwrap();
        for line in text.lines().filter(|line| line.starts_with("  \"")) {
            match line.split_once(" -> ") {
                Some((from, to)) => assert!(ours.get_mut(&key(from)).unwrap().1.insert(key(to))),
                None => {
                    let count = line.split("\\l").nth(1).and_then(|said| said.split(' ').next()).unwrap();
                    ours.insert(key(line), (count.parse().unwrap(), BTreeSet::new()));
                }
            }
        }
    }
    assert_eq!(ours, nodes_of_dot(&truth::unpacked_text("sass/devset.bbcfg.dot")));
    let turning = listing.functions.iter().map(|function| graph(function).matches("[style=bold]").count());
    let loops = listing.functions.iter().map(|function| loops(&ControlFlow::of(function.body())).0.len());
    assert_eq!(turning.sum::<usize>(), loops.sum::<usize>(), "one jump back for each loop here");
}

/// `nvdisasm -cfg` joins blocks into nodes that are left in their middle: its edges are ours between its nodes.
#[test]
fn the_captured_graph_has_our_edges_between_its_nodes() {
    fn named(text: &str) -> BTreeMap<&str, &str> {
        let heads = text.lines().filter(|line| line.starts_with('"') && !line.contains(" -> ")).map(quoted);
        let labels = text.lines().filter(|line| line.starts_with("[label="));
        heads.zip(labels).collect()
    }
    let [dot, of_blocks] = ["h200/devset.cfg.dot", "sass/devset.bbcfg.dot"].map(truth::unpacked_text);
    let blocks = named(&of_blocks);
    let theirs: BTreeSet<(&str, &str)> =
        dot.lines().filter_map(|line| line.split_once(" -> ")).map(|(from, to)| (quoted(from), quoted(to))).collect();
    let listing = read(&DEVSET);
    let mut ours = BTreeSet::new();
    let mut instructions = 0;
    for function in &listing.functions {
        let flow = ControlFlow::of(function.body());
        instructions += function.body().len();
        // The captured listing has no labels: nodes are found by the offsets that the graph of blocks prints for them.
        let part = of_blocks
            .split("subgraph")
            .find(|part| part.trim_start().starts_with(&format!("\"cluster_{}\"", function.mangled)));
        let inside = part.unwrap();
        let nodes: BTreeMap<u64, &str> = named(&dot)
            .into_keys()
            .filter(|name| inside.contains(&format!("\n\"{name}\"\n")))
            .map(|name| (offset_of_label(blocks[name]), name))
            .collect();
        let node_of = |start: u64| *nodes.range(..=start).next_back().unwrap().1;
        for block in &flow.blocks {
            for to in block.successors.iter().map(|to| flow.blocks[*to].start).filter(|to| nodes.contains_key(to)) {
                ours.insert((node_of(block.start), node_of(to)));
            }
        }
    }
    assert_eq!(ours, theirs);
    assert_eq!(instructions, dot.matches("\\ ;\\l").count());
}

fn offset_of_label(label: &str) -> u64 {
    let digits = label.split(['\\', '|', '>', '{']).filter_map(|part| part.trim_start_matches('l').split_once(':'));
    digits.filter(|(digits, _)| digits.len() == 4).find_map(|(digits, _)| u64::from_str_radix(digits, 16).ok()).unwrap()
}

#[test]
fn loops_have_their_instructions() {
    let listing = read(&DEVSET);
    let v2 = listing.function(V2).unwrap();
    let flow = ControlFlow::of(v2.body());
    let (found, irreducible) = loops(&flow);
    assert_eq!((found.len(), irreducible.len()), (1, 0));
    let [inner] = &found[..] else { panic!("one loop") };
    assert!(inner.innermost && inner.depth == 0 && inner.blocks == inner.latches);
    // Counted in the listing between the label that the jump back names and that jump.
    let code = v2.body();
    let (latch, jump) = code
        .iter()
        .enumerate()
        .find(|(_, i)| i.op() == Op::BRA && i.targets().iter().any(|to| *to < i.offset))
        .unwrap();
    let header = code.iter().position(|i| i.offset == jump.targets()[0]).unwrap();
    assert_eq!(inner.instructions, latch + 1 - header);
    let v1 = ControlFlow::of(listing.function(V1).unwrap().body());
    assert_eq!(loops(&v1).0.len(), 3);

    let tiny = read(include_str!("../fixtures/sass/tiny.lines.sass"));
    let flow = ControlFlow::of(tiny.functions[0].body());
    let starts: Vec<u64> = loops(&flow).0.iter().map(|found| flow.blocks[found.header].start).collect();
    assert_eq!(starts, [0x140, 0x3d0, 0x7d0, 0x910]);
}

#[test]
fn counts_classes_and_sequences_agree_with_the_text() {
    let listing = read(&DEVSET);
    let v2 = listing.function(V2).unwrap();
    let text = DEVSET.split("Function : ").find(|part| part.starts_with(V2)).unwrap();
    let listed = Listed::of(v2);
    let counts = opcode_counts(listed.code);
    let of = |opcode: &str| counts.iter().find(|count| count.0 == opcode).map_or(0, |count| count.1);
    for opcode in ["FFMA", "LDS.128", "LDG.E", "STS", "BAR.SYNC.DEFER_BLOCKING", "ISETP.GE.AND"] {
        assert_eq!(of(opcode), text.matches(&format!(" {opcode} ")).count(), "{opcode}");
    }
    assert!(of("FFMA") >= 32 && counts[0].1 >= counts[1].1);
    let classes = class_counts(listed.code.iter());
    assert_eq!(classes.iter().map(|class| class.count).sum::<usize>(), v2.body().len());
    let class = |id: &str| classes.iter().find(|class| class.class == id).map_or(0, |class| class.count);
    assert_eq!(class(""), 0);
    assert_eq!(
        class("global-load") + class("global-store"),
        text.matches(" LDG").count() + text.matches(" STG").count()
    );
    assert_eq!(
        class("shared-load") + class("shared-store"),
        text.matches(" LDS").count() + text.matches(" STS").count()
    );
    let tiles = sequences(&listed, &["LDG", "STS", "BAR.SYNC", "LDS", "FFMA"], 40);
    assert_eq!(tiles.len(), 1);
    let bases: Vec<&str> = tiles[0].instructions.iter().map(|at| listed.code[*at].op().name()).collect();
    assert_eq!(bases, ["LDG", "STS", "BAR", "LDS", "FFMA"]);
    assert_eq!(listed.flow.block_of(tiles[0].instructions[0]), Some(tiles[0].block));
    assert!(sequences(&listed, &["FFMA", "LDG"], 0).is_empty() && sequences(&listed, &[], 3).is_empty());
}

#[test]
fn an_indirect_branch_without_targets_is_said_to_leave_unseen() {
    let text = "\tcode for sm_90\n\t\tFunction : k\n\
        /*0000*/ BRX R2 -0x10 ; /* 0x1 */\n/* 0x2 */\n/*0010*/ EXIT ;\n/*0020*/ BRA 0x20;\n/*0030*/ NOP;\n";
    let listing = read(text);
    let flow = ControlFlow::of(listing.functions[0].body());
    assert_eq!(listing.functions[0].body().len(), 2);
    assert!(flow.blocks[0].leaves_unseen && flow.blocks[0].successors.is_empty());
}

#[test]
fn unknown_lines_are_kept_and_counted() {
    let listing = read(&format!("{}\nwhat is this\n/*0010*/ 123 ;\n", *DEVSET));
    assert_eq!((listing.unrecognised_count, listing.unrecognised_lines.len()), (2, 2));
    assert_eq!(listing.unrecognised_lines[0], "what is this");
    let noise: String = (0..150).map(|n| format!("noise {n}\n")).collect();
    let listing = read(&format!("{noise}{}", *DEVSET));
    assert_eq!((listing.unrecognised_count, listing.unrecognised_lines.len()), (150, 100));
}

#[test]
fn text_without_instructions_is_an_error() {
    for text in ["", "hello\n", "\tcode for sm_90a\n\t.target\tsm_90a\n"] {
        let error = sass::read(text.as_bytes(), Origin::default(), "").unwrap_err();
        assert!(matches!(error, ReadError::Empty { .. }) && error.to_string().contains("cuobjdump --dump-sass"));
    }
}

#[test]
fn no_prefix_and_no_flipped_byte_breaks_the_reader_or_the_analyses() {
    let text = include_bytes!("../fixtures/sass/tiny.lines.sass");
    let mut bytes = text.to_vec();
    let check = |bytes: &[u8]| {
        if let Ok(listing) = sass::read(bytes, Origin::default(), "") {
            for function in &listing.functions {
                let flow = ControlFlow::of(function.body());
                let count: usize = flow.blocks.iter().map(|block| block.instructions.len()).sum();
                assert_eq!(count, function.body().len());
                let _ = loops(&flow);
            }
        }
    };
    for at in (0..text.len()).step_by(31) {
        check(&text[..at]);
        bytes[at] ^= 0x13;
        check(&bytes);
        bytes[at] ^= 0x13;
    }
}
