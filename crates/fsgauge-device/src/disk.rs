//! A disk with heads, or several that share each transfer in whole stripes.
//!
//! Seek curve: the root of the distance up to a third of all tracks, a line beyond (Ruemmler and Wilkes, "An introduction
//! to disk drive modeling", IEEE Computer 27/3, 1994, give the form). Transfer: constant density, so the rate falls with the
//! radius. Small gaps ahead are read through. The smaller of the disks' rate and what the path lets through counts, softly:
//! (media^-p + path^-p)^(-1/p). The head has no other work: journal, metadata and parity of part stripes are not in it.

use crate::Time;
use crate::model::Model;
use crate::visits::{Pattern, Piece, Stream, visit};

/// A model's numbers, ready to reckon with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ZonedDisk {
    /// Bytes per second of one disk where the files are.
    rate: f64,
    data_disks: f64,
    cylinders: f64,
    cylinder_bytes: f64,
    seek_single_ns: f64,
    seek_average_ns: f64,
    seek_full_ns: f64,
    /// After each seek.
    wait_ns: f64,
    path_rate: f64,
    sharpness: f64,
}

impl ZonedDisk {
    pub(crate) fn of(model: &Model) -> Self {
        let number = |name| model.number(name);
        let (outer, inner) = (number("outer_rate").powi(2), number("inner_rate").powi(2));
        let turn_ns = 60e9 / number("revolutions_per_minute");
        ZonedDisk {
            rate: (outer - number("position") / 100.0 * (outer - inner)).sqrt(),
            data_disks: number("data_disks"),
            cylinders: number("cylinders"),
            cylinder_bytes: number("cylinder_size"),
            seek_single_ns: number("seek_single"),
            seek_average_ns: number("seek_average"),
            seek_full_ns: number("seek_full"),
            wait_ns: number("rotational_wait") / 100.0 * turn_ns + number("overhead"),
            path_rate: number("path_rate"),
            sharpness: number("sharpness"),
        }
    }

    /// Time to pass so many tracks; 0 still is a new track.
    fn seek_ns(&self, tracks: f64) -> f64 {
        let third = self.cylinders / 3.0;
        if tracks <= third {
            let root = (tracks / third).sqrt();
            return self.seek_single_ns + (self.seek_average_ns - self.seek_single_ns) * root;
        }
        let slope = (self.seek_full_ns - self.seek_average_ns) / (self.cylinders - third);
        self.seek_average_ns + slope * (tracks - third)
    }

    /// Time from the end of one transfer to the start of the next.
    fn positioning_ns(&self, gap_bytes: i128) -> f64 {
        if gap_bytes == 0 {
            return 0.0;
        }
        let own_bytes = gap_bytes.unsigned_abs() as f64 / self.data_disks;
        let moved_ns = self.seek_ns(own_bytes / self.cylinder_bytes) + self.wait_ns;
        if gap_bytes > 0 { moved_ns.min(own_bytes / self.rate * 1e9) } else { moved_ns }
    }

    pub(crate) fn time(&self, streams: &[Stream], pattern: Pattern) -> Time {
        let (mut size_bytes, mut pieces, mut positioning_ns) = (0u64, 0u64, 0.0);
        let mut end: Option<u64> = None;
        let (request_bytes, window) = (pattern.request_bytes.unwrap_or(1), pattern.window.unwrap_or(1));
        let requests = visit(streams, request_bytes, window, |piece: Piece| {
            if let Some(end) = end {
                let gap_bytes = i128::from(piece.start_bytes) - i128::from(end);
                positioning_ns += self.positioning_ns(gap_bytes);
                pieces += u64::from(gap_bytes != 0);
            }
            end = Some(piece.start_bytes + piece.length_bytes);
            size_bytes += piece.length_bytes;
        });
        if size_bytes == 0 {
            return Time { size_bytes, requests, pieces: 0, fastest_ns: 0.0, slowest_ns: 0.0 };
        }
        let moved = size_bytes as f64;
        let elapsed_ns = positioning_ns + moved / (self.data_disks * self.rate) * 1e9;
        let media_rate = moved * 1e9 / elapsed_ns;
        let (slower, faster) = (media_rate.min(self.path_rate), media_rate.max(self.path_rate));
        let rate = slower * (1.0 + (slower / faster).powf(self.sharpness)).powf(-1.0 / self.sharpness);
        let time_ns = moved * 1e9 / rate;
        Time { size_bytes, requests, pieces: pieces + 1, fastest_ns: time_ns, slowest_ns: time_ns }
    }
}

#[cfg(test)]
mod tests {
    use fsgauge_wire::{DeviceChange, SimulatedDevice};

    use super::*;

    fn disk(changes: &[(&str, f64)]) -> Model {
        let changes =
            changes.iter().map(|&(name, value)| DeviceChange { name: name.into(), value }).collect();
        Model::of(&SimulatedDevice { model: "disks-8+2-2012".into(), changes }).unwrap()
    }

    fn one(pieces: &[(u64, u64)]) -> Vec<Stream> {
        let piece = |&(start_bytes, length_bytes): &(u64, u64)| Piece { start_bytes, length_bytes };
        vec![Stream { files: vec![pieces.iter().map(piece).collect()] }]
    }

    #[test]
    fn seeks_meet_the_points_of_their_curve() {
        let found = ZonedDisk::of(&disk(&[]));
        let at = |tracks: f64| found.seek_ns(tracks).round();
        assert_eq!([at(0.0), at(320_800.0 / 3.0), at(320_800.0)], [700_000.0, 8_500_000.0, 16_000_000.0]);
        assert!(found.seek_ns(106_000.0) < found.seek_ns(107_000.0));
    }

    #[test]
    fn a_small_gap_ahead_is_read_through_and_one_behind_never_is() {
        let found = ZonedDisk::of(&disk(&[("outer_rate", 1e8), ("inner_rate", 1e8), ("data_disks", 1.0)]));
        assert_eq!(found.positioning_ns(0), 0.0);
        assert_eq!(found.positioning_ns(100_000).round(), 1_000_000.0);
        assert!(found.positioning_ns(-100_000) > 4_800_000.0);
        assert!(found.positioning_ns(1 << 30) > 4_800_000.0);
    }

    /// Reckoned by hand: one disk of 100 MB/s, a path that limits nothing, 10 MiB in one piece and then in two.
    #[test]
    fn time_is_transfer_and_positioning() {
        let changes = [
            ("outer_rate", 1e8),
            ("inner_rate", 1e8),
            ("data_disks", 1.0),
            ("path_rate", 1e15),
            ("sharpness", 1.0),
            ("window", 1.0),
        ];
        let model = disk(&changes);
        let whole = model.time(&one(&[(0, 10 << 20)]), Pattern::default());
        assert_eq!((whole.pieces, whole.size_bytes), (1, 10 << 20));
        assert!((whole.fastest_ns - 104_857_600.0).abs() < 100.0, "{whole:?}");
        let split = model.time(&one(&[(1 << 40, 5 << 20), (0, 5 << 20)]), Pattern::default());
        assert_eq!(split.pieces, 2);
        assert!(split.fastest_ns - whole.fastest_ns > 4_866_000.0, "{split:?}");
        assert_eq!(split.fastest_ns, split.slowest_ns);
    }

    #[test]
    fn the_path_limits_softly() {
        let time = disk(&[]).time(&one(&[(0, 1 << 30)]), Pattern::default());
        let rate = (1u64 << 30) as f64 * 1e9 / time.fastest_ns;
        // 149 MB/s on each of eight disks is 1.19 GB/s; the path has 625 MB/s.
        assert!((610e6..625e6).contains(&rate), "{rate}");
        assert_eq!(disk(&[]).time(&[], Pattern::default()).fastest_ns, 0.0);
    }
}
