//! The database of one variant: where it lies, and how tiers pass between the engines'
//! forms and the store's. The only place where games and the store meet.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zermelo_core::{
    AskError, EngineError, FNV, Filing, Lookup, Opened, Peers, ReadCodes, Reason, Remoteness, SharedJob,
    Solved, StoredTier, Tables, Tier, Tiering, Width, fnv,
};
use zermelo_engines::parallel::{Turns, over_giving_turns};
use zermelo_store::{BLOCK_ENTRIES, DEFAULT_LEVEL, Disk, Identity, PackedBlock, Reader, State, pack};

use crate::Progress;
use crate::names::with_name;
use crate::trace::Doing;

/// Bytes of decoded blocks that a database keeps in its cache, unless [`Database::open_with_cache`] says otherwise.
pub const CACHE: usize = 64 << 20;

/// What stands between the name of a variant and the position that a part is solved from.
pub(crate) const FROM: &str = ";from=";
/// The longest variant or position that names a folder as it is: file systems want names under 256 bytes.
const LONGEST: usize = 100;

/// What the folders of a variant begin with.
pub(crate) fn folder_name(game: &Opened) -> String {
    let variant = &game.variant;
    if variant.is_empty() { "default".into() } else { cut(variant.clone(), variant) }
}

/// The folder of a variant's database inside a data directory.
pub fn data_folder(data: &Path, game: &Opened) -> PathBuf {
    let mut name = folder_name(game);
    if game.objective != Remoteness::NAME {
        name = format!("{name};{}", game.objective);
    }
    if game.tiers().filing().name != Filing::TIERS.name {
        name = format!("{name};{}", game.tiers().filing().name);
    }
    if let Some(from) = &game.from {
        name = format!("{name}{FROM}{}", in_a_name(from));
    }
    data.join(game.card.name).join(name)
}

/// A position as a part of a file's name: odd characters by their codes, and a long one cut, with
/// a checksum of all of it. The manifest has the position in full.
fn in_a_name(position: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-".contains(&b);
    let coded = |b: u8| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    cut(position.bytes().map(coded).collect(), position)
}

/// A name cut where it is long, with a checksum of the whole.
fn cut(mut name: String, whole: &str) -> String {
    if name.len() > LONGEST {
        let sum = fnv(FNV, whole.as_bytes());
        let fits = (0..=LONGEST - 17).rev().find(|end| name.is_char_boundary(*end));
        name.truncate(fits.unwrap_or(0));
        name += &format!("~{sum:016x}");
    }
    name
}

/// What a database must agree on with the game that reads or goes on with it.
pub(crate) fn identity(game: &Opened) -> Identity {
    let revision = game.card.revision.to_string();
    let filing = Some(("filing", game.tiers().filing().name))
        .filter(|_| game.tiers().filing().name != Filing::TIERS.name);
    [
        ("game", game.card.name),
        ("variant", game.variant.as_str()),
        ("objective", game.objective),
        ("revision", revision.as_str()),
    ]
    .into_iter()
    .chain(filing)
    .chain(game.from.as_deref().map(|from| ("from", from)))
    .collect()
}

/// A solved variant, open for look-ups from any number of threads.
///
/// ```
/// # let data = std::env::temp_dir().join(format!("zermelo-doc-database-{}", std::process::id()));
/// zermelo::Solve::new("mnk").data(&data).run()?;
/// let game = zermelo::open("mnk", None, None)?;
/// let database = zermelo::Database::open(&data, &game)?;
/// let at = game.oracle().parse("2_----x----").expect("a position");
/// assert_eq!(game.oracle().value(at, &database)?.map(|v| v.to_string()), Some("tie in 8".into()));
/// # std::fs::remove_dir_all(&data).ok();
/// # Ok::<(), zermelo::Error>(())
/// ```
pub struct Database {
    reader: Reader,
    /// To name tiers in messages of the store, which knows no games.
    tiers: Arc<dyn Tiering>,
}

impl Database {
    /// What a reader sees, whether all is solved or not.
    pub(crate) fn over(reader: Reader, game: &Opened) -> Database {
        Database { reader, tiers: game.tiering.clone() }
    }

    /// The error of the store as people see it, with the name of its tier.
    fn named(&self, error: zermelo_store::StoreError) -> Reason {
        match error.tier() {
            Some(tier) => with_name(&error.to_string(), tier, &self.tiers.name(tier)).into(),
            None => error.into(),
        }
    }

    /// Opens the database of a game inside a data directory.
    pub fn open(data: &Path, game: &Opened) -> zermelo_store::Result<Database> {
        Database::open_with_cache(data, game, CACHE)
    }

    /// Opens the database of a game inside a data directory, with a cache of so many bytes for decoded blocks.
    pub fn open_with_cache(data: &Path, game: &Opened, bytes: usize) -> zermelo_store::Result<Database> {
        let reader = Reader::open(&Disk::new(data_folder(data, game)), bytes)?;
        reader.require(&identity(game))?;
        Ok(Database::over(reader, game))
    }

    /// Opens the database of the first of several ways to solve a game that has a finished one, or else of the first
    /// that has begun one, with a cache of so many bytes for decoded blocks. Where no way has a database, returns the
    /// first way without one.
    pub fn find(
        data: &Path,
        mut games: Vec<Opened>,
        cache: usize,
    ) -> zermelo_store::Result<(Opened, Option<Database>)> {
        let mut begun = None;
        for (n, game) in games.iter().enumerate() {
            match Database::open_with_cache(data, game, cache) {
                Ok(database) if database.is_complete() => {
                    return Ok((games.swap_remove(n), Some(database)));
                }
                Ok(database) => _ = begun.get_or_insert((n, database)),
                Err(zermelo_store::StoreError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(match begun {
            Some((n, database)) => (games.swap_remove(n), Some(database)),
            None => (games.swap_remove(0), None),
        })
    }

    /// Whether every tier is solved.
    pub fn is_complete(&self) -> bool {
        self.reader.state() == State::Complete
    }

    /// Whether the manifest of the database has counts of positions.
    pub fn keeps_counts(&self) -> bool {
        !self.reader.summary()["analysis"].is_null()
    }

    /// The reader of the store that the database uses.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }
}

impl Tables for Database {
    fn has(&self, tier: Tier) -> bool {
        self.reader.contains(tier)
    }

    fn code(&self, tier: Tier, rank: u64) -> Result<Option<(u16, Width)>, Reason> {
        match self.reader.table(tier).and_then(|table| Ok((table.get(rank)?, table.width()))) {
            Ok(code) => Ok(Some(code)),
            Err(zermelo_store::StoreError::NoTable { .. }) => Ok(None),
            Err(error) => Err(self.named(error)),
        }
    }

    fn tiers(&self) -> Vec<Tier> {
        self.reader.tiers()
    }

    fn cached(&self, tier: Tier, rank: u64) -> Result<Lookup, Reason> {
        Ok(match self.reader.get_cached(tier, rank).map_err(|error| self.named(error))? {
            Some((code, width)) => Lookup::Known(code, width),
            None if self.has(tier) => Lookup::Cold,
            None => Lookup::Absent,
        })
    }
}

/// Tables as far as they are in memory.
pub(crate) struct Warm<'a>(pub(crate) &'a dyn Tables);

impl Tables for Warm<'_> {
    fn has(&self, tier: Tier) -> bool {
        self.0.has(tier)
    }

    fn code(&self, tier: Tier, rank: u64) -> Result<Option<(u16, Width)>, Reason> {
        Ok(match self.0.cached(tier, rank)? {
            Lookup::Known(code, width) => Some((code, width)),
            Lookup::Cold | Lookup::Absent => None,
        })
    }

    fn warm(&self) -> bool {
        true
    }

    fn look(&self, tier: Tier, rank: u64) -> Result<Option<(u16, Width)>, AskError> {
        match self.0.cached(tier, rank).map_err(AskError::Tables)? {
            Lookup::Known(code, width) => Ok(Some((code, width))),
            Lookup::Cold => Err(AskError::Cold),
            Lookup::Absent => Ok(None),
        }
    }
}

/// A tier of so many entries is packed at a lower level: at the usual one it takes longer to pack than to solve.
const LARGE: u64 = 1 << 26;
/// That level. Tables are a tenth larger than at the usual one, and take a sixteenth of the time to pack.
const QUICKER_LEVEL: i32 = 6;

/// Packs a solved tier, block by block.
pub(crate) fn pack_all(
    tier: Tier,
    solved: &dyn Solved,
    filing: Filing,
    progress: &Progress,
    turns: Option<&Turns<'_>>,
) -> Vec<PackedBlock> {
    let (entries, width) = (solved.entries(), solved.width());
    let block = filing.block_entries.unwrap_or(BLOCK_ENTRIES);
    let usual = if entries < LARGE { DEFAULT_LEVEL } else { QUICKER_LEVEL };
    let level = filing.level.unwrap_or(usual);
    let pack = |range: Range<u64>| {
        progress.heed();
        let _packs = progress.span(Doing::Pack, Some(tier));
        let mut codes = Vec::with_capacity((range.end - range.start) as usize * width.bytes());
        solved.write(range, &mut codes);
        pack(&mut codes, width, level)
    };
    over_giving_turns(entries, block, turns, &pack)
}

/// Brings a stored tier back in the engine's own form.
pub(crate) fn load(game: &Opened, reader: &Reader, tier: Tier) -> Result<Arc<dyn Solved>, EngineError> {
    let (width, read) = codes(game, reader, tier)?;
    game.engine().load(&StoredTier { tier, width, read: &*read })
}

/// Brings a stored tier back with one code a number.
pub(crate) fn load_plain(game: &Opened, reader: &Reader, tier: Tier) -> Result<Arc<dyn Solved>, EngineError> {
    let (width, read) = codes(game, reader, tier)?;
    game.audit().load_plain(tier, width, &*read)
}

/// How wide the codes of a stored tier are, and how to read them.
pub(crate) fn codes<'a>(
    game: &Opened,
    reader: &'a Reader,
    tier: Tier,
) -> Result<(Width, Box<ReadCodes<'a>>), EngineError> {
    let failed = |reason: Reason| EngineError::Load { tier, reason };
    let info = reader.info(tier).map_err(|e| failed(e.into()))?;
    if game.tiers().filing().by_tier && info.entries != game.tiers().size(tier) {
        return Err(failed(
            format!("the table has {} entries, the game {}", info.entries, game.tiers().size(tier)).into(),
        ));
    }
    let (per, width) = (info.block_entries, info.width.bytes() as u64);
    let read = move |range: Range<u64>, out: &mut Vec<u8>| -> Result<(), Reason> {
        let mut at = range.start;
        while at < range.end {
            let (block, first) = (at / per, at / per * per);
            let end = range.end.min(first + per);
            let codes = reader.load_block(tier, block)?;
            let part = codes.get(((at - first) * width) as usize..((end - first) * width) as usize);
            out.extend_from_slice(part.ok_or("the table is shorter than it says")?);
            at = end;
        }
        Ok(())
    };
    Ok((info.width, Box::new(read)))
}

/// Entries in a block of a game's tables.
pub(crate) fn block_entries(game: &Opened) -> u64 {
    game.tiers().filing().block_entries.unwrap_or(BLOCK_ENTRIES) as u64
}

/// Solves this process's share of a tier from the stored tables below.
pub(crate) fn solve_share(
    game: &Opened,
    reader: &Reader,
    tier: Tier,
    peers: &dyn Peers,
    memory: u64,
    progress: &Progress,
) -> Result<Arc<dyn Solved>, EngineError> {
    let children = game.tiers().children(tier).into_iter().map(|child| codes(game, reader, child));
    let children = children.collect::<Result<Vec<_>, _>>()?;
    let children: Vec<_> = children.iter().map(|(width, read)| (*width, &**read)).collect();
    let block = block_entries(game);
    let job = SharedJob { tier, children: &children, block, peers, memory, watch: progress };
    let sharing = game.engine().sharing().ok_or(EngineError::Alone(tier, game.takes.name))?;
    sharing.solve(&job)
}

/// One solved tier in memory, to look single values up in.
pub(crate) struct InMemory(pub(crate) Tier, pub(crate) Arc<dyn Solved>);

impl Tables for InMemory {
    fn has(&self, tier: Tier) -> bool {
        self.0 == tier
    }

    fn code(&self, tier: Tier, rank: u64) -> Result<Option<(u16, Width)>, Reason> {
        let mut codes = vec![];
        self.1.write(rank..rank + 1, &mut codes);
        let width = self.1.width();
        Ok((tier == self.0).then(|| (width.code_at(&codes, 0), width)))
    }
}

#[cfg(test)]
mod tests {
    use zermelo_core::{AskError, Opened, Position, Reason, Tables, Tier, Width};

    use super::{Warm, cut, in_a_name};

    /// Tables that have a code for every number, in memory.
    struct Everything;

    impl Tables for Everything {
        fn has(&self, _: Tier) -> bool {
            true
        }

        fn code(&self, _: Tier, _: u64) -> Result<Option<(u16, Width)>, Reason> {
            Ok(Some((1, Width::One)))
        }
    }

    /// A look into memory makes no numbering, searches nothing and tries no lines of play.
    #[test]
    fn a_look_into_memory_is_no_more_than_that() {
        let game = crate::open("quixo:rows=3,cols=3,line=3", None, None).expect("a game");
        let start = game.oracle().start();
        let cold =
            |game: &Opened, at| matches!(game.oracle().value(at, &Warm(&Everything)), Err(AskError::Cold));
        assert!(cold(&game, start), "its numbering is not made");
        game.oracle().value(start, &Everything).expect("a look that may take longer");
        assert!(!cold(&game, start), "it is there now");
        // Boards that are searched for or played to the end, and kept in no table.
        for (name, plies) in [("connect4", 24), ("othello:rows=4,cols=4", 7)] {
            let game = crate::open(name, None, None).expect("a game");
            let late = (0..50).filter_map(|seed| late(&game, plies, seed));
            let cold = late.filter(|at| cold(&game, *at)).count();
            assert!(cold > 0, "{name}");
        }
    }

    /// A position after so many moves in which the game goes on.
    fn late(game: &Opened, plies: usize, seed: usize) -> Option<Position> {
        let mut at = game.oracle().start();
        for ply in 0..plies {
            let moves = game.oracle().report(at, &()).expect("a position").moves;
            at = moves.get((seed * 7 + ply * (seed + 3)) % moves.len().max(1))?.to;
        }
        Some(at).filter(|at| !game.oracle().report(*at, &()).expect("a position").over)
    }

    #[test]
    fn positions_name_folders() {
        assert_eq!(in_a_name("2_x-o"), "2_x-o");
        assert_eq!(in_a_name("8/3K4 w;é"), "8%2F3K4%20w%3B%C3%A9");
        let long = [in_a_name(&"x/".repeat(60)), in_a_name(&("x/".repeat(59) + "x;"))];
        assert!(long[0] != long[1] && long.iter().all(|name| name.len() == 100));
    }

    #[test]
    fn long_variants_are_cut() {
        let name = |last: &str| cut(format!("formula={}{last}", "e".repeat(200)), last);
        assert_eq!((name("a").len(), cut("rows=3".into(), "rows=3")), (100, "rows=3".into()));
        assert!(name("a") != name("e"));
        assert!(cut("é".repeat(80), "é").len() <= 100, "cut between letters");
    }
}
