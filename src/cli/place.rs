//! Where the program works: the folder of `audit.toml`, which is looked for here and then upwards to the root of the
//! repository, as git does it.

use super::failure::Failure;
use super::plan::DEFAULT_CONFIG;
use std::path::{Path, PathBuf};

/// Goes to the folder whose `audit.toml` is meant where none is named and none lies here; `paths`, which are relative
/// to the folder that the user stands in, go along. Errors: a folder that cannot be entered.
pub(super) fn enter(config: Option<&Path>, paths: Vec<&mut PathBuf>) -> Result<(), Failure> {
    if config.is_some() || Path::new(DEFAULT_CONFIG).is_file() {
        return Ok(());
    }
    let Ok(here) = std::env::current_dir() else { return Ok(()) };
    let Some(root) = above(&here) else { return Ok(()) };
    std::env::set_current_dir(&root).map_err(|error| {
        Failure::usage(format!(
            "cannot work in {}: {error}\n  help: name the configuration with --config",
            root.display()
        ))
    })?;
    let Ok(inside) = here.strip_prefix(&root) else { return Ok(()) };
    for path in paths.into_iter().filter(|path| path.is_relative()) {
        *path = inside.join(&*path);
    }
    Ok(())
}

/// The nearest folder above with an `audit.toml`, no further than the root of a repository.
fn above(here: &Path) -> Option<PathBuf> {
    let root = here.ancestors().find(|folder| folder.join(".git").exists())?;
    let found = here.ancestors().skip(1).find(|folder| folder.join(DEFAULT_CONFIG).is_file())?;
    found.starts_with(root).then(|| found.to_owned())
}
