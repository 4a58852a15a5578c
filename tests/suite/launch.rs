//! Launching: what audit.toml says of it, and what is said where there is no GPU.

use crate::committed;
use crate::project::audit;
use audit_launch::{Argument, BlockScale, BlockScales, DType, Reference, Role, Swizzle, Values};
use kernel_audit::config::{Code, Config, Subject};
use std::fs;
use std::path::Path;

const WHOLE: &str = r#"
[[subject]]
name = "gemm"
cubin = "gemm.cubin"

[subject.launch]
grid = [6, "928256/128"]
block = [32, 8]
cluster = 2
dynamic_shared = 49152
args = [
  { name = "out", role = "out", dtype = "bf16", shape = [256, 128] },
  { name = "a", dtype = "e4m3", shape = ["2*128", 64], uniform = [-2, 2] },
  { name = "b", dtype = "e4m3", shape = [128, 64], normal = [0, 0.5], seed = 9, map = { box = [64, 64], swizzle = 64 } },
  { name = "bias", dtype = "bf16", shape = 128 },
  { name = "bins", role = "inout", dtype = "u32", shape = 4, fill = 0 },
  { name = "shift", dtype = "i32", value = -3 },
  { name = "scale", dtype = "f32", value = 0.5 },
]

[subject.correctness]
source = "simple.cu"
args = ["a", "b", "out"]
tolerance = 0.01

[subject.reference]
cublaslt = { a = "a", b = "b", transpose_b = true, bias = "bias", out = "out" }
note = "no counters"
"#;

fn subject(text: &str) -> Subject {
    Config::parse(Path::new("audit.toml"), text.into()).unwrap().subjects.remove(0)
}

/// The error of the whole file with one part replaced.
fn fault(part: &str, by: &str) -> String {
    assert!(WHOLE.contains(part), "{part}");
    Config::parse(Path::new("audit.toml"), WHOLE.replace(part, by)).unwrap_err().to_string()
}

#[test]
fn a_launch_is_read_with_its_arguments() {
    let subject = subject(WHOLE);
    let plan = subject.plan.unwrap();
    assert_eq!((plan.grid, plan.block, plan.cluster), ([6, 7252, 1], [32, 8, 1], Some([2, 1, 1])));
    assert_eq!((plan.dynamic_shared, plan.block, plan.arguments.len()), (49152, [32, 8, 1], 7));
    let a = plan.buffer(1).unwrap();
    assert_eq!(
        (a.dtype, &a.shape[..], a.values, a.role),
        (DType::E4m3, &[256, 64][..], Values::Uniform(-2.0, 2.0), Role::In)
    );
    let b = plan.buffer(2).unwrap();
    assert_eq!((b.seed, b.values, b.map.as_ref().unwrap().swizzle), (9, Values::Normal(0.0, 0.5), Swizzle::Bytes64));
    assert_eq!(b.map.as_ref().unwrap().shape, [128, 64]);
    assert_eq!(plan.buffer(3).unwrap().values, Values::Uniform(-1.0, 1.0));
    assert_eq!(plan.buffer(4).unwrap().values, Values::Fill(0.0));
    let (Argument::Scalar(shift), Argument::Scalar(scale)) = (&plan.arguments[5], &plan.arguments[6]) else { panic!() };
    assert_eq!((shift.bits, scale.bits), (0xffff_fffd, u64::from(0.5f32.to_bits())));
    assert_eq!(plan.arguments[5].describe(), "shift: i32 -3");
    assert_eq!(plan.arguments[1].describe(), "a: e4m3 [256, 64], in, uniform in [-2, 2)");

    let check = subject.outputs.unwrap();
    assert_eq!((check.tolerance, check.worst, &check.seeds[..]), (0.01, 0.1, &[1, 2][..]));
    let Reference::Kernel(kernel) = check.reference else { panic!() };
    assert_eq!((kernel.arguments, kernel.grid, kernel.maps), (vec![1, 2, 0], [6, 7252, 1], false));
    let Reference::Gemm(gemm) = subject.reference.unwrap().reference else { panic!() };
    assert_eq!((gemm.m, gemm.n, gemm.k, gemm.bias), (256, 128, 64, Some(3)));
}

#[test]
fn a_product_may_have_buffers_of_its_own_and_be_a_batch() {
    let text = WHOLE.replace(
        r#"cublaslt = { a = "a", b = "b", transpose_b = true, bias = "bias", out = "out" }"#,
        r#"cublaslt = { a = "rows", b = "dense", transpose_b = true, out = "sums" }
buffers = [
  { name = "rows", dtype = "bf16", shape = [8, 256, 64] },
  { name = "dense", dtype = "bf16", shape = [8, 128, 64], uniform = [0, 1] },
  { name = "sums", role = "out", dtype = "bf16", shape = [8, 256, 128] },
]"#,
    );
    let subject = subject(&text);
    let reference = subject.reference.unwrap().reference;
    let Reference::Gemm(gemm) = &reference else { panic!() };
    assert_eq!((gemm.batch, gemm.m, gemm.n, gemm.k), (8, 256, 128, 64));
    assert_eq!((reference.flop(), reference.is_one_launch()), (Some(2 * 8 * 256 * 128 * 64), true));
    // Behind the seven arguments of the launch.
    assert_eq!((gemm.a, gemm.b, gemm.out), (7, 8, 9));
    let extended = reference.extended(&subject.plan.unwrap());
    assert_eq!(extended.buffer(8).unwrap().values, Values::Uniform(0.0, 1.0));
    let uneven = text.replace("shape = [8, 128, 64]", "shape = [4, 128, 64]");
    let error = Config::parse(Path::new("audit.toml"), uneven).unwrap_err().to_string();
    assert!(error.contains("of [8, 4, 8] products"), "{error}");
    let twice = text.replace(r#"name = "rows", dtype"#, r#"name = "bias", dtype"#);
    let error = Config::parse(Path::new("audit.toml"), twice).unwrap_err().to_string();
    assert!(error.contains("two buffers are called"), "{error}");
}

#[test]
fn a_product_may_be_one_for_each_group_of_rows() {
    let text = WHOLE.replace(
        r#"cublaslt = { a = "a", b = "b", transpose_b = true, bias = "bias", out = "out" }"#,
        r#"cublaslt = { a = "rows", b = "dense", transpose_b = true, out = "sums", groups = "first" }
buffers = [
  { name = "rows", dtype = "bf16", shape = [1024, 64] },
  { name = "dense", dtype = "bf16", shape = [8, 128, 64] },
  { name = "sums", role = "out", dtype = "bf16", shape = [1024, 128] },
  { name = "first", dtype = "u32", shape = 9, offsets = [1, 128] },
]"#,
    );
    let reference = subject(&text).reference.unwrap().reference;
    let Reference::Gemm(gemm) = &reference else { panic!() };
    assert_eq!((gemm.batch, gemm.m, gemm.n, gemm.k, gemm.groups), (8, 1024, 128, 64, Some(10)));
    // How many rows they have is not known before the launch, and no one of their kernels stands for all.
    assert_eq!((reference.flop(), reference.is_one_launch()), (None, false));
    for (part, by, says) in [
        ("groups = \"first\"", "groups = \"frist\"", "did you mean \"first\"?"),
        ("groups = \"first\"", "groups = \"rows\"", "groups are told by a buffer of offsets"),
        ("shape = [8, 128, 64]", "shape = [128, 64]", "1 groups have 2 offsets"),
        ("shape = [1024, 64]", "shape = [8, 1024, 64]", "of [8, 8, 1] products"),
        ("shape = 9, offsets", "shape = 8, offsets", "8 groups have 9 offsets"),
        ("offsets = [1, 128]", "offsets = [1, 129]", "8 groups of up to 129 rows do not fit into 1024"),
        ("transpose_b = true", "transpose_a = true, transpose_b = true", "does not give"),
    ] {
        assert!(text.contains(part), "{part}");
        let error = Config::parse(Path::new("audit.toml"), text.replace(part, by)).unwrap_err().to_string();
        assert!(error.contains(says), "{by}: {error}");
    }
    let turned = text
        .replace("shape = [1024, 64]", "shape = [64, 1024]")
        .replace("transpose_b", "transpose_a = true, transpose_b");
    let error = Config::parse(Path::new("audit.toml"), turned).unwrap_err().to_string();
    assert!(error.contains("groups are of rows of `a`"), "{error}");
}

#[test]
fn a_reference_kernel_may_have_buffers_of_its_own() {
    let text = WHOLE.replace(
        r#"cublaslt = { a = "a", b = "b", transpose_b = true, bias = "bias", out = "out" }"#,
        r#"source = "copy.cu"
grid = 64
block = 256
args = ["to", "from", "shift"]
buffers = [
  { name = "to", role = "out", dtype = "u32", shape = 65536 },
  { name = "from", dtype = "u32", shape = 65536 },
]"#,
    );
    let subject = subject(&text);
    let reference = subject.reference.unwrap().reference;
    let plan = subject.plan.unwrap();
    let kernel = reference.kernel().expect("a kernel");
    assert_eq!((&kernel.arguments[..], reference.extended(&plan).arguments.len()), (&[7, 8, 5][..], 9));
    let given: Vec<(String, u32)> = kernel.given(&plan).into_iter().map(|given| (given.what, given.bytes)).collect();
    assert_eq!(given, [("to, pointer".into(), 8), ("from, pointer".into(), 8), ("shift, i32".into(), 4)]);
    let lost = text.replace(r#""from", "shift"]"#, r#""form", "shift"]"#);
    let error = Config::parse(Path::new("audit.toml"), lost).unwrap_err().to_string();
    assert!(error.contains("did you mean \"from\"?"), "{error}");
}

#[test]
fn a_product_may_have_scales_of_blocks() {
    // 8192 rows of 1024 values: a scale for 16 of them, 524,288 of each operand.
    let text = WHOLE.replace(
        r#"cublaslt = { a = "a", b = "b", transpose_b = true, bias = "bias", out = "out" }"#,
        r#"cublaslt = { a = "x", b = "w", a_scale = "xs", b_scale = "ws", transpose_b = true, out = "sums" }
buffers = [
  { name = "x", dtype = "e2m1", shape = [8192, 1024] },
  { name = "w", dtype = "e2m1", shape = [200, 1024] },
  { name = "xs", dtype = "ue4m3", shape = [2048, 256], uniform = [0.0625, 1] },
  { name = "ws", dtype = "ue4m3", shape = [64, 256], uniform = [0.0625, 1] },
  { name = "sums", role = "out", dtype = "f16", shape = [8192, 200] },
]"#,
    );
    let Reference::Gemm(gemm) = subject(&text).reference.unwrap().reference else { panic!() };
    // Rows are filled up to 256 for the second.
    assert_eq!(gemm.scales, Some(BlockScales { kind: BlockScale::Vec16Ue4m3, a: 9, b: 10 }));
    assert_eq!([8192, 200].map(|rows| BlockScale::Vec16Ue4m3.elements(rows, 1024)), [524_288, 16_384]);
    assert_eq!(BlockScale::of([DType::E4m3, DType::E5m2], [DType::E8m0; 2]), Some(BlockScale::Vec32Ue8m0));
    for (part, by, says) in [
        (", b_scale = \"ws\"", "", "only one operand has scales"),
        ("shape = [64, 256]", "shape = [50, 256]", "expected 16384 scales"),
        ("dtype = \"ue4m3\", shape = [64", "dtype = \"e8m0\", shape = [64", "no product of these types"),
        ("b_scale = \"ws\"", "b_scale = \"wd\"", "did you mean"),
        ("shape = [200, 1024]", "shape = [1024, 200]", "does not give"),
    ] {
        assert!(text.contains(part), "{part}");
        let error = Config::parse(Path::new("audit.toml"), text.replace(part, by)).unwrap_err().to_string();
        assert!(error.contains(says), "{by}: {error}");
    }
    let turned = text
        .replace("shape = [200, 1024]", "shape = [1024, 200]")
        .replace("transpose_b = true, out = \"sums\"", "out = \"sums\"");
    let error = Config::parse(Path::new("audit.toml"), turned).unwrap_err().to_string();
    assert!(error.contains("rows of `a` and rows of `b`"), "{error}");
    // What a device without such tensor cores is told, before the library is asked.
    let refused = |capability: &str| BlockScale::Vec32Ue8m0.check(capability).map_err(|error| error.to_string());
    assert_eq!((refused("10.0"), refused("12.1")), (Ok(()), Ok(())));
    let said = refused("9.0").unwrap_err();
    assert!(
        said.contains("VEC32_UE8M0") && said.contains("this device has 9.0") && said.contains("`buffers`"),
        "{said}"
    );
}

#[test]
fn a_kernel_may_go_on_with_a_product() {
    let then =
        "note = \"no counters\"\nthen = { source = \"add.cu\", grid = 64, block = 128, args = [\"out\", \"scale\"] }";
    let text = WHOLE.replace("note = \"no counters\"", then);
    let reference = subject(&text).reference.unwrap().reference;
    let Reference::Gemm(gemm) = &reference else { panic!() };
    let kernel = gemm.then.as_ref().expect("a kernel");
    assert_eq!((&kernel.arguments[..], kernel.grid, kernel.block), (&[0, 6][..], [64, 1, 1], [128, 1, 1]));
    assert_eq!(reference.kernel(), Some(kernel));
    for (part, by, says) in [
        ("args = [\"out\", \"scale\"]", "args = [\"out\", \"scal\"]", "did you mean \"scale\"?"),
        ("then = { source = \"add.cu\", ", "then = { ", "missing field `source`"),
        ("args = [\"out\", \"scale\"] }", "args = [\"out\"], seeds = [1] }", "unknown field `seeds`"),
    ] {
        assert!(text.contains(part), "{part}");
        let error = Config::parse(Path::new("audit.toml"), text.replace(part, by)).unwrap_err().to_string();
        assert!(error.contains(says), "{by}: {error}");
    }
    let beside = fault("args = [\"a\", \"b\", \"out\"]", "then = { source = \"add.cu\" }");
    assert!(beside.contains("`then` goes on with `cublaslt`"), "{beside}");
}

#[test]
fn packed_types_scales_and_offsets_are_read() {
    let args = r#"  { name = "codes", dtype = "e2m1", shape = [64, 128], map = { box = [16, 128], swizzle = 64 } },
  { name = "scales", dtype = "e8m0", shape = [64, 4], powers = [-9, -3] },
  { name = "fine", dtype = "ue4m3", shape = [64, 8] },
  { name = "first", dtype = "u32", shape = 9, offsets = [0, 128] },
"#;
    let text = WHOLE.replace("  { name = \"shift\"", &format!("{args}  {{ name = \"shift\""));
    let plan = subject(&text).plan.unwrap();
    assert_eq!(plan.buffer(5).unwrap().bytes(), 64 * 64);
    let described: Vec<String> = plan.arguments[6..9].iter().map(Argument::describe).collect();
    assert_eq!(
        described,
        [
            "scales: e8m0 [64, 4], in, powers of two from 2^-9 to 2^-3",
            "fine: ue4m3 [64, 8], in, powers of two from 2^-4 to 2^4",
            "first: u32 [9], in, offsets of groups of 0 to 128",
        ]
    );
    for (part, by, says) in [
        ("shape = [64, 128], map", "shape = [64, 127], map", "share a byte"),
        ("box = [16, 128]", "box = [16, 127]", "share a byte"),
        ("powers = [-9, -3]", "uniform = [-1, 1]", "no negative numbers"),
        ("powers = [-9, -3]", "powers = [3, 3]", "the first exponent below the last"),
        ("offsets = [0, 128]", "offsets = [9, 9]", "the least below the most"),
        (r#"dtype = "u32", shape = 9"#, r#"dtype = "u8", shape = 9"#, "integers of 32 or 64 bits"),
    ] {
        assert!(text.contains(part), "{part}");
        let error = Config::parse(Path::new("audit.toml"), text.replace(part, by)).unwrap_err().to_string();
        assert!(error.contains(says), "{by}: {error}");
    }
}

#[test]
fn mistakes_point_at_the_line() {
    for (part, by, says) in [
        ("\"e4m3\", shape = [\"2*128\"", "\"e4m4\", shape = [\"2*128\"", "did you mean \"e4m3\"?"),
        ("uniform = [-2, 2]", "uniform = [2, -2]", "expected [low, high] with low below high"),
        ("uniform = [-2, 2]", "fill = 1.0", "an input is never one value throughout"),
        ("uniform = [-2, 2]", "uniform = [-2, 2], normal = [0, 1]", "expected one of `uniform`"),
        ("value = -3", "value = 3000000000", "3000000000 does not fit i32: it holds -2147483648 to 2147483647"),
        ("value = -3", "value = -3, shape = 3", "an argument has a value or a shape, not both"),
        ("box = [64, 64]", "box = [64]", "expected 2 sides from 1 to 256"),
        (
            "box = [64, 64]",
            "shape = [64, 64], box = [64, 64]",
            "a map of [64, 64] does not have the elements of [128, 64]",
        ),
        ("box = [64, 64]", "shape = [16, 8, 64], box = [64, 64]", "expected 3 sides from 1 to 256"),
        ("swizzle = 64", "swizzle = 48", "expected 0, 32, 64 or 128 bytes"),
        ("grid = [6, \"928256/128\"]", "", "a launch with arguments needs `grid`"),
        ("grid = [6, \"928256/128\"]", "grid = [1, 2, 3, 4]", "expected one to three numbers"),
        ("name = \"a\", dtype", "name = \"out\", dtype", "two arguments are called \"out\""),
        ("role = \"inout\"", "role = \"both\"", "expected \"in\", \"out\" or \"inout\", found \"both\""),
        ("transpose_b = true", "transpose_b = false", "[256, 64] × [128, 64] does not give [256, 128]"),
        ("bias = \"bias\"", "bias = \"bais\"", "did you mean \"bias\"?"),
        ("source = \"simple.cu\"", "", "this names no reference"),
        ("tolerance = 0.01", "tolerance = -1.0", "expected a number from 0"),
        ("tolerance = 0.01", "seeds = []", "expected at least one seed"),
        ("tolerance = 0.01", "tolerence = 0.01", "did you mean `tolerance`?"),
        ("tolerance = 0.01", "note = \"none\"", "`note` is a key of [subject.reference]"),
        ("note = \"no counters\"", "seeds = [1]", "`seeds` is a key of [subject.correctness]"),
        ("note = \"no counters\"", "worst = 0.1", "write it under [subject.correctness]"),
    ] {
        let text = fault(part, by);
        assert!(text.contains(says), "{by}: expected {says:?} in\n{text}");
        assert!(text.contains("--> audit.toml:") && text.contains('^'), "{by}: no place in\n{text}");
    }
}

#[test]
fn a_reference_without_arguments_of_the_subject_is_refused() {
    let text = "[[subject]]\nname = \"a\"\ncubin = \"a.cubin\"\n[subject.correctness]\nsource = \"b.cu\"\n";
    let error = Config::parse(Path::new("audit.toml"), text.into()).unwrap_err().to_string();
    assert!(error.contains("a reference needs the subject's arguments"), "{error}");
}

#[test]
fn every_kernel_of_this_repository_says_how_it_is_launched_and_checked() {
    let configs: Vec<Config> =
        committed::projects().map(|project| Config::read(&project.join("audit.toml")).unwrap()).collect();
    let subjects = configs.iter().flat_map(|config| &config.subjects);
    let with_source: Vec<&Subject> = subjects.filter(|subject| subject.code.is_some()).collect();
    assert!(with_source.len() >= 80);
    // A kernel that was collected on another chip as well is stated once.
    let is_stated = |subject: &Subject| {
        let of = |one: &Subject| {
            let Some(Code::Source { path, flags, .. }) = &one.code else { return None };
            let kernel = one.kernel.as_ref().map(|kernel| kernel.as_str().to_owned());
            Some((path.file_name()?.to_owned(), flags.clone(), kernel))
        };
        let others = with_source.iter().filter(|other| other.plan.is_some() && of(other) == of(subject));
        subject.plan.is_none() && subject.collect.evidence.is_some() && others.count() > 0
    };
    for subject in with_source.iter().filter(|subject| !is_stated(subject)) {
        let name = subject.name.as_str();
        let plan = subject.plan.as_ref().unwrap_or_else(|| panic!("{name} has no arguments"));
        assert_eq!(Some(plan.block.iter().product()), subject.launch.threads, "{name}");
        assert!(subject.outputs.is_some(), "{name} has no reference");
        assert!((0..plan.arguments.len()).any(|at| plan.buffer(at).is_some_and(|b| b.role != Role::In)), "{name}");
    }
}

/// A folder whose one subject is a kernel in PTX, with these arguments.
fn folder(arguments: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "[[subject]]\nname = \"one\"\ncubin = \"one.ptx\"\n[subject.launch]\ngrid = 1\nblock = 32\nargs = [{arguments}]\n"
    );
    fs::write(folder.path().join("audit.toml"), text).unwrap();
    fs::write(folder.path().join("one.ptx"), ".version 9.0\n.target sm_90\n.visible .entry scale(\n)\n{ ret; }\n")
        .unwrap();
    folder
}

/// Runs `audit launch one` where no driver can be found, with further words.
fn launch(folder: &Path, words: &[&str]) -> (i32, String) {
    let output = audit(folder).args(["launch", "one"]).args(words).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn what_is_not_stated_is_named_before_a_driver_is_looked_for() {
    let folder = folder("{ name = \"x\", dtype = \"f32\", shape = 32 }");
    let (status, text) = launch(folder.path(), &["--check"]);
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("does not say what its outputs are checked against"), "{text}");
    let (status, text) = launch(folder.path(), &["--reference-only"]);
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("does not say what it is timed beside"), "{text}");
    fs::write(folder.path().join("audit.toml"), "[[subject]]\nname = \"one\"\ncubin = \"one.ptx\"\n").unwrap();
    let (status, text) = launch(folder.path(), &[]);
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("does not say how it is launched"), "{text}");
}

#[test]
fn arguments_that_do_not_fit_the_cubin_are_refused_without_a_driver() {
    let folder = folder("{ name = \"x\", dtype = \"f32\", shape = 32 }, { name = \"n\", dtype = \"u64\", value = 3 }");
    let cubin = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cubin/roads.cubin");
    let (status, text) = launch(folder.path(), &["--cubin", cubin.to_str().unwrap()]);
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("<- differs"), "{text}");
}

/// Whether the dynamic linker of this machine knows a driver.
fn has_driver() -> bool {
    Path::new("/proc/driver/nvidia/version").exists()
}

#[test]
fn a_machine_without_a_driver_says_so() {
    let folder = folder("{ name = \"x\", dtype = \"f32\", shape = 32 }");
    let (status, text) = launch(folder.path(), &[]);
    if has_driver() {
        assert!(!text.contains("there is no NVIDIA driver here"), "{text}");
    } else {
        assert_eq!(status, 4, "{text}");
        assert!(text.contains("there is no NVIDIA driver here"), "{text}");
    }
}
