//! Positions with their values for the layout by a game's own tiers: one pass over the numbers of a range, with the
//! stored codes of that range beside it.

use zermelo_core::{
    AskError, Code, Face, ListJob, Listed, Listing, Objective, Packed, Position, Tier, Tiers, Turn, Value,
    Width, own,
};

use crate::Ranked;
use crate::reach::Reach;

/// The player to move in a position that stands for both: the one that its number of moves allows.
pub(crate) fn turn_by_ply<G: Tiers>(game: &G, p: G::Position) -> Turn {
    let first = game.start_turn();
    match (game.ply(game.start()), game.ply(p)) {
        (Some(begin), Some(now)) if !G::AGAIN && begin % 2 != now % 2 => first.other(),
        _ => first,
    }
}

/// The value of a stored code; `None` for a code that no table has: what a look tells is never stored.
pub(crate) fn stored_value<G: Tiers, O: Objective<G>>(raw: u16, width: Width) -> Option<Value> {
    let code = match width {
        Width::One => O::widen(raw as u8),
        Width::Two => Code(raw),
    };
    if O::derivable(code) { None } else { O::value(code) }
}

/// The error of a table with a value that cannot be.
pub(crate) fn impossible(tier: Tier) -> AskError {
    let reason = format!("the table of tier {tier} has a value that cannot be; `zermelo verify` tells more");
    AskError::Tables(reason.into())
}

/// Reads the stored codes of the numbers to list. A single number is looked up in the cache.
fn codes(job: &ListJob<'_>) -> Result<Vec<u8>, AskError> {
    let (tier, range, mut codes) = (job.stored.tier, job.range.clone(), vec![]);
    if range.end - range.start == 1 {
        let (raw, width) = job.tables.look(tier, range.start)?.ok_or_else(|| impossible(tier))?;
        codes.extend(&raw.to_le_bytes()[..width.bytes()]);
    } else {
        (job.stored.read)(range, &mut codes).map_err(AskError::Tables)?;
    }
    Ok(codes)
}

impl<G: Tiers + Face, O: Objective<G>> Listing for Ranked<G, O> {
    fn list(&self, job: &ListJob<'_>, visit: &mut dyn FnMut(Listed)) -> Result<(), AskError> {
        let (game, tier, width) = (self.game(), job.stored.tier, job.stored.width);
        let marks = job.reached.and_then(|reached| own::<Reach>(reached, tier).ok());
        let reached = |i: u64| marks.is_none_or(|marks| marks.turns(i) != 0);
        if !job.range.clone().any(reached) {
            return Ok(());
        }
        let (index, codes) = (self.index(tier), codes(job)?);
        let mut wrong = false;
        game.scan(&index, job.range.clone(), |number, p| {
            if !reached(number) {
                return;
            }
            let at = (number - job.range.start) as usize;
            let value = match O::look(game, p) {
                Some(code) => O::value(code),
                None => stored_value::<G, O>(width.code_at(&codes, at), width),
            };
            let Some(value) = value else {
                wrong = true;
                return;
            };
            let (copies, packed) = (game.copies(&index, p), p.pack());
            let mut tell =
                |turn| visit(Listed { number, position: Position { turn, packed }, copies, value });
            match marks.filter(|_| G::SIDES).map(|marks| marks.turns(number)) {
                Some(turns) => {
                    let both = [(1, Turn::First), (2, Turn::Second)];
                    both.into_iter().filter(|(bit, _)| turns & bit != 0).for_each(|(_, turn)| tell(turn));
                }
                None => tell(turn_by_ply(game, p)),
            }
        });
        if wrong { Err(impossible(tier)) } else { Ok(()) }
    }

    fn place(&self, packed: [u64; 2]) -> Option<(Tier, u64)> {
        let p = G::Position::unpack(packed);
        let tier = self.game().tier(p);
        Some((tier, self.game().rank(&self.index(tier), p)))
    }

    fn copies(&self, packed: [u64; 2]) -> u64 {
        self.game().alike(G::Position::unpack(packed))
    }
}
