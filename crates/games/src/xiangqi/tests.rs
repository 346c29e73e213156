use super::*;
use zermelo_core::laws;

fn game(options: &str) -> Xiangqi {
    Xiangqi::new(&Options::read(&Xiangqi::CARD, options).expect("options")).expect("a game")
}

fn perft(game: &Xiangqi, p: XiangqiMen, plies: u32) -> u64 {
    if plies == 0 {
        return 1;
    }
    let mut games = 0;
    game.moves(p, |m| games += perft(game, game.play(p, m), plies - 1));
    games
}

#[test]
fn perft_from_the_opening() {
    let game = game("");
    let (_, p) =
        fen::read("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w").expect("the opening");
    let games = [1, 2, 3, 4].map(|plies| perft(&game, p, plies));
    assert_eq!(games, [44, 1_920, 79_666, 3_290_240]);
}

#[test]
fn tiers_are_as_published() {
    // EECS-2024-139, table B.2: canonical tiers with exactly this many men.
    let many = |pieces: usize| Material::Pieces(pieces).roots().len();
    assert_eq!([2, 3, 4, 5].map(many), [1, 1 + 12, 1 + 12 + 156, 1 + 12 + 156 + 1_295]);
}

#[test]
fn obeys_the_laws() {
    for material in ["Kk", "KRk", "KPk", "KNka", "KPkb", "KAAkb", "KCkp", "KAka"] {
        let game = game(&format!("material={material}"));
        laws::check(&game, 3_000).expect("no law is broken");
        laws::check_face(&game, 1_000).expect("no law is broken");
    }
    for (material, every) in [
        ("KRk", 1),
        ("KPk", 1),
        ("KAka", 1),
        ("KNkb", 1),
        ("KPkp", 9),
        ("KAAkb", 1),
        ("KPPk", 5),
        ("KAAkaa", 1),
    ] {
        let game = game(&format!("material={material}"));
        for tier in game.roots().into_iter().step_by(every) {
            laws::check_unmoves(&game, tier).expect("no law is broken");
            laws::check_outlook(&game, tier).expect("no law is broken");
        }
    }
}
