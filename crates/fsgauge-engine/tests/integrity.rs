//! What worker processes write is read back as what threads write: all parties agree on the tags.

use serde_json::json;

use crate::support::{last_event, run};

const BLOCKS: u64 = 64;

#[test]
fn what_processes_write_is_found_again() {
    for descriptors in ["own", "shared"] {
        for ranges in [json!({"kind": "shared"}), json!({"kind": "interleaved"})] {
            let directory = tempfile::tempdir().unwrap();
            let job = json!({
                "format": 1, "kind": "load", "interface": "psync", "direct": false, "seed": 7,
                "access": {"kind": "random"}, "read_percent": 0, "queue_depth": 1, "jobs": 3,
                "block_sizes": [{"size_bytes": 8192, "weight": 1}], "duration_ns": 60_000_000_000u64,
                "target": {"kind": "file", "path": directory.path().join("data"), "size_bytes": BLOCKS * 8192},
                "workers": "processes", "descriptors": descriptors, "ranges": ranges, "passes": 2,
                "verify": true,
            });
            let last = last_event(&run(&job.to_string()).stdout);
            let found = &last["result"]["integrity"];
            assert_eq!(found["checked_blocks"], BLOCKS, "{last}");
            for fault in ["corrupt", "torn", "foreign", "stale", "lost"] {
                assert_eq!(found[format!("{fault}_blocks")], 0, "{found}");
            }
        }
    }
}
