//! The evidence folder of a subject: whole files only, each with what made it, kept for the next run.
//!
//! A step writes into a folder `.making-…` of its own. Once its bytes are on the disk the manifest `collected.json` is
//! replaced, and then the file takes its place by renaming. A run that is killed at any point leaves files that the
//! manifest knows, and `.making-…`: the next run puts what the manifest names in its place, and removes the rest.

use super::{CollectError, homes};
use crate::analysis::make_step_public;
use crate::evidence::{Collected, CollectedStep, StepOutcome};
use crate::lock::FileLock;
use crate::read;
use ncu_report::packed;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) const MANIFEST: &str = "collected.json";
const LOCK: &str = ".collect.lock";
const MAKING: &str = ".making-";

/// An evidence folder that this run owns.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    manifest: Collected,
    /// Held while files are made.
    _lock: Option<FileLock>,
}

/// A place in which a step makes its file.
#[derive(Debug)]
pub struct Stage {
    folder: tempfile::TempDir,
    name: String,
}

impl Stage {
    pub fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Has what the tool wrote without the names of people and machines: reports as `public` makes them, paths in any
    /// file without users and the way to the project. Errors: a report that `public` does not take, and what the system
    /// says.
    pub fn make_public(&self, project: &Path, public: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Result<(), CollectError> {
        let path = self.path();
        let made = || {
            let mut bytes =
                public(&read::contents(&path)?).ok_or_else(|| io::Error::other("it is not a whole report"))?;
            homes::hide(&mut bytes, &fs::canonicalize(project.join("."))?);
            fs::write(&path, bytes)
        };
        made().map_err(fault("take names of people and machines out of a file in", self.folder.path()))
    }

    /// Packs what the tool wrote, under the name `file`.
    pub fn pack(&mut self, file: &str) -> Result<(), CollectError> {
        let packed = || fs::write(self.folder.path().join(file), packed::pack(&read::bytes(&self.path())?)?);
        packed().map_err(fault("pack a file in", self.folder.path()))?;
        self.name = file.to_owned();
        Ok(())
    }
}

impl Store {
    /// Opens a folder, makes it where it is missing, and removes what killed runs left half made. A run that works in
    /// it is waited for as long as `patience`. Errors: a folder that cannot be made or that another run works in, and a
    /// manifest that is damaged.
    pub fn open(folder: &Path, subject: &str, program: &str, patience: Duration) -> Result<Store, CollectError> {
        fs::create_dir_all(folder).map_err(fault("make the evidence folder", folder))?;
        let lock = FileLock::take(&folder.join(LOCK), patience).map_err(fault("lock the evidence folder", folder))?;
        let Some(lock) = lock else { return Err(CollectError::InUse { folder: folder.to_owned() }) };
        let store = Store { _lock: Some(lock), ..Store::look(folder, subject, program)? };
        for entry in fs::read_dir(folder).map_err(fault("list", folder))?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(MAKING) {
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let done = if is_folder { store.finish(&entry.path()) } else { fs::remove_file(entry.path()) };
                done.map_err(fault("take up what a killed run left in", folder))?;
            }
        }
        Ok(store)
    }

    /// Puts the file of a killed run in its place if its step is noted, and removes the folder that it was made in.
    fn finish(&self, made_in: &Path) -> io::Result<()> {
        for step in self.manifest.steps.iter().filter(|step| step.outcome == StepOutcome::Made) {
            let made = made_in.join(&step.file);
            if read::contents(&made).is_ok_and(|bytes| hash(&bytes) == step.blake3) {
                fs::rename(made, self.folder.join(&step.file))?;
            }
        }
        fs::remove_dir_all(made_in)
    }

    /// Looks at a folder, whoever works in it, and changes nothing. One that is missing is empty. Errors: a manifest
    /// that is damaged or cannot be read.
    pub fn look(folder: &Path, subject: &str, program: &str) -> Result<Store, CollectError> {
        let manifest = match read::bytes(&folder.join(MANIFEST)) {
            Ok(bytes) => {
                let read = Collected::from_json(&bytes);
                let mut read = read.map_err(|found| CollectError::Manifest { path: folder.join(MANIFEST), found })?;
                read.steps.iter_mut().for_each(make_step_public);
                read
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Collected::new(subject, program),
            Err(error) => return Err(fault("read the manifest of", folder)(error)),
        };
        Ok(Store { folder: folder.to_owned(), manifest, _lock: None })
    }

    pub fn manifest(&self) -> &Collected {
        &self.manifest
    }

    /// Whether the step's file is there, whole, and made from the same by the same tool.
    pub fn has(&self, step: &str, key: &str, tool: &str) -> bool {
        let step = self.manifest.step(step);
        step.is_some_and(|step| step.key == key && is_same_tool(&step.tool, tool) && self.is_whole(step))
    }

    /// Whether the file lies here and no step of the manifest made it.
    pub fn has_stranger(&self, file: &str) -> bool {
        let path = self.folder.join(file);
        let is_known = self.manifest.steps.iter().any(|step| step.file == file && self.is_whole(step));
        fs::symlink_metadata(path).is_ok() && !is_known
    }

    fn is_whole(&self, step: &CollectedStep) -> bool {
        step.outcome == StepOutcome::Made
            && read::contents(&self.folder.join(&step.file)).is_ok_and(|bytes| hash(&bytes) == step.blake3)
    }

    /// A place to make a file in. Errors: when the folder cannot be written to.
    pub fn stage(&self, file: &str) -> Result<Stage, CollectError> {
        let made = tempfile::Builder::new().prefix(MAKING).tempdir_in(&self.folder);
        let folder = made.map_err(fault("write to", &self.folder))?;
        Ok(Stage { folder, name: file.to_owned() })
    }

    /// Puts a file that was made in its place and notes its step, with size and hash filled in here: those of the
    /// content for a packed one. A file of another name that the step made before goes. Errors: when the disk is full
    /// or the folder cannot be written to; the old file is then as it was.
    pub fn put(&mut self, stage: &Stage, mut step: CollectedStep) -> Result<(), CollectError> {
        let made = stage.path();
        let whole = || -> io::Result<(u64, String)> {
            let bytes = read::contents(&made)?;
            File::open(&made)?.sync_all()?;
            Ok((bytes.len() as u64, hash(&bytes)))
        };
        (step.bytes, step.blake3) = whole().map_err(fault("put a file into", &self.folder))?;
        let file = self.folder.join(&step.file);
        let outdated =
            self.manifest.step(&step.step).filter(|old| old.file != step.file && self.is_whole(old)).cloned();
        self.note(step)?;
        fs::rename(made, file).map_err(fault("put a file into", &self.folder))?;
        self.remove(outdated.as_ref())
    }

    /// Notes a step that made no file. A file that it made before from something else goes; one that the same made
    /// stays, and so does its note.
    pub fn miss(&mut self, step: CollectedStep) -> Result<(), CollectError> {
        if self.has(&step.step, &step.key, &step.tool) {
            return Ok(());
        }
        self.remove(self.manifest.step(&step.step).filter(|before| self.is_whole(before)))?;
        self.note(step)
    }

    fn remove(&self, outdated: Option<&CollectedStep>) -> Result<(), CollectError> {
        let Some(before) = outdated else { return Ok(()) };
        fs::remove_file(self.folder.join(&before.file)).map_err(fault("remove an outdated file from", &self.folder))
    }

    fn note(&mut self, mut step: CollectedStep) -> Result<(), CollectError> {
        make_step_public(&mut step);
        self.manifest.put(step);
        let write = || -> io::Result<()> {
            let mut bytes = serde_json::to_vec_pretty(&self.manifest)?;
            bytes.push(b'\n');
            let mut file = tempfile::Builder::new().prefix(MAKING).tempfile_in(&self.folder)?;
            file.write_all(&bytes)?;
            file.as_file().sync_all()?;
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
            }
            file.persist(self.folder.join(MANIFEST)).map_err(|error| error.error)?;
            Ok(())
        };
        write().map_err(fault("write the manifest of", &self.folder))
    }
}

/// Holds the files of an evidence folder against the hashes of its manifest. Errors: [`CollectError::NotAsMade`] for a
/// file that is not what its step made.
pub(crate) fn is_as_made(folder: &Path, manifest: &Collected) -> Result<(), CollectError> {
    for step in manifest.steps.iter().filter(|step| step.outcome == StepOutcome::Made) {
        let file = folder.join(&step.file);
        let found = match read::contents(&file) {
            Ok(bytes) => hash(&bytes),
            // Whoever needs it says that it is not there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => format!("not known, as it cannot be read ({error})"),
        };
        if found != step.blake3 {
            let (subject, stated) = (manifest.subject.clone(), step.blake3.clone());
            return Err(CollectError::NotAsMade { file, stated, found, subject });
        }
    }
    Ok(())
}

/// Whether two tools may be the same: one that is on another machine is known by its name alone.
fn is_same_tool(one: &str, other: &str) -> bool {
    match (one.split_once(' '), other.split_once(' ')) {
        (Some((name, _)), None) => name == other,
        (None, Some((name, _))) => name == one,
        _ => one == other,
    }
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// An error about a folder, with the cure where the system's reason has one.
fn fault(doing: &'static str, folder: &Path) -> impl FnOnce(io::Error) -> CollectError {
    let folder = folder.to_owned();
    move |source| {
        let cure = match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "\n  help: free some space, or choose another disk with --evidence; what is there is whole and kept"
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "\n  help: choose a folder that you may write to with --evidence"
            }
            _ => "",
        };
        CollectError::Folder { doing, folder, source, cure }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(key: &str, outcome: StepOutcome) -> CollectedStep {
        let (step, file, tool) = ("profile".into(), "profile.ncu-rep".into(), "ncu 1".into());
        CollectedStep { step, file, outcome, tool, key: key.into(), ..CollectedStep::default() }
    }

    fn made(store: &mut Store, key: &str, bytes: &str) {
        let stage = store.stage("profile.ncu-rep").expect("stages");
        fs::write(stage.path(), bytes).expect("writes");
        store.put(&stage, step(key, StepOutcome::Made)).expect("puts");
    }

    #[test]
    fn a_whole_file_of_the_same_key_is_kept_and_a_changed_one_is_not() {
        let folder = tempfile::tempdir().expect("folder");
        let mut store = Store::open(folder.path(), "s", "0", Duration::ZERO).expect("opens");
        made(&mut store, "k", "report");
        drop(store);
        let store = Store::open(folder.path(), "s", "0", Duration::ZERO).expect("opens");
        assert!(store.has("profile", "k", "ncu 1") && !store.has("profile", "other", "ncu 1"));
        assert!(store.has("profile", "k", "ncu") && !store.has("profile", "k", "ncu 2"), "a tool elsewhere is unknown");
        assert!(Store::look(folder.path(), "s", "0").expect("nobody is locked out").has("profile", "k", "ncu"));
        fs::write(folder.path().join("profile.ncu-rep"), "edited").expect("writes");
        assert!(!store.has("profile", "k", "ncu 1") && store.has_stranger("profile.ncu-rep"));
    }

    #[test]
    fn a_packed_report_is_told_by_what_it_holds_and_takes_the_place_of_a_plain_one() {
        let folder = tempfile::tempdir().expect("folder");
        let mut store = Store::open(folder.path(), "s", "0", Duration::ZERO).expect("opens");
        made(&mut store, "k", "report");
        let plain = store.manifest().step("profile").cloned().expect("noted");
        let mut stage = store.stage("profile.ncu-rep").expect("stages");
        fs::write(stage.path(), "report").expect("writes");
        stage.pack("profile.ncu-repz").expect("packs");
        let packed = CollectedStep { file: "profile.ncu-repz".into(), ..step("k", StepOutcome::Made) };
        store.put(&stage, packed).expect("puts");
        assert!(store.has("profile", "k", "ncu 1") && !folder.path().join("profile.ncu-rep").exists());
        let packed = store.manifest().step("profile").expect("noted");
        assert_eq!((&packed.blake3, packed.bytes), (&plain.blake3, plain.bytes));
        fs::write(folder.path().join("profile.ncu-repz"), b"\x28\xb5\x2f\xfd").expect("cut");
        assert!(!store.has("profile", "k", "ncu 1"));
    }

    #[test]
    fn a_killed_run_leaves_nothing_that_is_taken_for_whole() {
        let folder = tempfile::tempdir().expect("folder");
        let store = Store::open(folder.path(), "s", "0", Duration::ZERO).expect("opens");
        let stage = store.stage("profile.ncu-rep").expect("stages");
        fs::write(stage.path(), "half").expect("writes");
        // A killed process removes nothing.
        let left = stage.folder.keep();
        let manifest = folder.path().join(".making-Ab12Cd");
        fs::write(&manifest, "{").expect("a manifest that was not whole");
        drop(store);
        let store = Store::open(folder.path(), "s", "0", Duration::ZERO).expect("opens");
        assert!(
            !left.exists()
                && !manifest.exists()
                && !store.has("profile", "k", "ncu 1")
                && !folder.path().join("profile.ncu-rep").exists()
        );
    }

    #[test]
    fn a_run_that_was_killed_before_its_file_took_its_place_is_finished_by_the_next() {
        let folder = tempfile::tempdir().expect("folder");
        let mut store = Store::open(folder.path(), "s", "0", Duration::ZERO).expect("opens");
        made(&mut store, "old", "report");
        let stage = store.stage("profile.ncu-rep").expect("stages");
        fs::write(stage.path(), "new").expect("writes");
        store.note(CollectedStep { blake3: hash(b"new"), ..step("k", StepOutcome::Made) }).expect("notes");
        let left = stage.folder.keep();
        drop(store);
        assert!(!Store::look(folder.path(), "s", "0").expect("looks").has("profile", "k", "ncu 1"));
        let store = Store::open(folder.path(), "s", "0", Duration::ZERO).expect("opens");
        assert!(store.has("profile", "k", "ncu 1") && !store.has_stranger("profile.ncu-rep") && !left.exists());
    }

    #[test]
    fn a_failure_keeps_what_the_same_made_and_removes_what_something_else_made() {
        let folder = tempfile::tempdir().expect("folder");
        let mut store = Store::open(folder.path(), "s", "0", Duration::ZERO).expect("opens");
        made(&mut store, "k", "report");
        store.miss(step("k", StepOutcome::Failed)).expect("notes");
        assert!(store.has("profile", "k", "ncu 1"));
        store.miss(step("new source", StepOutcome::TimedOut)).expect("notes");
        assert!(!folder.path().join("profile.ncu-rep").exists());
        assert_eq!(store.manifest().step("profile").map(|step| step.outcome), Some(StepOutcome::TimedOut));
    }

    #[test]
    fn a_folder_in_use_and_a_damaged_manifest_are_refused() {
        let folder = tempfile::tempdir().expect("folder");
        let store = Store::open(folder.path(), "s", "0", Duration::ZERO).expect("opens");
        assert!(matches!(Store::open(folder.path(), "s", "0", Duration::ZERO), Err(CollectError::InUse { .. })));
        drop(store);
        fs::write(folder.path().join(MANIFEST), "{\"schema\": 3").expect("writes");
        let error = Store::open(folder.path(), "s", "0", Duration::ZERO).expect_err("damaged").to_string();
        assert!(error.contains("collected.json") && error.contains("help: "), "{error}");
    }
}
