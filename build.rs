//! Packs the catalogs, every `src/catalog/*.toml` as MessagePack, which is read in a tenth of the time, indexes the
//! metric table by name, and states the version with its commit.

use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    match commit() {
        Some(commit) => println!("cargo::rustc-env=AUDIT_VERSION={version} ({commit})"),
        None => println!("cargo::rustc-env=AUDIT_VERSION={version}"),
    }
    let folder = Path::new("src/catalog");
    println!("cargo::rerun-if-changed={}", folder.display());
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let wrong = |what: String| io::Error::other(format!("{}: {what}", path.display()));
            let rows: toml::Table = toml::from_str(&fs::read_to_string(&path)?).map_err(|e| wrong(e.to_string()))?;
            let packed = rmp_serde::to_vec(&rows).map_err(|e| wrong(e.to_string()))?;
            let name = Path::new(path.file_name().unwrap_or_default()).with_extension("msgpack");
            fs::write(Path::new(&out).join(name), packed)?;
        }
    }
    let table = Path::new("src/quantity/metric_bases.tsv");
    println!("cargo::rerun-if-changed={}", table.display());
    println!("cargo::rerun-if-changed=src/quantity/name_hash.rs");
    fs::write(Path::new(&out).join("metric_slots.rs"), slots(&fs::read_to_string(table)?))
}

include!("src/quantity/name_hash.rs");

/// Where to find the line of a name: in the slot of its hash, or the next that no other name has, stands one more than the
/// line's offset; 0 ends the search. As the expression of an array.
fn slots(table: &str) -> String {
    let mut slots = vec![0; (2 * table.lines().count()).next_power_of_two()];
    let mut start = 0;
    for line in table.split_inclusive('\n') {
        let name = line.split('\t').next().unwrap_or_default();
        let mut at = slot_of(name, slots.len());
        while slots[at] != 0 {
            at = (at + 1) % slots.len();
        }
        slots[at] = start + 1;
        start += line.len();
    }
    format!("{slots:?}")
}

/// The commit of an optimised build, where one is known: of a packaged crate what cargo wrote into it, else what git says.
/// A build for development goes without, so that a commit does not compile everything anew.
fn commit() -> Option<String> {
    if env::var("PROFILE").ok()? != "release" {
        return None;
    }
    if let Ok(packaged) = fs::read_to_string(".cargo_vcs_info.json") {
        let rest = packaged.split("\"sha1\"").nth(1)?;
        return Some(rest.split('"').nth(1)?.chars().take(12).collect());
    }
    // A checkout of another project around a copy of this one is not ours.
    if !Path::new(".git").exists() {
        return None;
    }
    let git = |words: &[&str]| {
        let output = Command::new("git").env("GIT_OPTIONAL_LOCKS", "0").args(words).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    for file in ["HEAD", "index", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]).filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let head = git(&["rev-parse", "--short=12", "HEAD"])?;
    let is_changed = git(&["status", "--porcelain", "-uno"]).is_none_or(|changes| !changes.is_empty());
    Some(if is_changed { format!("{head}-dirty") } else { head })
}
