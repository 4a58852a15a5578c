//! Scalar multiply-adds of rows and columns, moved to the tensor pipe.

use super::banks::wavefronts as wavefronts_of_all;
use super::tile::Tile;
use super::work::executed_on;
use super::work::{answered, is_of_matrix, of_tile};
use super::*;
use std::collections::{BTreeMap, BTreeSet};

/// Products for which a value that is loaded is used, from which on there is a tile of rows and columns: a dot product uses it for one, a
/// product of complex numbers for two.
const OF_A_TILE: f64 = 2.0;

/// What a tile of twice the side asks of L2 for the same products: registers that hold fragments can hold sums.
pub(super) const LARGER_TILE: f64 = 0.5;

/// Operations of a multiply-add.
pub(super) const OPERATIONS: f64 = 2.0;

/// The type whose tensor instructions give the same as a scalar multiply-add.
struct Kin {
    name: &'static str,
    /// Multiply-adds for each lane.
    each: f64,
    /// Of a factor in memory.
    bytes: f64,
    /// What makes a factor of what is in memory; `None` where they are the same.
    converts: Option<Op>,
}

/// Single precision has none, as TF32 keeps ten bits, but for factors that were halves.
fn kin(op: Op) -> Option<Kin> {
    let of = |name, each, bytes| Kin { name, each, bytes, converts: None };
    match op.pipe()? {
        Pipe::Fp64 => Some(of("fp64", 1.0, 8.0)),
        Pipe::Fp16 => Some(of("fp16", 2.0, 2.0)),
        _ if op.class() == Some(Class::Fp32) => Some(Kin { converts: Some(Op::HADD2), ..of("fp16", 1.0, 2.0) }),
        _ => (op == Op::IDP).then(|| of("int8", 4.0, 1.0)),
    }
}

/// Whether a row leaves a factor as it is in memory, or as it was there before its conversion: in registers, or in front of shared memory
/// that holds nothing else.
fn is_factor(study: &Study<'_>, converts: Option<Op>, row: usize) -> bool {
    let code = &study.code;
    let Some(converts) = converts else { return code.op(row).brings_from_memory() };
    if code.op(row).loads_shared() {
        let fills =
            |row: &usize| code.executed[*row] > 0 && (code.op(*row).stores_shared() || code.op(*row).copies_global());
        let mut fills = (0..code.rows.len()).filter(fills).peekable();
        let halves = |row: usize| code.data_of(row).all(|row| is_converted(study, converts, row));
        return fills.peek().is_some() && fills.all(|row| code.op(row).stores_shared() && halves(row));
    }
    is_converted(study, converts, row)
}

/// Whether a row converts what memory brought.
fn is_converted(study: &Study<'_>, converts: Op, row: usize) -> bool {
    let is_brought =
        |behind: Vec<usize>| !behind.is_empty() && behind.iter().all(|row| study.code.op(*row).brings_from_memory());
    study.code.op(row) == converts && read(study, row).any(is_brought)
}

/// The registers of the lanes that a row reads.
fn general(study: &Study<'_>, row: usize) -> impl Iterator<Item = Register> {
    let reads = study.code.word(row).registers.reads;
    reads.into_iter().filter(|register| register.count > 0 && register.file == RegisterFile::General)
}

/// The rows that leave each of them.
fn read<'s>(study: &'s Study<'_>, row: usize) -> impl Iterator<Item = Vec<usize>> + 's {
    general(study, row).map(move |own| study.code.definitions(row, own))
}

/// Factors that are read from global memory, past shared memory.
#[derive(Default)]
struct Direct {
    /// Loads, executed by warps.
    requests: f64,
    /// At least one for each, and one for each 128 bytes.
    wavefronts: f64,
}

/// What of the rows that leave factors comes from global memory, itself or behind a conversion.
fn from_global(study: &Study<'_>, factors: impl Iterator<Item = usize>) -> Direct {
    let code = &study.code;
    let brings = |row: usize| match code.op(row).brings_from_memory() {
        true => vec![row],
        false => read(study, row).flatten().collect(),
    };
    let rows: BTreeSet<usize> = factors.flat_map(brings).filter(|row| code.op(*row).loads_global()).collect();
    rows.into_iter().fold(Direct::default(), |all, row| {
        let executed = code.executed[row] as f64;
        let each = study.width(row).map_or(1.0, |bits| (WARP * bits as f64 / 8.0 / LINE).max(1.0));
        Direct { requests: all.requests + executed, wavefronts: all.wavefronts + executed * each }
    })
}

/// Scalar multiply-adds of rows and columns, where the chip has tensor instructions of their type: as many at the rate of these, and
/// fragments that lanes hold once for a warp, where each thread had read the row and the column of its own sums; other lanes store these.
pub(super) fn on_tensor(m: &Measures<'_>) -> Option<Draft> {
    let study = m.study.filter(|_| !m.has_tensor)?;
    let ops = m.kernel.opcodes().keys().map(|opcode| Op::of(opcode));
    let drafts = ops.filter_map(|op| on_tensor_of(m, study, op));
    drafts.max_by(|a, b| a.saves(m).total_cmp(&b.saves(m)))
}

/// The multiply-adds of one opcode.
fn on_tensor_of(m: &Measures<'_>, study: &Study<'_>, op: Op) -> Option<Draft> {
    let code = &study.code;
    let Kin { name: of_type, each, bytes, converts } = kin(op)?;
    let rate = f64::from(*m.chip()?.tensor.as_ref()?.dense.get(of_type)?);
    let unit = m.units.iter().find(|unit| m.runs(unit.part).is_some_and(|runs| runs(op)))?;
    // What is made of values is no element of a matrix: a distance belongs to one pair alone.
    let (mut loaded, mut sums, mut made) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    let mut takes = |row: usize, factors: &[Register]| {
        let behind = factors.iter().map(|factor| (factor.number, code.definitions(row, *factor)));
        let behind: Vec<(u8, Vec<usize>)> = behind.collect();
        let is_own = behind.iter().all(|(_, rows)| rows.iter().all(|row| is_factor(study, converts, *row)));
        if is_own {
            made.insert(row);
            let values = behind.iter().flat_map(|(number, rows)| rows.iter().map(|row| (*number, *row)));
            loaded.extend(values.map(|(number, row)| ((number, row), code.executed[row] as f64)));
        }
        is_own
    };
    let mut fused = 0.0;
    for own in products_of(code, |other| other == op) {
        if takes(own.row, &own.factors) {
            fused += code.executed[own.row] as f64;
            sums.extend(code.registers(own.row).written().next().map(|sum| sum.number));
        }
    }
    // A sum of complex products begins with products that nothing is added to, and adds up what these make.
    let others = || code.run().filter(|row| code.op(*row).class() == op.class());
    for row in others().filter(|row| code.op(*row).folds() && !code.op(*row).adds()) {
        let factors: Vec<Register> = general(study, row).collect();
        if factors.len() == 2 {
            takes(row, &factors);
        }
    }
    let executed_of = |rows: &BTreeSet<usize>| code.sum(rows) as f64;
    let adds = |row: &usize| code.op(*row).adds() && code.operands_of(*row).any(|from| made.contains(&from));
    let (executed, added) = (executed_of(&made), executed_of(&others().filter(adds).collect()));
    let all = m.count(|other| other == op);
    // A tile is one of registers, or of shared memory that the threads of a block share, or of threads that load the same rows and columns.
    let is_tile =
        2.0 * executed > OF_A_TILE * loaded.values().sum::<f64>() || Tile::of(m).is_some() || is_of_matrix(study);
    // Halves are converted on the pipe that multiplies.
    let is_conversion = |row: &usize| converts.is_some_and(|converts| code.op(*row) == converts);
    let converted: f64 = loaded.iter().filter(|((_, row), _)| is_conversion(row)).map(|(_, executed)| executed).sum();
    let multiplied = executed * WARP * each;
    let goal = OPERATIONS * multiplied / (rate * m.sm_cycles()?);
    let now = unit.share * (executed + added + converted) / executed_on(m, unit.part)?;
    if 2.0 * fused <= all || !is_tile || goal >= now {
        return None;
    }
    let pipe = (unit.share - now + goal) / unit.share;
    // A warp reads the rows and the columns of its sums, each value once, wherever they were read from.
    let direct = from_global(study, loaded.keys().map(|(_, row)| *row));
    let is_direct = direct.requests > 0.0;
    let wavefronts = 2.0 * multiplied * bytes / (WARP * each * sums.len() as f64).sqrt() / LINE;
    let now = wavefronts_of_all(m).map_or(0.0, |own| own.all) + direct.wavefronts;
    let reads = if now > 0.0 { (wavefronts / now).min(1.0) } else { 1.0 };
    let accesses = |is_meant: fn(Op) -> bool| m.count(is_meant).max(1.0);
    let of_global = (direct.requests / accesses(|op| op.is_lsu_access() && op.space() == Some(Space::Global))).min(1.0);
    let stage = m.stage();
    let own = |stage: &DataStage| (stage.shared + of_global * stage.other()) / stage.whole;
    let kept = |reads: f64| stage.as_ref().map_or(1.0, |stage| 1.0 - (1.0 - reads) * own(stage));
    let loads = m.count(Op::loads_shared) + direct.requests;
    // Fragments take as many requests less as they take wavefronts less.
    let requests = |reads: f64| 1.0 - (1.0 - reads) * (loads / accesses(Op::is_lsu_access)).min(1.0);
    let gone = executed + added + converted + (1.0 - reads) * loads;
    let issue = (1.0 - gone / m.executed()?).max(0.0);
    let of_loads = [StallReason::LongScoreboard, StallReason::LgThrottle];
    // What L1 has already is read less often; what it has to bring is waited for as before.
    let behind_l1 = if is_direct { answered(m) * m.waits(&of_loads) } else { 0.0 };
    let fed = m.waits(&FOR_SHARED) + behind_l1;
    let own = m.waits(&[StallReason::Wait, StallReason::MathPipeThrottle]);
    let draft = Draft::new(Action::TensorGeneration)
        .rewrites()
        .moves_work()
        .keeps(&[unit.part], pipe, goal / unit.share)
        .keeps(&DATA_STAGE, kept(reads), kept(0.0))
        .keeps(&[Part::MemoryLsu], requests(reads), requests(0.0))
        .keeps(&[Part::Issue], issue, 0.0)
        .keeps(&[Part::MemoryL2], 1.0, LARGER_TILE.min(1.0 - sectors::wasted(m)))
        .frees((1.0 - reads) * fed + (1.0 - pipe) * own, fed + own);
    let draft = of_tile(m, draft);
    let (name, kind) = (op.name(), of_type.to_uppercase());
    let why = words!(
        "{} `{}` on loaded {}; {} {} → {} at {} multiply-adds a cycle and SM; fragments read {} of the wavefronts",
        count(fused),
        name,
        if converts.is_some() { "halves" } else { "values" },
        &unit.name,
        share(unit.share),
        share(pipe * unit.share),
        fixed(rate / OPERATIONS, 0),
        share(reads)
    );
    let how = words!("Multiply on the tensor pipe, by `mma.sync` in {}", kind);
    let draft = draft.at(At::most(m, |other| other == op)).says(how, why);
    let draft = draft.risks("fragments over the lanes of a warp; another order of sums");
    Some(draft.checks(words!("{} {} → 0", name, count(all)), format!("opcode.{name}")))
}
