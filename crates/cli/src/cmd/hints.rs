//! Says what a command line that cannot be read may have meant, where options or moves stand apart from their game.

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::solve::typed;
use crate::args::Cli;

/// Returns a tip for a command line with an argument too many: `connect4 rows=4` may mean `connect4:rows=4`, and
/// `query mnk b2 a1` may mean moves.
pub(crate) fn tip(error: &clap::Error, args: &[String]) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(stray)) = error.get(ContextKind::InvalidArg) else { return None };
    let words = words(args);
    let [verb, game, more @ ..] = words.as_slice() else { return None };
    if stray.starts_with('-') || !more.contains(&stray.as_str()) {
        return None;
    }
    if more.iter().all(|word| is_option(word)) {
        let sign = if game.contains(':') { "," } else { ":" };
        let name = format!("{game}{sign}{}", more.join(","));
        return Some(format!("options stand behind the name of the game: zermelo {verb} {}", quoted(&name)));
    }
    (*verb == "query").then(|| {
        format!("moves are given as one text: zermelo query {game} --moves {}", typed(&more.join(" ")))
    })
}

/// Quotes the name of a variant for a shell, where that is needed.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:,=".contains(c);
    if name.chars().all(plain) { name.into() } else { typed(name) }
}

/// Whether a word looks like an option of a game: `rows=4` or `4x4`.
fn is_option(word: &str) -> bool {
    let size = |(a, b): (&str, &str)| !a.is_empty() && [a, b].iter().all(|side| side.parse::<u32>().is_ok());
    word.contains('=') || word.split_once('x').is_some_and(size)
}

/// Returns the words of a command line that are neither options of the program nor their values; the name of the
/// program is left out.
pub(crate) fn words(args: &[String]) -> Vec<&str> {
    let program = Cli::command();
    let mut args = args.iter().skip(1).map(String::as_str);
    let mut found: Vec<&str> = vec![];
    while let Some(word) = args.next() {
        if word == "--" {
            found.extend(args.by_ref());
        } else if !word.starts_with('-') || word == "-" {
            found.push(word);
        } else if takes_value(&program, found.first().copied(), word) {
            args.next();
        }
    }
    found
}

/// Whether an option of a command has its value in the next word.
pub(crate) fn takes_value(program: &clap::Command, verb: Option<&str>, word: &str) -> bool {
    let Some(name) = word.strip_prefix("--").filter(|name| !name.contains('=')) else { return false };
    let command = verb.and_then(|verb| program.find_subcommand(verb));
    let options = program.get_arguments().chain(command.into_iter().flat_map(clap::Command::get_arguments));
    let mut named = options.filter(|option| option.get_long() == Some(name));
    named.any(|option| option.get_action().takes_values())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn told(line: &str) -> Option<String> {
        let args: Vec<String> = line.split(' ').map(String::from).collect();
        let error = Cli::try_parse_from(&args).err()?;
        tip(&error, &args)
    }

    #[test]
    fn options_and_moves_apart_from_their_game_are_understood() {
        for (line, part) in [
            ("zermelo solve connect4 rows=4", "zermelo solve connect4:rows=4"),
            ("zermelo solve connect4:rows=4 cols=5 connect=3", "connect4:rows=4,cols=5,connect=3"),
            ("zermelo solve --memory 1G quixo 4x4", "zermelo solve quixo:4x4"),
            ("zermelo query mnk b2 a1", "--moves 'b2 a1'"),
            ("zermelo query mnk b2 a1 --json", "--moves 'b2 a1'"),
        ] {
            let tip = told(line);
            assert!(tip.as_ref().is_some_and(|tip| tip.contains(part)), "{line}: {tip:?}");
        }
        for line in ["zermelo solve mnk --nosuch", "zermelo verify mnk nonsense", "zermelo solve", "zermelo"]
        {
            assert_eq!(told(line), None, "{line}");
        }
    }
}
