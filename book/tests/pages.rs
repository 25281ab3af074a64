//! The book hangs together: its summary names every chapter, links lead somewhere, and every code
//! block is of a kind that the tests run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use book_tests::{CHAPTERS, blocks::blocks};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src")
}

fn read(name: &str) -> String {
    fs::read_to_string(source().join(name)).expect("pages are readable")
}

/// The pages of the book, without its summary.
fn pages() -> BTreeSet<String> {
    let files = fs::read_dir(source()).expect("the book has a folder");
    let names = files.map(|file| file.expect("it can be listed").file_name().into_string());
    let names = names.map(|name| name.expect("names are text"));
    names
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "md"))
        .filter(|name| name != "SUMMARY.md")
        .collect()
}

/// The targets of all `[text](target)` links outside code.
fn links(page: &str) -> Vec<String> {
    let mut code = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        if !code {
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            found.extend(targets.map(str::to_owned));
        }
    }
    found
}

#[test]
fn the_summary_names_every_chapter_once() {
    let summary = links(&read("SUMMARY.md"));
    let named: BTreeSet<_> = summary.iter().map(|link| link.trim_start_matches("./")).collect();
    assert_eq!(named.len(), summary.len(), "a chapter is named twice");
    let pages = pages();
    assert_eq!(named, pages.iter().map(String::as_str).collect());
    let tested: BTreeSet<_> = CHAPTERS.iter().map(|name| format!("{name}.md")).collect();
    assert_eq!(tested, pages, "book/tests/lib.rs lists the chapters to test");
}

#[test]
fn links_lead_to_files_that_exist() {
    for page in pages() {
        for link in links(&read(&page)) {
            let file = link.split('#').next().unwrap_or_default();
            if file.is_empty() || file.contains("://") {
                continue;
            }
            assert!(source().join(file).exists(), "{page}: {link} leads nowhere");
        }
    }
}

#[test]
fn every_block_is_run_or_plainly_not_code() {
    for page in pages() {
        for block in blocks(&read(&page)) {
            // `rust,ignore` and `no_run` are not here: what the book shows, runs.
            let known = ["rust", "rust,should_panic", "console", "text"];
            let (language, line) = (block.language, block.line - 1);
            assert!(
                known.contains(&language),
                "{page}:{line}: a block of '{language}', not of {known:?}"
            );
        }
    }
}
