//! `pliant bench solve`, `pliant bench orderings` and `pliant bench tables`.

use crate::common;

use common::{Folder, text};
use serde_json::Value;

/// A folder with a bar of a few tetrahedra.
fn with_bar() -> Folder {
    let folder = Folder::new();
    folder.json("mesh make box --size 3 1 1 --cells 6 2 2 bar.vtu");
    folder
}

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key} of {row}"))
}

#[test]
fn a_system_is_solved_and_the_figures_are_those_scripts_rely_on() {
    let folder = with_bar();
    for solver in [
        "cholesky --ordering metis",
        "ldlt --ordering amd",
        "lu --ordering rcm",
        "cg --preconditioner ic0",
        "cg --preconditioner stale-cholesky --ordering nested-dissection",
        "minres --preconditioner block-diagonal",
        "bicgstab",
        "auto",
    ] {
        let document = folder
            .json(&format!("bench solve --no-machine --mesh bar.vtu --step 5ms --solver {solver}"));
        for key in ["analyze_ms", "factor_ms", "solve_ms"] {
            assert!(number(&document, key) >= 0.0, "{solver}: {key}");
        }
        assert!(number(&document, "relative_residual") <= 1e-6, "{solver}: {document}");
        assert_eq!(document["vertices"], 63);
        assert_eq!(document["fixed_vertices"], 9);
        let chosen = document["solver"].as_str().unwrap();
        assert!(solver == "auto" || solver.starts_with(chosen), "{solver}: {chosen}");
        let direct = ["cholesky", "ldlt", "lu"].contains(&chosen);
        // Auto takes factors here too.
        let factors = chosen == "cholesky" || solver.contains("stale") || solver == "auto";
        assert_eq!(document["factor_nonzeros"].is_u64(), factors, "{solver}");
        assert_eq!(document["reason"] == "Direct", direct, "{solver}");
        assert!(document.get("peak_bytes").is_some() && document["iterations"].is_u64());
        assert!(document["note"].is_string() || solver != "auto", "auto says what it chose");
    }
}

#[test]
fn tighter_tolerances_take_more_iterations() {
    let folder = with_bar();
    let iterations = |tolerance: &str| {
        let flags = "--solver cg --preconditioner diagonal --step 50ms --tolerance";
        let document =
            folder.json(&format!("bench solve --no-machine --mesh bar.vtu {flags} {tolerance}"));
        number(&document, "iterations")
    };
    assert!(iterations("1e-2") < iterations("1e-10"));
}

#[test]
fn the_matrix_is_saved_as_its_lower_triangle() {
    let folder = with_bar();
    let document = folder.json("bench solve --no-machine --mesh bar.vtu --save-matrix a.mtx");
    let saved = std::fs::read_to_string(folder.path("a.mtx")).unwrap();
    let mut lines = saved.lines();
    assert_eq!(lines.next(), Some("%%MatrixMarket matrix coordinate real symmetric"));
    // Blocks off the diagonal have nine entries, those on it six.
    let (blocks, vertices) = (number(&document, "blocks") as usize, 63);
    let entries = 9 * (blocks - vertices) + 6 * vertices;
    assert_eq!(lines.next(), Some(format!("189 189 {entries}").as_str()));
    assert_eq!(lines.clone().count(), entries);
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let (row, column): (usize, usize) = (words[0].parse().unwrap(), words[1].parse().unwrap());
        assert!(column <= row && words[2].parse::<f64>().unwrap().is_finite(), "{line}");
    }
}

#[test]
fn orderings_are_compared_and_drawn() {
    let folder = with_bar();
    let document = folder.json("bench orderings --mesh bar.vtu --draw factors.svg");
    let rows = document["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["ordering"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "natural",
            "rcm",
            "amd",
            "metis",
            "nested-dissection",
            "modified-nested-dissection",
            "vertex-nested-dissection"
        ]
    );
    for row in rows {
        for key in ["fill", "flops", "analyze_ms", "factor_ms", "solve_ms"] {
            assert!(number(row, key) > 0.0, "{key} of {row}");
        }
    }
    let svg = std::fs::read_to_string(folder.path("factors.svg")).unwrap();
    assert!(names.iter().all(|name| svg.contains(name)), "every factor has its picture");
    let table = text(&folder.run("bench orderings --mesh bar.vtu").stdout);
    assert_eq!(table.lines().count(), 1 + names.len(), "{table}");
}

#[test]
fn zhuang_and_canny_have_their_column_beside_ours() {
    let folder = Folder::new();
    let document = folder.json("bench tables zhuang-canny --largest 400");
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!((&rows[0]["unknowns"], &rows[1]["unknowns"]), (&192.into(), &375.into()));
    // All 27 neighbours, of which the paper stores fewer.
    assert_eq!((&rows[0]["nonzeros"], &rows[0]["paper_nonzeros"]), (&9000.into(), &6348.into()));
    for row in rows {
        let orderings = row["orderings"].as_array().unwrap();
        assert_eq!(orderings.len(), 6);
        for ours in orderings {
            assert!(number(ours, "fill_ratio") > 0.0 && number(ours, "flops_ratio") > 0.0);
            let known = ours["paper_column"].is_string();
            assert_eq!(ours["paper_fill_ratio"].is_f64(), known, "{ours}");
            assert_eq!(ours["paper_time_ratio"].is_f64(), known, "{ours}");
        }
        assert_eq!(orderings[2]["ordering"], "modified-nested-dissection");
        assert_eq!(orderings[2]["fill_ratio"], 1.0);
        assert!(number(&orderings[0], "fill_ratio") > 1.0, "random is worse");
    }
    let table = text(&folder.run("bench tables zhuang-canny --largest 192").stdout);
    assert!(table.contains("fill (table 1)") && table.contains(" 192 "), "{table}");
    let message = folder.fails("bench tables zhuang-canny --largest 100", 2);
    assert!(message.contains("192"), "{message}");
}

#[test]
fn virtis_has_its_column_beside_ours() {
    let folder = Folder::new();
    let document = folder.json("bench tables virtis --largest 300");
    let [sphere] = document["problems"].as_array().unwrap().as_slice() else { panic!() };
    assert_eq!((&sphere["unknowns"], &sphere["paper_unknowns"]), (&237.into(), &210.into()));
    let table = |name: &str| sphere[name].as_array().unwrap().clone();
    for row in table("table_3_3") {
        assert!(row["nonzeros"].is_u64() && row["paper_nonzeros"].is_u64(), "{row}");
        assert!(number(&row, "flops") > 0.0 && number(&row, "paper_flops") > 0.0, "{row}");
    }
    let preconditioned = table("table_3_4");
    assert_eq!(preconditioned.len(), 6);
    for row in &preconditioned {
        assert!(number(row, "iterations") > 0.0 && number(row, "paper_iterations") > 0.0);
    }
    // As in the paper, incomplete Cholesky takes fewer iterations than the diagonal.
    let iterations = |k: usize| number(&preconditioned[k], "iterations");
    assert!(iterations(2) < iterations(0), "{preconditioned:?}");
    let timed = table("table_3_5");
    for row in &timed {
        assert!(number(row, "setup_ms") > 0.0 && number(row, "paper_setup_ms") > 0.0);
    }
    let several = timed[4]["iterations"].as_array().unwrap();
    assert_eq!(several.len(), 4);
    assert!(several.is_sorted_by(|a, b| a.as_u64() <= b.as_u64()), "{several:?}");
    let shown = text(&folder.run("bench tables virtis --largest 300").stdout);
    assert!(shown.contains("SuperLU_MT") && shown.contains("chol(1e-2)"), "{shown}");
    let message = folder.fails("bench tables virtis --largest 10", 2);
    assert!(message.contains("237"), "{message}");
    let message = folder.fails("bench tables virtis --largest 300 --step -1", 2);
    assert!(message.contains("--step") && message.contains("positive"), "{message}");
}

#[test]
fn wrong_requests_are_refused_with_what_is_right() {
    let folder = with_bar();
    let refused = |flags: &str| folder.fails(&format!("bench solve --mesh bar.vtu {flags}"), 2);
    let message = refused("--solver choleski");
    assert!(message.contains("choleski") && message.contains("cholesky"), "{message}");
    let message = refused("--solver cg --preconditioner ilu");
    assert!(message.contains("ilu") && message.contains("ic0"), "{message}");
    let message = refused("--solver cholesky --ordering amdd");
    assert!(message.contains("amdd") && message.contains("modified-nested"), "{message}");
    let message = refused("--solver cholesky --preconditioner ic0");
    assert!(message.contains("cholesky takes no preconditioner"), "{message}");
    let message = refused("--solver cg --ordering amd");
    assert!(message.contains("cg takes no ordering"), "{message}");
    for step in ["0", "-0.01", "nan", "inf"] {
        let message = refused(&format!("--step {step}"));
        assert!(message.contains("--step"), "{step}: {message}");
    }
    let message = folder.fails("bench solve --mesh nowhere.vtu", 2);
    assert!(message.contains("nowhere.vtu"), "{message}");
    folder.fails("bench tables knuth", 2);
}

#[test]
fn the_choice_of_auto_is_measured_beside_others() {
    let folder = Folder::new();
    let document =
        folder.json("bench auto --only 1 --only 20 --beside eisenstat --beside cholesky");
    assert_eq!(document["of"], 2);
    let cases = document["cases"].as_array().unwrap();
    for (case, vertices) in cases.iter().zip([425, 909]) {
        assert_eq!(case["vertices"], vertices);
        assert!(number(case, "auto_ms") > 0.0 && number(case, "ratio") >= 1.0, "{case}");
        assert!(case["why"].as_str().unwrap().contains("a push is felt across"), "{case}");
        let named = case["named_ms"].as_object().unwrap();
        assert_eq!(named.keys().collect::<Vec<_>>(), ["cholesky", "eisenstat"]);
    }
}

#[test]
fn cases_and_solvers_that_there_are_not_are_refused() {
    let folder = Folder::new();
    for (flags, told) in [
        ("--only 31", "cases are numbered from 1 to 30"),
        ("--held-out --only 11", "cases are numbered from 1 to 10"),
        ("--only 1 --seconds 0", "must be above 0"),
        ("--only 1 --beside ilu", "possible values: stale-cholesky"),
    ] {
        let error = folder.fails(&format!("bench auto {flags}"), 2);
        assert!(error.contains(told), "{flags}: {error}");
    }
}
