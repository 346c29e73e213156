//! An objective is one `impl` and no engine knows of it. Here is one that lives in this file alone: nimbers,
//! for heap games whose loser is who cannot move; and margins, for a game of points. Both are compared with
//! plain recursion, and nimbers of Nim also with Bouton's theorem: the exclusive or of the heaps.

use std::collections::HashMap;
use std::sync::Arc;

use zermelo_core::{Code, Flow, Game, Margin, Objective, Outcome, Scored, Tier, Tiers, Value, Width};
use zermelo_engines::{Ranked, Sweep};

use crate::run::{codes, tiers};

/// The least number that is no child's.
struct Nimber;

/// Nimbers seen among the children, up to 511.
type Seen = [u64; 8];

fn mex(seen: Seen) -> u16 {
    (0..512).find(|n| seen[n / 64] >> (n % 64) & 1 == 0).unwrap_or(512) as u16
}

impl<G: Game> Objective<G> for Nimber {
    const NAME: &'static str = "nimber";
    type Fold = Seen;
    const EMPTY: Seen = [0; 8];

    fn finished(_: &G, _: G::Position, _: Outcome) -> Code {
        Code(0)
    }
    fn other(code: Code) -> Code {
        code
    }
    fn fold(mut so_far: Seen, child: Code) -> Seen {
        if let Some(word) = so_far.get_mut(usize::from(child.0) / 64) {
            *word |= 1 << (child.0 % 64);
        }
        so_far
    }
    fn parent(all: Seen) -> Option<Code> {
        Some(mex(all)).filter(|n| *n < 512).map(Code)
    }
    fn narrow(code: Code) -> Option<u8> {
        if code == Code::UNKNOWN { Some(u8::MAX) } else { u8::try_from(code.0).ok().filter(|n| *n < u8::MAX) }
    }
    fn widen(byte: u8) -> Code {
        if byte == u8::MAX { Code::UNKNOWN } else { Code(byte.into()) }
    }
    fn value(code: Code) -> Option<Value> {
        Some(if code.0 == 0 { Value::Lose(0) } else { Value::Win(code.0) })
    }
}

/// Three heaps of at most so many; take any number from one. A tier is the total.
struct Nim(u8);

type Heaps = [u8; 3];

impl Game for Nim {
    type Position = Heaps;
    type Move = (u8, u8);

    fn start(&self) -> Heaps {
        [self.0; 3]
    }
    fn outcome(&self, p: Heaps) -> Option<Outcome> {
        (p == [0; 3]).then_some(Outcome::Lose)
    }
    fn moves(&self, p: Heaps, mut visit: impl FnMut((u8, u8))) {
        (0..3).for_each(|heap| (1..=p[heap as usize]).for_each(|take| visit((heap, take))));
    }
    fn play(&self, mut p: Heaps, (heap, take): (u8, u8)) -> Heaps {
        p[heap as usize] -= take;
        p
    }
}

impl Tiers for Nim {
    type Index = u64;

    fn tier(&self, p: Heaps) -> Tier {
        Tier(p.iter().map(|n| u64::from(*n)).sum())
    }
    fn children(&self, t: Tier) -> Vec<Tier> {
        (t.0.saturating_sub(self.0.into())..t.0).map(Tier).collect()
    }
    fn size(&self, _: Tier) -> u64 {
        (u64::from(self.0) + 1).pow(2)
    }
    fn index(&self, t: Tier) -> u64 {
        t.0
    }
    fn rank(&self, _: &u64, p: Heaps) -> u64 {
        u64::from(p[0]) * (u64::from(self.0) + 1) + u64::from(p[1])
    }
    fn unrank(&self, total: &u64, i: u64) -> Option<Heaps> {
        let (a, b) = (i / (u64::from(self.0) + 1), i % (u64::from(self.0) + 1));
        let c = total.checked_sub(a + b).filter(|c| *c <= self.0.into())?;
        Some([a as u8, b as u8, c as u8])
    }
}

/// One heap; take any number of a list. All heaps are one tier, the smaller the higher its number.
struct Subtraction {
    heap: u16,
    takes: Vec<u16>,
}

impl Game for Subtraction {
    type Position = u16;
    type Move = u16;

    fn start(&self) -> u16 {
        self.heap
    }
    fn outcome(&self, p: u16) -> Option<Outcome> {
        self.takes.iter().all(|take| *take > p).then_some(Outcome::Lose)
    }
    fn moves(&self, p: u16, visit: impl FnMut(u16)) {
        self.takes.iter().copied().filter(|take| *take <= p).for_each(visit);
    }
    fn play(&self, p: u16, take: u16) -> u16 {
        p - take
    }
}

impl Tiers for Subtraction {
    type Index = ();

    fn tier(&self, _: u16) -> Tier {
        Tier(0)
    }
    fn children(&self, _: Tier) -> Vec<Tier> {
        vec![]
    }
    fn flow(&self, _: Tier) -> Flow {
        Flow::Rises
    }
    fn size(&self, _: Tier) -> u64 {
        u64::from(self.heap) + 1
    }
    fn index(&self, _: Tier) {}
    fn rank(&self, _: &(), p: u16) -> u64 {
        (self.heap - p).into()
    }
    fn unrank(&self, _: &(), i: u64) -> Option<u16> {
        Some(self.heap - i as u16)
    }
}

fn over<G: Tiers, O: Objective<G>>(game: G) -> Arc<Ranked<G, O>> {
    Arc::new(Ranked::of(game))
}

/// The nimber by recursion.
fn grundy<G: Game>(game: &G, p: G::Position, known: &mut HashMap<G::Position, u16>) -> u16 {
    if let Some(nimber) = known.get(&p) {
        return *nimber;
    }
    let (mut below, mut children) = (vec![], vec![]);
    if game.outcome(p).is_none() {
        game.moves(p, |m| children.push(game.play(p, m)));
    }
    below.extend(children.into_iter().map(|c| grundy(game, c, known)));
    let nimber = (0..).find(|n| !below.contains(n)).expect("a list is finite");
    known.insert(p, nimber);
    nimber
}

#[test]
fn nimbers_of_nim_are_the_exclusive_or_of_the_heaps() {
    let ranked = over(Nim(9));
    let game = ranked.game();
    let order: Vec<_> = (0..=27).map(Tier).collect();
    let done = tiers(game, &Sweep::<Nim, Nimber>::over(&ranked), &order);
    let mut known = HashMap::new();
    for t in order {
        for i in 0..game.size(t) {
            let want = game.unrank(&t.0, i).map(|p| (grundy(game, p, &mut known), p[0] ^ p[1] ^ p[2]));
            let code = codes::<Nim, Nimber>(&done[&t]).get(i);
            match want {
                Some((nimber, xor)) => assert_eq!((code.0, u16::from(xor)), (nimber, nimber)),
                None => assert_eq!(code, Code::UNKNOWN),
            }
        }
    }
    assert_eq!(known.len(), 1000);
}

#[test]
fn nimbers_of_subtraction_games_take_one_byte_or_two() {
    for (takes, heap, width) in [
        (vec![1, 3, 4], 500, Width::One),
        (vec![2, 5, 6, 9], 300, Width::One),
        ((1..=400).collect(), 254, Width::One),
        ((1..=400).collect(), 255, Width::Two),
        ((1..=400).collect(), 450, Width::Two),
    ] {
        let ranked = over(Subtraction { heap, takes });
        let game = ranked.game();
        let done = tiers(game, &Sweep::<Subtraction, Nimber>::over(&ranked), &[Tier(0)]);
        let mut known = HashMap::new();
        for p in 0..=heap {
            let code = codes::<Subtraction, Nimber>(&done[&Tier(0)]).get(game.rank(&(), p));
            assert_eq!(code.0, grundy(game, p, &mut known), "heap {p} of {heap}, {:?}", game.takes);
        }
        assert_eq!(done[&Tier(0)].width(), width);
    }
}

/// A row of coins: take one from either end. A tier is how many are left.
struct Coins(Vec<i32>);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Row {
    from: usize,
    to: usize,
    /// The mover's points less the other's, so far.
    lead: i32,
}

impl Coins {
    fn most(&self) -> i32 {
        self.0.iter().sum()
    }
}

impl Game for Coins {
    type Position = Row;
    type Move = bool;

    fn start(&self) -> Row {
        Row { from: 0, to: self.0.len(), lead: 0 }
    }
    fn outcome(&self, p: Row) -> Option<Outcome> {
        (p.from == p.to).then_some(match p.lead {
            0 => Outcome::Tie,
            n if n > 0 => Outcome::Win,
            _ => Outcome::Lose,
        })
    }
    fn moves(&self, _: Row, mut visit: impl FnMut(bool)) {
        visit(false);
        visit(true);
    }
    fn play(&self, p: Row, last: bool) -> Row {
        match last {
            false => Row { from: p.from + 1, to: p.to, lead: -(p.lead + self.0[p.from]) },
            true => Row { from: p.from, to: p.to - 1, lead: -(p.lead + self.0[p.to - 1]) },
        }
    }
}

impl Scored for Coins {
    fn score(&self, p: Row) -> i32 {
        p.lead
    }
}

impl Tiers for Coins {
    type Index = usize;

    fn tier(&self, p: Row) -> Tier {
        Tier((p.to - p.from) as u64)
    }
    fn children(&self, t: Tier) -> Vec<Tier> {
        t.0.checked_sub(1).map(Tier).into_iter().collect()
    }
    fn size(&self, t: Tier) -> u64 {
        (self.0.len() as u64 - t.0 + 1) * (2 * self.most() as u64 + 1)
    }
    fn index(&self, t: Tier) -> usize {
        t.0 as usize
    }
    fn rank(&self, _: &usize, p: Row) -> u64 {
        p.from as u64 * (2 * self.most() as u64 + 1) + (p.lead + self.most()) as u64
    }
    fn unrank(&self, left: &usize, i: u64) -> Option<Row> {
        let leads = 2 * self.most() as u64 + 1;
        let (from, lead) = ((i / leads) as usize, (i % leads) as i32 - self.most());
        // Nobody leads by more than what was taken; other leads cannot be.
        let taken = self.most() - self.0[from..from + left].iter().sum::<i32>();
        (lead.abs() <= taken).then_some(Row { from, to: from + left, lead })
    }
}

/// The best margin by recursion.
fn margin(game: &Coins, p: Row) -> i32 {
    match p.from == p.to {
        true => p.lead,
        false => [false, true].into_iter().map(|m| -margin(game, game.play(p, m))).max().expect("two moves"),
    }
}

#[test]
fn margins_of_a_row_of_coins() {
    for (coins, width) in [(vec![3, 9, 1, 2, 8, 5, 4, 4], Width::One), (vec![40, 90, 10, 7, 80], Width::Two)]
    {
        let ranked = over(Coins(coins));
        let game = ranked.game();
        let order: Vec<_> = (0..=game.0.len() as u64).map(Tier).collect();
        let done = tiers(game, &Sweep::<Coins, Margin>::over(&ranked), &order);
        for t in &order {
            for i in 0..game.size(*t) {
                let code = codes::<Coins, Margin>(&done[t]).get(i);
                match game.unrank(&(t.0 as usize), i) {
                    Some(p) => assert_eq!(code, Margin::code(margin(game, p)), "{p:?}"),
                    None => assert_eq!(code, Code::UNKNOWN),
                }
            }
        }
        assert!(order.iter().any(|t| done[t].width() == width), "{:?}", game.0);
    }
}

#[test]
fn margins_are_told_as_margins() {
    let text = |score| <Margin as Objective<Coins>>::text(Margin::code(score));
    assert_eq!([-8, 0, 3].map(text), ["lose by 8", "tie", "win by 3"]);
    assert_eq!(<Margin as Objective<Coins>>::text(Code::UNKNOWN), "no value");
}
