//! Boards, sections and blocks of Pentago, counted and compared with the published numbers.

use std::collections::BTreeMap;

use zermelo_core::sections::{SPOTS, Section, TRANSFORMS, join, split, transform, turn_quadrant};
use zermelo_testing::pentago::standard_sections;

/// The published numbers of one slice, in the order of the file.
fn published() -> Vec<Vec<u128>> {
    let lines = include_str!("slices.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(' ').map(|word| word.parse().expect("a number")).collect()).collect()
}

/// For each of the 2,048 symmetries how many cycles of each length the cells go in, and how often that happens.
fn cycle_types() -> BTreeMap<Vec<usize>, u128> {
    let mut types = BTreeMap::new();
    for (g, turns) in (0..TRANSFORMS).flat_map(|g| (0..256u32).map(move |turns| (g, turns))) {
        // Where a stone on each cell goes: a board with one stone.
        let image = |cell: usize| {
            let board = 3u64.pow(cell as u32 % 9) << (16 * (cell / 9));
            let turned = split(board).into_iter().enumerate();
            let turned: Vec<u16> = turned
                .map(|(q, quadrant)| {
                    turn_quadrant(quadrant, (turns >> (2 * q)) as u8 & 3).expect("a quadrant")
                })
                .collect();
            let there = transform(join([turned[0], turned[1], turned[2], turned[3]]), g).expect("a board");
            let q = (0..4).find(|q| there >> (16 * q) & 0xffff != 0).expect("a stone");
            9 * q + (0..9).find(|c| there >> (16 * q) == 3u64.pow(*c)).expect("one stone") as usize
        };
        let to: Vec<usize> = (0..36).map(image).collect();
        let mut seen = [false; 36];
        let mut lengths = vec![0; 37];
        for cell in 0..36 {
            let (mut at, mut length) = (cell, 0);
            while !std::mem::replace(&mut seen[at], true) {
                (at, length) = (to[at], length + 1);
            }
            lengths[length] += usize::from(length > 0);
        }
        *types.entry(lengths).or_insert(0) += 1;
    }
    types
}

/// The number of boards with given numbers of black and white stones that stay as they are: each cycle is empty,
/// black or white.
fn unchanged(lengths: &[usize]) -> Vec<Vec<u128>> {
    let mut ways = vec![vec![0u128; 37]; 37];
    ways[0][0] = 1;
    for (length, many) in lengths.iter().enumerate().skip(1) {
        for _ in 0..*many {
            for (black, white) in (0..=36usize).rev().flat_map(|b| (0..=36usize).rev().map(move |w| (b, w))) {
                let before = |b: bool, w: bool| {
                    let b = black.checked_sub(if b { length } else { 0 });
                    let w = white.checked_sub(if w { length } else { 0 });
                    b.zip(w).map_or(0, |(b, w)| ways[b][w])
                };
                ways[black][white] = before(false, false) + before(true, false) + before(false, true);
            }
        }
    }
    ways
}

#[test]
fn our_counting_gives_the_published_numbers_of_every_slice() {
    let mut up_to_turns = vec![0; 37];
    for (lengths, often) in cycle_types() {
        let ways = unchanged(&lengths);
        for stones in 0..=36usize {
            up_to_turns[stones] += often * ways[stones.div_ceil(2)][stones / 2];
        }
    }
    let published = published();
    assert_eq!(published.len(), 37);
    for (stones, published) in (0..=SPOTS).zip(published) {
        let all = standard_sections(stones);
        let sum = |of: &dyn Fn(&Section) -> u128| all.iter().map(of).sum::<u128>();
        let lines = |s: &Section| {
            let blocks = s.grid().blocks;
            (0..4).map(|q| (s.grid().len() / blocks[q]) as u128).sum()
        };
        let ours = [
            u128::from(stones),
            sum(&|s| u128::from(s.boards()) * s.images() as u128),
            sum(&|s| s.distinct_boards().into()),
            up_to_turns[stones as usize] / 2048,
            sum(&|s| s.images() as u128),
            all.len() as u128,
            sum(&|s| u128::from(s.entries()) * s.images() as u128),
            sum(&|s| s.entries().into()),
            sum(&|s| s.grid().len() as u128),
            sum(&lines),
            all.iter().map(|s| s.entries().into()).max().unwrap_or(0),
        ];
        assert_eq!(ours[..], published[..], "{stones} stones");
    }
}

#[test]
fn standard_sections_of_all_slices() {
    // Totals of the paper: sections, entries, blocks.
    let all: Vec<Section> = (0..=SPOTS).flat_map(standard_sections).collect();
    assert_eq!(all.len(), 108_204);
    assert_eq!(all.iter().map(|s| s.entries()).sum::<u64>(), 13_540_337_135_288);
    let blocks = |s: &Section| s.shape().iter().map(|n| n.div_ceil(8) as u64).product::<u64>();
    assert_eq!(all.iter().map(blocks).sum::<u64>(), 3_654_002_393);
    let boards = all.iter().map(|s| u128::from(s.boards()) * s.images() as u128).sum::<u128>();
    assert_eq!(boards, 24_072_650_378_629_801);
    assert_eq!((0..=SPOTS).map(|n| standard_sections(n).len()).max(), Some(8239));
    assert!(standard_sections(37).is_empty());
}
