//! Blocks and terminal sessions are read and compared as `blocks.rs` and `session.rs` say.

use std::path::Path;

use book_tests::blocks::{Block, blocks};
use book_tests::session::{line_matches, matches, run, steps};

#[test]
fn blocks_have_their_language_and_their_place() {
    let page = "a\n```rust\nlet x = 1;\n```\nb\n```console\n$ ls\n\nfile\n```\n";
    assert_eq!(
        blocks(page),
        [
            Block { language: "rust", line: 3, lines: vec!["let x = 1;"] },
            Block { language: "console", line: 7, lines: vec!["$ ls", "", "file"] },
        ]
    );
}

fn session(page: &str) -> Result<(), String> {
    for block in blocks(page) {
        for step in steps(&block)? {
            run(&step, &std::env::temp_dir(), Path::new("/nowhere"))?;
        }
    }
    Ok(())
}

#[test]
fn output_is_compared_where_it_is_shown() {
    assert_eq!(session("```console\n$ echo a; echo b >&2\na\nb\n$ echo c\n```"), Ok(()));
    let error = session("```console\n$ echo a\nb\n```").unwrap_err();
    assert!(error.contains("$ echo a\nprints\na\n"), "{error}");
    assert!(session("```console\n$ echo a\na\nb\n```").is_err());
    assert!(session("```console\n$ printf 'a\\nb\\n'\na\n```").is_err());
}

#[test]
fn the_status_is_the_one_stated() {
    assert!(session("```console\n$ exit 2\n```").unwrap_err().contains("exits 2, not 0"));
    assert_eq!(session("```console\n$ exit 2  # exits 2\n```"), Ok(()));
    assert!(session("```console\n$ true # exits 2\n```").is_err());
    assert!(session("```console\n$ true # exits two\n```").is_err());
    assert!(session("```console\nlost\n$ true\n```").is_err());
}

#[test]
fn commands_may_span_lines() {
    let page = "```console\n$ cat <<END\n> 1 2\n> 3 4\n> END\n1 2\n3 4\n```";
    assert_eq!(session(page), Ok(()));
}

#[test]
fn dots_stand_for_text_and_for_lines() {
    assert!(line_matches("a … c…", "a b c d"));
    assert!(line_matches("…", ""));
    assert!(!line_matches("a … d", "a b c"));
    assert!(matches(&["a", "…", "d"], &["a", "b", "c", "d"]));
    assert!(matches(&["a", "…"], &["a"]));
    assert!(!matches(&["…", "b"], &["a", "b", "c"]));
}
