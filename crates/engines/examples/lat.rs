fn main() {
    let a: Vec<String> = std::env::args().collect();
    let o = zermelo_core::Options::read(&<zermelo_games::Connect4 as zermelo_core::Face>::CARD, &a[1]).expect("options");
    let g = <zermelo_games::Connect4 as zermelo_core::Face>::new(&o).expect("game");
    zermelo_engines::lattice::try_out(&g);
}
