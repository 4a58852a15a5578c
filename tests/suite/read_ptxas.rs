//! Reading `ptxas -v` logs: real ones of CUDA 13, and the shapes of older compilers and parallel builds.

use kernel_audit::evidence::{BuildLog, BuildRecord, CalleeRecord, Origin};
use kernel_audit::source::{ReadError, ptxas_log};

fn read(text: &str) -> BuildLog {
    ptxas_log::read(text.as_bytes(), Origin::default()).unwrap()
}

fn record<'a>(log: &'a BuildLog, mangled: &str, arch: &str) -> &'a BuildRecord {
    let mut found = log.records.iter().filter(|record| record.mangled == mangled && record.arch == arch);
    let first = found.next().unwrap_or_else(|| panic!("no record of {mangled} for {arch}"));
    assert!(found.next().is_none(), "{mangled} for {arch} twice");
    first
}

#[test]
fn the_log_of_the_gpu_build_gives_each_kernel_its_numbers() {
    let log = read(include_str!("../fixtures/h200/devset.ptxas.txt"));
    let seen: Vec<_> =
        log.records.iter().map(|r| (r.demangled.as_str(), r.registers, r.barriers, r.shared_bytes)).collect();
    let gemm = "(float const*, float const*, float const*, float*, int, int, int)";
    assert_eq!(
        seen,
        [
            ("uninit(float const*, float*)", Some(10), Some(0), Some(0)),
            ("badbar(float*)", Some(12), Some(1), Some(256)),
            ("racy(float*)", Some(10), Some(0), Some(1024)),
            ("oob(float*, int)", Some(10), Some(0), Some(0)),
            ("scale(float*, float, unsigned long)", Some(8), Some(0), Some(0)),
            (format!("gemm_bias_v2{gemm}").as_str(), Some(31), Some(1), Some(8448)),
            (format!("gemm_bias_v1{gemm}").as_str(), Some(32), Some(0), Some(0)),
        ]
    );
    assert!(log.records.iter().all(|r| r.arch == "sm_90a" && r.stack_bytes == Some(0) && r.callees.is_empty()));
    assert!(log.records.iter().all(|r| r.spill_store_bytes == Some(0) && r.spill_load_bytes == Some(0)));
    assert_eq!(log.records[0].line, 2);
    assert_eq!((log.warnings.len(), log.unrecognised_lines.len()), (0, 0));
    assert_eq!(log.origin.format, "ptxas-log");
}

#[test]
fn spills_callees_and_architectures_are_kept_apart() {
    let log = read(include_str!("../fixtures/ptxas/spills.log"));
    assert_eq!(log.records.len(), 15);
    assert_eq!(log.unrecognised_lines, Vec::<String>::new());
    let spills = record(&log, "_Z6spillsIfLi64EEvPKT_PS0_i", "sm_90a");
    assert_eq!(
        *spills,
        BuildRecord {
            mangled: "_Z6spillsIfLi64EEvPKT_PS0_i".into(),
            demangled: "void spills<float, 64>(float const*, float*, int)".into(),
            arch: "sm_90a".into(),
            registers: Some(32),
            barriers: Some(1),
            stack_bytes: Some(872),
            cumulative_stack_bytes: Some(872),
            spill_store_bytes: Some(1300),
            spill_load_bytes: Some(1436),
            shared_bytes: Some(1024),
            line: spills.line,
            ..BuildRecord::default()
        }
    );
    let older = record(&log, "_Z6spillsIfLi64EEvPKT_PS0_i", "sm_80");
    assert_eq!((older.cumulative_stack_bytes, &older.constant_bytes[..]), (Some(840), &[(0, 372)][..]));
    let caller = record(&log, "_Z11calls_heavyPKfPfi", "sm_90a");
    assert_eq!((caller.spill_store_bytes, caller.cumulative_stack_bytes), (Some(0), Some(776)));
    let heavy = CalleeRecord {
        mangled: "_Z5heavyILi96EEfPKfi".into(),
        stack_bytes: Some(0),
        spill_store_bytes: Some(1484),
        spill_load_bytes: Some(1532),
    };
    assert_eq!(caller.callees, [heavy]);
    assert_eq!(record(&log, "_Z9recursivePii", "sm_90a").callees[0].mangled, "_Z3fibi");
}

#[test]
fn warnings_that_void_an_assumption_are_kept() {
    let log = read(include_str!("../fixtures/ptxas/warnings.log"));
    assert_eq!(
        log.warnings,
        [
            (1, "warnings.ptx, line 14: .minnctapersm is ignored when neither .maxntid nor .reqntid is specified.".into()),
            (2, "(C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.".into()),
        ]
    );
    let log = read(
        "ptxas warning : Stack size for entry function '_Z5hellom' cannot be statically determined\n\
         ptxas warning : Value of threads per SM for entry k is out of range.\n      .minnctapersm will be ignored\n\
         ptxas info    : Compiling entry function 'k' for 'sm_70'\n",
    );
    assert_eq!(log.warnings[0].1, "Stack size for entry function '_Z5hellom' cannot be statically determined");
    assert_eq!(log.warnings[1].1, "Value of threads per SM for entry k is out of range. .minnctapersm will be ignored");
}

#[test]
fn older_compilers_print_no_barriers_and_other_orders() {
    let log = read(
        "ptxas info    : 77696 bytes gmem, 72 bytes cmem[3]\n\
         ptxas info    : Compiling entry function 'k' for 'sm_50'\n\
         ptxas info    : Function properties for k\n\
         ptxas         .     8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n\
         ptxas info    : Function properties for helper\n\
         ptxas         .     16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
         ptxas info   : Used 32 registers, 1032 bytes smem, 16 bytes lmem, 8 bytes cmem[2], 348 bytes cmem[0], 1 textures\n",
    );
    let k = record(&log, "k", "sm_50");
    assert_eq!((k.registers, k.barriers, k.shared_bytes, k.local_bytes), (Some(32), None, Some(1032), Some(16)));
    assert_eq!(k.constant_bytes, [(0, 348), (2, 8)]);
    assert_eq!((k.stack_bytes, k.spill_store_bytes, k.spill_load_bytes), (Some(8), Some(4), Some(12)));
    assert_eq!((k.callees[0].mangled.as_str(), k.callees[0].stack_bytes), ("helper", Some(16)));
    assert_eq!((k.demangled.as_str(), log.unrecognised_lines.len()), ("k", 0));
}

#[test]
fn other_programs_and_colours_do_not_disturb() {
    let log = read(
        "[1/3] Building CUDA object a.cu.o\r\n/usr/local/cuda/bin/nvcc -Xptxas -v -c a.cu\r\n\
         a.cu(3): warning #177-D: variable \"x\" was declared but never referenced\r\n\
         \u{1b}[32mptxas info    : Compiling entry function '_Z1kv' for 'sm_90'\u{1b}[0m\r\n\
         make[2]: Leaving directory 'build'\r\n\
         ptxas info    : Function properties for _Z1kv\r\n    0 bytes stack frame,\r\n 0 bytes spill stores, 0 bytes\r\n spill loads\r\n\
         2026-11-01 10:00:00.1: I xla/service.cc:346] ptxas info    : Used 24 registers,\r\n   used 1 barriers\r\n\
         nvlink info    : used 99 registers, 0 stack, 0 bytes smem\r\n",
    );
    let k = record(&log, "_Z1kv", "sm_90");
    assert_eq!((k.registers, k.barriers, k.spill_load_bytes, k.line), (Some(24), Some(1), Some(0), 4));
    assert_eq!((log.warnings.len(), log.unrecognised_lines.len()), (0, 0));
}

const FRAME: &str = "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n";

fn entry(name: &str, arch: &str) -> String {
    format!("ptxas info    : Compiling entry function '{name}' for '{arch}'\n")
}

fn properties(name: &str) -> String {
    format!("ptxas info    : Function properties for {name}\n")
}

fn used(registers: u32) -> String {
    format!("ptxas info    : Used {registers} registers, used 0 barriers\n")
}

#[test]
fn mixed_builds_keep_their_numbers_where_the_owner_is_named() {
    let text = [entry("a", "sm_90"), entry("b", "sm_90"), properties("b"), FRAME.into(), used(20)].concat()
        + &[properties("a"), FRAME.into(), used(10)].concat();
    let log = read(&text);
    assert_eq!(record(&log, "a", "sm_90").registers, Some(10));
    assert_eq!(record(&log, "b", "sm_90").registers, Some(20));
}

#[test]
fn mixed_builds_give_no_number_to_a_wrong_kernel() {
    let start = [entry("a", "sm_90"), entry("b", "sm_90"), properties("b"), properties("a")].concat();
    let log = read(&[start.as_str(), FRAME, FRAME, &used(20), &used(10)].concat());
    for name in ["a", "b"] {
        let record = record(&log, name, "sm_90");
        assert_eq!((record.registers, record.shared_bytes, record.stack_bytes), (None, None, Some(0)));
    }
    assert_eq!(log.unrecognised_lines.len(), 2);
    assert!(log.unrecognised_lines[0].starts_with("line 7: registers of one of several kernels"));

    let both = [entry("a", "sm_80"), entry("a", "sm_90"), properties("a"), FRAME.into(), used(10)].concat()
        + &[properties("a"), FRAME.into(), used(10)].concat();
    let log = read(&both);
    assert_eq!(record(&log, "a", "sm_80").registers, Some(10));
    assert_eq!(record(&log, "a", "sm_90").registers, Some(10));
}

#[test]
fn a_kernel_compiled_again_counts_once_and_a_difference_is_told() {
    let once = |registers| [entry("a", "sm_90"), properties("a"), FRAME.into(), used(registers)].concat();
    let same = read(&(once(10) + &once(10)));
    assert_eq!((same.records.len(), same.warnings.len()), (1, 0));
    let other = read(&(once(10) + &once(12)));
    assert_eq!((other.records.len(), other.records[0].registers, other.warnings.len()), (1, Some(12), 1));
    assert!(other.warnings[0].1.contains("compiled again at line 5"));
}

#[test]
fn a_cut_log_leaves_the_rest_missing() {
    let log = read(&[entry("a", "sm_90"), properties("a")].concat());
    let a = record(&log, "a", "sm_90");
    assert_eq!((a.registers, a.shared_bytes, a.stack_bytes), (None, None, None));
}

#[test]
fn a_log_without_kernels_is_an_error_with_the_cure() {
    for text in ["", "make: nothing to be done\n", "ptxas info    : 0 bytes gmem\n"] {
        match ptxas_log::read(text.as_bytes(), Origin { path: "build.log".into(), ..Origin::default() }) {
            Err(error @ ReadError::Empty { .. }) => {
                let said = error.to_string();
                assert!(said.contains("build.log holds no kernels") && said.contains("-Xptxas -v"), "{said}");
            }
            other => panic!("{text:?} gave {other:?}"),
        }
    }
}

#[test]
fn no_prefix_and_no_flipped_byte_breaks_the_reader() {
    let text = include_bytes!("../fixtures/ptxas/warnings.log");
    let mut bytes = text.to_vec();
    for at in (0..text.len()).step_by(11) {
        let _ = ptxas_log::read(&text[..at], Origin::default());
        bytes[at] ^= 0x11;
        if let Ok(log) = ptxas_log::read(&bytes, Origin::default()) {
            assert!(log.records.len() <= 3);
        }
        bytes[at] = text[at];
    }
}
