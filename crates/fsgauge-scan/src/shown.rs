//! Paths in messages: no character of a name moves the cursor, and a command can be copied as it stands. Sizes, as
//! people say them.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The path, with control characters as in "\n" and "\x1b".
pub(crate) fn shown(path: &Path) -> String {
    let mut text = String::new();
    path.display().to_string().chars().for_each(|letter| push(&mut text, letter));
    text
}

/// As bash's `$'...'` reads it.
fn push(text: &mut String, letter: char) {
    match letter {
        '\n' | '\r' | '\t' => text.extend(letter.escape_default()),
        _ if letter.is_ascii_control() => text.push_str(&format!("\\x{:02x}", u32::from(letter))),
        _ if letter.is_control() => text.push_str(&format!("\\u{:04x}", u32::from(letter))),
        _ => text.push(letter),
    }
}

/// The path as a word of a shell's command.
pub(crate) fn quoted(path: &Path) -> String {
    let text = shown(path);
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+:@%=,".contains(letter);
    if text.as_bytes() != path.as_os_str().as_bytes() {
        return format!("$'{}'", in_bash(path.as_os_str().as_bytes()));
    }
    if !text.is_empty() && text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// "758 KiB", "1.5 GiB", "512 B": three digits, as the lab writes sizes.
pub(crate) fn size_words(size_bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    let (mut size, mut unit) = (size_bytes as f64, "B");
    for larger in units {
        if size < 1023.5 {
            break;
        }
        (size, unit) = (size / 1024.0, larger);
    }
    let decimals = if size < 9.995 { 2 } else { usize::from(size < 99.95) };
    let digits = format!("{size:.decimals$}");
    let digits =
        if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    format!("{digits} {unit}")
}

/// Every byte of a name, those of no text too.
fn in_bash(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if "\\'".contains(letter) {
                text.push('\\');
            }
            push(&mut text, letter);
        }
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::process::Command;

    use super::*;

    #[test]
    fn names_are_escaped_and_words_of_commands_quoted() {
        assert_eq!(shown(Path::new("/a\nb\x1b[2J")), "/a\\nb\\x1b[2J");
        let cases =
            [("/dev/sda1", "/dev/sda1"), ("/a b", "'/a b'"), ("it's", "'it'\\''s'"), ("a\nb", "$'a\\nb'")];
        cases.iter().for_each(|(path, word)| assert_eq!(&quoted(Path::new(path)), word));
    }

    #[test]
    fn sizes_have_three_digits_and_a_unit() {
        let cases = [
            (0, "0 B"),
            (1000, "1000 B"),
            (1024, "1 KiB"),
            (776_192, "758 KiB"),
            ((1 << 20) - 1, "1 MiB"),
            (1_610_612_736, "1.5 GiB"),
            (100 << 30, "100 GiB"),
            (10_469 << 10, "10.2 MiB"),
        ];
        cases.iter().for_each(|&(size_bytes, words)| assert_eq!(size_words(size_bytes), words));
    }

    #[test]
    fn a_shell_reads_every_name_as_it_is() {
        let names: [&[u8]; 6] = [
            b"a\x1b[31m",
            b"a\\b\n'c",
            b"\xff\xfe.img",
            "\u{9b}2J \u{e4}".as_bytes(),
            b"a\\b c",
            b"\x7f\x01",
        ];
        for name in names {
            let said = Command::new("bash")
                .env("LC_ALL", "C.UTF-8")
                .args(["-c", &format!("printf %s {}", quoted(Path::new(OsStr::from_bytes(name))))])
                .output()
                .unwrap();
            assert_eq!(said.stdout, name, "{}", String::from_utf8_lossy(&said.stderr));
        }
    }
}
