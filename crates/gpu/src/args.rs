//! What a kernel is told, in the layout that `kernels/retrograde.cu` declares.

/// The slots that a numbering may have.
pub const SLOTS: usize = 24;

/// The child tiers that a tier may have, of a game that looks for the one that a position belongs to.
pub const CHILDREN: usize = 4;

/// A tier as a kernel sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct TierArgs {
    /// The numbering, as its header has it.
    pub slots: [u64; SLOTS],
    /// The number of numbers.
    pub size: u64,
    /// The address of the codes of a solved tier.
    pub codes: u64,
    /// The bytes of a code.
    pub width: u64,
}

/// What kernels are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Args {
    /// The tier at work.
    pub here: TierArgs,
    /// The solved tiers below.
    pub below: [TierArgs; CHILDREN],
    /// The number of tiers below.
    pub tiers_below: u64,
    /// The address of a list of the tiers below, of a game that has them by number.
    pub all_below: u64,
    /// The address of the codes by their one-byte form.
    pub widen: u64,
    /// The address of the one-byte form of each code.
    pub narrow: u64,
    /// The address of the cells.
    pub cells: u64,
    /// The first number to look at.
    pub first: u64,
    /// The number after the last one to look at.
    pub end: u64,
    /// The distance that is worked on.
    pub distance: u64,
    /// 1 while ties are worked on.
    pub tie_phase: u64,
    /// The address of the counters.
    pub counters: u64,
    /// The addresses of the two lists of what a scan finds.
    pub lists: [u64; 2],
    /// The address of the list of flagged numbers.
    pub flags: u64,
    /// The length of that list.
    pub most_flags: u64,
    /// The address of one-byte codes to write.
    pub out: u64,
    /// The address of counts by code.
    pub counts: u64,
    /// The address of the least number with each code.
    pub examples: u64,
    /// 1 where marks tell who is to move.
    pub sides: u64,
    /// The addresses of the marks of the tier, by who is to move.
    pub marks: [u64; 2],
    /// The addresses of the marks whose moves were followed.
    pub followed: [u64; 2],
    /// The addresses of the marks of the tiers below.
    pub marks_below: [[u64; 2]; CHILDREN],
    /// The address of the marks to count, or 0 where all numbers count.
    pub counted: u64,
}

/// The counters that kernels keep, in the order of the enumeration in `kernels/retrograde.cu`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Counters {
    /// Positions of the tier, which are not holes.
    pub positions: u64,
    /// Positions whose moves cannot be: one that leads to no declared tier, or no move at all.
    pub faults: u64,
    /// The greatest distance of a win or a loss so far.
    pub farthest: u64,
    /// The greatest distance of a tie so far.
    pub farthest_tie: u64,
    /// Codes without a one-byte form.
    pub wide: u64,
    /// The length of the first list.
    pub first_list: u64,
    /// The length of the second list.
    pub second_list: u64,
    /// Flagged numbers, listed or not.
    pub flags: u64,
    /// The length of the list of flagged numbers that one move does not save.
    pub doubts: u64,
    /// Marks that were followed in a round.
    pub marked: u64,
}

/// The kernels of `kernels/reach.cu`, of games that foresee wins in one.
pub const REACH_KERNELS: [&str; 2] = ["list_marked", "follow_marked"];

/// The kernels of `kernels/retrograde.cu`.
pub const KERNELS: [&str; 14] = [
    "forward",
    "scan",
    "push_wins",
    "push_flags",
    "push_ties",
    "settle_flagged",
    "doubt_flagged",
    "settle_doubted_flags",
    "doubt_cells",
    "settle_doubted_cells",
    "settle_open",
    "finish",
    "pack",
    "tally",
];
