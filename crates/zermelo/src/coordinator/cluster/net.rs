//! How the processes of a cluster reach each other: a few verbs that MPI fills in. Tests fill them in with threads.

/// Between which parts of a cluster a message goes.
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

/// A message that has come: the rank that sent it, its channel (`None` for an unknown one), and its bytes.
pub type Received = (usize, Option<Channel>, Vec<u8>);

/// How the processes of a run reach each other. The processes are called ranks and numbered from 0.
pub trait Net: Send + Sync {
    /// The number of this rank.
    fn rank(&self) -> usize;
    /// How many ranks there are.
    fn size(&self) -> usize;
    /// The name of the machine that this rank runs on.
    fn host(&self) -> String;
    /// Sends a message. On [`Channel::Team`] this may wait until the other rank has received the message; on other
    /// channels it never waits. Messages that one thread sends to one rank on one channel arrive in the order in which
    /// they were sent.
    fn send(&self, to: usize, channel: Channel, bytes: &[u8]);
    /// Waits for the next message. Only one thread at a time may receive.
    fn receive(&self) -> Received;
    /// The next message, if it has come.
    fn try_receive(&self) -> Option<Received>;
    /// Ends all processes of the run with an exit status, this one included.
    fn abort(&self, status: i32) -> !;
}
