//! What people type to name a game and what it is solved for; and names of tiers in messages.

use zermelo_core::{Complaint, Opened, Tier, quoted};

use crate::Catalogue;

/// Larger files are not read. A list of some million positions takes some hundred megabytes.
const MOST_BYTES: u64 = 1 << 30;

/// Reads the file of a `file=NAME` in the name of a variant, and returns the name with the text of the file in place of
/// it. Only games with an option for a text take this. Never call this for a name that comes over the network.
pub fn with_file(catalogue: Catalogue, name: &str) -> Result<String, Complaint> {
    let Some((game, options)) = name.split_once(':') else { return Ok(name.into()) };
    let entry = catalogue.find(game).ok();
    let choice = entry.and_then(|entry| entry.card.options.iter().find(|o| o.contents.is_some()));
    let Some((choice, read)) = choice.and_then(|o| Some((o, o.contents?))) else { return Ok(name.into()) };
    let mut parts = vec![];
    for part in options.split(',') {
        let file = part.split_once('=').filter(|(key, _)| key.trim().eq_ignore_ascii_case("file"));
        let Some((_, file)) = file else {
            parts.push(part.to_string());
            continue;
        };
        let about = |why: String| Complaint::new(format!("file {}: {why}", quoted(file.trim())));
        let text = contents(file.trim()).map_err(&about)?;
        parts.push(format!("{}={}", choice.name, read(&text).map_err(|why| about(why.to_string()))?));
    }
    Ok(format!("{game}:{}", parts.join(",")))
}

fn contents(file: &str) -> Result<String, String> {
    let wrong = |error: std::io::Error| error.to_string();
    let bytes = zermelo_store::read_plain(file, MOST_BYTES).map_err(wrong)?;
    String::from_utf8(bytes).map_err(|_| {
        "it is no text; `zermelo games` with the name of the game says what belongs there".into()
    })
}

/// The full name of a variant, such as `quixo:rows=4,cols=4,line=4`.
pub fn full_name(game: &Opened) -> String {
    match game.variant.as_str() {
        "" => game.card.name.into(),
        variant => format!("{}:{variant}", game.card.name),
    }
}

/// A message about a tier with the name of the tier in it. Engines and the store know no names: they write `tier` and
/// the number. The name is put behind the number, as in `tier 808 (8 and 8 marks, 9 blank)`, and behind the message
/// where that has no such words.
pub(crate) fn with_name(message: &str, tier: Tier, name: &str) -> String {
    let (short, long) = (format!("tier {tier}"), format!("tier {}", tier.shown(name)));
    if short == long || message.contains(&long) {
        return message.into();
    }
    // The number of another tier may begin with this one's.
    let ends = |at: &usize| !message[at + short.len()..].starts_with(|c: char| c.is_ascii_alphanumeric());
    match message.match_indices(&short).map(|(at, _)| at).find(ends) {
        Some(at) => format!("{}{long}{}", &message[..at], &message[at + short.len()..]),
        None => format!("{message} [{long}]"),
    }
}

/// The option that asks for the game's objective on the command line; empty for the objective that the game has by
/// default.
pub fn objective_flag(game: &Opened) -> String {
    if game.usual { String::new() } else { format!(" --objective {}", game.objective) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_objective_goes_without_saying() {
        let flag =
            |name: &str, objective| objective_flag(&crate::open(name, None, objective).expect("a game"));
        assert_eq!((flag("mnk", None), flag("othello", None), flag("pentago", None)), Default::default());
        assert_eq!(flag("othello", Some("margin")), " --objective margin");
        assert_eq!(flag("pentago", Some("remoteness")), " --objective remoteness");
        let is_objective = |word| Catalogue::standard().has_objective(word);
        assert!(is_objective("margin") && is_objective("winner") && !is_objective("lattice"));
    }

    #[test]
    fn names_of_tiers_stand_behind_their_numbers() {
        let named = |message| with_name(message, Tier(0x80), "8 and 0 marks");
        assert_eq!(named("tier 80: lines are long"), "tier 80 (8 and 0 marks): lines are long");
        assert_eq!(named("f: block 3 of tier 80 is bad"), "f: block 3 of tier 80 (8 and 0 marks) is bad");
        assert_eq!(named("tier 808 above tier 80"), "tier 808 above tier 80 (8 and 0 marks)");
        assert_eq!(named("no memory"), "no memory [tier 80 (8 and 0 marks)]");
        assert_eq!(named(&named("tier 80")), "tier 80 (8 and 0 marks)", "once is enough");
        assert_eq!(with_name("tier 80 is bad", Tier(0x80), "80"), "tier 80 is bad", "a game without names");
    }

    #[test]
    fn a_file_stands_for_the_formula_in_it() {
        let file = std::env::temp_dir().join(format!("zermelo-{}.qdimacs", std::process::id()));
        std::fs::write(&file, "p cnf 2 2\na 1 0\ne 2 0\n1 -2 0\n-1 2 0\n").expect("written");
        let name =
            with_file(Catalogue::standard(), &format!("qbf:file={}", file.display())).expect("a formula");
        let game = crate::open(&name, None, None).expect("a game");
        assert_eq!((full_name(&game), game.variant.as_str()), (name.clone(), "formula=eae.x2-3.-2x3"));
        std::fs::write(&file, "p cnf 2 1\nx\n").expect("written");
        let bad = with_file(Catalogue::standard(), &format!("qbf:file={}", file.display()))
            .expect_err("no formula")
            .to_string();
        assert!(bad.contains("line 2"), "{bad}");
        std::fs::remove_file(&file).expect("removed");
        assert!(
            with_file(Catalogue::standard(), &format!("qbf:file={}", file.display())).is_err(),
            "it is gone"
        );
        let folder = with_file(Catalogue::standard(), "qbf:file=/").expect_err("a folder").to_string();
        assert!(folder.contains("plain file"), "{folder}");
        // Elsewhere there is nothing to read, and what is typed stays as it is.
        for name in ["mnk", "mnk:rows=4", "mnk:file=x", "nosuch:file=x", "qbf", "qbf:formula=e.x1"] {
            assert_eq!(with_file(Catalogue::standard(), name).as_deref(), Ok(name));
        }
        assert!(crate::open("qbf:file=x", None, None).is_err(), "only the command line reads files");
    }
}
