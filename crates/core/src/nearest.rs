//! Finds the word that somebody who mistyped a word may have meant.

/// The word of a list that is nearest to a mistyped one, if one is near: a word that begins with at least three letters
/// typed, or one that few slips turn into it. A slip is a letter too many, too few or wrong, or two in wrong order.
///
/// ```
/// use zermelo_core::nearest;
///
/// assert_eq!(nearest("conect4", ["quixo", "connect4"]), Some("connect4"));
/// assert_eq!(nearest("oth", ["quixo", "othello"]), Some("othello"));
/// assert_eq!(nearest("chess", ["quixo", "othello"]), None);
/// ```
pub fn nearest<'a>(typed: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.trim().to_lowercase();
    let long = typed.chars().count();
    // Longer texts are no slips, and would take long to compare.
    if long == 0 || long > 40 {
        return None;
    }
    let cost = |word: &str| {
        let word = word.to_lowercase();
        if long >= 3 && word.starts_with(&typed) { 1 } else { slips(&typed, &word) }
    };
    let near = words.into_iter().map(|word| (cost(word), word)).min_by_key(|(cost, _)| *cost);
    near.filter(|(cost, _)| *cost <= (long / 3).max(1)).map(|(_, word)| word)
}

/// The number of slips that turn one text into another.
fn slips(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // Row `i` has the slips from the first `i` letters of `a` to each beginning of `b`; three rows are kept.
    let mut rows: [Vec<usize>; 3] = [vec![], vec![], (0..=b.len()).collect()];
    for i in 1..=a.len() {
        rows.rotate_left(1);
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[0][j - 2] + 1);
            }
            row.push(least);
        }
        rows[2] = row;
    }
    rows[2][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
        for (a, b, want) in [
            ("", "", 0),
            ("", "abc", 3),
            ("rows", "row", 1),
            ("rwos", "rows", 1),
            ("xows", "rows", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!((slips(a, b), slips(b, a)), (want, want), "{a}, {b}");
        }
    }

    #[test]
    fn far_words_are_not_proposed() {
        let words = ["connect4", "hex", "nim", "quixo"];
        for (typed, want) in [
            ("conect4", Some("connect4")),
            ("Conect4 ", Some("connect4")),
            ("con", Some("connect4")),
            ("hx", Some("hex")),
            ("nmi", Some("nim")),
            ("quioxx", Some("quixo")),
            ("nosuchgame", None),
            ("", None),
            ("go", None),
        ] {
            assert_eq!(nearest(typed, words), want, "{typed}");
        }
        assert_eq!(nearest(&"x".repeat(1_000_000), words), None);
    }
}
