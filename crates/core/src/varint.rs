//! Whole numbers in few bytes: seven bits a byte, the lowest first; the eighth bit says that more follow.

/// Appends a number.
#[inline]
pub fn put(bytes: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
}

/// Takes the number at `at`, and moves `at` behind it; `None` when the bytes end too early or the number has too many
/// of them.
#[inline]
pub fn take(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut n = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        n |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(n);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_cut_ones_do_not() {
        for n in [0, 1, 127, 128, 16383, 16384, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let (mut bytes, mut at) = (vec![7], 1);
            put(&mut bytes, n);
            assert_eq!((take(&bytes, &mut at), at), (Some(n), bytes.len()));
            assert_eq!(take(&bytes[..bytes.len() - 1], &mut 1), None, "{n}");
        }
        assert_eq!(take(&[0xff; 11], &mut 0), None);
    }
}
