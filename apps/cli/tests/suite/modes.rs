//! `pliant modes` and `pliant verify`.

use crate::common;

use common::{Folder, text};

#[test]
fn a_free_bar_has_six_rigid_modes_and_bends_in_pairs() {
    let folder = Folder::new();
    folder.json("mesh make box --size 1 0.1 0.1 --cells 10 2 2 --cell hex bar.vtu");
    let document = folder.json("modes bar.vtu --count 8 --poisson 0.3 --out shapes");
    assert_eq!(document["rigid"], 6);
    let f: Vec<f64> =
        document["frequencies"].as_array().unwrap().iter().map(|f| f.as_f64().unwrap()).collect();
    assert_eq!(f.len(), 8);
    assert!(f[..6].iter().all(|&f| f == 0.0) && f[6] > 1.0, "{f:?}");
    assert!((f[7] / f[6] - 1.0).abs() < 1e-9, "{f:?}");
    for name in ["mode-001.vtu", "mode-008.vtu", "modes.pvd"] {
        assert!(folder.path("shapes").join(name).is_file(), "{name}");
    }
    let info = folder.json("mesh info shapes/mode-007.vtu");
    assert_eq!(info["vertices"], 11 * 9);
    let table = text(&folder.run("modes bar.vtu --count 7 --poisson 0.3").stdout);
    assert!(table.contains("rigid motion") && table.contains("Hz"), "{table}");
}

#[test]
fn a_clamped_bar_sounds_as_its_modulus_and_density_say() {
    let folder = Folder::new();
    folder.json("mesh make box --size 1 0.1 0.1 --cells 6 1 1 --cell hex bar.vtu");
    let first = |flags: &str| {
        let document = folder.json(&format!("modes bar.vtu --count 1 --fix x-min {flags}"));
        assert_eq!(document["rigid"], 0);
        assert_eq!(document["fixed_vertices"], 4);
        document["frequencies"][0].as_f64().unwrap()
    };
    let plain = first("");
    assert!((first("--young 4MPa") / plain - 2.0).abs() < 1e-9);
    assert!((first("--density 4000") / plain - 0.5).abs() < 1e-9);
    assert_eq!(first("--mass lumped"), plain);
    assert_eq!(first("--lumped"), plain);
    assert!(first("--mass consistent") > plain);
}

const BAR: &str = "[body.bar]\nmesh = { shape = \"box\", size = [1, 0.1, 0.1], cells = [6, 1, 1], cell = \"hex\" }\n\
    material = { law = \"linear\", young = \"1 MPa\", poisson = 0.45 }\nfixed = \"x-min\"\n";

fn frequencies(document: &serde_json::Value) -> Vec<f64> {
    document["frequencies"].as_array().unwrap().iter().map(|f| f.as_f64().unwrap()).collect()
}

/// The same body as a mesh and as a scene, with either mass.
#[test]
fn a_scene_sounds_as_its_mesh_does() {
    let folder = Folder::new();
    folder.json("mesh make box --size 1 0.1 0.1 --cells 6 1 1 --cell hex bar.vtu");
    folder.write("bar.toml", BAR);
    let of_mesh = frequencies(&folder.json("modes bar.vtu --count 4 --fix x-min"));
    let document = folder.json("modes bar.toml --count 4 --out shapes --frames 4");
    assert_eq!(
        (document["rigid"].as_u64(), document["fixed_vertices"].as_u64()),
        (Some(0), Some(4))
    );
    for (a, b) in of_mesh.iter().zip(frequencies(&document)) {
        assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
    }
    let consistent = folder.json("modes bar.vtu --count 4 --fix x-min --mass consistent");
    assert_eq!(consistent["mass"], "consistent");
    for how in ["--mass consistent", "--set body.bar.mass=\"consistent\""] {
        let document = folder.json(&format!("modes bar.toml --count 4 {how}"));
        assert_eq!(document["mass"], "consistent");
        assert_eq!(document["bodies"][0]["mass"], "consistent");
        for (a, b) in frequencies(&consistent).iter().zip(frequencies(&document)) {
            assert!((a / b - 1.0).abs() < 1e-9, "{how}: {a} {b}");
        }
    }
    for name in
        ["bar-mode-001.vtu", "bar-modes.pvd", "bar-mode-004.pvd", "frames/bar-mode-004_003.vtu"]
    {
        assert!(folder.path("shapes").join(name).is_file(), "{name}");
    }
    // At rest, and a quarter of a period later at its largest.
    let side = |k: usize| {
        folder.json(&format!("mesh info shapes/frames/bar-mode-001_00{k}.vtu"))["bounding_box"]
            .clone()
    };
    assert_eq!(side(0), folder.json("mesh info bar.vtu")["bounding_box"]);
    assert_ne!(side(1), side(0));
    let stiffer =
        frequencies(&folder.json("modes bar.toml --count 1 --set body.bar.material.young=4MPa"));
    assert!((stiffer[0] / of_mesh[0] - 2.0).abs() < 1e-9);
}

/// Each body that nothing holds has six, also beside one that is held; glue takes them away.
#[test]
fn every_free_body_of_a_scene_has_its_rigid_motions() {
    let folder = Folder::new();
    let two = format!(
        "{BAR}[body.free]\nmesh = {{ shape = \"box\", size = [1, 0.1, 0.1], cells = [2, 1, 1] }}\n\
        material = {{ law = \"linear\", young = \"1 MPa\", poisson = 0.45 }}\nposition = [0, 0.1, 0]\n"
    );
    folder.write("two.toml", &two);
    let document = folder.json("modes two.toml --count 8 --out shapes");
    assert_eq!(document["rigid"], 6);
    let f = frequencies(&document);
    assert!(f[..6].iter().all(|&f| f == 0.0) && f[6] > 0.5, "{f:?}");
    for name in ["bar-mode-008.vtu", "free-mode-008.vtu", "free-modes.pvd"] {
        assert!(folder.path("shapes").join(name).is_file(), "{name}");
    }
    let glue = "[[attachment]]\nbody = \"free\"\nto = \"bar\"\nwithin = 1e-6\n";
    folder.write("glued.toml", &format!("{two}{glue}"));
    assert_eq!(folder.json("modes glued.toml --count 8")["rigid"], 0);
    folder.write("both.toml", &two.replace("fixed = \"x-min\"\n", ""));
    assert_eq!(folder.json("modes both.toml --count 13")["rigid"], 12);
}

#[test]
fn modes_of_bad_input_are_refused() {
    let folder = Folder::new();
    folder.json("mesh make box --cells 1 1 1 box.vtu");
    let message = folder.fails("modes box.vtu --fix nowhere", 2);
    assert!(message.contains("nowhere") && message.contains("x-min"), "{message}");
    let message = folder.fails("modes box.vtu --density 0", 2);
    assert!(message.contains("density"), "{message}");
    let message = folder.fails("modes box.vtu --count 0", 2);
    assert!(message.contains("number of modes"), "{message}");
    folder.fails("modes missing.vtu", 2);
    let message = folder.fails("modes box.obj", 2);
    assert!(message.contains("volume mesh"), "{message}");
    folder.write("bar.toml", BAR);
    assert!(folder.fails("modes bar.toml --young 1MPa", 2).contains("--young is of meshes"));
    assert!(folder.fails("modes box.vtu --mass heavy", 2).contains("lumped and consistent"));
    assert!(folder.fails("modes box.vtu --set a=1", 2).contains("--set is of scenes"));
    assert!(folder.fails("modes bridgee", 2).contains("did you mean 'bridge'"));
    folder.write("far.bou", "1,2,99\n");
    let message = folder.fails("modes box.vtu --fix far.bou", 2);
    assert!(message.contains("vertex 99"), "{message}");
}

#[test]
fn known_answers_are_computed_and_compared() {
    let folder = Folder::new();
    let document = folder.json("verify --only free-fall --only spring-modes");
    assert_eq!(document["failed"], 0);
    let rows = document["rows"].as_array().unwrap();
    assert!(rows.len() > 5);
    for key in ["problem", "source", "expected", "got", "error", "tolerance", "pass"] {
        assert!(rows.iter().all(|r| !r[key].is_null()), "{key}");
    }
    let message = folder.fails("verify --only free-fal", 2);
    assert!(message.contains("did you mean free-fall"), "{message}");
}
