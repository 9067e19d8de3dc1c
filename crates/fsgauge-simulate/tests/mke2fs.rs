//! What the model takes to be in use on an empty ext4 is what mke2fs says. Needs mkfs.ext4 and dumpe2fs, and no root:
//! elsewhere it says so and is skipped.

use std::process::Command;

use fsgauge_simulate::geometry;

const MIB: u64 = 1 << 20;

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

#[test]
fn an_empty_file_system_is_as_mke2fs_makes_it() {
    for size_bytes in [300 * MIB, 2048 * MIB, 10 << 30, 100 << 30, (2 << 40) - 77 * MIB] {
        let image = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        image.as_file().set_len(size_bytes).unwrap();
        let path = image.path().to_str().unwrap();
        let lazy = "lazy_itable_init=1,lazy_journal_init=1,nodiscard";
        let Some(_) = run("mkfs.ext4", &["-q", "-b", "4096", "-E", lazy, path]) else {
            eprintln!("skipped: mkfs.ext4 is not installed");
            return;
        };
        let dump = run("dumpe2fs", &[path]).unwrap();
        let of = |name: &str| {
            let line = dump.lines().find_map(|line| line.strip_prefix(name));
            numbers(line.unwrap_or_else(|| panic!("{name}")))[0]
        };
        let mut free = Vec::new();
        for ranges in dump.lines().filter_map(|line| line.strip_prefix("  Free blocks: ")) {
            for range in ranges.split(", ").filter(|range| !range.is_empty()) {
                let ends = numbers(range);
                free.push((ends[0], ends[ends.len() - 1] + 1));
            }
        }
        let made = geometry(size_bytes, [0; 4]);
        let named = format!("{} MiB", size_bytes / MIB);
        assert_eq!(made.blocks, of("Block count:"), "{named}");
        assert_eq!(u64::from(made.inodes_per_group), of("Inodes per group:"), "{named}");
        let found: Vec<_> = made.free.iter().map(|run| (run.start, run.end())).collect();
        let differ = found.iter().zip(&free).position(|(model, tool)| model != tool);
        assert_eq!(differ, None, "{named}: {:?}", differ.map(|at| (found[at], free[at])));
        assert_eq!(found.len(), free.len(), "{named}");
    }
}
