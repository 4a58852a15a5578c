//! States the version with its commit.

#![allow(clippy::disallowed_methods, reason = "cargo tells a build script by the environment")]

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    match commit() {
        Some(commit) => println!("cargo::rustc-env=AUDIT_VERSION={version} ({commit})"),
        None => println!("cargo::rustc-env=AUDIT_VERSION={version}"),
    }
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
