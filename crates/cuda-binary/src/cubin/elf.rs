//! Opens the ELF file and says what is wrong with one that is no cubin.

use crate::ReadError;
use object::elf::{FileHeader64, SHF_ALLOC, SHT_NOBITS};
use object::read::elf::{FileHeader as _, SectionHeader as _, SectionTable, SymbolTable};
use object::{Endianness, SymbolIndex};

/// `EM_CUDA`.
const MACHINE: object::elf::Machine = object::elf::Machine(190);

type Header = FileHeader64<Endianness>;
type SectionRow = object::elf::SectionHeader64<Endianness>;
type SymbolRow = object::elf::Sym64<Endianness>;

/// A cubin whose tables have been checked.
pub(super) struct Elf<'a> {
    bytes: &'a [u8],
    path: &'a str,
    endian: Endianness,
    header: &'a Header,
    sections: SectionTable<'a, Header>,
    symbols: SymbolTable<'a, Header>,
}

/// One section.
#[derive(Clone, Copy)]
pub(super) struct Section<'a> {
    pub(super) index: usize,
    pub(super) name: &'a str,
    /// The size that it has when loaded.
    pub(super) size: u64,
    /// Flags, whose upper bits old assemblers use.
    pub(super) flags: u64,
    /// Information word, whose top byte old assemblers use.
    pub(super) info: u32,
    /// Its bytes in the file; none for a section that only takes memory.
    pub(super) data: &'a [u8],
}

/// One symbol.
#[derive(Clone, Copy)]
pub(super) struct Symbol<'a> {
    pub(super) index: usize,
    pub(super) name: &'a str,
    pub(super) section: usize,
    /// Byte offset in its section.
    pub(super) value: u64,
    pub(super) size: u64,
    /// Whether it is a function, and one that can be launched.
    pub(super) function: Option<Launchable>,
}

/// Whether a function can be launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Launchable {
    Kernel,
    Callee,
}

/// `STO_CUDA_ENTRY` among a symbol's other bits.
const ENTRY: u8 = 0x10;

/// A relocation: where in its section, against which symbol, with what added.
#[derive(Clone, Copy)]
pub(super) struct Relocation {
    pub(super) offset: u64,
    pub(super) symbol: usize,
    pub(super) addend: i64,
}

impl<'a> Elf<'a> {
    pub(super) fn open(bytes: &'a [u8], path: &'a str) -> Result<Elf<'a>, ReadError> {
        let wrong = |found: &str, cure: &str| ReadError::wrong(path, found, cure);
        let extract = "take the cubins out with `cuobjdump -xelf all FILE` and give one of them";
        match bytes {
            [] => {
                return Err(wrong("it is an empty file", "the tool that should have written it failed; run it again"));
            }
            [0x50, 0xed, 0x55, 0xba, ..] => return Err(wrong("it is a CUDA fat binary, not a cubin", extract)),
            [0x7f, b'E', b'L', b'F', ..] => {}
            _ => return Err(wrong("it is not an ELF file, so not a cubin", "give a .cubin file: `nvcc -cubin ...`")),
        }
        let malformed = |error: &dyn std::fmt::Display| broken(path, "the ELF headers", &error.to_string());
        let header = Header::parse(bytes).map_err(|error| malformed(&error))?;
        let endian = header.endian().map_err(|error| malformed(&error))?;
        if header.e_machine(endian) != MACHINE {
            return Err(wrong("it is a program or library for a processor, not a cubin", extract));
        }
        let sections = header.sections(endian, bytes).map_err(|error| malformed(&error))?;
        let symbols = sections.symbols(endian, bytes, object::elf::SHT_SYMTAB).map_err(|error| malformed(&error))?;
        let elf = Elf { bytes, path, endian, header, sections, symbols };
        for section in elf.sections.iter() {
            elf.data(section)?;
        }
        Ok(elf)
    }

    /// The multiprocessor version and whether the code uses features of that version alone (`sm_90a`).
    ///
    /// Since CUDA 13 (OS/ABI 0x41, ABI version 8) the version is in bits 8 to 15 of the flags and the variant in
    /// `.nv.compat`, record 9; before (0x33, 7) in bits 0 to 7 and bit 11.
    pub(super) fn arch(&self) -> String {
        let flags = self.header.e_flags(self.endian).0;
        let recent = self.header.e_ident().os_abi.0 == 0x41 || self.header.e_ident().abi_version >= 8;
        let version = if recent { flags >> 8 & 0xff } else { flags & 0xff };
        let compat = || self.sections().find(|section| section.name == ".nv.compat");
        let variant = if recent {
            let records = compat().map(|section| super::attributes::records(section.data).collect::<Vec<_>>());
            records.unwrap_or_default().iter().any(|record| record.code == 9 && record.payload.first() == Some(&1))
        } else {
            flags & 0x800 != 0
        };
        format!("sm_{version}{}", if variant { "a" } else { "" })
    }

    /// Whether shared memory of this cubin holds a share of the system, and barriers are told in records.
    pub(super) fn abi_version(&self) -> u8 {
        self.header.e_ident().abi_version
    }

    pub(super) fn sections(&self) -> impl Iterator<Item = Section<'a>> + '_ {
        self.sections.iter().enumerate().filter_map(|(index, section)| self.section_at(index, section))
    }

    pub(super) fn section(&self, index: usize) -> Option<Section<'a>> {
        self.section_at(index, self.sections.section(object::SectionIndex(index)).ok()?)
    }

    fn section_at(&self, index: usize, section: &'a SectionRow) -> Option<Section<'a>> {
        let name = std::str::from_utf8(self.sections.section_name(self.endian, section).ok()?).ok()?;
        let (size, flags) = (section.sh_size(self.endian), section.sh_flags(self.endian).0);
        let info = section.sh_info(self.endian);
        Some(Section { index, name, size, flags, info, data: self.data(section).ok()? })
    }

    fn data(&self, section: &'a SectionRow) -> Result<&'a [u8], ReadError> {
        if section.sh_type(self.endian) == SHT_NOBITS {
            return Ok(&[]);
        }
        section.data(self.endian, self.bytes).map_err(|_| {
            let (at, size) = (section.sh_offset(self.endian), section.sh_size(self.endian));
            let flags = section.sh_flags(self.endian).0 & SHF_ALLOC.0;
            let what = if flags == 0 { "a section" } else { "a loaded section" };
            let found = format!("the end of the file at byte {}", self.bytes.len());
            broken(self.path, &format!("{what} of {size} bytes at byte {at}"), &found)
        })
    }

    pub(super) fn has_symbols(&self) -> bool {
        !self.symbols.is_empty()
    }

    pub(super) fn symbols(&self) -> impl Iterator<Item = Symbol<'a>> + '_ {
        self.symbols.enumerate().filter_map(|(index, symbol)| self.symbol_at(index, symbol))
    }

    pub(super) fn symbol(&self, index: usize) -> Option<Symbol<'a>> {
        self.symbol_at(SymbolIndex(index), self.symbols.symbol(SymbolIndex(index)).ok()?)
    }

    fn symbol_at(&self, index: SymbolIndex, symbol: &'a SymbolRow) -> Option<Symbol<'a>> {
        let section = self.symbols.symbol_section(self.endian, symbol, index).ok()?;
        let is_function = symbol.st_info.0 & 0xf == object::elf::STT_FUNC.0;
        let kind = if symbol.st_other.0 & ENTRY != 0 { Launchable::Kernel } else { Launchable::Callee };
        let name = std::str::from_utf8(self.symbols.symbol_name(self.endian, symbol).ok()?).ok()?;
        let section = section.map_or(0, |section| section.0);
        // Reports of ncu before 2022 hold the cubin as the driver loaded it: a kernel, with which its section begins, has its address
        // in memory there.
        let value = symbol.st_value.get(self.endian);
        let is_address = |own: &Section<'_>| own.name.strip_prefix(".text.") == Some(name) && value >= own.size;
        let is_loaded = is_function && value > 0 && self.section(section).as_ref().is_some_and(is_address);
        Some(Symbol {
            index: index.0,
            name,
            section,
            value: if is_loaded { 0 } else { value },
            size: symbol.st_size.get(self.endian),
            function: is_function.then_some(kind),
        })
    }

    /// The relocations of a section, from entries with and without addend.
    pub(super) fn relocations(&self, of: usize) -> Vec<Relocation> {
        let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        let mut found = Vec::new();
        for section in self.sections.iter().filter(|section| section.sh_info(self.endian) as usize == of) {
            let step = match section.sh_type(self.endian) {
                object::elf::SHT_RELA => 24,
                object::elf::SHT_REL => 16,
                _ => continue,
            };
            let Ok(data) = self.data(section) else { continue };
            found.extend(data.chunks_exact(step).map(|entry| Relocation {
                offset: word(&entry[..8]),
                symbol: (word(&entry[8..16]) >> 32) as usize,
                addend: entry.get(16..24).map_or(0, |addend| word(addend) as i64),
            }));
        }
        found
    }
}

pub(super) fn broken(path: &str, expected: &str, found: &str) -> ReadError {
    let cure = "the file is cut or damaged: copy or build it again";
    ReadError::malformed(path, "its ELF tables", expected, found, cure)
}
