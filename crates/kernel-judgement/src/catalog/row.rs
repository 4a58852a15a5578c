//! A catalog: the rows of a TOML file, which the build embeds as JSON, found by their names.

use rustc_hash::FxHashMap;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// An embedded file in its typed form. Tests read each of them.
pub(super) fn parse<T: Deserialize<'static>>(text: &'static str) -> T {
    serde_json::from_str(text).expect("embedded catalogs are valid")
}

/// The text of a file of this folder as the build script wrote it: JSON, which is read in a seventh of the time.
macro_rules! embedded {
    ($file:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $file, ".json"))
    };
}
pub(super) use embedded;

/// The one array of tables of a file, with its name. It is no map, whose code would be compiled for each type of rows.
struct Array<R>(&'static str, Vec<R>);

impl<R: Deserialize<'static>> Deserialize<'static> for Array<R> {
    fn deserialize<D: Deserializer<'static>>(file: D) -> Result<Array<R>, D::Error> {
        file.deserialize_map(OneArray(PhantomData))
    }
}

struct OneArray<R>(PhantomData<R>);

impl<R: Deserialize<'static>> Visitor<'static> for OneArray<R> {
    type Value = Array<R>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("one array of tables")
    }

    fn visit_map<A: MapAccess<'static>>(self, mut file: A) -> Result<Array<R>, A::Error> {
        let (name, rows) = file.next_entry()?.ok_or_else(|| Error::invalid_length(0, &self))?;
        match file.next_key::<&str>()? {
            None => Ok(Array(name, rows)),
            Some(other) => Err(Error::unknown_field(other, &[])),
        }
    }
}

/// The rows of a file and where each name leads.
pub(super) struct Catalog<R> {
    rows: Vec<R>,
    by_name: FxHashMap<String, usize>,
}

impl<R: Deserialize<'static>> Catalog<R> {
    /// The rows of an embedded file, which are its one array of tables. `names` gives every name of a row; each stands for one row.
    pub(super) fn load(text: &'static str, array: &str, names: fn(&R) -> Vec<&str>) -> Catalog<R> {
        let Array(name, rows) = parse::<Array<R>>(text);
        assert!(name == array && !rows.is_empty(), "a catalog is rows of {array}");
        let mut by_name = FxHashMap::default();
        for (at, row) in rows.iter().enumerate() {
            for name in names(row) {
                let other = by_name.insert(name.to_owned(), at);
                assert!(other.is_none() && !name.is_empty(), "{array} {name:?} stands for two rows");
            }
        }
        Catalog { rows, by_name }
    }

    /// Every row, in the order of the file.
    pub(super) fn rows(&self) -> &[R] {
        &self.rows
    }

    pub(super) fn get(&self, name: &str) -> Option<&R> {
        self.by_name.get(name).map(|at| &self.rows[*at])
    }
}

/// The catalog of a file: its rows, a function that gives every one, and where it is asked for, one that finds a row by name.
macro_rules! catalog {
    (
        $row:ty, $file:literal, $array:literal, $names:expr,
        $(#[$doc:meta])* $seen:vis fn $all:ident
        $(, $(#[$of_one:meta])* $seen_one:vis fn $one:ident)?
    ) => {
        static ROWS: std::sync::LazyLock<$crate::catalog::row::Catalog<$row>> =
            std::sync::LazyLock::new(|| $crate::catalog::row::Catalog::load($crate::catalog::row::embedded!($file), $array, $names));

        $(#[$doc])*
        $seen fn $all() -> &'static [$row] {
            ROWS.rows()
        }

        $(
            $(#[$of_one])*
            $seen_one fn $one(name: &str) -> Option<&'static $row> {
                ROWS.get(name)
            }
        )?
    };
}
pub(super) use catalog;
