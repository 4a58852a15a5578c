//! `audit timeline`: what nsys printed or exported, and what follows from it.

use super::project;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// Two launches of a product and three of a sum, as nsys 2024 prints them, with lines between the tables.
const STATS: &str = r#"
NOTICE: Existing SQLite export found: app.sqlite
        It is assumed file was previously exported from: app.nsys-rep

Processing [app.sqlite] with [/opt/nsys/reports/cuda_gpu_kern_sum.py]...

 ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):

Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
90.0,"1,800,000",3,600000.0,600000.0,500000,700000,100000.0,"void ns::gemm<float, (int)4>(const float *, float *, int)"
10.0,200000,2,100000.0,100000.0,90000,110000,14142.1,"sum(const float *, int)"

Processing [app.sqlite] with [/opt/nsys/reports/cuda_gpu_trace.py]...
Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name
1000000,400000,100,,,,,,,,,,8.389,20972.5,Pageable,Device,NVIDIA H200 (0),1,,7,[CUDA memcpy Host-to-Device]
1400000,700000,101,64,64,1,256,1,1,64,0.000,0.000,,,,,NVIDIA H200 (0),1,,7,"void ns::gemm<float, (int)4>(const float *, float *, int)"
2100000,90000,102,64,1,1,256,1,1,20,0.000,0.000,,,,,NVIDIA H200 (0),1,,7,"sum(const float *, int)"
2390000,500000,103,64,64,1,256,1,1,64,0.000,0.000,,,,,NVIDIA H200 (0),1,,7,"void ns::gemm<float, (int)4>(const float *, float *, int)"
2890000,110000,104,64,1,1,256,1,1,20,0.000,0.000,,,,,NVIDIA H200 (0),1,,7,"sum(const float *, int)"
3000000,600000,105,64,64,1,256,1,1,64,0.000,0.000,,,,,NVIDIA H200 (0),1,,7,"void ns::gemm<float, (int)4>(const float *, float *, int)"

 ** CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum):

Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation
100.0,400000,1,400000.0,400000.0,400000,400000,0.0,[CUDA memcpy Host-to-Device]

 ** CUDA GPU MemOps Summary (by Size) (cuda_gpu_mem_size_sum):

Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation
8.389,1,8.389,8.389,8.389,8.389,0.000,[CUDA memcpy Host-to-Device]

 ** CUDA API Summary (cuda_api_sum):

Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
97.2,90000000,2,45000000.0,45000000.0,100000,89900000,63498434.8,cudaMalloc
2.0,1900000,1,1900000.0,1900000.0,1900000,1900000,0.0,cudaDeviceSynchronize
0.8,700000,5,140000.0,5000.0,4000,680000,300000.0,cudaLaunchKernel
"#;

fn audit(dir: &Path, words: &[&str]) -> Output {
    project::audit(dir).args(words).output().unwrap()
}

fn json(dir: &Path, arguments: &[&str]) -> Value {
    let made = audit(dir, &[&["timeline", "--json"], arguments].concat());
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    serde_json::from_slice(&made.stdout).unwrap()
}

/// What the program says of a file that it refuses.
fn refused(name: &str, content: impl AsRef<[u8]>) -> String {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join(name), content).unwrap();
    let made = audit(dir.path(), &["timeline", name]);
    assert_eq!(made.status.code(), Some(3), "{}", String::from_utf8_lossy(&made.stdout));
    String::from_utf8(made.stderr).unwrap()
}

fn answers(timeline: &Value) -> Vec<(&str, &str)> {
    let rows = timeline["decisions"].as_array().unwrap();
    rows.iter().map(|row| (row["id"].as_str().unwrap(), row["answer"].as_str().unwrap())).collect()
}

#[test]
fn every_table_of_one_output_is_read() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("t.csv"), STATS).unwrap();
    let timeline = json(dir.path(), &["t.csv"]);
    assert_eq!(timeline["schema"], "kernel-audit/timeline/1");
    let gemm = &timeline["kernels"]["found"][0];
    assert_eq!((&gemm["total_ns"], &gemm["count"]), (&1.8e6.into(), &3.into()));
    assert_eq!(gemm["share_percent"], 90.0);
    // From 1.0 to 3.6 ms; the one hole is 2.19 to 2.39 ms.
    let gpu = &timeline["devices"]["found"][0];
    assert_eq!((&gpu["span_ns"], &gpu["idle_ns"]), (&2.6e6.into(), &2e5.into()));
    assert_eq!((&gpu["kernel_ns"], &gpu["memory_only_ns"]), (&2e6.into(), &4e5.into()));
    assert_eq!(
        (&gpu["gaps"]["count"], &gpu["gaps"]["largest"]["after"]),
        (&1.into(), &"sum(const float *, int)".into())
    );
    let copy = &timeline["transfers"]["found"][0];
    assert_eq!((&copy["name"], &copy["total_bytes"]), (&"Host-to-Device".into(), &8.389e6.into()));
    assert!((copy["bytes_per_second"].as_f64().unwrap() / 2.09725e10 - 1.0).abs() < 1e-12);
    assert_eq!(timeline["calls"]["found"][0]["class"], "allocation");
    // Without the call that made the context, allocations took 0.1 ms.
    assert_eq!(answers(&timeline), [("gaps", "no"), ("copies", "no"), ("allocations", "no"), ("kernels", "yes")]);
    // The second gemm took 500 µs, the third 600 µs, which is the median; the first does not count.
    let next = &timeline["next"];
    assert_eq!((&next[0]["filter"], &next[0]["skip"]), (&"^gemm$".into(), &2.into()));
    assert_eq!(next[1]["filter"], "^sum$");
}

#[test]
fn the_terminal_shows_the_readings_and_the_commands() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("t.csv"), STATS).unwrap();
    let made = audit(dir.path(), &["timeline", "t.csv", "--width", "200"]);
    let shown = String::from_utf8(made.stdout).unwrap();
    for wanted in [
        "2 kernels, 5 launches, 2.00 ms in sum.",
        "NVIDIA H200 (0) was busy for 92.31 % of 2.60 ms",
        "The largest, 200.00 µs, comes 1.19 ms after the start",
        "20.97 GB/s",
        "waits for the GPU",
        "1. Are there large gaps between the kernels? no: the GPU was idle for 200.00 µs of 2.60 ms, 7.69 %",
        "4. Do kernels dominate? yes: none of the answers above is yes. Profile the kernels below",
        "kernel = '^gemm$'",
        "skip = 2",
        "--kernel-name 'regex:^gemm$' --launch-skip 2 --launch-count 1 --export gemm PROGRAM",
    ] {
        assert!(shown.contains(wanted), "{wanted}\n{shown}");
    }
    let gaps = json(dir.path(), &["t.csv", "--threshold", "timeline-idle=5"]);
    assert_eq!(answers(&gaps), [("gaps", "yes"), ("copies", "no"), ("allocations", "no"), ("kernels", "no")]);
}

#[test]
fn a_table_that_is_missing_is_said_and_never_zero() {
    let dir = TempDir::new().unwrap();
    let table = "\"Time (%)\",\"Total Time (ms)\",\"Instances\",\"Med (ms)\",\"Min (ms)\",\"Max (ms)\",\"Name\"\n100.0,1.5,15,0.1,0.1,0.1,\"gemm(int)\"\n";
    fs::write(dir.path().join("t.csv"), format!("{table}\nSKIPPED: app.sqlite does not contain GPU memory data.\n"))
        .unwrap();
    let timeline = json(dir.path(), &["t.csv"]);
    assert_eq!(timeline["kernels"]["found"][0]["total_ns"], 1.5e6);
    for part in ["devices", "transfers", "calls"] {
        assert!(timeline[part]["missing"].as_str().unwrap().starts_with("no table of"), "{part}");
        assert_eq!(timeline[part].get("found"), None);
    }
    let missing = "not-measured";
    assert_eq!(
        answers(&timeline),
        [("gaps", missing), ("copies", missing), ("allocations", missing), ("kernels", missing)]
    );
    assert_eq!(timeline["next"][0]["skip"], 10);
    assert_eq!(timeline["notes"][0], "nsys says that the recording does not contain GPU memory data");
    let made = audit(dir.path(), &["timeline", "t.csv"]);
    assert!(String::from_utf8(made.stdout).unwrap().contains("Not measured: the files hold no table of calls"));
}

#[test]
fn files_of_one_run_are_joined_and_a_table_is_read_once() {
    let dir = TempDir::new().unwrap();
    let kernels = "Time (%),Total Time (ns),Instances,Name\n100.0,100,1,gemm\n";
    let calls = "Time (%),Total Time (ns),Num Calls,Max (ns),Name\n100.0,900,3,900,poll\n";
    fs::write(dir.path().join("a_cuda_gpu_kern_sum.csv"), kernels).unwrap();
    fs::write(dir.path().join("b.csv"), kernels).unwrap();
    fs::write(dir.path().join("a_cuda_api_sum.csv"), calls.replace("poll", "cudaMalloc")).unwrap();
    fs::write(dir.path().join("os.csv"), format!("{kernels}{calls}")).unwrap();
    let joined = json(dir.path(), &["a_cuda_gpu_kern_sum.csv", "a_cuda_api_sum.csv"]);
    assert_eq!(joined["calls"]["found"][0]["name"], "cudaMalloc");
    assert_eq!(joined["files"].as_array().unwrap().len(), 2);
    let twice = audit(dir.path(), &["timeline", "a_cuda_gpu_kern_sum.csv", "b.csv"]);
    assert!(
        String::from_utf8_lossy(&twice.stderr).contains("b.csv: it holds the sum of the kernels, which a file before")
    );
    // Calls of the operating system have the columns of those of CUDA.
    let system = json(dir.path(), &["os.csv"]);
    assert!(system["calls"]["missing"].is_string());
    assert!(system["notes"][0].as_str().unwrap().contains("without one of CUDA"));
}

#[test]
fn decimal_commas_are_told_from_thousands() {
    let dir = TempDir::new().unwrap();
    let table =
        "Total (MB),Count,Avg (MB),StdDev (MB),Operation\n\"482,333\",3,\"160,778\",\"0,000\",[CUDA memcpy DtoH]\n";
    fs::write(dir.path().join("t.csv"), table).unwrap();
    let timeline = json(dir.path(), &["t.csv"]);
    assert_eq!(timeline["transfers"]["found"][0]["total_bytes"], 482.333e6);
    assert_eq!(timeline["transfers"]["found"][0]["total_ns"], Value::Null);
    let either = refused("t.csv", "Total (MB),Count,Operation\n\"482,333\",3,[CUDA memcpy DtoH]\n");
    assert!(either.contains("may be either") && either.contains("LC_ALL=C"), "{either}");
}

#[test]
fn what_is_no_timeline_is_refused_with_the_cure() {
    let cases: [(&str, &[u8], &str); 8] = [
        ("a.csv", b"", "it is an empty file"),
        ("a.csv", b"hello\nworld\n", "it is not output of nsys"),
        ("a.nsys-rep", b"\x01\x02", "which only nsys reads"),
        ("a.ncu-rep", b"NVR\0....", "it is a report of Nsight Compute"),
        ("a.txt", b" Time (%)  Total Time (ns)  Instances  Name\n 100.0  5  1  gemm\n", "not CSV"),
        (
            "a.csv",
            b"Time (%),Total Time (ns),Instances,Name\n50.0,10,1,a\n50.0,1",
            "line 3: expected a row of 4 fields",
        ),
        (
            "a.csv",
            b"Time (%),Total Time (ns),Instances,Name\n50.0,10,1,\"void a<i",
            "line 2: expected a row of 4 fields",
        ),
        ("a.csv", b"Time (%),Total Time (eons),Instances,Name\n50.0,10,1,a\n", "found \"eons\""),
    ];
    for (name, content, wanted) in cases {
        let said = refused(name, content);
        assert!(said.contains(wanted) && said.contains("help: "), "{wanted}\n{said}");
    }
    let lacking = refused("a.csv", "SKIPPED: app.sqlite does not contain CUDA kernel data.\n");
    assert!(lacking.contains("holds no table") && lacking.contains("does not contain CUDA kernel data"), "{lacking}");
}

#[cfg(not(feature = "sqlite"))]
#[test]
fn a_database_says_how_it_can_be_read() {
    let said = refused("app.sqlite", b"SQLite format 3\0 and the rest");
    assert!(said.contains("app.sqlite") && said.contains("it is an SQLite database"), "{said}");
    assert!(said.contains("--features sqlite") && said.contains("nsys stats --format csv"), "{said}");
}

#[cfg(feature = "sqlite")]
mod database {
    use super::*;
    use kernel_audit::source::rusqlite::Connection;

    /// A database as `nsys export` makes it, with the columns that are read; three launches, a copy, no fill.
    fn export(path: &Path) -> Connection {
        let connection = Connection::open(path).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
                 CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
                 CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
                     streamId INTEGER NOT NULL, correlationId INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL);
                 CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
                     bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL);
                 CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, nameId INTEGER NOT NULL);
                 INSERT INTO StringIds VALUES (1, 'void gemm<4>(float *)'), (2, 'gemm'), (3, 'cudaLaunchKernel_v7000'), (4, 'cudaFree_v3020');
                 INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device');
                 INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (2000, 3000, 0, 7, 1, 1, 2), (9000, 9600, 0, 7, 2, 1, 2), (9600, 10000, 0, 7, 3, 1, 2);
                 INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (0, 1000, 0, 4096, 1), (3000, 3500, 0, 0, 2);
                 INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 10, 3), (20, 40, 3), (50, 60, 4);",
            )
            .unwrap();
        connection
    }

    #[test]
    fn an_export_gives_what_the_printed_tables_give() {
        let dir = TempDir::new().unwrap();
        drop(export(&dir.path().join("a.sqlite")));
        let timeline = json(dir.path(), &["a.sqlite"]);
        let gemm = &timeline["kernels"]["found"][0];
        assert_eq!((&gemm["name"], &gemm["count"]), (&"void gemm<4>(float *)".into(), &3.into()));
        assert_eq!((&gemm["total_ns"], &gemm["median_ns"]), (&2000.0.into(), &600.0.into()));
        let gpu = &timeline["devices"]["found"][0];
        assert_eq!((&gpu["device"], &gpu["span_ns"], &gpu["idle_ns"]), (&"GPU 0".into(), &1e4.into(), &6500.0.into()));
        assert_eq!((&gpu["gaps"]["count"], &gpu["gaps"]["memory_ns"]), (&1.into(), &500.0.into()));
        let copies = timeline["transfers"]["found"].as_array().unwrap();
        assert_eq!((&copies[0]["name"], &copies[0]["total_bytes"]), (&"Host-to-Device".into(), &4096.0.into()));
        // No name for it in the database: that of CUPTI's enumeration.
        assert_eq!(copies[1]["name"], "Device-to-Host");
        let calls = timeline["calls"]["found"].as_array().unwrap();
        assert_eq!(
            (&calls[0]["name"], &calls[0]["count"], &calls[0]["total_ns"]),
            (&"cudaLaunchKernel".into(), &2.into(), &30.0.into())
        );
        assert_eq!(answers(&timeline)[0], ("gaps", "yes"));
        assert_eq!(timeline["notes"].as_array().unwrap().len(), 1);
        assert!(timeline["notes"][0].as_str().unwrap().contains("CUPTI_ACTIVITY_KIND_MEMSET"));
        assert_eq!(timeline["next"][0]["skip"], 1);
    }

    #[test]
    fn another_database_and_a_cut_one_are_refused() {
        let dir = TempDir::new().unwrap();
        let other = dir.path().join("other.sqlite");
        Connection::open(&other).unwrap().execute_batch("CREATE TABLE people (name TEXT);").unwrap();
        let said = refused("other.sqlite", fs::read(&other).unwrap());
        assert!(said.contains("none that Nsight Systems exported") && said.contains("nsys export"), "{said}");
        let whole = dir.path().join("whole.sqlite");
        drop(export(&whole));
        let bytes = fs::read(&whole).unwrap();
        let said = refused("cut.sqlite", &bytes[..bytes.len() / 2]);
        assert!(said.contains("expected a whole database"), "{said}");
        // What has no end, or is as large as it likes, when it is asked.
        let endless =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS start, i AS end FROM n";
        for made in [
            format!("CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS {endless};"),
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (end, start AS (hex(zeroblob(1 << 29))));".to_owned(),
            "DROP TABLE StringIds; CREATE VIEW StringIds AS SELECT 1 AS id, hex(zeroblob(1 << 29)) AS value;"
                .to_owned(),
        ] {
            let computed = dir.path().join("computed.sqlite");
            let _ = fs::remove_file(&computed);
            let connection = export(&computed);
            connection.execute_batch(&format!("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; {made}")).unwrap();
            drop(connection);
            let said = refused("computed.sqlite", fs::read(&computed).unwrap());
            assert!(said.contains("is computed when it is read") && said.contains("export it again"), "{said}");
        }
        let half = dir.path().join("half.sqlite");
        let connection = export(&half);
        connection
            .execute_batch("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME;")
            .unwrap();
        drop(connection);
        let timeline = json(dir.path(), &["half.sqlite"]);
        assert!(timeline["kernels"]["missing"].is_string() && timeline["calls"]["missing"].is_string());
        assert_eq!(timeline["next"].as_array().unwrap().len(), 0);
    }
}
