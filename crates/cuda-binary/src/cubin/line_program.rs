//! Runs the line programs of `.debug_line`: DWARF version 2 with NVIDIA's extended opcode for inlined calls.
//!
//! The format is DWARF's (version 2, section 6.2). Opcode 0x90 carries a context and a name: the rows that follow were
//! inlined at the row with that number of the same sequence, counted from 1; context 0 ends it. Where it is used, four
//! bytes stand behind the file table, so the program's start is taken from the header's own length.

/// Why a table could not be read, and at which byte.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bad {
    pub(super) at: usize,
    pub(super) expected: &'static str,
}

/// One row of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) address: u64,
    pub(super) file: u64,
    pub(super) line: u32,
    /// Number of the row of the call site, from 1; 0 for code that is where it was written.
    pub(super) context: u64,
    /// Where the name of the function that was inlined stands in `.debug_str`; of no meaning where `context` is 0.
    pub(super) name: u64,
}

/// The rows of one function.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sequence {
    /// Where the function's address stands in `.debug_line`, which is where its relocation points; `None` for rows
    /// without an address.
    pub(super) address_at: Option<usize>,
    pub(super) rows: Vec<Row>,
    /// First address behind the code.
    pub(super) end: u64,
}

/// One unit: its files and sequences.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Unit {
    /// Directory and name of each file; the first is number 1.
    pub(super) files: Vec<(String, String)>,
    pub(super) sequences: Vec<Sequence>,
}

/// Reads every unit of a section.
pub(super) fn units(section: &[u8]) -> Result<Vec<Unit>, Bad> {
    let mut cursor = Cursor { bytes: section, at: 0 };
    let mut units = Vec::new();
    while cursor.at < section.len() {
        units.push(unit(&mut cursor)?);
    }
    Ok(units)
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn bad<T>(&self, expected: &'static str) -> Result<T, Bad> {
        Err(Bad { at: self.at, expected })
    }

    fn take<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], Bad> {
        match self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()) {
            Some(found) => {
                self.at += N;
                Ok(*found)
            }
            None => self.bad(expected),
        }
    }

    fn byte(&mut self, expected: &'static str) -> Result<u8, Bad> {
        self.take::<1>(expected).map(|[byte]| byte)
    }

    fn word(&mut self, expected: &'static str) -> Result<usize, Bad> {
        self.take(expected).map(|bytes| u32::from_le_bytes(bytes) as usize)
    }

    /// A variable-length number with its bits, and whether the highest of them is set.
    fn variable(&mut self) -> Result<(u64, u32, bool), Bad> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte("a variable-length number")?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok((value, shift + 7, byte & 0x40 != 0));
            }
        }
        self.bad("a variable-length number of at most 64 bits")
    }

    fn unsigned(&mut self) -> Result<u64, Bad> {
        self.variable().map(|(value, ..)| value)
    }

    fn signed(&mut self) -> Result<i64, Bad> {
        let (value, bits, is_negative) = self.variable()?;
        Ok(value as i64 | if is_negative && bits < 64 { -1 << bits } else { 0 })
    }

    fn string(&mut self) -> Result<String, Bad> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(length) = rest.iter().position(|byte| *byte == 0) else { return self.bad("the end of a name") };
        self.at += length + 1;
        Ok(String::from_utf8_lossy(&rest[..length]).into_owned())
    }
}

struct Header {
    instruction_length: u64,
    line_base: i8,
    line_range: u8,
    opcode_base: u8,
    operands: Vec<u8>,
}

fn unit(cursor: &mut Cursor<'_>) -> Result<Unit, Bad> {
    let length = cursor.word("the length of a unit")?;
    let end = cursor.at.checked_add(length).filter(|end| *end <= cursor.bytes.len());
    let Some(end) = end else { return cursor.bad("a unit that ends inside its section") };
    let mut inside = Cursor { bytes: &cursor.bytes[..end], at: cursor.at };
    cursor.at = end;
    let version = u16::from_le_bytes(inside.take("a version")?);
    if version != 2 {
        inside.at -= 2;
        return inside.bad("line information of DWARF version 2");
    }
    let header_length = inside.word("the length of a header")?;
    let program = inside.at.checked_add(header_length).filter(|program| *program <= end);
    let Some(program) = program else { return inside.bad("a header that ends inside its unit") };
    let instruction_length = u64::from(inside.byte("an instruction length")?);
    inside.byte("a statement flag")?;
    let line_base = inside.byte("a line base")? as i8;
    let line_range = inside.byte("a line range")?;
    let opcode_base = inside.byte("an opcode base")?;
    if line_range == 0 || opcode_base == 0 {
        return inside.bad("a line range and an opcode base above 0");
    }
    let operands = (1..opcode_base).map(|_| inside.byte("operand counts")).collect::<Result<Vec<u8>, Bad>>()?;
    let header = Header { instruction_length, line_base, line_range, opcode_base, operands };
    let named = |inside: &mut Cursor<'_>| inside.string().map(|name| Some(name).filter(|name| !name.is_empty()));
    let (mut unit, mut directories) = (Unit::default(), Vec::new());
    while let Some(name) = named(&mut inside)? {
        directories.push(name);
    }
    while let Some(name) = named(&mut inside)? {
        file(&mut inside, &mut unit, &directories, name)?;
    }
    inside.at = program;
    run(&mut inside, &header, &mut unit, &directories)?;
    Ok(unit)
}

/// The rest of a file entry: directory number (from 1), time and size.
fn file(cursor: &mut Cursor<'_>, unit: &mut Unit, directories: &[String], name: String) -> Result<(), Bad> {
    let directory = usize::try_from(cursor.unsigned()?).unwrap_or(0);
    cursor.unsigned()?;
    cursor.unsigned()?;
    let directory = directory.checked_sub(1).and_then(|at| directories.get(at)).cloned().unwrap_or_default();
    unit.files.push((directory, name));
    Ok(())
}

const START: Row = Row { address: 0, file: 1, line: 1, context: 0, name: 0 };

fn run(cursor: &mut Cursor<'_>, header: &Header, unit: &mut Unit, directories: &[String]) -> Result<(), Bad> {
    let (mut row, mut sequence) = (START, Sequence::default());
    let step = |opcode: u8| {
        let adjusted = opcode - header.opcode_base;
        let advance = u64::from(adjusted / header.line_range).wrapping_mul(header.instruction_length);
        (advance, i64::from(header.line_base) + i64::from(adjusted % header.line_range))
    };
    while cursor.at < cursor.bytes.len() {
        let opcode = cursor.byte("an opcode")?;
        if opcode >= header.opcode_base {
            let (advance, lines) = step(opcode);
            row.address = row.address.wrapping_add(advance);
            row.line = moved(row.line, lines);
            sequence.rows.push(row);
            continue;
        }
        match opcode {
            0 => {
                let length = usize::try_from(cursor.unsigned()?).unwrap_or(usize::MAX);
                let end = cursor.at.checked_add(length).filter(|end| *end <= cursor.bytes.len() && length > 0);
                let Some(end) = end else { return cursor.bad("an extended opcode that ends inside its unit") };
                match cursor.byte("an extended opcode")? {
                    1 => {
                        sequence.end = row.address;
                        unit.sequences.push(std::mem::take(&mut sequence));
                        row = START;
                    }
                    2 => {
                        sequence.address_at = Some(cursor.at);
                        row.address = u64::from_le_bytes(cursor.take("an address")?);
                    }
                    3 => {
                        let name = cursor.string()?;
                        file(cursor, unit, directories, name)?;
                    }
                    0x90 => (row.context, row.name) = (cursor.unsigned()?, cursor.unsigned()?),
                    _ => {}
                }
                cursor.at = end;
            }
            1 => sequence.rows.push(row),
            2 => row.address = row.address.wrapping_add(cursor.unsigned()?.wrapping_mul(header.instruction_length)),
            3 => row.line = moved(row.line, cursor.signed()?),
            4 => row.file = cursor.unsigned()?,
            8 => row.address = row.address.wrapping_add(step(255).0),
            9 => row.address = row.address.wrapping_add(u64::from(u16::from_le_bytes(cursor.take("an advance")?))),
            other => {
                for _ in 0..header.operands.get(usize::from(other) - 1).copied().unwrap_or(0) {
                    cursor.unsigned()?;
                }
            }
        }
    }
    Ok(())
}

fn moved(line: u32, by: i64) -> u32 {
    u32::try_from(i64::from(line).saturating_add(by)).unwrap_or(0)
}
