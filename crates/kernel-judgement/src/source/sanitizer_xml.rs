//! Reading what `compute-sanitizer --xml --save FILE` writes.
//!
//! The format is not documented; this follows the files that version 2025.3.1 wrote on an H200 (`tests/fixtures/h200/logs`):
//! a `record` for each finding with `kind`, `level` and `what/text`, its place in `where` (`func`, `path`, `line`, `pc`), and
//! for a race two places under `what/source` and `what/destination`. A file that does not end in `</ComputeSanitizerOutput>`
//! is half a file: the tool was stopped.

use super::{ReadError, read_all};
use crate::evidence::{SanitizerFinding, SanitizerLevel, SanitizerRun, SanitizerSite, SanitizerTool};
use quick_xml::Reader;
use quick_xml::events::Event;
use std::path::Path;

const ROOT: &str = "ComputeSanitizerOutput";

/// Reads the file of one tool. Errors: [`ReadError::Io`] where the system refuses, [`ReadError::Malformed`] for half a file.
pub fn read_sanitizer(path: &Path, tool: SanitizerTool) -> Result<SanitizerRun, ReadError> {
    let bytes = read_all(path)?;
    let findings = records(&bytes).map_err(|(at, found)| {
        let cure = "run the tool again; a file that breaks off was left by a run that was stopped";
        ReadError::malformed(path, format!("byte {at}"), "the output of `compute-sanitizer --xml`", found, cure)
    })?;
    Ok(SanitizerRun { tool, not_measured: String::new(), findings })
}

/// A record while it is read.
#[derive(Default)]
struct Record {
    level: SanitizerLevel,
    kind: String,
    text: String,
    sites: Vec<SanitizerSite>,
    direction: String,
    hazards: u64,
}

/// Every record, equal ones as one, errors first and then by place; an error is the byte and what was found there.
fn records(bytes: &[u8]) -> Result<Vec<SanitizerFinding>, (u64, String)> {
    let mut reader = Reader::from_reader(bytes);
    let mut path: Vec<String> = Vec::new();
    let mut text = String::new();
    let mut findings: Vec<SanitizerFinding> = Vec::new();
    let mut record: Option<Record> = None;
    let mut is_whole = false;
    loop {
        let at = reader.buffer_position();
        let fault = |found: String| (at, found);
        match reader.read_event().map_err(|error| fault(error.to_string()))? {
            Event::Start(tag) => {
                let name = tag.local_name().as_ref().to_owned();
                if path.is_empty() && name != ROOT {
                    return Err(fault(format!("<{name}>")));
                }
                if name == "record" {
                    record = Some(Record::default());
                }
                if let Some(record) = record.as_mut().filter(|_| name == "where") {
                    record.sites.push(SanitizerSite::default());
                }
                path.push(name);
                text.clear();
            }
            Event::Empty(tag) if path.is_empty() => {
                is_whole = tag.local_name().as_ref() == ROOT;
            }
            Event::Text(part) => {
                text.push_str(&part.xml10_content());
            }
            Event::GeneralRef(part) => {
                text.push_str(quick_xml::escape::resolve_predefined_entity(&part).unwrap_or("?"));
            }
            Event::End(_) => {
                if let Some(record) = &mut record {
                    record.take(&path, text.trim());
                }
                text.clear();
                let closed = path.pop().unwrap_or_default();
                if closed == "record" {
                    add(&mut findings, record.take().unwrap_or_default());
                }
                is_whole |= path.is_empty() && closed == ROOT;
            }
            Event::Eof if is_whole => break,
            Event::Eof => return Err(fault("the end of the file".into())),
            _ => {}
        }
    }
    findings.sort_by(|a, b| (a.level, &a.sites, &a.text).cmp(&(b.level, &b.sites, &b.text)));
    Ok(findings)
}

impl Record {
    /// Takes the text of the element that `path` names, from the root on.
    fn take(&mut self, path: &[String], text: &str) {
        let [.., parent, name] = path else { return };
        // Host frames name functions and lines too; they are no places of the kernel.
        if path.iter().any(|part| part.ends_with("Stack")) {
            return;
        }
        let site = self.sites.last_mut();
        match (parent.as_str(), name.as_str(), site) {
            ("record", "kind", _) => text.clone_into(&mut self.kind),
            ("record", "level", _) => {
                self.level = match text {
                    "Warning" | "Warn" => SanitizerLevel::Warning,
                    "Info" => SanitizerLevel::Info,
                    _ => SanitizerLevel::Error,
                };
            }
            ("what", "text", _) => text.clone_into(&mut self.text),
            ("source" | "destination", "direction", _) => text.clone_into(&mut self.direction),
            ("source" | "destination", "count", _) => self.hazards += text.parse().unwrap_or(0),
            ("where", "func", Some(site)) => text.clone_into(&mut site.function),
            ("where", "path" | "file", Some(site)) => {
                text.rsplit(['/', '\\']).next().unwrap_or(text).clone_into(&mut site.file);
            }
            ("where", "line", Some(site)) => site.line = text.parse().unwrap_or(0),
            ("where", "pc", Some(site)) => text.clone_into(&mut site.pc),
            ("source" | "destination", "where", Some(site)) => site.access = std::mem::take(&mut self.direction),
            _ => {}
        }
    }
}

/// Adds a record to the finding that says the same of the same place.
fn add(findings: &mut Vec<SanitizerFinding>, record: Record) {
    let text = if record.text.is_empty() { record.kind } else { record.text };
    let same = |f: &&mut SanitizerFinding| f.text == text && f.sites == record.sites && f.level == record.level;
    if let Some(finding) = findings.iter_mut().find(same) {
        finding.records += 1;
        finding.hazards += record.hazards;
        return;
    }
    let (level, sites, hazards) = (record.level, record.sites, record.hazards);
    findings.push(SanitizerFinding { level, text, sites, records: 1, hazards });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str) -> Vec<SanitizerFinding> {
        let xml = format!("<?xml version=\"1.0\"?>\n<{ROOT}>{body}</{ROOT}>");
        records(xml.as_bytes()).map_err(|(_, found)| found).expect("reads")
    }

    #[test]
    fn entities_are_text_and_host_frames_are_no_places() {
        let found = of(
            "<record><kind>Precise</kind><level>Warning</level><what><text>a &lt; b</text></what><hostStack><frame>\
            <func>main</func><pc>0x1</pc></frame></hostStack></record>",
        );
        assert_eq!((found[0].text.as_str(), found[0].level), ("a < b", SanitizerLevel::Warning));
        assert!(found[0].sites.is_empty());
    }

    #[test]
    fn a_record_without_a_sentence_is_named_by_its_kind() {
        assert_eq!(of("<record><kind>Leak</kind></record>")[0].text, "Leak");
    }

    #[test]
    fn half_a_file_and_other_xml_are_refused() {
        let fault = |text: &str| records(text.as_bytes()).map(|_| ()).map_err(|(_, found)| found).expect_err("faulty");
        assert_eq!(fault(&format!("<{ROOT}><record><kind>x</kind>")), "the end of the file");
        assert_eq!(fault(""), "the end of the file");
        assert_eq!(fault("<html></html>"), "<html>");
        assert!(records(format!("<{ROOT}/>").as_bytes()).map_err(|(_, found)| found).expect("reads").is_empty());
    }
}
