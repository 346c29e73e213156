//! Boards of points on lines, on which men go from a point to the next along a line. A board gives which points are
//! joined, which points stand in a row, and what turns the board onto itself.
//!
//! Points are numbered in the order in which they are given, and sets of points are bits.

use crate::grid::{Grid, Symmetries};
use crate::rank::{members, set_of};
use crate::{Board, Complaint};

/// A board of up to 64 points.
#[derive(Clone, Debug)]
pub struct Points {
    places: Vec<(f32, f32)>,
    names: Vec<String>,
    lines: Vec<Vec<usize>>,
    near: Vec<u64>,
}

impl Points {
    /// Makes a board of points with names, at places one unit apart or more, `y` downwards from 0, and of the
    /// straight lines through them. Each point of a line is joined to the next.
    pub fn new(places: Vec<(f32, f32)>, names: Vec<String>, lines: Vec<Vec<usize>>) -> Points {
        assert!(places.len() <= 64 && names.len() == places.len(), "up to 64 points, each with a name");
        let mut near = vec![0; places.len()];
        for pair in lines.iter().flat_map(|line| line.windows(2)) {
            near[pair[0]] |= 1 << pair[1];
            near[pair[1]] |= 1 << pair[0];
        }
        Points { places, names, lines, near }
    }

    /// Makes a board of points at whole columns and rows from the lines through them. Points are numbered row by row
    /// from the top left, and named by column and row from below, like `b3`.
    pub fn on_grid(lines: &[Vec<(usize, usize)>]) -> Points {
        let mut spots: Vec<(usize, usize)> = lines.iter().flatten().map(|(x, y)| (*y, *x)).collect();
        spots.sort_unstable();
        spots.dedup();
        let height = spots.last().map_or(0, |spot| spot.0 + 1);
        let name = |(y, x): &(usize, usize)| format!("{}{}", (b'a' + *x as u8) as char, height - y);
        let number = |(x, y): &(usize, usize)| spots.partition_point(|spot| *spot < (*y, *x));
        let places = spots.iter().map(|(y, x)| (*x as f32, *y as f32)).collect();
        let lines = lines.iter().map(|line| line.iter().map(number).collect()).collect();
        Points::new(places, spots.iter().map(name).collect(), lines)
    }

    /// Every point.
    pub fn full(&self) -> u64 {
        self.text().full()
    }

    /// The points that a point is joined to.
    #[inline]
    pub fn near(&self, point: usize) -> u64 {
        self.near[point]
    }

    /// The points that any of a set is joined to.
    #[inline]
    pub fn around(&self, set: u64) -> u64 {
        members(set).fold(0, |all, point| all | self.near[point])
    }

    /// Every row of `points` points that follow one another on a line.
    pub fn rows(&self, points: usize) -> impl Iterator<Item = &[usize]> {
        self.lines.iter().flat_map(move |line| line.windows(points))
    }

    /// The [`rows`](Points::rows) of `points` points, each as a set.
    pub fn row_sets(&self, points: usize) -> Vec<u64> {
        self.rows(points).map(|row| set_of(row.iter().copied())).collect()
    }

    /// Every jump along a line: from a point, over the next, to the one behind it.
    pub fn jumps(&self) -> impl Iterator<Item = [usize; 3]> {
        self.rows(3).flat_map(|row| [[row[0], row[1], row[2]], [row[2], row[1], row[0]]])
    }

    /// The maps of points that take each of these sets to one of them. Panics where there are more than 64.
    pub fn symmetries_of(&self, sets: &[u64]) -> Symmetries {
        let points = self.places.len();
        let of =
            |point: usize| sets.iter().filter(|set| **set >> point & 1 != 0).fold(0, |all, set| all | set);
        let family = Family { sets, beside: (0..points).map(of).collect() };
        let mut maps = vec![];
        family.extend(&mut vec![], &mut maps);
        Symmetries::new(points, &maps)
    }

    /// The points as one row, for reading and writing what stands on them.
    pub fn text(&self) -> Grid {
        Grid::new(1, self.places.len())
    }

    /// The name of a point.
    pub fn name(&self, point: usize) -> &str {
        self.names.get(point).map_or("", |name| name)
    }

    /// The empty board.
    pub fn board(&self) -> Board {
        let shift = |at: &(f32, f32)| (at.0 + 0.5, at.1 + 0.5);
        let cells: Vec<_> = self.places.iter().map(shift).collect();
        let ends = |line: &Vec<usize>| Some((cells[*line.first()?], cells[*line.last()?]));
        let far = |of: fn(&(f32, f32)) -> f32| cells.iter().map(of).fold(0.0, f32::max) + 0.5;
        Board {
            width: far(|cell| cell.0),
            height: far(|cell| cell.1),
            lines: self.lines.iter().filter_map(ends).map(|(a, b)| [a.0, a.1, b.0, b.1]).collect(),
            names: self.names.clone(),
            cells,
            ..Board::default()
        }
    }
}

/// The sets that symmetries must take to one another.
struct Family<'a> {
    sets: &'a [u64],
    /// By point: the union of the sets that contain it.
    beside: Vec<u64>,
}

impl Family<'_> {
    /// Completes a map of the first points in every way that takes sets to sets. Images are tried
    /// in order, so that the identity is found first.
    fn extend(&self, map: &mut Vec<usize>, maps: &mut Vec<Vec<usize>>) {
        if map.len() == self.beside.len() {
            maps.push(map.clone());
            return;
        }
        for image in 0..self.beside.len() {
            if maps.len() > Symmetries::MOST {
                // One map too many is enough to know that there are more than can be listed.
                return;
            }
            if !map.contains(&image) && self.fits(map, image) {
                map.push(image);
                self.extend(map, maps);
                map.pop();
            }
        }
    }

    /// Whether the next point may go to `image`.
    fn fits(&self, map: &[usize], image: usize) -> bool {
        let next = map.len();
        let beside = |a: usize, b: usize| self.beside[a] >> b & 1;
        let alike = (0..next).all(|point| beside(next, point) == beside(image, map[point]));
        let to = |point: usize| map.get(point).copied().unwrap_or(image);
        // The sets that this point completes.
        let mut whole = self.sets.iter().filter(|set| **set >> next == 1);
        alike
            && whole.all(|set| self.sets.contains(&members(*set).fold(0, |all, point| all | 1 << to(point))))
    }
}

/// Adds the men in hand to the text of a position: the number of men of each kind, one digit each, as in `1_x--o_21`.
/// Adds nothing where no man is in hand.
pub fn show_hands<const KINDS: usize>(board: String, hands: [u32; KINDS]) -> String {
    if hands == [0; KINDS] {
        return board;
    }
    format!("{board}_{}", hands.map(|men| men.to_string()).concat())
}

/// Splits a text that [`show_hands`] joined.
pub fn read_hands<const KINDS: usize>(text: &str) -> Result<(&str, [u32; KINDS]), Complaint> {
    let Some((board, hands)) = text.rsplit_once('_').filter(|(board, _)| board.contains('_')) else {
        return Ok((text, [0; KINDS]));
    };
    let digits: Option<Vec<u32>> = hands.chars().map(|digit| digit.to_digit(10)).collect();
    let wrong = || {
        let digits = if KINDS == 1 { "a digit".into() } else { format!("{KINDS} digits") };
        Complaint::position(text, format!("after the second _ want {digits} for the men in hand"))
    };
    digits.and_then(|digits| digits.try_into().ok()).map(|hands| (board, hands)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::FoldedPair;
    use std::sync::Arc;

    /// Three by three points.
    fn small() -> Points {
        let rows = (0..3).map(|y| (0..3).map(|x| (x, y)).collect());
        let columns = (0..3).map(|x| (0..3).map(|y| (x, y)).collect());
        Points::on_grid(&rows.chain(columns).collect::<Vec<Vec<_>>>())
    }

    #[test]
    fn points_are_joined_along_lines() {
        let points = small();
        assert_eq!((points.full(), points.name(0), points.name(8)), (0x1ff, "a3", "c1"));
        assert_eq!((points.near(0), points.near(4)), (0b000_001_010, 0b010_101_010));
        assert_eq!(points.around(0b101), 0b000_101_010);
        assert_eq!((points.row_sets(2).len(), points.row_sets(3).len()), (12, 6));
        assert_eq!(points.board().plain("x---o----")[0], "3  x---.---.");
    }

    #[test]
    fn symmetries_are_what_keeps_the_lines() {
        let points = small();
        assert_eq!(points.symmetries_of(&points.row_sets(2)).count(), 8, "those of a square");
        let star: Vec<Vec<(usize, usize)>> = (1..5).map(|x| vec![(0, 0), (x, 0)]).collect();
        let star = Points::on_grid(&star);
        let symmetries = Arc::new(star.symmetries_of(&star.row_sets(2)));
        assert_eq!(symmetries.count(), 24, "four arms in any order");
        assert!((0..24).all(|s| symmetries.image(1, s) == 1), "the middle stays");
        // Two men and one on the star: the middle is one of them or not, and arms are all alike.
        let pair = FoldedPair::new(&symmetries, 2, 1);
        let mut chosen = vec![];
        pair.scan(0..pair.size(), |_, two, one| chosen.push(symmetries.images(two, one)));
        chosen.sort_unstable();
        assert_eq!(chosen, [6, 12, 12], "all 30 ways, in three kinds");
    }

    #[test]
    #[should_panic(expected = "at most 64 symmetries")]
    fn a_board_with_too_many_symmetries_is_told_of_at_once() {
        // Twelve arms go in any order: 479 million ways.
        let star: Vec<Vec<(usize, usize)>> = (1..13).map(|x| vec![(0, 0), (x, 0)]).collect();
        let star = Points::on_grid(&star);
        star.symmetries_of(&star.row_sets(2));
    }

    #[test]
    fn hands_are_written_behind_the_board() {
        assert_eq!(show_hands("1_x-".into(), [2, 0]), "1_x-_20");
        assert_eq!(read_hands("1_x-_20"), Ok(("1_x-", [2, 0])));
        assert_eq!((show_hands("1_x-".into(), [0]), read_hands("1_x-")), ("1_x-".into(), Ok(("1_x-", [0]))));
        for bad in ["1_x-_2", "1_x-_2é", "1_x-_", "1_x-_222", "1__-"] {
            assert!(read_hands::<2>(bad).is_err(), "{bad}");
        }
    }
}
