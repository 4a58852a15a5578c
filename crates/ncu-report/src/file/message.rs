//! The protobuf messages of the report, as subsets: a field that nobody reads is left out.
//!
//! Owns every field number that is read; those of a result's large parts stand where they are taken off
//! ([`super::kind`]), those of what is taken out of a report in [`super::public`]. Text is kept as bytes and decoded when it is
//! used, so that text that is not UTF-8 spoils nothing. Every field is optional, whatever the writer promises.

use super::fields::{label, messages};
use bytes::Bytes;

messages! {
    /// The process whose work a block holds.
    #[derive(Eq, Hash)]
    ProcessInfo {
        id: Option<u32> = 1 (uint32, optional),
        host: Option<Bytes> = 2 (bytes, optional),
        /// Path of the executable.
        path: Option<Bytes> = 3 (bytes, optional),
    }

    /// Header of the file.
    FileHeader {
        version: Option<u32> = 1 (uint32, optional),
    }

    /// Header of one block.
    BlockHeader {
        sources: Option<u32> = 1 (uint32, optional),
        kernels: Option<u32> = 2 (uint32, optional),
        /// A piece of the session.
        session: Option<Bytes> = 3 (bytes, optional),
        names: Option<StringTable> = 4 (message, optional),
        payload_size: Option<u32> = 5 (uint32, optional),
        process: Option<ProcessInfo> = 6 (message, optional),
        ranges: Option<u32> = 7 (uint32, optional),
        cmdlists: Option<u32> = 8 (uint32, optional),
        graphs: Option<u32> = 9 (uint32, optional),
    }

    /// A piece of the file's one table of metric names.
    StringTable {
        strings: Vec<Bytes> = 1 (bytes, repeated),
    }

    /// The session; arrives in pieces that merge.
    SessionDetails {
        created: Option<u64> = 2 (uint64, optional),
        host: Option<SystemInfo> = 3 (message, optional),
        target: Option<SystemInfo> = 4 (message, optional),
        devices: Vec<DeviceAttributes> = 6 (message, repeated),
        comments: Option<Bytes> = 7 (bytes, optional),
        versions: Vec<VersionInfo> = 8 (message, repeated),
        executable: Option<Executable> = 9 (message, optional),
        command_line: Option<Bytes> = 11 (bytes, optional),
    }

    /// An operating system and its machine.
    SystemInfo {
        name: Option<Bytes> = 1 (bytes, optional),
        build: Option<Bytes> = 2 (bytes, optional),
    }

    /// A device of the session.
    DeviceAttributes {
        id: Option<u32> = 1 (uint32, optional),
        name: Option<Bytes> = 2 (bytes, optional),
        attributes: Vec<Attribute> = 3 (message, repeated),
    }

    /// One attribute of a device.
    Attribute {
        name: Option<Bytes> = 1 (bytes, optional),
        value: Option<Bytes> = 2 (bytes, optional),
    }

    /// The version of one component.
    VersionInfo {
        provider: Option<Bytes> = 1 (bytes, optional),
        version: Option<Bytes> = 2 (bytes, optional),
    }

    /// What was started; from captures of the graphical program. The environment is not read.
    Executable {
        path: Option<Bytes> = 1 (bytes, optional),
        directory: Option<Bytes> = 2 (bytes, optional),
        arguments: Option<Bytes> = 3 (bytes, optional),
    }

    /// One kernel launch.
    KernelResult {
        thread: Option<u32> = 1 (uint32, optional),
        mangled: Option<Bytes> = 5 (bytes, optional),
        function: Option<Bytes> = 6 (bytes, optional),
        /// Empty for `extern "C"` kernels.
        demangled: Option<Bytes> = 7 (bytes, optional),
        grid: Option<Extent> = 10 (message, optional),
        block: Option<Extent> = 11 (message, optional),
        created: Option<u64> = 14 (uint64, optional),
        /// A source message that holds only the reference.
        source: Option<Bytes> = 15 (bytes, optional),
        context: Option<u32> = 22 (uint32, optional),
        stream: Option<u32> = 23 (uint32, optional),
        clock: Option<ClockState> = 25 (message, optional),
        renamed: Option<Bytes> = 31 (bytes, optional),
        driver: Option<f32> = 35 (float, optional),
    }

    /// A range of API calls.
    RangeResult {
        thread: Option<u32> = 1 (uint32, optional),
        created: Option<u64> = 5 (uint64, optional),
        context: Option<u32> = 11 (uint32, optional),
        clock: Option<ClockState> = 12 (message, optional),
        references: Vec<u64> = 15 (uint64, repeated),
        driver: Option<f32> = 21 (float, optional),
    }

    /// A command list.
    CmdlistResult {
        thread: Option<u32> = 1 (uint32, optional),
        created: Option<u64> = 5 (uint64, optional),
        context: Option<u32> = 11 (uint32, optional),
        stream: Option<u32> = 12 (uint32, optional),
        clock: Option<ClockState> = 13 (message, optional),
        references: Vec<u64> = 17 (uint64, repeated),
        name: Option<Bytes> = 18 (bytes, optional),
        driver: Option<f32> = 25 (float, optional),
    }

    /// A graph launched as a whole.
    GraphResult {
        thread: Option<u32> = 1 (uint32, optional),
        created: Option<u64> = 5 (uint64, optional),
        context: Option<u32> = 11 (uint32, optional),
        stream: Option<u32> = 12 (uint32, optional),
        clock: Option<ClockState> = 13 (message, optional),
        references: Vec<u64> = 17 (uint64, repeated),
        driver: Option<f32> = 23 (float, optional),
    }

    /// Extent in x, y, z.
    Extent {
        x: Option<u64> = 1 (uint64, optional),
        y: Option<u64> = 2 (uint64, optional),
        z: Option<u64> = 3 (uint64, optional),
    }

    /// Whether the clocks were to be locked, and were.
    ClockState {
        requested: Option<bool> = 1 (bool, optional),
        executed: Option<bool> = 2 (bool, optional),
    }

    /// NVTX domains and the ranges that were open.
    NvtxState {
        domains: Vec<NvtxDomain> = 1 (message, repeated),
        threads: Vec<NvtxThread> = 2 (message, repeated),
        start_end: Vec<StartEndDomain> = 3 (message, repeated),
        default_domain: Option<u64> = 4 (uint64, optional),
    }

    /// A domain.
    NvtxDomain {
        id: Option<u64> = 1 (uint64, optional),
        name: Option<Bytes> = 2 (bytes, optional),
    }

    /// The push-pop ranges of one thread.
    NvtxThread {
        id: Option<u32> = 1 (uint32, optional),
        stacks: Vec<NvtxStack> = 2 (message, repeated),
    }

    /// The push-pop ranges of one thread in one domain, innermost last.
    NvtxStack {
        domain: Option<u64> = 1 (uint64, optional),
        ranges: Vec<PushPopRange> = 3 (message, repeated),
    }

    /// A push-pop range.
    PushPopRange {
        name: Option<Bytes> = 1 (bytes, optional),
    }

    /// The start-end ranges of one domain.
    StartEndDomain {
        domain: Option<u64> = 1 (uint64, optional),
        ranges: Vec<StartEndRange> = 3 (message, repeated),
    }

    /// A start-end range.
    StartEndRange {
        name: Option<Bytes> = 2 (bytes, optional),
    }

    /// What one rule said.
    RuleResult {
        id: Option<Bytes> = 1 (bytes, optional),
        name: Option<Bytes> = 2 (bytes, optional),
        body: Option<RuleBody> = 3 (message, optional),
        section: Option<Bytes> = 4 (bytes, optional),
    }

    /// The items of a rule.
    RuleBody {
        items: Vec<RuleItem> = 1 (message, repeated),
    }

    /// One item: a message with what belongs to it, or a table, or a layout.
    RuleItem {
        message: Option<Message> = 1 (message, optional),
        focus: Vec<Focus> = 8 (message, repeated),
        source_table: Option<SourceTable> = 9 (message, optional),
        speedup: Option<Speedup> = 10 (message, optional),
        tables: Vec<RuleTable> = 12 (message, repeated),
    }

    /// A sentence.
    Message {
        text: Option<Bytes> = 1 (bytes, optional),
        kind: Option<i32> = 2 (int32, optional),
        title: Option<Bytes> = 4 (bytes, optional),
    }

    /// A metric that a message points at.
    Focus {
        metric: Option<Bytes> = 2 (bytes, optional),
        value: Option<f64> = 3 (double, optional),
        severity: Option<i32> = 4 (int32, optional),
        info: Option<Bytes> = 5 (bytes, optional),
    }

    /// A table of source positions that the viewer makes from metrics.
    SourceTable {
        label: Option<Bytes> = 1 (bytes, optional),
        metrics: Vec<SourceMetric> = 3 (message, repeated),
        description: Option<Bytes> = 5 (bytes, optional),
    }

    /// A metric of such a table.
    SourceMetric {
        name: Option<Bytes> = 1 (bytes, optional),
    }

    /// The size of an estimated speedup.
    Speedup {
        kind: Option<i32> = 1 (int32, optional),
        percent: Option<f64> = 2 (double, optional),
    }

    /// A table with its cells.
    RuleTable {
        config: Option<TableConfig> = 1 (message, optional),
        columns: Vec<RuleColumn> = 2 (message, repeated),
    }

    /// Title and description of a table.
    TableConfig {
        title: Option<Bytes> = 1 (bytes, optional),
        description: Option<Bytes> = 2 (bytes, optional),
    }

    /// A column; the list of its type is filled.
    RuleColumn {
        name: Option<Bytes> = 1 (bytes, optional),
        strings: Vec<Bytes> = 4 (bytes, repeated),
        doubles: Vec<f64> = 5 (double, repeated),
        integers: Vec<i64> = 6 (int64, repeated),
    }

    /// One piece of source data; pieces with one key merge.
    SourcePiece {
        reference: Option<u64> = 1 (uint64, optional),
        binary: Option<Bytes> = 4 (bytes, optional),
        sm_version: Option<u32> = 6 (uint32, optional),
        files: Option<SourceFiles> = 8 (message, optional),
        relocation: Option<Relocation> = 9 (message, optional),
    }

    /// Embedded source files.
    SourceFiles {
        files: Vec<File> = 1 (message, repeated),
    }

    /// One source file.
    File {
        name: Option<Bytes> = 1 (bytes, optional),
        content: Option<Bytes> = 2 (bytes, optional),
    }

    /// Where symbols of the cubin were loaded.
    Relocation {
        functions: Vec<Symbol> = 1 (message, repeated),
    }

    /// A symbol and its load address.
    Symbol {
        name: Option<Bytes> = 1 (bytes, optional),
        address: Option<u64> = 2 (uint64, optional),
        index: Option<u32> = 3 (uint32, optional),
    }
}

/// Field numbers of a metric, which the reader of metrics walks without decoding messages.
pub(super) mod metric_tag {
    /// Of a metric: the position of its name in the string table.
    pub(in super::super) const NAME: u32 = 1;
    /// Its aggregate, a value.
    pub(in super::super) const VALUE: u32 = 2;
    /// Its instances.
    pub(in super::super) const ELEMENT: u32 = 3;
    /// Of an instance: its correlation id, a value.
    pub(in super::super) const ELEMENT_ID: u32 = 1;
    /// Its value.
    pub(in super::super) const ELEMENT_VALUE: u32 = 2;
    /// Of a value, which has one of five types.
    pub(in super::super) const TEXT: u32 = 1;
    pub(in super::super) const FLOAT: u32 = 2;
    pub(in super::super) const DOUBLE: u32 = 3;
    pub(in super::super) const UINT32: u32 = 4;
    pub(in super::super) const UINT64: u32 = 5;
}
