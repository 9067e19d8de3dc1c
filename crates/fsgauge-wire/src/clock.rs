//! Jobs that compare the monotonic clocks of two machines: one engine answers, another asks. Never a wall clock.
//!
//! Messages are UDP datagrams of fixed size with an HMAC-SHA256 of a key that both jobs carry.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Engine, Lease};

/// A secret key of 32 bytes, as 64 hexadecimal digits.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct ClockKey(pub String);

impl fmt::Debug for ClockKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ClockKey(secret)")
    }
}

/// kind "serve_clock": tell whoever has the key what CLOCK_MONOTONIC is here. Says `clock_served` when it listens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServeClockJob {
    /// Must be 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// The address to listen on, for example "10.0.0.5" or "::1".
    pub address: String,
    /// The UDP port; 0: one that is free.
    #[serde(default)]
    pub port: u16,
    /// What requests and replies are authenticated with.
    pub key: ClockKey,
    /// It ends here at the latest.
    pub time_limit_ns: u64,
    /// It ends after so many replies.
    #[serde(default = "reply_limit")]
    pub reply_limit: u64,
    /// What keeps the engine alive; null: its parent alone.
    #[serde(default)]
    pub lease: Option<Lease>,
}

fn reply_limit() -> u64 {
    10_000_000
}

/// kind "exchange_clock": ask another engine for its clock, many times, and keep the fastest answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExchangeClockJob {
    /// Must be 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// Address of the engine that serves its clock.
    pub address: String,
    /// Its port.
    pub port: u16,
    /// What requests and replies are authenticated with.
    pub key: ClockKey,
    /// Answers that are wanted; 1 to 10,000. Twice as many requests are sent at most.
    #[serde(default = "exchanges")]
    pub exchanges: u32,
    /// How long one answer is waited for.
    #[serde(default = "timeout_ns")]
    pub timeout_ns: u64,
    /// It ends here at the latest, with the answers that it has. Without any: code "clock.no_answer".
    #[serde(default = "time_limit_ns")]
    pub time_limit_ns: u64,
    /// The most that the two clocks are taken to drift apart, in millionths: what is not measured, `bound_ns` allows
    /// for. Clocks that were seen to drift faster are refused: code "clock.drift".
    #[serde(default = "drift_limit_ppm")]
    pub drift_limit_ppm: f64,
    /// The reading of an earlier exchange between the same two machines, before the run: then `moments` are on the
    /// straight line between the two. Refused are clocks that jumped meanwhile (code "clock.jumped") and machines that
    /// were suspended ("clock.suspended").
    #[serde(default)]
    pub earlier: Option<ClockReading>,
    /// Moments by this machine's CLOCK_MONOTONIC that are to be told by the other's; at most 10,000.
    #[serde(default)]
    pub moments_ns: Vec<u64>,
    /// What keeps the engine alive; null: its parent alone.
    #[serde(default)]
    pub lease: Option<Lease>,
}

fn exchanges() -> u32 {
    40
}

fn timeout_ns() -> u64 {
    100_000_000
}

fn time_limit_ns() -> u64 {
    5_000_000_000
}

fn drift_limit_ppm() -> f64 {
    50.0
}

/// How two monotonic clocks stood to each other at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClockReading {
    /// The moment, by CLOCK_MONOTONIC of the machine that asked.
    pub at_ns: u64,
    /// CLOCK_MONOTONIC of the machine that answered minus that of the one that asked.
    pub offset_ns: i64,
    /// The offset is wrong by this at most, whatever the way there and back took: half the round trip, and
    /// what the clocks may drift in it.
    pub bound_ns: u64,
    /// The shortest round trip, without the time in the engine that answered.
    pub round_trip_ns: u64,
    /// The median one.
    pub median_round_trip_ns: u64,
    /// CLOCK_BOOTTIME minus CLOCK_MONOTONIC of the machine that asked: it grows when the machine is suspended.
    pub suspended_ns: i64,
    /// The same of the machine that answered.
    pub peer_suspended_ns: i64,
}

/// A moment by two clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockMoment {
    /// As the job has it.
    pub own_ns: u64,
    /// By CLOCK_MONOTONIC of the machine that answered.
    pub peer_ns: i64,
    /// How wrong `peer_ns` is at most.
    pub bound_ns: u64,
}

/// What an exchange found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeClockResult {
    /// 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// The engine that asked.
    pub engine: Engine,
    /// How the clocks stand to each other.
    pub reading: ClockReading,
    /// Requests that were sent.
    pub requests: u32,
    /// Those that were answered in time.
    pub answers: u32,
    /// Datagrams that were not the answer waited for: late, sent twice, of another key, or garbage.
    pub ignored: u64,
    /// How fast the other clock gained on this one from the earlier reading to this one, in millionths; null without
    /// an earlier one.
    pub drift_ppm: Option<f64>,
    /// The job's moments by the other clock.
    pub moments: Vec<ClockMoment>,
}

/// Why an engine no longer serves its clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServeClockEnded {
    /// The job's time limit.
    TimeLimit,
    /// The job's limit of replies.
    ReplyLimit,
    /// An order, SIGINT, SIGTERM, or a reader that went away.
    Stopped,
}

/// What an engine that served its clock has seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServeClockResult {
    /// 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// The engine that answered.
    pub engine: Engine,
    /// Why it ended.
    pub ended: ServeClockEnded,
    /// Requests that were answered.
    pub replies: u64,
    /// Datagrams without an answer: of another key or size, or garbage.
    pub refused: u64,
    /// Requests without an answer, since they had been answered before.
    pub repeated: u64,
}
