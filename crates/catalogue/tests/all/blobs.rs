//! The blobs engine: every position that the start reaches has the value that the oracle gives, from the
//! tables and from the counts; games, boards, objectives, and solves from the middle of a game.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use zermelo_core::{
    Count, Face, Game, Growing, Job, Margin, Objective, Opened, Reached, Reason, Remoteness, Scored, Solved,
    Tables, Tier, Turn, Value, Width, laws,
};
use zermelo_engines::Blobs;
use zermelo_games::{Connect4, Mnk, Othello};

use crate::games::{make, open};
use crate::run::bytes as spilled;

/// Tables as they would be stored.
struct Stored(HashMap<Tier, Vec<u8>>);

impl Tables for Stored {
    fn has(&self, tier: Tier) -> bool {
        self.0.contains_key(&tier)
    }

    fn code(&self, tier: Tier, rank: u64) -> Result<Option<(u16, Width)>, Reason> {
        let Some(table) = self.0.get(&tier) else { return Ok(None) };
        table.get(rank as usize).map(|b| Some((u16::from(*b), Width::One))).ok_or("past the end".into())
    }
}

/// The tiers of a variant, which follow each other, and their reached positions; spilled on the way when asked.
fn marked(game: &Opened, scratch: bool) -> Vec<(Tier, Arc<dyn Reached>)> {
    let mut tiers = vec![game.tiers().root()];
    while let Some(next) = tiers.last().and_then(|tier| game.tiers().children(*tier).first().copied()) {
        tiers.push(next);
    }
    let mut marks: Vec<(Tier, Arc<dyn Reached>)> = vec![];
    for tier in &tiers {
        let here = game.reach().empty(*tier, *tier == game.tiers().root());
        let above: Vec<_> = marks.last().cloned().into_iter().collect();
        game.reach().discover(*tier, &*here, &above, &[], &());
        let back = || game.reach().restore(*tier, &mut &spilled(here.spill())[..]).expect("good bytes");
        marks.push((*tier, if scratch { back() } else { here.clone() }));
    }
    marks
}

/// Solves a tier whose reached positions are known.
fn solve_tier(
    game: &Opened,
    tier: Tier,
    reached: &dyn Reached,
    children: &[Arc<dyn Solved>],
) -> Arc<dyn Solved> {
    let job = Job { tier, reached: Some(reached), children, memory: u64::MAX, watch: &(), checkpoint: None };
    game.engine().solve(&job).expect("a good game")
}

/// Solves all tiers; spills every form on the way when asked.
fn solve(game: &Opened, scratch: bool) -> (Stored, Vec<Count>) {
    let marks = marked(game, scratch);
    let (mut stored, mut counts, mut below) = (Stored(HashMap::new()), vec![], None::<Arc<dyn Solved>>);
    for (tier, reached) in marks.iter().rev() {
        let children: Vec<_> = below.into_iter().collect();
        let solved = solve_tier(game, *tier, &**reached, &children);
        counts.extend(game.tally(*tier, &**reached, &*solved).expect("values"));
        let mut bytes = vec![];
        solved.write(0..solved.entries(), &mut bytes);
        stored.0.insert(*tier, bytes);
        let back = || game.engine().restore(*tier, &mut &spilled(solved.spill())[..]).expect("good bytes");
        below = Some(if scratch { back() } else { solved });
    }
    (stored, counts)
}

/// The margin of every position below one, by plain recursion.
fn margins<G: Scored>(game: &G, p: G::Position, known: &mut HashMap<G::Position, i32>) -> i32 {
    if let Some(margin) = known.get(&p) {
        return *margin;
    }
    let mut best = None;
    for (m, child) in laws::list_moves(game, p) {
        let margin = margins(game, child, known);
        let margin = if game.again(m, child) { margin } else { -margin };
        best = best.max(Some(margin));
    }
    let margin = best.unwrap_or_else(|| game.score(p));
    known.insert(p, margin);
    margin
}

fn by(margin: i32) -> Value {
    let size = margin.unsigned_abs() as u16;
    match margin {
        0 => Value::Tie(0),
        n if n < 0 => Value::Lose(size),
        _ => Value::Win(size),
    }
}

/// Everything about one variant: tables, counts, and the check of every stored entry.
pub(crate) fn is_right<G: Growing, O: Objective<G, Fold: Send>>(
    options: &str,
    from: Option<&str>,
    values: impl Fn(&G, G::Position) -> HashMap<G::Position, Value>,
) {
    let game = make::<G>(options);
    let (_, start) = from.map_or((Turn::First, game.start()), |text| game.read(text).expect("a position"));
    let values = values(&game, start);
    let mut want: BTreeMap<String, (HashSet<G::Position>, u64)> = BTreeMap::new();
    for (p, value) in &values {
        let count = want.entry(value.to_string()).or_default();
        if count.0.insert(game.canonical(*p)) {
            count.1 += game.copies(&game.index(game.tier(*p)), *p);
        }
    }
    for scratch in [false, true] {
        let blobs =
            zermelo_engines::open::<Blobs<G, O>>(options, from, true).expect("options").expect("opens");
        let (stored, counts) = solve(&blobs, scratch);
        let find = |text: &str| {
            let position = blobs.oracle().parse(text).ok()?;
            Some(blobs.oracle().value(position, &stored).expect("readable"))
        };
        for (p, value) in &values {
            // Positions may be impossible with one turn, where the turn follows from the stones.
            let found = [Turn::First, Turn::Second].into_iter().find_map(|turn| find(&game.show(turn, *p)));
            assert_eq!(found.expect("one of the turns"), Some(*value), "{options}: {p:?}");
        }
        let mut found: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for count in counts {
            let example = count.example.expect("an example");
            assert_eq!(find(&example).expect("readable"), Some(count.value), "{example}");
            let sum = found.entry(count.value.to_string()).or_default();
            *sum = (sum.0 + count.twice_canonical / 2, sum.1 + count.positions);
        }
        let want: BTreeMap<_, _> =
            want.iter().map(|(v, (set, copies))| (v.clone(), (set.len() as u64, *copies))).collect();
        assert_eq!(found, want, "{options}");
        for tier in stored.0.keys() {
            for entry in 0..blobs.audit().checks(*tier, 0, &stored).expect("a table") {
                let checked = blobs.audit().verify_one(*tier, entry, &stored).expect("readable");
                assert_eq!((checked.checked, checked.wrong), (1, 0), "{:?}", checked.examples);
            }
        }
    }
}

pub(crate) fn remoteness<G: Game>(game: &G, start: G::Position) -> HashMap<G::Position, Value> {
    zermelo_testing::oracle(game, &[start])
}

fn margin(game: &Othello, start: <Othello as Game>::Position) -> HashMap<<Othello as Game>::Position, Value> {
    let mut known = HashMap::new();
    margins(game, start, &mut known);
    known.into_iter().map(|(p, margin)| (p, by(margin))).collect()
}

#[test]
fn othello_is_right() {
    for options in ["rows=4,cols=4", "rows=4,cols=4,start=parallel"] {
        is_right::<Othello, Remoteness>(options, None, remoteness);
        is_right::<Othello, Margin>(options, None, margin);
    }
}

#[test]
fn endgames_are_right() {
    for (options, seed) in [("rows=5,cols=5", 1), ("rows=6,cols=6", 2), ("rows=4,cols=8", 3), ("", 4)] {
        let game = make::<Othello>(options);
        let from = late(&game, seed, 9);
        is_right::<Othello, Remoteness>(options, Some(&from), remoteness);
        is_right::<Othello, Margin>(options, Some(&from), margin);
    }
}

/// A position with so many empty cells that random moves lead to.
fn late<G: Face>(game: &G, mut seed: u64, empty: usize) -> String {
    loop {
        let (mut turn, mut p) = (Turn::First, game.start());
        loop {
            let text = game.show(turn, p);
            let moves = laws::list_moves(game, p);
            if moves.is_empty() {
                break;
            }
            if text.matches('-').count() == empty {
                return text;
            }
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let (m, next) = moves[(seed >> 33) as usize % moves.len()];
            (turn, p) = (turn.after(game, m, next), next);
        }
    }
}

#[test]
fn stones_that_stay_are_right() {
    is_right::<Mnk, Remoteness>("", None, remoteness);
    is_right::<Mnk, Remoteness>("rows=3,cols=4", None, remoteness);
    is_right::<Mnk, Remoteness>("rows=4,cols=4,line=4", Some("1_xo-----------ox-"), remoteness);
    is_right::<Connect4, Remoteness>("rows=4,cols=4", None, remoteness);
    is_right::<Connect4, Remoteness>("rows=3,cols=5", None, remoteness);
    let game = make::<Connect4>("");
    let from = late(&game, 5, 14);
    is_right::<Connect4, Remoteness>("", Some(&from), remoteness);
}

/// Depths of the whole board: <https://aartbik.blogspot.com/2009/02/perft-for-reversi.html>, confirmed by Edax.
#[test]
fn othello_goes_on_as_others_count() {
    let games = [4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288, 24_571_056, 212_258_216];
    let (passes, finished) = ([(9, 24), (11, 576)], [(10, 228), (11, 356)]);
    let game = open("othello", None, None).expect("opens");
    for (plies, games) in (1..).zip(games) {
        let find = |list: &[(u32, u64)]| list.iter().find(|(p, _)| *p == plies).map_or(0, |(_, n)| *n);
        let found = game.audit().perft(plies);
        assert_eq!((found.games, found.passes, found.finished), (games, find(&passes), find(&finished)));
    }
    let game = open("othello:rows=4,cols=4", None, None).expect("opens");
    let small = [1, 4, 12, 44, 128, 424, 1256, 3624, 9112, 20_032, 36_412, 50_268, 55_112, 31_396, 12_920];
    for (plies, games) in (0..).zip(small) {
        assert_eq!(game.audit().perft(plies).games, games, "{plies} plies on 4x4");
    }
    assert_eq!(
        (1..30).map(|plies| game.audit().perft(plies).finished).sum::<u64>(),
        60_060,
        "complete games"
    );
}

/// The words of the values of all positions, tier by tier from the end: those too that tables leave out.
fn words<O: Objective<Othello, Fold: Send>>(options: &str) -> Vec<Vec<&'static str>> {
    let game =
        zermelo_engines::open::<Blobs<Othello, O>>(options, None, true).expect("options").expect("opens");
    let (mut below, mut all): (Vec<Arc<dyn Solved>>, _) = (vec![], vec![]);
    for (tier, reached) in marked(&game, false).iter().rev() {
        let solved = solve_tier(&game, *tier, &**reached, &below);
        // The positions are spilled as the marks are, and a code for each follows.
        let (positions, bytes) = (spilled(reached.spill()).len(), spilled(solved.spill()));
        let word = |byte: &u8| O::value(O::widen(*byte)).map_or("none", |value| value.word());
        all.push(bytes[positions..].iter().map(word).collect());
        below = vec![solved];
    }
    all
}

#[test]
fn margins_and_distances_agree_on_who_wins() {
    for (options, positions) in [("rows=4,cols=4", 9_830), ("rows=4,cols=5", 2_195_886)] {
        let (distances, margins) = (words::<Remoteness>(options), words::<Margin>(options));
        assert_eq!(distances.iter().map(Vec::len).sum::<usize>(), positions);
        assert!(distances == margins, "{options}: every position, in the same order");
    }
}
