//! How the processes of a cluster reach each other: a few verbs that MPI fills in. Tests fill them in with threads.

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// From a worker to the coordinator.
    Coordinator,
    /// From the coordinator to a worker.
    Worker,
    /// Between workers that solve a tier together.
    Team,
    /// To oneself: that was all.
    End,
}

impl Channel {
    const ALL: [Channel; 4] = [Channel::Coordinator, Channel::Worker, Channel::Team, Channel::End];

    /// The number of the channel, as the tag of a message.
    pub fn tag(self) -> i32 {
        self as i32
    }

    /// The channel with a number.
    pub fn of_tag(tag: i32) -> Option<Channel> {
        usize::try_from(tag).ok().and_then(|tag| Channel::ALL.get(tag)).copied()
    }
}

/// From whom a message is, what it is about, and what it says.
pub type Received = (usize, Option<Channel>, Vec<u8>);

/// The processes of a run, called ranks and numbered from 0.
pub trait Net: Send + Sync {
    /// Which of them this is.
    fn rank(&self) -> usize;
    /// How many there are.
    fn size(&self) -> usize;
    /// The name of the machine.
    fn host(&self) -> String;
    /// Sends a message; only between peers may that wait until the other has taken it in, and only theirs take part of
    /// this side before they arrive. Messages to one rank on one channel arrive in the order in which one thread sends
    /// them.
    fn send(&self, to: usize, channel: Channel, bytes: &[u8]);
    /// Waits for the next message, and says from whom it is. One thread at a time receives.
    fn receive(&self) -> Received;
    /// The next message, if it has come.
    fn try_receive(&self) -> Option<Received>;
    /// Ends all processes of the run with an exit status, this one included.
    fn abort(&self, status: i32) -> !;
}
