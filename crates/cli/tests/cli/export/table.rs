//! The rows of an export, whatever the format.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::scratch::text;

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    None,
    Text(String),
    Number(i128),
}

impl Cell {
    pub(super) fn number(&self) -> i128 {
        let Cell::Number(n) = self else { panic!("{self:?} is no number") };
        *n
    }

    pub(super) fn text(&self) -> &str {
        let Cell::Text(text) = self else { panic!("{self:?} is no text") };
        text
    }
}

/// Names of columns, and rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(super) fn of_csv(bytes: &[u8]) -> Table {
        let all = text(bytes);
        let mut lines = all.lines();
        let names: Vec<String> = lines.next().unwrap().split(',').map(String::from).collect();
        let row = |line: &str| {
            let cells = line.split(',').zip(&names).map(|(cell, name)| match (cell, name.as_str()) {
                (text, "position" | "value") => Cell::Text(text.into()),
                ("", _) => Cell::None,
                (number, _) => Cell::Number(number.parse().unwrap()),
            });
            let cells: Vec<_> = cells.collect();
            assert_eq!(cells.len(), names.len(), "{line}");
            cells
        };
        let rows = lines.map(row).collect();
        Table { names, rows }
    }

    pub(super) fn of_json_lines(bytes: &[u8]) -> Table {
        let cell = |value: &Json| match value {
            Json::Null => Cell::None,
            Json::String(text) => Cell::Text(text.clone()),
            number => Cell::Number(number.as_i64().unwrap().into()),
        };
        let all = text(bytes);
        let objects: Vec<serde_json::Map<_, _>> =
            all.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let names = objects.first().map_or(vec![], |object| object.keys().cloned().collect());
        Table { names, rows: objects.iter().map(|object| object.values().map(cell).collect()).collect() }
    }

    pub(super) fn of((names, rows): (Vec<String>, Vec<Vec<Cell>>)) -> Table {
        Table { names, rows }
    }

    pub(super) fn at<'a>(&self, row: &'a [Cell], name: &str) -> &'a Cell {
        &row[self.names.iter().position(|own| own == name).unwrap_or_else(|| panic!("no column {name}"))]
    }

    /// The name of the column for the number of values.
    pub(super) fn number(&self) -> &str {
        &self.names[4]
    }

    /// By value and number, the sums of copies, or else the numbers of rows.
    pub(super) fn counts(&self, copies: bool) -> BTreeMap<(String, Option<i128>), i128> {
        let mut counts = BTreeMap::new();
        for row in &self.rows {
            let number = match self.at(row, self.number()) {
                Cell::Number(n) => Some(n.abs()),
                _ => None,
            };
            let value = self.at(row, "value").text().to_string();
            *counts.entry((value, number)).or_default() +=
                if copies { self.at(row, "copies").number() } else { 1 };
        }
        counts
    }
}
