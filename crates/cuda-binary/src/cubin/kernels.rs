//! The kernels of a cubin with their resources, and where the code of each function lies.

use super::attributes::{self, Record, code};
use super::elf::{self, Elf, Launchable, Section, Symbol};
use super::model::{Cubin, CubinCallee, CubinKernel, CubinParameter};
use crate::{Origin, ReadError, text};
use arcstr::ArcStr;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// Shared memory that the system keeps per block on sm_90 and later, in bytes. It is part of a kernel's section, as
/// `cuobjdump` prints it, and no part of what `ptxas -v` prints.
const SYSTEM_SHARED: u64 = 1024;

/// The first ABI version in which barriers and notes on spills are records; before, barriers are in the flags of the
/// code section.
const RECORDS_SINCE_ABI: u8 = 8;

/// How many times as many bytes as the file has its functions may take, counted one by one.
const REPEATED: usize = 4;

/// Reads a cubin: what the assembler wrote down of each kernel.
///
/// # Errors
///
/// [`ReadError::WrongKind`] for what is no cubin or has lost its symbols, [`ReadError::Malformed`] for a cut or damaged
/// one, [`ReadError::Empty`] for one without kernels.
pub fn read(bytes: &[u8], origin: Origin) -> Result<Cubin, ReadError> {
    let path = origin.path.clone();
    let elf = Elf::open(bytes, &path)?;
    if !elf.has_symbols() {
        let found = "it is a cubin without symbols (stripped), so its numbers belong to no kernel";
        let cure = "give the cubin as nvcc wrote it";
        return Err(ReadError::wrong(path, found, cure));
    }
    let module = Module::of(&elf);
    let functions = Functions::of(&elf, bytes.len(), &path)?;
    let kernels: Vec<CubinKernel> =
        functions.kernels.iter().filter_map(|symbol| kernel(&elf, &module, &functions, symbol)).collect();
    if kernels.is_empty() {
        let cure = "give code with a `__global__` function; a template needs an explicit instantiation";
        return Err(ReadError::empty(path, "kernels", cure));
    }
    let mut unread: BTreeMap<u8, u64> = BTreeMap::new();
    for section in elf.sections().filter(|section| section.name.starts_with(".nv.info.")) {
        let is_unread = |record: &Record<'_>| !apply(&mut CubinKernel::default(), record);
        attributes::records(section.data)
            .filter(is_unread)
            .for_each(|record| *unread.entry(record.code).or_default() += 1);
    }
    Ok(Cubin {
        origin: Origin { format: "cubin".into(), ..origin },
        arch: elf.arch().into(),
        kernels,
        unread_attributes: unread.into_iter().collect(),
    })
}

/// What the module-wide records say, by code and symbol.
struct Module<'a> {
    numbers: HashMap<(u8, usize), u64>,
    sections: HashMap<&'a str, Section<'a>>,
    /// Banks of constants with their bytes, by the function that owns them.
    constants: HashMap<&'a str, Vec<(u32, u64)>>,
    sm: u32,
}

impl<'a> Module<'a> {
    fn of(elf: &Elf<'a>) -> Module<'a> {
        let sections: HashMap<&str, Section<'a>> = elf.sections().map(|section| (section.name, section)).collect();
        let mut numbers = HashMap::new();
        for record in sections.get(".nv.info").into_iter().flat_map(|section| attributes::records(section.data)) {
            let mut words = record.words();
            if let (Some(symbol), Some(number)) = (words.next(), words.next()) {
                numbers.insert((record.code, symbol as usize), u64::from(number));
            }
        }
        let digits = elf.arch().chars().filter(char::is_ascii_digit).collect::<String>();
        let constants = constants(&sections);
        Module { numbers, sections, constants, sm: digits.parse().unwrap_or(0) }
    }

    fn size(&self, prefix: &str, name: &str) -> u64 {
        self.sections.get(format!("{prefix}{name}").as_str()).map_or(0, |section| section.size)
    }
}

/// The functions of a cubin that have code.
struct Functions<'a> {
    kernels: Vec<Symbol<'a>>,
    /// What kernels call, by the section that holds it.
    callees: HashMap<usize, Vec<Symbol<'a>>>,
}

impl<'a> Functions<'a> {
    /// Those of a file of so many bytes.
    ///
    /// # Errors
    /// Two kernels in one section, and names or code that take more than the file has: what a compiler writes does not
    /// repeat, and what does would grow with its square.
    fn of(elf: &Elf<'a>, file: usize, path: &str) -> Result<Functions<'a>, ReadError> {
        let mut found = Functions { kernels: Vec::new(), callees: HashMap::new() };
        let mut taken = HashSet::new();
        let (mut names, mut code) = (0, 0);
        for symbol in elf.symbols() {
            let Some(kind) = symbol.function else { continue };
            names += symbol.name.len();
            let section = elf.section(symbol.section).filter(|section| section.name.starts_with(".text."));
            let Some(section) = section else { continue };
            if kind == Launchable::Callee {
                found.callees.entry(symbol.section).or_default().push(symbol);
                continue;
            }
            if !taken.insert(symbol.section) {
                let second = format!("a second one, {}", symbol.name);
                return Err(elf::broken(path, &format!("one kernel in the section {}", section.name), &second));
            }
            code += section.data.len();
            found.kernels.push(symbol);
        }
        for (what, bytes) in [("names", names), ("code sections", code)] {
            if bytes > REPEATED * file {
                let expected = format!("{what} of functions within the {file} bytes of the file");
                return Err(elf::broken(path, &expected, &format!("{bytes} bytes of them")));
            }
        }
        Ok(found)
    }
}

fn kernel(elf: &Elf<'_>, module: &Module<'_>, functions: &Functions<'_>, symbol: &Symbol<'_>) -> Option<CubinKernel> {
    let section = elf.section(symbol.section).filter(|section| section.name.starts_with(".text."))?;
    let name = symbol.name;
    let number = |code| module.numbers.get(&(code, symbol.index)).copied();
    let shared = module.size(".nv.shared.", name);
    let system = if module.sm >= 90 { SYSTEM_SHARED } else { 0 };
    let in_records = elf.abi_version() >= RECORDS_SINCE_ABI;
    // Up to sm_89 the section's header has the registers too; CUDA 9 had them nowhere else.
    let in_header = (module.sm < 90).then_some(u64::from(section.info >> 24)).filter(|count| *count > 0);
    let records = module.sections.get(format!(".nv.info.{name}").as_str()).map(|section| section.data);
    let mut kernel = CubinKernel {
        mangled: name.into(),
        demangled: text::demangle(name).into(),
        registers: number(code::REGISTERS).or(in_header),
        frame_bytes: number(code::FRAME),
        min_stack_bytes: number(code::MIN_STACK),
        barriers: if in_records { Some(0) } else { flagged_barriers(&section, records) },
        shared_bytes: shared.saturating_sub(system),
        shared_section_bytes: shared,
        local_bytes: module.size(".nv.local.", name),
        constant_bytes: module.constants.get(name).cloned().unwrap_or_default(),
        spill_offsets: in_records.then(Vec::new),
        code_bytes: section.data.len() as u64,
        code_sha256: text::hexadecimal(&Sha256::digest(section.data)),
        callees: callees(module, functions, symbol),
        ..CubinKernel::default()
    };
    match records {
        Some(records) => attributes::records(records).for_each(|record| _ = apply(&mut kernel, &record)),
        // Without its records nothing is known of what they alone hold.
        None if in_records => (kernel.barriers, kernel.spill_offsets) = (None, None),
        None => {}
    }
    kernel.parameters.sort_by_key(|parameter| parameter.ordinal);
    Some(kernel)
}

/// Barriers from the flags of a code section. CUDA 12.4 and later write them there; earlier ones were seen to leave the
/// bits zero whatever the code does, so their zero tells nothing.
fn flagged_barriers(section: &Section<'_>, records: Option<&[u8]>) -> Option<u64> {
    let mut all = records.into_iter().flat_map(attributes::records);
    let version = all.find(|record| record.code == code::VERSION).and_then(|record| record.words().next());
    let count = section.flags >> 20 & 0x7f;
    (count > 0 || version.is_some_and(|version| version >= 124)).then_some(count)
}

/// Takes what a record says of a kernel; `false` where its code is not known.
fn apply(kernel: &mut CubinKernel, record: &Record<'_>) -> bool {
    match record.code {
        code::MAX_THREADS => kernel.max_threads = record.extent(),
        code::REQUIRED_THREADS => kernel.required_threads = record.extent(),
        code::CLUSTER => kernel.cluster = record.extent(),
        code::REGISTER_CAP => kernel.register_cap = record.half(),
        code::PARAMETER_BYTES => kernel.parameter_bytes = record.half(),
        code::BARRIERS => kernel.barriers = record.payload.first().map(|count| u64::from(*count)),
        code::EXITS => kernel.exit_offsets.extend(record.words().map(u64::from)),
        code::PARAMETER => {
            if let [_, place, size] = record.words().collect::<Vec<_>>()[..] {
                let (ordinal, offset) = (place & 0xffff, place >> 16);
                kernel.parameters.push(CubinParameter { ordinal, offset, bytes: size >> 18 });
            }
        }
        code::NOTES => {
            let words: Vec<u32> = record.words().collect();
            let spills = words.chunks_exact(2).filter(|note| note[0] == 1).map(|note| u64::from(note[1]));
            kernel.spill_offsets.get_or_insert_default().extend(spills);
        }
        code::PARAMETER_BANK | code::VERSION => {}
        _ => return false,
    }
    true
}

fn constants<'a>(sections: &HashMap<&'a str, Section<'a>>) -> HashMap<&'a str, Vec<(u32, u64)>> {
    let mut all: HashMap<&str, Vec<(u32, u64)>> = HashMap::new();
    for (section, found) in sections {
        let Some((bank, owner)) = section.strip_prefix(".nv.constant").and_then(|name| name.split_once('.')) else {
            continue;
        };
        if let Ok(bank) = bank.parse() {
            all.entry(owner).or_default().push((bank, found.size));
        }
    }
    all.values_mut().for_each(|banks| banks.sort_unstable());
    all
}

fn callees(module: &Module<'_>, functions: &Functions<'_>, kernel: &Symbol<'_>) -> Vec<CubinCallee> {
    let mut found: Vec<CubinCallee> = functions
        .callees
        .get(&kernel.section)
        .into_iter()
        .flatten()
        .map(|symbol| CubinCallee {
            symbol: symbol.name.into(),
            offset: symbol.value,
            bytes: symbol.size,
            frame_bytes: module.numbers.get(&(code::FRAME, symbol.index)).copied(),
        })
        .collect();
    found.sort_by(|a, b| (a.offset, &a.symbol).cmp(&(b.offset, &b.symbol)));
    found
}

/// The code of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeRange {
    /// Position in the symbol table.
    pub symbol_index: u32,
    /// Mangled name.
    pub symbol: ArcStr,
    /// Mangled name of the function that the code section is called after; differs for functions that a kernel's
    /// section carries along.
    pub section: ArcStr,
    /// Byte offset of the function in its section.
    pub offset: u64,
    /// The whole section, padding included, as bytes of the cubin.
    pub code: Range<usize>,
}

/// The functions of a cubin that have code, in the order of the symbol table.
///
/// # Errors
///
/// [`ReadError::WrongKind`] for what is no cubin, [`ReadError::Malformed`] for a cut or damaged one.
pub fn code_ranges(bytes: &[u8], path: &str) -> Result<Vec<CodeRange>, ReadError> {
    let elf = Elf::open(bytes, path)?;
    let ranges = elf.symbols().filter(|symbol| symbol.function.is_some()).filter_map(|symbol| {
        let section = elf.section(symbol.section)?;
        Some(CodeRange {
            symbol_index: u32::try_from(symbol.index).ok()?,
            symbol: symbol.name.into(),
            section: section.name.strip_prefix(".text.")?.into(),
            offset: symbol.value,
            code: within(bytes, section.data),
        })
    });
    Ok(ranges.collect())
}

/// Where a slice lies in the bytes that it was taken from.
fn within(bytes: &[u8], part: &[u8]) -> Range<usize> {
    let start = (part.as_ptr() as usize).wrapping_sub(bytes.as_ptr() as usize);
    if start > bytes.len() { 0..0 } else { start..start + part.len() }
}
