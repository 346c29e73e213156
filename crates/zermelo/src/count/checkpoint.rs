//! What a count keeps so that it can go on after a kill: one small file that names the files
//! of records and has all sums so far. It is replaced as a whole, never changed.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use zermelo_core::{Complaint, WalkedPosition};
use zermelo_store::{Disk, Folder};

use super::files::failed;
use super::run::Filed;
use super::{CountError, Counted, Result, Sums};

/// The name of the file.
const FILE: &str = "count.json";
/// No checkpoint is longer.
const MOST_BYTES: u64 = 1 << 32;
/// The form of the file.
const FORMAT: u32 = 1;
/// What stands before the checksum, between it and what it is of, and behind that.
const BEGIN: &str = "{\"crc\":";
const MIDDLE: &str = ",\"count\":";
const END: &str = "}\n";

/// What is being counted; a folder keeps one such count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    pub(super) game: String,
    pub(super) variant: String,
    pub(super) revision: u32,
    pub(super) symmetries: bool,
    pub(super) sides: bool,
    pub(super) plies: Option<u32>,
}

/// How far a count is, with lists of records as they are worked with, or as a checkpoint names them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct State<L> {
    pub(super) ply: u32,
    pub(super) sums: Sums,
    /// Blocks of the frontier that are done.
    pub(super) done: u64,
    pub(super) frontier: L,
    pub(super) runs: Vec<L>,
    /// Earlier plies, where a position may come again.
    pub(super) layers: Vec<L>,
    /// Whether the runs are being merged; what is merged already, and where to go on.
    pub(super) merging: bool,
    pub(super) merged: L,
    pub(super) from: Option<WalkedPosition>,
    /// What earlier runs took.
    pub(super) seconds: f64,
    pub(super) cpu_seconds: f64,
    pub(super) disk_bytes: u64,
}

/// What a checkpoint keeps.
pub(super) type Saved = State<Vec<Filed>>;

impl<L> State<L> {
    /// This state with each list replaced by what `list` makes of it.
    pub(super) fn with<M>(&self, list: impl Fn(&L) -> Result<M>) -> Result<State<M>> {
        Ok(State {
            ply: self.ply,
            sums: self.sums.clone(),
            done: self.done,
            frontier: list(&self.frontier)?,
            runs: self.runs.iter().map(&list).collect::<Result<_, _>>()?,
            layers: self.layers.iter().map(&list).collect::<Result<_, _>>()?,
            merging: self.merging,
            merged: list(&self.merged)?,
            from: self.from,
            seconds: self.seconds,
            cpu_seconds: self.cpu_seconds,
            disk_bytes: self.disk_bytes,
        })
    }
}

impl Saved {
    /// Every file of records.
    pub(super) fn files(&self) -> impl Iterator<Item = &Filed> {
        let lists = self.runs.iter().chain(&self.layers).flatten();
        self.frontier.iter().chain(&self.merged).chain(lists)
    }
}

/// A count that goes on, or its result.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Stage {
    #[serde(rename = "going")]
    Going(Box<Saved>),
    #[serde(rename = "finished")]
    Finished(Box<Counted>),
}

/// A folder with a checkpoint in it.
pub(super) struct Checkpoint {
    folder: PathBuf,
    identity: Identity,
}

impl Checkpoint {
    pub(super) fn new(folder: &Path, identity: Identity) -> Checkpoint {
        Checkpoint { folder: folder.into(), identity }
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// What is kept, if anything is.
    pub(super) fn load(&self) -> Result<Option<Stage>> {
        let path = self.path();
        let text = match zermelo_store::read_plain(&path, MOST_BYTES) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|e| failed(&path, &e))?,
        };
        let damaged = |why: String| CountError::Damaged { file: path.display().to_string(), why };
        let body = checked(&text).ok_or_else(|| damaged("it does not match its checksum".into()))?;
        let count: Json = serde_json::from_str(body).map_err(|e| damaged(e.to_string()))?;
        if count["format"] != FORMAT {
            let (found, file) = (&count["format"], path.display());
            let message =
                format!("{file} has format {found}, this program reads {FORMAT}; use another --resume");
            return Err(Complaint::new(message).into());
        }
        self.same(&count["identity"])?;
        let stage = serde_json::from_value(count["stage"].clone());
        stage.map(Some).map_err(|e| damaged(e.to_string()))
    }

    /// Refuses to go on with something else.
    fn same(&self, found: &Json) -> Result<()> {
        let want = json!(self.identity);
        for (key, want) in want.as_object().into_iter().flatten() {
            if found[key] != *want {
                let (file, found) = (self.path().display().to_string(), &found[key]);
                let why = format!("{file} was begun with {key} = {found}, this command has {key} = {want}");
                return Err(
                    Complaint::new(format!("{why}; use another --resume, or the same command")).into()
                );
            }
        }
        Ok(())
    }

    /// Replaces what is kept. The files that it names must be safe already.
    pub(super) fn save(&self, stage: &Stage) -> Result<()> {
        let count = json!({ "format": FORMAT, "identity": self.identity, "stage": stage }).to_string();
        let text = format!("{BEGIN}{}{MIDDLE}{count}{END}", crc32fast::hash(count.as_bytes()));
        let publish = || {
            // The names of the files of records before the one that tells of them.
            File::open(&self.folder)?.sync_all()?;
            Disk::new(&self.folder).publish(FILE, &mut |file| file.write_all(text.as_bytes()))
        };
        publish().map_err(|e| failed(&self.path(), &e))
    }
}

/// The text in a file, if it matches the checksum. It is compared as it stands: numbers with a
/// fraction need not come back from JSON as they were.
fn checked(text: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(text).ok()?.strip_prefix(BEGIN)?.strip_suffix(END)?;
    let (crc, body) = text.split_once(MIDDLE)?;
    Some(body).filter(|body| crc.parse() == Ok(crc32fast::hash(body.as_bytes())))
}
