//! Exit statuses: 2 for what the user has to change, 1 for what failed all the same, whatever the command.

use crate::common;

use common::{Folder, text};

const BAR: &str = r#"
[time]
step = "10 ms"
steps = 3
[body.bar]
mesh = { shape = "box", size = [1, 0.1, 0.1], cells = [12, 2, 2], cell = "hex" }
material = { law = "linear", young = "1 MPa", poisson = 0.3 }
fixed = "x-min"
"#;

/// A bar that an explicit method makes explode, far above its critical step.
const EXPLODES: &str = r#"
[time]
integrator = "symplectic-euler"
step = "40 ms"
steps = 1000
[body.bar]
mesh = { shape = "box", size = [1, 0.1, 0.1], cells = [6, 1, 1] }
material = { law = "neo-hookean", young = "1 MPa", poisson = 0.3 }
fixed = "x-min"
"#;

/// Runs with `--json`: the status, the class and kind of the error, and its message.
fn fails(folder: &Folder, arguments: &str) -> (i32, String, String, String) {
    let output = folder.run(&format!("{arguments} --json"));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{arguments}: {e}: {}", text(&output.stderr)));
    let word = |key: &str| document["error"][key].as_str().unwrap_or_default().to_owned();
    (output.status.code().unwrap(), word("class"), word("kind"), word("message"))
}

#[test]
fn the_same_failure_has_the_same_status_in_every_command() {
    let folder = Folder::new();
    folder.write("bar.toml", BAR);
    folder.write("explodes.toml", EXPLODES);
    folder.write("typo.toml", &BAR.replace("steps", "stpes"));
    folder.write("lost.toml", &BAR.replace("{ shape = \"box\"", "\"lost.vtu\" #"));
    folder.write("a-file", "");
    folder.json("mesh make box --size 1 0.1 0.1 --cells 12 2 2 --cell hex bar.vtu");
    for (arguments, status, class, kind, message) in [
        // Bad input, in scenes, meshes and flags.
        ("run typo.toml --out typo", 2, "input", "scene", "unknown key 'stpes'"),
        ("modes typo.toml", 2, "input", "scene", "unknown key 'stpes'"),
        (
            "compare typo.toml --steps 0.01,0.005 --out typo",
            2,
            "input",
            "scene",
            "unknown key 'stpes'",
        ),
        ("run lost.toml --out lost", 2, "input", "scene", "lost.vtu"),
        ("run nothing.toml --out nothing", 2, "input", "scene", "cannot read nothing.toml"),
        ("modes lost.vtu", 2, "input", "Io", "cannot open it"),
        ("mesh info lost.vtu", 2, "input", "Io", "cannot open it"),
        ("modes bar.vtu --poisson 0.7", 2, "input", "usage", "poisson = 0.7"),
        (
            "modes bar.toml --set body.bar.material.poisson=0.7",
            2,
            "input",
            "scene",
            "poisson = 0.7",
        ),
        ("modes bar.vtu --tolerance 0", 2, "input", "usage", "tolerance"),
        ("modes bar.toml --tolerance 0", 2, "input", "scene", "tolerance"),
        // Computations that failed.
        ("run explodes.toml --out explodes", 1, "computation", "computation", "inverted"),
        (
            "modes bar.vtu --fix x-min --subspace 1",
            1,
            "computation",
            "computation",
            "of 10 natural modes",
        ),
        ("modes bar.toml --subspace 1", 1, "computation", "computation", "of 10 natural modes"),
        // A path that cannot be written to was named wrongly: nothing was computed in vain.
        ("run bar.toml --out a-file/out", 2, "input", "scene", "cannot write to a-file/out"),
        (
            "compare bar.toml --steps 0.01,0.005 --out a-file/out",
            2,
            "input",
            "scene",
            "cannot write to a-file/out",
        ),
        ("mesh convert bar.vtu a-file/bar.msh", 2, "input", "Io", "cannot write it"),
        ("modes bar.vtu --fix x-min --out a-file/out", 2, "input", "usage", "cannot be made"),
    ] {
        let found = fails(&folder, arguments);
        let told = format!("{arguments}: {found:?}");
        assert_eq!((found.0, found.1.as_str(), found.2.as_str()), (status, class, kind), "{told}");
        assert!(found.3.contains(message), "{told}");
    }
}

/// A device without room: what was computed could not be written, which is neither bad input nor a failed computation.
#[cfg(target_os = "linux")]
#[test]
fn results_that_find_no_room_are_failures_of_output() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    folder.write("bar.toml", BAR);
    folder.json("mesh make box --size 1 0.1 0.1 --cells 12 2 2 --cell hex bar.vtu");
    symlink("/dev/full", folder.path("bar.1.node")).unwrap();
    let found = fails(&folder, "mesh make box --size 1 1 1 --cells 2 2 2 --cell tet6 bar.1.node");
    assert_eq!((found.0, found.1.as_str(), found.2.as_str()), (1, "output", "Write"), "{found:?}");
    // The history of a run, which is there before it starts.
    folder.json("run bar.toml --out bar");
    symlink("/dev/full", folder.path("bar/history.csv.part")).unwrap();
    let found = fails(&folder, "run bar.toml --out bar");
    assert_eq!((found.0, found.1.as_str(), found.2.as_str()), (1, "output", "output"), "{found:?}");
    assert!(found.3.contains("history.csv"), "{found:?}");
}
