use super::quadrants::pack;
use super::*;
use zermelo_core::laws;

const VECTORS: &str = include_str!("vectors.txt");

/// The words of the lines of one kind.
fn vectors(kind: &str) -> Vec<Vec<&str>> {
    let lines = VECTORS.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.filter(|words| words[0] == kind).map(|words| words[1..].to_vec()).collect()
}

/// A board by name, and whether a turn must follow.
fn board(name: &str) -> (u64, u64, bool) {
    let (black, white) = unpack(name.trim_end_matches('m').parse().expect("a number")).expect("a board");
    (black, white, name.ends_with('m'))
}

#[test]
fn published_moves() {
    for words in vectors("moves") {
        let (black, white, due) = board(words[0]);
        let found: Vec<String> = if due {
            QUARTERS.iter().map(|t| pack(t.of(black), t.of(white)).to_string()).collect()
        } else {
            let (turn, p) = Pentago::default().read(words[0]).expect("a position");
            let mut middles = vec![];
            let mut cells = vec![];
            if Pentago::default().outcome(p).is_none() {
                Pentago::default().moves(p, |m| cells.push(m.cell));
            }
            cells.dedup();
            for cell in cells {
                let [black, white] = Pair { own: p.own | cell_bit(cell), ..p }.by_player(turn);
                middles.push(format!("{}m", pack(black, white)));
            }
            middles
        };
        assert_eq!(found, words[1..], "{}", words[0]);
    }
}

#[test]
fn published_ends() {
    for words in vectors("done") {
        let (black, white, due) = board(words[0]);
        let stones = (black | white).count_ones();
        // A player who has put a stone makes the turn, too.
        let blacks = (stones % 2 == 0) != due;
        let (own, other) = if blacks { (black, white) } else { (white, black) };
        let over = Pentago::default().outcome(Pair { own, other });
        // A full board is not over before the turn.
        let over = over.filter(|_| !due || has_five(own) || has_five(other));
        let found = match over {
            Some(Outcome::Win) => "1",
            Some(Outcome::Tie) => "0",
            Some(Outcome::Lose) => "-1",
            None => "2",
        };
        assert_eq!(found, words[1], "{}", words[0]);
    }
}

#[test]
fn obeys_the_laws() {
    laws::check_face(&Pentago::default(), 3_000).expect("no law is broken");
}

/// The pieces after a move, by the picture alone: a stone is put, and a part of the board turned.
fn pictured(board: &Board, pieces: &str, letter: char, drawing: Drawing) -> String {
    let mut after: Vec<char> = pieces.chars().collect();
    after[drawing.cells()[0]] = letter;
    let Drawing::Arrow(_, to) = drawing else { return after.into_iter().collect() };
    let mut turned = after.clone();
    for (cell, piece) in after.iter().enumerate() {
        turned[board.landing(Drawing::Arrow(cell, to))] = *piece;
    }
    turned.into_iter().collect()
}

#[test]
fn the_picture_turns_as_the_rules_do() {
    let game = Pentago::default();
    let board = game.board();
    let (mut turn, mut p) = (Turn::First, game.start());
    for ply in 0..30 {
        let moves = laws::list_moves(&game, p);
        for (m, child) in &moves {
            let drawing = game.draw(turn, p, *m);
            let letter = if turn == Turn::First { 'x' } else { 'o' };
            let want = game.pieces(turn.other(), *child);
            assert_eq!(pictured(&board, &game.pieces(turn, p), letter, drawing), want, "{m:?}");
            assert_eq!(want.chars().nth(board.landing(drawing)), Some(letter), "{m:?}: the new stone");
        }
        let Some((_, child)) = moves.get(ply * 37 % moves.len().max(1)) else { break };
        (turn, p) = (turn.other(), *child);
    }
}
