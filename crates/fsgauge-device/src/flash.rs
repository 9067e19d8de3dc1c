//! Flash. What lies where on it is not told to anybody, so extents alone cannot say what it takes: this is a range. At best
//! requests are split where extents end, and no more; at worst pieces that belong together lie on the same dies. One
//! request waits its latency and its transfer: only requests that are in flight together wait together.

use crate::Time;
use crate::model::Model;
use crate::visits::{Pattern, Piece, Stream, visit};

/// A model's numbers, ready to reckon with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flash {
    rate: f64,
    requests_per_second: f64,
    request_latency_ns: f64,
    lost_share: f64,
    pieces_of_loss_bytes: f64,
}

impl Flash {
    pub(crate) fn of(model: &Model) -> Self {
        Flash {
            rate: model.number("rate"),
            requests_per_second: model.number("requests_per_second"),
            request_latency_ns: model.number("request_latency"),
            lost_share: model.number("lost_to_dies") / 100.0,
            pieces_of_loss_bytes: model.number("pieces_of_loss"),
        }
    }

    pub(crate) fn time(&self, streams: &[Stream], pattern: Pattern) -> Time {
        let (mut size_bytes, mut pieces) = (0u64, 0u64);
        let mut end: Option<u64> = None;
        let (request_bytes, window) = (pattern.request_bytes.unwrap_or(1), pattern.window.unwrap_or(1));
        let requests = visit(streams, request_bytes, window, |piece: Piece| {
            pieces += u64::from(end != Some(piece.start_bytes));
            end = Some(piece.start_bytes + piece.length_bytes);
            size_bytes += piece.length_bytes;
        });
        if size_bytes == 0 {
            return Time { size_bytes, requests, pieces, fastest_ns: 0.0, slowest_ns: 0.0 };
        }
        let in_flight = window.min(requests).max(1);
        // In one piece nothing is misplaced.
        let misplaced = (pieces - 1) as f64 * self.pieces_of_loss_bytes / size_bytes as f64;
        let kept_share = 1.0 - self.lost_share * misplaced.min(1.0);
        let within = |share| self.time_ns(size_bytes, pieces, requests, in_flight, share);
        Time { size_bytes, requests, pieces, fastest_ns: within(1.0), slowest_ns: within(kept_share) }
    }

    /// The longest of what the path lets through, what the device answers in a second, and what the requests wait for
    /// their answers, `in_flight` at a time. Dies that are lost slow the first two and each transfer, not the latency.
    fn time_ns(&self, size_bytes: u64, pieces: u64, requests: u64, in_flight: u64, kept_share: f64) -> f64 {
        let moved_ns = size_bytes as f64 / (self.rate * kept_share) * 1e9;
        let answered_ns = pieces.max(requests) as f64 / (self.requests_per_second * kept_share) * 1e9;
        let waited_ns = (requests as f64 * self.request_latency_ns + moved_ns) / in_flight as f64;
        moved_ns.max(answered_ns).max(waited_ns)
    }
}

#[cfg(test)]
mod tests {
    use fsgauge_wire::SimulatedDevice;

    use super::*;

    fn time(pieces: u64) -> Time {
        let model = Model::of(&SimulatedDevice { model: "ssd-sata".into(), changes: Default::default() });
        let length_bytes = (160 << 20) / pieces;
        let piece = |at| Piece { start_bytes: at * (1 << 30), length_bytes };
        let streams = [Stream { files: vec![(0..pieces).map(piece).collect()] }];
        model.unwrap().time(&streams, Pattern::default())
    }

    #[test]
    fn a_file_in_many_pieces_has_a_range() {
        let whole = time(1);
        assert_eq!(whole.fastest_ns, whole.slowest_ns);
        let split = time(10_240);
        assert_eq!(split.fastest_ns, whole.fastest_ns, "its requests are not what limits it");
        let lost = 1.0 - split.fastest_ns / split.slowest_ns;
        assert!((0.39..=0.40).contains(&lost), "{lost}");
        let half = time(5_120);
        assert!((half.fastest_ns..split.slowest_ns).contains(&half.slowest_ns));
    }

    #[test]
    fn very_many_small_pieces_are_limited_by_requests() {
        let small = time(40_960);
        assert!(small.fastest_ns > 1.5 * time(1).fastest_ns, "{small:?}");
    }

    /// 1,000 files of this size, one request each, so many in flight: nanoseconds a request.
    fn time_of_one_ns(length_bytes: u64, in_flight: u64, changes: &[(&str, f64)]) -> f64 {
        let changes = changes
            .iter()
            .map(|&(name, value)| fsgauge_wire::DeviceChange { name: name.into(), value })
            .collect();
        let model = Model::of(&SimulatedDevice { model: "ssd-sata".into(), changes }).unwrap();
        let file = |at: u64| vec![Piece { start_bytes: at * (1 << 30), length_bytes }];
        let streams = [Stream { files: (0..1_000).map(file).collect() }];
        let pattern = Pattern { window: Some(in_flight), ..Pattern::default() };
        model.time(&streams, pattern).fastest_ns / 1e3
    }

    /// One reader was as fast as a full queue: 65,405 files of 4 KiB took it 743 ms.
    #[test]
    fn one_reader_waits_for_each_answer() {
        let one = time_of_one_ns(4 << 10, 1, &[]);
        assert!((8_000.0..12_000.0).contains(&(1e9 / one)), "{one}");
        let two = time_of_one_ns(4 << 10, 2, &[]);
        assert!((two - one / 2.0).abs() < 1e-6, "{two}");
        for depth in [32, 64] {
            let full = time_of_one_ns(4 << 10, depth, &[]);
            assert!((full - 1e9 / 90_000.0).abs() < 1e-3, "{full}");
        }
    }

    #[test]
    fn a_large_request_takes_its_latency_and_its_transfer() {
        let transfer = (512 << 10) as f64 / 560e6 * 1e9;
        assert!((time_of_one_ns(512 << 10, 1, &[]) - 90_000.0 - transfer).abs() < 1e-3);
        assert!((time_of_one_ns(512 << 10, 2, &[]) - transfer).abs() < 1e-3);
        assert!((time_of_one_ns(512 << 10, 1, &[("request_latency", 0.0)]) - transfer).abs() < 1e-3);
    }

    #[test]
    fn a_lone_request_waits_whatever_the_queue_holds() {
        let model = Model::of(&SimulatedDevice { model: "ssd-sata".into(), changes: Default::default() });
        let file = vec![Piece { start_bytes: 0, length_bytes: 4096 }];
        let time = model.unwrap().time(&[Stream { files: vec![file] }], Pattern::default());
        assert!((90_000.0..100_000.0).contains(&time.fastest_ns), "{time:?}");
    }

    /// Requests that come one by one do not meet on a die: only the transfers are slower.
    #[test]
    fn dies_do_not_make_the_latency_longer() {
        let model = Model::of(&SimulatedDevice { model: "ssd-sata".into(), changes: Default::default() });
        let file = |at: u64| vec![Piece { start_bytes: at * (1 << 30), length_bytes: 4096 }];
        let streams = [Stream { files: (0..1_000).map(file).collect() }];
        let one = Pattern { window: Some(1), ..Pattern::default() };
        let time = model.unwrap().time(&streams, one);
        let more_ns = time.slowest_ns - time.fastest_ns;
        let transfers_ns = 1e3 * 4096.0 / 560e6 * 1e9;
        assert!((more_ns - transfers_ns * (1.0 / 0.6 - 1.0)).abs() < 1.0, "{time:?}");
    }
}
