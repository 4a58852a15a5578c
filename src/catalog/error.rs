//! What can be wrong with a catalog file.

/// A defect of an embedded catalog. Met only while a row is being written: a test loads every catalog.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// The file is no TOML, or a row lacks a key, has an unknown key or a value of the wrong type.
    #[error("load catalog {file}: {source}")]
    Syntax {
        /// The catalog file.
        file: &'static str,
        /// What the TOML reader met, with its line.
        source: Box<toml::de::Error>,
    },
    /// A name stands for two rows.
    #[error("load catalog {file}: {name:?} names both {first:?} and {second:?}: rename or remove one")]
    Duplicate {
        /// The catalog file.
        file: &'static str,
        /// The name met twice.
        name: String,
        /// The row that had it first.
        first: String,
        /// The row that has it again.
        second: String,
    },
    /// A row names a row of another catalog that does not exist.
    #[error(
        "load catalog {file}: row {row:?} names {name:?}, which {target} does not have: add it there or correct the name"
    )]
    Dangling {
        /// The catalog file.
        file: &'static str,
        /// The row with the name.
        row: String,
        /// The name that leads nowhere.
        name: String,
        /// The catalog where it should be.
        target: &'static str,
    },
    /// A required text is empty, or a list has no entry.
    #[error("load catalog {file}: row {row:?} has nothing under {key:?}: fill it in")]
    Empty {
        /// The catalog file.
        file: &'static str,
        /// The row.
        row: String,
        /// The key without content.
        key: &'static str,
    },
}
