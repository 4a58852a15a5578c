//! Code that is not what its author can change: built without optimisation, or a library's.

use super::launch;
use super::sectors::sectors;
use super::*;
use crate::analysis::diagnose::machine::ROOF;
use crate::catalog::LibraryRow;
use crate::evidence::Instruction;
use cuda_binary::op::Computes;

pub(super) const PATTERNS: [Pattern; 2] = [
    Pattern::asks("Was it built without optimisation?", unoptimised, Stands::Beside)
        .needs(("the machine code", |m| m.view.is_some())),
    Pattern::asks("Is it a kernel of a library?", of_library, Stands::Beside).needs(NOTHING),
];

/// The part of the instructions that copy a register onto itself from which nobody optimised them: 14 to 27 % with `nvcc -G` or
/// `-Xptxas -O0`, at most one instruction of a kernel otherwise.
const COPIES: f64 = 0.05;

/// The part of the executed instructions, 0 to 1, that copies a register onto itself, where that is much; of the code where nobody counted
/// by instruction.
fn copies(m: &Measures<'_>) -> Option<f64> {
    let view = m.view?;
    let rows = &view.instructions;
    let executed = view.counts(Counter::InstExecuted).filter(|all| all.iter().any(|own| *own > 0));
    let of = |row: usize| executed.as_ref().map_or(1.0, |executed| executed[row] as f64);
    let is_copy = |row: &Instruction| {
        let registers = row.word.unwrap_or_default().registers;
        let general = |all: &[Register]| -> Vec<u8> {
            let own = all.iter().filter(|one| one.count > 0 && one.file == RegisterFile::General);
            own.map(|one| one.number).collect()
        };
        let (to, from) = (general(&registers.writes), general(&registers.reads));
        row.op().computes() == Some(Computes::Copied) && !to.is_empty() && to == from
    };
    let sum = |rows: &mut dyn Iterator<Item = usize>| rows.map(of).sum::<f64>();
    let own = sum(&mut (0..rows.len()).filter(|row| is_copy(&rows[*row])));
    let own = own / sum(&mut (0..rows.len())).max(1.0);
    (own >= COPIES).then_some(own)
}

fn unoptimised(m: &Measures<'_>) -> Option<Held> {
    let sentence = words!(
        "Built without optimisation (`nvcc -G` or `-O0`): {} of its instructions copy a register onto itself. What is slow here says little about the optimised kernel.",
        share(copies(m)?)
    );
    Some(Held::new(Code::UnoptimisedBuild, 100.0, 0.0, sentence))
}

fn library(m: &Measures<'_>) -> Option<&'static LibraryRow> {
    catalog::library_of(&m.kernel.key().name)
}

fn of_library(m: &Measures<'_>) -> Option<Held> {
    let sentence = words!("By its name it is a kernel of {}: what can be changed is the call.", library(m)?.name);
    Some(Held::new(Code::LibraryKernel, 100.0, 0.0, sentence).noted())
}

/// What can be done by somebody who cannot change the code that ran; `None` where it is his own, optimised.
pub(in crate::analysis::diagnose) fn by_caller(m: &Measures<'_>) -> Option<Vec<Draft>> {
    if let Some(copies) = copies(m) {
        let how = words!("Build without `-G` and `-O0` (`-lineinfo` keeps the lines), and profile that");
        let why = words!("{} of the instructions copy a register onto itself", share(copies));
        let draft = Draft::new(Action::Rebuild).open("a report of the optimised build").at(At::Build).says(how, why);
        return Some(vec![draft.checks("copies of a register onto itself = 0", DURATION)]);
    }
    let library = library(m)?;
    let below = m.duration.map(|ns| format!(" below {}", glance::time(ns)));
    let draft = Draft::new(Action::OtherCall).open("the other call, measured beside this one").at(At::Launch);
    let draft = draft.says(library.call, words!("a kernel of {}{}{}", library.name, words::maybe(why(m)), by_name(m)));
    Some(
        launch::fuse(m)
            .into_iter()
            .chain([draft.checks(words!("time of the call{}", words::maybe(below)), DURATION)])
            .collect(),
    )
}

/// Bytes of the widest access of a lane.
const WIDE: u32 = 16;

/// What the name of a library's kernel tells: operands that are aligned to less than its widest loads, and instructions of an older chip.
fn by_name(m: &Measures<'_>) -> Words {
    let name = &m.kernel.key().name;
    let narrow = catalog::alignment_of(name).filter(|bytes| *bytes < WIDE).map(|bytes| {
        words!(
            "; by its name operands are aligned to {}: pad the leading dimensions to {} bytes",
            format::counted(bytes.into(), "byte"),
            WIDE.to_string()
        )
    });
    let own = m.kernel.device().compute_capability.map(|(major, minor)| 10 * major + minor);
    let older = catalog::generation_of(name).zip(own).filter(|(of, own)| of / 10 < own / 10).map(|(of, own)| {
        words!(
            "; it is written for {}.{}, and this chip is {}.{}",
            (of / 10).to_string(),
            (of % 10).to_string(),
            (own / 10).to_string(),
            (own % 10).to_string()
        )
    });
    words!("{}{}", words::maybe(narrow), words::maybe(older))
}

/// What of the measured a call of another shape, layout or type would change.
fn why(m: &Measures<'_>) -> Option<Words> {
    if let Some((waves, blocks)) = m.waves.filter(|waves| *waves < 1.0).zip(m.blocks) {
        let (blocks, part) = (count(blocks), share(waves));
        return Some(words!(": {} blocks are {} of a wave, a larger or batched call fills it", blocks, part));
    }
    let wasted = sectors(m).map(|(all, excess)| excess / all);
    if let Some(wasted) = wasted.filter(|wasted| 100.0 * wasted >= m.limits[Threshold::SectorsExcessShare]) {
        return Some(words!(": {} of its sectors hold nothing that it asks for, another layout does", share(wasted)));
    }
    let dram = m.machine.need(Part::MemoryDram).filter(|need| *need >= ROOF);
    dram.map(|_| words!(": DRAM is at its roof, a narrower type or a joined neighbour moves less"))
}
