//! What anyone may see: of a profiled command ncu's own options and the program's name, and of a snapshot that comes from
//! anyone nothing that acts.

use crate::made_report::{KERNEL, MadeReport, block, double, kernel, metric, nested, strings};
use crate::project::{Profile, Project, plain_parts, snapshot};
use kernel_audit::render::Templates;
use kernel_audit::snapshot::Snapshot;
use kernel_audit::view::{self, Entry};
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Arguments as people give them, each with what nobody else may read.
const SECRETS: [(&str, &str); 26] = [
    ("--token=hf_AbCdEf", "hf_AbCdEf"),
    ("--api-key sk-live-123", "sk-live-123"),
    ("--password hunter2", "hunter2"),
    ("-p hunter3", "hunter3"),
    ("--hf_token hf_Second", "hf_Second"),
    ("--ssh-key=/keys/id_dave", "id_dave"),
    ("token:tok3n", "tok3n"),
    ("aws_key=AKIAlower", "AKIAlower"),
    ("--set-env=WANDB_API_KEY=wandb1", "wandb1"),
    ("'Authorization: Bearer beef'", "beef"),
    ("eyJhbGciOi.eyJzdWIi.c2ln", "eyJhbGciOi"),
    ("https://x.example/d?sig=s1gn", "s1gn"),
    ("https://b.example/o?X-Amz-Signature=amz1", "amz1"),
    ("--master_addr node7", "node7"),
    ("--nodename n7x", "n7x"),
    ("gpu17.cluster.internal", "gpu17"),
    ("/scratch/dave/data", "dave"),
    ("/nfs/homes/frank/data", "frank"),
    ("D:\\work\\greg\\data", "greg"),
    ("-l hank", "hank"),
    ("-u iris", "iris"),
    ("~ian/data", "ian/"),
    ("carl@gpu18", "carl"),
    ("10.1.2.3", "10.1.2.3"),
    ("SECRET_VAR=vvv1", "vvv1"),
    ("--mail jo@lab.example", "jo@"),
];

/// A report whose command line is this one.
fn report_of(line: &str) -> MadeReport {
    let metrics = [("gpu__time_duration.sum", 1e5), ("launch__registers_per_thread", 32.0)];
    let names: Vec<&str> = metrics.iter().map(|(name, _)| *name).collect();
    let fields: Vec<Vec<u8>> =
        (0..).zip(metrics).map(|(at, (_, value))| metric(13, at, &[nested(2, double(value))])).collect();
    let process = nested(6, nested(3, "/scratch/dave/secret_dir/app"));
    let session = nested(3, nested(11, line));
    MadeReport::with(&[block(&[session, strings(&names), process], &[KERNEL], &[kernel(&fields)])])
}

/// Every text that the project's folder of audits holds, and what the program prints.
fn everything(project: &Project) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(project.path("pages")).unwrap() {
        let path = entry.unwrap().path();
        all += &path.display().to_string().replace(&project.0.path().display().to_string(), "");
        if path.is_file() {
            all += &fs::read_to_string(path).unwrap();
        }
    }
    for verb in ["generate --format pr --date 2026-01-01", "history scale", "check", "dump analysis --subject scale"] {
        let run = project.run(verb);
        all += &(run.out() + &run.err());
    }
    all
}

fn project_of(line: &str) -> Project {
    let project = Project::new();
    fs::copy(report_of(line).path(), project.path("new.ncu-rep")).unwrap();
    fs::copy(report_of(&format!("{line} ")).path(), project.path("old.ncu-rep")).unwrap();
    let config = "[audit]\nout = \"pages\"\n[[subject]]\nname = \"scale\"\nreport = \"new.ncu-rep\"\nbaseline = \"old.ncu-rep\"\ncommit = \"c1\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    project
}

#[test]
fn of_a_profiled_command_nothing_is_kept_but_the_tools_own() {
    let arguments: Vec<&str> = SECRETS.iter().map(|(argument, _)| *argument).collect();
    let line = format!(
        "env {} srun --nodelist=node7 /scratch/dave/ncu --set full --hostname gpu17 -k regex:^k -o /nfs/homes/frank/r /scratch/dave/bin/app {}",
        "SECRET_VAR=vvv1",
        arguments.join(" ")
    );
    let project = project_of(&line);
    project.run("generate --date 2026-01-01 --template full").done();
    project.run("generate --date 2026-01-01 --format html").done();
    let mut all = everything(&project);
    project.run("generate --date 2026-01-01 --force").done();
    all += &everything(&project);
    assert!(
        all.contains("ncu --set full --hostname <hidden> -k regex:^k -o r app <arguments>"),
        "the command is there"
    );
    for (argument, secret) in SECRETS {
        assert!(
            !all.contains(secret),
            "{argument}: {}",
            all.lines().find(|line| line.contains(secret)).unwrap_or_default()
        );
    }
    assert!(!all.contains("secret_dir"));
    // What prints a report as it is says so.
    let dumped = project.run("dump evidence new.ncu-rep").done();
    assert!(dumped.contains("hf_AbCdEf") && dumped.contains("node7"));
    assert!(project.run("dump evidence --help").done().contains("which pages leave out"));
}

/// A snapshot with another content, its hash made right.
pub(crate) fn rehashed(parts: &BTreeMap<String, Value>) -> Vec<u8> {
    let text = |name: &str| parts[name].to_string();
    let content = ["heading", "milestone", "limits", "evidence"].map(text);
    let mut hasher = Sha256::new();
    content.iter().for_each(|part| hasher.update(format!("{part}\n")));
    let hash: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let [heading, milestone, limits, evidence] = content;
    format!(
        r#"{{"schema":{},"sha256":"{hash}","heading":{heading},"milestone":{milestone},"limits":{limits},"evidence":{evidence}}}"#,
        parts["schema"]
    )
    .into_bytes()
}

/// The parts of a snapshot as values.
pub(crate) fn parts(bytes: &[u8]) -> BTreeMap<String, Value> {
    serde_json::from_value(plain_parts(bytes)).unwrap()
}

#[test]
fn a_snapshot_of_anybodys_is_cleaned_when_it_is_read() {
    let project = project_of("/opt/ncu --set full -o r ./app");
    project.run("generate --date 2026-01-01").done();
    let path = project.path("pages/2026-01-01-scale.json");
    let mut all = parts(&fs::read(&path).unwrap());
    let evidence = all.get_mut("evidence").unwrap();
    for side in ["new", "old"] {
        evidence[side]["profile"]["session"]["command_line"] =
            "/home/annika/ncu --set full ./app --token=hf_AbCdEf --master_addr node7".into();
        evidence[side]["profile"]["origin"]["path"] = "/scratch/dave/new.ncu-rep".into();
    }
    all.get_mut("heading").unwrap()["command"] = "audit generate --report /scratch/dave/new.ncu-rep".into();
    fs::write(&path, rehashed(&all)).unwrap();
    let html =
        |format: &str| project.run(&format!("render pages/2026-01-01-scale.json --force --format {format}")).done();
    html("md");
    html("html");
    fs::remove_file(&path).unwrap();
    let seen = everything(&project) + &html_of(&all);
    for secret in ["hf_AbCdEf", "node7", "dave", "annika"] {
        assert!(!seen.contains(secret), "{secret}");
    }
    assert!(seen.contains("audit generate --report new.ncu-rep"), "the command is there");
}

/// What a snapshot becomes when it is written again.
fn html_of(all: &BTreeMap<String, Value>) -> String {
    let read = Snapshot::parse(Path::new("x.json"), &rehashed(all)).unwrap();
    String::from_utf8(read.to_json().unwrap()).unwrap()
}

const LIVE: &str = "[x](https://evil.example) ![i](https://evil.example/i.png) @octocat #123 <b>x</b> <a href=https://evil.example>x</a> <!-- audit:end lead --> `c` $m$ www.evil.example https://evil.example me@evil.example | **b** <https://evil.example>";

/// The strings of a value by kind: the way to them, without the places in lists.
fn kinds(value: &Value, way: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::String(_) => drop(into.insert(way.to_owned())),
        Value::Array(all) => all.iter().for_each(|one| kinds(one, &format!("{way}[]"), into)),
        Value::Object(all) => all.iter().for_each(|(key, one)| kinds(one, &format!("{way}.{key}"), into)),
        _ => {}
    }
}

/// Puts a text in the place of every string of a kind.
fn put(value: &mut Value, way: &str, kind: &str, text: &str) {
    match value {
        Value::String(own) if way == kind => text.clone_into(own),
        Value::Array(all) => all.iter_mut().for_each(|one| put(one, &format!("{way}[]"), kind, text)),
        Value::Object(all) => all.iter_mut().for_each(|(key, one)| put(one, &format!("{way}.{key}"), kind, text)),
        _ => {}
    }
}

/// What acts on a page as GitHub reads it.
fn live(markdown: &str) -> Option<String> {
    let mut in_code = false;
    for event in Parser::new_ext(
        markdown,
        Options::ENABLE_TABLES | Options::ENABLE_GFM | Options::ENABLE_MATH | Options::ENABLE_FOOTNOTES,
    ) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) if dest_url.contains("evil") => {
                return Some(dest_url.into_string());
            }
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => in_code = false,
            Event::Text(text)
                if !in_code
                    && ["@octocat", "#123", "https://evil", "www.evil", "me@evil"]
                        .iter()
                        .any(|one| text.contains(one)) =>
            {
                return Some(text.into_string());
            }
            Event::InlineMath(text) | Event::DisplayMath(text) => return Some(text.into_string()),
            Event::Html(html) | Event::InlineHtml(html)
                if html.contains("<b>")
                    || html.contains("<a ")
                    || html.contains("end lead") && !html.starts_with("<!-- audit:end lead --><!-- audit:begin ") =>
            {
                return Some(html.into_string());
            }
            _ => {}
        }
    }
    None
}

#[test]
fn no_string_of_a_snapshot_acts_on_a_page_or_in_a_comment() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(snapshot(folder.path(), "spilling")).unwrap();
    let whole = parts(&bytes);
    let templates = Templates::load(None).unwrap();
    let parse = |all: &BTreeMap<String, Value>| Snapshot::parse(Path::new("x.json"), &rehashed(all)).ok();
    assert!(parse(&whole).is_some(), "the hash is made as the program makes it");
    let mut found = BTreeSet::new();
    whole
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "schema" | "sha256" | "head"))
        .for_each(|(name, part)| kinds(part, name, &mut found));
    // They make the names of files, and are held to their form before anything is made of them.
    found.retain(|kind| !matches!(kind.as_str(), "heading.subject" | "heading.date"));
    assert!(found.len() > 60, "{}", found.len());
    // Names of metrics decide what is on the page: they are changed by themselves.
    let (names, others): (Vec<&String>, Vec<&String>) =
        found.iter().partition(|kind| kind.starts_with("evidence.readings"));
    let mut seen = false;
    for kinds in [others, names] {
        let mut all = whole.clone();
        let mut taken = 0;
        for kind in kinds {
            let before = all.clone();
            all.iter_mut().for_each(|(name, part)| put(part, name, kind, LIVE));
            // What is one of a list of words cannot be another text.
            match parse(&all) {
                Some(_) => taken += 1,
                None => all = before,
            }
        }
        let read = parse(&all).unwrap();
        assert!(taken > 1, "{taken}");
        let audit = read.audit();
        let document = view::document(&read.heading, &audit);
        for template in ["full", "audit"] {
            let page = templates.marked_page(template, &document).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(live(&page.text), None);
            seen |= page.text.contains("octocat");
        }
        let entry = Entry { heading: &read.heading, audit: Some(&audit), page: "p.md".into(), link: String::new() };
        let comment = view::comment(&[entry], None, |document| templates.page(view::COMMENT, document)).unwrap();
        assert_eq!(live(&comment), None);
    }
    assert!(seen, "the text is there, and does not act");
}

/// A page is shortened row by row until it fits: rows that nobody may take off must be few.
#[test]
fn a_snapshot_that_calls_every_kernel_the_subject_is_none() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::default());
    let path = project.path("pages/2026-01-01-scale.json");
    let mut all = parts(&fs::read(&path).unwrap());
    let kernels = all.get_mut("evidence").unwrap().pointer_mut("/new/profile/kernels").unwrap().as_array_mut().unwrap();
    *kernels = vec![kernels[0].clone(); 300];
    assert_eq!(kernels[0]["is_subject"], true);
    fs::write(&path, rehashed(&all)).unwrap();
    project.run("show pages/2026-01-01-scale.json").ends(3, "it holds 300 kernels under audit, where at most 1 can be");
}
