//! From statements to records: which kernel each number belongs to.
//!
//! A parallel build mixes the lines of several assemblers. `Function properties for X` names its function, the lines that
//! follow do not. Where more than one function waits for such a line the owner cannot be told, and equal numbers are
//! given to each while different ones are given to none: a number under the wrong kernel is worse than none.

use super::model::{BuildLog, BuildRecord, CalleeRecord};
use super::statement::{self, Said, Statement, Usage};
use crate::{Origin, ReadError, text};
use std::collections::HashMap;

type Frame = (u64, u64, u64);

/// A function of a record: the entry itself, or a callee by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Entry(usize),
    Callee(usize, usize),
}

/// Functions that wait for a nameless line, and the lines that came while more than one waited.
#[derive(Debug)]
struct Waiting<F, T> {
    functions: Vec<F>,
    lines: Vec<(T, u64)>,
}

impl<F, T> Default for Waiting<F, T> {
    fn default() -> Self {
        Waiting { functions: Vec::new(), lines: Vec::new() }
    }
}

impl<F: Copy + PartialEq, T: PartialEq> Waiting<F, T> {
    fn expect(&mut self, function: F) {
        if !self.functions.contains(&function) {
            self.functions.push(function);
        }
    }

    /// Stops waiting for a function, unless lines are already held that may be its own.
    fn forget(&mut self, function: F) {
        if self.lines.is_empty() {
            self.functions.retain(|waiting| *waiting != function);
        }
    }

    /// Takes a line. When every waiting function has one, gives the functions with their common line, or the lines
    /// (by number) that could not be told apart. `None` for a line that nothing waits for.
    fn take(&mut self, value: T, line: u64) -> Option<Settled<F, T>> {
        if self.functions.is_empty() {
            return None;
        }
        self.lines.push((value, line));
        if self.lines.len() < self.functions.len() {
            return Some(Settled::NotYet);
        }
        let functions = std::mem::take(&mut self.functions);
        let mut lines = std::mem::take(&mut self.lines);
        if lines.iter().any(|(value, _)| *value != lines[0].0) {
            return Some(Settled::Ambiguous(lines.into_iter().map(|(_, line)| line).collect()));
        }
        lines.pop().map(|(value, _)| Settled::Owned(functions, value))
    }
}

enum Settled<F, T> {
    NotYet,
    Owned(Vec<F>, T),
    Ambiguous(Vec<u64>),
}

/// Joins statements into records.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    log: BuildLog,
    /// Records replaced by a later one of the same key, by position.
    replaced: Vec<bool>,
    latest: HashMap<(String, String), usize>,
    /// The last record of each name, of whatever architecture.
    named: HashMap<String, usize>,
    /// Entries whose properties line has not come.
    announced: Vec<usize>,
    /// The entry whose properties were printed last: the owner of callees.
    current: Option<usize>,
    frames: Waiting<Function, Frame>,
    used: Waiting<usize, (u64, Vec<Usage>)>,
}

impl Assembler {
    /// Takes the next statement of the log.
    pub(super) fn take(&mut self, statement: Statement<'_>) {
        let line = statement.line;
        match statement.said {
            Said::Entry { mangled, arch } => self.entry(mangled, arch, line),
            Said::Properties { mangled } => self.properties(mangled, line),
            Said::Frame { stack, stores, loads } => match self.frames.take((stack, stores, loads), line) {
                Some(Settled::Owned(functions, frame)) => {
                    functions.into_iter().for_each(|function| self.set_frame(function, frame));
                }
                Some(Settled::Ambiguous(lines)) => self.ambiguous("stack and spill bytes", &lines),
                Some(Settled::NotYet) => {}
                None => self.unrecognised(line, "stack and spill bytes of no named function"),
            },
            Said::Used { registers, usage } => match self.used.take((registers, usage), line) {
                Some(Settled::Owned(entries, (registers, usage))) => {
                    entries.into_iter().for_each(|entry| self.set_usage(entry, registers, &usage, line));
                }
                Some(Settled::Ambiguous(lines)) => self.ambiguous("registers", &lines),
                Some(Settled::NotYet) => {}
                None => self.unrecognised(line, "registers of no named kernel"),
            },
            Said::Warning(message) => self.log.warnings.push((line, message)),
            Said::Unrecognised(said) => self.unrecognised(line, &said),
        }
    }

    /// The finished log: records in the order of the text, the last one of each (kernel, architecture).
    pub(super) fn finish(mut self, origin: Origin) -> BuildLog {
        let stack = self.frames.lines.iter().map(|(_, line)| *line).collect::<Vec<_>>();
        let used = self.used.lines.iter().map(|(_, line)| *line).collect::<Vec<_>>();
        self.ambiguous("stack and spill bytes", &stack);
        self.ambiguous("registers", &used);
        self.report_replaced();
        let mut replaced = self.replaced.into_iter();
        self.log.records.retain(|_| !replaced.next().unwrap_or(false));
        self.log.origin = origin;
        self.log
    }

    fn entry(&mut self, mangled: &str, arch: &str, line: u64) {
        let at = self.log.records.len();
        self.log.records.push(BuildRecord {
            mangled: mangled.into(),
            demangled: text::demangle(mangled),
            arch: arch.into(),
            line,
            ..BuildRecord::default()
        });
        self.replaced.push(false);
        self.named.insert(mangled.into(), at);
        if let Some(before) = self.latest.insert((mangled.into(), arch.into()), at) {
            self.replaced[before] = true;
            self.announced.retain(|entry| *entry != before);
            self.used.forget(before);
            self.frames.forget(Function::Entry(before));
        }
        self.announced.push(at);
    }

    /// Says which kernels were compiled twice with different numbers: the earlier ones are not in the log's records.
    fn report_replaced(&mut self) {
        for (at, record) in self.log.records.iter().enumerate().filter(|(at, _)| self.replaced[*at]) {
            let key = (record.mangled.clone(), record.arch.clone());
            let Some(kept) = self.latest.get(&key).map(|latest| &self.log.records[*latest]) else { continue };
            if *kept != (BuildRecord { line: kept.line, ..record.clone() }) {
                let (name, arch, line) = (&record.mangled, &record.arch, kept.line);
                let message =
                    format!("{name} for {arch} was compiled again at line {line} with other numbers; those are kept");
                self.log.warnings.push((self.log.records[at].line, message));
            }
        }
        self.log.warnings.sort_by_key(|(line, _)| *line);
    }

    fn properties(&mut self, mangled: &str, line: u64) {
        let records = &mut self.log.records;
        let announced = |entry: &usize| records[*entry].mangled == mangled;
        // Two architectures of one kernel announced at once cannot be told apart by name: both wait for their lines.
        let entries: Vec<usize> = self.announced.iter().copied().filter(announced).collect();
        if let [_, _, ..] = entries[..] {
            entries.iter().for_each(|entry| self.used.expect(*entry));
            entries.iter().for_each(|entry| self.frames.expect(Function::Entry(*entry)));
            self.announced.retain(|entry| !entries.contains(entry));
            self.current = entries.last().copied();
        } else if let [entry] = entries[..] {
            self.announced.retain(|other| *other != entry);
            self.frames.expect(Function::Entry(entry));
            self.used.expect(entry);
            self.current = Some(entry);
        } else if let Some(entry) = self.named.get(mangled).copied() {
            // The same kernel again: its second properties line when two architectures were announced at once.
            self.current = Some(entry);
        } else if let Some(owner) = self.current {
            let callees = &mut records[owner].callees;
            callees.push(CalleeRecord { mangled: mangled.into(), ..CalleeRecord::default() });
            self.frames.expect(Function::Callee(owner, callees.len() - 1));
        } else {
            self.unrecognised(line, &format!("function properties for {mangled}, called by no kernel named before"));
        }
    }

    fn set_frame(&mut self, function: Function, (stack, stores, loads): Frame) {
        let (Function::Entry(at) | Function::Callee(at, _)) = function;
        let record = &mut self.log.records[at];
        let (stack_bytes, spill_store_bytes, spill_load_bytes) = match function {
            Function::Entry(_) => {
                (&mut record.stack_bytes, &mut record.spill_store_bytes, &mut record.spill_load_bytes)
            }
            Function::Callee(_, callee) => {
                let callee = &mut record.callees[callee];
                (&mut callee.stack_bytes, &mut callee.spill_store_bytes, &mut callee.spill_load_bytes)
            }
        };
        *stack_bytes = Some(stack);
        *spill_store_bytes = Some(stores);
        *spill_load_bytes = Some(loads);
    }

    fn set_usage(&mut self, at: usize, registers: u64, usage: &[Usage], line: u64) {
        let record = &mut self.log.records[at];
        record.registers = Some(registers);
        // The line names shared memory only where there is some, which a cut line does not tell.
        record.shared_bytes = (!usage.contains(&Usage::Cut)).then_some(0);
        let mut unknown = Vec::new();
        for item in usage {
            match item {
                Usage::Barriers(count) => record.barriers = Some(*count),
                Usage::CumulativeStack(bytes) => record.cumulative_stack_bytes = Some(*bytes),
                Usage::Shared(bytes) => record.shared_bytes = Some(*bytes),
                Usage::Local(bytes) => record.local_bytes = Some(*bytes),
                Usage::Constant(bank, bytes) => record.constant_bytes.push((*bank, *bytes)),
                Usage::Other => {}
                Usage::Unknown(item) => unknown.push(item.clone()),
                Usage::Cut => unknown.push("the log was cut after the registers of a kernel".to_owned()),
            }
        }
        record.constant_bytes.sort_unstable();
        unknown.iter().for_each(|item| self.unrecognised(line, item));
    }

    fn unrecognised(&mut self, line: u64, what: &str) {
        self.log.unrecognised_lines.push(format!("line {line}: {what}"));
    }

    fn ambiguous(&mut self, what: &str, lines: &[u64]) {
        for line in lines {
            self.unrecognised(*line, &format!("{what} of one of several kernels that were compiled at once"));
        }
    }
}

/// Whether the beginning of a file, or the whole of it, holds a statement of the assembler.
pub fn looks_like(head: &[u8]) -> bool {
    statement::PREFIX.is_match(&text::decode(head))
}

/// Reads a build log: one record per (kernel, architecture), the assembler's warnings, and its lines that were not
/// understood. Lines of other programs are passed over.
///
/// # Errors
///
/// [`ReadError::Empty`] when no kernel is in it.
pub fn read(bytes: &[u8], origin: Origin) -> Result<BuildLog, ReadError> {
    let text = statement::flatten(&text::decode(bytes));
    let mut assembler = Assembler::default();
    for statement in statement::statements(&text) {
        assembler.take(statement);
    }
    let path = origin.path.clone();
    let log = assembler.finish(Origin { format: "ptxas-log".into(), ..origin });
    if log.records.is_empty() {
        let cure = if statement::PREFIX.is_match(&text) {
            "this is ptxas output that names no kernel; compile with `-Xptxas -v` and keep everything it prints"
        } else {
            "compile with `-Xptxas -v` and keep what the compiler prints: `nvcc -Xptxas -v ... 2> build.log`"
        };
        return Err(ReadError::empty(path, "kernels", cure));
    }
    Ok(log)
}
