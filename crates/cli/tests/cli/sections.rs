//! Pentago's section solver against the published database: counts of whole slices, samples bit by
//! bit, and the first slices, each from the next.
//!
//! The published files are not part of this repository: the test looks for them beside it.

use std::collections::HashMap;
use std::sync::Arc;

use zermelo::open;
use zermelo_core::sections::{BoardPlace, Section};
use zermelo_core::{Opened, Solved, Tier};
use zermelo_engines::{PackedSection, SectionCounts};
use zermelo_store::pentago::Slice;
use zermelo_testing::pentago::{Count, read_counts, standard_sections};

use crate::published::real;

/// The solved sections, by signature.
type Done = HashMap<u64, Arc<dyn Solved>>;

fn counts(folder: &std::path::Path, stones: u32) -> HashMap<u64, SectionCounts> {
    let rows = read_counts(folder.join(format!("counts-{stones}.npy")));
    let row = |c: &Count| SectionCounts { black: c.black, white: c.white, total: c.total };
    rows.iter().map(|c| (c.section.sig(), row(c))).collect()
}

fn solve(game: &Opened, section: Section, below: &Done) -> Arc<dyn Solved> {
    let tier = Tier(section.sig());
    let children: Vec<_> = game.tiers().children(tier).iter().map(|child| below[&child.0].clone()).collect();
    game.engine()
        .solve(&zermelo_core::Job {
            tier,
            reached: None,
            children: &children,
            memory: u64::MAX,
            watch: &(),
            checkpoint: None,
        })
        .unwrap()
}

fn packed(solved: &Arc<dyn Solved>) -> &PackedSection {
    zermelo_core::own(&**solved, Tier(0)).unwrap()
}

/// Returns the boards of the golden file: where black wins and where white wins.
fn samples() -> Vec<(u64, [[u64; 4]; 2])> {
    let text = include_str!("../golden/pentago-34.txt");
    let numbers = |line: &str| line.split(' ').map(|word| word.parse().unwrap()).collect::<Vec<u64>>();
    let lines = text.lines().filter(|line| !line.starts_with('#')).map(numbers);
    lines.map(|n| (n[0], [[n[1], n[2], n[3], n[4]], [n[5], n[6], n[7], n[8]]])).collect()
}

#[test]
fn slice_35_and_part_of_34_equal_the_published_counts_and_samples() {
    let Some(folder) = real() else { return };
    let game = open("pentago", None, None).unwrap();
    let mut below = Done::new();
    for stones in [36, 35] {
        let counts = if stones == 36 { HashMap::new() } else { counts(&folder, stones) };
        let sections = standard_sections(stones);
        let here: Done = sections.iter().map(|s| (s.sig(), solve(&game, *s, &below))).collect();
        for section in sections.iter().filter(|_| stones == 35) {
            assert_eq!(packed(&here[&section.sig()]).tally, counts[&section.sig()], "{section}");
        }
        assert_eq!(here.len(), if stones == 36 { 100 } else { 330 });
        below = here;
    }

    let (counts, samples) = (counts(&folder, 34), samples());
    let mut sections = standard_sections(34);
    sections.sort_by_key(|section| section.entries());
    let sampled = |section: &Section| {
        samples
            .iter()
            .filter(|(board, _)| BoardPlace::of(*board).unwrap().section == *section)
            .collect::<Vec<_>>()
    };
    let (mut many, mut found) = (0, 0);
    for (n, section) in sections.into_iter().enumerate() {
        let samples = sampled(&section);
        if n >= 250 && samples.is_empty() {
            continue;
        }
        let solved = solve(&game, section, &below);
        assert_eq!(packed(&solved).tally, counts[&section.sig()], "{section}");
        for (board, tables) in samples {
            assert_eq!(Section::of(*board), Some(section));
            let spot = BoardPlace::of(*board).unwrap();
            // The quadrants of these boards are patterns already, so that their tables are as they are stored.
            assert_eq!(spot.turns, 0);
            let block = packed(&solved).block(spot.index.map(|i| i / 8)).unwrap();
            let shape = section.grid().block_shape(spot.index.map(|i| i / 8));
            let at = spot.index.iter().zip(shape).fold(0, |n, (i, side)| n * side + i % 8);
            assert_eq!(block[at], *tables, "{board}");
            found += 1;
        }
        many += 1;
    }
    assert_eq!(found, 32);
    assert!(many >= 250, "{many} sections");
}

/// Six or eight empty cells in two quadrants, and everything that this leads to.
#[test]
fn closures_of_small_sections_equal_the_published_counts() {
    let Some(folder) = real() else { return };
    let game = open("pentago", None, None).unwrap();
    for digits in [[3, 3, 0, 9, 3, 3, 9, 0], [3, 2, 0, 9, 2, 3, 9, 0], [3, 3, 8, 1, 3, 3, 1, 8]] {
        let root = Section::new([0, 1, 2, 3].map(|q| [digits[2 * q], digits[2 * q + 1]])).unwrap();
        assert!(root.stones() <= 30);
        let mut tiers = vec![root.standard().0.sig()];
        for n in 0.. {
            let Some(tier) = tiers.get(n).copied() else { break };
            let more: Vec<u64> = game.tiers().children(Tier(tier)).iter().map(|t| t.0).collect();
            tiers.extend(more.into_iter().filter(|t| !tiers.contains(t)).collect::<Vec<_>>());
        }
        let mut done = Done::new();
        for tier in tiers.iter().rev() {
            let section = Section::from_sig(*tier).unwrap();
            done.insert(*tier, solve(&game, section, &done));
        }
        let known: HashMap<u64, SectionCounts> =
            (root.stones()..36).flat_map(|stones| counts(&folder, stones)).collect();
        for (tier, solved) in &done {
            let section = Section::from_sig(*tier).unwrap();
            if section.stones() < 36 {
                assert_eq!(packed(solved).tally, known[tier], "{section}");
            }
        }
    }
}

#[test]
fn published_slices_follow_from_each_other() {
    let Some(folder) = real() else { return };
    let game = open("pentago", None, None).unwrap();
    let slice = |stones: u32| {
        let path = folder.join(format!("slice-{stones}.pentago"));
        let slice = Slice::open_file(path, 64 << 20).unwrap();
        let section = |section: Section| {
            let tables = |at| Ok(slice.block(section, at)?.entries().to_vec());
            Arc::new(PackedSection::new(section, tables).unwrap()) as Arc<dyn Solved>
        };
        let sections: Vec<Section> = slice.sections().collect();
        sections.into_iter().map(|s| (s.sig(), section(s))).collect::<Done>()
    };
    let mut below = slice(6);
    let mut boards = 0;
    for stones in (0..6).rev() {
        let here = slice(stones);
        for (tier, read) in &here {
            let section = Section::from_sig(*tier).unwrap();
            let found = solve(&game, section, &below);
            let (found, read) = (packed(&found), packed(read));
            assert_eq!(found.tally, read.tally);
            for number in 0..section.grid().len() {
                let at = section.grid().block(number);
                assert_eq!(found.block(at).unwrap(), read.block(at).unwrap(), "{section} {at:?}");
            }
            boards += found.tally.total;
        }
        below = here;
    }
    assert_eq!(boards, 651_052, "of standard sections with up to five stones");
}
