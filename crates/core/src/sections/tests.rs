#![allow(clippy::unwrap_used)]

use super::*;

/// A board on which the players took turns, made from a number.
fn board(seed: u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut spots: Vec<usize> = (0..36).collect();
    let stones = seed as usize % 37;
    let mut digits = [0u64; 36];
    for i in 0..stones {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let spot = spots.swap_remove((state >> 33) as usize % spots.len());
        digits[spot] = 1 + (i as u64 & 1);
    }
    let quadrant = |q: usize| digits[9 * q..9 * q + 9].iter().rev().fold(0, |n, d| 3 * n + d) as u16;
    join(std::array::from_fn(quadrant))
}

#[test]
fn a_turn_is_to_the_left() {
    // The lower left corner goes to the lower right one, then up.
    assert_eq!((turn_quadrant(1, 1), turn_quadrant(1, 2)), (Some(3u16.pow(6)), Some(3u16.pow(8))));
    assert_eq!(transform(1, 1), Some(u64::from(3u16.pow(6)) << 32));
    assert_eq!(transform(1, 4), Some(u64::from(3u16.pow(8)) << 48));
    assert_eq!((turn_quadrant(QUADRANTS as u16, 0), fixed_turns(u16::MAX)), (None, None));
}

#[test]
fn transforms_are_a_group_of_eight_that_moves_sections_as_boards() {
    for seed in 0..2000 {
        let board = board(seed);
        let section = Section::of(board).unwrap();
        assert_eq!(section.stones(), (seed % 37) as u32);
        let mut turned = board;
        for g in 0..TRANSFORMS {
            let image = transform(board, g).unwrap();
            assert_eq!(Section::of(image), Some(section.transform(g)));
            assert_eq!(section.transform(g).standard().0, section.standard().0);
            if g < 4 {
                assert_eq!(image, turned);
                turned = transform(turned, 1).unwrap();
            } else {
                assert_eq!(transform(image, g), Some(board), "a reflection undoes itself");
            }
        }
        assert_eq!(turned, board);
    }
}

#[test]
fn a_spot_leads_back_to_an_image_of_its_board() {
    for seed in 0..2000 {
        let board = board(seed);
        let spot = BoardPlace::of(board).unwrap();
        let patterns = spot.section.patterns();
        let quadrants = std::array::from_fn(|q| {
            turn_quadrant(patterns[q][spot.index[q]], spot.turns >> (2 * q)).unwrap()
        });
        let (_, g) = Section::of(board).unwrap().standard();
        assert_eq!(transform(board, g), Some(join(quadrants)));
    }
}

#[test]
fn patterns_cover_all_quadrants_and_mirror_images_are_neighbours() {
    let mut covered = 0;
    for (black, white) in (0..=9u8).flat_map(|b| (0..=9 - b).map(move |w| (b, w))) {
        let all = patterns(black, white);
        covered += all.iter().map(|&q| 4 / fixed_turns(q).unwrap()).sum::<u32>();
        for (i, &pattern) in all.iter().enumerate() {
            let image = tables().least(tables().mirror[pattern as usize]);
            assert_eq!(all[if image == pattern { i } else { i ^ 1 }], image);
        }
    }
    assert_eq!((covered as usize, patterns(3, 3).len(), patterns(9, 1).len()), (QUADRANTS, 420, 0));
    assert_eq!(patterns(200, 200), [0u16; 0]);
}

#[test]
fn sections_and_their_numbers() {
    let section = Section::new([[1, 1], [1, 1], [0, 0], [0, 0]]).unwrap();
    assert_eq!(section.to_string(), "4-11110000");
    assert_eq!((section.sig(), Section::from_sig(section.sig())), (0x0101_0101, Some(section)));
    assert_eq!((section.entries(), section.boards(), section.images()), (324, 5184, 4));
    assert_eq!(Section::new([[10, 0]; 4]), None);
    assert_eq!(Section::new([[255, 255]; 4]), None);
    assert_eq!(Section::new([[2, 0], [0, 0], [0, 0], [0, 0]]), None);
    assert_eq!((Section::of(u64::MAX), BoardPlace::of(2)), (None, None));
}

#[test]
fn places_follow_blocks_and_come_back() {
    let grid = BlockGrid { shape: [420, 1, 9, 16], blocks: [53, 1, 2, 2] };
    assert!((0..grid.len()).all(|n| grid.number(grid.block(n)) == Some(n)));
    assert_eq!((grid.block(1), grid.number([0, 1, 0, 0])), ([0, 0, 0, 1], None));
    assert_eq!(grid.block_shape([52, 0, 1, 1]), [4, 1, 1, 8]);
    let mut next = 0;
    for number in 0..grid.len() {
        assert_eq!(grid.first(grid.block(number)), next);
        assert_eq!(grid.number_at(next), Some(number));
        assert_eq!(grid.number_at(next + grid.entries_of(number) as u64 - 1), Some(number));
        next += grid.block_shape(grid.block(number)).iter().product::<usize>() as u64;
    }
    assert_eq!((next, grid.index(next)), (420 * 9 * 16, None));
    // Past the end there is nothing, whatever the last block's shape.
    let grid = BlockGrid { shape: [22, 22, 22, 1], blocks: [3, 3, 3, 1] };
    assert_eq!([10_648, 10_649, u64::MAX].map(|place| grid.index(place)), [None; 3]);
    let grid = BlockGrid { shape: [420, 1, 9, 16], blocks: [53, 1, 2, 2] };
    for place in 0..next {
        let index = grid.index(place).unwrap();
        assert_eq!(grid.place(index), place);
        assert!(place >= grid.first(index.map(|i| i / SIDE)));
    }
}
