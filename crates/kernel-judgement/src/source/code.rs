//! A whole build read together: log, cubin and machine code, each instruction with its source lines.

use super::{ReadError, cubin, ptxas_log, sass};
use crate::evidence::{CodeBuild, Origin, SassListing, SourceLine};
use arcstr::ArcStr;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Folders whose names stay out of what is read: each with the word that stands for it.
#[derive(Clone, Debug, Default)]
pub struct Neutral {
    folders: Vec<(PathBuf, &'static str)>,
}

impl Neutral {
    /// File names become relative to `project`, those below `toolkit` begin with `cuda`; other absolute names keep their last part.
    pub fn new(project: &Path, toolkit: Option<&Path>) -> Neutral {
        let mut folders = Vec::new();
        for (folder, word) in toolkit.map(|folder| (folder, "cuda")).into_iter().chain([(project, "")]) {
            let given = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            folders.extend(std::path::absolute(given).ok().map(|path| (normal(&path), word)));
            folders.extend(given.canonicalize().ok().map(|path| (path, word)));
        }
        folders.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.as_os_str().len()));
        Neutral { folders }
    }

    /// The name of a file as the page may show it.
    pub fn name(&self, file: &str) -> String {
        let path = normal(Path::new(file));
        for (folder, word) in &self.folders {
            if let Ok(rest) = path.strip_prefix(folder) {
                return Path::new(word).join(rest).display().to_string();
            }
        }
        if path.is_absolute() {
            return path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        }
        path.display().to_string()
    }
}

/// A path without `.` and, as far as its own text tells, without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(parts.components().next_back(), Some(Component::Normal(_))) => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts
}

/// The pieces of a build.
#[derive(Clone, Copy, Debug, Default)]
pub struct CodeParts<'a> {
    /// The source or cubin as the configuration names it.
    pub input: &'a str,
    /// The compiler's command; empty for a cubin that was given.
    pub command: &'a str,
    /// Compiler and version; empty for a cubin that was given.
    pub compiler: &'a str,
    /// Disassembler and version.
    pub disassembler: &'a str,
    pub cubin: &'a [u8],
    /// What compiler and assembler said.
    pub log: Option<&'a [u8]>,
    pub sass: &'a [u8],
}

/// Reads a build. Errors: those of the readers of its parts.
pub fn read_code(parts: &CodeParts<'_>, neutral: &Neutral) -> Result<CodeBuild, ReadError> {
    let origin = |format: &str, bytes: &[u8]| Origin {
        path: parts.input.to_owned(),
        format: format.to_owned(),
        bytes: bytes.len() as u64,
        blake3: blake3::hash(bytes).to_hex().to_string(),
    };
    let read = cubin::read(parts.cubin, origin("cubin", parts.cubin))?;
    let mut listing = sass::read(parts.sass, origin("sass", parts.sass), &read.arch)?;
    place_lines(&mut listing, parts.cubin, parts.input, |file| neutral.name(file))?;
    let log = match parts.log.filter(|log| ptxas_log::looks_like(log)) {
        Some(bytes) => Some(ptxas_log::read(bytes, origin("ptxas-log", bytes))?),
        None => None,
    };
    Ok(CodeBuild {
        input: parts.input.to_owned(),
        command: parts.command.to_owned(),
        compiler: parts.compiler.to_owned(),
        disassembler: parts.disassembler.to_owned(),
        log,
        cubin: read,
        listing,
    })
}

/// Gives the instructions of a cubin's listing their lines of source, with files as they shall be named. Errors: where the line table
/// of the cubin is broken; `input` is what the error calls it.
pub fn place_lines(
    listing: &mut SassListing,
    cubin: &[u8],
    input: &str,
    name: impl Fn(&str) -> String,
) -> Result<(), ReadError> {
    let lines = cubin::line_table(cubin, input)?;
    let mut names: HashMap<ArcStr, ArcStr> = HashMap::new();
    let mut shown: HashMap<*const SourceLine, Arc<[SourceLine]>> = HashMap::new();
    for function in &mut listing.functions {
        for instruction in &mut function.instructions {
            let places = lines.places(&function.mangled, instruction.offset);
            // Runs of instructions share one list of places.
            let kept = shown.entry(places.as_ptr()).or_insert_with(|| {
                let place = |place: &SourceLine| SourceLine {
                    file: names.entry(place.file.clone()).or_insert_with(|| name(&place.file).into()).clone(),
                    line: place.line,
                    function: place.function.clone(),
                };
                places.iter().map(place).collect()
            });
            instruction.places = if places.is_empty() { Arc::default() } else { kept.clone() };
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_do_not_tell_where_the_machine_keeps_them() {
        let neutral = Neutral::new(Path::new("/p/project"), Some(Path::new("/p/project/.cuda")));
        assert_eq!(neutral.name("/p/project/kernels/a.cu"), "kernels/a.cu");
        assert_eq!(neutral.name("/p/project/kernels/../.cuda/bin/..//include/x.h"), "cuda/include/x.h");
        assert_eq!(neutral.name("/usr/include/math.h"), "math.h");
        assert_eq!(neutral.name("kernels/./a.cu"), "kernels/a.cu");
    }
}
