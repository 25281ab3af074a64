//! `pliant list`, `pliant material` and `pliant bench assembly`.

use crate::common;

use common::{Folder, text};

#[test]
fn names_are_listed_for_people_and_scripts() {
    let folder = Folder::new();
    let all = folder.json("list");
    let names = |topic: &str| {
        let rows = all[topic].as_array().unwrap();
        rows.iter().map(|r| r["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("elements"), ["tet4", "tet10", "hex8", "hex8-bbar", "hex20"]);
    for law in ["linear", "corotational", "st-venant-kirchhoff", "neo-hookean", "veronda-westmann"]
    {
        assert!(names("materials").contains(&law.to_owned()), "{law}");
    }
    let one = text(&folder.run("list elements").stdout);
    assert!(one.contains("hex8-bbar") && !one.contains("neo-hookean"), "{one}");
}

#[test]
fn curves_begin_at_rest_with_the_given_modulus() {
    let folder = Folder::new();
    let document = folder.json(
        "material curve neo-hookean mooney-rivlin --young 30kPa --poisson 0.4 --range 1 1.06 --out c.svg",
    );
    for law in ["neo-hookean", "mooney-rivlin"] {
        let s = document["stress"][law].as_array().unwrap();
        let at = |k: usize| s[k].as_f64().unwrap();
        assert!(at(0).abs() < 1e-6);
        let slope = (4.0 * at(1) - at(2)) / 2.0 / 1e-3;
        assert!((slope / 3e4 - 1.0).abs() < 1e-4, "{law}: {slope}");
    }
    let svg = std::fs::read_to_string(folder.path("c.svg")).unwrap();
    assert!(svg.contains("mooney-rivlin") && svg.contains("uniaxial test"));
}

#[test]
fn wrong_materials_are_refused_with_what_is_right() {
    let folder = Folder::new();
    let message = folder.fails("material curve neo-hokean", 2);
    assert!(message.contains("neo-hokean") && message.contains("neo-hookean"), "{message}");
    let message = folder.fails("material curve neo-hookean --poisson 0.5", 2);
    assert!(message.contains("poisson") && message.contains("0.5"), "{message}");
    let message = folder.fails("material curve linear --invertible", 2);
    assert!(message.contains("corotational"), "{message}");
    folder.json("mesh make box --cells 2 2 2 --cell hex box.vtu");
    let message = folder.fails("bench assembly --mesh box.vtu --element tet4", 2);
    assert!(message.contains("tet4") && message.contains("hex8"), "{message}");
    let message =
        folder.fails("bench assembly --mesh box.vtu --material st-venant-kirchhoff-polynomial", 2);
    assert!(message.contains("tet4") && message.contains("hex8"), "{message}");
    let message = folder.fails("bench assembly --mesh box.vtu --element tet5", 2);
    assert!(message.contains("tet5") && message.contains("tet10"), "{message}");
    let message = folder.fails("bench assembly --mesh box.vtu --young -1", 2);
    assert!(message.contains("young"), "{message}");
}
