//! A server that lets clients in and then says nothing.

/// After so many operations in a row without an answer a client is given up, although the server lets it in again
/// each time: ten files in a row would take it ten times as long as one answer is waited for.
pub(crate) const SILENCES_LIMIT: u32 = 2;
