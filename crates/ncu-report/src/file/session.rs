//! The session: its pieces merged, in the words of the evidence.

use super::device::DeviceParts;
use super::message::{DeviceAttributes, SessionDetails};
use super::metrics::value;
use crate::{Device, Session};
use arcstr::ArcStr;
use bytes::Bytes;
use cuda_binary::text::Texts;
use prost::{DecodeError, Message};

/// Merges the pieces: the last scalar wins, repeated fields append.
pub(super) fn merge(pieces: &[(u64, Bytes)]) -> Result<SessionDetails, DecodeError> {
    let mut merged = SessionDetails::default();
    for (_, piece) in pieces {
        merged.merge(piece.clone())?;
    }
    Ok(merged)
}

/// The session as evidence.
pub(super) fn session(details: &SessionDetails, texts: &mut Texts) -> Session {
    let mut session = Session {
        command_line: texts.of_field(details.command_line.as_ref()),
        created: details.created,
        devices: details.devices.iter().map(|attributes| device(attributes, texts)).collect(),
        ..Session::default()
    };
    if let Some(target) = details.target.as_ref().or(details.host.as_ref()) {
        let name = texts.of_field(target.name.as_ref());
        let build = texts.of_field(target.build.as_ref());
        session.os = texts.of(format!("{name} {build}").trim());
    }
    for version in &details.versions {
        let provider = texts.of_field(version.provider.as_ref());
        let version = texts.of_field(version.version.as_ref());
        match provider.as_ref() {
            "Nsight Compute Target" => session.ncu_version = version,
            "CUDA Version" => session.cuda_version = version,
            "Display Driver Version" => session.driver_version = version,
            _ => session.versions.push((provider, version)),
        }
    }
    session.settings = settings(details, texts);
    session
}

/// What was started and the user's comment; the environment is left out, because it may hold secrets.
fn settings(details: &SessionDetails, texts: &mut Texts) -> Vec<(ArcStr, ArcStr)> {
    let executable = details.executable.clone().unwrap_or_default();
    let fields = [
        ("executable", executable.path),
        ("working directory", executable.directory),
        ("arguments", executable.arguments),
        ("comments", details.comments.clone()),
    ];
    let stated = fields.into_iter().filter_map(|(name, text)| Some((name, text.filter(|text| !text.is_empty())?)));
    stated.map(|(name, text)| (texts.of(name), texts.of_bytes(&text))).collect()
}

fn device(attributes: &DeviceAttributes, texts: &mut Texts) -> Device {
    let mut parts = DeviceParts::default();
    for attribute in &attributes.attributes {
        let name = texts.of_field(attribute.name.as_ref());
        let value = attribute.value.as_ref().and_then(|stored| value(stored, texts)).flatten();
        parts.take(&name, value.as_ref(), texts);
    }
    let device = parts.finish();
    let name = if device.name.is_empty() { texts.of_field(attributes.name.as_ref()) } else { device.name.clone() };
    Device { name, index: device.index.or(attributes.id), ..device }
}
