//! Files that are read whole: regular ones, of bounded size. A pipe that nobody writes to, or a device without an end,
//! is an error and not a wait.

use crate::bounds;
use ncu_report::packed;
use std::fs::{self, File};
use std::io::{self, Error, ErrorKind, Read as _};
use std::path::Path;

/// The bytes of a file. Errors: those of the system; what is no file with an end, and one of more than [`bounds::FILE`] bytes.
pub fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let too_large = || Error::new(ErrorKind::FileTooLarge, format!("it has more than {} bytes", bounds::FILE));
    if fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > bounds::FILE) {
        return Err(too_large());
    }
    let bytes = head(path, bounds::FILE + 1)?;
    if bytes.len() as u64 > bounds::FILE { Err(too_large()) } else { Ok(bytes) }
}

/// What a file holds: its bytes, of one packed with zstd what was packed. Errors: as [`bytes()`], and a packed file that is damaged
/// or unpacks to more than it may.
pub fn contents(path: &Path) -> io::Result<Vec<u8>> {
    let bytes = bytes(path)?;
    if !packed::is_packed(&bytes) {
        return Ok(bytes);
    }
    packed::unpack(&bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "it is packed with zstd, and damaged"))
}

/// The text of a file. Errors: as [`bytes()`], and bytes that are no UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    String::from_utf8(bytes(path)?).map_err(|error| Error::new(ErrorKind::InvalidData, error.utf8_error()))
}

/// The first bytes of a file, at most `size` of them. Errors: those of the system, what is no file with an end, and a link that leads
/// nowhere, which is not an absent file.
pub fn head(path: &Path, size: u64) -> io::Result<Vec<u8>> {
    let found = fs::metadata(path).map_err(|error| match fs::symlink_metadata(path) {
        Ok(_) if error.kind() == ErrorKind::NotFound => {
            Error::new(ErrorKind::InvalidInput, "it is a link to what is not there; mend the link, or remove it")
        }
        _ => error,
    })?;
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        let what = "it is a pipe or a device; save what it gives to a file, and name that";
        return Err(Error::new(ErrorKind::InvalidInput, what));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(found.len().min(size)).unwrap_or_default())?;
    File::open(path)?.take(size).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The BLAKE3 hash of a file of any size, lower-case hexadecimal. Errors: those of the system.
pub fn blake3(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_and_what_has_no_end_is_not() {
        let folder = tempfile::tempdir().expect("folder");
        let file = folder.path().join("a");
        fs::write(&file, "text").expect("writes");
        assert_eq!((text(&file).expect("reads"), head(&file, 2).expect("reads")), ("text".into(), b"te".to_vec()));
        assert_eq!(bytes(&folder.path().join("b")).expect_err("absent").kind(), ErrorKind::NotFound);
        assert_eq!(bytes(folder.path()).expect_err("a folder").kind(), ErrorKind::IsADirectory);
        fs::write(&file, packed::pack(b"text").expect("packs")).expect("writes");
        assert_eq!(contents(&file).expect("unpacks"), b"text");
        fs::write(&file, &bytes(&file).expect("reads")[..10]).expect("cut");
        assert!(contents(&file).expect_err("cut").to_string().contains("damaged"));
        fs::write(&file, b"\xff").expect("writes");
        assert_eq!(text(&file).expect_err("no text").kind(), ErrorKind::InvalidData);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_pipes_and_huge_files_are_refused_at_once() {
        let folder = tempfile::tempdir().expect("folder");
        assert!(bytes(Path::new("/dev/zero")).expect_err("endless").to_string().contains("a pipe or a device"));
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).expect("makes");
        assert!(bytes(&pipe).is_err());
        let huge = folder.path().join("huge");
        File::create(&huge).and_then(|file| file.set_len(bounds::FILE + 1)).expect("sparse");
        assert!(bytes(&huge).expect_err("too large").to_string().contains("more than"));
        assert_eq!(head(&huge, 10).expect("reads").len(), 10);
    }
}
