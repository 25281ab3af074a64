//! Runs the `console` blocks of the book and the README: the commands of a page one after the other in a
//! folder of their own, with the `pliant` that was built from this source.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use book_tests::{CHAPTERS, blocks, session};

/// The folder of the `pliant` to run: the one that `PLIANT_BIN` names, or else one built beside
/// this test.
fn programs() -> PathBuf {
    if let Some(given) = env::var_os("PLIANT_BIN") {
        return Path::new(&given).parent().expect("PLIANT_BIN is a file").to_path_buf();
    }
    let own = env::current_exe().expect("a test has a path");
    let folder = own.ancestors().nth(2).expect("tests lie in TARGET/PROFILE/deps");
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--package", "pliant-cli", "--target-dir"]);
    build.arg(folder.parent().expect("TARGET")).current_dir(env!("CARGO_MANIFEST_DIR"));
    if folder.ends_with("release") {
        build.arg("--release");
    }
    assert!(build.status().expect("cargo starts").success(), "pliant does not build");
    folder.to_path_buf()
}

/// Runs a page; returns what is wrong with it.
fn page(path: &Path, programs: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("pages are readable");
    let name = path.file_stem().unwrap_or_default();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the last run's folder can go");
    }
    fs::create_dir_all(&folder).expect("a folder can be made");
    let mut wrong = Vec::new();
    for block in blocks::blocks(&text).iter().filter(|block| block.language == "console") {
        match session::steps(block) {
            Err(error) => wrong.push(format!("{}: {error}", path.display())),
            Ok(steps) => wrong.extend(steps.into_iter().filter_map(|mut step| {
                // The README runs from the source: here that `pliant` is built already, and
                // `cargo xtask test` is what runs this. `pliant view` lasts until it is stopped, and has
                // tests in a browser.
                step.command = step.command.replace("cargo run --release -- ", "pliant ");
                if step.command.starts_with("cargo xtask ") || step.command == "pliant view" {
                    return None;
                }
                let error = session::run(&step, &folder, programs).err()?;
                Some(format!("{}:{}: {error}", path.display(), step.line))
            })),
        }
    }
    wrong
}

#[test]
fn commands_do_what_the_pages_show() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    let programs = programs();
    let mut pages: Vec<_> = CHAPTERS.iter().map(|name| book.join(format!("{name}.md"))).collect();
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    pages.extend(readme.exists().then_some(readme));
    let wrong: Vec<_> = pages.iter().flat_map(|path| page(path, &programs)).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
