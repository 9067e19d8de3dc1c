//! Paths in messages: no character of a name moves the cursor, and a command can be copied as it stands.

use std::path::Path;

/// The path, with control characters as in "\n".
pub(crate) fn shown(path: &Path) -> String {
    let mut text = String::new();
    for letter in path.display().to_string().chars() {
        if letter.is_control() { text.extend(letter.escape_default()) } else { text.push(letter) }
    }
    text
}

/// The path as a word of a shell's command.
pub(crate) fn quoted(path: &Path) -> String {
    let text = shown(path);
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+:@%=,".contains(letter);
    if text.len() != path.as_os_str().len() {
        return format!("$'{}'", text.replace('\'', "\\'"));
    }
    if !text.is_empty() && text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_words_of_commands_quoted() {
        assert_eq!(shown(Path::new("/a\nb\x1b[2J")), "/a\\nb\\u{1b}[2J");
        let cases =
            [("/dev/sda1", "/dev/sda1"), ("/a b", "'/a b'"), ("it's", "'it'\\''s'"), ("a\nb", "$'a\\nb'")];
        cases.iter().for_each(|(path, word)| assert_eq!(&quoted(Path::new(path)), word));
    }
}
