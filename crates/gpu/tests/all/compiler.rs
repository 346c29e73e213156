//! The compiler of device programs.

use zermelo_core::{DeviceRules, Face, Options};
use zermelo_games::{AllQueens, Quixo, Teeko, Xiangqi};
use zermelo_gpu::{DeviceError, cuda, source};

fn program<G: DeviceRules + Face>(options: &str) -> String {
    let options = Options::read(&const { G::CARD }, options).expect("options");
    source::of(&G::new(&options).expect("a variant"))
}

/// Where NVRTC is installed, with or without a GPU. Elsewhere the same programs are compiled by the C++ compiler alone.
#[test]
fn programs_compile_for_a_gpu_without_a_warning() {
    let programs = [
        program::<Quixo>(""),
        program::<Quixo>("rows=3,cols=4,line=4"),
        program::<Quixo>("rows=8,cols=8,line=6"),
        program::<Teeko>(""),
        program::<Teeko>("rows=7,cols=7,squares=any"),
        program::<AllQueens>("rows=6,cols=6"),
        program::<Xiangqi>("pieces=2"),
        program::<Xiangqi>("pieces=6"),
        program::<Xiangqi>("material=KRPPkcp"),
    ];
    for source in programs {
        match cuda::check(&source) {
            Ok(()) => {}
            Err(DeviceError::Compiler(_)) => {
                return eprintln!("NVRTC is not installed: nothing was compiled for a GPU");
            }
            Err(error) => panic!("{error}"),
        }
    }
}
