//! MPI: the one file that names it.

use std::collections::HashMap;
use std::sync::Mutex;

use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, MatchedReceiveVec, Source};
use zermelo_core::Unpoisoned;

use super::net::{Channel, Net, Received};

/// Room for messages that were sent and not yet taken in; a thousand ranks' orders fit many times.
const BUFFER: usize = 64 << 20;

/// Messages to and from the coordinator travel in pieces of so many bytes: MPI libraries send as much at once, also when
/// nobody receives it yet, where longer ones take part of both sides until they are over. A worker that has sent one
/// goes on with its work. (Open MPI takes up to 4 KB so between the processes of a machine, others more.)
const PIECE: usize = 2 << 10;
/// What a piece begins with.
const MORE: u8 = 0;
const LAST: u8 = 1;
/// Looks after which nothing has come: Open MPI takes in what there is only after it has said that there is nothing.
const LOOKS: usize = 2;

/// The processes that `mpirun` or `srun` has started, which reach each other by MPI.
pub struct Mpi {
    rank: usize,
    size: usize,
    /// Ranks on this machine.
    neighbours: usize,
    /// Whoever sends has this: the pieces of a message follow one another.
    sending: Mutex<()>,
    /// Pieces of messages whose last one is still to come, by sender and tag.
    pieces: Mutex<HashMap<(usize, i32), Vec<u8>>>,
    /// Ends MPI when it goes.
    _universe: Universe,
}

impl Mpi {
    /// Joins the other processes; an error says why MPI could not be started.
    pub fn start() -> Result<Mpi, String> {
        let started = mpi::initialize_with_threading(Threading::Multiple);
        let (mut universe, threading) = started.ok_or("MPI was started twice")?;
        if threading < Threading::Multiple {
            return Err("this MPI library has no MPI_THREAD_MULTIPLE; use Open MPI 4 or MPICH 4".into());
        }
        universe.set_buffer_size(BUFFER);
        let world = universe.world();
        let (rank, size) = (world.rank() as usize, world.size() as usize);
        let neighbours = world.split_shared(world.rank()).size() as usize;
        let (sending, pieces) = (Mutex::default(), Mutex::default());
        Ok(Mpi { rank, size, neighbours, sending, pieces, _universe: universe })
    }

    /// The message that what was received is, or ends.
    fn put_together(&self, from: usize, tag: i32, mut bytes: Vec<u8>) -> Option<Received> {
        let channel = Channel::of_tag(tag);
        if in_pieces(channel) && !bytes.is_empty() {
            let (mut pieces, last) = (self.pieces.lock().unpoisoned(), bytes.remove(0) != MORE);
            let whole = pieces.entry((from, tag)).or_default();
            whole.append(&mut bytes);
            if !last {
                return None;
            }
            bytes = pieces.remove(&(from, tag)).unwrap_or_default();
        }
        Some((from, channel, bytes))
    }

    /// Ranks on this machine, this one included.
    pub fn neighbours(&self) -> usize {
        self.neighbours
    }
}

/// Whether the messages of a channel travel in pieces.
fn in_pieces(channel: Option<Channel>) -> bool {
    matches!(channel, Some(Channel::Coordinator | Channel::Worker))
}

impl Net for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn host(&self) -> String {
        mpi::environment::processor_name().unwrap_or_default()
    }

    fn send(&self, to: usize, channel: Channel, bytes: &[u8]) {
        let (world, tag) = (SimpleCommunicator::world(), channel.tag());
        let process = world.process_at_rank(to as i32);
        match channel {
            // Large, and received at once.
            Channel::Team => process.send_with_tag(bytes, tag),
            Channel::End => process.buffered_send_with_tag(bytes, tag),
            // The other may be busy; nobody waits for that.
            Channel::Coordinator | Channel::Worker => {
                let _turn = self.sending.lock().unpoisoned();
                // An empty message is one empty piece.
                let (first, others) = bytes.split_at(bytes.len().min(PIECE));
                let mut pieces = std::iter::once(first).chain(others.chunks(PIECE)).peekable();
                while let Some(piece) = pieces.next() {
                    let mark = if pieces.peek().is_some() { MORE } else { LAST };
                    process.buffered_send_with_tag(&[&[mark], piece].concat()[..], tag);
                }
            }
        }
    }

    fn receive(&self) -> Received {
        loop {
            let (bytes, status) = SimpleCommunicator::world().any_process().receive_vec::<u8>();
            if let Some(whole) = self.put_together(status.source_rank() as usize, status.tag(), bytes) {
                return whole;
            }
        }
    }

    fn try_receive(&self) -> Option<Received> {
        let mut looks = LOOKS;
        while looks > 0 {
            match SimpleCommunicator::world().any_process().immediate_matched_probe() {
                Some(found) => {
                    let (bytes, status) = found.matched_receive_vec::<u8>();
                    let from = status.source_rank() as usize;
                    if let Some(whole) = self.put_together(from, status.tag(), bytes) {
                        return Some(whole);
                    }
                }
                None => looks -= 1,
            }
        }
        None
    }

    fn abort(&self, status: i32) -> ! {
        SimpleCommunicator::world().abort(status)
    }
}
