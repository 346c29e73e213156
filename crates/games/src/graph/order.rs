//! The numbering of the positions of a list.

use super::GraphParts;

/// Numbers for positions, by which every move raises the number; or a position to which play can return.
///
/// A depth-first walk leaves a position after all positions that its moves lead to, unless a move leads to a position
/// that the walk is still in. So numbers that fall in the order of leaving rise with every move.
pub(super) fn rising(parts: &GraphParts) -> Result<Vec<u32>, u32> {
    const NEW: u8 = 0;
    const ENTERED: u8 = 1;
    const LEFT: u8 = 2;
    let many = parts.over.len();
    let (mut state, mut numbers) = (vec![NEW; many], vec![0; many]);
    let mut next = many as u32;
    let mut path: Vec<(u32, u32)> = vec![];
    for root in 0..many as u32 {
        if state[root as usize] != NEW {
            continue;
        }
        state[root as usize] = ENTERED;
        path.push((root, parts.first(root)));
        while let Some((p, m)) = path.last_mut() {
            if *m == parts.last(*p) {
                state[*p as usize] = LEFT;
                next -= 1;
                numbers[*p as usize] = next;
                path.pop();
                continue;
            }
            let child = parts.to[*m as usize];
            *m += 1;
            match state[child as usize] {
                NEW => {
                    state[child as usize] = ENTERED;
                    path.push((child, parts.first(child)));
                }
                ENTERED => return Err(child),
                _ => {}
            }
        }
    }
    Ok(numbers)
}
