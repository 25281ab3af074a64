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
    assert_eq!(names("elements"), ["tet4", "tet10", "tet10-bbar", "hex8", "hex8-bbar", "hex20"]);
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

#[test]
fn a_constant_quality_factor_is_fitted_drawn_and_ready_to_paste() {
    let folder = Folder::new();
    let fit = folder.json("material fit --q 4.8 --modulus 2.5kPa --at 2Hz --from 0.1 --to 10kHz --terms 3 --out q.svg");
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    assert!((number(&fit["long_term"]) / 1744.18 - 1.0).abs() < 1e-4, "{fit}");
    let first = &fit["terms"][0];
    assert!((number(&first["time"]) / 8.8069e-5 - 1.0).abs() < 1e-3, "{fit}");
    assert!((number(&first["modulus"]) / 2891.79 - 1.0).abs() < 1e-3, "{fit}");
    assert_eq!(fit["terms"].as_array().unwrap().len(), 3);
    assert!((number(&fit["rms"]) / 2f64.sqrt() - 0.0474).abs() < 1e-4, "{fit}");
    assert!((number(&fit["max_modulus_error"]) - 0.072).abs() < 1e-3, "{fit}");
    assert!((number(&fit["q_min"]) - 3.72).abs() < 0.005, "{fit}");
    assert!((number(&fit["q_max"]) - 14.9).abs() < 0.05, "{fit}");
    let svg = std::fs::read_to_string(folder.path("q.svg")).unwrap();
    assert!(svg.contains("|M|, kPa") && svg.contains(">Q<") && svg.contains("constant Q"));
    let told = text(&folder.run("material fit --q 4.8 --modulus 2500 --at 2").stdout);
    assert!(told.contains("memory = { terms = [") && told.matches("strength = ").count() == 5);
}

#[test]
fn measured_data_are_fitted() {
    let folder = Folder::new();
    let mut table = String::from("time [ms], modulus [kPa]\n");
    for k in 0..40 {
        let ms = 10f64.powf(f64::from(k) / 10.0);
        table += &format!("{ms}, {}\n", 2.0 + 0.6 * (-ms / 50.0).exp());
    }
    folder.write("relaxation.csv", &table);
    for flags in ["", "--terms 4", "--times 50ms"] {
        let fit = folder.json(&format!("material fit relaxation.csv {flags}"));
        assert_eq!(
            (fit["rows"].as_u64(), fit["columns"].as_str()),
            (Some(40), Some("time, modulus"))
        );
        assert!((fit["long_term"].as_f64().unwrap() / 2000.0 - 1.0).abs() < 1e-8, "{fit}");
        assert_eq!(fit["terms"].as_array().unwrap().len(), 1, "{fit}");
        assert!((fit["terms"][0]["time"].as_f64().unwrap() / 0.05 - 1.0).abs() < 1e-6, "{fit}");
        assert!((fit["terms"][0]["modulus"].as_f64().unwrap() / 600.0 - 1.0).abs() < 1e-6, "{fit}");
    }
}

#[test]
fn data_that_cannot_be_fitted_are_refused_with_their_line() {
    let folder = Folder::new();
    folder.write("gap.csv", "time, strain, stress\n0, 0, 0\n1, 0.1, 3\n2, , 4\n3, 0.1, 2\n");
    let message = folder.fails("material fit gap.csv", 2);
    assert!(message.contains("gap.csv:4:3") && message.contains("strain"), "{message}");
    folder.write("nan.csv", "time, modulus\n0, 5\n1, nan\n");
    let message = folder.fails("material fit nan.csv", 2);
    assert!(message.contains("nan.csv:3:4") && message.contains("finite"), "{message}");
    folder.write("few.csv", "time, modulus\n0, 5\n1, 4\n2, 3\n");
    let message = folder.fails("material fit few.csv", 2);
    assert!(message.contains("few.csv") && message.contains("3 rows"), "{message}");
    folder.write("wrong.csv", "time, force\n0, 5\n");
    let message = folder.fails("material fit wrong.csv", 2);
    assert!(message.contains("wrong.csv:1:7") && message.contains("storage"), "{message}");
    for (flags, word) in [
        ("none.csv", "none.csv"),
        ("--q 4.8 --modulus 2500", "--at"),
        ("--q 0 --modulus 2500 --at 2", "q = 0"),
        ("--q 4.8 --modulus 2500 --at 2 --terms 17", "1 to 16"),
        ("--q 4.8 --modulus 2500 --at 2 --from 3 --to 2", "to = 2"),
        ("gap.csv --terms 0", "--terms 0"),
        ("", "DATA"),
    ] {
        let message = folder.fails(&format!("material fit {flags}"), 2);
        assert!(message.contains(word), "{flags}: {message}");
    }
}
