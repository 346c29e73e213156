//! Lists the variants that there are, and keeps the open ones.
//!
//! A variant is opened when it is first asked for. Open variants are kept, up to a number of variants and of bytes;
//! the ones not asked for lately are closed. A database that appears or changes on disk is noticed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::time::{Duration, Instant};

use zermelo_core::{Card, Choice, Opened, Options, Unpoisoned, quoted};
use zermelo_store::MANIFEST;

use super::openings::Openings;
use super::refusal::{Refusal, Result};
use super::variant::{State, Variant, stamp};
use zermelo::{Answers, Book, Catalogue, Database, Margins, Slices, data_folder};

/// The most variants kept open.
const OPEN: usize = 64;
/// Divides the memory: a variant's share for the values that searches found. All open variants together have a
/// sixteenth.
const MEMO: u64 = 16 * OPEN as u64;
/// The most bytes of one variant for the values that searches found.
const MOST_MEMO: u64 = 4 << 20;
/// How long an open variant is trusted before its files are checked again.
const TRUSTED: Duration = Duration::from_secs(2);
/// How long a request waits for a variant to open.
const OPENING: Duration = Duration::from_secs(5);
/// How long a request waits for the list of all games: a little less than requests may take.
const LIST: Duration = Duration::from_secs(9);
/// How long the list waits for each variant.
const LISTING: Duration = Duration::from_secs(1);
/// The most variants of one game that are listed.
const LISTED: usize = 1000;

/// All games, and the open variants.
pub(crate) struct Library {
    catalogue: Catalogue,
    data: PathBuf,
    slices: Arc<Slices>,
    memory: u64,
    may_solve: bool,
    cards: Vec<&'static Card>,
    /// The open variants, by game and normal name.
    open: RwLock<HashMap<&'static str, HashMap<String, Arc<Variant>>>>,
    /// Variants that were removed from the open ones, and that requests may still use.
    removed: Mutex<Vec<Arc<Variant>>>,
    clock: AtomicU64,
    begun: Instant,
    opening: Openings<Result<Arc<Variant>>>,
    /// Grows by 1 when a variant is forgotten, so that a variant opened before that moment is not kept.
    forgotten: AtomicU64,
    listing: Openings<Arc<Vec<Listed>>>,
    list: Mutex<Option<(Instant, Arc<Vec<Listed>>)>>,
}

/// A game in the list.
pub(crate) struct Listed {
    pub(crate) card: &'static Card,
    /// Other names of the game.
    pub(crate) aliases: &'static [&'static str],
    pub(crate) variants: Vec<ListedVariant>,
}

/// A variant in the list.
#[derive(Clone, serde::Serialize)]
pub(crate) struct ListedVariant {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) state: State,
    pub(crate) solvable: bool,
    pub(crate) note: Option<Cow<'static, str>>,
    /// Whether the margins of the variant are solved.
    #[serde(skip)]
    pub(crate) margins: bool,
    /// Whether the start of the variant is answered without a database.
    #[serde(skip)]
    pub(crate) answers: bool,
}

impl Library {
    pub(crate) fn new(
        catalogue: Catalogue,
        data: PathBuf,
        slices: Arc<Slices>,
        memory: u64,
        may_solve: bool,
    ) -> Library {
        Library {
            data,
            slices,
            memory,
            may_solve,
            cards: catalogue.games().map(|entry| entry.card).collect(),
            open: RwLock::default(),
            removed: Mutex::default(),
            catalogue,
            clock: AtomicU64::new(0),
            begun: Instant::now(),
            opening: Openings::default(),
            forgotten: AtomicU64::new(0),
            listing: Openings::default(),
            list: Mutex::new(None),
        }
    }

    /// Returns a game's card.
    pub(crate) fn card(&self, game: &str) -> Result<&'static Card> {
        self.cards.iter().find(|card| card.name == game).copied().ok_or_else(|| {
            let names = self.names().join(", ");
            Refusal::missing(format!("there is no game {}; the games are {names}", quoted(game)))
        })
    }

    /// Whether a game is a puzzle for one player.
    pub(crate) fn is_puzzle(&self, card: &Card) -> bool {
        self.catalogue.games().any(|entry| entry.card.name == card.name && entry.alone)
    }

    /// Returns the names of all games.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.cards.iter().map(|card| card.name).collect()
    }

    /// Returns a variant that is open and need not be checked; costs no more than a look into a hash table.
    pub(crate) fn ready(&self, game: &str, variant: &str) -> Option<Arc<Variant>> {
        let found = self.open.read().unpoisoned().get(game)?.get(variant)?.clone();
        let now = self.begun.elapsed().as_millis() as u64;
        if now.saturating_sub(found.checked.load(Relaxed)) > TRUSTED.as_millis() as u64 {
            return None;
        }
        found.used.store(self.clock.fetch_add(1, Relaxed), Relaxed);
        Some(found)
    }

    /// Returns a variant. The variant is opened if it is not open, and opened again if its files changed.
    pub(crate) fn get(self: &Arc<Self>, game: &str, variant: &str) -> Result<Arc<Variant>> {
        self.get_within(OPENING, game, variant)
    }

    /// Returns a variant as [`Library::get`] does, within a time.
    fn get_within(self: &Arc<Self>, limit: Duration, game: &str, variant: &str) -> Result<Arc<Variant>> {
        let card = self.card(game)?;
        let id = normal(card, variant)?;
        let (library, name) = (self.clone(), format!("{game}/{id}"));
        self.opening.run(&name, limit, move || library.look_up(card, id))?
    }

    /// Returns a variant by its normal name. The variant is opened if it is not open, and opened again if its files
    /// changed.
    fn look_up(&self, card: &'static Card, id: String) -> Result<Arc<Variant>> {
        let known = self.open.read().unpoisoned().get(card.name).and_then(|own| own.get(&id)).cloned();
        if let Some(known) = known
            && !known.has_changed()
        {
            known.checked.store(self.begun.elapsed().as_millis() as u64, Relaxed);
            known.used.store(self.clock.fetch_add(1, Relaxed), Relaxed);
            return Ok(known);
        }
        let opened = loop {
            let forgotten = self.forgotten.load(SeqCst);
            let opened = Arc::new(self.open(card, id.clone())?);
            if forgotten == self.forgotten.load(SeqCst) {
                break opened;
            }
        };
        let before = self.open.write().unpoisoned().entry(card.name).or_default().insert(id, opened.clone());
        let gone = self.make_room(&opened);
        self.put_away(gone.into_iter().chain(before));
        Ok(opened)
    }

    /// Drops variants that were removed before, once no request uses them, and keeps those removed now for later: to drop
    /// the tables of a variant takes long, and the disk may not answer.
    fn put_away(&self, gone: impl IntoIterator<Item = Arc<Variant>>) {
        let mut removed = self.removed.lock().unpoisoned();
        removed.extend(gone);
        let unused: Vec<_> = removed.extract_if(.., |variant| Arc::strong_count(variant) == 1).collect();
        drop(removed);
        drop(unused);
    }

    /// Forgets a variant, because its database has been replaced.
    pub(crate) fn forget(&self, game: &str, id: &str) {
        self.forgotten.fetch_add(1, SeqCst);
        let gone = self.open.write().unpoisoned().get_mut(game).and_then(|own| own.remove(id));
        self.put_away(gone);
        *self.list.lock().unpoisoned() = None;
    }

    /// Opens a variant by its normal name.
    pub(super) fn open(&self, card: &'static Card, id: String) -> Result<Variant> {
        let options = if id == "default" { "" } else { &id };
        let name = format!("{}:{options}", card.name);
        let games = self.catalogue.open_all(&name, None, None, None);
        let games = games.map_err(|error| Refusal::missing(error.to_string()))?;
        let scored = Margins::ways(self.catalogue, &name);
        // The stamps are taken first: a later change is seen the next time.
        let manifest = |game: &Opened| data_folder(&self.data, game).join(MANIFEST);
        let mut files: Vec<_> = games.iter().chain(&scored).map(manifest).collect();
        files.dedup();
        let stamped = |file: PathBuf| (file.clone(), stamp(&file));
        let mut stamps: Vec<_> = files.into_iter().map(stamped).collect();
        let folder = stamped(self.data.join(card.name));
        let cache = self.memory / 8;
        let (mut answers, database) = Answers::stored(self.catalogue, &self.data, games, cache as usize)?;
        if !database.as_ref().is_some_and(|database| database.is_complete()) {
            stamps.push(folder);
            stamps.push(stamped(Book::path(&self.data, &answers.game)));
            stamps.extend(answers.parts.manifests().map(stamped));
        }
        // Margins that cannot be read are left out; `zermelo verify --objective margin` reports why.
        answers.margins = Margins::find(&self.data, scored, cache as usize).ok().flatten();
        let most = |database: &Database| {
            let entries = database.reader().summary()["entries"].as_u64();
            entries.map_or(cache, |entries| cache.min(entries.saturating_mul(2) + (1 << 20)))
        };
        let bytes = database.as_deref().map_or(1 << 20, most)
            + answers.margins.as_ref().map_or(0, |margins| most(margins.database()));
        let board = answers.game.oracle().board();
        let found = (self.memory / MEMO).min(MOST_MEMO);
        let book = answers.book.as_ref().map_or(0, Book::bytes);
        let bytes = answers.parts.bytes() + bytes + found + book;
        answers.slices = Slices::fit(&answers.game).then(|| self.slices.clone());
        answers.remember(found as usize);
        Ok(Variant {
            board,
            bytes,
            answers,
            database,
            id,
            counted: Mutex::default(),
            small: OnceLock::new(),
            stamps,
            used: AtomicU64::new(self.clock.fetch_add(1, Relaxed)),
            checked: AtomicU64::new(self.begun.elapsed().as_millis() as u64),
        })
    }

    /// Removes the variants that were not used lately until the rest fits, and returns them. Variants without a database
    /// go first, so that made-up names do not push real variants out.
    fn make_room(&self, newest: &Arc<Variant>) -> Vec<Arc<Variant>> {
        let mut gone = vec![];
        let mut open = self.open.write().unpoisoned();
        loop {
            let others = || open.values().flat_map(HashMap::values).filter(|v| !Arc::ptr_eq(v, newest));
            let bytes = others().map(|v| v.bytes).sum::<u64>() + newest.bytes;
            let age = |v: &&Arc<Variant>| (v.database.is_some(), v.used.load(Relaxed));
            let Some(oldest) = others().min_by_key(age).cloned() else { return gone };
            if others().count() < OPEN && bytes <= self.memory / 2 {
                return gone;
            }
            gone.extend(open.get_mut(oldest.card().name).and_then(|own| own.remove(&oldest.id)));
        }
    }

    /// Returns how many variants are open, and how many of them have a finished database.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let open = self.open.read().unpoisoned();
        open.values()
            .flat_map(HashMap::values)
            .fold((0, 0), |(all, solved), v| (all + 1, solved + u64::from(v.state() == State::Solved)))
    }

    /// Returns every game with the variants that have a folder or are examples. The list is made anew every two
    /// seconds at most. When that takes too long, the previous list is returned.
    pub(crate) fn list(self: &Arc<Self>) -> Result<Arc<Vec<Listed>>> {
        let kept = || self.list.lock().unpoisoned().clone();
        let before = kept();
        if let Some((at, list)) = &before
            && at.elapsed() < TRUSTED
        {
            return Ok(list.clone());
        }
        let library = self.clone();
        let made = self.listing.run("the list of games", LIST, move || library.made_list());
        made.or_else(|refusal| before.or_else(kept).map(|(_, list)| list).ok_or(refusal))
    }

    fn made_list(self: &Arc<Self>) -> Arc<Vec<Listed>> {
        let mut list: Vec<_> = self.cards.iter().map(|card| self.listed(card)).collect();
        list.sort_by_key(|game| game.card.title);
        let list = Arc::new(list);
        *self.list.lock().unpoisoned() = Some((Instant::now(), list.clone()));
        list
    }

    fn listed(self: &Arc<Self>, card: &'static Card) -> Listed {
        // Names are sorted by the numbers in them, so that 10x10 comes after 9x9.
        type Key = Vec<(usize, String)>;
        let mut found: BTreeMap<Key, (String, Option<&'static str>)> = BTreeMap::new();
        let mut add = |options: &str, note: Option<&'static str>| {
            if let Ok(options) = Options::read(card, options) {
                let key = |o: &Choice| match o.text {
                    Some(_) => (0, options.text(o.name).to_string()),
                    None => (options.get(o.name), String::new()),
                };
                let key = card.options.iter().map(key).collect();
                let id = id_of(&options.normal(card));
                let row = found.entry(key).or_insert((id, note));
                row.1 = row.1.or(note);
            }
        };
        card.examples.iter().for_each(|(options, note)| add(options, Some(note)));
        for name in variants(&self.data.join(card.name)) {
            add(if name == "default" { "" } else { &name }, None);
        }
        let row = |(id, note)| self.listed_variant(card, id, note);
        let entry = self.catalogue.games().find(|entry| std::ptr::eq(entry.card, card));
        let aliases = entry.map_or(&[][..], |entry| entry.aliases);
        Listed { card, aliases, variants: found.into_values().map(row).collect() }
    }

    fn listed_variant(
        self: &Arc<Self>,
        card: &'static Card,
        id: String,
        note: Option<&'static str>,
    ) -> ListedVariant {
        match self.get_within(LISTING, card.name, &id) {
            Ok(variant) => {
                let state = variant.state();
                let solvable =
                    self.may_solve && state != State::Solved && variant.small(self.memory / 2).is_some();
                let margins = variant.answers.margins.as_ref().is_some_and(Margins::are_margins);
                let (name, note) = (variant.name(), note.map(Cow::from));
                let slices = variant.answers.slices.as_ref().filter(|_| variant.game().variant.is_empty());
                let answers = slices.is_some_and(|slices| slices.begin());
                ListedVariant { id, name, state, solvable, note, margins, answers }
            }
            Err(refusal) => {
                let note = Some(Cow::from(refusal.text));
                let (name, state) = (id.clone(), State::Unsolved);
                ListedVariant { id, name, state, solvable: false, note, margins: false, answers: false }
            }
        }
    }
}

/// Returns the variants that have a folder with a database or with parts of one, of which there may be many.
fn variants(path: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    let mut variants = BTreeSet::new();
    for name in names {
        if variants.len() == LISTED {
            break;
        }
        variants.insert(name.split(';').next().unwrap_or_default().into());
    }
    variants
}

fn id_of(normal: &str) -> String {
    if normal.is_empty() { "default".into() } else { normal.into() }
}

/// Returns the name of a variant in normal form, from any form that people write.
fn normal(card: &'static Card, variant: &str) -> Result<String> {
    let options = if variant == "default" { "" } else { variant };
    let options = Options::read(card, options)
        .map_err(|complaint| Refusal::missing(format!("{}: {complaint}", card.name)))?;
    Ok(id_of(&options.normal(card)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty_library() -> Arc<Library> {
        let nowhere = std::env::temp_dir().join("zermelo-no-such-folder");
        let slices = Slices::of(&nowhere, None, 1 << 20).expect("no files");
        Arc::new(Library::new(Catalogue::standard(), nowhere, Arc::new(slices), 1 << 30, true))
    }

    #[test]
    fn forged_variants_do_not_fill_the_memory() {
        let library = empty_library();
        for rows in 1..=8 {
            for cols in 1..=8 {
                for line in 1..=rows.max(cols) {
                    library.get("mnk", &format!("rows={rows},cols={cols},line={line}")).expect("a variant");
                }
            }
        }
        assert!(library.counts().0 <= OPEN as u64 + 1, "{:?}", library.counts());
        assert!(library.ready("mnk", "rows=8,cols=8,line=8").is_some(), "the newest stays");
    }

    #[test]
    fn names_are_made_normal() {
        let library = empty_library();
        let variant = library.get("mnk", "COLS=4,rows=3").expect("a variant");
        assert_eq!((variant.id.as_str(), variant.name().as_str()), ("cols=4", "3x4, line 3"));
        assert_eq!(library.get("mnk", "rows=3").expect("a variant").id, "default");
        for (variant, name) in
            [("default", "pieces 4"), ("pieces=3", "pieces 3"), ("material=KRkaa", "material KRkaa")]
        {
            assert_eq!(library.get("xiangqi", variant).expect("a variant").name(), name);
        }
        for (game, variant) in
            [("chess", "default"), ("mnk", "rows=99"), ("mnk", "../mnk"), ("MNK", "default")]
        {
            let refusal = library.get(game, variant).err().expect("refused");
            assert_eq!(refusal.status, 404, "{game} {variant}: {}", refusal.text);
        }
    }
}
