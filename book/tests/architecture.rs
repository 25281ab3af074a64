//! `ARCHITECTURE.md` is true: its table has every crate with the crates it uses, its list of files with `unsafe`
//! code is the one in the sources, and the paths it names exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the document is readable")
}

/// Texts between backticks, outside of drawings.
fn quoted(text: &str) -> Vec<&str> {
    let outside = text.split("```").step_by(2);
    outside.flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

/// Folders of the packages of the workspace.
fn packages() -> BTreeSet<String> {
    let mut found = BTreeSet::from(["xtask".to_owned()]);
    for group in ["crates", "apps"] {
        for entry in fs::read_dir(root().join(group)).expect("the folder can be listed") {
            let path = entry.expect("it can be listed").path();
            if path.join("Cargo.toml").is_file() {
                let name = path.file_name().and_then(|name| name.to_str()).expect("names are text");
                found.insert(format!("{group}/{name}"));
            }
        }
    }
    found
}

/// Crates of the workspace that a package depends on, tests apart.
fn dependencies(package: &str) -> BTreeSet<String> {
    let manifest = root().join(package).join("Cargo.toml");
    let manifest = fs::read_to_string(manifest).expect("manifests are readable");
    let after = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    let section = after.split("\n[").next().unwrap_or_default();
    let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    let ours = names.filter(|name| name.starts_with("pliant"));
    ours.map(|name| name.trim_start_matches("pliant-").to_owned()).collect()
}

#[test]
fn the_table_has_every_crate_with_what_it_uses() {
    let text = document();
    let mut table = BTreeMap::new();
    for row in text.lines() {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, folder, _, uses, _] = cells[..] else { continue };
        let Some(folder) = folder.strip_prefix('`').and_then(|f| f.strip_suffix("/`")) else {
            continue;
        };
        let uses = uses.split(", ").filter(|name| *name != "nothing").map(str::to_owned);
        table.insert(folder.to_owned(), uses.collect::<BTreeSet<_>>());
    }
    let true_table: BTreeMap<_, _> =
        packages().into_iter().map(|package| (package.clone(), dependencies(&package))).collect();
    assert_eq!(
        table, true_table,
        "the table of crates in ARCHITECTURE.md (left) is not the workspace"
    );
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn the_list_of_unsafe_files_is_complete() {
    let text = document();
    let section = text.split("## Unsafe code").nth(1).expect("there is a section on unsafe code");
    let section = section.split("\n## ").next().unwrap_or_default();
    let listed: BTreeSet<String> = quoted(section)
        .into_iter()
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "rs"))
        .map(str::to_owned)
        .collect();
    let mut files = Vec::new();
    for package in packages() {
        rust_files(&root().join(package).join("src"), &mut files);
    }
    let root = root();
    let unsafe_files: BTreeSet<String> = files
        .into_iter()
        .filter(|file| {
            let source = fs::read_to_string(file).expect("sources are readable");
            source.contains("allow(unsafe_code)")
        })
        .map(|file| file.strip_prefix(&root).expect("it is inside").to_string_lossy().into_owned())
        .collect();
    assert_eq!(
        listed, unsafe_files,
        "the list in ARCHITECTURE.md (left) is not that of the sources"
    );
}

#[test]
fn paths_that_the_document_names_exist() {
    for name in quoted(&document()) {
        let is_path = name.contains('/') && !name.contains([' ', '…', '*', '<']);
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
        if is_path && (name.ends_with('/') || matches!(extension, Some("rs" | "md"))) {
            assert!(
                root().join(name).exists(),
                "ARCHITECTURE.md names '{name}', which does not exist"
            );
        }
    }
}

#[test]
fn no_source_file_is_longer_than_500_lines() {
    let mut files = Vec::new();
    for package in packages() {
        rust_files(&root().join(package), &mut files);
    }
    let long: Vec<String> = files
        .iter()
        .map(|file| (file, fs::read_to_string(file).map_or(0, |text| text.lines().count())))
        .filter(|(_, lines)| *lines > 500)
        .map(|(file, lines)| format!("{} has {lines}", file.display()))
        .collect();
    assert!(long.is_empty(), "a file that needs a table of contents is two files: {long:#?}");
}
