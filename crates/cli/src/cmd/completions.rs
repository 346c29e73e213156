//! `zermelo completions`: scripts for shells, and the names of games and options that these scripts ask for.
//!
//! The scripts of clap know commands and options. Names of games are more than a list, as options follow them, so a script
//! asks the program itself: `zermelo completions SHELL --line 'zermelo solve qui'`.

use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;
use zermelo::{Catalogue, Entry};
use zermelo_core::Choice;

use super::games::named;
use super::hints::{takes_value, words};
use super::variants::variants_of;
use crate::args::{Cli, Completions};

/// An option with more values than these is completed to its name alone.
const VALUES: u32 = 20;

/// In bash a colon and an equals sign end a word, so what stands before them is taken off the answers.
const BASH: &str = r#"
_zermelo_with_games() {
    local line="${COMP_LINE:0:COMP_POINT}" found head
    found="$("${COMP_WORDS[0]}" completions bash --line "$line" 2>/dev/null)"
    if [[ -z "$found" ]]; then
        _zermelo "$@"
        return
    fi
    head="${line##*[[:space:]]}"
    case "$head" in
        *[:=]*) head="${head%"${head##*[:=]}"}" ;;
        *) head="" ;;
    esac
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line#"$head"}")
    done <<< "$found"
    if [[ "${#COMPREPLY[@]}" -gt 1 || "$found" == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -F _zermelo_with_games -o bashdefault -o default zermelo
"#;

/// The function that the parts of the script for zsh call for the name of a game.
const ZSH: &str = r#"
_zermelo_games() {
    local -a found
    found=(${(f)"$(zermelo completions zsh --line "zermelo solve $PREFIX" 2>/dev/null)"})
    compadd -S '' -- $found
}
"#;

/// Prints a script, or what a script asks for.
pub(crate) fn run(catalogue: Catalogue, args: &Completions) -> anyhow::Result<ExitCode> {
    let text: String = match &args.line {
        Some(line) => candidates(catalogue, line).iter().map(|found| format!("{found}\n")).collect(),
        None => script(args.shell),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the script for a shell. Shells other than bash, zsh and fish complete commands and options alone.
fn script(shell: Shell) -> String {
    let mut script = vec![];
    clap_complete::generate(shell, &mut Cli::command(), "zermelo", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        Shell::Bash => script + BASH,
        Shell::Zsh => {
            let asks = |line: &str| line.starts_with("':game -- ") || line.starts_with("'::game -- ");
            let line = |line: &str| match asks(line) {
                true => line.replace(":_default'", ":_zermelo_games'"),
                false => line.into(),
            };
            let (head, rest) = script.split_once("_zermelo() {").unwrap_or((script.as_str(), ""));
            let rest: Vec<String> = rest.lines().map(line).collect();
            format!("{head}{}\n_zermelo() {{{}\n", ZSH.trim(), rest.join("\n"))
        }
        Shell::Fish => {
            let verbs: Vec<_> = Cli::command().get_subcommands().filter(|verb| takes_game(verb)).map(|verb| {
                format!(
                    "complete -c zermelo -n \"__fish_zermelo_using_subcommand {}\" -f -a \
                     \"(zermelo completions fish --line (string join -- ' ' zermelo solve (commandline -ct)))\"\n",
                    verb.get_name()
                )
            }).collect();
            script + &verbs.concat()
        }
        _ => script,
    }
}

/// Whether a command is about a game.
fn takes_game(command: &clap::Command) -> bool {
    command.get_positionals().next().is_some_and(|first| first.get_id() == "game")
}

/// Returns what the last word of a command line may become, if a game is named there.
fn candidates(catalogue: Catalogue, line: &str) -> Vec<String> {
    let (before, word) = line.rsplit_once(char::is_whitespace).unwrap_or(("", line));
    let before: Vec<String> = before.split_whitespace().map(String::from).collect();
    let program = Cli::command();
    let verb = match words(&before).as_slice() {
        [verb] => *verb,
        _ => return vec![],
    };
    let is_value = before.last().is_some_and(|last| takes_value(&program, Some(verb), last));
    if is_value || word.starts_with('-') || !program.find_subcommand(verb).is_some_and(takes_game) {
        return vec![];
    }
    match word.split_once(':') {
        None => names(catalogue, word),
        Some((game, options)) => match catalogue.find(game) {
            Ok(entry) => variants(entry, game, options),
            Err(_) => vec![],
        },
    }
}

/// Returns the games whose name begins with some letters; where there are none, other names of games.
fn names(catalogue: Catalogue, word: &str) -> Vec<String> {
    let begins = |name: &str| name.starts_with(&word.to_lowercase());
    let own = catalogue.games().map(|entry| entry.card.name);
    let found: Vec<String> = own.filter(|name| begins(name)).map(String::from).collect();
    if !found.is_empty() {
        return found;
    }
    // A name with blanks would need quotes.
    let plain = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let others = catalogue.games().flat_map(|entry| entry.aliases.iter().copied());
    others.filter(plain).filter(|name| begins(name)).map(String::from).collect()
}

/// Returns the variants that some options may become: the examples of the game, and one option more.
fn variants(entry: &Entry, game: &str, options: &str) -> Vec<String> {
    let (done, last) = options.rsplit_once(',').map_or(("", options), |(done, last)| (done, last));
    let head = match done {
        "" => format!("{game}:"),
        done => format!("{game}:{done},"),
    };
    let given = |choice: &&Choice| {
        done.split(',').any(|pair| pair.split_once('=').is_some_and(|(key, _)| key == choice.name))
    };
    let free = entry.card.options.iter().filter(|choice| !given(choice));
    let mut found: Vec<String> = match last.split_once('=') {
        Some((key, value)) => {
            let choice = entry.card.options.iter().find(|choice| choice.name == key);
            let values = choice.map_or(vec![], values);
            let fitting = values.into_iter().filter(|known| known.starts_with(value));
            fitting.map(|known| format!("{head}{key}={known}")).collect()
        }
        None => free
            .filter(|choice| choice.name.starts_with(last))
            .map(|choice| format!("{head}{}=", choice.name))
            .collect(),
    };
    if done.is_empty() {
        let examples = variants_of(entry.card, None).map(|(options, _)| named(entry.card, options));
        let examples = examples.filter_map(|name| Some(format!("{game}:{}", name.split_once(':')?.1)));
        let wanted = format!("{game}:{options}");
        found.extend(examples.filter(|name| name.starts_with(&wanted) && *name != wanted));
    }
    found
}

/// Returns the values of an option, if they are few.
fn values(choice: &Choice) -> Vec<String> {
    let few = choice.text.is_none() && choice.max - choice.min < VALUES;
    if few { (choice.min..=choice.max).map(|value| choice.show(value)).collect() } else { vec![] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Vec<String> {
        candidates(Catalogue::standard(), line)
    }

    #[test]
    fn games_and_their_options_are_completed() {
        assert_eq!(of("zermelo solve qui"), ["quixo"]);
        assert_eq!(of("zermelo solve --threads 2 conn"), ["connect4"]);
        assert_eq!(of("zermelo play revers"), ["reversi"]);
        assert!(of("zermelo solve ").len() > 20);
        let options = of("zermelo solve quixo:");
        assert!(options.contains(&"quixo:rows=".into()), "{options:?}");
        assert!(options.contains(&"quixo:rows=4,cols=4,line=4".into()), "{options:?}");
        assert_eq!(of("zermelo solve quixo:rows=4,c"), ["quixo:rows=4,cols="]);
        assert_eq!(of("zermelo solve othello:start=p"), ["othello:start=parallel"]);
        assert_eq!(of("zermelo solve pegs:board=t"), ["pegs:board=triangle"]);
        assert!(of("zermelo query quixo:rows=4,cols=").contains(&"quixo:rows=4,cols=8".into()));
    }

    #[test]
    fn other_words_are_left_to_the_shell() {
        for line in [
            "zermelo so",
            "zermelo solve --thr",
            "zermelo solve --data ",
            "zermelo solve quixo ",
            "zermelo serve ",
            "zermelo",
            "",
        ] {
            assert_eq!(of(line), Vec::<String>::new(), "{line}");
        }
    }

    #[test]
    fn every_command_about_a_game_asks_for_games() {
        let verbs = || Cli::command().get_subcommands().filter(|verb| takes_game(verb)).count();
        assert!(verbs() >= 9);
        assert_eq!(script(Shell::Zsh).matches(":_zermelo_games'").count(), verbs());
        assert_eq!(script(Shell::Fish).matches("--line").count(), verbs());
        assert!(script(Shell::Bash).contains("complete -F _zermelo_with_games"));
    }
}
