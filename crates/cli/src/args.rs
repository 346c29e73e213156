//! The command line: its commands and options, and the text that `--help` prints about them.

mod book;
mod export;
mod front;
mod games;
mod query;
mod solve;
mod tiers;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueHint};
use zermelo_core::Complaint;

use values::{picture, seconds, size};

pub(crate) use book::Book;
pub(crate) use export::{Export, Positions};
pub(crate) use front::{Play, Serve, Who};
pub(crate) use games::{Check, Games};
pub(crate) use query::Query;
pub(crate) use solve::{Devices, Solve};
pub(crate) use tiers::Tiers;

/// Strongly solves two-player games of perfect information: the value and the distance
/// to the end of every position.
#[derive(Parser)]
#[command(name = "zermelo", version, about, max_term_width = 100, after_help = FIRST)]
pub(crate) struct Cli {
    /// When to print in colour; auto is on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Coloured::Auto)]
    pub(crate) color: Coloured,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// When to print in colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Coloured {
    /// On a terminal
    Auto,
    /// Also into files and pipes
    Always,
    /// Nowhere
    Never,
}

/// The commands to try first, which `zermelo` alone prints where there is no terminal for its menu.
pub(crate) const FIRST: &str = "Try first:
  zermelo solve mnk                                solve tic-tac-toe
  zermelo query mnk                                what the first move is worth
  zermelo play mnk                                 play it in the terminal
  zermelo solve quixo:4x4                          five million positions in a few seconds
  zermelo count mnk                                how many positions and games there are
  zermelo serve                                    play and look around in a browser
  zermelo games                                    what else there is";

/// The verbs.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the games and what solving them takes here, or one game's rules, options and notation
    #[command(after_help = "Examples:
  zermelo games
  zermelo games quixo
  zermelo games quixo:rows=3,cols=4,line=3 --json
Times are estimates from a moment's trial of each engine; zermelo check GAME takes longer and says how.")]
    Games(Games),
    /// Check that the parts of a game agree (moves, outcomes, numbers, texts), and estimate what solving it takes
    #[command(after_help = "Examples:
  zermelo check mnk
  zermelo check quixo:rows=4,cols=4,line=4 --positions 100000 --seed 7
  zermelo check xiangqi --engine retrograde --json
The laws: moves, outcomes, numbers, symmetries, tiers, texts and drawings fit together. A broken one is named with
its position, and the exit status is 1. Small games are checked whole, of large ones random games are played. For the
estimate the engine solves small tiers for half a second; the rest is scaled by a look at random positions.
--memory is what a solve would have; the check itself takes some hundred bytes a position besides.")]
    Check(Check),
    /// List the tiers that a game is solved in: names, numbers, memory, and whether they are solved
    #[command(after_help = "Examples:
  zermelo tiers quixo:rows=4,cols=4,line=4
  zermelo tiers xiangqi:pieces=4 --all --json
A tier is a set of positions that is solved at a time. Tiers come in the order in which they are solved, each after
all that its moves lead to. Memory is what solving a tier takes at least, and what is of use at most, with the
tiers below it. Numbers of tiers are hexadecimal, as in messages.")]
    Tiers(Tiers),
    /// Solve a game: every position's value and remoteness, kept in a database
    #[command(after_help = "Examples:
  zermelo solve mnk
  zermelo solve quixo:rows=4,cols=4,line=4 --memory 2G --threads 2
  zermelo solve mnk:rows=4,cols=4,line=4 --from 1_xo--ox---------x
A run that was stopped goes on where it was when started again. One that will take over ten minutes, or more memory
than is free, begins with --yes alone, or when you say so on a terminal.")]
    Solve(Solve),
    /// Ask for the value of positions and of their moves
    #[command(after_help = "Examples:
  zermelo query mnk 2_----x----
  zermelo query mnk --moves 'b2 a1'
  zermelo query mnk --random --value win --remoteness 3
  zermelo query xiangqi '3ak4/9/9/9/9/9/9/9/R8/3K5 w' --line
  zermelo query pentago 274440791932540184
  zermelo query pentago 0 --slices ~/pentago
  cat positions.txt | zermelo query quixo:rows=3,cols=3,line=3 - --json")]
    Query(Query),
    /// Count the positions of a solved game by value and remoteness
    #[command(after_help = "Examples:
  zermelo analyze quixo:rows=3,cols=3,line=3 --plot quixo.svg
  zermelo analyze quixo:rows=3,cols=3,line=3 --all
Counted are the positions that the start reaches, a board once for each player who may be to move on it. With --all
every board of the numbering counts, reached or not, finished ones with lines of both players included, once: as the
player to move sees it, so that a board and its copy with the colours swapped are one. Boards that are images of each
other count apart, and a second figure counts them once. Values that tell no more than who wins are counted in two
rows: over, and goes on.")]
    Analyze(Analyze),
    /// Write the positions of a solved game with their values, as CSV, JSON lines, NumPy or Parquet
    #[command(after_help = "Examples:
  zermelo export mnk > positions.csv
  zermelo export quixo:rows=4,cols=4,line=4 --value lose --remoteness 10..20 --output losses.parquet
  zermelo export connect4:rows=4,cols=4 --no-symmetries --output all.npy
  zermelo export connect4 --positions stored --sample 100000 --format jsonl
Columns: position, tier, number, value, remoteness (or margin, or nimber), copies (symmetric positions in a row).")]
    Export(Export),
    /// Count what the start reaches, ply by ply: positions, finished ones, games; needs no database
    #[command(after_help = "Examples:
  zermelo count mnk
  zermelo count connect4:rows=5,cols=5 --no-symmetries --json
  zermelo count connect4 --plies 12 --memory 4G --resume connect4-12
A count with --resume that was stopped goes on where it was when started again.")]
    Count(Count),
    /// Check a database: derive each stored value again from those of its children
    #[command(after_help = "Example: zermelo verify quixo:rows=4,cols=4,line=4 --sample 100000")]
    Verify(Verify),
    /// Make a book: a small file of the exact values of a game's first moves, read like a database
    #[command(after_help = "Examples:
  zermelo book connect4:rows=5,cols=5 --plies 8
  zermelo book connect4 --plies 12 --output connect4.book
  zermelo book connect4 --check connect4.book
The values come from the game's database; where there is none, the game is solved first. Books lie beside the databases
of a data directory, and some come with the program: query, play and serve look into the book of a variant where its
database has no answer.")]
    Book(Book),
    /// Play in the terminal, against the computer or each other
    #[command(after_help = "Examples:
  zermelo play mnk --second computer --strength 0.8
  zermelo play pentago --slices ~/pentago
  echo 'b2 a1' | zermelo play mnk --second human
Moves that come from a pipe are played one after another; besides, a line may be undo, new, hint or quit.")]
    Play(Play),
    /// Serve databases over HTTP: a page to play on, a JSON API, and the API of GamesmanUni
    #[command(after_help = "Examples:
  zermelo serve --open
  zermelo serve --listen 0.0.0.0:80 --host games.example.org --data /srv/zermelo --no-solve
  curl 'http://127.0.0.1:8080/api/v1/games/mnk/default/position?p=2_----x----'")]
    Serve(Serve),
    /// Measure the engines and look-ups on this machine
    #[command(after_help = "Example: zermelo bench retrograde --json")]
    Bench(Bench),
    /// List the GPUs that the engine gpu can use
    #[command(after_help = "Examples:
  zermelo devices
  zermelo solve quixo --engine gpu --device-memory 100G
The engine uses the first GPU of the list; CUDA_VISIBLE_DEVICES=1 makes the second one the first.")]
    Devices(Devices),
    /// Print a completion script for a shell
    #[command(after_help = "Examples:
  zermelo completions bash > ~/.local/share/bash-completion/completions/zermelo
  zermelo completions zsh > ~/.zfunc/_zermelo
  zermelo completions fish > ~/.config/fish/completions/zermelo.fish
In these three shells names of games and their options are completed, too.")]
    Completions(Completions),
}

impl Command {
    /// Returns the game that the command is about, as it was typed.
    pub(crate) fn game(&mut self) -> Option<&mut String> {
        match self {
            Command::Games(args) => args.game.as_mut(),
            Command::Check(args) => Some(&mut args.which.game),
            Command::Tiers(args) => Some(&mut args.which.game),
            Command::Solve(args) => Some(&mut args.which.game),
            Command::Query(args) => Some(&mut args.which.game),
            Command::Analyze(args) => Some(&mut args.which.game),
            Command::Export(args) => Some(&mut args.which.game),
            Command::Count(args) => Some(&mut args.which.game),
            Command::Verify(args) => Some(&mut args.which.game),
            Command::Book(args) => Some(&mut args.which.game),
            Command::Play(args) => Some(&mut args.which.game),
            Command::Serve(_) | Command::Bench(_) | Command::Devices(_) | Command::Completions(_) => None,
        }
    }
}

/// Which game.
#[derive(Args)]
pub(crate) struct Which {
    /// The game and its options, such as quixo:rows=4,cols=4,line=4, or in short quixo:4x4
    #[arg(value_name = "GAME[:OPTIONS]")]
    pub(crate) game: String,
    /// What values tell: remoteness; margin, in games with a score; nimber, in impartial games; or
    /// winner and no more, in pentago [default: the first that `zermelo games GAME` lists]
    #[arg(long)]
    pub(crate) objective: Option<String>,
}

/// Where databases are.
#[derive(Args)]
pub(crate) struct Where {
    /// Directory of the databases [default: $ZERMELO_DATA, else ./zermelo-data]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
}

impl Where {
    /// Returns the directory to read. A directory that was named on the command line must exist.
    pub(crate) fn existing(&self) -> Result<PathBuf, Complaint> {
        match &self.data {
            Some(data) if !data.is_dir() => {
                let data = data.display();
                Err(Complaint::new(format!(
                    "--data {data}: there is no such directory; leave --data out, or name one"
                )))
            }
            _ => Ok(self.path()),
        }
    }

    /// Returns the directory to use.
    pub(crate) fn path(&self) -> PathBuf {
        let set = || std::env::var_os("ZERMELO_DATA").filter(|data| !data.is_empty()).map(PathBuf::from);
        let given = self.data.clone().or_else(set);
        given.unwrap_or_else(|| "zermelo-data".into())
    }
}

/// Where published values are.
#[derive(Args)]
pub(crate) struct Published {
    /// Folder or http(s):// address of the published Pentago files slice-N.pentago; those in the
    /// folder pentago of the data directory are used too [default: $ZERMELO_SLICES]
    #[arg(long, value_name = "DIR_OR_URL")]
    pub(crate) slices: Option<String>,
}

impl Published {
    /// Returns the place given, if one is.
    pub(crate) fn place(&self) -> Option<String> {
        let set = || std::env::var("ZERMELO_SLICES").ok().filter(|place| !place.is_empty());
        self.slices.clone().or_else(set)
    }
}

/// How much of the machine to use.
#[derive(Args)]
pub(crate) struct Resources {
    /// Threads to use, at most four for each core or 64 [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Memory for tiers and for packing them, such as 500M or 8G; besides come the program's own
    /// code, and up to 10 MB and 1 MB a thread. Less is used where a control group or
    /// ulimit leaves less [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,
}

/// `zermelo analyze`.
#[derive(Args)]
pub(crate) struct Analyze {
    /// Which game.
    #[command(flatten)]
    pub(crate) which: Which,
    /// Where the database is.
    #[command(flatten)]
    pub(crate) place: Where,
    /// How much of the machine.
    #[command(flatten)]
    pub(crate) resources: Resources,
    /// Count what was solved from this position, up to symmetry
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// Count every board that the tables number, whether the start reaches it or not, once as the player to move sees it
    #[arg(long)]
    pub(crate) all: bool,
    /// Draw the positions against remoteness, margin or nimber, or by winner, as SVG or PNG by the ending of the name
    #[arg(long, value_name = "FILE.svg|FILE.png", value_hint = ValueHint::FilePath, value_parser = picture)]
    pub(crate) plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `zermelo count`.
#[derive(Args)]
pub(crate) struct Count {
    /// Which game.
    #[command(flatten)]
    pub(crate) which: Which,
    /// Stop after so many moves [default: count all]
    #[arg(long, value_name = "N")]
    pub(crate) plies: Option<u32>,
    /// Count symmetric positions apart
    #[arg(long)]
    pub(crate) no_symmetries: bool,
    /// Count a board once for each player who may be to move on it; in most games this is so without the option, as the
    /// player to move is part of the position
    #[arg(long)]
    pub(crate) sides: bool,
    /// Threads to use, at most four for each core or 64 [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Memory for positions, such as 500M or 8G, at least 2 MiB a thread; more of them go to
    /// files, and the program itself takes some 10 MB besides [default: three quarters of what
    /// is free]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,
    /// Keep checkpoints in this directory, and go on from those that are there
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "scratch")]
    pub(crate) resume: Option<PathBuf>,
    /// Directory for files of positions that do not fit the memory; they are gone in the end
    /// [default: the system's for temporary files]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) scratch: Option<PathBuf>,
    /// Seconds between checkpoints within a ply
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds, hide = true)]
    pub(crate) checkpoint_every: f64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `zermelo verify`.
#[derive(Args)]
pub(crate) struct Verify {
    /// Which game.
    #[command(flatten)]
    pub(crate) which: Which,
    /// Where the database is.
    #[command(flatten)]
    pub(crate) place: Where,
    /// How much of the machine.
    #[command(flatten)]
    pub(crate) resources: Resources,
    /// Check what was solved from this position
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// Check only so many positions, taken at random; all of them where there are no more
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sample: Option<u64>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `zermelo completions`.
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
    /// Print what the last word of this command line may become, where that is a game; scripts ask so
    #[arg(long, value_name = "LINE", allow_hyphen_values = true, hide = true)]
    pub(crate) line: Option<String>,
}

/// `zermelo bench`.
#[derive(Args)]
pub(crate) struct Bench {
    /// Which.
    #[arg(help = crate::cmd::bench::help())]
    pub(crate) name: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn every_position_may_begin_with_a_hyphen() {
        for verb in ["solve", "analyze", "export", "verify", "play"] {
            let read = Cli::try_parse_from(["zermelo", verb, "mnk", "--from", "-x"]);
            assert!(read.is_ok(), "{verb}: {}", read.err().map(|e| e.to_string()).unwrap_or_default());
        }
    }
}
