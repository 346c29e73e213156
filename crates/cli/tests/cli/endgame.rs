//! An endgame on 6x6, solved by `solve --from` for both objectives, against an alpha-beta search over plain cells.
//! The search shares no code with the engines or with the rules that they use.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::scratch::{Scratch, text};

const GAME: &str = "othello:rows=6,cols=6";
const SIDE: i32 = 6;

/// A board: 1 for the first player's discs, -1 for the second's, 0 for empty cells.
#[derive(Clone)]
struct Board {
    cells: Vec<i32>,
    turn: i32,
}

impl Board {
    fn start() -> Board {
        let mut cells = vec![0; (SIDE * SIDE) as usize];
        for (r, c, who) in [(2, 2, -1), (3, 3, -1), (2, 3, 1), (3, 2, 1)] {
            cells[(r * SIDE + c) as usize] = who;
        }
        Board { cells, turn: 1 }
    }

    fn empty(&self) -> usize {
        self.cells.iter().filter(|c| **c == 0).count()
    }

    fn text(&self) -> String {
        let cell = |c: &i32| match c {
            1 => 'x',
            -1 => 'o',
            _ => '-',
        };
        let turn = if self.turn == 1 { 1 } else { 2 };
        format!("{turn}_{}", self.cells.iter().map(cell).collect::<String>())
    }

    fn turned(&self, cell: i32, who: i32) -> Vec<usize> {
        let mut all = vec![];
        if self.cells[cell as usize] != 0 {
            return all;
        }
        for step in 0..9 {
            let (dr, dc) = (step / 3 - 1, step % 3 - 1);
            let (mut r, mut c, mut row) = (cell / SIDE + dr, cell % SIDE + dc, vec![]);
            while (dr, dc) != (0, 0) && (0..SIDE).contains(&r) && (0..SIDE).contains(&c) {
                let at = (r * SIDE + c) as usize;
                if self.cells[at] == who {
                    all.append(&mut row);
                }
                if self.cells[at] != -who {
                    break;
                }
                row.push(at);
                (r, c) = (r + dr, c + dc);
            }
        }
        all
    }

    fn moves(&self, who: i32) -> Vec<Board> {
        let mut list = vec![];
        for cell in 0..SIDE * SIDE {
            let turned = self.turned(cell, who);
            if !turned.is_empty() {
                let mut next = Board { cells: self.cells.clone(), turn: -who };
                turned.into_iter().chain([cell as usize]).for_each(|at| next.cells[at] = who);
                list.push(next);
            }
        }
        list
    }

    /// Returns the board after a forced pass, if there is one; `None` when the game is over.
    fn settled(mut self) -> Option<Board> {
        if self.moves(self.turn).is_empty() {
            self.turn = -self.turn;
        }
        (!self.moves(self.turn).is_empty()).then_some(self)
    }

    /// Returns what the player to move wins by, if that is between the bounds.
    fn margin(&self, low: i32, high: i32) -> i32 {
        let moves = self.moves(self.turn);
        if moves.is_empty() {
            let other = Board { turn: -self.turn, ..self.clone() };
            return match self.moves(-self.turn).is_empty() {
                true => self.cells.iter().sum::<i32>() * self.turn,
                false => -other.margin(-high, -low),
            };
        }
        let mut best = low;
        for next in moves {
            best = best.max(-next.margin(-high, -best));
            if best >= high {
                break;
            }
        }
        best
    }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % n
    }

    /// Plays a random game from a board until `empty` cells are empty.
    fn play(&mut self, from: &Board, empty: usize) -> Option<Board> {
        let mut board = from.clone();
        while board.empty() > empty {
            let mut moves = board.moves(board.turn);
            board = moves.swap_remove(self.below(moves.len())).settled()?;
        }
        Some(board)
    }
}

fn query(scratch: &Scratch, objective: &str, lines: &[String]) -> Vec<Value> {
    let mut command = scratch.command(&["query", GAME, "-", "--json", "--objective", objective]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines = lines.join("\n") + "\n";
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_endgame_agrees_with_an_independent_search() {
    let scratch = Scratch::new("endgame");
    let mut dice = Dice(7);
    let root = (0..).find_map(|_| dice.play(&Board::start(), 11)).unwrap();
    for objective in ["remoteness", "margin"] {
        scratch.json(&["solve", GAME, "--from", &root.text(), "--objective", objective, "--json"]);
    }
    let mut boards: Vec<(String, i32)> = vec![];
    let mut seen = BTreeSet::new();
    while boards.len() < 1000 {
        let empty = 1 + dice.below(11);
        if let Some(board) = dice.play(&root, empty)
            && seen.insert(board.text())
        {
            boards.push((board.text(), board.margin(-100, 100)));
        }
    }
    let lines: Vec<String> = boards.iter().map(|(text, _)| text.clone()).collect();
    let (distances, margins) = (query(&scratch, "remoteness", &lines), query(&scratch, "margin", &lines));
    assert_eq!((distances.len(), margins.len()), (1000, 1000));
    for (((board, margin), distance), found) in boards.iter().zip(&distances).zip(&margins) {
        let word = ["lose", "tie", "win"][(margin.signum() + 1) as usize];
        // With few empty cells the rules alone give the value; no search is needed.
        assert!(distance["source"] == "database" || distance["source"] == "rules", "{board}: {distance}");
        assert_eq!(distance["value"], word, "{board}");
        assert_eq!((&found["value"], &found["margin"]), (&word.into(), &(*margin).into()), "{board}");
    }
}
