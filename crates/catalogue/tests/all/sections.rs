//! Pentago's sections: the rotation tables against the rules, one board after the other.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use zermelo_core::sections::Section;
use zermelo_core::{
    Code, Engine, Limits, Objective, Reason, Solved, StoredTier, Tier, Tiers, Width, Winner, own,
};
use zermelo_engines::{Opens, PackedSection, Ranked, Rotations, Sweep};
use zermelo_games::Pentago;
use zermelo_testing::pentago::standard_sections;

use crate::games::open;
use crate::run::{PLENTY, bytes, codes, solve, tiers};

/// A section and all that it leads to, those with most stones first.
fn closure(section: Section) -> Vec<Tier> {
    let mut found = vec![Tier(section.standard().0.sig())];
    for n in 0.. {
        let Some(tier) = found.get(n).copied() else { break };
        let more = Pentago::default().children(tier);
        found.extend(more.into_iter().filter(|t| !found.contains(t)).collect::<Vec<_>>());
    }
    found.reverse();
    found
}

fn boards(tiers: &[Tier]) -> u64 {
    tiers.iter().map(|t| Pentago::default().size(*t)).sum()
}

/// Sections with few boards below them, of all kinds.
fn small() -> Vec<Vec<Tier>> {
    let all = (31..=34).flat_map(standard_sections).map(closure);
    let fits = all.filter(|tiers| (200_000..1_500_000).contains(&boards(tiers)));
    fits.step_by(15).collect()
}

fn ranked() -> Arc<Ranked<Pentago, Winner>> {
    Arc::new(Ranked::of(Pentago::default()))
}

fn rotations() -> Rotations<Pentago> {
    Rotations::open(&ranked()).expect("for any section")
}

/// Reads codes from memory.
fn reader(codes: &[u8]) -> impl Fn(Range<u64>, &mut Vec<u8>) -> Result<(), Reason> + Sync {
    |range, out| {
        out.extend_from_slice(&codes[range.start as usize..range.end as usize]);
        Ok(())
    }
}

/// Rotation tables as codes, board by board.
fn plain(solved: &dyn Solved) -> Vec<u8> {
    let mut codes = vec![];
    // In pieces that begin anywhere.
    let mut from = 0;
    while from < solved.entries() {
        let to = (from + 100_003).min(solved.entries());
        solved.write(from..to, &mut codes);
        from = to;
    }
    codes
}

#[test]
fn rotation_tables_agree_with_a_sweep_of_single_boards() {
    let game = Pentago::default();
    let all = small();
    assert!(all.len() >= 5, "{} sections", all.len());
    let mut compared = 0;
    for order in all {
        let fast = tiers(&game, &rotations(), &order);
        let slow = tiers(&game, &Sweep::over(&ranked()), &order);
        for tier in &order {
            let written = plain(&*fast[tier]);
            let slow = codes::<Pentago, Winner>(&slow[tier]);
            let index = game.index(*tier);
            game.scan(&index, 0..game.size(*tier), |i, p| {
                let found = match <Winner as Objective<Pentago>>::look(&game, p) {
                    Some(code) => {
                        assert_eq!(written[i as usize], u8::MAX, "who has five is not stored");
                        code
                    }
                    None => Code::widen(written[i as usize]),
                };
                assert_eq!(found, slow.get(i), "{tier} {i}");
                compared += 1;
            });
            assert_eq!(fast[tier].positions(), slow.positions());
        }
    }
    assert!(compared > 300_000, "{compared}");
}

#[test]
fn stored_sections_come_back() {
    let game = Pentago::default();
    for order in small().into_iter().take(3) {
        let done = tiers(&game, &rotations(), &order);
        for tier in &order {
            let codes = plain(&*done[tier]);
            let stored = StoredTier { tier: *tier, width: Width::One, read: &reader(&codes) };
            let again = rotations().load(&stored).expect("loaded");
            let packed = |solved: &Arc<dyn Solved>| {
                let packed: &PackedSection = own(&**solved, *tier).expect("packed");
                let grid = packed.section.grid();
                let blocks = (0..grid.len()).map(|n| packed.block(grid.block(n)).expect("a block"));
                (packed.tally, blocks.collect::<Vec<_>>())
            };
            assert!(packed(&again) == packed(&done[tier]));
        }
    }
}

#[test]
fn spilled_sections_come_back() {
    let game = open("pentago:section=33093390", None, None).expect("a section");
    for (tier, solved) in solve(&game, PLENTY) {
        let spilled = bytes(solved.spill());
        let restore = |spilled: &[u8]| game.engine().restore(tier, &mut &spilled[..]);
        let back = restore(&spilled).expect("what was spilled");
        assert_eq!(bytes(back.spill()), spilled);
        assert_eq!((back.bytes(), back.positions()), (solved.bytes(), solved.positions()));
        assert!(plain(&*back) == plain(&*solved), "section {tier}");
        for end in [0, 8, 23, 26, spilled.len() / 2, spilled.len() - 1] {
            assert!(restore(&spilled[..end]).is_err(), "section {tier}, {end} bytes");
        }
        assert!(restore(&[&spilled[..], &[0]].concat()).is_err());
        // A block that would be longer than any of its boards.
        let mut long = spilled.clone();
        long[24..28].fill(u8::MAX);
        assert!(restore(&long).is_err());
    }
}

#[test]
fn counts_by_table_are_those_of_single_boards() {
    let game = open("pentago:section=33093390", None, None).expect("a section");
    let mut whole = 0;
    for order in
        small().into_iter().chain([closure(Section::new([[8, 1], [1, 8], [8, 1], [1, 7]]).expect("good"))])
    {
        let done = tiers(&Pentago::default(), &rotations(), &order);
        for tier in order {
            let codes = plain(&*done[&tier]);
            let boards = game.audit().load_plain(tier, Width::One, &reader(&codes)).expect("loaded");
            let reached = game.reach().empty(tier, false);
            let count = |solved: &dyn Solved| {
                let mut counts = game.tally(tier, &*reached, solved).expect("counted");
                counts.sort_by_key(|count| count.value.preference());
                counts
            };
            assert_eq!(count(&*done[&tier]), count(&*boards), "{tier}");
            whole += usize::from(Section::from_sig(tier.0).expect("a section").images() == 8);
        }
    }
    assert!(whole >= 5, "{whole} sections that are not their own images");
}

#[test]
fn a_false_code_is_refused() {
    let all = small();
    let tiers = all.iter().max_by_key(|tiers| boards(tiers)).expect("a section");
    let tier = *tiers.last().expect("a section");
    for code in [7, 0xff] {
        let read = |range: Range<u64>, out: &mut Vec<u8>| {
            out.extend(range.map(|_| code));
            Ok(())
        };
        let stored = StoredTier { tier, width: Width::One, read: &read };
        let refused = rotations().load(&stored).err().expect("refused").to_string();
        assert!(refused.contains("no value"), "{refused}");
    }
}

#[test]
fn one_search_answers_for_all_moves() {
    let game = open("pentago", None, None).expect("there is pentago");
    let at = |text: &str| game.oracle().parse(text).expect("a board");
    let board = at("274440791932540184");
    let limits = |memory| Limits { time: std::time::Duration::from_secs(1), memory };
    assert!(game.oracle().examine(board, limits(1 << 20)).expect("a board").is_none(), "too little memory");
    assert!(game.oracle().examine(at("0"), limits(PLENTY)).expect("a board").is_none(), "too few stones");
    let root = at("2770020892349170059");
    let report = game.oracle().examine(root, limits(PLENTY)).expect("a board").expect("an answer");
    assert!(report.is_known());
    for m in &report.moves {
        let alone = game.oracle().search(at(&m.position), limits(PLENTY));
        assert_eq!(m.value, alone, "{}", m.name);
    }
    let values: HashMap<_, _> = report.moves.iter().map(|m| (m.position.clone(), m.value)).collect();
    assert!(values.len() > 8);
}
