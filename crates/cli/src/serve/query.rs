//! Reads the query of a URL, the part after the `?`.

use super::refusal::{Refusal, Result};

/// Returns the value of a key, decoded; `None` where the key is not given.
pub(crate) fn value(query: Option<&str>, key: &str) -> Result<Option<String>> {
    let pairs = query.unwrap_or_default().split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let found = pairs.into_iter().find(|(name, _)| *name == key);
    found.map(|(_, text)| decoded(text)).transpose()
}

fn decoded(text: &str) -> Result<String> {
    // Positions need no escapes, so that most texts pass as they are.
    if !text.contains(['%', '+']) {
        return Ok(text.to_string());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = rest.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
                let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
                let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                bytes.push(
                    byte.ok_or_else(|| Refusal::bad("% in a URL must stand before two hexadecimal digits"))?,
                );
                rest = &rest[2..];
            }
            other => bytes.push(*other),
        }
    }
    String::from_utf8(bytes).map_err(|_| Refusal::bad("the URL has escapes that are no UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn values_are_found_and_decoded() {
        let query = Some("a=1&p=1_--x%2D+%C3%A4&q");
        let get = |key| value(query, key).expect("good escapes");
        assert_eq!(get("p").as_deref(), Some("1_--x- ä"));
        assert_eq!((get("q").as_deref(), get("x")), (Some(""), None));
        for bad in ["p=%", "p=%2", "p=%zz", "p=%ff"] {
            assert!(value(Some(bad), "p").is_err(), "{bad}");
        }
        assert!(value(None, "p").expect("nothing to decode").is_none());
    }
}
