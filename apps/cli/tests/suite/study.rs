//! `pliant compare` and `pliant converge`.

use crate::common;

use common::Folder;

const BAR: &str = r#"
[body.bar]
mesh = { shape = "box", size = [0.2, 0.1, 0.1], cells = [2, 1, 1] }
material = { law = "neo-hookean", young = "20 kPa", poisson = 0.3 }
fixed = "x-min"
[time]
integrator = "implicit-midpoint"
step = "2 ms"
end = "40 ms"
[solver]
newton_tolerance = 1e-11
[probe.tip]
at = [0.2, 0.05, 0.05]
"#;

#[test]
fn a_comparison_is_rows_a_table_and_a_picture() {
    let folder = Folder::new();
    folder.write("bar.toml", BAR);
    let command = "compare bar.toml --integrators backward-euler,implicit-midpoint --steps 0.002,0.001 --out out";
    let made = folder.json(command);
    let rows = made["rows"].as_array().unwrap();
    assert_eq!((rows.len(), made["error_by"].as_str()), (4, Some("positions")));
    for key in
        ["integrator", "step", "error", "wall_seconds", "steps", "newton_iterations", "status"]
    {
        assert!(!rows[0][key].is_null(), "{key}");
    }
    for (row, order) in [(1, 1.0), (3, 2.0)] {
        let seen = rows[row]["order"].as_f64().unwrap();
        assert!((seen - order).abs() < 0.1, "{seen}");
    }
    let read = |name: &str| std::fs::read_to_string(folder.path("out").join(name)).unwrap();
    assert!(read("results.csv").starts_with("integrator,step,error,order,wall_seconds"));
    assert!(read("work-precision.svg").contains("implicit-midpoint"));
    let page = read("report.html");
    for text in [
        "Work and precision",
        "implicit-midpoint",
        "dormand-prince-853",
        "pliant compare bar.toml",
        "data:image/svg",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(page.matches("<tr").count(), 1 + rows.len());
    assert!(
        !page.contains("http://")
            || page.matches("http://").count() == page.matches("http://www.w3.org").count()
    );
    // All is there already: the same numbers, threads or not.
    let again = folder.json(&format!("{command} --threads 1"));
    assert_eq!(again["rows"], made["rows"]);
    let text = folder.run(&format!("{command} --again --threads 1"));
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("reference: dormand-prince-853 with tolerance 1e-12"), "{text}");
    let anew: serde_json::Value = serde_json::from_str(&read("results.json")).unwrap();
    for (a, b) in anew["rows"].as_array().unwrap().iter().zip(rows) {
        assert_eq!(a["error"], b["error"]);
    }
}

#[test]
fn a_comparison_that_was_killed_goes_on() {
    let folder = Folder::new();
    folder.write("bar.toml", BAR);
    let command = "compare bar.toml --integrators backward-euler,bdf2,trapezoidal,rk4 --steps 0.002,0.001,0.0005,0.0002,0.0001 --out";
    let clean = folder.json(&format!("{command} clean"));
    for k in 0..3 {
        let out = format!("killed-{k}");
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_pliant"))
            .args(command.split_whitespace())
            .arg(&out)
            .current_dir(folder.path(""))
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let runs = folder.path(&out).join("runs");
        let count = || std::fs::read_dir(&runs).map_or(0, |list| list.flatten().count());
        // In the middle: when some files are there, or all of them if it is too fast.
        while count() < 8 * k + 3 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let again = folder.json(&format!("{command} {out}"));
        for (a, b) in
            again["rows"].as_array().unwrap().iter().zip(clean["rows"].as_array().unwrap())
        {
            assert_eq!(
                (&a["error"], &a["probes"], &a["status"]),
                (&b["error"], &b["probes"], &b["status"])
            );
        }
    }
}

#[test]
fn bad_comparisons_are_refused_before_anything_is_run() {
    let folder = Folder::new();
    folder.write("bar.toml", BAR);
    folder.write("mine.txt", "mine");
    for (flags, word) in [
        ("", "nothing varies"),
        ("--integrators backward-eule", "did you mean \"backward-euler\""),
        ("--integrators ,", "empty value"),
        ("--steps 0.1,-0.05", "leads nowhere"),
        ("--steps 0", "leads nowhere"),
        ("--solvers choleski", "did you mean \"cholesky\""),
        ("--vary body.bar.densty=1", "unknown key 'densty'"),
        ("--vary young", "does not say what varies"),
        ("--steps 0.1 --reference rk5", "did you mean \"rk4\""),
        ("--steps 0.1 --reference rk4@0", "leads nowhere"),
        ("--steps 0.01 --out .", "was not made by a study"),
    ] {
        let message = folder.fails(&format!("compare bar.toml {flags}"), 2);
        assert!(message.contains(word), "{flags}: {message}");
    }
    assert!(!folder.path("bar-compare").exists());
    assert!(folder.fails("compare nothing.toml --steps 1", 2).contains("nothing.toml"));
}

#[test]
fn a_comparison_in_which_all_runs_fail_is_a_failure() {
    let folder = Folder::new();
    folder.write("bar.toml", &BAR.replace("20 kPa", "20 MPa"));
    let output =
        folder.run("compare bar.toml --integrators rk4 --steps 0.01 --set time.end=0.2 --json");
    let made: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (made["rows"][0]["status"].as_str(), output.status.code()),
        (Some("failed"), Some(1))
    );
}

#[test]
fn convergence_tells_orders_and_what_has_none() {
    let folder = Folder::new();
    folder.write("bar.toml", BAR);
    let made = folder.json("converge bar.toml");
    let [steps, meshes] = &made["sequences"].as_array().unwrap()[..] else { panic!("{made}") };
    assert_eq!(
        (steps["refinement"].as_str(), meshes["refinement"].as_str()),
        (Some("step"), Some("mesh"))
    );
    let down = &steps["probes"][1];
    assert!((down["order"].as_f64().unwrap() - 2.0).abs() < 0.1, "{down}");
    // Three levels show an order, and nothing that confirms it.
    assert_eq!((&down["asymptotic"], &steps["theory"]), (&false.into(), &2.into()), "{down}");
    assert!(down["verdict"].as_str().unwrap().contains("nothing confirms"), "{down}");
    for e in meshes["probes"].as_array().unwrap() {
        assert!(e["order"].as_f64().is_none_or(|p| p < 2.5), "{e}");
        assert!(!e["verdict"].as_str().unwrap().starts_with("in its asymptotic range"), "{e}");
        assert_eq!(e["asymptotic"], false, "{e}");
    }
    let four = folder.json("converge bar.toml --steps-only --levels 4");
    assert_eq!(four["sequences"][0]["probes"][1]["asymptotic"], true, "{four}");
    assert_eq!(
        folder.json("converge bar.toml --steps-only")["sequences"].as_array().unwrap().len(),
        1
    );
    assert!(folder.fails("converge bar.toml --levels 1", 2).contains("1 levels"));
    assert!(
        folder.fails("converge bar.toml --steps-only --mesh-only", 2).contains("cannot be used")
    );
}
