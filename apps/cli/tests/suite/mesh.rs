//! `pliant mesh …` as scripts and people use it.

use crate::common;

use common::{Folder, text};
use serde_json::json;

#[test]
fn a_made_box_has_the_promised_keys_and_values() {
    let folder = Folder::new();
    folder.json("mesh make box --size 1 0.5 0.25 --cells 4 2 1 --cell tet6 box.veg");
    let info = folder.json("mesh info box.veg");
    assert_eq!(info["cells"], 4 * 2 * 6);
    assert_eq!(info["vertices"], 5 * 3 * 2);
    assert_eq!(info["cell_type"], "tet4");
    assert!((info["volume"].as_f64().unwrap() - 0.125).abs() < 1e-15);
    assert_eq!(info["bounding_box"], json!({"min": [0.0, 0.0, 0.0], "max": [1.0, 0.5, 0.25]}));
    assert_eq!(info["components"], 1);
    assert!(info["min_quality"].as_f64().unwrap() > 0.1);
    assert!(info["regions"].is_array());
}

#[test]
fn quadratic_cells_are_made_converted_and_refined() {
    let folder = Folder::new();
    let exact = 0.25 * std::f64::consts::PI;
    for (cell, file) in [("tet10", "c.msh"), ("hex20", "c.vtu"), ("hex20", "c.msh")] {
        folder.json(&format!("mesh make cylinder --cell {cell} {file}"));
        let info = folder.json(&format!("mesh info {file}"));
        assert_eq!(info["cell_type"], cell);
        let off = info["volume"].as_f64().unwrap() / exact - 1.0;
        assert!(off.abs() < 2e-4, "{cell}: {off:e}");
        assert_eq!(folder.json(&format!("mesh check {file}"))["ok"], true);
        let linear = if cell == "tet10" { "tet4" } else { "hex8" };
        folder.json(&format!("mesh convert {file} linear.vtu --cells {linear}"));
        let corners = folder.json("mesh info linear.vtu")["volume"].as_f64().unwrap();
        assert!(corners / exact - 1.0 < -0.01, "{cell}: {corners}");
        folder.json(&format!("mesh convert linear.vtu straight.vtu --cells {cell}"));
        let straight = folder.json("mesh info straight.vtu");
        assert!((straight["volume"].as_f64().unwrap() / corners - 1.0).abs() < 1e-12);
        folder.json(&format!("mesh refine {file} fine.vtu"));
        let fine = folder.json("mesh info fine.vtu");
        assert!(
            (fine["volume"].as_f64().unwrap() / info["volume"].as_f64().unwrap() - 1.0).abs()
                < 1e-3
        );
        assert_eq!(fine["cells"].as_u64().unwrap(), 8 * info["cells"].as_u64().unwrap());
    }
    let message = folder.fails("mesh convert linear.vtu out.vtu --cells tet10", 2);
    assert!(message.contains("--cells tet6"), "{message}");
    for (file, why) in
        [("out.veg", "not hex20"), ("out.mesh", "not hex20"), ("out.ele", "not hex20")]
    {
        let message = folder.fails(&format!("mesh convert c.vtu {file}"), 2);
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn flags_may_stand_before_or_after_the_command() {
    let folder = Folder::new();
    folder.json("mesh make box box.vtu");
    let before = folder.run("--json --threads 1 mesh info box.vtu").stdout;
    let after = folder.run("mesh info box.vtu --threads 2 --json").stdout;
    assert_eq!(text(&before), text(&after));
}

#[test]
fn an_error_points_into_the_file() {
    let folder = Folder::new();
    folder.write("bad.veg", "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 oops 0\n3 0 1 0\n4 0 0 1\n");
    let message = folder.fails("mesh info bad.veg", 2);
    assert!(message.contains("bad.veg:4:5"), "{message}");
    assert!(message.contains(" 4 | 2 1 oops 0\n   |     ^^^^"), "{message}");
    let output = folder.run("mesh info bad.veg --json");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["error"]["line"], 4);
    assert_eq!(document["error"]["column"], 5);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn wrong_usage_has_status_2_and_says_what_is_right() {
    let folder = Folder::new();
    folder.json("mesh make box box.veg");
    folder.json("mesh surface box.veg box.obj");
    for (arguments, expected) in [
        ("mesh info nothing.veg", "cannot open it"),
        ("mesh info box.xyz", ".veg"),
        ("mesh convert box.veg box.stl", "pliant mesh surface"),
        ("mesh fill box.veg --size 0.1 out.veg", "pliant mesh surface"),
        ("mesh refine box.obj out.veg", "pliant mesh fill"),
        ("mesh fill box.obj --size 5kg out.veg", "a length is needed here"),
        ("mesh fill box.obj --size -1 out.veg", "size"),
        ("mesh make box --size 1 0 1 out.veg", "size"),
        ("mesh make box --cells 0 1 1 out.veg", "cells"),
        ("mesh make blob out.veg", "blob"),
        ("mesh draw box.veg box.gif", ".svg or .png"),
        ("mesh draw box.veg box.png --cut w=1", "x=0.5"),
        ("mesh convert box.veg out.vtu --scale 0", "--scale"),
        ("mesh convert box.veg out.bou --set top", "no vertex set 'top'"),
        ("mesh info box.veg --threads 0", "--threads"),
        ("mesh refine box.veg out.veg --levels 40", "--levels"),
        ("frobnicate", "frobnicate"),
    ] {
        let message = folder.fails(arguments, 2);
        assert!(message.contains(expected), "{arguments}: {message}");
    }
}

#[test]
fn a_broken_mesh_is_diagnosed_and_repaired() {
    let folder = Folder::new();
    // Vertex 5 repeats vertex 4, vertex 6 is used by nothing.
    folder.write(
        "two.veg",
        "*VERTICES\n7 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 1\n6 9 9 9\n7 1 1 1\n\
         *ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n2 2 3 5 7\n",
    );
    let output = folder.run("mesh check two.veg --json");
    let check: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(check["ok"], false);
    assert_eq!(output.status.code(), Some(1));
    let kinds: Vec<&str> =
        check["problems"].as_array().unwrap().iter().map(|p| p["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"duplicate-vertices"), "{kinds:?}");
    assert!(kinds.contains(&"unreferenced-vertices"), "{kinds:?}");
    for problem in check["problems"].as_array().unwrap() {
        assert!(problem["count"].as_u64().unwrap() > 0);
        assert!(!problem["hint"].as_str().unwrap().is_empty());
    }
    folder.run("mesh check two.veg --fix fixed.veg");
    let fixed = folder.json("mesh check fixed.veg");
    assert_eq!(fixed["ok"], true);
    assert_eq!(folder.json("mesh info fixed.veg")["vertices"], 5);
}

#[test]
fn inverted_cells_are_turned_round_on_import_and_the_user_is_told() {
    let folder = Folder::new();
    folder.write(
        "inverted.veg",
        "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n1 4 0\n1 1 3 2 4\n",
    );
    let output = folder.run("mesh info inverted.veg");
    assert!(text(&output.stderr).contains("1 inverted element was reoriented"));
    let check = folder.run("mesh check inverted.veg");
    assert!(text(&check.stdout).contains("inverted"), "{}", text(&check.stdout));
}

#[test]
fn what_a_format_cannot_hold_is_named() {
    let folder = Folder::new();
    folder.json("mesh make box box.msh");
    let output = folder.run("mesh convert box.msh box.veg");
    assert!(output.status.success());
    assert!(text(&output.stderr).contains("vertex sets"), "{}", text(&output.stderr));
    assert_eq!(text(&folder.run("mesh convert box.msh box.veg --quiet").stderr), "");
}

#[test]
fn a_vertex_set_goes_to_bou_and_comes_back() {
    let folder = Folder::new();
    folder.json("mesh make box --cells 2 2 2 box.msh");
    folder.json("mesh convert box.msh fixed.bou --set x-min");
    folder.json("mesh convert box.msh plain.veg --quiet");
    folder.json("mesh convert plain.veg again.msh --add-set clamp=fixed.bou");
    let sets = folder.json("mesh info again.msh")["vertex_sets"].clone();
    assert_eq!(sets, json!([{"name": "clamp", "vertices": 9}]));
}

#[test]
fn cells_change_kind_and_order() {
    let folder = Folder::new();
    folder.json("mesh make box --cells 3 2 2 --cell hex hex.veg");
    folder.json("mesh convert hex.veg tet.veg --cells tet6 --reorder rcm --scale 2");
    folder.json("mesh convert tet.veg ten.vtu --cells tet10 --reorder hilbert");
    let (tet, ten) = (folder.json("mesh info tet.veg"), folder.json("mesh info ten.vtu"));
    assert_eq!(tet["cells"], 72);
    assert_eq!(ten["cell_type"], "tet10");
    let volume = folder.json("mesh info hex.veg")["volume"].as_f64().unwrap();
    for mesh in [tet, ten] {
        assert!((mesh["volume"].as_f64().unwrap() / (8.0 * volume) - 1.0).abs() < 1e-13);
    }
}

#[test]
fn a_surface_is_filled_embedded_and_drawn() {
    let folder = Folder::new();
    folder.json("mesh make ball-surface ball.obj");
    let filled = folder.json("mesh fill ball.obj --size 0.1 ball.veg");
    for key in ["vertices", "cells", "volume", "min_quality", "hausdorff", "volume_error"] {
        assert!(!filled[key].is_null(), "{key}");
    }
    assert!(filled["volume_error"].as_f64().unwrap().abs() < 0.05);
    assert!(filled["min_dihedral"].as_f64().unwrap() > 10.6);
    assert!(filled["max_dihedral"].as_f64().unwrap() < 164.9);
    let bound = folder.json("mesh embed ball.veg ball.obj ball.interp");
    assert_eq!(bound["points"], folder.json("mesh info ball.obj")["vertices"]);
    folder.json("mesh draw ball.veg ball.svg --cut x=0.5 --colour quality --pixels 200 150");
    folder.json("mesh draw ball.obj ball.png --pixels 200 150");
    let svg = std::fs::read_to_string(folder.path("ball.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("smallest angle"));
    assert!(std::fs::read(folder.path("ball.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn refining_a_box_keeps_its_volume() {
    let folder = Folder::new();
    folder.json("mesh make box --cells 1 1 1 --cell tet6 box.veg");
    folder.json("mesh refine box.veg fine.veg --levels 2");
    let (coarse, fine) = (folder.json("mesh info box.veg"), folder.json("mesh info fine.veg"));
    assert_eq!(fine["cells"], 6 * 64);
    let ratio = fine["volume"].as_f64().unwrap() / coarse["volume"].as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 1e-13);
}

#[test]
fn every_command_has_help_with_an_example() {
    let folder = Folder::new();
    for command in ["info", "check", "convert", "fill", "refine", "surface", "embed", "draw"] {
        let output = folder.run(&format!("mesh {command} --help"));
        assert!(output.status.success());
        assert!(text(&output.stdout).contains("Example"), "{command}");
    }
    assert!(text(&folder.run("mesh make --help").stdout).contains("cylinder"));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(text(&folder.run(&format!("completions {shell}")).stdout).contains("pliant"));
    }
    assert!(text(&folder.run("--version").stdout).starts_with("pliant "));
}

#[test]
fn every_vega_model_loads_checks_and_converts() {
    let Some(models) = common::vega_models() else { return };
    let folder = Folder::new();
    let mut seen = 0;
    for model in std::fs::read_dir(models).unwrap() {
        for file in std::fs::read_dir(model.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|e| e != "veg") {
                continue;
            }
            seen += 1;
            let name = path.display();
            let info = folder.json(&format!("mesh info {name} --quiet"));
            let source = std::fs::read_to_string(&path).unwrap();
            let count = |section: &str, skip: usize| -> u64 {
                let mut lines = source.lines().skip_while(|l| !l.starts_with(section)).skip(skip);
                lines.next().unwrap().split_whitespace().next().unwrap().parse().unwrap()
            };
            assert_eq!(info["vertices"], count("*VERTICES", 1), "{name}");
            assert_eq!(info["cells"], count("*ELEMENTS", 2), "{name}");
            let check = folder.run(&format!("mesh check {name} --json"));
            assert!(matches!(check.status.code(), Some(0 | 1)), "{name}");
            for format in ["vtu", "vtk", "msh"] {
                folder.json(&format!("mesh convert {name} out.{format} --quiet"));
                let back = folder.json(&format!("mesh info out.{format}"));
                for key in ["vertices", "cells", "volume", "bounding_box", "cell_type"] {
                    assert_eq!(back[key], info[key], "{name} as {format}: {key}");
                }
            }
        }
    }
    assert_eq!(seen, 11);
}
