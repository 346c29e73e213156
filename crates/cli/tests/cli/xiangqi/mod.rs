//! Chinese chess endgames: the published tables, an independent solver, and how positions are
//! asked for.

mod plain;

use std::collections::HashMap;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use self::plain::Plain;
use crate::scratch::{Scratch, text};

fn golden() -> Value {
    serde_json::from_str(include_str!("../../golden/xiangqi.json")).unwrap()
}

#[test]
fn published_tables_come_out_exactly() {
    let scratch = Scratch::new("xiangqi-golden");
    for want in golden()["variants"].as_array().unwrap() {
        let game = want["game"].as_str().unwrap();
        scratch.json(&["solve", game, "--json", "--memory", "600M"]);
        let found = scratch.json(&["analyze", game, "--json"]);
        for key in ["positions", "counts"] {
            assert_eq!(found[key], want[key], "{game}: {key}");
        }
        let verified = scratch.json(&["verify", game, "--json"]);
        assert_eq!((verified["wrong"].as_u64(), verified["damaged_blocks"].as_u64()), (Some(0), Some(0)));
        let sampled = scratch.json(&["verify", game, "--sample", "20000", "--json"]);
        assert!(sampled["wrong"] == 0 && sampled["checked"].as_u64().unwrap() > 5_000);
    }
}

#[test]
fn the_counts_without_a_database_are_the_same() {
    let scratch = Scratch::new("xiangqi-no-database");
    let solved = scratch.json(&["solve", "xiangqi:pieces=3", "--no-database", "--json"]);
    assert_eq!(solved["counts"], golden()["variants"][0]["counts"]);
}

/// Asks for positions, and returns the answers in the same order.
fn ask(scratch: &Scratch, game: &str, positions: &[String]) -> Vec<Value> {
    let mut asked = scratch.command(&["query", game, "-", "--json"]);
    let mut asked = asked.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, lines) = (asked.stdin.take().unwrap(), positions.join("\n"));
    let feeder = std::thread::spawn(move || input.write_all(lines.as_bytes()).unwrap());
    let output = asked.wait_with_output().unwrap();
    feeder.join().unwrap();
    assert!(output.status.success());
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A fixed sequence of numbers that look random (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % sides as u64) as usize
    }

    /// Returns a placement of two kings and `more` men, anywhere.
    fn placement(&mut self, more: usize) -> String {
        let mut board = [b'.'; 90];
        board[9 * self.roll(3) + 3 + self.roll(3)] = b'k';
        board[9 * (7 + self.roll(3)) + 3 + self.roll(3)] = b'K';
        for _ in 0..more {
            board[self.roll(90)] = b"ABNCRPabncrp"[self.roll(12)];
        }
        let rank = |row: &[u8]| {
            let runs = row.chunk_by(|a, b| a == b && *a == b'.');
            let show = |run: &[u8]| match run[0] {
                b'.' => run.len().to_string(),
                _ => String::from_utf8_lossy(run).into_owned(),
            };
            runs.map(show).collect::<String>()
        };
        board.chunks(9).map(rank).collect::<Vec<_>>().join("/")
    }
}

/// The independent solver's moves, by published figures of the whole game.
#[test]
fn the_independent_solver_knows_the_moves() {
    let opening = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
    assert_eq!([1, 2, 3].map(|plies| Plain::perft(opening, true, plies)), [44, 1_920, 79_666]);
}

/// Ten thousand random positions against a solver that shares no line with this one.
#[test]
fn an_independent_solver_agrees() {
    let scratch = Scratch::new("xiangqi-plain");
    scratch.json(&["solve", "xiangqi", "--json", "--memory", "600M"]);
    let (plain, mut dice) = (Plain::solve(4), Dice(1));
    assert!(plain.alike(3), "the colours make a difference");
    let mut want = HashMap::new();
    while want.len() < 10_000 {
        let (placement, red) = (dice.placement(1 + usize::from(want.len() > 2_000)), dice.roll(2) == 0);
        if let Some(value) = plain.value(&placement, red) {
            want.insert(format!("{placement} {}", if red { "w" } else { "b" }), (placement, red, value));
        }
    }
    let positions: Vec<String> = want.keys().cloned().collect();
    let mut seen = HashMap::new();
    for (position, answer) in positions.iter().zip(ask(&scratch, "xiangqi", &positions)) {
        let (placement, red, (word, remoteness)) = &want[position];
        assert_eq!(answer["position"], *position);
        assert_eq!(answer["value"], *word, "{position}");
        let distance = answer["remoteness"].as_u64().unwrap_or(0);
        assert_eq!(distance, u64::from(*remoteness), "{position}");
        let mut moves: Vec<_> =
            answer["moves"].as_array().unwrap().iter().map(|m| m["move"].as_str().unwrap()).collect();
        moves.sort_unstable();
        assert_eq!(moves, Plain::moves(placement, *red), "{position}");
        *seen.entry(*word).or_insert(0) += 1;
    }
    assert!(["win", "lose", "draw"].iter().all(|word| seen[word] > 1_000), "{seen:?}");
}

#[test]
fn positions_that_cannot_be_are_refused_with_the_reason() {
    let scratch = Scratch::new("xiangqi-refused");
    for (position, reason) in [
        ("4k4/9/9/9/9/9/9/9/9/4K4 w", "the kings face each other"),
        ("4k4/9/9/9/4R4/9/9/9/9/3K5 w", "red is to move and can take the black king"),
        ("3k5/9/9/9/9/9/9/9/3r5/3K5 b", "black is to move and can take the red king"),
        ("3k5/9/9/9/4B4/9/9/9/9/4K4 w", "a red bishop can never stand on e5"),
        ("3k5/9/9/9/9/9/9/9/4K4/4A4 w", "a red advisor can never stand on e0"),
        ("3k5/9/9/9/9/9/1P7/9/9/4K4 w", "a red pawn can never stand on b3"),
        ("3k5/9/9/9/9/9/9/9/P8/4K4 w", "a red pawn can never stand on a1"),
        ("3k5/9/9/9/PPPPPP3/9/9/9/9/4K4 w", "one red pawn too many; a side has at most 5"),
        ("3k5/9/9/9/RRR6/9/9/9/9/4K4 w", "one red rook too many"),
        ("3k5/9/9/9/9/9/9/9/9/9 w", "no red king"),
        ("3k5/9/9/9/9/9/9/9/9/K8 w", "a red king can never stand on a0"),
        ("3kk4/9/9/9/9/9/9/9/9/4K4 w", "one black king too many"),
        ("3k5/9/9/9/9/9/9/9/4K4 w", "9 ranks"),
        ("3k6/9/9/9/9/9/9/9/9/4K4 w", "rank 9 does not have 9 points"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 x", "w where red is to move"),
        ("3k5/9/9/9/3Q5/9/9/9/9/4K4 w", "is no man"),
        ("3k5/9/9/9/rrnn5/9/9/9/9/4K4 w", "at most 4 men"),
        ("nonsense", "1 ranks"),
        ("1_---", "90 cells"),
        ("", "ranks"),
    ] {
        let output = scratch.run(&["query", "xiangqi", position]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{position}: {told}");
        assert!(told.contains(reason), "{position}: {told}");
    }
    let output = scratch.run(&["query", "xiangqi:material=KRk", "3k5/9/9/9/9/9/9/9/9/C3K4 w"]);
    assert!(text(&output.stderr).contains("this variant has KRk"), "{}", text(&output.stderr));
}

#[test]
fn materials_have_a_normal_form() {
    let scratch = Scratch::new("xiangqi-material");
    for material in ["KRkn", "knKR", "krKN", "KhkR", "RKnk"] {
        let solved = scratch.json(&["solve", &format!("xiangqi:material={material}"), "--json"]);
        assert_eq!(solved["variant"], "material=KRkn", "{material}");
    }
    let solved = scratch.json(&["solve", "xiangqi:material=akKP", "--json"]);
    assert_eq!(solved["variant"], "material=KPka", "pawns go before advisors");
    for (material, reason) in [
        ("KR", "each side has a king"),
        ("KRRRk", "at most 2 of R"),
        ("KXk", "the letters are"),
        ("KRRCCNNkr", "at most 8 men"),
        ("KRk,pieces=5", "leave pieces out"),
    ] {
        let output = scratch.run(&["solve", &format!("xiangqi:material={material}")]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(reason), "{}", text(&output.stderr));
    }
}

#[test]
fn a_line_to_mate_and_both_ways_to_write_a_position() {
    let scratch = Scratch::new("xiangqi-line");
    scratch.json(&["solve", "xiangqi:pieces=3", "--json"]);
    let fen = "3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 0 1";
    let answer = scratch.json(&["query", "xiangqi:pieces=3", fen, "--json", "--line"]);
    assert_eq!(answer["position"], "3k5/9/9/9/9/9/9/9/4R4/4K4 w");
    assert_eq!(answer["value"], "win");
    let line: Vec<_> = answer["line"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
    assert_eq!(line.len() as u64, answer["remoteness"].as_u64().unwrap());
    let told = text(&scratch.run(&["query", "xiangqi:pieces=3", fen, "--line"]).stdout);
    assert!(told.contains(&format!("perfect play: {}", line.join(" "))), "{told}");
    // The cells one by one, as the page's editor writes them; with black to move it is lost.
    let cells = format!("2_---k-----{}----R--------K----", "-".repeat(63));
    let answer = scratch.json(&["query", "xiangqi:pieces=3", &cells, "--json"]);
    assert_eq!(
        (&answer["position"], &answer["value"]),
        (&json!("3k5/9/9/9/9/9/9/9/4R4/4K4 b"), &json!("lose"))
    );
    assert_eq!(answer.get("line"), None, "only where it is asked for");
    let line = |args: &[&str]| {
        let told = text(&scratch.run(&[&["query"], args, &["--line"]].concat()).stdout);
        told.lines().find_map(|l| l.trim().strip_prefix("perfect play: ")).unwrap().to_string()
    };
    assert_eq!(line(&["xiangqi:pieces=3", "3k5/9/9/9/9/9/9/9/9/4K4 w"]), "it never ends");
    // The position is answered by a part, and without any table.
    let rook = "4k4/9/9/9/9/9/9/9/R8/3K5 w";
    assert_eq!(line(&["xiangqi:material=KRk", rook, "--time", "0"]), "not known");
    scratch.json(&["solve", "xiangqi:material=KRk", "--from", rook, "--json"]);
    assert_eq!(line(&["xiangqi:material=KRk", rook]).split(' ').count(), 3);
}
