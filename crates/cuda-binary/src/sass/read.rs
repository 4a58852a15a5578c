//! The entry points of the reader.

use super::instruction::{self, Parts, Target};
use super::line::{self, Line};
use super::listing::{Instruction, SassFunction, SassListing, SourceLine, Text};
use super::word::{capability, decode};
use crate::text::{self, Texts};
use crate::{Origin, ReadError};
use std::collections::HashMap;
use std::sync::Arc;

/// How many lines that were not understood are kept as they are.
const UNRECOGNISED_KEPT: u64 = 100;

/// Reads a disassembly. Every line is read, or kept and counted as not understood. `arch` is what the code is for where the
/// listing does not say; empty where nothing tells, and bits are then not decoded.
///
/// # Errors
///
/// [`ReadError::Empty`] where no instruction is found.
pub fn read(bytes: &[u8], origin: Origin, arch: &str) -> Result<SassListing, ReadError> {
    let text = text::decode(bytes);
    let mut reader = Reader { default_arch: arch, ..Reader::default() };
    text.split('\n').for_each(|line| reader.take(line));
    reader.end_function();
    reader.listing.functions.retain(|function| !function.instructions.is_empty());
    if reader.listing.functions.is_empty() {
        let cure = "disassemble the kernel's code: `cuobjdump --dump-sass PROGRAM` or `nvdisasm -c CUBIN`";
        return Err(ReadError::empty(origin.path, "instructions", cure));
    }
    let format = if origin.format.is_empty() { "sass".into() } else { origin.format.clone() };
    Ok(SassListing { origin: Origin { format, ..origin }, ..reader.listing })
}

#[derive(Default)]
struct Reader<'a> {
    listing: SassListing,
    words: Texts,
    /// Whether lines belong to the code of the last function.
    in_code: bool,
    /// What the code is for where the listing does not say.
    default_arch: &'a str,
    arch: &'a str,
    arch_number: Option<&'a str>,
    places: Arc<[SourceLine]>,
    /// Whether the line before was a place too: it then continues the same chain of calls.
    in_places: bool,
    labels: HashMap<&'a str, u64>,
    /// Labels that stand at the next instruction.
    next: Vec<&'a str>,
    unresolved: Vec<(usize, &'a str)>,
    /// The lower encoding word of the last instruction, until the upper one comes.
    first_word: Option<u64>,
    /// The bits of the function's instructions, by position.
    bits: Vec<(usize, u128)>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, text: &'a str) {
        let line = line::classify(text);
        let in_places = matches!(line, Line::Place { .. });
        match line {
            Line::Instruction { offset, text, word } if self.in_code => match instruction::parts(text) {
                Some(parts) => self.instruction(offset, &parts, word),
                None => self.unrecognised(text),
            },
            Line::Word(word) if self.in_code => self.second_word(word),
            Line::Place { at, inlined_at } => self.place(at, inlined_at),
            Line::Label(name) if self.in_code => self.next.push(name),
            Line::Function(name) => self.begin_function(name),
            Line::OtherSection => self.end_function(),
            Line::Arch(arch) => (self.arch, self.arch_number) = (arch, None),
            Line::ArchNumber(number) => self.header_arch(number),
            Line::Known | Line::Label(_) => {}
            Line::Instruction { .. } | Line::Word(_) | Line::Unrecognised => self.unrecognised(text),
        }
        self.in_places = in_places;
    }

    fn begin_function(&mut self, name: &str) {
        self.end_function();
        let arch = match self.arch_number {
            Some(number) if self.arch.is_empty() => format!("sm_{number}"),
            _ => self.arch.to_owned(),
        };
        let function = SassFunction { mangled: name.into(), arch: self.words.of(&arch), ..SassFunction::default() };
        self.listing.functions.push(function);
        self.in_code = true;
    }

    /// Older disassemblers tell the architecture only in the flags, which cuobjdump prints below the function's name.
    fn header_arch(&mut self, number: &'a str) {
        self.arch_number = Some(number);
        if self.arch.is_empty() && self.in_code {
            let arch = self.words.of(&format!("sm_{number}"));
            if let Some(function) = self.listing.functions.last_mut() {
                function.arch = arch;
            }
        }
    }

    /// Resolves what only the whole function tells.
    fn end_function(&mut self) {
        self.in_code = false;
        self.places = Arc::default();
        let labels = std::mem::take(&mut self.labels);
        let next = std::mem::take(&mut self.next);
        let unresolved = std::mem::take(&mut self.unresolved);
        let bits = std::mem::take(&mut self.bits);
        if let Some(function) = self.listing.functions.last_mut() {
            // Labels behind the last instruction name the end of the code.
            let end = function.instructions.last().map_or(0, |last| last.offset + last_step(function));
            let labels: HashMap<&str, u64> =
                labels.into_iter().chain(next.into_iter().map(|name| (name, end))).collect();
            for (at, name) in unresolved {
                function.instructions[at].text.get_or_insert_default().targets.extend(labels.get(name));
            }
            if function.arch.is_empty() {
                function.arch = self.words.of(self.default_arch);
            }
            // What the bits mean depends on the chip, which some listings tell below the function's name.
            if let Some(capability) = capability(&function.arch) {
                for (at, bits) in bits {
                    let instruction = &mut function.instructions[at];
                    instruction.word = Some(decode(bits, instruction.offset, capability));
                }
            }
        }
    }

    fn instruction(&mut self, offset: u64, parts: &Parts<'a>, word: Option<u64>) {
        for label in self.next.drain(..) {
            self.labels.insert(label, offset);
        }
        let guard = parts.guard.map(|guard| self.words.of(guard));
        let opcode = self.words.of(parts.opcode);
        let places = self.places.clone();
        let Some(function) = self.listing.functions.last_mut() else { return };
        let at = function.instructions.len();
        let mut targets = Vec::new();
        match parts.target {
            Target::None => {}
            Target::Offset(offset) => targets.push(offset),
            Target::Label(name) => self.unresolved.push((at, name)),
            Target::Labels(names) => self.unresolved.extend(names.split(',').map(|name| (at, name.trim()))),
        }
        function.instructions.push(Instruction {
            function: function.mangled.clone(),
            offset,
            word: None,
            opcode: Some(opcode),
            text: Some(Box::new(Text { guard, operands: parts.operands.into(), targets })),
            places,
        });
        self.first_word = word;
    }

    fn second_word(&mut self, second: u64) {
        let read = self.listing.functions.last().map_or(0, |function| function.instructions.len());
        if let (Some(at), Some(first)) = (read.checked_sub(1), self.first_word.take()) {
            self.bits.push((at, u128::from(second) << 64 | u128::from(first)));
        }
    }

    fn place(&mut self, (file, line): (&str, u32), inlined_at: Option<(&str, u32)>) {
        let mut place = |(file, line): (&str, u32)| SourceLine { file: self.words.of(file), line, function: None };
        let at = place((file, line));
        let call = inlined_at.map(place);
        let mut places = Vec::with_capacity(2);
        if self.in_places && self.places.last() == Some(&at) {
            places.extend(self.places.iter().cloned());
        } else {
            places.push(at);
        }
        places.extend(call);
        self.places = places.into();
    }

    fn unrecognised(&mut self, text: &str) {
        self.listing.unrecognised_count += 1;
        if self.listing.unrecognised_count <= UNRECOGNISED_KEPT {
            self.listing.unrecognised_lines.push(text.trim().to_owned());
        }
    }
}

/// The size of the last instruction as its distance from the one before: 16 bytes since sm_70.
fn last_step(function: &SassFunction) -> u64 {
    let [.., before, last] = &function.instructions[..] else { return 16 };
    last.offset.saturating_sub(before.offset).max(1)
}
