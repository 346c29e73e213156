//! Batches of positions on the way from questions to answers.
//!
//! Nobody waits for a message with idle threads. One exchange carries the questions of a batch and
//! the answers to those of the batch before the last; while it is under way, the next batch is
//! looked at, the last questions that came are answered, and the batch is finished whose answers
//! came last:
//!
//! ```text
//! exchange                 n          n + 1          n + 2          n + 3
//! sent                 questions n                  (answers come)
//! meanwhile                       others answer n                  batch n is finished
//! ```

use std::collections::VecDeque;
use std::ops::Range;

use zermelo_core::{EngineError, Objective, Tiers};

use super::children::{Answers, Children, Lookups};
use super::group::{Group, HEAD, Status};
use super::outbox::{Budget, Limits, collect};
use crate::parallel;

/// What is done with positions whose children are asked for.
pub(crate) trait Work<G: Tiers, O: Objective<G>>: Sync {
    /// What is kept of positions until the answers come.
    type Memo: Default + Send + Sync;
    /// What becomes of them then.
    type Result: Send;

    /// Looks at a range of numbers and asks for children.
    fn ask(&self, range: Range<u64>, memo: &mut Self::Memo, lookups: &mut Lookups);

    /// Finishes ranges of numbers, in the order in which they were looked at.
    fn hear(&self, part: &[Range<u64>], memo: &Self::Memo, answers: Answers<'_, G, O>) -> Self::Result;

    /// Takes in what was found; the last to be called, and by one thread.
    fn keep(&mut self, part: &[Range<u64>], found: Self::Result);

    /// Whether a code did not fit, so that all may stop.
    fn narrow(&self) -> bool;
}

/// What one thread has of a batch.
struct Part<M> {
    ranges: Vec<Range<u64>>,
    memo: M,
    lookups: Lookups,
}

type Batch<M> = Vec<Part<M>>;

/// Exchanges that answers come after the questions.
const WAY: usize = 2;

/// Takes all positions of a range through their questions and answers. Stops halfway when codes are
/// too narrow somewhere, for all at the same exchange.
pub(crate) fn ask_all<G: Tiers, O: Objective<G>, W: Work<G, O>>(
    group: &Group<'_>,
    children: &Children<'_, G, O>,
    work: &mut W,
    mut range: Range<u64>,
    limits: Limits,
) -> Result<(), EngineError> {
    let mut sent: VecDeque<Batch<W::Memo>> = VecDeque::new();
    let mut mail: Mail<W::Memo> = Mail { batch: vec![], messages: group.blank() };
    let mut out = group.blank();
    let mut batch = prepare(children, work, &mut range, limits);
    loop {
        collect(&mut out, batch.iter_mut().map(|part| &mut part.lookups.outbox));
        sent.push_back(batch);
        let status = Status {
            more: sent.iter().any(|batch| !batch.is_empty()),
            narrow: work.narrow(),
            ..Status::default()
        };
        let (came, (next, replies, found)) = group.meanwhile(status, out, || {
            let next = prepare(children, work, &mut range, limits);
            (next, mail.reply(children), mail.hear(children, work))
        });
        for (part, found) in mail.batch.iter().zip(found) {
            work.keep(&part.ranges, found);
        }
        let (all, messages) = came?;
        if all.narrow || !all.more {
            return Ok(());
        }
        let answered = if sent.len() > WAY { sent.pop_front() } else { None };
        mail = Mail { batch: answered.unwrap_or_default(), messages };
        mail.check(group, children)?;
        (batch, out) = (next, replies);
    }
}

/// Looks at positions until there is enough to ask.
fn prepare<G: Tiers, O: Objective<G>, W: Work<G, O>>(
    children: &Children<'_, G, O>,
    work: &W,
    range: &mut Range<u64>,
    limits: Limits,
) -> Batch<W::Memo> {
    let budget = Budget::new(range.clone(), limits.piece(), limits, children.count);
    let parts = budget.spread(|| {
        let mut part = Part { ranges: vec![], memo: W::Memo::default(), lookups: children.lookups() };
        while let Some(piece) = budget.take() {
            let before = part.lookups.len();
            work.ask(piece.clone(), &mut part.memo, &mut part.lookups);
            let looked = part.lookups.len() - before;
            budget.spend(piece.end - piece.start + looked as u64, &mut part.lookups.outbox);
            part.ranges.push(piece);
        }
        part
    });
    range.start = budget.reached();
    parts.into_iter().filter(|part| !part.ranges.is_empty()).collect()
}

/// The messages of one exchange: answers to a batch, then others' questions.
struct Mail<M> {
    batch: Batch<M>,
    messages: Vec<Vec<u8>>,
}

impl<M: Send + Sync> Mail<M> {
    /// Where the questions of a process begin.
    fn questions<G: Tiers, O: Objective<G>>(&self, children: &Children<'_, G, O>, peer: usize) -> usize {
        let asked = self.batch.iter().map(|part| part.lookups.outbox.counts[peer] as usize);
        HEAD + children.answers(asked.sum())
    }

    /// Whether the messages can be what they should be.
    fn check<G: Tiers, O: Objective<G>>(
        &self,
        group: &Group<'_>,
        children: &Children<'_, G, O>,
    ) -> Result<(), EngineError> {
        let good = |(peer, message): (usize, &Vec<u8>)| {
            let rest = message.len().checked_sub(self.questions(children, peer));
            rest.is_some_and(|rest| children.are_questions(rest))
        };
        match self.messages.iter().enumerate().all(good) {
            true => Ok(()),
            false => Err(group.broken("a message has another length than was asked for".into())),
        }
    }

    /// Answers the questions.
    fn reply<G: Tiers, O: Objective<G>>(&self, children: &Children<'_, G, O>) -> Vec<Vec<u8>> {
        let messages = self.messages.iter().enumerate();
        messages.map(|(peer, message)| children.answer(&message[self.questions(children, peer)..])).collect()
    }

    /// Finishes the batch.
    fn hear<G: Tiers, O: Objective<G>, W: Work<G, O, Memo = M>>(
        &self,
        children: &Children<'_, G, O>,
        work: &W,
    ) -> Vec<W::Result> {
        let mut rest: Vec<&[u8]> = self.messages.iter().map(|message| &message[HEAD..]).collect();
        let mut parts = vec![];
        for part in &self.batch {
            let own = rest.iter_mut().zip(&part.lookups.outbox.counts).map(|(rest, count)| {
                let (own, others) = rest.split_at(children.answers(*count as usize));
                *rest = others;
                own
            });
            parts.push((part, own.collect::<Vec<_>>()));
        }
        parallel::each(&parts, &|(part, own)| {
            work.hear(&part.ranges, &part.memo, children.hear(&part.lookups, own.clone()))
        })
    }
}
