//! The Python module `kernel_audit._native`: reports as Arrow tables, and the program's verbs in this process.
//!
//! The package around it (`python/kernel_audit`) has what people call; its types are in `_native.pyi`.

mod table;
mod tables;

use kernel_audit::cli;
use kernel_audit::source::ReadError;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// A report whose tables are read when they are asked for.
#[pyclass(module = "kernel_audit._native", frozen)]
struct Report {
    path: PathBuf,
}

#[pymethods]
impl Report {
    /// One row for each result.
    fn launches(&self, py: Python<'_>) -> PyResult<table::Table> {
        self.table(py, tables::launches)
    }

    /// One row for each metric of each result.
    fn metrics(&self, py: Python<'_>) -> PyResult<table::Table> {
        self.table(py, tables::metrics)
    }

    /// One row for each instance of each metric of each result.
    fn instances(&self, py: Python<'_>) -> PyResult<table::Table> {
        self.table(py, tables::instances)
    }

    /// One row for each source file and each cubin that the report embeds.
    fn sources(&self, py: Python<'_>) -> PyResult<table::Table> {
        self.table(py, tables::sources)
    }

    /// One row for each instruction and stall reason that was sampled there.
    fn samples(&self, py: Python<'_>) -> PyResult<table::Table> {
        self.table(py, tables::samples)
    }
}

impl Report {
    fn table(&self, py: Python<'_>, read: fn(&std::path::Path) -> tables::Made) -> PyResult<table::Table> {
        let made = py.detach(|| read(&self.path));
        made.map(table::Table::new).map_err(|error| match error {
            tables::Fault::Read(error @ ReadError::Io { .. }) => PyOSError::new_err(error.to_string()),
            tables::Fault::Read(error) => PyValueError::new_err(error.to_string()),
            tables::Fault::Arrow(error) => PyValueError::new_err(error.to_string()),
        })
    }
}

/// Opens a report, after a look at whether it is one.
#[pyfunction]
fn open(py: Python<'_>, path: PathBuf) -> PyResult<Report> {
    let report = Report { path };
    report.table(py, tables::looked_at)?;
    Ok(report)
}

/// Runs a verb: exit status, what it printed, and the error in words.
#[pyfunction]
fn call(py: Python<'_>, arguments: Vec<String>) -> (u8, Py<PyBytes>, String) {
    let (status, out, error) = py.detach(|| cli::call(arguments));
    (status as u8, PyBytes::new(py, &out).unbind(), error)
}

/// Runs the program with its arguments, the name first, and gives the exit status.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<String>) -> u8 {
    py.detach(|| cli::run_with(arguments)) as u8
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Report>()?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(open, module)?)?;
    module.add_function(wrap_pyfunction!(call, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    Ok(())
}
