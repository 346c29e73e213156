//! What people are told who ask for an engine or an objective that there is not.

use zermelo_catalogue::{Catalogue, Entry, OpenError, way};
use zermelo_engines::{Sweep, Unmoves};
use zermelo_games::Meaningless;

/// A game with loops whose author has entered an engine for games without.
const LOOPS: Entry = Entry::new::<Meaningless>(&[way::<Sweep<Meaningless>>()]);

fn told(entry: &Entry, options: &str, engine: Option<&str>, objective: Option<&str>) -> String {
    entry.open(options, (engine, objective), None).err().expect("refused").to_string()
}

#[test]
fn nobody_is_told_to_leave_out_what_they_have_not_given() {
    let all = told(&LOOPS, "loops=1", None, None);
    assert!(all.contains("beyond sweep, all there is") && all.contains("enter retrograde"), "{all}");
    assert!(!all.contains("--engine"), "{all}");
    let one = told(&LOOPS, "loops=1", Some("sweep"), None);
    assert!(one.contains("leave --engine out"), "{one}");
    let from = LOOPS.open("loops=1", (None, None), Some("1_0.0"));
    let from = from.err().expect("refused").to_string();
    assert!(!from.contains("--engine"), "{from}");
}

/// Who has an engine for loops is not told to enter one.
#[test]
fn engines_for_loops_are_named_to_those_who_have_none() {
    let [sweep, unmoves] = [way::<Sweep<Meaningless>>(), way::<Unmoves<Meaningless>>()];
    assert_eq!((sweep.loops, unmoves.loops), (Some("retrograde"), None));
    let all = OpenError::BeyondAll { game: "slow", engines: "unmoves".into(), loops: unmoves.loops };
    let want = "slow: this variant is beyond unmoves, all there is for this game; choose another variant";
    assert_eq!(all.to_string(), want);
}

#[test]
fn an_engine_that_lacks_the_objective_is_named_with_those_that_have_it() {
    let nim = Catalogue::standard().find("nim").expect("a game");
    let pair = told(nim, "", Some("retrograde"), Some("nimber"));
    assert_eq!(pair, "nim: engine retrograde does not solve for nimber; sweep does: leave --engine out");
    let none = told(nim, "", Some("retrograde"), Some("fame"));
    assert!(none.contains("objective \"fame\"; it can with remoteness, nimber"), "{none}");
}
