//! Reading cubins: their numbers against `ptxas -v` and `cuobjdump`, their lines against `nvdisasm`.

use crate::truth::unpacked as bytes;
use kernel_audit::evidence::{Cubin, CubinKernel, CubinParameter, LineTable, Origin, SassListing, SourceLine};
use kernel_audit::source::{ReadError, cubin, ptxas_log, sass};
use std::collections::BTreeMap;

/// (cubin, what ptxas printed, what cuobjdump printed, what nvdisasm printed)
const BUILDS: [[&str; 4]; 4] = [
    ["h200/devset.sm_90a.cubin", "h200/devset.ptxas.txt", "h200/devset.resource-usage.txt", "cubin/devset.lines.sass"],
    [
        "cubin/attributes.cubin",
        "cubin/attributes.ptxas.txt",
        "cubin/attributes.resource-usage.txt",
        "cubin/attributes.lines.sass",
    ],
    ["cubin/old80.cubin", "cubin/old80.ptxas.txt", "cubin/old80.resource-usage.txt", "cubin/old80.lines.sass"],
    ["cubin/old90.cubin", "cubin/old90.ptxas.txt", "cubin/old90.resource-usage.txt", "cubin/old90.lines.sass"],
];

fn read(name: &str) -> Cubin {
    cubin::read(&bytes(name), Origin::default()).unwrap()
}

/// A cubin with its table of symbols so many times over.
fn repeated(name: &str, times: usize) -> Vec<u8> {
    let mut bytes = bytes(name);
    let number =
        |at: usize, width: usize| (0..width).map(|byte| usize::from(bytes[at + byte]) << (8 * byte)).sum::<usize>();
    let (table, width, count) = (number(0x28, 8), number(0x3a, 2), number(0x3c, 2));
    let symbols = (0..count).map(|at| table + at * width).find(|header| number(header + 4, 4) == 2).unwrap();
    let (start, size) = (number(symbols + 0x18, 8), number(symbols + 0x20, 8));
    let all = bytes[start..start + size].repeat(times);
    let end = bytes.len() as u64;
    bytes[symbols + 0x18..symbols + 0x20].copy_from_slice(&end.to_le_bytes());
    bytes[symbols + 0x20..symbols + 0x28].copy_from_slice(&(all.len() as u64).to_le_bytes());
    bytes.extend(all);
    bytes
}

#[test]
fn functions_that_repeat_are_refused() {
    assert_eq!(
        cubin::read(&repeated("cubin/attributes.cubin", 1), Origin::default()).unwrap(),
        read("cubin/attributes.cubin")
    );
    for times in [2, 20_000] {
        let begun = std::time::Instant::now();
        let said = cubin::read(&repeated("cubin/attributes.cubin", times), Origin::default()).unwrap_err().to_string();
        assert!(said.contains("one kernel in the section .text."), "{said}");
        assert!(begun.elapsed() < std::time::Duration::from_secs(10));
    }
}

fn listing(name: &str) -> SassListing {
    sass::read(&bytes(name), Origin::default(), "").unwrap()
}

fn kernel<'a>(cubin: &'a Cubin, name: &str) -> &'a CubinKernel {
    cubin.kernels.iter().find(|kernel| kernel.mangled.as_str() == name).unwrap_or_else(|| panic!("no kernel {name}"))
}

/// ` Function K:` and a line of `KEY:VALUE` words.
fn resource_usage(text: &str) -> BTreeMap<String, BTreeMap<String, u64>> {
    let mut found = BTreeMap::new();
    let mut name = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(function) = line.strip_prefix("Function ") {
            name = function.trim_end_matches(':').to_owned();
        } else if line.starts_with("REG:") {
            let pairs = line.split(' ').filter_map(|word| word.split_once(':'));
            found.insert(name.clone(), pairs.map(|(key, value)| (key.to_owned(), value.parse().unwrap())).collect());
        }
    }
    found
}

#[test]
fn cubin_assembler_and_cuobjdump_agree_on_every_kernel() {
    let mut compared = 0;
    for [path, log, usage, _] in BUILDS {
        let cubin = read(path);
        let log = ptxas_log::read(&bytes(log), Origin::default()).unwrap();
        let usage = resource_usage(std::str::from_utf8(&bytes(usage)).unwrap());
        assert_eq!((cubin.kernels.len(), log.records.len()), (usage.len(), usage.len()), "{path}");
        for record in &log.records {
            let kernel = kernel(&cubin, &record.mangled);
            let usage = &usage[&record.mangled];
            assert_eq!((&record.arch, &record.demangled), (&cubin.arch.to_string(), &kernel.demangled.to_string()));
            assert_eq!(
                (kernel.registers, kernel.frame_bytes),
                (record.registers, record.stack_bytes),
                "{}",
                record.mangled
            );
            assert_eq!(Some(kernel.shared_bytes), record.shared_bytes, "{}", record.mangled);
            if record.barriers.is_some() {
                assert_eq!(kernel.barriers, record.barriers, "{}", record.mangled);
            }
            assert_eq!(kernel.registers, Some(usage["REG"]));
            assert_eq!(kernel.min_stack_bytes, Some(usage["STACK"]));
            assert_eq!((kernel.shared_section_bytes, kernel.local_bytes), (usage["SHARED"], usage["LOCAL"]));
            assert!(kernel.constant_bytes.contains(&(0, usage["CONSTANT[0]"])));
            for bank in &record.constant_bytes {
                assert!(kernel.constant_bytes.contains(bank), "{}", record.mangled);
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 23);
}

#[test]
fn the_assemblers_records_are_read() {
    let cubin = read("cubin/attributes.cubin");
    assert_eq!((cubin.arch.as_ref(), cubin.origin.format.as_str()), ("sm_90a", "cubin"));
    let bounded = kernel(&cubin, "bounded");
    assert_eq!((bounded.max_threads, bounded.register_cap), (Some([256, 1, 1]), Some(64)));
    assert_eq!((bounded.barriers, bounded.shared_bytes, bounded.shared_section_bytes), (Some(1), 256, 1280));
    let parameter = |ordinal, offset, bytes| CubinParameter { ordinal, offset, bytes };
    assert_eq!(bounded.parameters, [parameter(0, 0, 8), parameter(1, 8, 2), parameter(2, 16, 8)]);
    assert_eq!(bounded.parameter_bytes, Some(24));
    let [slow] = &bounded.callees[..] else { panic!("one callee") };
    assert_eq!((slow.symbol.as_ref(), slow.frame_bytes), ("$bounded$_Z4slowPKfi", Some(0)));
    assert_eq!(kernel(&cubin, "clustered").cluster, Some([2, 1, 1]));
    assert_eq!((kernel(&cubin, "capped").register_cap, kernel(&cubin, "capped").max_threads), (Some(64), None));
    assert_eq!(kernel(&cubin, "barriers").barriers, Some(6));
    assert_eq!(kernel(&cubin, "spilling").max_threads, Some([1024, 1, 1]));
    assert_eq!(kernel(&read("cubin/old80.cubin"), "barriers").barriers, Some(6));
    assert_eq!(kernel(&read("cubin/old80.cubin"), "local_array").barriers, Some(0));
    assert_eq!(read("cubin/old80.cubin").arch.as_str(), "sm_80");
}

/// CUDA 9 wrote no register records: the count stood in the code section's header only.
#[test]
fn registers_of_an_assembler_without_records_are_in_the_section_header() {
    let mut old = bytes("cubin/old80.cubin");
    let word = |at: usize| u64::from_le_bytes(old[at..at + 8].try_into().unwrap()) as usize;
    let (table, count) = (word(40), usize::from(u16::from_le_bytes([old[60], old[61]])));
    let strings = word(table + 64 * usize::from(u16::from_le_bytes([old[62], old[63]])) + 24);
    let name = |row: usize| strings + u32::from_le_bytes(old[row..row + 4].try_into().unwrap()) as usize;
    let row = (0..count).map(|at| table + 64 * at).find(|row| old[name(*row)..].starts_with(b".nv.info\0")).unwrap();
    let (start, size) = (word(row + 24), word(row + 32));
    for record in (start..start + size).step_by(12) {
        assert_eq!(old[record], 4);
        old[record + 1] = if old[record + 1] == 0x2f { 0x7f } else { old[record + 1] };
    }
    let (without, with) = (cubin::read(&old, Origin::default()).unwrap(), read("cubin/old80.cubin"));
    assert_eq!(kernel(&with, "spilling").registers, Some(32));
    for kernel in &with.kernels {
        let other = without.kernels.iter().find(|other| other.mangled == kernel.mangled).unwrap();
        assert_eq!(other.registers, kernel.registers, "{}", kernel.mangled);
    }
}

#[test]
fn spills_and_exits_are_where_the_code_has_them() {
    let cubin = read("cubin/attributes.cubin");
    let code = listing("cubin/attributes.lines.sass");
    for kernel in &cubin.kernels {
        let function = code.function(&kernel.mangled).unwrap();
        let offsets = |of: &dyn Fn(&str) -> bool| -> Vec<u64> {
            function.instructions.iter().filter(|i| of(i.op().name())).map(|i| i.offset).collect()
        };
        assert_eq!(kernel.exit_offsets, offsets(&|base| base == "EXIT"), "{}", kernel.mangled);
        let spills = kernel.spill_offsets.as_ref().unwrap();
        let local = offsets(&|base| matches!(base, "STL" | "LDL"));
        assert!(spills.iter().all(|offset| local.contains(offset)), "{}", kernel.mangled);
        assert_eq!(spills.len() > 20, kernel.mangled.as_str() == "spilling");
    }
    // Not every local access is a spill, and an old assembler does not say which are.
    assert_eq!(kernel(&cubin, "local_array").spill_offsets, Some(vec![]));
    assert_eq!(kernel(&read("cubin/old90.cubin"), "spilling").spill_offsets, None);
}

#[test]
fn the_code_has_an_identity() {
    let cubin = read("h200/devset.sm_90a.cubin");
    let code = listing("h200/devset.sass");
    for kernel in &cubin.kernels {
        let instructions = &code.function(&kernel.mangled).unwrap().instructions;
        assert_eq!(kernel.code_bytes, 16 * instructions.len() as u64);
        let words = instructions.iter().flat_map(|i| i.word.unwrap().bits.to_le_bytes());
        let digest = <sha2::Sha256 as sha2::Digest>::digest(words.collect::<Vec<u8>>());
        assert_eq!(kernel.code_sha256, digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    }
}

/// What the report's source page shows is the code that the listing has.
#[test]
fn the_source_page_of_the_report_has_this_code() {
    let code = listing("h200/devset.sass");
    for (page, mangled) in
        [("gemm_bias_v1", "_Z12gemm_bias_v1PKfS0_S0_Pfiii"), ("gemm_bias_v2", "_Z12gemm_bias_v2PKfS0_S0_Pfiii")]
    {
        let text = crate::truth::bytes(&format!("{page}.source.csv"));
        let mut rows = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&text[..]);
        let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).skip(2).collect();
        let instructions = &code.function(mangled).unwrap().instructions;
        assert_eq!(rows.len(), instructions.len());
        let address = |row: &csv::StringRecord| u64::from_str_radix(row[0].trim_start_matches("0x"), 16).unwrap();
        let table = cubin::line_table(&bytes("h200/devset.sm_90a.cubin"), "").unwrap();
        for (row, instruction) in rows.iter().zip(instructions) {
            assert_eq!(address(row) - address(&rows[0]), instruction.offset);
            let mut words = row[1].split_whitespace().filter(|word| !word.starts_with('@'));
            assert_eq!(words.next().unwrap(), instruction.named());
            // Every instruction that ran has a line.
            assert!(&row[5] == "0" || !table.places(mangled, instruction.offset).is_empty());
        }
    }
}

fn assert_lines(table: &LineTable, listing: &SassListing, name: &str) -> usize {
    let mut compared = 0;
    for function in &listing.functions {
        for instruction in &function.instructions {
            let ours = table.places(&function.mangled, instruction.offset);
            // nvdisasm prints the path as it is stored; the report and the reader resolve it.
            let stored = |place: &SourceLine| (place.file.replace("/bin/../", "/"), place.line);
            let theirs: Vec<(String, u32)> = instruction.places.iter().map(stored).collect();
            let ours: Vec<(String, u32)> = ours.iter().map(|place| (place.file.to_string(), place.line)).collect();
            assert_eq!(ours, theirs, "{name} {} {:#x}", function.mangled, instruction.offset);
            compared += 1;
        }
    }
    compared
}

#[test]
fn lines_and_inlined_calls_are_those_of_nvdisasm() {
    let mut compared = 0;
    let roads = ["cubin/roads.cubin", "", "", "sass/roads.lines.sass"];
    for [path, _, _, lines] in BUILDS.into_iter().chain([roads]) {
        let table = cubin::line_table(&bytes(path), path).unwrap();
        compared += assert_lines(&table, &listing(lines), path);
    }
    assert!(compared > 2_000, "{compared}");
}

#[test]
fn what_is_no_whole_cubin_is_named() {
    let good = bytes("cubin/attributes.cubin");
    let said = |bytes: &[u8]| {
        let error = cubin::read(bytes, Origin { path: "k.cubin".into(), ..Origin::default() }).unwrap_err();
        let kind = match error {
            ReadError::WrongKind { .. } => "wrong kind",
            ReadError::Malformed { .. } => "malformed",
            ReadError::Empty { .. } => "empty",
            _ => "other",
        };
        format!("{kind}: {error}")
    };
    for (bytes, expected) in [
        (&b""[..], "wrong kind: cannot read k.cubin: it is an empty file"),
        (&b"hello"[..], "wrong kind: cannot read k.cubin: it is not an ELF file"),
        (&[0x50, 0xed, 0x55, 0xba, 1, 0][..], "wrong kind: cannot read k.cubin: it is a CUDA fat binary"),
        (&good[..40], "malformed: cannot read k.cubin"),
        (&good[..good.len() / 2], "malformed: cannot read k.cubin"),
    ] {
        let found = said(bytes);
        assert!(found.starts_with(expected) && found.contains("help: "), "{found}");
    }
    let mut host = good.clone();
    host[18] = 62;
    assert!(said(&host).contains("cuobjdump -xelf all"));
    // Symbol types and section types are at known places of a 64-bit ELF file.
    let word = |at: usize| u64::from_le_bytes(good[at..at + 8].try_into().unwrap()) as usize;
    let (table, count) = (word(40), usize::from(u16::from_le_bytes([good[60], good[61]])));
    let row = (0..count).map(|at| table + 64 * at).find(|row| good[row + 4] == 2).unwrap();
    let mut stripped = good.clone();
    stripped[row + 4] = 0;
    assert!(said(&stripped).contains("without symbols (stripped)"));
    let mut empty = good.clone();
    let (start, size) = (word(row + 24), word(row + 32));
    (start..start + size).step_by(24).for_each(|symbol| empty[symbol + 5] &= !0x10);
    assert!(said(&empty).starts_with("empty: k.cubin holds no kernels"));
    assert!(cubin::line_table(&bytes("h200/devset.sass"), "x").is_err());
}

#[test]
fn no_cut_and_no_flipped_byte_breaks_the_reader() {
    let good = bytes("cubin/old80.cubin");
    let mut broken = good.clone();
    for at in (0..good.len()).step_by(101) {
        let _ = cubin::read(&good[..at], Origin::default());
        let _ = cubin::line_table(&good[..at], "");
        for flip in [0xff, 0x01] {
            broken[at] ^= flip;
            if let Ok(cubin) = cubin::read(&broken, Origin::default()) {
                assert!(cubin.kernels.len() <= 4);
            }
            let _ = cubin::line_table(&broken, "");
            broken[at] ^= flip;
        }
    }
}

#[test]
fn every_damaged_line_program_ends() {
    let good = bytes("cubin/old80.cubin");
    let word = |at: usize| u64::from_le_bytes(good[at..at + 8].try_into().unwrap()) as usize;
    let (table, count) = (word(40), usize::from(u16::from_le_bytes([good[60], good[61]])));
    let names = word(table + 64 * usize::from(u16::from_le_bytes([good[62], good[63]])) + 24);
    let is_lines = |row: &usize| {
        let name = u32::from_le_bytes(good[*row..row + 4].try_into().unwrap()) as usize;
        good[names + name..].starts_with(b".debug_line\0")
    };
    let row = (0..count).map(|at| table + 64 * at).find(is_lines).unwrap();
    let (start, size) = (word(row + 24), word(row + 32));
    let mut broken = good.clone();
    let mut refused = 0;
    for at in start..start + size {
        for flip in [0x80, 0x3f, 0x01] {
            broken[at] ^= flip;
            refused += usize::from(cubin::line_table(&broken, "").is_err());
            broken[at] ^= flip;
        }
    }
    assert!(refused > 0);
}

/// Reports of ncu before 2022 hold the cubin as the driver loaded it: the symbol of a kernel has its address in memory.
#[test]
fn a_cubin_that_was_loaded_has_the_same_code() {
    const ADDRESS: u64 = 0x14c9_b72a_3b00;
    let good = bytes("cubin/old80.cubin");
    let expected = cubin::code_ranges(&good, "").unwrap();
    let word = |at: usize| u64::from_le_bytes(good[at..at + 8].try_into().unwrap()) as usize;
    let half = |at: usize| usize::from(u16::from_le_bytes([good[at], good[at + 1]]));
    // Sections of type 2 are symbol tables, whose entries of 24 bytes have the value behind 8; kernels are global functions (0x12).
    let is_symbols = |row: &usize| u32::from_le_bytes(good[row + 4..row + 8].try_into().unwrap()) == 2;
    let symbols = (0..half(60)).map(|at| word(40) + 64 * at).find(is_symbols).unwrap();
    let mut loaded = good.clone();
    let mut kernels = 0;
    for entry in (word(symbols + 24)..word(symbols + 24) + word(symbols + 32)).step_by(24) {
        if good[entry + 4] == 0x12 && word(entry + 8) == 0 {
            loaded[entry + 8..entry + 16].copy_from_slice(&ADDRESS.to_le_bytes());
            kernels += 1;
        }
    }
    assert!(kernels > 0);
    assert_eq!(cubin::code_ranges(&loaded, "").unwrap(), expected);
}
