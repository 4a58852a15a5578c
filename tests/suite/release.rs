//! Habits of releases: what is stated about versions and licences is so.

use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file))
        .unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The folders of the program and of its crates: empty, `crates/ncu-report/`.
fn packages() -> Vec<String> {
    let crates = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")).unwrap();
    let names = crates.map(|entry| format!("crates/{}/", entry.unwrap().file_name().to_str().unwrap()));
    std::iter::once(String::new()).chain(names).collect()
}

/// (name, version) of every crate of Cargo.lock that comes from elsewhere.
fn locked() -> BTreeSet<(String, String)> {
    let lock: toml::Table = toml::from_str(&read("Cargo.lock")).unwrap();
    let word = |package: &toml::Value, key: &str| package[key].as_str().unwrap().to_owned();
    let packages = lock["package"].as_array().unwrap().iter().filter(|package| package.get("source").is_some());
    packages.map(|package| (word(package, "name"), word(package, "version"))).collect()
}

/// Rows of THIRD-PARTY.md: crate, version, licence.
fn listed() -> Vec<[String; 3]> {
    let rows = read("THIRD-PARTY.md");
    let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    rows.lines().filter(|line| line.starts_with("| ")).skip(2).map(|row| cells(row).try_into().unwrap()).collect()
}

#[test]
fn every_crate_stands_in_the_list_of_licences() {
    let rows = listed();
    let found: BTreeSet<(String, String)> =
        rows.iter().map(|[name, version, _]| (name.clone(), version.clone())).collect();
    let expected = locked();
    let missing: Vec<_> = expected.difference(&found).collect();
    let extra: Vec<_> = found.difference(&expected).collect();
    assert!(missing.is_empty() && extra.is_empty(), "run tests/licences.py: missing {missing:?}, not locked {extra:?}");
    assert_eq!(rows.len(), expected.len());
}

#[test]
fn every_licence_is_one_that_deny_toml_allows() {
    let deny: toml::Table = toml::from_str(&read("deny.toml")).unwrap();
    let allowed: Vec<&str> =
        deny["licenses"]["allow"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    for [name, _, licence] in listed() {
        // `A OR B` needs one of them, `A AND B` both; `A/B` is an older way to write the first.
        let text = licence.replace(['(', ')'], "").replace('/', " OR ");
        let holds = text.split(" AND ").all(|part| part.split(" OR ").any(|one| allowed.contains(&one.trim())));
        assert!(holds, "{name} is under {licence:?}, which deny.toml does not allow");
    }
}

#[test]
fn the_stated_rust_version_is_the_one_that_lints_check() {
    let manifest: toml::Table = toml::from_str(&read("Cargo.toml")).unwrap();
    let stated = manifest["workspace"]["package"]["rust-version"].as_str().unwrap();
    assert!(read("README.md").contains(&format!("Rust {stated} or later")), "the README states {stated}");
    assert_eq!(manifest["workspace"]["lints"]["clippy"]["incompatible_msrv"].as_str(), Some("deny"));
    for package in packages() {
        let manifest: toml::Table = toml::from_str(&read(&format!("{package}Cargo.toml"))).unwrap();
        assert_eq!(manifest["package"]["rust-version"]["workspace"].as_bool(), Some(true), "{package}");
        assert_eq!(manifest["lints"]["workspace"].as_bool(), Some(true), "{package}");
    }
}

#[test]
fn the_changelog_has_a_part_for_what_is_not_released() {
    assert!(read("CHANGELOG.md").starts_with("# Changelog\n\n## Unreleased\n"));
}

#[test]
fn files_that_the_documents_name_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = Regex::new(r"`((?:src|crates|tests|docs|kernels|report-templates)/[A-Za-z0-9_./-]+)`").unwrap();
    let mut count = 0;
    for document in ["CONTRIBUTING.md", "ARCHITECTURE.md", "README.md"] {
        for found in path.captures_iter(&read(document)) {
            count += 1;
            assert!(root.join(&found[1]).exists(), "{document} names {}", &found[1]);
        }
    }
    assert!(count > 50, "{count}");
}

/// The code of every Rust file below a folder.
fn rust_below(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = entries.map(|path| match path.extension().and_then(|extension| extension.to_str()) {
        _ if path.is_dir() => rust_below(&path),
        Some("rs") => {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            code.map(|line| format!("{line}\n")).collect()
        }
        _ => String::new(),
    });
    texts.collect()
}

#[test]
fn every_dependency_is_used() {
    // `name::` behind nothing that it may belong to, or `use name`.
    let named = Regex::new(r"(?:^|[^\w:])(\w+)::|\buse (\w+)\b").unwrap();
    let names = |text: &str| -> BTreeSet<String> {
        let name = |met: regex::Captures<'_>| met.get(1).or(met.get(2)).map(|name| name.as_str().to_owned());
        text.lines().flat_map(|line| named.captures_iter(line).filter_map(name).collect::<Vec<_>>()).collect()
    };
    for package in packages() {
        let manifest: toml::Table = toml::from_str(&read(&format!("{package}Cargo.toml"))).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(&package);
        let product = names(&rust_below(&root.join("src")));
        let beside = ["tests", "benches"].map(|folder| root.join(folder));
        let beside: String = beside.iter().filter(|folder| folder.is_dir()).map(|folder| rust_below(folder)).collect();
        let all = &product | &names(&beside);
        let building = names(&fs::read_to_string(root.join("build.rs")).unwrap_or_default());
        let tables = [("dependencies", &product), ("dev-dependencies", &all), ("build-dependencies", &building)];
        for (table, used) in tables {
            for name in manifest.get(table).and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys) {
                let name = name.replace('-', "_");
                assert!(used.contains(&name), "nothing uses {name} of [{table}] of {package}Cargo.toml");
            }
        }
    }
}

/// Every crate that a build with these kinds of dependencies compiles, with its features.
fn compiled(kinds: &str) -> BTreeSet<String> {
    let words = [
        "tree",
        "--locked",
        "--offline",
        "--all-features",
        "--prefix",
        "none",
        "--format",
        "{p} {f}",
        "--edges",
        kinds,
    ];
    let mut cargo = Command::new(env!("CARGO"));
    let made = cargo.args(words).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).unwrap().lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

#[test]
fn a_build_and_a_test_compile_the_program_once_for_both() {
    let (built, tested) = (compiled("normal,build"), compiled("normal,build,dev"));
    let twice: Vec<_> = built.difference(&tested).collect();
    assert!(built.len() > 100 && twice.is_empty(), "compiled again for tests, with features of their own: {twice:?}");
}

/// The parser of Rust that derives use takes seconds to compile: serde, thiserror and clap are locked at their last versions that
/// share one with strum and handlebars.
#[test]
fn a_build_compiles_one_parser_of_rust() {
    let parsers: Vec<_> = compiled("normal,build").into_iter().filter(|line| line.starts_with("syn ")).collect();
    assert_eq!(parsers.len(), 1, "{parsers:?}");
}
