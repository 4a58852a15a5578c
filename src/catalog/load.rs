//! Reading an embedded catalog and indexing its rows by name.

use rustc_hash::FxHashMap;

use serde::Deserialize;

use super::{
    CatalogError, chips, collection, limiters, metrics, opcodes, profiles, sass_aliases, stalls, subsystems, tables,
    thresholds,
};

/// A catalog file as it is built in.
pub(super) struct Embedded {
    /// The file's name.
    pub(super) file: &'static str,
    /// The file.
    pub(super) text: &'static str,
    /// The same, packed by the build script.
    pub(super) packed: &'static [u8],
}

/// The [`Embedded`] catalog of that name.
macro_rules! embedded {
    ($name:literal) => {
        $crate::catalog::load::Embedded {
            file: concat!($name, ".toml"),
            text: include_str!(concat!($name, ".toml")),
            packed: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".msgpack")),
        }
    };
}
pub(super) use embedded;

impl Embedded {
    /// The catalog in its typed form, its texts borrowed. Where the packed form does not fit the type, the file itself
    /// is read, which tells the line.
    pub(super) fn read<T: Deserialize<'static>>(&self) -> Result<T, CatalogError> {
        rmp_serde::from_slice(self.packed).or_else(|met| {
            let read = toml::from_str(self.text)
                .map_err(|source| CatalogError::Syntax { file: self.file, source: Box::new(source) });
            debug_assert!(read.is_err() || self.packed.is_empty(), "{} loses by packing: {met}", self.file);
            read
        })
    }
}

/// Indexes rows by all their names. `names` gives the id first, then the other spellings.
pub(super) fn index<R, I>(
    file: &'static str,
    rows: &'static [R],
    names: impl Fn(&'static R) -> I,
) -> Result<FxHashMap<&'static str, &'static R>, CatalogError>
where
    I: IntoIterator<Item = &'static str>,
{
    let mut by_name: FxHashMap<&'static str, (&'static str, &'static R)> =
        FxHashMap::with_capacity_and_hasher(2 * rows.len(), Default::default());
    for row in rows {
        let mut id = "";
        for name in names(row) {
            if id.is_empty() {
                id = name;
            }
            if name.is_empty() {
                return Err(CatalogError::Empty { file, row: id.to_owned(), key: "name" });
            }
            if let Some((first, _)) = by_name.insert(name, (id, row)) {
                return Err(CatalogError::Duplicate {
                    file,
                    name: name.to_owned(),
                    first: first.to_owned(),
                    second: id.to_owned(),
                });
            }
        }
    }
    Ok(by_name.into_iter().map(|(name, (_, row))| (name, row)).collect())
}

/// Fails on the first of these texts that is empty.
pub(super) fn filled(file: &'static str, row: &str, texts: &[(&'static str, &str)]) -> Result<(), CatalogError> {
    match texts.iter().find(|(_, text)| text.trim().is_empty()) {
        Some((key, _)) => Err(CatalogError::Empty { file, row: row.to_owned(), key }),
        None => Ok(()),
    }
}

/// Loads every catalog and checks all references between them.
///
/// # Errors
/// The first defect found; the embedded catalogs have none, which a test of this function holds.
pub fn verify() -> Result<(), CatalogError> {
    metrics::check()?;
    stalls::check()?;
    opcodes::check()?;
    sass_aliases::check()?;
    tables::check()?;
    thresholds::check()?;
    limiters::check()?;
    profiles::check()?;
    collection::check()?;
    subsystems::check()?;
    chips::check()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
    struct File {
        row: Vec<Row>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        id: &'static str,
    }

    #[test]
    fn an_unknown_key_is_an_error_that_names_the_file() {
        let text = "[[row]]\nid = \"a\"\nhue = 1\n";
        let met = Embedded { file: "x.toml", text, packed: &[] }.read::<File>().expect_err("unknown key");
        let text = met.to_string();
        assert!(text.contains("x.toml") && text.contains("hue"), "{text}");
    }

    #[test]
    fn a_name_used_twice_is_an_error_that_names_both_rows() {
        let text = "[[row]]\nid = \"a\"\n[[row]]\nid = \"b\"\n[[row]]\nid = \"a\"\n";
        let read = Embedded { file: "x.toml", text, packed: &[] }.read().expect("parses");
        let file: &'static File = Box::leak(Box::new(read));
        let met = index("x.toml", &file.row, |row| [row.id]).expect_err("duplicate");
        assert!(matches!(met, CatalogError::Duplicate { ref name, .. } if name == "a"), "{met}");
        let two = index("x.toml", &file.row[..2], |row| [row.id]).expect("distinct");
        assert_eq!(two["b"].id, "b");
    }

    #[test]
    fn an_empty_text_is_an_error() {
        assert!(filled("x.toml", "a", &[("label", "x"), ("help", " ")]).is_err());
        assert!(filled("x.toml", "a", &[("label", "x")]).is_ok());
    }

    #[test]
    fn the_embedded_catalogs_have_no_defect() {
        verify().unwrap_or_else(|met| unreachable!("{met}"));
    }
}
