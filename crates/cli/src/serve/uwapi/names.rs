//! Writes names of variants without the signs that have a meaning in URLs: `rows3_cols3` for `rows=3,cols=3`.

use zermelo_core::Card;

/// Returns the short name, from `rows=3,cols=3`.
pub(crate) fn short(id: &str) -> String {
    id.replace('=', "").replace(',', "_")
}

/// Returns the long name, such as `rows=3,cols=3`. A name that is long already stays.
pub(crate) fn plain(card: &Card, short: &str) -> String {
    let part = |part: &str| {
        let option = card.options.iter().find_map(|o| Some((o.name, part.strip_prefix(o.name)?)));
        match option {
            Some((name, number)) if !number.starts_with('=') => format!("{name}={number}"),
            _ => part.to_string(),
        }
    };
    short.split('_').map(part).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use zermelo::Catalogue;

    use super::*;

    #[test]
    fn names_come_back() {
        for entry in Catalogue::standard().games() {
            for id in ["default", "rows=3,cols=3", "rows=12", "cols=2,line=3", "rows=1,connect=5"] {
                assert_eq!(plain(entry.card, &short(id)).replace('=', ""), id.replace('=', ""));
            }
        }
        let card = Catalogue::standard().find("quixo").expect("Quixo").card;
        assert_eq!(plain(card, "rows3_cols3_line3"), "rows=3,cols=3,line=3");
        assert_eq!(plain(card, "rows=3,cols=3"), "rows=3,cols=3");
        assert_eq!(plain(card, "nosuchvariant"), "nosuchvariant");
    }
}
