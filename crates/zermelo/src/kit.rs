//! All that a game from elsewhere needs: the traits it implements, what its positions are numbered with, the laws,
//! the engines, and the lines that pair them.
//!
//! ```
//! use std::process::ExitCode;
//! use zermelo::kit::{
//!     Board, Card, Catalogue, Choice, Complaint, Drawing, Entry, Face, Flow, Game, Options, Outcome, Retrograde, Sweep, Tier,
//!     Tiers, Turn, way,
//! };
//!
//! /// Add one or two in turn; whoever reaches `goal` wins.
//! struct Race {
//!     goal: u32,
//! }
//!
//! impl Game for Race {
//!     type Position = u32;
//!     type Move = u32;
//!     fn start(&self) -> u32 {
//!         0
//!     }
//!     fn outcome(&self, p: u32) -> Option<Outcome> {
//!         (p == self.goal).then_some(Outcome::Lose)
//!     }
//!     fn moves(&self, p: u32, visit: impl FnMut(u32)) {
//!         (1..=2.min(self.goal - p)).for_each(visit);
//!     }
//!     fn play(&self, p: u32, m: u32) -> u32 {
//!         p + m
//!     }
//! }
//!
//! impl Tiers for Race {
//!     // ...
//! #   type Index = ();
//! #   fn flow(&self, _: Tier) -> Flow { Flow::Rises }
//! #   fn size(&self, _: Tier) -> u64 { u64::from(self.goal) + 1 }
//! #   fn index(&self, _: Tier) {}
//! #   fn rank(&self, _: &(), p: u32) -> u64 { p.into() }
//! #   fn unrank(&self, _: &(), i: u64) -> Option<u32> { Some(i as u32) }
//! }
//!
//! impl Face for Race {
//!     // ...
//! #   const CARD: Card = Card {
//! #       name: "race", revision: 1, title: "Race", summary: "", rules: "", notation: "",
//! #       options: &[Choice::number("goal", "where it ends", (1, 99), 20)], examples: &[],
//! #   };
//! #   fn new(options: &Options) -> Result<Self, Complaint> { Ok(Race { goal: options.get("goal") as u32 }) }
//! #   fn show(&self, turn: Turn, p: u32) -> String { format!("{}_{p}", turn.digit()) }
//! #   fn read(&self, text: &str) -> Result<(Turn, u32), Complaint> {
//! #       let turn = if text.starts_with('2') { Turn::Second } else { Turn::First };
//! #       let number = text.get(2..).and_then(|n| n.parse().ok()).filter(|p| *p <= self.goal);
//! #       Ok((turn, number.ok_or_else(|| Complaint::new("want 1_0"))?))
//! #   }
//! #   fn show_move(&self, _: Turn, _: u32, m: u32) -> String { m.to_string() }
//! #   fn board(&self) -> Board { Board { width: 2.0, height: 1.0, cells: vec![(0.5, 0.5), (1.5, 0.5)], ..Board::default() } }
//! #   fn pieces(&self, _: Turn, _: u32) -> String { "12".into() }
//! #   fn draw(&self, _: Turn, _: u32, m: u32) -> Drawing { Drawing::Cell(m as usize - 1) }
//! }
//!
//! static GAMES: &[Entry] = &[Entry::new::<Race>(&[way::<Sweep<Race>>(), way::<Retrograde<Race>>()])];
//!
//! let game = Catalogue::standard().with(GAMES)?.open("race:goal=21", None, None)?;
//! let solution = zermelo::solve(&game, &zermelo::Settings::default(), &zermelo::Progress::new("solve"))?;
//! assert_eq!(solution.value.to_string(), "lose in 14");
//! // A program with all commands: take `catalogue` from `Catalogue::standard().with(GAMES)`, and return
//! // `zermelo_cli::cli::run(catalogue)`, an `ExitCode`, from `main`.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use zermelo_catalogue::{Catalogue, Entry, Verdict, Way, way};
pub use zermelo_core::*;
pub use zermelo_engines::{Blobs, Iterate, Lattice, Retrograde, Sweep, Unmoves};

/// The game of the guide compiles as it is written.
#[doc = include_str!("../../../docs/guide/adding-a-game.md")]
#[cfg(doctest)]
struct AddingAGame;
