//! The lattice engine.
mod backward;
mod board;
mod contents;
mod ends;
mod forward;
mod inner;
mod isa;
mod slab;
mod tally;
mod wins;

pub use isa::Isa;

use std::collections::HashMap;
use zermelo_core::{Placing, Tier, Value};

/// Scratch driver.
pub fn try_out<G: Placing>(game: &G) {
    use isa::dispatch;
    let t0 = std::time::Instant::now();
    let board = board::Board::new(game.layout()).expect("fits");
    let isa = Isa::best();
    println!(
        "{:?} files {} prefix {} outer {} contents {} shards {} words {} planes {} build {:?}",
        isa, board.files.len(), board.prefix, board.outer, board.files[board.files.len()-1].len(), board.shards, board.inner.most_words, board.ends.planes, t0.elapsed()
    );
    struct St<'a> {
        board: &'a board::Board,
        isa: Isa,
        marks: HashMap<Tier, std::rc::Rc<forward::Marks>>,
        solved: HashMap<Tier, std::rc::Rc<[slab::Half; 2]>>,
        total: u64,
        over: u64,
        hist: std::collections::BTreeMap<(&'static str, u16), u64>,
        t: [std::time::Duration; 3],
    }
    fn rec<const P: usize>(s: &mut St<'_>, tier: Tier) {
        let begin = s.board.beginning(tier).expect("tier");
        if !s.marks.contains_key(&tier) {
            let above = s.board.above(tier);
            for a in &above { if !s.marks.contains_key(&a.1) { return; } }
            let t = std::time::Instant::now();
            let ab: Vec<_> = above.iter().map(|(c, t)| (*c, &*s.marks[t])).collect();
            let m = dispatch(s.isa, forward::Forward { board: s.board, begin, start: tier.0 == 0, above: &ab });
            s.t[0] += t.elapsed();
            s.over += m.over.iter().sum::<u64>();
            s.marks.insert(tier, std::rc::Rc::new(m));
        }
        let below = s.board.below(tier);
        for b in &below { if !s.solved.contains_key(&b.1) { rec::<P>(s, b.1); } }
        for b in &below { if !s.solved.contains_key(&b.1) { return; } }
        let t = std::time::Instant::now();
        let bl: Vec<_> = below.iter().map(|(c, t)| (*c, &s.solved[t][1 - c])).collect();
        let halves = dispatch(s.isa, backward::Backward::<P> { board: s.board, begin, below: &bl, words: [0, 0] });
        s.t[1] += t.elapsed();
        let t = std::time::Instant::now();
        let m = s.marks[&tier].clone();
        let tally = dispatch(s.isa, tally::Count::<P> { board: s.board, begin, halves: [&halves[0], &halves[1]], marks: &m });
        s.t[2] += t.elapsed();
        for (i, n) in tally.all.iter().enumerate() {
            if *n > 0 {
                let v = s.board.ends.value((i / tally.codes) as u32, (i % tally.codes) as u32).expect("value");
                *s.hist.entry((v.word(), v.remoteness().unwrap_or(0))).or_default() += n;
            }
        }
        s.total += tally.all.iter().sum::<u64>();
        if let Ok(path) = std::env::var("DUMP") {
            use std::io::Write;
            let mode: usize = std::env::var("MODE").map(|m| m.parse().unwrap_or(0)).unwrap_or(0);
            let mut f = std::fs::OpenOptions::new().create(true).append(true).open(path).expect("file");
            let mut out = vec![];
            let mut walk = s.board.walk(begin, false);
            let turn = 0;
            while let Some(shard) = walk.next() {
                let Some(list) = s.board.list(&shard, turn) else { continue };
                let a0 = shard.contents[0] as usize;
                let mut rows: Vec<(u64, u8)> = vec![];
                let mut over = list.dead.clone();
                s.board.add_over(&shard, list, 1 - turn, &mut over);
                s.board.add_over(&shard, list, turn, &mut over);
                for level in &list.levels {
                    let ply = shard.stones + level.height;
                    for (i, e) in level.entries.iter().enumerate() {
                        let nf = s.board.files.len();
                        let x = s.board.inner.content(*e as usize, nf - 1 - s.board.outer, s.board.files[nf - 1].len());
                        if x > a0 { continue; }
                        let bit = level.word * 64 + i;
                        let v = match halves[turn].at(shard.index) {
                            slab::At::Words(at) => {
                                let c = (1 << P) - 1 - tally::code_at::<P>(halves[turn].list(at), list.words, bit);
                                if over[bit / 64] >> (bit % 64) & 1 != 0 || c == s.board.ends.win_in_one(ply) || (c == s.board.ends.floor(ply)) { 255 } else { c as u8 }
                            }
                            _ => 255,
                        };
                        let key = match mode { 0 => 0, 1 => *e as u64, _ => 0 };
                        rows.push((key, v));
                        if mode == 7 {
                            let w = s.board.files[0].len();
                            let y = s.board.inner.content(*e as usize, 0, w);
                            out.extend([a0 as u8, shard.contents[1] as u8, shard.contents[2] as u8, y as u8, x as u8, level.height as u8, ply as u8, v]);
                        }
                    }
                }
                rows.sort_by_key(|r| r.0);
                if mode != 7 { out.extend(rows.iter().map(|r| r.1)); }
            }
            f.write_all(&out).expect("write");
        }
        s.solved.insert(tier, std::rc::Rc::new(halves));
        for b in &below {
            let ab = s.board.above(b.1);
            if ab.iter().all(|(_, a)| s.solved.contains_key(a)) { s.solved.insert(b.1, std::rc::Rc::new([slab::Half::default(), slab::Half::default()])); s.marks.remove(&b.1); }
        }
    }
    let mut s = St { board: &board, isa, marks: HashMap::new(), solved: HashMap::new(), total: 0, over: 0, hist: Default::default(), t: Default::default() };
    match board.ends.planes { 1 => rec::<1>(&mut s, Tier(0)), 2 => rec::<2>(&mut s, Tier(0)), 3 => rec::<3>(&mut s, Tier(0)), 4 => rec::<4>(&mut s, Tier(0)), 5 => rec::<5>(&mut s, Tier(0)), _ => rec::<6>(&mut s, Tier(0)) }
    println!("total {} over {} fwd/bwd/tally {:?} all {:?}", s.total + s.over, s.over, s.t, t0.elapsed());
    println!("{:?}", s.hist);
    let _ = Value::Draw;
}
