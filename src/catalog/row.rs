//! A catalog: the rows of an embedded TOML file, found by their names.

use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A row of an embedded file.
pub(super) trait Row: Deserialize<'static> + 'static {
    /// The file.
    const TEXT: &'static str;
    /// The array of tables with the rows, the only one of the file.
    const ARRAY: &'static str;

    /// Every name of the row, the id first.
    fn names(&self) -> Vec<&str>;
}

/// An embedded file in its typed form. Tests read each of them.
pub(super) fn parse<T: Deserialize<'static>>(text: &'static str) -> T {
    toml::from_str(text).expect("embedded catalogs are valid")
}

/// The rows of a file and where each name leads.
pub(super) struct Catalog<R> {
    rows: Vec<R>,
    by_name: FxHashMap<String, usize>,
}

impl<R: Row> Catalog<R> {
    /// The embedded file, in which a name stands for one row.
    pub(super) fn load() -> Catalog<R> {
        let mut arrays: BTreeMap<&str, Vec<R>> = parse(R::TEXT);
        let rows = arrays.remove(R::ARRAY).unwrap_or_default();
        debug_assert!(arrays.is_empty() && !rows.is_empty(), "a catalog is rows of {}", R::ARRAY);
        let mut by_name = FxHashMap::default();
        for (at, row) in rows.iter().enumerate() {
            for name in row.names() {
                let other = by_name.insert(name.to_owned(), at);
                debug_assert!(other.is_none() && !name.is_empty(), "{} {name:?} stands for two rows", R::ARRAY);
            }
        }
        Catalog { rows, by_name }
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
