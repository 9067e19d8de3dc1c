//! Flash. What lies where on it is not told to anybody, so extents alone cannot say what it takes: this is a range. At best
//! requests are split where extents end, and no more; at worst pieces that belong together lie on the same dies.

use crate::Time;
use crate::model::Model;
use crate::visits::{Pattern, Piece, Stream, visit};

/// A model's numbers, ready to reckon with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flash {
    rate: f64,
    requests_per_second: f64,
    lost_share: f64,
    pieces_of_loss_bytes: f64,
}

impl Flash {
    pub(crate) fn of(model: &Model) -> Self {
        Flash {
            rate: model.number("rate"),
            requests_per_second: model.number("requests_per_second"),
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
        let moved_ns = size_bytes as f64 / self.rate * 1e9;
        let fastest_ns = moved_ns.max(pieces.max(requests) as f64 / self.requests_per_second * 1e9);
        // In one piece nothing is misplaced.
        let misplaced = (pieces - 1) as f64 * self.pieces_of_loss_bytes / size_bytes as f64;
        let slowest_ns = fastest_ns / (1.0 - self.lost_share * misplaced.min(1.0));
        Time { size_bytes, requests, pieces, fastest_ns, slowest_ns }
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
}
