//! Reads the values of options: sizes, times, names of hosts and of pictures.

use std::path::PathBuf;

/// Reads the name of a host without a port.
pub(super) fn host_name(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    let is_port = |end: &str| end.bytes().all(|b| b.is_ascii_digit());
    if text.is_empty() || !text.chars().all(plain) {
        return Err("want a name such as games.example.org".into());
    }
    match text.rsplit_once(':') {
        Some((name, end)) if !name.contains(':') && is_port(end) => {
            Err(format!("want a name without a port, {name}"))
        }
        _ => Ok(text.into()),
    }
}

/// Reads `500M`, `8G` or a number of bytes.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let number = text.trim().trim_end_matches(['b', 'B']).trim_end_matches(['i']);
    let (digits, unit) = match number.char_indices().last() {
        Some((at, unit)) if unit.is_ascii_alphabetic() => (&number[..at], unit.to_ascii_uppercase()),
        _ => (number, ' '),
    };
    let shift = match unit {
        ' ' => 0,
        'K' => 10,
        'M' => 20,
        'G' => 30,
        'T' => 40,
        _ => return Err("want a size such as 500M or 8G".into()),
    };
    let bytes = digits.trim().parse::<f64>().ok().map(|n| n * (1u64 << shift) as f64);
    match bytes {
        Some(bytes) if (1.0..1e18).contains(&bytes) => Ok(bytes as u64),
        _ => Err("want a size such as 500M or 8G".into()),
    }
}

/// Reads the name of a file for a picture, whose ending says which kind it is.
pub(super) fn picture(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match crate::cmd::plot::Kind::of(&path) {
        Some(_) => Ok(path),
        None => Err("want a name that ends in .svg or .png".into()),
    }
}

pub(super) fn strength(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|s| (0.0..=1.0).contains(s)).ok_or("want a number from 0 to 1".into())
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|s| (0.0..=86_400.0).contains(s)).ok_or("want seconds, from 0 to 86400".into())
}

/// Reads the seconds that a search may take. Each request ends after ten seconds, so more seconds would not help.
pub(super) fn search_seconds(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|s| (0.0..=8.0).contains(s)).ok_or("want seconds, from 0 to 8".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(size("8G"), Ok(8 << 30));
        assert_eq!(size("500m"), Ok(500 << 20));
        assert_eq!(size("1.5GiB"), Ok(3 << 29));
        assert_eq!(size("4096"), Ok(4096));
        for bad in ["", "G", "-1", "8X", "1e40", "NaN", "0"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
