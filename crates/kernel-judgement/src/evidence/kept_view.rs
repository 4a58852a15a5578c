//! A launch by instruction as a snapshot keeps it: names as JSON, and the rows as columns in one packed text.
//!
//! The columns follow each other as numbers of seven bits a byte (LEB128): where functions begin, offsets, the bits of the code byte
//! by byte, opcodes of a listing, stacks of source lines with their functions where some are known, then each counter. What repeats
//! from row to row is written as a difference, so that zstd finds it; base64 makes it text.

use super::source_view::{CounterColumn, Lines, SourceView};
use super::{Instruction, SourceLine, Value};
use crate::bounds;
use crate::quantity::Unit;
use arcstr::ArcStr;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cuda_binary::sass;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of an instruction's bits.
const BYTES: usize = 16;
/// A twentieth smaller than 12; 19 takes twice the time for a four-hundredth.
const LEVEL: i32 = 17;

#[derive(serde::Serialize, serde::Deserialize)]
struct KeptView {
    launch: u32,
    name: ArcStr,
    lines: Lines,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    capability: Option<(u32, u32)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<ArcStr>,
    /// Functions that lines stand in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    callees: Vec<ArcStr>,
    /// Opcodes with modifiers, where a listing told them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    opcodes: Vec<ArcStr>,
    metrics: Vec<(ArcStr, Unit)>,
    /// Position of the file, line, text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    texts: Vec<(usize, u32, ArcStr)>,
    /// Position of the file, line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    products: Vec<(usize, u32)>,
    rows: String,
}

impl serde::Serialize for SourceView {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        KeptView::of(self).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for SourceView {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<SourceView, D::Error> {
        KeptView::deserialize(deserializer)?.view().map_err(serde::de::Error::custom)
    }
}

/// Names in the order in which they came.
struct Names<T>(HashMap<T, usize>);

impl<T: Clone + Eq + std::hash::Hash> Names<T> {
    fn at(&mut self, name: &T) -> usize {
        let next = self.0.len();
        *self.0.entry(name.clone()).or_insert(next)
    }

    fn list(self) -> Vec<T> {
        let mut all: Vec<(T, usize)> = self.0.into_iter().collect();
        all.sort_by_key(|(_, at)| *at);
        all.into_iter().map(|(name, _)| name).collect()
    }
}

/// Columns while they are written.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn put(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A column of differences from row to row, or of the numbers where these are small more often.
    fn column(&mut self, numbers: &[u64]) {
        let before = std::iter::once(&0).chain(numbers);
        let steps: Vec<u64> =
            numbers.iter().zip(before).map(|(own, before)| zigzag(own.wrapping_sub(*before))).collect();
        let none = |column: &[u64]| column.iter().filter(|number| **number == 0).count();
        let is_steps = none(&steps) > none(numbers);
        self.put(u64::from(is_steps));
        (if is_steps { &steps } else { numbers }).iter().for_each(|number| self.put(*number));
    }
}

fn zigzag(step: u64) -> u64 {
    (step << 1) ^ (step as i64 >> 63) as u64
}

fn unzigzag(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

/// Columns while they are read.
struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Result<u64, String> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte, rest @ ..] = self.0 else { return Err("the rows end early".into()) };
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err("a number of the rows has more than 64 bits".into())
    }

    /// A number below `end`.
    fn below(&mut self, end: usize, what: &str) -> Result<usize, String> {
        let number = self.number()?;
        usize::try_from(number).ok().filter(|at| *at < end).ok_or_else(|| format!("{what} {number} of {end}"))
    }

    fn column(&mut self, rows: usize) -> Result<Vec<u64>, String> {
        let is_steps = self.below(2, "a column of kind")? == 1;
        let mut last = 0_u64;
        let mut next = |reader: &mut Self| {
            let number = reader.number()?;
            last = if is_steps { last.wrapping_add(unzigzag(number)) } else { number };
            Ok(last)
        };
        (0..rows).map(|_| next(self)).collect()
    }
}

impl KeptView {
    fn of(view: &SourceView) -> Result<KeptView, String> {
        let rows = &view.instructions;
        let mut out = Writer::default();
        let functions: Vec<usize> = rows.chunk_by(|one, next| one.function == next.function).map(<[_]>::len).collect();
        out.put(functions.len() as u64);
        functions.iter().for_each(|length| out.put(*length as u64));
        let before = std::iter::once(0).chain(rows.iter().map(|row| row.offset.wrapping_add(BYTES as u64)));
        rows.iter().zip(before).for_each(|(row, next)| out.put(zigzag(row.offset.wrapping_sub(next))));
        rows.iter().for_each(|row| out.put(u64::from(row.word.is_some())));
        for byte in 0..BYTES {
            out.0.extend(rows.iter().filter_map(|row| Some(row.word?.bits.to_le_bytes()[byte])));
        }
        let mut opcodes = Names(HashMap::new());
        let named = |row: &Instruction| row.opcode.as_ref().map_or(0, |opcode| opcodes.at(opcode) as u64 + 1);
        rows.iter().map(named).for_each(|number| out.put(number));
        let (mut files, mut stacks) = (Names(HashMap::new()), Names(HashMap::new()));
        let stack_of: Vec<u64> = rows.iter().map(|row| stacks.at(&row.places) as u64).collect();
        let stacks = stacks.list();
        let mut callees = Names(HashMap::new());
        let has_callees = stacks.iter().any(|stack| stack.iter().any(|place| place.function.is_some()));
        out.put(stacks.len() as u64);
        let mut last = 0;
        for stack in &stacks {
            out.put(stack.len() as u64);
            for SourceLine { file, line, function } in stack.iter() {
                out.put(files.at(file) as u64);
                out.put(zigzag(u64::from(*line).wrapping_sub(last)));
                last = u64::from(*line);
                if has_callees {
                    out.put(function.as_ref().map_or(0, |function| callees.at(function) as u64 + 1));
                }
            }
        }
        out.column(&stack_of);
        let counted = view.columns.iter().filter_map(|column| Some((column, view.counts(&column.metric)?)));
        let columns: Vec<(&CounterColumn, Vec<u64>)> = counted.collect();
        columns.iter().for_each(|(_, counts)| out.column(counts));
        let texts = view.shown.iter().map(|(place, text)| (files.at(&place.file), place.line, text.clone())).collect();
        let products = view.products.iter().map(|place| (files.at(&place.file), place.line)).collect();
        let packed = zstd::bulk::compress(&out.0, LEVEL).map_err(|error| error.to_string())?;
        Ok(KeptView {
            launch: view.launch,
            name: view.name.clone(),
            lines: view.lines.clone(),
            capability: view.capability,
            files: files.list(),
            callees: callees.list(),
            opcodes: opcodes.list(),
            metrics: columns.iter().map(|(column, _)| (column.metric.clone(), column.unit)).collect(),
            texts,
            products,
            rows: STANDARD.encode(packed),
        })
    }

    fn view(self) -> Result<SourceView, String> {
        let KeptView { launch, name, lines, capability, files, callees, opcodes, metrics, texts, products, rows } =
            self;
        let packed = STANDARD.decode(rows).map_err(|error| error.to_string())?;
        let bytes = zstd::bulk::decompress(&packed, bounds::COLUMNS).map_err(|error| error.to_string())?;
        let mut input = Reader(&bytes);
        let place = |at: usize, line: u32| {
            let file = files.get(at).ok_or_else(|| format!("file {at} of {}", files.len()))?.clone();
            Ok::<_, String>(SourceLine { file, line, function: None })
        };
        let mut functions: Vec<ArcStr> = Vec::new();
        for at in 0..input.below(bounds::INSTRUCTIONS, "functions:")? {
            let name: ArcStr = at.to_string().into();
            let length = input.below(bounds::INSTRUCTIONS.saturating_sub(functions.len()), "instructions:")?;
            functions.extend(std::iter::repeat_n(name, length));
        }
        let mut instructions: Vec<Instruction> = Vec::with_capacity(functions.len());
        let mut next = 0_u64;
        for function in functions {
            let offset = next.wrapping_add(unzigzag(input.number()?));
            next = offset.wrapping_add(BYTES as u64);
            instructions.push(Instruction { function, offset, ..Instruction::default() });
        }
        let mut coded = Vec::new();
        for at in 0..instructions.len() {
            coded.extend((input.below(2, "bits of kind")? == 1).then_some(at));
        }
        let code;
        (code, input.0) = input.0.split_at_checked(BYTES * coded.len()).ok_or("the code ends early")?;
        for (at, row) in coded.iter().enumerate() {
            let bits: [u8; BYTES] = std::array::from_fn(|byte| code[byte * coded.len() + at]);
            let capability = capability.ok_or("the code's chip is not told")?;
            let instruction = &mut instructions[*row];
            instruction.word = Some(sass::decode(u128::from_le_bytes(bits), instruction.offset, capability));
        }
        for instruction in &mut instructions {
            let named = input.below(opcodes.len() + 1, "opcode")?;
            instruction.opcode = named.checked_sub(1).map(|at| opcodes[at].clone());
        }
        let mut stacks: Vec<Arc<[SourceLine]>> = Vec::new();
        let mut last = 0_u64;
        for _ in 0..input.below(instructions.len() + 1, "stacks:")? {
            let mut stack = Vec::new();
            for _ in 0..input.below(bounds::INLINED, "calls:")? {
                let file = input.below(files.len(), "file")?;
                last = last.wrapping_add(unzigzag(input.number()?));
                let line = place(file, u32::try_from(last).map_err(|_| format!("line {last}"))?)?;
                let callee = match callees.is_empty() {
                    true => None,
                    false => input.below(callees.len() + 1, "function")?.checked_sub(1),
                };
                stack.push(SourceLine { function: callee.map(|at| callees[at].clone()), ..line });
            }
            stacks.push(stack.into());
        }
        let stack_of = input.column(instructions.len())?;
        for (instruction, at) in instructions.iter_mut().zip(stack_of) {
            let stack = usize::try_from(at).ok().and_then(|at| stacks.get(at));
            instruction.places = stack.ok_or_else(|| format!("stack {at} of {}", stacks.len()))?.clone();
        }
        let mut columns = Vec::new();
        for (metric, unit) in metrics {
            let counts = input.column(instructions.len())?.into_iter().enumerate().filter(|(_, count)| *count > 0);
            let values = counts.map(|(row, count)| (row as u32, Value::U64(count))).collect();
            columns.push(CounterColumn { metric, unit, values, unplaced: 0 });
        }
        let shown = texts.into_iter().map(|(file, line, text)| Ok((place(file, line)?, text)));
        let products = products.into_iter().map(|(file, line)| place(file, line)).collect::<Result<_, String>>()?;
        let shown = shown.collect::<Result<_, String>>()?;
        #[rustfmt::skip]
        let view = SourceView { launch, name, lines, capability, instructions, columns, texts: Vec::new(), shown, products };
        Ok(view)
    }
}
