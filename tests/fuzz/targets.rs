//! The readers, each with whole files to begin with.

use crate::change::Random;
use crate::target::{Scratch, Target};
use crate::{elf as cubins, made, made_report, parts};
use kernel_audit::analysis::{self, Evidence, Limits, Reduction, Work};
use kernel_audit::config::Config;
use kernel_audit::evidence::{Collected, Origin, SanitizerTool};
use kernel_audit::render::{Templates, terminal};
use kernel_audit::snapshot::Snapshot;
use kernel_audit::source::ncu_report::NcuReport;
use kernel_audit::source::{self, Want, cubin as elf, ncu_csv as page, ptx as ptx_text, ptxas_log as log, sass};
use kernel_audit::view::{self, Entry, Heading};
use std::fs;
use std::path::Path;
use std::sync::{LazyLock, OnceLock};

/// A file of `tests/fixtures`, a listing or a page unpacked where it lies there as `.zst`.
fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    match fs::read(format!("{}.zst", path.display())) {
        Ok(packed) => zstd::decode_all(packed.as_slice()).unwrap(),
        Err(_) => fs::read(path).unwrap(),
    }
}

fn fixtures(names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|name| fixture(name)).collect()
}

fn unpacked(name: &str) -> Vec<u8> {
    zstd::decode_all(fixture(name).as_slice()).unwrap()
}

/// Counters by instruction, and the cubins, of reports that are damaged.
pub(crate) fn source_view() -> Target {
    let file = Scratch::new("x.ncu-rep");
    Target {
        name: "source_view",
        seeds: vec![unpacked("h200/badmetric_dropped.ncu-repz")],
        words: &["NVR\0", "\u{a}\u{2}", "inst_executed", "\u{1a}\0", "\x7fELF"],
        made: Some(made_report::report),
        runs: 60,
        run: Box::new(move |input| {
            let path = file.put(input);
            if let Ok(report) = NcuReport::open(path, true) {
                for bytes in report.sources().unwrap_or_default().into_iter().filter_map(|source| source.cubin) {
                    let _ = elf::read(&bytes, Origin::default());
                }
            }
            let _ = source::read_source_views(path, &Want { allow_damage: true, ..Want::default() }, |_| true, &[]);
        }),
    }
}

const RAW: [&str; 16] = [
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Kernel Name",
    "Context",
    "Stream",
    "Block Size",
    "Grid Size",
    "Device",
    "CC",
    "gpu__time_duration.sum",
    "gpc__cycles_elapsed.max",
    "launch__registers_per_thread",
    "launch__block_size",
    "smsp__inst_executed.sum",
];

pub(crate) fn ncu_csv() -> Target {
    Target {
        name: "ncu_csv",
        seeds: fixtures(&["h200/truth/badmetric_dropped.raw.csv", "h200/truth/badmetric_dropped.details.csv"]),
        words: &[
            "\"",
            ",",
            "\n",
            "\"\"",
            "inf",
            "nan",
            "1,234",
            "byte/second",
            "Kbyte",
            "%",
            "==PROF==",
            "\u{feff}",
            "\u{1b}[2J",
        ],
        made: Some(|random| made::csv(random, &RAW)),
        runs: 150,
        run: Box::new(|input| {
            page::looks_like(input);
            let _ = page::read(input, Origin::default(), &Want::everything());
        }),
    }
}

pub(crate) fn ptxas_log() -> Target {
    Target {
        name: "ptxas_log",
        seeds: fixtures(&[
            "ptxas/warnings.log",
            "cubin/old80.ptxas.txt",
            "cubin/attributes.ptxas.txt",
            "h200/devset.ptxas.txt",
        ]),
        words: &[
            "ptxas info    : ",
            "Compiling entry function '",
            "' for 'sm_90a'\n",
            "Function properties for ",
            "Used ",
            " registers",
            ", used 1 barriers",
            " bytes smem",
            " bytes stack frame, ",
            "\n",
            "S_IS0_S0_E",
            "_Z1f1AIiE",
            "\u{1b}[31m",
            "\r",
        ],
        made: None,
        runs: 200,
        run: Box::new(|input| {
            log::looks_like(input);
            let _ = log::read(input, Origin::default());
        }),
    }
}

pub(crate) fn sass_text() -> Target {
    let short = |name: &str| fixture(name)[..6000.min(fixture(name).len())].to_vec();
    Target {
        name: "sass_text",
        seeds: vec![short("cubin/attributes.lines.sass"), short("cubin/old80.lines.sass"), short("h200/devset.sass")],
        words: &[
            "/*0000*/",
            "\t.text._Z1k",
            "BRA `(.L_x_1)",
            ".L_x_1:",
            "//## File \"a.cu\", line 4",
            " inlined at ",
            ";",
            "/* 0x",
            "@!P0",
            "\n",
        ],
        made: None,
        runs: 80,
        run: Box::new(|input| {
            let _ = sass::read(input, Origin::default(), "");
        }),
    }
}

fn cubin_files() -> Vec<Vec<u8>> {
    let packed = ["atomics", "tiny_grid"].map(|name| unpacked(&format!("collected/{name}/build.cubin.zst")));
    packed.into_iter().chain([fixture("cubin/roads.cubin")]).collect()
}

pub(crate) fn cubin() -> Target {
    Target {
        name: "cubin",
        seeds: cubin_files(),
        words: &["\x7fELF", ".text._Z1k", ".nv.info", ".debug_line", ".rela.debug_line", "\0\0\0\0", "\u{4}\u{1b}"],
        made: Some(|random| {
            static WHOLES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(cubin_files);
            let at = random.below(WHOLES.len());
            cubins::changed(random, &WHOLES[at])
        }),
        runs: 80,
        run: Box::new(|input| {
            let _ = elf::read(input, Origin::default());
            let _ = elf::line_table(input, "x.cubin");
            let _ = elf::code_ranges(input, "x.cubin");
        }),
    }
}

pub(crate) fn ptx() -> Target {
    Target {
        name: "ptx",
        seeds: vec![
            fixture("ptxas/warnings.ptx"),
            b".version 8.0\n.target sm_90\n.visible .entry _Z1kPf(.param .u64 a)\n{ ret; }\n".to_vec(),
        ],
        words: &[".entry ", ".visible", "(", ")", "{", "}", "//", "/*", ".target sm_90", ".version 8.0", "\n"],
        made: None,
        runs: 200,
        run: Box::new(|input| {
            ptx_text::looks_like(input);
            ptx_text::entries(&String::from_utf8_lossy(input));
        }),
    }
}

pub(crate) fn sanitizer_xml() -> Target {
    let file = Scratch::new("x.xml");
    Target {
        name: "sanitizer_xml",
        seeds: fixtures(&["h200/logs/sanitizer_racecheck_racy.xml", "h200/logs/sanitizer_memcheck_v2.xml"]),
        words: &[
            "<record>",
            "</record>",
            "<what>",
            "<where>",
            "<line>",
            "<hazards>",
            "&amp;",
            "&#0;",
            "<![CDATA[",
            "]]>",
            "<!DOCTYPE x [<!ENTITY a \"b\">]>",
            "&a;",
        ],
        made: None,
        runs: 150,
        run: Box::new(move |input| {
            let _ = source::read_sanitizer(file.put(input), SanitizerTool::Racecheck);
        }),
    }
}

const TRACE: [&str; 21] = [
    "Start (ns)",
    "Duration (ns)",
    "CorrId",
    "GrdX",
    "GrdY",
    "GrdZ",
    "BlkX",
    "BlkY",
    "BlkZ",
    "Reg/Trd",
    "StcSMem (MB)",
    "DymSMem (MB)",
    "Bytes (MB)",
    "Throughput (MB/s)",
    "SrcMemKd",
    "DstMemKd",
    "Device",
    "Ctx",
    "GreenCtx",
    "Strm",
    "Name",
];

pub(crate) fn nsys_csv() -> Target {
    let file = Scratch::new("x.csv");
    let sums = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n90.0,\"1,800,000\",3,600000.0,600000.0,500000,700000,100000.0,\"void ns::gemm<float, (int)4>(const float *)\"\n";
    let trace = format!(
        "{}\n1000000,400000,100,,,,,,,,,,8.389,20972.5,Pageable,Device,NVIDIA H200 (0),1,,7,[CUDA memcpy Host-to-Device]\n1400000,700000,101,64,64,1,256,1,1,64,0.0,0.0,,,,,NVIDIA H200 (0),1,,7,gemm\n",
        TRACE.join(",")
    );
    Target {
        name: "nsys_csv",
        seeds: vec![sums.into(), trace.clone().into_bytes(), format!("{sums}\n ** x:\n\n{trace}").into_bytes()],
        words: &["\"", ",", "\n", "Processing [x]", "[CUDA memset]", "1e308", "-1", "NaN", "Start (ns)"],
        made: Some(|random| made::csv(random, &TRACE)),
        runs: 150,
        run: Box::new(move |input| {
            if let Ok(timeline) = source::read_timeline(&[file.put(input).to_owned()]) {
                analysis::judge_timeline(&timeline, &Limits::default());
            }
        }),
    }
}

pub(crate) fn launched_json() -> Target {
    Target {
        name: "launched_json",
        seeds: fixtures(&[
            "launched/bank_conflict.benchmark.json",
            "launched/bank_conflict.correctness.json",
            "collected/tiny_grid/collected.json",
        ]),
        words: &["null", "[", "]", "{", "}", "\"", "-1", "1e999", "true", "[[[[[[[[", "{\"a\":", "\\ud800"],
        made: None,
        runs: 200,
        run: Box::new(|input| {
            let path = Path::new("x.json");
            let _ = source::benchmark(input, path);
            let _ = source::correctness(input, path);
            let _ = Collected::from_json(input);
        }),
    }
}

/// The snapshot of a labelled kernel, as a run writes it.
fn snapshot(report: &Path) -> Vec<u8> {
    let (work, limits) = (Work::default(), Limits::default());
    let read = source::read_profile(report, &analysis::want()).unwrap();
    let views = source::read_source_views(report, &analysis::want(), |_| true, &[]).unwrap_or_default();
    let with = Reduction { source: &views, work: &work, limits: &limits };
    let profile = analysis::Profile::chosen(&read, None, &with).unwrap().swap_remove(0);
    let evidence = Evidence::of(profile).made_public();
    let audit = analysis::audit(&evidence, &limits);
    let heading = Heading { subject: "x".into(), date: "2026-01-01".into(), ..Heading::default() };
    Snapshot::new(heading, evidence, &audit).to_json().unwrap()
}

fn small_snapshot() -> Vec<u8> {
    let file = Scratch::new("x.ncu-rep");
    let mut random = Random::new(7);
    loop {
        let report = made_report::report(&mut random);
        let path = file.put(&report);
        if source::read_profile(path, &analysis::want()).is_ok_and(|report| !report.launches.is_empty()) {
            return snapshot(path);
        }
    }
}

/// A snapshot of which some parts are others.
fn changed_snapshot(random: &mut Random) -> Vec<u8> {
    static WHOLE: OnceLock<serde_json::Value> = OnceLock::new();
    let whole = WHOLE.get_or_init(|| serde_json::from_slice(&small_snapshot()).unwrap());
    made::json(random, whole)
}

/// Makes the stated hash right, so that a change is not found by it.
fn rehashed(input: &[u8]) -> Vec<u8> {
    use sha2::Digest as _;
    let raw: Option<std::collections::BTreeMap<String, Box<serde_json::value::RawValue>>> =
        serde_json::from_slice(input).ok();
    let Some(raw) = raw else { return input.to_vec() };
    let part = |name: &str| raw.get(name).map(|part| part.get()).unwrap_or("null");
    let names = ["heading", "milestone", "limits", "evidence"].into_iter();
    let mut hasher = sha2::Sha256::new();
    for name in names.clone() {
        let compact =
            serde_json::from_str::<serde_json::Value>(part(name)).map(|_| part(name).to_owned()).unwrap_or_default();
        hasher.update(format!("{compact}\n"));
    }
    let hash: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let parts: String = names.map(|name| format!(",\"{name}\":{}", part(name))).collect();
    format!("{{\"schema\":{},\"sha256\":\"{hash}\"{parts}}}", part("schema")).into_bytes()
}

const JSON: &[&str] =
    &["null", "0", "-1", "1e300", "1e-300", "\"\"", "[]", "{}", ",", "true", "\"NaN\"", "18446744073709551615"];

pub(crate) fn snapshot_json() -> Target {
    Target {
        name: "snapshot_json",
        seeds: vec![small_snapshot()],
        words: JSON,
        made: Some(changed_snapshot),
        runs: 40,
        run: Box::new(|input| {
            let _ = Snapshot::parse(Path::new("x.json"), input);
            let _ = Snapshot::parse(Path::new("x.json"), &rehashed(input));
        }),
    }
}

pub(crate) fn audit_toml() -> Target {
    Target {
        name: "audit_toml",
        seeds: vec![
            b"[audit]\nout = \"pages\"\n[[subject]]\nname = \"a\"\nreport = \"a.ncu-rep\"\n[subject.work]\nflop = \"2*3\"\n".to_vec(),
            fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("audit.toml")).unwrap()[..4000].to_vec(),
        ],
        words: &["[[subject]]\n", "name = ", "\u{d7}", "\u{1f600}", "\"", "[", "]", "=", "flop = \"(((((((\"", "\n", "#", "'''", "metric = \"opcode.X\"", "args = [", "0x", "1_0"],
        made: Some(|random| {
            static WHOLE: LazyLock<serde_json::Value> = LazyLock::new(|| {
                let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/audit.toml");
                serde_json::to_value(fs::read_to_string(file).unwrap().parse::<toml::Table>().unwrap()).unwrap()
            });
            made::toml(random, &WHOLE)
        }),
        runs: 150,
        run: Box::new(|input| {
            if let Err(error) = Config::parse(Path::new("audit.toml"), String::from_utf8_lossy(input).into_owned()) {
                drop((error.styled(), error.to_string()));
            }
        }),
    }
}

pub(crate) fn template() -> Target {
    let folder = tempfile::tempdir().unwrap();
    let heading = Heading { subject: "x".into(), date: "2026-01-01".into(), ..Heading::default() };
    let read = Snapshot::parse(Path::new("x.json"), &small_snapshot()).unwrap();
    let document = view::document(&heading, &read.audit());
    let built_in =
        |name: &str| fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("report-templates").join(name)).unwrap();
    Target {
        name: "template",
        seeds: vec![
            built_in("audit.md.hbs"),
            built_in("pr.md.hbs"),
            b"# {{title}}\n{{> partials/x}}{{section \"stalls\"}}\n".to_vec(),
        ],
        words: &[
            "{{",
            "}}",
            "{{#if title}}",
            "{{/if}}",
            "{{#each sections}}",
            "{{/each}}",
            "{{> partials/x}}",
            "{{section \"stalls\"}}",
            "{{block \"stalls.issue\"}}",
            "{{{",
            "}}}",
            "(eq title ",
            ")",
            "{{!--",
            "--}}",
            "```",
            "<b>",
            "../",
            "@root",
            "{{#*inline \"x\"}}",
        ],
        made: Some(made::template),
        runs: 60,
        run: Box::new(move |input| {
            fs::create_dir_all(folder.path().join("partials")).unwrap();
            fs::write(folder.path().join("audit.md.hbs"), input).unwrap();
            fs::write(folder.path().join("partials/x.md.hbs"), &input[..input.len() / 2]).unwrap();
            if let Ok(templates) = Templates::load(Some(folder.path())) {
                let _ = templates.page("audit", &document);
            }
        }),
    }
}

/// Everything that is made of some evidence.
fn pages(evidence: Evidence, templates: &Templates) {
    let limits = Limits::default();
    let evidence = evidence.made_public();
    let audit = analysis::audit(&evidence, &limits);
    let heading = Heading { subject: "x".into(), date: "2026-01-01".into(), ..Heading::default() };
    let document = view::document(&heading, &audit);
    for template in ["full", "audit"] {
        templates.page(template, &document).unwrap_or_else(|error| panic!("{error}"));
    }
    terminal::print(&document, 80, &mut std::io::sink()).unwrap();
    let entry = Entry { heading: &heading, audit: Some(&audit), page: "x.md".into(), link: String::new() };
    view::comment(&[entry], None, |document| templates.page(view::COMMENT, document))
        .unwrap_or_else(|error| panic!("{error}"));
    let written = Snapshot::new(heading, evidence, &audit).to_json().unwrap();
    Snapshot::parse(Path::new("x.json"), &written).unwrap_or_else(|error| panic!("{error}"));
}

/// The pages of a report, with its second kernel as the old side of the first.
fn report_pages(path: &Path, templates: &Templates) {
    let want = Want { allow_damage: true, ..analysis::want() };
    let Ok(report) = source::read_profile(path, &want) else { return };
    let (work, limits) = (Work::default(), Limits::default());
    let views = source::read_source_views(path, &want, |_| true, &[]).unwrap_or_default();
    let with = Reduction { source: &views, work: &work, limits: &limits };
    let Ok(mut chosen) = analysis::Profile::chosen(&report, None, &with) else { return };
    let new = Evidence::of(chosen.remove(0));
    let old = chosen.pop().map(Evidence::of).map(|evidence| evidence.new.as_old());
    pages(Evidence { old, ..new }, templates);
}

pub(crate) fn page_of_a_report() -> Target {
    let file = Scratch::new("x.ncu-rep");
    let templates = Templates::load(None).unwrap();
    Target {
        name: "page_of_a_report",
        seeds: Vec::new(),
        words: &[],
        made: Some(made_report::report),
        runs: 12,
        run: Box::new(move |input| report_pages(file.put(input), &templates)),
    }
}

/// Reports with every section of `--set basic`, with source, machine code and series, and of a range.
pub(crate) fn page_of_report_parts() -> Target {
    static WHOLES: LazyLock<[Vec<u8>; 3]> = LazyLock::new(|| {
        ["h200/both_basic.ncu-repz", "labelled/stream_triad.ncu-repz", "h200/range.ncu-repz"].map(unpacked)
    });
    let file = Scratch::new("x.ncu-rep");
    let templates = Templates::load(None).unwrap();
    Target {
        name: "page_of_report_parts",
        seeds: Vec::new(),
        words: &[],
        made: Some(|random| {
            let at = random.below(WHOLES.len());
            parts::changed(random, &WHOLES[at])
        }),
        runs: 12,
        run: Box::new(move |input| report_pages(file.put(input), &templates)),
    }
}

pub(crate) fn page_of_a_snapshot() -> Target {
    let templates = Templates::load(None).unwrap();
    Target {
        name: "page_of_a_snapshot",
        seeds: vec![small_snapshot()],
        words: JSON,
        made: Some(changed_snapshot),
        runs: 20,
        run: Box::new(move |input| {
            if let Ok(read) = Snapshot::parse(Path::new("x.json"), &rehashed(input)) {
                pages(read.evidence, &templates);
            }
        }),
    }
}

/// A committed audit with its instructions, of which parts and columns are others.
pub(crate) fn page_of_snapshot_parts() -> Target {
    static WHOLE: LazyLock<serde_json::Value> = LazyLock::new(|| {
        let report = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/labelled/stream_triad.ncu-repz");
        serde_json::from_slice(&snapshot(&report)).unwrap()
    });
    let templates = Templates::load(None).unwrap();
    Target {
        name: "page_of_snapshot_parts",
        seeds: Vec::new(),
        words: &[],
        made: Some(|random| {
            let mut whole = WHOLE.clone();
            made::columns(random, &mut whole);
            if random.one_in(3) { whole.to_string().into_bytes() } else { made::json(random, &whole) }
        }),
        runs: 12,
        run: Box::new(move |input| {
            if let Ok(read) = Snapshot::parse(Path::new("x.json"), &rehashed(input)) {
                pages(read.evidence, &templates);
            }
        }),
    }
}
