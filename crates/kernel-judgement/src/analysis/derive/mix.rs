//! What was executed: instruction totals by opcode and by class.

pub(in crate::analysis) use crate::analysis::kernel::readings::{PER_OPCODE, WITH_MODIFIERS};
use crate::analysis::{KernelSummary, Row};
use crate::catalog::{Better, Counter};
use crate::evidence::{Reading, SourceView};
use crate::quantity::{Quantity, Unit};

use arcstr::ArcStr;
use cuda_binary::{Class, Op};
use std::collections::{BTreeMap, BTreeSet};

/// Executions of an instruction by lanes whose guard held.
const LANES: Counter = Counter::ThreadInstExecutedTrue;

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct OpcodeRow {
    /// Base opcode, `LDG`.
    pub opcode: String,
    /// Label of its class in the catalog; empty for an opcode that the catalog does not know.
    pub class: String,
    /// Executions, warp level.
    pub row: Row,
    /// Share of the new side's executions in percent.
    pub share: Option<f64>,
}

impl OpcodeRow {
    pub fn op(&self) -> Op {
        Op::of(&self.opcode)
    }
}

/// Instructions of arithmetic on halves, counted one by one: those that make a constant or pass a half on compute nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Halves {
    /// Executions by what an instruction is for, warp level.
    of: BTreeMap<(Op, Class), f64>,
    /// Operations that counters by opcode see in those that compute nothing: two a lane, four where they multiply and add; `None` where no
    /// lanes were counted.
    pub nothing: Option<f64>,
}

impl Halves {
    /// Those of the code; `None` where nothing was counted by instruction.
    pub(in crate::analysis) fn of(view: &SourceView) -> Option<Halves> {
        let (executed, lanes) = (view.counts(Counter::InstExecuted)?, view.counts(LANES));
        let mut halves = Halves { nothing: lanes.is_some().then_some(0.0), ..Halves::default() };
        for (row, own) in view.instructions.iter().enumerate() {
            let Some(class) = own.class().filter(|_| own.op().class() == Some(Class::Fp16)) else { continue };
            *halves.of.entry((own.op(), class)).or_default() += executed[row] as f64;
            let each = if own.op() == Op::HFMA2 { 4.0 } else { 2.0 };
            if let Some((sum, lanes)) = halves.nothing.as_mut().zip(lanes.as_ref()).filter(|_| class != Class::Fp16) {
                *sum += each * lanes[row] as f64;
            }
        }
        Some(halves)
    }

    /// What most instructions of an opcode are for.
    fn most(&self, op: Op) -> Option<Class> {
        let own = self.of.iter().filter(|((own, _), _)| *own == op);
        own.max_by(|a, b| a.1.total_cmp(b.1)).map(|((_, class), _)| *class)
    }
}

/// Executions by opcode.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct InstructionMix {
    /// Opcodes, the most executed of the new side first; empty when the report does not hold them.
    pub rows: Vec<OpcodeRow>,
    /// The same summed by class.
    pub classes: Vec<OpcodeRow>,
    /// Sum over all opcodes of the new side.
    pub total: Option<f64>,
    /// Threads that did the work of an instruction over those that took part: what predicates leave on, in percent.
    pub predication: Reading,
    /// Executed matrix instructions of the tensor cores.
    pub tensor: Reading,
    /// Their share of all executed instructions, in percent.
    pub tensor_share: Reading,
    /// Stores to shared memory of 64 or 128 bits a lane, in percent of all of them.
    pub wide_shared_stores: Reading,
}

impl InstructionMix {
    /// The mix of a kernel, old beside new, with the arithmetic on halves of each, where it was counted by instruction.
    pub fn of(
        new: &KernelSummary<'_>,
        old: Option<&KernelSummary<'_>>,
        [halves, old_halves]: [Option<&Halves>; 2],
    ) -> InstructionMix {
        let (new_counts, old_counts) = (new.opcodes(), old.map(|old| old.opcodes()));
        let predication = predication(new);
        if new_counts.is_empty() {
            let missing = || Reading::not_collected(PER_OPCODE);
            let (tensor, tensor_share, wide_shared_stores) = (missing(), missing(), wide_shared_stores(new));
            return InstructionMix {
                predication,
                tensor,
                tensor_share,
                wide_shared_stores,
                ..InstructionMix::default()
            };
        }
        let total: f64 = new_counts.values().sum();
        let matrix: f64 =
            new_counts.iter().filter(|(opcode, _)| Op::of(opcode).is_product()).map(|(_, count)| count).sum();
        let counted = |value, unit, formula| Reading::number(value, unit, &[PER_OPCODE], formula);
        let tensor = counted(matrix, Unit::INST, "sum over matrix instructions");
        let tensor_share = counted(100.0 * matrix / total, Unit::PERCENT, "100 × matrix instructions / all");
        let old_classes = old_counts.map(|old| by_class(old, old_halves));
        let classes = rows(&by_class(new_counts, halves), old_classes.as_ref(), total, |_| String::new());
        let class = |opcode: &str| {
            let op = Op::of(opcode);
            halves.and_then(|halves| halves.most(op)).or(op.class()).map_or("", Class::label).to_owned()
        };
        InstructionMix {
            rows: rows(new_counts, old_counts, total, class),
            classes,
            total: Some(total),
            predication,
            tensor,
            tensor_share,
            wide_shared_stores: wide_shared_stores(new),
        }
    }

    /// The same with the executions that had a lane on, of the opcodes and sides for which they are given: an instruction whose
    /// guard is off for all lanes is counted by the hardware and does nothing.
    #[must_use]
    pub(in crate::analysis) fn with_lanes(mut self, new: &[(&str, f64)], old: &[(&str, f64)]) -> InstructionMix {
        let given = |counts: &[(&str, f64)], opcode: &str| {
            counts.iter().find(|(own, _)| *own == opcode).map(|(_, count)| *count)
        };
        let lower = |reading: &mut Reading, by: f64| {
            let left = reading.value().map_or(0.0, |all| (all - by).max(0.0));
            *reading = Reading::number(left, Unit::NONE, &[PER_OPCODE, LANES], "executions with a lane on");
        };
        for row in &mut self.rows {
            let class = self.classes.iter_mut().find(|class| class.opcode == row.class);
            let mut of_class = class.map(|class| &mut class.row);
            let off = |reading: &Reading, on: f64| reading.value().map(|all| all - on).filter(|off| *off > 0.0);
            if let Some(off) = given(new, &row.opcode).and_then(|on| off(&row.row.new, on)) {
                lower(&mut row.row.new, off);
                row.share = row.row.new.value().zip(self.total).map(|(count, total)| 100.0 * count / total);
                of_class.iter_mut().for_each(|class| lower(&mut class.new, off));
            }
            if let (Some(was), Some(on)) = (row.row.old.as_mut(), given(old, &row.opcode))
                && let Some(off) = off(was, on)
            {
                lower(was, off);
                of_class.iter_mut().filter_map(|class| class.old.as_mut()).for_each(|class| lower(class, off));
            }
        }
        sort(&mut self.rows);
        sort(&mut self.classes);
        self
    }

    /// Whether either side executed an instruction that multiplies matrices; `None` when the report does not list opcodes.
    pub fn has_tensor_work(&self) -> Option<bool> {
        self.total?;
        let executed =
            |row: &Row| [Some(&row.new), row.old.as_ref()].into_iter().flatten().any(|r| r.value() > Some(0.0));
        Some(self.rows.iter().any(|row| row.op().is_product() && executed(&row.row)))
    }

    /// Whether the new side executed an instruction of a class of the catalog; `None` when the report does not list opcodes.
    pub fn has_class(&self, class: Class) -> Option<bool> {
        self.total?;
        let is_executed = |row: &&OpcodeRow| row.row.new.value() > Some(0.0);
        let mut executed = self.rows.iter().filter(|row| is_executed(row));
        Some(executed.any(|row| row.op().class() == Some(class)))
    }

    /// Opcodes that were executed, with their counts.
    pub(super) fn executed(&self, takes: impl Fn(Op) -> bool) -> Vec<(String, f64)> {
        let rows = self.rows.iter().filter(|row| takes(row.op()));
        rows.filter_map(|row| Some((row.opcode.clone(), row.row.new.value().filter(|count| *count > 0.0)?))).collect()
    }

    /// Executions of some opcodes on the new side; zero when the report lists opcodes and none of these is among them.
    pub fn count(&self, takes: impl Fn(Op) -> bool) -> Option<f64> {
        self.total?;
        Some(self.rows.iter().filter(|row| takes(row.op())).filter_map(|row| row.row.new.value()).sum())
    }
}

/// `100 × thread_inst_executed_true / thread_inst_executed`; where those were not collected, the same quotient of the two
/// averages over executed instructions.
fn predication(kernel: &KernelSummary<'_>) -> Reading {
    let of = |on: Counter, all: Counter| kernel.reading(on).part_of(kernel.reading(all), 100.0, Unit::PERCENT);
    let counted = of(Counter::ThreadInstExecutedTrue, Counter::ThreadInstExecuted);
    if counted.quantity().is_some() {
        return counted;
    }
    of(Counter::SmspThreadInstExecutedPredOnPerInstExecutedRatio, Counter::SmspThreadInstExecutedPerInstExecutedRatio)
}

/// Whether an opcode with its modifiers stores to shared memory.
pub(in crate::analysis) fn is_shared_store(opcode: &str) -> bool {
    Op::of(opcode).stores_shared()
}

/// Whether an opcode with its modifiers unpacks floats of 8 bits.
pub(in crate::analysis) fn unpacks_bytes(opcode: &str) -> bool {
    Op::of(opcode).class() == Some(Class::Conversion)
        && opcode.contains("UNPACK")
        && (opcode.contains("E4M3") || opcode.contains("E5M2"))
}

/// Stores whose opcode says 64 or 128 bits, over all `STS`.
fn wide_shared_stores(kernel: &KernelSummary<'_>) -> Reading {
    let Some(counts) = kernel.with_modifiers() else { return Reading::not_collected(WITH_MODIFIERS) };
    let stores = || counts.iter().filter(|(opcode, _)| is_shared_store(opcode));
    let all: f64 = stores().map(|(_, count)| count).sum();
    let is_wide = |opcode: &str| opcode.split('.').any(|part| matches!(part, "64" | "128"));
    let wide: f64 = stores().filter(|(opcode, _)| is_wide(opcode)).map(|(_, count)| count).sum();
    if all == 0.0 {
        return Reading::not_applicable("no shared stores");
    }
    Reading::number(100.0 * wide / all, Unit::PERCENT, &[WITH_MODIFIERS], "100 × STS.64 and STS.128 / STS")
}

/// Sums by class; what makes a constant in half precision is a move.
fn by_class(counts: &BTreeMap<ArcStr, f64>, halves: Option<&Halves>) -> BTreeMap<ArcStr, f64> {
    let mut sums: BTreeMap<Class, f64> = BTreeMap::new();
    for (opcode, count) in counts {
        *sums.entry(Op::of(opcode).class().unwrap_or(Class::Other)).or_default() += count;
    }
    let moved = halves.iter().flat_map(|halves| &halves.of).filter(|((_, class), _)| *class != Class::Fp16);
    for ((_, class), count) in moved {
        let all = sums.entry(Class::Fp16).or_default();
        let count = count.min(*all);
        *all -= count;
        *sums.entry(*class).or_default() += count;
    }
    sums.into_iter().filter(|(_, sum)| *sum > 0.0).map(|(class, sum)| (class.label().into(), sum)).collect()
}

fn rows(
    new: &BTreeMap<ArcStr, f64>,
    old: Option<&BTreeMap<ArcStr, f64>>,
    total: f64,
    class: impl Fn(&str) -> String,
) -> Vec<OpcodeRow> {
    let metric: ArcStr = PER_OPCODE.into();
    // The list is whole: an opcode that is not in it was not executed.
    let reading = |counts: &BTreeMap<ArcStr, f64>, name: &ArcStr| {
        let count = counts.get(name).copied().unwrap_or(0.0);
        Quantity::new(count, Unit::NONE)
            .map_or_else(|| Reading::not_collected(PER_OPCODE), |q| Reading::measured(q, &metric))
    };
    let old = old.filter(|old| !old.is_empty());
    let names: BTreeSet<&ArcStr> = new.keys().chain(old.into_iter().flat_map(BTreeMap::keys)).collect();
    let mut rows: Vec<OpcodeRow> = names
        .into_iter()
        .map(|name| {
            let row = Row::derived(name, name, Better::Neutral, reading(new, name), old.map(|old| reading(old, name)));
            let share = row.new.value().filter(|_| total > 0.0).map(|count| 100.0 * count / total);
            OpcodeRow { opcode: name.to_string(), class: class(name), row, share }
        })
        .collect();
    sort(&mut rows);
    rows
}

/// The most executed of the new side first, then of the old one.
fn sort(rows: &mut [OpcodeRow]) {
    let key = |row: &OpcodeRow| {
        (row.row.new.value().unwrap_or(0.0), row.row.old.as_ref().and_then(Reading::value).unwrap_or(0.0))
    };
    rows.sort_by(|a, b| {
        let ((an, ao), (bn, bo)) = (key(a), key(b));
        bn.total_cmp(&an).then(bo.total_cmp(&ao)).then_with(|| a.opcode.cmp(&b.opcode))
    });
}
