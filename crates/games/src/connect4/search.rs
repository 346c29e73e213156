//! Searches for the exact value of one position by alpha-beta, without any table of solved tiers.
//!
//! A score is one number that gives the winner and the length of the game. With `e` stones on the board at the end of
//! the game the score is `(cells + 2 - e) / 2` for the winner, minus that for the loser and 0 for a tie.
//!
//! **Claim.** Scores are in the order of values, remoteness included. **Proof.** A player's last stone comes at every
//! other `e` only, so different lengths of a win have different scores, the shorter the greater.
//!
//! With few cells left scores lie close around 0, which is what cuts the search short.
//!
//! The search asks one kind of question only: is the score at least `bar`? The answer is a bound on the score on its
//! side of the bar. At the root the bar moves until both bounds meet. The first bars lie near the ends of the range,
//! because fast wins and losses need shallow searches only.
//!
//! Where a board has an even number of rows, sets of cells also show that a player cannot win any more, or will win at
//! the end: see [`Rows`](super::rows::Rows). All positions of one question share a table, because the moves of a
//! position lead to many positions that are the same.
//!
//! The search skips every position in which a stone of the player to move, or then of the other, ends the game at
//! once: sets of winning cells show this before the stones are placed. (Narrowing by halves, the unique key and the
//! order by threats are ideas that Pascal Pons's tutorial made well known.)

use std::time::{Duration, Instant};

use zermelo_core::{Game, Limits, Value};

use super::lines::{Lines, safe};
use super::rows::Rows;
use super::table::{Bounds, SearchTable};
use super::{Connect4, Stones};

/// The most columns a board can have.
const COLUMNS: usize = 16;
/// The number of positions from one look at the clock to the next.
const TICK: u64 = 4096;

/// The values of some positions, each unless the limits come first. The positions share the time: none takes more than
/// its part of what is left.
pub(super) fn search(game: &Connect4, positions: &[Stones], limits: Limits) -> Vec<Option<Value>> {
    match game.connect {
        3 => Search::<3>::new(game, limits).solve_all(game, positions, limits.time),
        4 => Search::<4>::new(game, limits).solve_all(game, positions, limits.time),
        5 => Search::<5>::new(game, limits).solve_all(game, positions, limits.time),
        6 => Search::<6>::new(game, limits).solve_all(game, positions, limits.time),
        7 => Search::<7>::new(game, limits).solve_all(game, positions, limits.time),
        _ => Search::<8>::new(game, limits).solve_all(game, positions, limits.time),
    }
}

/// A position in which the player to move has no immediate win, and at least one safe move.
#[derive(Clone, Copy, Default)]
pub(super) struct Node {
    pub(super) own: u64,
    pub(super) all: u64,
    /// The empty cells, reachable now or later, where a stone gives the other player a line.
    pub(super) threats: u64,
    /// The moves after which the other player has no immediate win.
    safe: u64,
}

/// The positions that moves lead to, the most promising first.
struct Children {
    list: [(u32, Node); COLUMNS],
    len: usize,
}

impl Children {
    /// Inserts a child behind those that are at least as promising.
    #[inline]
    fn insert(&mut self, promise: u32, node: Node) {
        let mut at = self.len;
        while at > 0 && self.list[at - 1].0 < promise {
            self.list[at] = self.list[at - 1];
            at -= 1;
        }
        self.list[at] = (promise, node);
        self.len += 1;
    }

    #[inline]
    fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.list[..self.len].iter().map(|(_, node)| node)
    }
}

/// A search on boards where `LINE` stones in a row win.
struct Search<const LINE: usize> {
    lines: Lines<LINE>,
    /// The rows that tell who gets which cells in the end; `None` on boards with an odd number of rows.
    rows: Option<Rows>,
    /// The columns, from the centre outwards.
    columns: Vec<u64>,
    table: SearchTable,
    /// The end of the search; `None` when the limit is beyond all time.
    until: Option<Instant>,
    visits: u64,
    late: bool,
}

impl<const LINE: usize> Search<LINE> {
    fn new(game: &Connect4, limits: Limits) -> Self {
        let cols = game.grid.cols;
        let mut columns: Vec<usize> = (0..cols).collect();
        columns.sort_by_key(|c| (2 * c + 1).abs_diff(cols));
        Search {
            lines: Lines::new(game),
            rows: Rows::of(game),
            columns: columns.into_iter().map(|c| game.column(c)).collect(),
            table: SearchTable::new(game.height() * cols, limits.memory),
            until: None,
            visits: 0,
            late: false,
        }
    }

    /// The values of the positions, one after another. What the table has learnt of one holds for the others.
    fn solve_all(&mut self, game: &Connect4, positions: &[Stones], time: Duration) -> Vec<Option<Value>> {
        let end = Instant::now().checked_add(time);
        let mut left = positions.len() as u32;
        let mut solve = |p: &Stones| {
            if let Some(outcome) = game.outcome(*p) {
                left -= 1;
                return Some(outcome.value());
            }
            let now = Instant::now();
            self.until = end.map(|end| now + end.saturating_duration_since(now) / left);
            (self.late, left) = (false, left - 1);
            self.solve(*p)
        };
        positions.iter().map(&mut solve).collect()
    }

    fn solve(&mut self, p: Stones) -> Option<Value> {
        if self.lines.winning(p.own) & self.lines.landings(p.all) != 0 {
            return Some(Value::Win(1));
        }
        let node = self.node(p.own, p.all);
        if node.safe == 0 {
            return Some(Value::Lose(2));
        }
        let left = (self.lines.full & !p.all).count_ones() as i32;
        let mut bounds = Bounds::of(left);
        while bounds.low < bounds.high {
            let bar = next_bar(bounds);
            let answer = self.score(node, left, bar);
            if self.late {
                return None;
            }
            bounds.learn(bar, answer);
        }
        // Of two neighbouring counts of stones, the player whose score it is places the last stone at one.
        Some(match bounds.low {
            0 => Value::Tie(left as u16),
            score if score > 0 => Value::Win(((left + 1 - 2 * score) | 1) as u16),
            score => Value::Lose(((left + 2 + 2 * score) & !1) as u16),
        })
    }

    /// A bound on the score: from below when it is at least `bar`, from above when it is less. Meaningless once the
    /// search is late.
    fn score(&mut self, node: Node, left: i32, bar: i32) -> i32 {
        let mut bounds = Bounds::of(left);
        if let Some(answer) = bounds.answer(bar) {
            return answer;
        }
        if self.is_late() {
            return 0;
        }
        let key = self.key(&node);
        bounds = self.table.get(key).unwrap_or(bounds);
        if bounds.answer(bar).is_none() {
            bounds = self.hopes(&node, bounds, bar);
        }
        if let Some(answer) = bounds.answer(bar) {
            return answer;
        }
        let mut children = Children { list: [(0, Node::default()); COLUMNS], len: 0 };
        if !self.expand(&node, &mut children) {
            return Bounds::of(left).high;
        }
        let answer = self.look_up(&children, bar).unwrap_or_else(|| {
            let mut best = i32::MIN;
            for child in children.nodes() {
                best = best.max(-self.score(*child, left - 1, 1 - bar));
                if best >= bar {
                    break;
                }
            }
            best
        });
        if !self.late {
            bounds.learn(bar, answer);
            self.table.put(key, bounds);
        }
        answer
    }

    /// The bounds, tightened where sets of cells answer the question.
    #[inline]
    fn hopes(&self, node: &Node, bounds: Bounds, bar: i32) -> Bounds {
        let bounds = self.dead_ends(node, bounds, bar);
        match &self.rows {
            Some(rows) if bounds.answer(bar).is_none() => rows.tighten(&self.lines, node, bounds, bar),
            _ => bounds,
        }
    }

    /// The bounds, tightened where the player who would have to win no longer can: all cells that are not the other
    /// player's have no line.
    #[inline]
    fn dead_ends(&self, node: &Node, bounds: Bounds, bar: i32) -> Bounds {
        let can_win = |others: u64| self.lines.has_line(self.lines.full & !others);
        match bar > 0 {
            true if !can_win(node.all ^ node.own) => Bounds { high: bounds.high.min(0), ..bounds },
            false if !can_win(node.own) => Bounds { low: bounds.low.max(0), ..bounds },
            _ => bounds,
        }
    }

    /// Lists the positions after the safe moves. Returns false as soon as one of them is lost for the other player
    /// because every reply is open to an immediate win.
    #[inline]
    fn expand(&self, node: &Node, children: &mut Children) -> bool {
        let other = node.all ^ node.own;
        for stone in self.columns.iter().map(|column| node.safe & column).filter(|stone| *stone != 0) {
            let child = self.node(other, node.all | stone);
            if child.safe == 0 {
                return false;
            }
            // A threat right above one of the other player's is worth little: its owner gains nothing from a stone on
            // the cell below.
            let promise = (child.threats & !(node.threats << 1)).count_ones();
            children.insert(promise, child);
        }
        true
    }

    /// An answer that the table has for a child and that settles the question.
    #[inline]
    fn look_up(&self, children: &Children, bar: i32) -> Option<i32> {
        let known = children.nodes().filter_map(|child| self.table.get(self.key(child)));
        known.map(|bounds| -bounds.high).find(|answer| *answer >= bar)
    }

    #[inline]
    fn node(&self, own: u64, all: u64) -> Node {
        let threats = self.lines.winning(all ^ own) & !all;
        Node { own, all, threats, safe: safe(self.lines.landings(all), threats) }
    }

    /// A number that identifies the position. **Claim.** No other position has this number. **Proof.** In each column
    /// `all + bottom` is a single bit, just above the stones. The own stones of the column lie below this bit, so
    /// nothing is carried. The highest bit of a column gives its height, and the bits below give the own stones.
    #[inline]
    fn key(&self, node: &Node) -> u64 {
        node.own + node.all + self.lines.bottom
    }

    #[inline]
    fn is_late(&mut self) -> bool {
        self.visits += 1;
        if self.visits.is_multiple_of(TICK) {
            self.late |= self.until.is_some_and(|until| Instant::now() >= until);
        }
        self.late
    }
}

/// The next bar: in the middle of the bounds, or halfway from there to the nearer end.
fn next_bar(Bounds { low, high }: Bounds) -> i32 {
    let middle = low + (high - low) / 2;
    match middle {
        ..=0 => middle.min(low / 2) + 1,
        _ => middle.max(high / 2) + 1,
    }
}
