//! A catalog: the rows of an embedded TOML file, found by their names.

use super::CatalogError;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A row of an embedded file.
pub(super) trait Row: Deserialize<'static> + 'static {
    /// The file's name.
    const FILE: &'static str;
    /// The file.
    const TEXT: &'static str;
    /// The array of tables with the rows, the only one of the file.
    const ARRAY: &'static str;

    /// Every name of the row, the id first.
    fn names(&self) -> Vec<&str>;

    /// Texts that must not be empty, by key.
    fn texts(&self) -> Vec<(&'static str, &str)>;

    /// What else can be wrong with a row, names of rows of other files among it.
    fn check(&self) -> Result<(), CatalogError> {
        Ok(())
    }

    /// The rows of the file.
    fn read() -> Result<Vec<Self>, CatalogError> {
        let mut arrays: BTreeMap<&str, Vec<Self>> = parse(Self::FILE, Self::TEXT)?;
        let rows = arrays.remove(Self::ARRAY).unwrap_or_default();
        match arrays.into_keys().next() {
            None => Ok(rows),
            Some(other) => Err(CatalogError::Dangling {
                file: Self::FILE,
                row: other.to_owned(),
                name: other.to_owned(),
                target: Self::ARRAY,
            }),
        }
    }

    /// The error of a row that names `name`, which `target` does not have.
    fn dangling(&self, name: &str, target: &'static str) -> CatalogError {
        CatalogError::Dangling { file: Self::FILE, row: id(self), name: name.to_owned(), target }
    }

    /// The error of a row with nothing under `key`.
    fn empty(&self, key: &'static str) -> CatalogError {
        CatalogError::Empty { file: Self::FILE, row: id(self), key }
    }
}

fn id<R: Row>(row: &R) -> String {
    row.names().first().copied().unwrap_or_default().to_owned()
}

/// An embedded file in its typed form.
pub(super) fn parse<T: Deserialize<'static>>(file: &'static str, text: &'static str) -> Result<T, CatalogError> {
    toml::from_str(text).map_err(|source| CatalogError::Syntax { file, source: Box::new(source) })
}

/// The rows of a file and where each name leads.
pub(super) struct Catalog<R> {
    rows: Vec<R>,
    by_name: FxHashMap<String, usize>,
}

impl<R: Row> Catalog<R> {
    /// The embedded file, which [`Catalog::verify`] holds to be without defect in a test.
    #[expect(clippy::expect_used, reason = "a test loads every catalog")]
    pub(super) fn load() -> Catalog<R> {
        R::read().and_then(Catalog::index).expect("embedded catalogs are valid")
    }

    /// Reads the file anew and checks every row.
    pub(super) fn verify() -> Result<(), CatalogError> {
        let catalog = Catalog::index(R::read()?)?;
        for row in &catalog.rows {
            if let Some((key, _)) = row.texts().iter().find(|(_, text)| text.trim().is_empty()) {
                return Err(row.empty(key));
            }
            row.check()?;
        }
        Ok(())
    }

    fn index(rows: Vec<R>) -> Result<Catalog<R>, CatalogError> {
        let mut by_name: FxHashMap<String, usize> = FxHashMap::default();
        for (at, row) in rows.iter().enumerate() {
            for name in row.names() {
                if name.is_empty() {
                    return Err(row.empty("name"));
                }
                if let Some(first) = by_name.insert(name.to_owned(), at) {
                    let (name, first, second) = (name.to_owned(), id(&rows[first]), id(row));
                    return Err(CatalogError::Duplicate { file: R::FILE, name, first, second });
                }
            }
        }
        Ok(Catalog { rows, by_name })
    }

    /// Every row, in the order of the file.
    pub(super) fn rows(&self) -> &[R] {
        &self.rows
    }

    /// The row of this name.
    pub(super) fn get(&self, name: &str) -> Option<&R> {
        self.by_name.get(name).map(|at| &self.rows[*at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Pair {
        id: &'static str,
        label: &'static str,
    }

    /// The rows of `Pair` with the given text.
    macro_rules! file {
        ($name:ident, $text:literal) => {
            #[derive(Debug, Deserialize)]
            #[serde(transparent, bound(deserialize = "'de: 'static"))]
            struct $name(Pair);

            impl Row for $name {
                const FILE: &'static str = "x.toml";
                const TEXT: &'static str = $text;
                const ARRAY: &'static str = "row";

                fn names(&self) -> Vec<&str> {
                    vec![self.0.id]
                }

                fn texts(&self) -> Vec<(&'static str, &str)> {
                    vec![("label", self.0.label)]
                }
            }
        };
    }

    file!(Unknown, "[[row]]\nid = \"a\"\nhue = 1\n");
    file!(
        Twice,
        "[[row]]\nid = \"a\"\nlabel = \"x\"\n[[row]]\nid = \"b\"\nlabel = \"x\"\n[[row]]\nid = \"a\"\nlabel = \"x\"\n"
    );
    file!(Blank, "[[row]]\nid = \"a\"\nlabel = \" \"\n");
    file!(Other, "[[rwo]]\nid = \"a\"\nlabel = \"x\"\n");
    file!(Whole, "[[row]]\nid = \"a\"\nlabel = \"x\"\n[[row]]\nid = \"b\"\nlabel = \"y\"\n");

    #[test]
    fn every_defect_of_a_file_is_an_error_that_names_it() {
        let text = |met: Result<(), CatalogError>| met.expect_err("a defect").to_string();
        let unknown = text(Catalog::<Unknown>::verify());
        assert!(unknown.contains("x.toml") && unknown.contains("hue"), "{unknown}");
        let twice = Catalog::<Twice>::verify();
        assert!(matches!(twice, Err(CatalogError::Duplicate { ref name, .. }) if name == "a"), "{twice:?}");
        assert!(text(Catalog::<Blank>::verify()).contains("\"label\""));
        assert!(text(Catalog::<Other>::verify()).contains("rwo"));
    }

    #[test]
    fn a_name_leads_to_its_row() {
        assert!(Catalog::<Whole>::verify().is_ok());
        let catalog = Catalog::<Whole>::load();
        assert_eq!(catalog.get("b").map(|row| row.0.label), Some("y"));
        assert!(catalog.get("c").is_none());
        assert_eq!(catalog.rows().len(), 2);
    }
}
