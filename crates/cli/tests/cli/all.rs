//! Counts of every board that is numbered, whether the start reaches it or not: `--all`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::scratch::{Scratch, text};

/// Quixo written anew, as plainly as can be, to count by: boards are lists of cells, and values are found by rounds.
struct Plain {
    rows: usize,
    cols: usize,
    line: usize,
}

/// A cell as the player to move sees it: 0 blank, 1 own, 2 the other's.
type Cells = Vec<u8>;

impl Plain {
    fn number(&self, cells: &[u8]) -> usize {
        cells.iter().fold(0, |n, cell| 3 * n + usize::from(*cell))
    }

    fn board(&self, mut number: usize) -> Cells {
        let mut cells = vec![0; self.rows * self.cols];
        for cell in cells.iter_mut().rev() {
            *cell = (number % 3) as u8;
            number /= 3;
        }
        cells
    }

    fn has_line(&self, cells: &[u8], who: u8) -> bool {
        let inside =
            |r: i32, c: i32| (0..self.rows as i32).contains(&r) && (0..self.cols as i32).contains(&c);
        let mark = |r: i32, c: i32| inside(r, c) && cells[r as usize * self.cols + c as usize] == who;
        (0..self.rows as i32).any(|r| {
            (0..self.cols as i32).any(|c| {
                [(0, 1), (1, 0), (1, 1), (1, -1)]
                    .iter()
                    .any(|(dr, dc)| (0..self.line as i32).all(|n| mark(r + n * dr, c + n * dc)))
            })
        })
    }

    /// The boards after a move, as the other player sees them.
    fn moves(&self, cells: &[u8]) -> Vec<usize> {
        let mut found = vec![];
        for r in 0..self.rows {
            for c in 0..self.cols {
                let rim = r == 0 || c == 0 || r + 1 == self.rows || c + 1 == self.cols;
                if !rim || cells[r * self.cols + c] == 2 {
                    continue;
                }
                let row: Vec<usize> = (0..self.cols).map(|k| r * self.cols + k).collect();
                let column: Vec<usize> = (0..self.rows).map(|k| k * self.cols + c).collect();
                for (path, at) in [(row, c), (column, r)] {
                    for to in [0, path.len() - 1] {
                        if to != at {
                            found.push(self.number(&slid(cells, &path, at, to)));
                        }
                    }
                }
            }
        }
        found
    }

    /// Every board's value: whether the player to move wins, and in how many moves; `None` for a draw.
    fn values(&self) -> Vec<Option<(bool, u16)>> {
        let all = 3usize.pow((self.rows * self.cols) as u32);
        let over = |cells: &[u8]| match (self.has_line(cells, 1), self.has_line(cells, 2)) {
            (true, _) => Some((true, 0)),
            (_, true) => Some((false, 0)),
            _ => None,
        };
        let boards: Vec<Cells> = (0..all).map(|n| self.board(n)).collect();
        let mut values: Vec<_> = boards.iter().map(|cells| over(cells)).collect();
        let moves: Vec<_> = boards
            .iter()
            .zip(&values)
            .map(|(cells, over)| if over.is_some() { vec![] } else { self.moves(cells) })
            .collect();
        for distance in 1.. {
            let new: Vec<_> = (0..all)
                .filter(|n| values[*n].is_none())
                .filter_map(|n| {
                    let lost = |to: &usize| matches!(values[*to], Some((false, _)));
                    let won = |to: &usize| matches!(values[*to], Some((true, _)));
                    if moves[n].iter().any(lost) {
                        Some((n, (true, distance)))
                    } else {
                        moves[n].iter().all(won).then_some((n, (false, distance)))
                    }
                })
                .collect();
            if new.is_empty() {
                break;
            }
            new.into_iter().for_each(|(n, value)| values[n] = Some(value));
        }
        values
    }

    /// The least of the numbers of a board's images.
    fn canonical(&self, number: usize) -> usize {
        let cells = self.board(number);
        let images = (0..8).filter(|way| way & 4 == 0 || self.rows == self.cols).map(|way| {
            let image: Cells = (0..cells.len())
                .map(|at| {
                    let (mut r, mut c) = (at / self.cols, at % self.cols);
                    if way & 1 != 0 {
                        r = self.rows - 1 - r;
                    }
                    if way & 2 != 0 {
                        c = self.cols - 1 - c;
                    }
                    if way & 4 != 0 {
                        (r, c) = (c, r);
                    }
                    cells[r * self.cols + c]
                })
                .collect();
            self.number(&image)
        });
        images.min().unwrap()
    }
}

/// A board after a cube is taken out of a path and put back in at another end, as the other player sees it.
fn slid(cells: &[u8], path: &[usize], from: usize, to: usize) -> Cells {
    let mut line: Vec<u8> = path.iter().map(|cell| cells[*cell]).collect();
    line.remove(from);
    line.insert(to, 1);
    let mut after = cells.to_vec();
    path.iter().zip(line).for_each(|(cell, mark)| after[*cell] = mark);
    after.iter().map(|mark| [0, 2, 1][usize::from(*mark)]).collect()
}

/// Counts as the program prints them, of some boards.
fn counts(values: impl Iterator<Item = Option<(bool, u16)>>) -> Value {
    let (mut rows, mut draws) = ([BTreeMap::<String, u64>::new(), BTreeMap::new()], 0u64);
    for value in values {
        match value {
            Some((wins, n)) => *rows[usize::from(!wins)].entry(n.to_string()).or_default() += 1,
            None => draws += 1,
        }
    }
    json!({ "win": rows[0], "lose": rows[1], "tie": {}, "draw": draws })
}

#[test]
fn all_boards_are_counted_as_a_plain_program_counts_them() {
    let scratch = Scratch::new("all");
    for (rows, cols, line) in [(3, 3, 3), (2, 4, 2), (2, 5, 3), (2, 3, 3)] {
        let plain = Plain { rows, cols, line };
        let values = plain.values();
        let canonical = (0..values.len()).filter(|n| plain.canonical(*n) == *n);
        let (want, want_canonical) =
            (counts(values.iter().copied()), counts(canonical.clone().map(|n| values[n])));
        let game = format!("quixo:rows={rows},cols={cols},line={line}");
        let solved = scratch.json(&["solve", &game, "--no-database", "--all", "--json"]);
        assert_eq!(scratch.run(&["solve", &game]).status.code(), Some(0));
        let found = scratch.json(&["analyze", &game, "--all", "--json"]);
        assert_eq!((&found["counts"], &found["canonical_counts"]), (&want, &want_canonical), "{game}");
        assert_eq!(
            (found["positions"].as_u64(), found["canonical_positions"].as_u64()),
            (Some(values.len() as u64), Some(canonical.count() as u64)),
            "{game}"
        );
        assert_eq!(found["counted"], "all");
        for key in ["counts", "canonical_counts", "counted"] {
            assert_eq!(solved[key], found[key], "{game}: {key}");
        }
        // Each has the value that a query tells.
        for (word, wins) in [("win", true), ("lose", false)] {
            let Some(n) = found["longest"][word]["remoteness"].as_u64() else { continue };
            let most = values.iter().flatten().filter(|value| value.0 == wins).map(|value| value.1).max();
            assert_eq!(Some(n as u16), most, "{game}");
            let example = found["longest"][word]["position"].as_str().unwrap();
            let asked = scratch.run(&["query", &game, example, "--json"]);
            // A board that no play leads to may be refused.
            if asked.status.success() {
                let told: Value = serde_json::from_slice(&asked.stdout).unwrap();
                assert_eq!(
                    (&told["value"], &told["remoteness"]),
                    (&json!(word), &json!(n)),
                    "{game}: {told}"
                );
            }
        }
    }
}

/// All 3^16 boards of four by four, by a program in another language that looks at every board in every round.
#[test]
fn all_boards_of_four_by_four() {
    let solved = Scratch::new("all-4x4").json(&[
        "solve",
        "quixo:rows=4,cols=4,line=4",
        "--no-database",
        "--all",
        "--json",
    ]);
    let want = json!({
        "win": {
            "0": 4_697_505, "1": 15_277_446, "3": 2_419_938, "5": 1_740_992, "7": 1_214_497, "9": 658_834,
            "11": 287_864, "13": 100_374, "15": 29_314, "17": 6_656, "19": 1_012, "21": 57,
        },
        "lose": {
            "0": 4_530_779, "1": 528, "2": 3_775_611, "4": 2_970_384, "6": 1_982_339, "8": 1_034_097,
            "10": 438_138, "12": 182_954, "14": 66_280, "16": 18_014, "18": 4_084, "20": 520, "22": 8,
        },
        "tie": {},
        "draw": 1_608_496,
    });
    assert_eq!(solved["counts"], want);
}

#[test]
fn reached_boards_are_counted_without_the_option() {
    let scratch = Scratch::new("reached");
    let game = "quixo:rows=3,cols=3,line=3";
    scratch.json(&["solve", game, "--json"]);
    let reached = scratch.json(&["analyze", game, "--json"]);
    assert_eq!((&reached["counted"], &reached["positions"]), (&json!("reached"), &json!(32_027)));
    assert_eq!(scratch.json(&["solve", game, "--no-database", "--json"])["counted"], "reached");
    let told = text(&scratch.run(&["analyze", game, "--all"]).stdout);
    assert!(told.contains("19,683 positions reached or not, 2,862 up to symmetry"), "{told}");
    assert!(!text(&scratch.run(&["analyze", game]).stdout).contains("or not"));
}

/// In tic-tac-toe boards have as many stones of both, or one more of the first player: 6,046 such boards in all.
#[test]
fn boards_that_no_play_leads_to_count_too() {
    let scratch = Scratch::new("all-mnk");
    let solved = scratch.json(&["solve", "mnk", "--no-database", "--all", "--json"]);
    let sum = |counts: &Value| -> u64 {
        let rows = ["win", "lose", "tie"].map(|word| counts[word].as_object().unwrap().values());
        rows.into_iter().flatten().filter_map(Value::as_u64).sum()
    };
    assert_eq!((sum(&solved["counts"]), sum(&solved["canonical_counts"])), (6_046, 850));
    assert_ne!(solved["engine"], "lattice");
    // The engine of the database must number boards.
    scratch.json(&["solve", "mnk", "--engine", "lattice", "--json"]);
    let refused = scratch.run(&["analyze", "mnk", "--all"]);
    let told = text(&refused.stderr);
    assert!(refused.status.code() == Some(2) && told.contains("another --engine"), "{told}");
    scratch.json(&["solve", "mnk", "--engine", "sweep", "--json"]);
    assert_eq!(scratch.json(&["analyze", "mnk", "--all", "--json"])["positions"], 6_046);
    assert_eq!(scratch.json(&["analyze", "mnk", "--json"])["positions"], 5_478, "the lattice's own count");
}

/// Endgames have no start: all their positions are counted anyway.
#[test]
fn endgames_are_counted_whole_anyway() {
    let scratch = Scratch::new("all-endgames");
    scratch.json(&["solve", "xiangqi:pieces=3", "--json"]);
    let counted =
        [&["analyze", "xiangqi:pieces=3", "--json"][..], &["analyze", "xiangqi:pieces=3", "--all", "--json"]];
    let [plain, all] = counted.map(|args| scratch.json(args));
    assert_eq!((&plain, &plain["counted"]), (&all, &json!("all")));
}

#[test]
fn all_goes_with_no_database_only() {
    let refused = Scratch::new("all-alone").run(&["solve", "mnk", "--all"]);
    let told = text(&refused.stderr);
    assert!(refused.status.code() == Some(2) && told.contains("--no-database"), "{told}");
}
