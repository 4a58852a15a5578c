//! What machine code shows before it runs: a kernel as it was built, and with one thing of it changed.

use crate::truth;
use kernel_audit::analysis::code::{CodeInputs, LaunchShape, code_facts};
use kernel_audit::analysis::{Evidence, Limits, Side, audit};
use kernel_audit::source::{CodeParts, Neutral, read_code};
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

const CUBIN: &[u8] = include_bytes!("../fixtures/h200/devset.sm_90a.cubin");
static SASS: LazyLock<String> = LazyLock::new(|| truth::unpacked_text("h200/devset.sass"));
const LOG: &str = include_str!("../fixtures/h200/devset.ptxas.txt");

fn said(code: &str, sass: &str, log: &str, dynamic: u64) -> Option<String> {
    of("gemm_bias_v1", code, sass, log, dynamic)
}

/// What is said of a build of a kernel under a code, of blocks of 256 threads with so many bytes of dynamic shared memory.
fn of(kernel: &str, code: &str, sass: &str, log: &str, dynamic: u64) -> Option<String> {
    let parts = CodeParts {
        input: "k.cu",
        cubin: CUBIN,
        log: Some(log.as_bytes()),
        sass: sass.as_bytes(),
        ..CodeParts::default()
    };
    let build = read_code(&parts, &Neutral::new(Path::new("."), None)).expect("a build");
    let inputs = CodeInputs {
        build: &build,
        variant: "",
        old: None,
        kernel: Some(&Regex::new(kernel).expect("an expression")),
        old_kernel: None,
        launched: None,
        shape: LaunchShape {
            threads: Some(256),
            along_x: Some(16),
            dynamic_shared: Some(dynamic),
            ..LaunchShape::default()
        },
        checks: &[],
        shared: &[],
    };
    let new = Side { code: vec![code_facts(&inputs).expect("facts")], ..Side::default() };
    let audit = audit(&Evidence { new, ..Evidence::default() }, &Limits::default());
    let found = audit.code[0].findings.iter().find(|finding| finding.code.to_string() == code);
    found.map(|finding| finding.sentence.to_plain())
}

/// The listing with the first multiply-adds of the kernel replaced.
fn with(instructions: &[&str]) -> String {
    let (head, kernel) = SASS.split_at(SASS.find("_Z12gemm_bias_v1").expect("the kernel"));
    let mut kernel = kernel.to_owned();
    for instruction in instructions {
        let start = kernel.find("FFMA").expect("a multiply-add");
        let end = start + kernel[start..].find(" ;").expect("its end");
        kernel.replace_range(start..end, instruction);
    }
    format!("{head}{kernel}")
}

#[test]
fn build_differs() {
    assert_eq!(said("build-differs", &SASS, LOG, 0), None);
    let other = LOG.replace("Used 32 registers", "Used 40 registers");
    let words = said("build-differs", &SASS, &other, 0).expect("another build");
    assert!(words.contains("disagree on registers per thread"), "{words}");
}

#[test]
fn older_tensor_path() {
    let old = said("older-tensor-path", &with(&["HMMA.16816.F32 R4, R8, R12, R4"; 2]), LOG, 0).expect("mma");
    assert!(old.starts_with("2 warp-level tensor instructions and no wgmma"), "{old}");
    let both = ["HMMA.16816.F32 R4, R8, R12, R4", "HGMMA.64x128x16.F32.BF16 R24, gdesc[UR12], R24"];
    assert_eq!([with(&[]), with(&both)].map(|sass| said("older-tensor-path", &sass, LOG, 0)), [None, None]);
}

/// 64 rows and 32 columns of 32 bytes are 16 + 8 wavefronts of 128 bytes, and 32 / 2 cycles of the pipe; with 64 columns both are 32.
#[test]
fn narrow_products() {
    let of = |columns: u32| {
        let product = format!("HGMMA.64x{columns}x16.F32.BF16 R24, gdesc[UR12], R24");
        said("narrow-products", &with(&[&product]), LOG, 0)
    };
    let words = of(32).expect("a narrow one");
    assert!(words.contains("takes 24 cycles and multiplying 16, so the tensor pipe reaches 67 %"), "{words}");
    assert_eq!(of(64), None);
}

/// A block has at most the 228 KiB of an SM without the 1 KiB that the system takes.
#[test]
fn does_not_fit() {
    let most = 227 * 1024;
    let words = said("does-not-fit", &SASS, LOG, most + 1).expect("too much");
    assert_eq!(words, "A block of 256 threads does not fit on an SM, by shared memory.");
    assert_eq!(said("does-not-fit", &SASS, LOG, most), None);
    assert!(said("occupancy-limit", &SASS, LOG, most).is_some_and(|words| words.contains("1 block of 256 threads")));
}

#[test]
fn narrow_access() {
    let words = said("narrow-access", &SASS, LOG, 0).expect("floats one by one");
    assert!(words.contains("in the hottest loop, none wider than 32 bits"), "{words}");
    assert_eq!(said("narrow-access", &SASS.replace("LDG.E.CONSTANT", "LDG.E.128.CONSTANT"), LOG, 0), None);
}

/// Two blocks of 100 KiB leave a scheduler 4 warps, which are too few for its loads; without that there are 16.
#[test]
fn load_latency() {
    let of = |dynamic| of("gemm_bias_v2", "load-latency", &SASS, LOG, dynamic);
    let words = of(100 * 1024).expect("too few warps");
    assert!(
        words.contains("of the 281 that global memory, from L2 takes") && words.ends_with("there is room for 4."),
        "{words}"
    );
    assert_eq!(of(0), None);
}
