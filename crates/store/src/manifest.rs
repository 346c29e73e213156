//! `manifest.json`: what a database is, whether it is complete, and where its directory lies. Small enough to
//! be read by people, and always replaced as a whole. Its last line is a checksum over all text before it, so
//! any changed byte is noticed, white space included.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::backend::{Folder, open_if_any};
use crate::error::{Result, StoreError};
use crate::format::{FORMAT_VERSION, MANIFEST, MAX_FILE_BYTES};

/// No manifest is longer; what claims to be is not read.
const MAX_BYTES: u64 = 16 << 20;

const CRC_DIGITS: usize = 8;
const LAST_FIELD: &str = ",\n  \"checksum\": \"";
const END: &str = "\"\n}\n";

/// What a database holds: names and values such as game, variant and objective, in the order of the names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Identity(BTreeMap<String, String>);

impl Identity {
    /// The value of a name.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// The checksum that ties the file of tables to its manifest.
    pub(crate) fn crc(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for text in self.0.iter().flat_map(|(k, v)| [k, v]) {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.finalize()
    }

    /// The first name whose values differ, with the value here and there.
    fn difference<'a>(&'a self, other: &'a Identity) -> Option<(&'a str, Option<&'a str>, Option<&'a str>)> {
        let names: BTreeSet<&str> = self.0.keys().chain(other.0.keys()).map(String::as_str).collect();
        names.into_iter().map(|k| (k, self.get(k), other.get(k))).find(|(_, a, b)| a != b)
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Identity {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Identity {
        Identity(pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect())
    }
}

/// Whether all tables of a database are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Tables are still being added.
    Solving,
    /// All tables are there, and nothing can be added.
    Complete,
}

/// Where the directory is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DirectoryPlace {
    /// Where in `tables.zmo` the directory begins.
    pub offset: u64,
    /// Bytes of the directory.
    pub length: u64,
    /// The checksum of the directory.
    pub crc32: u32,
}

/// All that a manifest says but for its checksum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The version of the format.
    pub format: u32,
    /// What the database holds.
    pub identity: Identity,
    /// Whether all tables are there.
    pub state: State,
    /// How many tables there are in a complete database.
    pub tables: u64,
    /// Positions of all tables of a complete database.
    pub positions: u64,
    /// The length of the file of tables.
    pub bytes: u64,
    /// The lengths of the annexes 1, 2 and so on, 0 for one that is not there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub annexes: Vec<u64>,
    /// Where the directory of a complete database is.
    pub directory: Option<DirectoryPlace>,
    /// What the program that solved the game has to say, such as the value of the start.
    pub summary: Value,
}

impl Manifest {
    /// The manifest of a database that is just being begun.
    pub(crate) fn begin(identity: Identity) -> Manifest {
        Manifest {
            format: FORMAT_VERSION,
            identity,
            state: State::Solving,
            tables: 0,
            positions: 0,
            bytes: 0,
            annexes: Vec::new(),
            directory: None,
            summary: Value::Null,
        }
    }

    /// Reads the manifest of a folder with its text's length and checksum; `None` when there is none.
    pub(crate) fn read(folder: &dyn Folder) -> Result<Option<(Manifest, u64, u32)>> {
        let file = folder.place(MANIFEST);
        let Some((source, length)) = open_if_any(folder, MANIFEST)? else { return Ok(None) };
        if length > MAX_BYTES {
            return Err(StoreError::damaged(&file, MAX_BYTES, "it is far too long"));
        }
        let mut text = vec![0; length as usize];
        source.read_exact_at(&mut text, 0).map_err(|e| StoreError::read(&file, 0, e))?;
        let (manifest, crc) = Manifest::parse(&file, &text)?;
        Ok(Some((manifest, length, crc)))
    }

    /// Replaces the manifest of a folder.
    pub(crate) fn write(&self, folder: &dyn Folder) -> Result<()> {
        let file = folder.place(MANIFEST);
        let text = self.text().map_err(|why| StoreError::BadManifest { why })?;
        // What could not be read back must not be written.
        Manifest::parse(&file, &text).map_err(|e| StoreError::BadManifest { why: e.to_string() })?;
        folder
            .publish(MANIFEST, &mut |writer| writer.write_all(&text))
            .map_err(|e| StoreError::write(&file, text.len() as u64, e))
    }

    /// The length and the checksum of the manifest's text.
    pub(crate) fn measure(&self) -> (u64, u32) {
        let text = self.text().unwrap_or_default();
        let body = text.len().saturating_sub(CRC_DIGITS + END.len());
        (text.len() as u64, crc32fast::hash(&text[..body]))
    }

    fn text(&self) -> Result<Vec<u8>, String> {
        // The summary is for programs and may be long: it stands on one line.
        let bare = Manifest { summary: Value::Null, ..self.clone() };
        let json = serde_json::to_string_pretty(&bare).map_err(|e| e.to_string())?;
        let mut text = json.strip_suffix("null\n}").ok_or("it is no JSON object")?.to_string();
        text.push_str(&self.summary.to_string());
        text.push_str(LAST_FIELD);
        let crc = crc32fast::hash(text.as_bytes());
        text.push_str(&format!("{crc:08x}{END}"));
        if text.len() as u64 > MAX_BYTES {
            return Err(format!("it would have {} bytes", text.len()));
        }
        Ok(text.into_bytes())
    }

    fn parse(file: &str, text: &[u8]) -> Result<(Manifest, u32)> {
        let damaged = |why: String| StoreError::damaged(file, 0, why);
        let cut = text.len().saturating_sub(CRC_DIGITS + END.len());
        let (body, end) = text.split_at(cut);
        let crc = crc32fast::hash(body);
        if !cfg!(fuzzing) && end != format!("{crc:08x}{END}").as_bytes() {
            return Err(damaged("the checksum is wrong".to_string()));
        }
        let value: Value = serde_json::from_slice(text).map_err(|e| damaged(e.to_string()))?;
        match value.get("format").and_then(Value::as_u64) {
            Some(found) if found == u64::from(FORMAT_VERSION) => {}
            found => {
                let found = found.and_then(|f| u32::try_from(f).ok()).unwrap_or(0);
                return Err(StoreError::Version { file: file.to_string(), found, known: FORMAT_VERSION });
            }
        }
        let manifest: Manifest = serde_json::from_value(value).map_err(|e| damaged(e.to_string()))?;
        if (manifest.state == State::Complete) != manifest.directory.is_some() {
            return Err(damaged("only a complete database has a directory".to_string()));
        }
        if manifest.annexes.len() > usize::from(u16::MAX)
            || manifest.annexes.iter().any(|length| *length > MAX_FILE_BYTES)
        {
            return Err(damaged("it lists more or longer annexes than there can be".to_string()));
        }
        Ok((manifest, crc))
    }

    /// Refuses an identity other than the recorded one.
    pub(crate) fn check_identity(&self, file: &str, wanted: &Identity) -> Result<()> {
        let Some((key, recorded, wanted)) = self.identity.difference(wanted) else { return Ok(()) };
        let text = |value: Option<&str>| value.unwrap_or("(nothing)").to_string();
        Err(StoreError::Mismatch {
            file: file.to_string(),
            key: key.to_string(),
            recorded: text(recorded),
            wanted: text(wanted),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn any_summary_comes_back() {
        let summaries =
            [Value::Null, json!({}), json!({"a": {"b": {"c": [1, 2.5]}}}), json!("}\n}"), json!({"x": "}"})];
        for summary in summaries {
            let manifest = Manifest { summary, ..Manifest::begin([("game", "quixo")].into_iter().collect()) };
            let text = manifest.text().unwrap();
            assert_eq!(Manifest::parse("m", &text).unwrap().0, manifest);
        }
    }

    #[test]
    fn another_format_is_not_damage() {
        let manifest = Manifest { format: 2, ..Manifest::begin(Identity::default()) };
        let error = Manifest::parse("m", &manifest.text().unwrap()).unwrap_err();
        assert!(matches!(error, StoreError::Version { found: 2, .. }), "{error}");
    }
}
