//! Input that is damaged or meant to harm: it ends in an answer or an error, soon and in little memory, and no part of it
//! acts.

use crate::made_report::{KERNEL, MadeReport, block, double, kernel, metric, nested, number, strings};
use crate::project::{Profile, Project, audit};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Memory that a run may take, in KiB, and its time.
const MEMORY: u32 = 600 << 10;
const TIME: Duration = Duration::from_secs(20);

/// Runs the program with bounded memory; gives its status and what it said. A run that was ended by a signal, or panicked,
/// fails the test.
fn bounded(folder: &Path, words: &[&str]) -> (i32, String) {
    let begun = Instant::now();
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v $0; exec \"$@\"", &MEMORY.to_string(), env!("CARGO_BIN_EXE_audit")]).args(words);
    let ended = shell.current_dir(folder).env("NO_COLOR", "1").output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout) + String::from_utf8_lossy(&ended.stderr);
    let status = ended.status.code().unwrap_or_else(|| panic!("{}: {said}", ended.status));
    assert!(status < 100, "{status}: {said}");
    assert!(begun.elapsed() < TIME, "{words:?} took {:?}", begun.elapsed());
    (status, said.into_owned())
}

/// A report of one kernel with metrics of these values.
fn report_of(values: &[(&str, f64)], more: &[Vec<u8>]) -> MadeReport {
    let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    let metrics = (0..).zip(values).map(|(at, (_, value))| metric(13, at, &[nested(2, double(*value))]));
    let fields: Vec<Vec<u8>> = metrics.chain(more.iter().cloned()).collect();
    MadeReport::with(&[block(&[strings(&names)], &[KERNEL], &[kernel(&fields)])])
}

#[test]
fn a_slip_of_more_than_one_byte_is_shown_at_its_place() {
    for slip in ["2*4096×4096", "×", "2—3", "4ä", "2*\u{1f600}"] {
        let project = Project::new();
        let config =
            format!("[[subject]]\nname = \"scale\"\nreport = \"new.csv\"\n[subject.work]\nflop = \"{slip}\"\n");
        fs::write(project.path("audit.toml"), config).unwrap();
        for verb in ["lint", "generate", "check", "history scale"] {
            project.run(verb).ends(2, "this is not an amount of work");
        }
    }
}

#[test]
fn no_value_of_a_report_sizes_what_is_drawn() {
    let sane: [(&str, f64); 12] = [
        ("gpu__time_duration.sum", 1e5),
        ("launch__block_size", 128.0),
        ("launch__registers_per_thread", 32.0),
        ("launch__shared_mem_per_block_allocated", 1024.0),
        ("device__attribute_max_shared_memory_per_multiprocessor", 233_472.0),
        ("launch__occupancy_limit_registers", 16.0),
        ("launch__occupancy_limit_shared_mem", 100.0),
        ("launch__occupancy_limit_warps", 16.0),
        ("launch__occupancy_limit_blocks", 32.0),
        ("derived__lts__lts2xbar_bytes.sum.per_second", 1e12),
        ("derived__l1tex__lsu_writeback_bytes_mem_lgds.sum.peak_sustained", 128.0),
        ("launch__waves_per_multiprocessor", 1.0),
    ];
    for value in [1e-300, 5e-324, 134_217_728.0, 1e18, f64::INFINITY, f64::NAN, -1.0, f64::MAX] {
        for at in 0..sane.len() {
            let mut values = sane;
            values[at].1 = value;
            if values[at].0.contains("occupancy_limit") {
                // The smallest of them counts.
                values.iter_mut().filter(|(name, _)| name.contains("occupancy_limit")).for_each(|one| one.1 = value);
            }
            let report = report_of(&values, &[]);
            let out = tempfile::tempdir().unwrap();
            let (path, folder) = (report.path().display().to_string(), out.path().display().to_string());
            let (status, said) = bounded(out.path(), &["generate", "--report", &path, "--out", &folder, "--name", "x"]);
            assert_eq!(status, 0, "{} = {value}: {said}", sane[at].0);
        }
    }
}

#[test]
fn a_table_of_a_rule_is_no_larger_than_what_it_holds() {
    let text = |field: u32, text: &str| nested(field, text);
    let columns = |wide: usize, tall: usize| -> Vec<u8> {
        let tall: Vec<u8> = (0..tall).flat_map(|_| nested(4, "x")).collect();
        let mut columns = nested(2, [text(1, "c"), tall].concat());
        (1..wide).for_each(|_| columns.extend(nested(2, text(1, "c"))));
        columns
    };
    let rule = |wide: usize, tall: usize| {
        let item = [nested(1, text(1, "said")), nested(12, columns(wide, tall))].concat();
        nested(19, [text(1, "Rule"), text(2, "Rule"), nested(3, nested(1, item))].concat())
    };
    let of = |wide, tall| report_of(&[("gpu__time_duration.sum", 1e5)], &[rule(wide, tall)]);
    let path = |report: &MadeReport| report.path().display().to_string();
    let fields = of(3, 3);
    let (status, said) = bounded(Path::new("."), &["dump", "evidence", &path(&fields)]);
    assert!(status == 0 && said.contains("[\"x\",\"\",\"\"]"), "the table is one that the reader knows: {said}");
    let huge = of(30_000, 30_000);
    let (status, said) = bounded(Path::new("."), &["show", &path(&huge)]);
    assert!(status == 3 && said.contains("30000 columns of up to 30000 cells"), "{said}");
    assert_eq!(bounded(Path::new("."), &["show", "--allow-damage", &path(&huge)]).0, 0);
}

#[test]
fn thousands_of_kernels_take_no_more_than_their_number() {
    let project = Project::new();
    let one = |name| Profile { kernel: name, ..Profile::steady(1000.0) };
    project.report("many.csv", &(0..1_500).map(|at| one(format!("k{at}").leak())).collect::<Vec<_>>());
    project.report("one.csv", &[one("k7"), one("other")]);
    let (status, said) = bounded(project.0.path(), &["compare", "many.csv", "one.csv"]);
    assert!(status == 0 && said.contains("SAME"), "{status}");
    let words = ["compare", "one.csv", "one.csv", "many.csv", "--kernel", "^k7"];
    assert_eq!(bounded(project.0.path(), &words).0, 0);
    // Nor does what says that a filter takes nothing.
    let (status, said) = bounded(project.0.path(), &["generate", "--report", "many.csv", "--kernel", "nothing"]);
    assert!(status == 2 && said.contains("k19, and 1480 more"), "{said}");
}

#[test]
fn ten_thousand_subjects_of_one_program_are_one_list() {
    let folder = tempfile::tempdir().unwrap();
    let subject = |at: u32| format!("[[subject]]\nname = \"s{at}\"\nkernel = \"k{at}\"\nrun = [\"./a\"]\n");
    fs::write(folder.path().join("audit.toml"), (0..10_000).map(subject).collect::<String>()).unwrap();
    let (status, said) = bounded(folder.path(), &["lint"]);
    assert!(status == 0 && said.contains("10,000 subjects"), "{status}: {said}");
}

#[test]
fn a_million_damaged_places_are_counted_and_not_listed() {
    let broken: Vec<Vec<u8>> = (0..400_000).map(|_| nested(13, "")).collect();
    let report = report_of(&[("gpu__time_duration.sum", 1e5)], &broken);
    let path = report.path().display().to_string();
    let (status, said) = bounded(Path::new("."), &["show", &path]);
    assert!(status == 3 && said.contains("expected a metric with a name"), "{said}");
    let (status, said) = bounded(Path::new("."), &["dump", "evidence", "--allow-damage", &path]);
    assert!(status == 0 && said.contains("the last of 399900 more places"), "{}", said.len());
}

#[test]
fn a_string_table_of_nothing_but_names_is_refused() {
    let names: Vec<u8> = (0..5_000_000).flat_map(|_| [0x0a, 0]).collect();
    let made = MadeReport::with(&[block(&[nested(4, names)], &[KERNEL], &[kernel(&[number(1, 1)])])]);
    let (status, said) = bounded(Path::new("."), &["show", &made.path().display().to_string()]);
    assert!(status == 3 && said.contains("a block header of at most"), "{said}");
}

#[test]
fn a_symbol_that_doubles_with_every_letter_stays_a_symbol() {
    let parameters: String = "0123456789ABCDEFGHIJKLMNOPQRST".chars().map(|id| format!("S_IS{id}_S{id}_E")).collect();
    let symbol = format!("_Z1f1AIiE{parameters}");
    let log = format!(
        "ptxas info    : Compiling entry function '{symbol}' for 'sm_90a'\nptxas info    : Function properties for {symbol}\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas info    : Used 8 registers\n"
    );
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("build.log"), log).unwrap();
    let report = report_of(&[("gpu__time_duration.sum", 1e5)], &[]);
    let path = report.path().display().to_string();
    let words = ["generate", "--report", &path, "--ptxas", "build.log", "--name", "x", "--out", "o"];
    assert_eq!(bounded(folder.path(), &words).0, 0);
}

#[test]
fn files_without_an_end_are_refused() {
    for words in
        [["show", "/dev/zero"], ["timeline", "/dev/zero"], ["render", "/dev/zero"], ["lint", "--config=/dev/zero"]]
    {
        let (status, said) = bounded(Path::new("."), &words);
        assert!(status == 3 && said.contains("a pipe or a device"), "{words:?}: {said}");
    }
}

/// A log that was cut where a line had not ended says nothing of shared memory, which it has not come to.
#[test]
fn a_cut_build_log_is_not_zero_bytes() {
    let whole =
        fs::read_to_string(format!("{}/tests/fixtures/h200/devset.ptxas.txt", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let report = format!("{}/tests/fixtures/h200/gemm_bias_v2.ncu-repz", env!("CARGO_MANIFEST_DIR"));
    let entry = whole.find("'_Z12gemm_bias_v2").unwrap();
    let used = entry + whole[entry..].find("Used ").unwrap();
    let end = used + whole[used..].find('\n').unwrap();
    let static_memory = |log: &str| {
        let project = Project::new();
        fs::write(project.path("build.log"), log).unwrap();
        let words = [
            "generate",
            "--report",
            &report,
            "--ptxas",
            "build.log",
            "--name",
            "x",
            "--date",
            "2026-01-01",
            "--template",
            "full",
        ];
        project.words(&words).done();
        let page = project.read("audits/2026-01-01-x.md");
        let head = page.lines().position(|line| line.starts_with("| Kernel") && line.contains("Shared (B)"));
        let row = head.and_then(|head| page.lines().skip(head + 2).find(|line| line.contains("gemm_bias_v2")));
        row.and_then(|row| row.split('|').nth(7)).unwrap_or_default().trim().to_owned()
    };
    let right = static_memory(&whole);
    assert_eq!(right, "8,448");
    for cut in (used..end).step_by(5) {
        let said = static_memory(&whole[..cut]);
        assert_eq!(said, "not printed", "{}", &whole[used..cut]);
    }
    let joined = format!("{}, 84{}", &whole[..used + "Used 31 registers".len()], &whole[end..]);
    assert_eq!(static_memory(&joined), "not printed", "the line of another program behind half a line");
}

/// What acts on a terminal, in a log, or in a line that is read from right to left.
fn acts(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

const EVIL: &str =
    "evil\u{1b}]0;PWNED\u{7}\u{1b}[31mRED\u{1b}[2J\u{9b}2J\u{202e}kernel\r\n::stop-commands::x\n##[group]y";

#[test]
fn no_text_of_a_file_acts_on_a_terminal_or_in_a_log() {
    let project = Project::new();
    let kernel: &'static str = Box::leak(EVIL.replace('"', "").into_boxed_str());
    project.report("new.csv", &[Profile { kernel, gpu: kernel, ..Profile::default() }]);
    project.report("old.csv", &[Profile { kernel, ..Profile::default() }]);
    let config = format!(
        "[audit]\nout = \"pages\"\n[[subject]]\nname = \"scale\"\nreport = \"new.csv\"\nbaseline = \"old.csv\"\ntitle = {0:?}\ncommit = {0:?}\nchange = {0:?}\n[[subject.expect]]\nmetric = \"gpu__time_duration.sum\"\nop = \"<\"\nvalue = 1\nlabel = {0:?}\n",
        "x\n::stop-commands::dead\u{202e}\n::notice title=all good::nothing\n##[error]x"
    );
    fs::write(project.path("audit.toml"), config.replace("\\u{202e}", "\\u202e")).unwrap();
    let evil_file = format!("no{}such", EVIL.replace('/', ""));
    let runs: [&[&str]; 17] = [
        &["generate", "--date", "2026-01-01"],
        &["generate", "--date", "2026-01-02"],
        &["generate", "--format", "html", "--date", "2026-01-03"],
        &["generate", "--format", "pr", "--date", "2026-01-03"],
        &["generate", "--report", "new.csv", "--kernel", "nothing"],
        &["generate", "--report", &evil_file],
        &["show", "new.csv"],
        &["show", &evil_file],
        &["compare", "old.csv", "new.csv"],
        &["check"],
        &["check", "--github"],
        &["check", "--fresh", "--github", "--date", "2026-01-03"],
        &["history", "scale"],
        &["history", "scale", "--format", "csv"],
        &["dump", "evidence", "new.csv"],
        &["dump", "analysis", "new.csv"],
        &["lint", "--config", &evil_file],
    ];
    let own = regex::Regex::new("\u{1b}\\[(0|1|22|31|32|33|91|94|96|1;9[0-9]|9[0-9])?m").unwrap();
    for words in runs {
        // Forced colours pass everything that this program does not stop itself.
        let ended =
            audit(project.0.path()).args(words).env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1").output().unwrap();
        let said = String::from_utf8(ended.stdout).unwrap() + &String::from_utf8(ended.stderr).unwrap();
        let plain = own.replace_all(&said, "");
        assert!(!plain.contains(acts), "{words:?}: {:?}", plain.chars().find(|c| acts(*c)));
        for line in plain.lines().map(str::trim_start) {
            let is_own = words.contains(&"--github")
                && line.matches("::").count() >= 2
                && line.starts_with("::")
                && line.contains("title=audit%3A scale");
            assert!(is_own || !line.starts_with("::"), "{words:?}: {line}");
            let is_file = matches!(words[0], "generate" | "history" | "dump");
            assert!(is_file || is_own || !line.contains("##["), "{words:?}: {line}");
        }
        assert!(!said.is_empty(), "{words:?}");
    }
    for file in fs::read_dir(project.path("pages")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() && path.extension().is_some_and(|extension| extension == "md" || extension == "html") {
            let page = fs::read_to_string(&path).unwrap();
            assert!(!page.contains(acts), "{}", path.display());
        }
    }
}

#[test]
fn a_cell_is_no_formula() {
    let project = Project::new();
    let config = "[audit]\nout = \"pages\"\n[[subject]]\nname = \"scale\"\nreport = \"new.csv\"\ncommit = \"=1+2\"\nchange = \"@SUM(A1)\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    let text = project.run("history scale --format csv").done();
    assert!(text.contains(",'=1+2,'@SUM(A1),"), "{text}");
}

#[test]
fn partials_that_include_each_other_are_named() {
    let project = Project::new();
    project.report("new.csv", &[Profile::default()]);
    let put = |name: &str, text: &str| {
        let path = project.path("looks").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("audit.md.hbs", "# {{title}}\n\n{{> partials/list}}\n");
    put("partials/list.md.hbs", "{{> partials/text}}\n");
    put("partials/text.md.hbs", "{{#if title}}{{> partials/list}}{{/if}}\n");
    for verb in ["lint --templates looks", "generate --templates looks"] {
        project.run(verb).ends(2, "partials/list → partials/text → partials/list");
    }
    put("partials/text.md.hbs", "text\n");
    assert!(project.run("generate --templates looks --template audit").done().contains("scale.md"));
    put("partials/0.md.hbs", "x");
    (1..31).for_each(|at| {
        put(&format!("partials/{at}.md.hbs"), &format!("{{{{> partials/{0}}}}}{{{{> partials/{0}}}}}", at - 1))
    });
    put("partials/text.md.hbs", "{{> partials/30}}");
    for verb in ["lint --templates looks", "generate --templates looks"] {
        project.run(verb).ends(2, "are printed");
    }
    put("audit.md.hbs", &("{{#if title}}".repeat(20_000) + &"{{/if}}".repeat(20_000)));
    for verb in ["lint --templates looks", "generate --templates looks"] {
        project.run(verb).ends(2, "blocks in one another");
    }
}

#[test]
fn names_and_dates_are_such_that_files_are_found_again() {
    let project = Project::new();
    project.report("new.csv", &[Profile::default()]);
    for words in [
        &["generate", "--date=-2026-01-01"][..],
        &["generate", "--date=+261817-01-01"],
        &["check", "../evil"],
        &["check", "--", "-x"],
    ] {
        project.words(words).ends(2, "");
    }
    let far = audit(project.0.path()).arg("generate").env("SOURCE_DATE_EPOCH", "8200000000000").output().unwrap();
    assert_eq!(far.status.code(), Some(2));
    for name in ["--help", "-x", "", "a/b"] {
        project.words(&["generate", "--report", "new.csv", &format!("--name={name}")]).ends(2, "");
    }
}

#[test]
fn an_open_fence_does_not_double_the_page() {
    let project = Project::new();
    let page = project.audit("2026-01-01", Profile::steady(100_000.0));
    for open in ["~~~\n", "````\n", "text\n\n```rust\ncode\n"] {
        let edited = format!("{open}{page}");
        fs::write(project.path("pages/2026-01-01-scale.md"), &edited).unwrap();
        project.run("generate --date 2026-01-01").ends(5, "help: ");
        assert_eq!(project.raw("pages/2026-01-01-scale.md"), edited);
    }
    // The same text once more, as an example, with its end.
    let example = format!("```\n<!-- audit:begin x 0 -->\nx\n<!-- audit:end x -->\n```\n\n{page}");
    fs::write(project.path("pages/2026-01-01-scale.md"), &example).unwrap();
    project.run("generate --date 2026-01-01").done();
    assert_eq!(project.raw("pages/2026-01-01-scale.md"), example);
}

#[test]
fn pins_and_acceptances_made_at_once_are_all_kept() {
    let project = Project::new();
    let names: Vec<String> = (0..12).map(|at| format!("s{at}")).collect();
    let subjects: String =
        names.iter().map(|name| format!("[[subject]]\nname = \"{name}\"\nreport = \"new.csv\"\n")).collect();
    fs::write(project.path("audit.toml"), format!("[audit]\nout = \"pages\"\n{subjects}")).unwrap();
    for (day, ns) in [(1, 100_000.0), (2, 120_000.0)] {
        project.report("new.csv", &[Profile::steady(ns)]);
        project.run(&format!("generate --all --date 2026-01-0{day}")).done();
    }
    let at_once = |words: &dyn Fn(&str) -> Vec<String>| {
        let mut children: Vec<_> = names
            .iter()
            .map(|name| audit(project.0.path()).args(words(name)).stdout(std::process::Stdio::null()).spawn().unwrap())
            .collect();
        children.iter_mut().for_each(|child| assert!(child.wait().unwrap().success()));
    };
    at_once(&|name| ["baseline", "pin", name, "--reason", "r"].map(str::to_owned).to_vec());
    assert_eq!(project.read("pages/baselines.toml").matches("[[pin]]").count(), names.len());
    fs::remove_file(project.path("pages/baselines.toml")).unwrap();
    at_once(&|_| ["check", "s3", "--accept", "--reason", "r"].map(str::to_owned).to_vec());
    assert_eq!(project.read("pages/s3.accepted.toml").matches("[[accepted]]").count(), 1);
}

#[cfg(unix)]
#[test]
fn a_run_that_was_killed_is_in_nobodys_way() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::default());
    for name in [".audit-Ab12Cd.tmp", ".2026-01-01-scale.md.lock", ".2026-01-07-other.md.lock"] {
        fs::write(project.path("pages").join(name), "left").unwrap();
    }
    let begun = Instant::now();
    project.audit("2026-01-02", Profile::steady(90_000.0));
    assert!(begun.elapsed() < Duration::from_secs(10));
    let left = fs::read_dir(project.path("pages"))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
    assert_eq!(left.count(), 0);
}

/// Copies the evidence folder of a kernel into a project whose subject names it.
fn collected(kernel: &str) -> Project {
    let project = Project::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/collected").join(kernel);
    fs::create_dir(project.path("ev")).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, project.path("ev").join(path.file_name().unwrap())).unwrap();
    }
    let config = "[audit]\nout = \"pages\"\n[[subject]]\nname = \"scale\"\nevidence = \"ev\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    project
}

#[test]
fn evidence_is_held_against_its_hashes() {
    let project = collected("tiny_grid");
    project.run("generate --date 2026-01-01").done();
    for file in ["benchmark.json", "correctness.json", "profile.ncu-repz", "sanitizer.memcheck.xml"] {
        let path = project.path("ev").join(file);
        let whole = fs::read(&path).unwrap();
        let mut changed = whole.clone();
        let at = changed.len() / 2;
        changed[at] ^= 1;
        fs::write(&path, changed).unwrap();
        for verb in ["generate --date 2026-01-02", "check --fresh --date 2026-01-02", "lint"] {
            project.run(verb).ends(3, &format!("{file} is not what was collected"));
        }
        fs::write(&path, whole).unwrap();
    }
    let path = project.path("ev/benchmark.json");
    let whole = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    project.run("lint").ends(3, "its BLAKE3 is not known, as it cannot be read (");
    fs::remove_dir(&path).unwrap();
    fs::write(&path, whole).unwrap();
    project.run("lint").done();
}

#[test]
fn a_report_with_nothing_whole_says_so() {
    let path = format!("{}/tests/fixtures/h200/truncated.ncu-repz", env!("CARGO_MANIFEST_DIR"));
    for verb in ["show", "generate --report"] {
        let words: Vec<&str> = verb.split(' ').chain([path.as_str(), "--allow-damage"]).collect();
        Project::new().words(&words).ends(3, "holds no result that is whole");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn files_of_twenty_gigabytes_of_zeros_are_refused_at_once() {
    let packed = format!("{}/tests/fixtures/h200/gemm_bias_v2.ncu-repz", env!("CARGO_MANIFEST_DIR"));
    let packed = fs::read(packed).unwrap();
    let plain = zstd::decode_all(packed.as_slice()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let refused = |before: &[u8], what: &str| {
        fs::write(folder.path().join("a.ncu-rep"), before).unwrap();
        fs::File::options().write(true).open(folder.path().join("a.ncu-rep")).unwrap().set_len(20 << 30).unwrap();
        let (status, said) = bounded(folder.path(), &["show", "a.ncu-rep"]);
        assert!(status == 3 && said.contains(what), "{status}: {said}");
    };
    refused(&packed, "it is packed and has more than 1073741824 bytes");
    refused(&plain, "expected at most 1048576 empty blocks, found more");
    refused(b"", "it is of no kind known here");
}

#[test]
fn damage_that_cannot_be_passed_is_not_offered_to_be() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.ncu-rep"), b"NVR\0\x05\0\0\0abc").unwrap();
    for words in [&["show", "a.ncu-rep"][..], &["show", "--allow-damage", "a.ncu-rep"]] {
        let (status, said) = bounded(folder.path(), words);
        assert!(status == 3 && said.contains("at byte 4: ") && !said.contains("reads what is whole"), "{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_is_shortened_while_it_is_read_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("growing.ncu-rep");
    // Large enough that most of the time goes by in the reading.
    let packed = format!("{}/tests/fixtures/pairs/h100.ncu-repz", env!("CARGO_MANIFEST_DIR"));
    let bytes = zstd::decode_all(fs::File::open(packed).unwrap()).unwrap();
    let mut told = 0;
    // How long a start takes is the machine's: later and later, until the reading was met.
    for at in 0..200 {
        fs::write(&path, &bytes).unwrap();
        let child = audit(folder.path())
            .args(["dump", "evidence", "--allow-damage", "growing.ncu-rep"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(5 * at));
        fs::File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(matches!(ended.status.code(), Some(0 | 3)), "{}: {said}", ended.status);
        // Before it was opened it is a report that is cut.
        if said.contains("became shorter") {
            let message = said.strip_prefix("error: cannot read growing.ncu-rep: at byte ").unwrap();
            let message = message.trim_start_matches(|c: char| c.is_ascii_digit());
            let what =
                ": the file became shorter while it was read\n  help: wait until nothing writes it, or copy it first\n";
            assert_eq!((ended.status.code(), message), (Some(3), what), "{said}");
            told += 1;
        }
        if told == 3 {
            break;
        }
    }
    assert!(told > 0, "no reading was met");
}
