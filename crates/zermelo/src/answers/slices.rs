//! Irving's published values of Pentago, `slice-N.pentago`, as tables of the game: boards with N stones, by the
//! same sections and numbers that the game has.
//!
//! Files are opened when a board with their number of stones is first asked for. A file that is not there knows
//! nothing; one that cannot be read is an error that names it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use zermelo_core::sections::{SIDE, Section, TURNS};
use zermelo_core::{Code, Complaint, Filing, Opened, Reason, Tables, Tier, Unpoisoned, Width, Winner};
use zermelo_store::StoreError;
use zermelo_store::pentago::{BoardTables, GAME, Slice};

/// Files open at once: a board and its moves need two.
const OPEN: usize = 4;
/// How long a file that was not there or could not be opened is not looked for again.
const ABSENT: Duration = Duration::from_secs(15);

/// The published files of Pentago in one or several places, as tables.
pub struct Slices {
    places: Vec<Place>,
    /// Bytes for the decoded blocks of one file, and as many again for its indexes.
    cache: usize,
    open: Mutex<Open>,
}

/// Where files are.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Folder(PathBuf),
    /// An address that ends with a slash.
    Web(String),
}

/// The files open, the last used at the end, and what was wrong with others, and when; nothing where they were not
/// there.
#[derive(Default)]
struct Open {
    slices: Vec<(u32, Arc<Slice>)>,
    absent: HashMap<u32, (Instant, Option<String>)>,
}

impl Slices {
    /// Whether the published files of Pentago have the values of a game.
    pub fn fit(game: &Opened) -> bool {
        game.card.name == GAME
            && game.objective == Winner::NAME
            && game.tiers().filing().name == Filing::TIERS.name
    }

    /// The published files beside the databases of a data directory, and those in a folder or at an `http://` or
    /// `https://` address where one is given, which is looked at first. Their caches take up to `bytes` bytes.
    pub fn of(data: &Path, given: Option<&str>, bytes: usize) -> Result<Slices, Complaint> {
        let mut places = vec![];
        places.extend(given.map(Place::read).transpose()?);
        places.push(Place::Folder(data.join(GAME)));
        Ok(Slices { places, cache: bytes / (2 * OPEN), open: Mutex::default() })
    }

    /// Whether the file with the empty board is here, or may be on a web server that is asked.
    pub fn begin(&self) -> bool {
        self.places.iter().any(|place| match place {
            Place::Folder(folder) => folder.join("slice-0.pentago").is_file(),
            Place::Web(_) => true,
        })
    }

    /// The file with so many stones; `None` where there is none.
    fn slice(&self, stones: u32) -> Result<Option<Arc<Slice>>, Reason> {
        if let Some(known) = self.known(stones) {
            return Ok(known?);
        }
        // Not under the lock: another machine may take its time.
        let mut why = None;
        for place in &self.places {
            match place.open(stones, self.cache) {
                Ok(Some(slice)) => {
                    let slice = Arc::new(slice);
                    self.keep(stones, slice.clone());
                    return Ok(Some(slice));
                }
                Ok(None) => {}
                // Another place may have it.
                Err(error) => _ = why.get_or_insert_with(|| error.to_string()),
            }
        }
        let mut open = self.open.lock().unpoisoned();
        open.absent.insert(stones, (Instant::now(), why.clone()));
        why.map_or(Ok(None), |why| Err(why.into()))
    }

    /// What was found lately.
    fn known(&self, stones: u32) -> Option<Result<Option<Arc<Slice>>, String>> {
        let mut open = self.open.lock().unpoisoned();
        if let Some(at) = open.slices.iter().position(|(own, _)| *own == stones) {
            let used = open.slices.remove(at);
            open.slices.push(used.clone());
            return Some(Ok(Some(used.1)));
        }
        let (_, why) = open.absent.get(&stones).filter(|(at, _)| at.elapsed() < ABSENT)?;
        Some(why.clone().map_or(Ok(None), Err))
    }

    fn keep(&self, stones: u32, slice: Arc<Slice>) {
        let mut open = self.open.lock().unpoisoned();
        open.slices.retain(|(own, _)| *own != stones);
        if open.slices.len() == OPEN {
            open.slices.remove(0);
        }
        open.slices.push((stones, slice));
    }
}

impl Tables for Slices {
    /// Where a file cannot be opened, asking for a code tells why.
    fn has(&self, tier: Tier) -> bool {
        let section = Section::from_sig(tier.0);
        section.is_some_and(|section| !matches!(self.slice(section.stones()), Ok(None)))
    }

    fn code(&self, tier: Tier, rank: u64) -> Result<Option<(u16, Width)>, Reason> {
        let Some(section) = Section::from_sig(tier.0) else { return Ok(None) };
        let Some(slice) = self.slice(section.stones())? else { return Ok(None) };
        let at = section.grid().index(rank / TURNS).ok_or("the section has no such number")?;
        let block = match slice.block(section, at.map(|i| i / SIDE)) {
            Ok(block) => block,
            // A file may hold some sections only.
            Err(StoreError::NotInPentago { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let entry = block.get(at.map(|i| i % SIDE)).ok_or("a block is smaller than its section says")?;
        let code = value(entry, (rank % TURNS) as usize, section.stones());
        Ok(Some((code.0, Width::Two)))
    }
}

impl Place {
    /// Reads what people type; a folder must be there and have such a file.
    fn read(text: &str) -> Result<Place, Complaint> {
        let wrong = |why: &str| Err(Complaint::new(format!("--slices {text}: {why}")));
        if text.starts_with("http://") || text.starts_with("https://") {
            let base = text.trim_end_matches('/');
            if base.ends_with(':') {
                return wrong("the address has no host; give one such as http://127.0.0.1:8000/pentago");
            }
            return Ok(Place::Web(format!("{base}/")));
        }
        let folder = PathBuf::from(text);
        if folder.is_file() {
            return wrong("this is a file; give the folder that it is in");
        }
        let Ok(files) = std::fs::read_dir(&folder) else {
            return wrong(
                "there is no such folder; give one with files slice-N.pentago, or an http:// or https:// address",
            );
        };
        if !files.flatten().any(|file| is_slice(&file.file_name().to_string_lossy())) {
            return wrong("no file slice-N.pentago is there; give a folder that has some");
        }
        Ok(Place::Folder(folder))
    }

    /// Opens the file with so many stones; `None` where there is none.
    fn open(&self, stones: u32, cache: usize) -> Result<Option<Slice>, Reason> {
        let name = format!("slice-{stones}.pentago");
        let opened = match self {
            Place::Folder(folder) => Slice::open_file(folder.join(&name), cache),
            Place::Web(base) => Slice::open_url(&format!("{base}{name}"), cache),
        };
        let slice = match opened {
            Ok(slice) => slice,
            Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        if slice.stones() != stones {
            let found = slice.stones();
            return Err(format!("{self}{name} has boards with {found} stones; fetch this file again").into());
        }
        Ok(Some(slice))
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Folder(folder) => write!(f, "{}/", folder.display()),
            Place::Web(base) => f.write_str(base),
        }
    }
}

fn is_slice(name: &str) -> bool {
    let number = name.strip_prefix("slice-").and_then(|rest| rest.strip_suffix(".pentago"));
    number.is_some_and(|number| number.parse::<u8>().is_ok())
}

/// What an entry says of one of its boards to the player to move there.
fn value([black, white]: &BoardTables, turns: usize, stones: u32) -> Code {
    let wins = |table: &[u64; 4]| table[turns / 64] >> (turns % 64) & 1 == 1;
    let (own, other) = if stones.is_multiple_of(2) { (black, white) } else { (white, black) };
    match (wins(own), wins(other)) {
        (true, _) => Winner::WIN,
        (false, true) => Winner::LOSE,
        (false, false) => Winner::TIE,
    }
}

/// Tables of which the first answers for the tiers that it has, and the other for the rest.
pub(super) struct Layered<'a> {
    /// Asked first.
    pub(super) first: &'a dyn Tables,
    /// Asked for what the first does not have.
    pub(super) then: &'a dyn Tables,
}

impl Tables for Layered<'_> {
    fn has(&self, tier: Tier) -> bool {
        self.first.has(tier) || self.then.has(tier)
    }

    fn code(&self, tier: Tier, rank: u64) -> Result<Option<(u16, Width)>, Reason> {
        if self.first.has(tier) { self.first.code(tier, rank) } else { self.then.code(tier, rank) }
    }
}
