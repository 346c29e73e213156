//! `play` with moves that come from a pipe.

use std::io::Write;
use std::process::{Output, Stdio};

use crate::scratch::{Scratch, text};

fn play(scratch: &Scratch, args: &[&str], lines: &str) -> Output {
    let mut command = scratch.command(&[&["play"], args].concat());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_game_is_played_by_lines() {
    let scratch = Scratch::new("lines");
    scratch.run(&["solve", "mnk"]);
    let output = play(&scratch, &["mnk", "--second", "human"], "# the fastest win\na3 b3\n\nA2, b2\na1\n");
    let told = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        told.starts_with("1_---------  tie in 9 for the first player, who is to move\n    - - -\n"),
        "{told}"
    );
    for part in [
        "\n1. a3 (the first player)\n2_x--------  tie in 8 for the second player",
        "\n5. a1 (the first player)\n",
    ] {
        assert!(told.contains(part), "{told}");
    }
    assert!(told.contains("  the first player wins\n"), "{told}");
}

#[test]
fn the_computer_answers_and_wrong_lines_are_told() {
    let scratch = Scratch::new("lines-computer");
    scratch.run(&["solve", "mnk"]);
    let output = play(&scratch, &["mnk"], "b2\nb2\nz9\nhint\nundo\nquit\nb2\n");
    let (told, wrong) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(2), "{wrong}");
    assert!(told.contains("\n2. ") && told.contains(" (the second player, computer)\n"), "{told}");
    assert!(wrong.contains("line 2: ") && wrong.contains("line 3: ") && !wrong.contains("line 4"), "{wrong}");
    assert!(told.contains("Tying moves for the first player ("), "{told}");
    assert_eq!(told.matches("1. b2").count(), 1, "nothing is read after quit: {told}");
    // Undo goes back to the person's own move.
    assert!(told.trim_end().ends_with("    - - -\n    - - -\n    - - -"), "{told}");
    // Two computers play a whole game without a line of input; perfect play is a tie.
    let alone = play(&scratch, &["mnk", "--first", "computer"], "");
    let told = text(&alone.stdout);
    assert!(alone.status.success() && told.contains("\n9. ") && told.contains("  a tie\n"), "{told}");
}

#[test]
fn values_can_be_hidden() {
    let scratch = Scratch::new("lines-hidden");
    let output = play(&scratch, &["mnk", "--second", "human", "--no-hints"], "b2\n");
    let told = text(&output.stdout);
    assert!(output.status.success() && !told.contains(" in "), "{told}");
}
