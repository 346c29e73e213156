//! Zermelo as a library: solves a game, asks for a position, lists values, and reads the database.
#![allow(clippy::print_stdout)]

use zermelo::{Answers, Budget, Catalogue, Error, Solve};

/// Does all of it in a folder that goes away afterwards.
pub(crate) fn main() -> Result<(), Error> {
    let data = std::env::temp_dir().join(format!("zermelo-library-{}", std::process::id()));
    let solution = Solve::new("mnk:rows=3,cols=4,line=3").data(&data).memory(1 << 30).run()?;
    println!("{} tiers, the start is a {}", solution.tiers, solution.value);

    let answers = Answers::open(Catalogue::standard(), &data, "mnk:rows=3,cols=4,line=3")?;
    let oracle = answers.game.oracle();
    let found = answers.find(oracle.start(), Budget::NONE)?;
    for m in &found.report.moves {
        println!("{:4} {}", m.name, m.worth.map_or("not known".into(), |value| value.to_string()));
    }
    let line = answers.line(oracle.start(), 100, Budget::NONE, None)?;
    println!("{}", line.moves.iter().map(|m| m.name.as_str()).collect::<Vec<_>>().join(" "));

    for text in ["1_------------", "2_-----x------"] {
        println!("{text} {:?}", answers.value(oracle.parse(text)?)?);
    }
    let reader = answers.database.as_ref().map(|tables| tables.tiers());
    println!("{} tables", reader.unwrap_or_default().len());
    let _ = std::fs::remove_dir_all(&data);
    Ok(())
}
