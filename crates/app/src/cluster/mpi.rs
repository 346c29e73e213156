//! MPI: the one file that names it.

use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};

use super::net::{Channel, Net};

/// Room for messages that were sent and not yet taken in; a thousand ranks' orders fit many times.
const BUFFER: usize = 64 << 20;

/// The processes that `mpirun` or `srun` has started.
pub struct Mpi {
    rank: usize,
    size: usize,
    /// Ranks on this machine.
    neighbours: usize,
    /// Ends MPI when it goes.
    _universe: Universe,
}

impl Mpi {
    /// Joins the others.
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
        Ok(Mpi { rank, size, neighbours, _universe: universe })
    }

    /// Ranks on this machine, this one included.
    pub fn neighbours(&self) -> usize {
        self.neighbours
    }
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
            // The other may be busy; nobody waits for that.
            _ => process.buffered_send_with_tag(bytes, tag),
        }
    }

    fn receive(&self) -> (usize, Option<Channel>, Vec<u8>) {
        let (bytes, status) = SimpleCommunicator::world().any_process().receive_vec::<u8>();
        (status.source_rank() as usize, Channel::of_tag(status.tag()), bytes)
    }

    fn abort(&self, status: i32) -> ! {
        SimpleCommunicator::world().abort(status)
    }
}
