//! The text of a device program.

use zermelo_core::DeviceRules;

/// Puts the program of a variant together: constants, types, rules and kernels.
pub fn of<G: DeviceRules>(game: &G) -> String {
    let foresees = ("FORESEES", u64::from(G::FORESEES));
    let constants = [foresees]
        .into_iter()
        .chain(game.constants())
        .map(|(name, value)| format!("#define {name} {value}\n"));
    let constants: String = constants.collect();
    let (prelude, kernels) = (include_str!("kernels/prelude.cuh"), include_str!("kernels/retrograde.cu"));
    let reach = if G::FORESEES { include_str!("kernels/reach.cu") } else { "" };
    [&*constants, prelude, &*game.header(), kernels, reach].join("\n")
}
