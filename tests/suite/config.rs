//! The configuration file: what it gives, and how its mistakes are shown.

use kernel_audit::config::{Code, Config, ConfigErrorKind, Work};
use std::path::{Path, PathBuf};

fn parse(text: &str) -> Config {
    Config::parse(Path::new("somewhere/audit.toml"), text.into()).unwrap()
}

fn fault(text: &str) -> String {
    Config::parse(Path::new("somewhere/audit.toml"), text.into()).unwrap_err().to_string()
}

const WHOLE: &str = r#"
[audit]
out = "pages"
template = "short"

[[subject]]
name = "gemm_bias"
title = "GEMM with bias"
kernel = "^gemm_bias"
baseline_kernel = "^gemm_old"
report = "new.ncu-rep"
baseline = "old.ncu-rep"
ptxas = ["build.log", "more.log"]
commit = "0123abc"
change = "tiled through shared memory"

[subject.work]
shape = "M=2048 N=1024 K=1024"
types = "FP32"
flop = 4294967296
bytes = "4*(2048*1024 + 1024*1024)"

[[subject]]
name = "scan"
report = "scan.ncu-rep"
ptxas = "scan.log"
"#;

#[test]
fn thresholds_have_the_catalogs_names() {
    let subject = "[[subject]]\nname = \"a\"\nreport = \"a.ncu-rep\"\n";
    let config = parse(&format!("[thresholds]\nsol-high = 75\ncause-share = 12.5\n{subject}"));
    assert_eq!(config.thresholds.get(&kernel_audit::catalog::Threshold::SolHigh), Some(&75.0));
    assert_eq!(config.thresholds.get(&kernel_audit::catalog::Threshold::CauseShare), Some(&12.5));
    let met = fault(&format!("[thresholds]\nsol-hihg = 75\n{subject}"));
    assert!(met.contains("sol-hihg") && met.contains("did you mean `sol-high`?"), "{met}");
    assert!(
        fault(&format!("[thresholds]\nsol-high = nan\n{subject}"))
            .contains("expected a number from 0 to 1000 %, found NaN")
    );
}

#[test]
fn every_key_arrives() {
    let config = parse(WHOLE);
    assert_eq!(config.folder, Path::new("somewhere"));
    assert_eq!(config.out, Path::new("somewhere/pages"));
    assert_eq!(config.template, "short");
    let [gemm, scan] = config.subjects.as_slice() else { panic!("two subjects") };
    assert_eq!(gemm.name.as_str(), "gemm_bias");
    assert_eq!(gemm.title.as_deref(), Some("GEMM with bias"));
    assert!(gemm.kernel.as_ref().unwrap().is_match("gemm_bias_v2"));
    assert!(gemm.baseline_kernel.as_ref().unwrap().is_match("gemm_old"));
    assert_eq!(gemm.report.as_deref(), Some(Path::new("somewhere/new.ncu-rep")));
    assert_eq!(gemm.baseline.as_deref(), Some(Path::new("somewhere/old.ncu-rep")));
    assert_eq!(gemm.ptxas, [PathBuf::from("somewhere/build.log"), PathBuf::from("somewhere/more.log")]);
    assert_eq!(gemm.commit.as_deref(), Some("0123abc"));
    assert_eq!(gemm.change.as_deref(), Some("tiled through shared memory"));
    assert_eq!(gemm.work.shape.as_deref(), Some("M=2048 N=1024 K=1024"));
    assert_eq!(gemm.work.types.as_deref(), Some("FP32"));
    assert_eq!(gemm.work.flop.as_ref().unwrap().value(), 4_294_967_296);
    assert_eq!(gemm.work.bytes.as_ref().unwrap().value(), 12_582_912);
    assert_eq!(gemm.work.bytes.as_ref().unwrap().to_string(), "4*(2048*1024 + 1024*1024)");
    assert_eq!(scan.ptxas, [PathBuf::from("somewhere/scan.log")]);
    assert!(scan.kernel.is_none() && scan.baseline.is_none() && scan.work == Work::default());
}

#[test]
fn a_matrix_product_states_its_work_in_three_numbers() {
    let subject = "[[subject]]\nname = \"a\"\nreport = \"a.ncu-rep\"\n[subject.work]\n";
    let config = parse(&format!("{subject}gemm = [2048, 1024, 512]\ntypes = \"BF16\""));
    let work = &config.subjects[0].work;
    assert_eq!(work.shape.as_deref(), Some("M=2048 N=1024 K=512"));
    assert_eq!(
        work.flop.as_ref().map(|flop| (flop.value(), flop.to_string())),
        Some((2_147_483_648, "2*2048*1024*512".into()))
    );
    let named = parse(&format!("{subject}gemm = [2, 3, 4]\nshape = \"small\""));
    assert_eq!(named.subjects[0].work.shape.as_deref(), Some("small"));
    for twice in ["gemm = [2, 3, 4]\nflop = 48", "gemm = [2, 0, 4]"] {
        let met = fault(&format!("{subject}{twice}"));
        assert!(met.contains("no `flop` beside them") && met.contains("audit.toml:5:8"), "{met}");
    }
    let met = fault(&format!("{subject}gemm = [4294967296, 4294967296, 4294967296]"));
    assert!(met.contains("too many operations"), "{met}");
}

#[test]
fn what_is_not_said_has_a_default() {
    let config = parse("[[subject]]\nname = \"a\"\nreport = \"a.ncu-rep\"\n");
    assert_eq!((config.out.as_path(), config.template.as_str()), (Path::new("somewhere/audits"), "audit"));
    assert_eq!(config.templates, None);
}

#[test]
fn an_unknown_key_is_pointed_at() {
    let message = fault("[[subject]]\nname = \"a\"\nreport = \"a.ncu-rep\"\nbase_line = \"b\"\n");
    // The list of known keys grows with the product; where it points and what it advises does not change.
    let (known, place) = message.split_once('\n').unwrap();
    assert!(known.starts_with("unknown field `base_line`, expected one of `name`, `title`, `kernel`"), "{known}");
    insta::assert_snapshot!(place, @r#"
     --> somewhere/audit.toml:4:1
      |
    4 | base_line = "b"
      | ^^^^^^^^^
      |
    help: did you mean `baseline`?
    "#);
}

#[test]
fn a_bad_regular_expression_is_pointed_at() {
    insta::assert_snapshot!(fault("[[subject]]\nname = \"a\"\nkernel = \"gemm(\"\nreport = \"a\"\n"), @r#"
    this is not a regular expression
     --> somewhere/audit.toml:3:10
      |
    3 | kernel = "gemm("
      |          ^^^^^^^ unclosed group
    "#);
}

#[test]
fn a_bad_amount_is_pointed_at_to_the_character() {
    insta::assert_snapshot!(
        fault("[[subject]]\nname = \"a\"\nreport = \"a\"\n[subject.work]\nflop = \"2*M*N\"\n"), @r#"
    this is not an amount of work
     --> somewhere/audit.toml:5:11
      |
    5 | flop = "2*M*N"
      |           ^ expected a whole number or `(`, found `M`
      |
    help: whole numbers with +, *, / and parentheses, such as "2*2048*1024*1024"
    "#);
}

#[test]
fn two_subjects_of_one_name_are_refused() {
    insta::assert_snapshot!(
        fault("[[subject]]\nname = \"a\"\nreport = \"a\"\n[[subject]]\nname = \"a\"\nreport = \"b\"\n"), @r#"
    two subjects are called "a"
     --> somewhere/audit.toml:5:8
      |
    5 | name = "a"
      |        ^^^ used before
      |
    help: give each subject its own name
    "#);
}

#[test]
fn other_mistakes_say_what_was_expected() {
    let subject = |keys: &str| format!("[[subject]]\nname = \"a\"\nreport = \"a\"\n{keys}\n");
    for (text, says) in [
        (String::new(), "somewhere/audit.toml names no [[subject]]"),
        (
            "[[subject]]\nname = \"a\"\n".into(),
            "a subject needs evidence: `report`, `source`, `cubin`, `run` or `evidence`",
        ),
        (subject("source = \"a.cu\""), "a source needs an architecture"),
        (subject("cubin = \"a\"\nsource = \"b\"\narch = \"sm_90\""), "a subject has a source or a cubin, not both"),
        (
            subject("arch = \"sm_90\"\nbaseline_cubin = \"a\"\nbaseline_source = \"b\""),
            "a baseline has a source or a cubin, not both",
        ),
        (subject("source = \"b\"\narch = \"sm_90\"\nflags = [\"-arch=sm_80\"]"), "this flag is set by audit itself"),
        (subject("launch.block = [64, 32]"), "expected 1 to 1024 threads"),
        (subject("[[subject.shared]]\nname = \"x\"\nat = 0\nbytes = 0"), "expected bytes and `align` above 0"),
        (subject("[[subject.shared]]\nname = \"x\"\nat = 0\nbytes = \"8*M\""), "this is not an amount of work"),
        (subject("[[subject.check]]\nname = \"x\""), "the check \"x\" names no instruction"),
        (subject("[[subject.check]]\nsass = \"STG\"\ncount = \"about 3\""), "expected `= N`"),
        (subject("[[subject.check]]\nsass = \"STG\"\nforbid = true\ncount = 3"), "already says how many"),
        (subject("[[subject.check]]\nsequence = [\"STG\"]"), "a sequence has at least two steps"),
        (subject("[[subject.check]]\nsass = \"STG\"\nin = \"loop\""), "expected `function`, `hottest-loop`"),
        ("[[subject]]\nname = \"A b\"\nreport = \"a\"\n".into(), "found \"A b\"; a-b would do"),
        (subject("title = 3"), "invalid type: integer `3`, expected a string"),
        (subject("expect = [\"a > 3\"]"), "expected a table such as `{ metric = "),
        (subject("ptxas = 3"), "expected a path or a list of paths"),
        (subject("ptxas = [\"a\", 3]"), "found integer"),
        (subject("work.flop = -1"), "cannot be negative"),
        (subject("work.flop = 1.5"), "expected a whole number or an expression"),
        (subject("title = \"x"), "somewhere/audit.toml:4"),
        (subject("[audit]\ntemplates = \"none\""), "expected a folder: somewhere/none does not exist"),
        (subject("[audti]\nout = \"none\""), "did you mean `audit`?"),
    ] {
        let error = fault(&text);
        assert!(error.contains(says), "{text}\n{error}");
    }
}

#[test]
fn subjects_are_chosen_by_name_and_their_files_must_exist() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.toml");
    std::fs::write(&path, WHOLE.replace("short", "audit")).unwrap();
    std::fs::write(folder.path().join("scan.ncu-rep"), "").unwrap();
    std::fs::write(folder.path().join("scan.log"), "").unwrap();
    let config = Config::read(&path).unwrap();
    let chosen = config.select(&["scan".into(), "scan".into()]).unwrap();
    assert_eq!(chosen.iter().map(|subject| subject.name.as_str()).collect::<Vec<_>>(), ["scan"]);

    let missing = config.select(&[]).unwrap_err();
    assert_eq!(missing.kind, ConfigErrorKind::MissingFile);
    let text = missing.to_string();
    assert!(text.contains("new.ncu-rep does not exist") && text.contains("audit.toml:11:10"), "{text}");

    let absent = config.select(&["scna".into()]).unwrap_err();
    assert_eq!(absent.kind, ConfigErrorKind::Absent);
    assert!(absent.to_string().contains("did you mean \"scan\"? Subjects: gemm_bias, scan"), "{absent}");

    let unreadable = Config::read(&folder.path().join("none.toml")).unwrap_err();
    assert_eq!(unreadable.kind, ConfigErrorKind::Unreadable);
    assert!(unreadable.to_string().contains("--config"), "{unreadable}");
}

#[test]
fn variants_are_builds_of_one_source() {
    let text = r#"
[[subject]]
name = "gemm"
source = "gemm.cu"
arch = "sm_100a"
flags = ["-O3"]
[[subject.variant]]
name = "N = 128"
flags = ["-DTILE_N=128"]
[[subject.variant]]
name = "N = 256"
flags = ["-DTILE_N=256"]
dynamic_shared = "5*1024"
"#;
    let parsed = |text: &str| Config::parse(Path::new("audit.toml"), text.into());
    let subject = parsed(text).unwrap().subjects.remove(0);
    let Some(Code::Source { flags, .. }) = &subject.code else { panic!() };
    // The subject's own code is the first of them.
    assert_eq!(flags, &["-O3", "-DTILE_N=128"]);
    let [first, second] = &subject.variants[..] else { panic!() };
    assert_eq!((&first.flags, first.dynamic_shared), (flags, None));
    assert_eq!((second.name.as_str(), second.dynamic_shared), ("N = 256", Some(5120)));
    assert_eq!(second.flags, ["-O3", "-DTILE_N=256"]);
    for (part, by, says) in [
        ("N = 256", "N = 128", "a name that no other variant has"),
        ("-DTILE_N=256", "-arch=sm_90", "set by audit itself"),
        (r#"source = "gemm.cu""#, r#"cubin = "gemm.cubin""#, "variants are builds of a source"),
    ] {
        let error = parsed(&text.replace(part, by)).unwrap_err().to_string();
        assert!(error.contains(says), "{by}: {error}");
    }
    let alone = &text[..text.rfind("[[subject.variant]]").unwrap()];
    assert!(parsed(alone).unwrap_err().to_string().contains("is the only variant"));
}

#[test]
fn a_key_that_belongs_into_another_table_is_told_where() {
    let text = "[[subject]]\nname = \"k\"\nreport = \"r\"\ninputs = [\"a.cu\"]\n";
    let said = fault(text);
    assert!(said.contains("`inputs` is a key of [subject.collect]"), "{said}");
    let said = fault(&text.replace("inputs = [\"a.cu\"]", "sourc = \"a.cu\""));
    assert!(said.contains("did you mean `source`?"), "{said}");
}

#[test]
fn a_file_of_more_than_a_megabyte_is_none() {
    let of = |bytes: usize| format!("{WHOLE}#{}", "x".repeat(bytes - WHOLE.len() - 1));
    parse(&of(1 << 20));
    assert!(fault(&of((1 << 20) + 1)).contains("somewhere/audit.toml has more than 1048576 bytes"));
}

#[test]
fn the_keys_of_the_guide_are_known() {
    let guide = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/keys.md")).unwrap();
    let blocks: Vec<&str> = guide.split("```toml\n").skip(1).filter_map(|block| block.split("```").next()).collect();
    assert!(blocks.len() > 5, "{blocks:?}");
    for block in blocks {
        // A list of all that there is may not be one subject.
        let subject =
            if block.contains("[[subject]]") { "" } else { "[[subject]]\nname = \"a\"\nreport = \"a.ncu-rep\"\n" };
        let met = Config::parse(Path::new("audit.toml"), format!("{subject}{block}")).err().map(|met| met.to_string());
        let met = met.unwrap_or_default();
        assert!(
            !["unknown field", "unknown variant", "TOML", "invalid type"].iter().any(|what| met.contains(what)),
            "{met}"
        );
    }
}
