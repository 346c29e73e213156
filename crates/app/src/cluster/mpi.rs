//! MPI: the one file that names it.

use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};

use super::net::{Channel, Net};

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
        let (universe, threading) = started.ok_or("MPI was started twice")?;
        if threading < Threading::Multiple {
            return Err("this MPI library has no MPI_THREAD_MULTIPLE; use Open MPI 4 or MPICH 4".into());
        }
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
        SimpleCommunicator::world().process_at_rank(to as i32).send_with_tag(bytes, channel.tag());
    }

    fn receive(&self) -> (usize, Option<Channel>, Vec<u8>) {
        let (bytes, status) = SimpleCommunicator::world().any_process().receive_vec::<u8>();
        (status.source_rank() as usize, Channel::of_tag(status.tag()), bytes)
    }

    fn abort(&self) -> ! {
        SimpleCommunicator::world().abort(1)
    }
}
