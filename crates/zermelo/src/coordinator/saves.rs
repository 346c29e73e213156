//! The state of a tier at work, kept in a scratch file: a run that was killed goes on in the middle of the tier.

use std::io::Read;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use zermelo_core::{FNV, Solved, Spill, Tier, TierCheckpoint, Unpoisoned, fnv};
use zermelo_store::ScratchFiles;

use super::records::marks_of;
use crate::Progress;
use crate::trace::Doing;

/// How often the state of a tier is saved, unless the settings say otherwise.
pub(crate) const EVERY: Duration = Duration::from_secs(180);

/// Runs of codes of each child tier that tell it from others, and the codes of a run.
const SAMPLES: u64 = 64;
const RUN: u64 = 64;

/// The name under which the state of a tier is kept. No run keeps marks in the same files.
pub(super) fn state_of(tier: Tier) -> Tier {
    marks_of(tier)
}

/// A place for the state of one tier at work.
pub(super) struct Saves<'a> {
    scratch: &'a ScratchFiles,
    tier: Tier,
    /// The solved tiers below.
    below: &'a [Arc<dyn Solved>],
    every: Duration,
    /// When the state was saved last, or the tier was begun.
    last: Mutex<Instant>,
    progress: &'a Progress,
}

impl<'a> Saves<'a> {
    /// A place for the state of a tier that is solved from these tiers below.
    pub(super) fn new(
        scratch: &'a ScratchFiles,
        tier: Tier,
        below: &'a [Arc<dyn Solved>],
        every: Duration,
        progress: &'a Progress,
    ) -> Saves<'a> {
        let last = Mutex::new(Instant::now());
        Saves { scratch, tier, below, every, last, progress }
    }

    /// Tells tiers below from others by how many codes and positions they have, and by some of the codes: a state belongs
    /// to those from which the tier was solved.
    fn inputs(&self) -> u64 {
        self.below.iter().fold(FNV, |sum, solved| {
            let entries = solved.entries();
            let mut bytes = vec![solved.width().bytes() as u8];
            bytes.extend(entries.to_le_bytes());
            bytes.extend(solved.positions().to_le_bytes());
            for n in 0..SAMPLES {
                let at = (u128::from(n) * u128::from(entries) / u128::from(SAMPLES)) as u64;
                solved.write(at..entries.min(at + RUN), &mut bytes);
            }
            fnv(sum, &bytes)
        })
    }

    /// Lets go of a state that is of no use, and says why.
    fn drop_state(&self, why: &str) {
        self.scratch.forget(state_of(self.tier));
        let tier = self.tier;
        self.progress
            .tell(&format!("tier {tier}: its checkpoint {why}; the tier is solved from its beginning"));
    }
}

impl TierCheckpoint for Saves<'_> {
    fn due(&self) -> bool {
        self.last.lock().unpoisoned().elapsed() >= self.every
    }

    fn save(&self, state: Spill<'_>) {
        let writes = self.progress.span(Doing::Write, Some(self.tier));
        let inputs = self.inputs().to_le_bytes();
        let bytes = inputs.len() as u64 + state.bytes();
        let saved = self.scratch.put(
            state_of(self.tier),
            Spill::either(bytes, move |out, keep| {
                out.write_all(&inputs)?;
                state.write(out, keep)
            }),
        );
        drop(writes);
        if let Err(error) = saved {
            let tier = self.tier;
            self.progress
                .tell(&format!("tier {tier}: no checkpoint, so a kill costs the work on it: {error}"));
        }
        *self.last.lock().unpoisoned() = Instant::now();
    }

    fn load(&self) -> Option<Box<dyn Read + '_>> {
        if !self.scratch.contains(state_of(self.tier)) {
            return None;
        }
        let mut inputs = [0; 8];
        let opened = self.scratch.read(state_of(self.tier));
        let opened = opened.map_err(|e| e.to_string()).and_then(|mut state| {
            state.read_exact(&mut inputs).map_err(|e| e.to_string())?;
            Ok(state)
        });
        match opened {
            Ok(state) if u64::from_le_bytes(inputs) == self.inputs() => Some(Box::new(state)),
            Ok(_) => {
                self.drop_state("belongs to other tables below");
                None
            }
            Err(error) => {
                self.drop_state(&format!("cannot be read ({error})"));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use zermelo_core::{Job, Opened};
    use zermelo_store::Disk;

    use super::*;
    use crate::coordinator::Graph;
    use crate::database::identity;

    /// A tier that no other is below, solved.
    fn first(name: &str) -> (Opened, Arc<dyn Solved>) {
        let game = crate::open(name, Some("sweep"), None).expect("a game");
        let tier = Graph::of(&game).expect("tiers").nodes[0].tier;
        let job = Job { tier, reached: None, children: &[], memory: u64::MAX, watch: &(), checkpoint: None };
        let solved = game.engine().solve(&job).expect("solved");
        (game, solved)
    }

    #[test]
    fn a_state_belongs_to_its_tier_and_the_tables_below() {
        let folder = std::env::temp_dir().join(format!("zermelo-saves-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let (game, below) = first("mnk:rows=3,cols=3,line=3");
        let (_, other) = first("mnk:rows=3,cols=4,line=3");
        let (below, other, none) = ([below], [other], []);
        let open =
            || ScratchFiles::open_for(Disk::new(&folder), &identity(&game), false).expect("scratch files");
        let progress = Progress::new("test");
        let scratch = open();
        let saves = |tier, below| Saves::new(&scratch, Tier(tier), below, Duration::ZERO, &progress);
        let read = |saves: &Saves<'_>| {
            let mut bytes = vec![];
            saves.load().map(|mut state| state.read_to_end(&mut bytes).map(|_| bytes).expect("readable"))
        };
        assert!(saves(1, &below).due() && read(&saves(1, &below)).is_none());
        assert!(!Saves::new(&scratch, Tier(1), &below, EVERY, &progress).due());
        saves(1, &below).save(Spill::from(&b"how far it is"[..]));
        saves(2, &none).save(Spill::from(&b"far"[..]));
        assert_eq!(read(&saves(1, &below)).as_deref(), Some(&b"how far it is"[..]));
        assert_eq!(read(&saves(2, &none)).as_deref(), Some(&b"far"[..]));
        assert!(read(&saves(3, &none)).is_none());
        // From other tables it is of no use, and is let go.
        assert!(read(&saves(1, &other)).is_none() && read(&saves(1, &below)).is_none());
        saves(1, &below).save(Spill::from(&b"farther"[..]));
        drop(scratch);
        // Another run finds it.
        let scratch = open();
        let again = Saves::new(&scratch, Tier(1), &below, EVERY, &progress);
        assert_eq!(read(&again).as_deref(), Some(&b"farther"[..]));
        let _ = std::fs::remove_dir_all(&folder);
    }
}
