//! Rows as Apache Parquet: groups of rows, a page for each column of a group, and a footer that says where all is.
//!
//! ```text
//! "PAR1"
//! group     a page for each column: page header, then the page, compressed with zstd
//! ...
//! footer    schema, number of rows, groups with the places of their pages
//! u32       the length of the footer
//! "PAR1"
//! ```
//!
//! Values are written plainly; before those of a column that may be empty come runs of 1 (a value) and 0 (none). The
//! page headers and the footer are structs in the compact protocol of Thrift (`thrift`). Numbers are little-endian.

mod thrift;

use std::io::{self, Write};

use zermelo_core::{Oracle, Unit, varint};

use super::Row;
use super::row::Column;
use thrift::Struct;

/// Rows after which a group ends.
const GROUP: u64 = 1 << 17;
/// The level of compression.
const LEVEL: i32 = 3;

/// The types of columns, as the format numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int32 = 1,
    Int64 = 2,
    Text = 6,
}

/// How the format numbers what a plain type stands for.
const UTF8: i64 = 0;
const UINT_64: i64 = 14;
/// How the format numbers encodings and compressions.
const PLAIN: i64 = 0;
const RLE: i64 = 3;
const ZSTD: i64 = 6;

/// A column of some rows.
#[derive(Debug, Default)]
struct Values {
    /// The values that are there.
    bytes: Vec<u8>,
    /// Runs of rows with a value, and without.
    runs: Vec<(bool, u64)>,
}

impl Values {
    fn put(&mut self, value: Option<&[u8]>) {
        self.bytes.extend(value.unwrap_or_default());
        self.run(value.is_some(), 1);
    }

    fn put_text(&mut self, text: &str) {
        self.bytes.extend((text.len() as u32).to_le_bytes());
        self.put(Some(text.as_bytes()));
    }

    fn run(&mut self, there: bool, rows: u64) {
        match self.runs.last_mut() {
            Some((same, many)) if *same == there => *many += rows,
            _ => self.runs.push((there, rows)),
        }
    }

    fn append(&mut self, more: Values) {
        self.bytes.extend(more.bytes);
        more.runs.into_iter().for_each(|(there, rows)| self.run(there, rows));
    }

    /// The page: for a column that may be empty the runs first, after their length.
    fn page(&self, optional: bool) -> Vec<u8> {
        let mut page = vec![];
        if optional {
            let mut runs = vec![];
            for (there, rows) in &self.runs {
                varint::put(&mut runs, rows << 1);
                runs.push(u8::from(*there));
            }
            page.extend((runs.len() as u32).to_le_bytes());
            page.extend(runs);
        }
        page.extend(&self.bytes);
        page
    }
}

/// Some rows, column by column.
#[derive(Debug, Default)]
pub(super) struct Columns {
    rows: u64,
    position: Values,
    tier: Values,
    number: Values,
    value: Values,
    /// The number of the value, where there is such a column.
    of_value: Values,
    copies: Values,
}

impl Columns {
    pub(super) fn of(oracle: &dyn Oracle, unit: Unit, rows: &[Row]) -> Columns {
        let mut all = Columns { rows: rows.len() as u64, ..Columns::default() };
        let column = Column::of(unit);
        for row in rows {
            all.position.put_text(&oracle.text(row.position));
            let (tier, number) =
                (row.place.map(|p| p.0.0.to_le_bytes()), row.place.map(|p| p.1.to_le_bytes()));
            all.tier.put(tier.as_ref().map(|bytes| &bytes[..]));
            all.number.put(number.as_ref().map(|bytes| &bytes[..]));
            all.value.put_text(row.value.word());
            let of_value = column.and_then(|column| column.of_value(unit, row.value)).map(i32::to_le_bytes);
            all.of_value.put(of_value.as_ref().map(|bytes| &bytes[..]));
            all.copies.put(Some(&row.copies.to_le_bytes()));
        }
        all
    }

    fn append(&mut self, more: Columns) {
        self.rows += more.rows;
        self.position.append(more.position);
        self.tier.append(more.tier);
        self.number.append(more.number);
        self.value.append(more.value);
        self.of_value.append(more.of_value);
        self.copies.append(more.copies);
    }

    /// The columns in the order of the file.
    fn all(&self, with_number: bool) -> Vec<&Values> {
        let mut all = vec![&self.position, &self.tier, &self.number, &self.value];
        all.extend(with_number.then_some(&self.of_value));
        all.push(&self.copies);
        all
    }
}

/// A column as the footer tells of it.
#[derive(Clone, Copy, Debug)]
struct Field {
    name: &'static str,
    kind: Kind,
    optional: bool,
    /// What the plain type stands for, where that is something else.
    converted: Option<i64>,
}

/// The page of a column of a group.
#[derive(Clone, Copy, Debug)]
struct Page {
    place: u64,
    /// Bytes with the header, before and after compression.
    plain: u64,
    packed: u64,
}

/// A file that is being written.
pub(super) struct Parquet {
    fields: Vec<Field>,
    /// Whether values have numbers.
    with_number: bool,
    /// Bytes written so far.
    at: u64,
    /// Rows that wait for their group to be full.
    open: Columns,
    /// The rows of each group, and its pages.
    groups: Vec<(u64, Vec<Page>)>,
}

impl Parquet {
    /// What a file begins and ends with.
    pub(super) const HEAD: &'static [u8] = b"PAR1";

    pub(super) fn new(number: Option<Column>) -> Parquet {
        let field = |name, kind, optional, converted| Field { name, kind, optional, converted };
        let mut fields = vec![
            field("position", Kind::Text, false, Some(UTF8)),
            field("tier", Kind::Int64, true, Some(UINT_64)),
            field("number", Kind::Int64, true, Some(UINT_64)),
            field("value", Kind::Text, false, Some(UTF8)),
        ];
        fields.extend(number.map(|column| field(column.name(), Kind::Int32, true, None)));
        fields.push(field("copies", Kind::Int64, false, Some(UINT_64)));
        let at = Parquet::HEAD.len() as u64;
        Parquet { fields, with_number: number.is_some(), at, open: Columns::default(), groups: vec![] }
    }

    /// Adds rows; full groups are written.
    pub(super) fn add(&mut self, columns: Columns, out: &mut dyn Write) -> io::Result<()> {
        self.open.append(columns);
        if self.open.rows >= GROUP { self.group(out) } else { Ok(()) }
    }

    /// Writes the rows that wait as a group.
    fn group(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let (columns, mut pages) = (std::mem::take(&mut self.open), vec![]);
        for (field, values) in self.fields.iter().zip(columns.all(self.with_number)) {
            let page = values.page(field.optional);
            let packed = zstd::bulk::compress(&page, LEVEL)?;
            let header = page_header(page.len(), packed.len(), columns.rows);
            out.write_all(&header)?;
            out.write_all(&packed)?;
            let bytes = |bytes: &[u8]| (header.len() + bytes.len()) as u64;
            pages.push(Page { place: self.at, plain: bytes(&page), packed: bytes(&packed) });
            self.at += bytes(&packed);
        }
        self.groups.push((columns.rows, pages));
        Ok(())
    }

    /// Writes what is left, and the footer.
    pub(super) fn finish(mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.open.rows > 0 {
            self.group(out)?;
        }
        let footer = self.footer();
        out.write_all(&footer)?;
        out.write_all(&(footer.len() as u32).to_le_bytes())?;
        out.write_all(Parquet::HEAD)
    }

    fn footer(&self) -> Vec<u8> {
        let mut root = Struct::default();
        root.text(4, "schema").int32(5, self.fields.len() as i64);
        let mut schema = vec![root.end()];
        for field in &self.fields {
            let mut element = Struct::default();
            element.int32(1, field.kind as i64).int32(3, i64::from(field.optional)).text(4, field.name);
            field.converted.iter().for_each(|converted| _ = element.int32(6, *converted));
            schema.push(element.end());
        }
        let groups: Vec<_> = self.groups.iter().map(|(rows, pages)| self.group_told(*rows, pages)).collect();
        let mut footer = Struct::default();
        let rows: u64 = self.groups.iter().map(|(rows, _)| rows).sum();
        let maker = concat!("zermelo version ", env!("CARGO_PKG_VERSION"));
        footer.int32(1, 1).structs(2, &schema).int64(3, rows).structs(4, &groups).text(6, maker);
        footer.end()
    }

    /// What the footer says of a group.
    fn group_told(&self, rows: u64, pages: &[Page]) -> Vec<u8> {
        let chunk = |(field, page): (&Field, &Page)| {
            let mut about = Struct::default();
            about.int32(1, field.kind as i64).ints32(2, &[PLAIN, RLE]).texts(3, &[field.name]).int32(4, ZSTD);
            about.int64(5, rows).int64(6, page.plain).int64(7, page.packed).int64(9, page.place);
            let mut chunk = Struct::default();
            chunk.int64(2, page.place).inner(3, &about.end());
            chunk.end()
        };
        let chunks: Vec<_> = self.fields.iter().zip(pages).map(chunk).collect();
        let mut group = Struct::default();
        group.structs(1, &chunks).int64(2, pages.iter().map(|page| page.plain).sum()).int64(3, rows);
        group.end()
    }
}

/// The header of a page of values.
fn page_header(plain: usize, packed: usize, rows: u64) -> Vec<u8> {
    let mut data = Struct::default();
    data.int32(1, rows as i64).int32(2, PLAIN).int32(3, RLE).int32(4, RLE);
    let mut header = Struct::default();
    header.int32(1, 0).int32(2, plain as i64).int32(3, packed as i64).inner(5, &data.end());
    header.end()
}
