//! A table that pyarrow, pandas and polars take by the Arrow C stream interface.

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Columns of one length, with names and types of Arrow.
#[pyclass(module = "kernel_audit._native", frozen)]
pub(crate) struct Table {
    batch: RecordBatch,
}

impl Table {
    pub(crate) fn new(batch: RecordBatch) -> Table {
        Table { batch }
    }
}

#[pymethods]
impl Table {
    /// The rows as a capsule of the Arrow C stream interface; no value is copied.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A producer may give its own types whatever is asked for.
        drop(requested_schema);
        let rows = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(rows)), c"arrow_array_stream")
    }

    /// Names and types as a capsule of the Arrow C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref());
        let schema = schema.map_err(|error| PyValueError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }
}
