//! The names that games are written with: `use zermelo_core::prelude::*;`.

pub use crate::grid::{Grid, Lines, Symmetries, placed_in_turn, read_set, show_set};
pub use crate::points::{Points, read_hands, show_hands};
pub use crate::rank::{CHOOSE, all_cells, compress, expand, members, rank_set, set_of, unrank_set};
pub use crate::{
    Board, BoardFiles, Card, Choice, Complaint, Drawing, Face, Filling, Flow, Folded, Game, Halves,
    Impartial, Limits, Man, Options, Outcome, Packed, Pair, Placing, Side, Sight, Step, Tier, Tiers, Turn,
    Unmove, quoted, refuse, whole_number,
};
