//! Packs the catalogs: every `src/catalog/*.toml` as MessagePack, which is read in a tenth of the time.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
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
    Ok(())
}
