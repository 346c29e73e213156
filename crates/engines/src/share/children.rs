//! The tiers below, of which every process has a share: who asks for a code writes to its owner.
//!
//! ```text
//! question   place of the child tier, number in the owner's share     one number
//! answer     the code, in one byte where all tables below have such codes
//! ```

use std::sync::Arc;

use rayon::prelude::*;
use zermelo_core::{Code, EngineError, Objective, Shares, Solved, Tier, Tiers, Width};

use super::group::HEAD;
use super::outbox::{NumberWidth, Outbox};
use super::wide_below;
use crate::Codes;
use crate::below::Fault;
use crate::ranked::ShareJob;

/// Items that one task answers.
const TASK: usize = 1 << 12;

/// The own shares of all child tiers.
pub(crate) struct Children<'a, G: Tiers, O> {
    game: &'a G,
    here: usize,
    /// How many processes there are.
    pub(crate) count: usize,
    tiers: Vec<Child<G, O>>,
    /// Bits of a number in a question; its tier's place is above them.
    bits: u32,
    item_width: NumberWidth,
    width: Width,
    pub(crate) fault: Fault,
}

struct Child<G: Tiers, O> {
    tier: Tier,
    index: Arc<G::Index>,
    shares: Shares,
    codes: Arc<Codes<G, O>>,
}

/// What one thread has asked for, in the order in which it will use the answers.
pub(crate) struct Lookups {
    /// Whom it asked.
    owners: Vec<u16>,
    /// The answers to questions to oneself.
    own: Vec<u8>,
    pub(crate) outbox: Outbox,
}

impl Lookups {
    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.owners.len()
    }
}

impl<'a, G: Tiers, O: Objective<G>> Children<'a, G, O> {
    /// Reads the own shares.
    pub(crate) fn load(job: &ShareJob<'a, G>) -> Result<Self, EngineError> {
        let (game, here, count) = (job.game, job.peers.here(), job.peers.count());
        let mut tiers = vec![];
        for (index, stored) in &job.children {
            let shares = Shares::new(game.size(stored.tier), count, job.block);
            let codes = Codes::load(game, index, stored, shares.range(here))?;
            tiers.push(Child { tier: stored.tier, index: index.clone(), shares, codes });
        }
        let largest = tiers.iter().map(|child| child.shares.largest()).max().unwrap_or(0);
        let bits = u64::BITS - largest.saturating_sub(1).leading_zeros();
        let item_width = NumberWidth::below((tiers.len().max(1) as u64) << bits);
        let width = if wide_below(job) { Width::Two } else { Width::One };
        Ok(Children { game, here, count, tiers, bits, item_width, width, fault: Fault::none(job.tier) })
    }

    /// No questions yet.
    pub(crate) fn lookups(&self) -> Lookups {
        Lookups { owners: vec![], own: vec![], outbox: Outbox::new(self.item_width, self.count) }
    }

    /// Asks for the code of a position below.
    #[inline]
    pub(crate) fn ask(&self, p: G::Position, lookups: &mut Lookups) {
        let tier = self.game.tier(p);
        for (place, child) in self.tiers.iter().enumerate() {
            if child.tier == tier {
                return self.ask_child(place, child, self.game.rank(&child.index, p), lookups);
            }
        }
        self.fault.undeclared(tier, p);
        self.know(Code::UNKNOWN, lookups);
    }

    #[inline]
    fn ask_child(&self, place: usize, child: &Child<G, O>, number: u64, lookups: &mut Lookups) {
        let owner = child.shares.owner(number);
        let at = number - child.shares.start(owner);
        if number >= child.shares.entries() {
            self.know(Code::UNKNOWN, lookups);
        } else if owner == self.here {
            self.know(child.codes.get(at), lookups);
        } else {
            lookups.owners.push(owner as u16);
            lookups.outbox.push(owner, (place as u64) << self.bits | at);
        }
    }

    /// An answer of one's own.
    #[inline]
    fn know(&self, code: Code, lookups: &mut Lookups) {
        lookups.owners.push(self.here as u16);
        match self.width {
            Width::One => lookups.own.push(O::narrow(code).unwrap_or(u8::MAX)),
            Width::Two => lookups.own.extend(code.0.to_le_bytes()),
        }
    }

    /// The message that answers all questions of one process, with room for its head.
    pub(crate) fn answer(&self, questions: &[u8]) -> Vec<u8> {
        let (item_width, width) = (self.item_width, self.width.bytes());
        let mut message = vec![0; HEAD + self.answers(questions.len() / item_width.bytes)];
        let answers = message[HEAD..].par_chunks_mut(TASK * width);
        answers.zip(questions.par_chunks(TASK * item_width.bytes)).for_each(|(answers, questions)| {
            for (answer, question) in answers.chunks_mut(width).zip(questions.chunks(item_width.bytes)) {
                let code = self.code(item_width.read(question));
                match self.width {
                    Width::One => answer[0] = O::narrow(code).unwrap_or(u8::MAX),
                    Width::Two => answer.copy_from_slice(&code.0.to_le_bytes()),
                }
            }
        });
        message
    }

    fn code(&self, question: u64) -> Code {
        let (place, at) = (question >> self.bits, question & ((1 << self.bits) - 1));
        let codes = self.tiers.get(place as usize).map(|child| &child.codes);
        // What is not here has no code, and is the asker's fault.
        codes.filter(|codes| at < codes.entries()).map_or(Code::UNKNOWN, |codes| codes.get(at))
    }

    /// Bytes of so many answers.
    pub(crate) fn answers(&self, count: usize) -> usize {
        count * self.width.bytes()
    }

    /// Whether so many bytes can be questions.
    pub(crate) fn are_questions(&self, bytes: usize) -> bool {
        bytes.is_multiple_of(self.item_width.bytes)
    }

    /// The answers to some look-ups, one after another; `others` has those of each process.
    pub(crate) fn hear<'b>(&self, lookups: &'b Lookups, mut others: Vec<&'b [u8]>) -> Answers<'b, G, O> {
        others[self.here] = &lookups.own;
        let of = std::marker::PhantomData;
        Answers { owners: lookups.owners.iter(), from: others, width: self.width, of }
    }
}

/// Answers in the order of the questions.
pub(crate) struct Answers<'a, G, O> {
    owners: std::slice::Iter<'a, u16>,
    /// What is left of each process's.
    from: Vec<&'a [u8]>,
    width: Width,
    of: std::marker::PhantomData<fn() -> (G, O)>,
}

impl<G: Tiers, O: Objective<G>> Answers<'_, G, O> {
    /// The next one; unknown where there is none.
    #[inline]
    pub(crate) fn next(&mut self) -> Code {
        let Some(from) = self.owners.next().and_then(|owner| self.from.get_mut(usize::from(*owner))) else {
            return Code::UNKNOWN;
        };
        match (self.width, *from) {
            (Width::One, [byte, rest @ ..]) => {
                *from = rest;
                O::widen(*byte)
            }
            (Width::Two, [low, high, rest @ ..]) => {
                *from = rest;
                Code(u16::from_le_bytes([*low, *high]))
            }
            _ => Code::UNKNOWN,
        }
    }
}
