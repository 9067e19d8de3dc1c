//! What goes over the network.

/// Counted since the target was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Connections with a session that were set up the first time.
    pub connections: u32,
    /// Connections that were set up again after they were lost.
    pub reconnections: u64,
    /// Protocol and data.
    pub sent_bytes: u64,
    /// The same, of what came.
    pub received_bytes: u64,
}

impl Traffic {
    /// What came since an earlier moment; connections are all that there are.
    pub fn since(self, earlier: Traffic) -> Traffic {
        Traffic {
            connections: self.connections,
            reconnections: self.reconnections - earlier.reconnections,
            sent_bytes: self.sent_bytes - earlier.sent_bytes,
            received_bytes: self.received_bytes - earlier.received_bytes,
        }
    }

    /// What several targets counted together.
    pub fn plus(self, other: Traffic) -> Traffic {
        Traffic {
            connections: self.connections + other.connections,
            reconnections: self.reconnections + other.reconnections,
            sent_bytes: self.sent_bytes + other.sent_bytes,
            received_bytes: self.received_bytes + other.received_bytes,
        }
    }
}
