//! The first line of a table: which report it is, what its columns are called, and their units.

/// A table that is read, as nsys calls it, and as it did before 2023.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString)]
pub(super) enum Report {
    #[strum(to_string = "cuda_gpu_kern_sum", serialize = "gpukernsum")]
    Kernels,
    #[strum(to_string = "cuda_gpu_trace", serialize = "gputrace")]
    Trace,
    #[strum(to_string = "cuda_gpu_mem_time_sum", serialize = "gpumemtimesum")]
    MemoryTimes,
    #[strum(to_string = "cuda_gpu_mem_size_sum", serialize = "gpumemsizesum")]
    MemorySizes,
    #[strum(to_string = "cuda_api_sum", serialize = "cudaapisum")]
    Calls,
}

/// A column: its name in small letters without spaces, and its unit as printed, which may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) unit: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header(pub(super) Vec<Column>);

impl Header {
    /// The header that these fields are: two columns at least that tables of nsys have, which a row of data has not.
    pub(super) fn of(fields: &[String]) -> Option<Header> {
        const KNOWN: [&str; 14] = [
            "time",
            "totaltime",
            "instances",
            "numcalls",
            "count",
            "operations",
            "name",
            "operation",
            "total",
            "start",
            "duration",
            "corrid",
            "range",
            "style",
        ];
        let columns: Vec<Column> = fields.iter().map(|field| column(field)).collect();
        let known = columns.iter().filter(|column| KNOWN.contains(&column.name.as_str())).count();
        (known >= 2).then_some(Header(columns))
    }

    /// The column of one of these names.
    pub(super) fn position(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.0.iter().position(|column| column.name == *name))
    }

    /// Which report has such columns, where nothing else says it. Calls of the operating system have those of
    /// `cuda_api_sum`, so that the caller looks at their names too.
    pub(super) fn report(&self) -> Option<Report> {
        let has = |name: &str| self.position(&[name]).is_some();
        let operation = has("operation") || has("name");
        if has("totaltime") && has("instances") && has("name") && !has("gridxyz") {
            Some(Report::Kernels)
        } else if has("totaltime") && has("numcalls") && has("name") {
            Some(Report::Calls)
        } else if has("totaltime") && (has("count") || has("operations")) && operation && !has("category") {
            Some(Report::MemoryTimes)
        } else if has("total") && (has("count") || has("operations")) && operation {
            Some(Report::MemorySizes)
        } else if has("start") && has("duration") && has("name") && (has("grdx") || has("strm") || has("device")) {
            Some(Report::Trace)
        } else {
            None
        }
    }
}

/// `Total Time (ns)` is `totaltime` in `ns`, `Time(%)` is `time` in `%`.
fn column(field: &str) -> Column {
    let field = field.trim();
    let (name, unit) = match field.rsplit_once('(') {
        Some((name, rest)) if rest.ends_with(')') => (name, rest.trim_end_matches(')').trim()),
        _ => (field, ""),
    };
    let name: String = name.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    Column { name, unit: unit.to_owned() }
}

/// Nanoseconds in a unit of time, as `--timeunit` takes it.
pub(super) fn nanoseconds(unit: &str) -> Option<f64> {
    Some(match unit.to_lowercase().as_str() {
        "ns" | "nsec" | "nanoseconds" => 1.0,
        "us" | "µs" | "usec" | "microseconds" => 1e3,
        "ms" | "msec" | "milliseconds" => 1e6,
        "s" | "sec" | "seconds" => 1e9,
        _ => return None,
    })
}

/// Bytes in a unit of size.
pub(super) fn bytes(unit: &str) -> Option<f64> {
    const KIBI: f64 = 1024.0;
    Some(match unit.to_lowercase().as_str() {
        "b" | "byte" | "bytes" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        "kib" => KIBI,
        "mib" => KIBI * KIBI,
        "gib" => KIBI * KIBI * KIBI,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(line: &str) -> Option<Header> {
        Header::of(&line.split(',').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_report_is_known_by_its_columns() {
        let report = |line: &str| header(line).and_then(|header| header.report());
        assert_eq!(report("Time (%),Total Time (ns),Instances,Avg (ns),Name"), Some(Report::Kernels));
        assert_eq!(report("Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,Name"), Some(Report::Kernels));
        assert_eq!(report("Time (%),Total Time (us),Num Calls,Avg (us),Name"), Some(Report::Calls));
        assert_eq!(report("Time (%),Total Time (ns),Count,Avg (ns),Operation"), Some(Report::MemoryTimes));
        assert_eq!(report("Total (MB),Count,Avg (MB),Operation"), Some(Report::MemorySizes));
        assert_eq!(report("Start (ns),Duration (ns),CorrId,GrdX,Bytes (MB),Device,Strm,Name"), Some(Report::Trace));
        assert_eq!(report("Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid"), None);
        assert_eq!(report("Time (%),Total Time (ns),Instances,Style,Range"), None);
        assert_eq!(header("60.0,600,2,my_gemm"), None);
    }

    #[test]
    fn units_of_time_and_size_are_factors() {
        assert_eq!([nanoseconds("ns"), nanoseconds("ms"), nanoseconds("MB")], [Some(1.0), Some(1e6), None]);
        assert_eq!([bytes("MB"), bytes("KiB"), bytes("")], [Some(1e6), Some(1024.0), None]);
    }
}
