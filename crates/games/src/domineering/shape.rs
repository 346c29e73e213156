//! Sets of cells on a board with eight cells to a row: rooms, regions, and shapes. A shape stays the same wherever
//! the cells lie and however they are flipped.

/// The cells of the last column.
const RIGHT: u64 = 0x8080_8080_8080_8080;

/// The upper cells of the rooms for standing dominoes.
#[inline]
pub(super) fn standing(free: u64) -> u64 {
    free & free >> 8
}

/// The left cells of the rooms for lying dominoes.
#[inline]
pub(super) fn lying(free: u64) -> u64 {
    free & free >> 1 & !RIGHT
}

/// The board turned by its diagonal: rows become columns.
#[inline]
pub(super) fn turned(mut set: u64) -> u64 {
    // Single cells, then squares of four and of sixteen change places across the diagonal.
    for (shift, mask) in
        [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)]
    {
        let swap = (set ^ set >> shift) & mask;
        set ^= swap ^ swap << shift;
    }
    set
}

/// The cells on which either player can still lay a domino.
#[inline]
pub(super) fn usable(free: u64) -> u64 {
    let (standing, lying) = (standing(free), lying(free));
    standing | standing << 8 | lying | lying << 1
}

/// Finds the regions of free cells, leaving out pairs of which one is the other turned. Returns the cells that are
/// left.
///
/// **Claim.** Such a pair together is worth zero. **Proof.** Whatever a player does in one of the two, the other
/// player can do in the other.
#[inline]
pub(super) fn split(free: u64, regions: &mut [u64; 32], count: &mut usize) -> u64 {
    let (mut left, mut rest, mut shapes) = (free, free, [0; 32]);
    while rest != 0 {
        let region = grown(rest & rest.wrapping_neg(), rest);
        rest &= !region;
        if region != free {
            let twin = shape(turned(region));
            if let Some(at) = shapes[..*count].iter().position(|shape| *shape == twin) {
                left &= !(region | regions[at]);
                *count -= 1;
                (regions[at], shapes[at]) = (regions[*count], shapes[*count]);
                continue;
            }
            shapes[*count] = shape(region);
        }
        regions[*count] = region;
        *count += 1;
    }
    left
}

/// The region of free cells around some cells.
#[inline]
pub(super) fn grown(mut region: u64, free: u64) -> u64 {
    loop {
        let aside = (region & !RIGHT) << 1 | region >> 1 & !RIGHT;
        let more = region | (aside | region << 8 | region >> 8) & free;
        if more == region {
            return region;
        }
        region = more;
    }
}

/// The least of the flips of some cells, each moved as far up and to the left as it goes.
#[inline]
pub(super) fn shape(free: u64) -> u64 {
    let mirrored = free.reverse_bits().swap_bytes();
    let [a, b, c, d] = [free, free.swap_bytes(), mirrored, mirrored.swap_bytes()].map(corner);
    a.min(b).min(c).min(d)
}

/// The cells moved as far up and to the left as they go.
#[inline]
pub(super) fn corner(set: u64) -> u64 {
    if set == 0 {
        return 0;
    }
    let columns = set | set >> 32;
    let columns = columns | columns >> 16;
    let columns = (columns | columns >> 8) & 0xff;
    set >> (set.trailing_zeros() / 8 * 8 + columns.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_turn_and_shapes_stay() {
        // Three cells down and three across.
        let l = 0x07_01_01;
        assert_eq!(turned(l), 0x04_04_07);
        for n in 0..1_000u64 {
            let set = n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(n as u32 % 64);
            assert_eq!(turned(turned(set)), set);
            assert_eq!(lying(set).count_ones(), standing(turned(set)).count_ones());
            for flip in [set.swap_bytes(), set.reverse_bits()] {
                assert_eq!(shape(flip), shape(set), "{set:x}");
            }
        }
        assert_eq!(shape(l << 27), shape(l));
    }
}
