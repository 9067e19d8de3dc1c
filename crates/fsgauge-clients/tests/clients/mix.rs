//! A mix leaves only whole files.

use super::jobs::*;
use fsgauge_wire::{
    Activity, ClientErrorKind, ClientOperation, ClientsInterface, ClientsJob, Dispatch, Ended, FileSet,
    Phase, Tree, WeightedActivity,
};
use std::path::Path;
use std::path::PathBuf;

pub(crate) fn mix() -> Phase {
    let weighted = |activity, weight| WeightedActivity { activity, weight };
    Phase::Mix {
        activities: vec![
            weighted(Activity::Read, 5),
            weighted(Activity::Create, 3),
            weighted(Activity::Save, 2),
            weighted(Activity::Delete, 3),
            weighted(Activity::Stat, 3),
            weighted(Activity::List, 1),
        ],
    }
}

#[test]
fn a_mix_leaves_only_whole_files() {
    let carried = [
        (1, Dispatch::EventLoop, ClientsInterface::Auto),
        (4, Dispatch::EventLoop, ClientsInterface::IoUring),
        (1, Dispatch::Threads, ClientsInterface::Auto),
    ];
    for (outstanding, dispatch, interface) in carried {
        for tree_kind in [Tree::Own {}, Tree::Shared { depth: 1, fan_out: 4 }] {
            let plain = job(Path::new(""), WRITE);
            let files = FileSet { tree: tree_kind, ..plain.files.clone() };
            let directory = written(&ClientsJob { files: files.clone(), ..plain });
            let time_limit_ns = 300_000_000;
            let threads = (dispatch == Dispatch::EventLoop).then_some(2);
            let mixed = ClientsJob {
                outstanding,
                dispatch,
                threads,
                interface,
                files: files.clone(),
                time_limit_ns,
                ..job(directory.path(), mix())
            };
            let result = run(&mixed).unwrap();
            assert_sound(&result);
            let of = clients(&result);
            // What was asked for by then counts until it is answered.
            assert!(result.ended == Ended::Duration && result.elapsed_ns >= time_limit_ns);
            assert_eq!(result.drain.unwrap().unanswered, 0);
            assert_eq!((of.errors.as_slice(), of.bad_records, of.files_given_up), (&[][..], 0, 0));
            assert!(of.checked_records > 0 && of.first_done_ns.is_none());
            for operation in [
                ClientOperation::Create,
                ClientOperation::Open,
                ClientOperation::Read,
                ClientOperation::Write,
                ClientOperation::Rename,
                ClientOperation::Unlink,
                ClientOperation::Stat,
                ClientOperation::List,
            ] {
                assert!(count(&result, operation) > 0, "{operation:?}");
            }
            // Read the set, and all that was made beyond it: as many as the highest number asks for.
            assert_whole(&run(&ClientsJob { files: files.clone(), ..job(directory.path(), READ) }).unwrap());
            let left = tree(directory.path());
            let number = |path: &PathBuf| -> u32 {
                let name = path.file_name().unwrap().to_str().unwrap();
                name.split_once("-f").unwrap().1.parse().unwrap()
            };
            assert!(left.keys().all(|path| path.extension().is_none()), "{left:?}");
            let highest = left.keys().map(number).max().unwrap();
            assert!(left.len() >= 60 && highest >= 6, "{} files, {highest}", left.len());
            let made = count(&result, ClientOperation::Create);
            assert!(left.len() as u64 <= 60 + made, "{} files, {made} made", left.len());
            if matches!(tree_kind, Tree::Own {}) {
                let all = FileSet { files_per_client: highest + 1, ..files };
                let result = run(&ClientsJob { files: all, ..job(directory.path(), READ) }).unwrap();
                let of = clients(&result);
                assert_eq!(of.bad_records, 0);
                assert!(of.errors.iter().all(|error| error.kind == ClientErrorKind::Missing));
            }
        }
    }
}
