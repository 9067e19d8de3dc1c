//! What the model takes to be in use on an empty ext4 is what mke2fs says, size by size and option by option. Needs mkfs.ext4 and
//! dumpe2fs, and no root: elsewhere it says so and is skipped.

use std::process::Command;

use fsgauge_simulate::geometry;
use fsgauge_wire::Mke2fs;

const MIB: u64 = 1 << 20;
const LAZY: &str = "lazy_itable_init=1,lazy_journal_init=1,nodiscard";

/// The output of a tool; none where it is not installed.
fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let places = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
    let output = Command::new(program).args(arguments).env("PATH", places).output().ok()?;
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

fn numbers(text: &str) -> Vec<u64> {
    let parts = text.split(|letter: char| !letter.is_ascii_digit());
    parts.filter(|part| !part.is_empty()).map(|part| part.parse().unwrap()).collect()
}

/// Free blocks, those of groups, inodes and root's, as the tool and the model say. False where it is skipped.
fn is_compared(size_bytes: u64, options: &[&str], block_bytes: u32, told: &Mke2fs) -> bool {
    let image = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    image.as_file().set_len(size_bytes).unwrap();
    let path = image.path().to_str().unwrap();
    let Some(_) = run("mkfs.ext4", &[&["-q", "-E", LAZY], options, &[path]].concat()) else {
        eprintln!("skipped: mkfs.ext4 is not installed");
        return false;
    };
    let dump = run("dumpe2fs", &[path]).unwrap();
    let of = |name: &str| {
        let line = dump.lines().find_map(|line| line.strip_prefix(name));
        numbers(line.unwrap_or_else(|| panic!("{name}")))[0]
    };
    let named = format!("{} MiB, {options:?}", size_bytes / MIB);
    assert_eq!(u64::from(block_bytes), of("Block size:"), "{named}");
    let made = geometry(size_bytes, block_bytes, told, [0; 4]).unwrap().unwrap();
    let first = made.first_block();
    assert_eq!(made.blocks + first, of("Block count:"), "{named}");
    assert_eq!(u64::from(made.inodes_per_group), of("Inodes per group:"), "{named}");
    assert_eq!(made.root_blocks, of("Reserved block count:"), "{named}");
    let mut free = Vec::new();
    for ranges in dump.lines().filter_map(|line| line.strip_prefix("  Free blocks: ")) {
        for range in ranges.split(", ").filter(|range| !range.is_empty()) {
            let ends = numbers(range);
            free.push((ends[0], ends[ends.len() - 1] + 1));
        }
    }
    let found: Vec<_> = made.free.iter().map(|run| (run.start + first, run.end() + first)).collect();
    let differ = found.iter().zip(&free).position(|(model, tool)| model != tool);
    assert_eq!(differ, None, "{named}: {:?}", differ.map(|at| (found[at], free[at])));
    assert_eq!(found.len(), free.len(), "{named}");
    true
}

/// What mke2fs is told where a study says nothing.
fn usual() -> Mke2fs {
    Mke2fs { reserved_percent: 5.0, ..Mke2fs::default() }
}

#[test]
fn an_empty_file_system_is_as_mke2fs_makes_it() {
    let small = [16, 17, 40, 64, 100, 128, 200, 300, 400, 511].map(|mib| (mib * MIB, 1024));
    let large = [512, 513, 1024, 2048, 4096, 10 << 10, 100 << 10, 1 << 20].map(|mib| (mib * MIB, 4096));
    for (size_bytes, block_bytes) in small.into_iter().chain(large).chain([((2 << 40) - 77 * MIB, 4096)]) {
        if !is_compared(size_bytes, &[], block_bytes, &usual()) {
            return;
        }
    }
}

#[test]
fn what_mke2fs_is_told_counts() {
    let with = |change: fn(&mut Mke2fs)| {
        let mut told = usual();
        change(&mut told);
        told
    };
    let cases: &[(&[&str], u32, Mke2fs)] = &[
        (&["-b", "4096"], 4096, usual()),
        (&["-b", "2048"], 2048, usual()),
        (&["-b", "1024"], 1024, usual()),
        (&["-b", "4096", "-m", "0"], 4096, with(|told| told.reserved_percent = 0.0)),
        (&["-b", "4096", "-m", "0.7"], 4096, with(|told| told.reserved_percent = 0.7)),
        (&["-b", "4096", "-i", "65536"], 4096, with(|told| told.bytes_per_inode = Some(65536))),
        (&["-b", "4096", "-N", "5000"], 4096, with(|told| told.inodes = Some(5000))),
        (&["-b", "1024", "-N", "77777"], 1024, with(|told| told.inodes = Some(77777))),
        (&["-b", "4096", "-I", "512"], 4096, with(|told| told.inode_size_bytes = 512)),
        (&["-b", "4096", "-J", "size=32"], 4096, with(|told| told.journal_size_bytes = Some(32 * MIB))),
        (&["-b", "1024", "-J", "size=10"], 1024, with(|told| told.journal_size_bytes = Some(10 * MIB))),
        (&["-b", "4096", "-O", "^has_journal"], 4096, with(|told| told.journal_size_bytes = Some(0))),
        (&["-b", "4096", "-O", "^64bit"], 4096, with(|told| told.has_64bit = false)),
        (&["-b", "4096", "-O", "^resize_inode"], 4096, with(|told| told.resize_inode = false)),
        (
            &["-b", "1024", "-O", "^resize_inode,^64bit"],
            1024,
            with(|told| {
                (told.resize_inode, told.has_64bit) = (false, false);
            }),
        ),
    ];
    for (options, block_bytes, told) in cases {
        for size_bytes in [150 * MIB, 700 * MIB, 5 << 30] {
            if !is_compared(size_bytes, options, *block_bytes, told) {
                return;
            }
        }
    }
}
