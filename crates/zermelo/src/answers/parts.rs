//! Parts of a variant: databases of one position and all that it leads to, as
//! `solve --from` makes them. They lie beside the variant's own database and answer
//! where that has no answer.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use zermelo_core::{AskError, Opened, Position, Remoteness, Report};
use zermelo_store::{Disk, MANIFEST, Reader, State};

use crate::Catalogue;
use crate::database::{Database, FROM, data_folder, folder_name, identity};

/// The most parts of one variant that are looked at, the newest first.
const MOST: usize = 64;

/// The solved parts of one variant: databases of single positions and all they lead to. Each is opened when it is first
/// asked.
#[derive(Default)]
pub struct Parts {
    catalogue: Option<Catalogue>,
    data: PathBuf,
    /// The game and its options.
    name: String,
    objective: String,
    /// Bytes for decoded blocks of all parts together.
    cache: usize,
    parts: Vec<Part>,
}

/// A folder, and what is in it; nothing when it cannot be used.
struct Part {
    folder: PathBuf,
    opened: OnceLock<Option<(Opened, Database)>>,
}

impl Part {
    fn manifest(&self) -> PathBuf {
        self.folder.join(MANIFEST)
    }
}

impl Parts {
    /// The solved parts of a variant inside a data directory, for the objective of `game`; `cache` bytes are for decoded
    /// blocks of all parts together.
    pub fn of(catalogue: Catalogue, data: &Path, game: &Opened, cache: usize) -> Parts {
        let variant = folder_name(game);
        let files = std::fs::read_dir(data.join(game.card.name)).into_iter().flatten().flatten();
        let ours = files.filter(|file| {
            let name = file.file_name();
            let before = name.to_str().and_then(|name| name.split_once(FROM));
            before.is_some_and(|(before, _)| {
                // The variant, then the objective and the filing where they are not the usual ones.
                let mut words = before.split(';');
                words.next() == Some(&variant)
                    && words.find(|word| catalogue.has_objective(word)).unwrap_or(Remoteness::NAME)
                        == game.objective
            })
        });
        let part = |folder| Part { folder, opened: OnceLock::new() };
        let mut parts: Vec<_> = ours.map(|file| part(file.path())).collect();
        let written = |part: &Part| std::fs::metadata(part.manifest()).and_then(|meta| meta.modified()).ok();
        parts.sort_by_cached_key(|part| (Reverse(written(part)), part.folder.clone()));
        parts.truncate(MOST);
        let name = format!("{}:{}", game.card.name, game.variant);
        let catalogue = Some(catalogue);
        Parts { catalogue, data: data.into(), name, objective: game.objective.into(), cache, parts }
    }

    /// Whether the variant has no solved parts.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The names of the files that tell whether a part is solved, one for each part.
    pub fn manifests(&self) -> impl Iterator<Item = PathBuf> {
        self.parts.iter().map(Part::manifest)
    }

    /// Bytes that all parts together may hold in memory.
    pub fn bytes(&self) -> u64 {
        if self.is_empty() { 0 } else { self.cache as u64 }
    }

    /// A position with its value and its moves, from the first part that knows them all.
    pub fn report(&self, position: Position) -> Result<Option<Report>, AskError> {
        for (game, database) in self.opened() {
            match game.oracle().report(position, database) {
                Ok(report) if report.is_known() => return Ok(Some(report)),
                // A damaged part is no help and no harm.
                Ok(_) | Err(AskError::Tables(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// The parts that can be used.
    pub(super) fn opened(&self) -> impl Iterator<Item = &(Opened, Database)> {
        self.parts.iter().filter_map(|part| part.opened.get_or_init(|| self.open(&part.folder)).as_ref())
    }

    /// Opens a part that is solved. One that cannot be opened is no help and no harm: what it
    /// held is searched for, and `zermelo verify --from` tells what is wrong with it.
    fn open(&self, folder: &Path) -> Option<(Opened, Database)> {
        let reader = Reader::open(&Disk::new(folder), self.cache / self.parts.len()).ok()?;
        let from = reader.identity().get("from").filter(|_| reader.state() == State::Complete)?;
        let games = self.catalogue?.open_all(&self.name, None, Some(&self.objective), Some(from)).ok()?;
        let fits = |game: &Opened| {
            data_folder(&self.data, game) == folder && reader.require(&identity(game)).is_ok()
        };
        let game = games.into_iter().find(fits)?;
        let database = Database::over(reader, &game);
        Some((game, database))
    }
}
