//! `pliant run`, `pliant view`, `pliant matrices` and `pliant import`.

use crate::common;

use common::{Folder, text, vega_models};
use serde_json::Value;

const CUBE: &str = r#"
[body.cube]
mesh = { shape = "box", cells = [1, 1, 1] }
material = { law = "corotational", young = "10 kPa", poisson = 0.3 }
[time]
integrator = "trapezoidal"
step = "10 ms"
end = "0.5 s"
[probe.middle]
at = [0.5, 0.5, 0.5]
"#;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// The trapezoidal rule is exact under a constant force: y = −g t²/2, and no energy is lost.
#[test]
fn a_free_cube_falls_as_galileo_says() {
    let folder = Folder::new();
    folder.write("cube.toml", CUBE);
    let s = folder.json("run cube.toml --out fall");
    let u = &s["probes"]["middle"]["displacement"];
    assert!((number(&u[1]) + 9.81 * 0.125).abs() < 1e-9, "{u}");
    let e = &s["energy"];
    let fallen = 1000.0 * 9.81 * 9.81 * 0.125;
    assert!((number(&e["kinetic"]) - fallen).abs() < 1e-6 * fallen, "{e}");
    assert!((number(&e["gravity"]) + fallen).abs() < 1e-6 * fallen, "{e}");
    assert!(number(&e["numerical_loss"]).abs() < 1e-6 * fallen, "{e}");
    assert!((number(&s["momentum"]["linear"][1]) + 1000.0 * 9.81 * 0.5).abs() < 1e-6 * 4905.0);
    for file in ["summary.json", "history.csv", "run.json", "cube.pvd", "frames/cube_00000.vtu"] {
        assert!(folder.path("fall").join(file).is_file(), "{file}");
    }
}

#[test]
fn a_run_has_a_report_that_can_be_made_again() {
    let folder = Folder::new();
    folder.write("cube.toml", CUBE);
    folder.json("run cube.toml --out a --set time.steps=4");
    let path = folder.path("a").join("report.html");
    let html = std::fs::read_to_string(&path).unwrap();
    assert!(html.contains("Finished.") && html.contains("--set time.steps=4"), "{html}");
    std::fs::remove_file(&path).unwrap();
    folder.json("report a");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), html);
    folder.json("run cube.toml --out a --set time.steps=4 --no-report");
    assert!(!path.exists() && folder.path("a").join("history.csv").is_file());
    assert!(folder.fails("report nowhere", 2).contains("holds no run"));
}

#[test]
fn a_verification_is_a_page_too() {
    let folder = Folder::new();
    let result = folder.json("verify --only free-fall --only hanging-block --page v.html");
    let html = std::fs::read_to_string(folder.path("v.html")).unwrap();
    for words in ["All comparisons", "hanging-block", "Free fall", "Convergence on three meshes"] {
        assert!(html.contains(words), "'{words}' is not in the page");
    }
    let rows = result["rows"].as_array().unwrap().len();
    let shown = html.split_once("id=\"all-comparisons\"").unwrap().1;
    assert_eq!(shown.matches("passed</td>").count(), rows);
}

#[test]
fn keys_are_overridden_and_threads_change_no_bit() {
    let folder = Folder::new();
    folder.write("cube.toml", CUBE);
    let s =
        folder.json("run cube.toml --out a --set time.steps=4 --set time.step=0.02 --threads 1");
    assert_eq!(s["steps"], 4);
    assert!((number(&s["simulated_seconds"]) - 0.08).abs() < 1e-12);
    folder.json("run cube.toml --out b --set time.steps=4 --set time.step=0.02 --threads 2");
    let read = |name: &str| std::fs::read(folder.path(name).join("history.csv")).unwrap();
    assert_eq!(read("a"), read("b"));
}

#[test]
fn errors_point_into_the_scene() {
    let folder = Folder::new();
    folder.write("bad.toml", &CUBE.replace("step =", "stpe ="));
    let message = folder.fails("run bad.toml --out never", 2);
    for word in ["unknown key 'stpe'", "bad.toml:7:1", "7 | stpe = \"10 ms\"", "^^^^", "'step'"] {
        assert!(message.contains(word), "'{word}' is not in:\n{message}");
    }
    assert!(!folder.path("never").exists());
    let output = folder.run("run bad.toml --json");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((document["error"]["line"].as_u64(), output.status.code()), (Some(7), Some(2)));
    assert!(folder.fails("run nothing.toml", 2).contains("nothing.toml"));
    assert!(folder.fails("run creatur", 2).contains("did you mean 'creature'"));
    assert!(folder.fails("run bar --set time.step=\"1kg\" --out x", 2).contains("a mass"));
    assert!(folder.fails("run --resume nowhere", 2).contains("cannot be resumed"));
}

#[test]
fn foreign_folders_are_refused_and_ours_are_taken_again() {
    let folder = Folder::new();
    folder.write("cube.toml", CUBE);
    std::fs::create_dir(folder.path("mine")).unwrap();
    folder.write("mine/notes.txt", "mine");
    let message = folder.fails("run cube.toml --set time.steps=2 --out mine", 2);
    assert!(message.contains("--force"), "{message}");
    folder.json("run cube.toml --set time.steps=2 --out mine --force");
    folder.json("run cube.toml --set time.steps=1 --out mine");
    assert_eq!(std::fs::read_to_string(folder.path("mine/notes.txt")).unwrap(), "mine");
    assert!(!folder.path("mine/frames/cube_00002.vtu").exists());
}

/// Killed at some moment, killed again when it was resumed, and resumed until it is done. `PLIANT_KILLS` says how
/// many moments are tried, 3 unless it is there.
#[cfg(unix)]
#[test]
fn a_killed_run_is_resumed_to_the_last_bit() {
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    let scene = "[body.bar]\nmesh = { shape = \"bar\", across = 2 }\n\
        material = { law = \"neo-hookean\", young = \"100 kPa\" }\nfixed = \"x-min\"\n\
        [time]\nintegrator = \"bdf2\"\nstep = 0.01\nsteps = 60\n\
        [output]\ncheckpoint_every = 5\nframes = 0.05\n\
        formats = [\"vtu\", \"obj\", \"ply\", \"pc2\", \"glb\", \"usda\"]\n";
    folder.write("bar.toml", scene);
    let clock = std::time::Instant::now();
    folder.json("run bar.toml --out whole");
    let whole = clock.elapsed().as_secs_f64();
    let kill = |arguments: &[&str], share: f64| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pliant"))
            .args(arguments)
            .arg("--quiet")
            .current_dir(folder.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_secs_f64(share * whole));
        let _ = child.kill();
        child.wait().unwrap();
    };
    let kills: u64 = std::env::var("PLIANT_KILLS").map_or(3, |n| n.parse().unwrap());
    for k in 1..=kills {
        // Spread over the run without a pattern: parts of multiples of the golden ratio.
        let wait = (0.618_034 * k as f64).fract();
        let out = folder.path("cut");
        kill(&["run", "bar.toml", "--out", "cut"], wait);
        if !out.join("run.json").is_file() {
            continue;
        }
        // What there is can be read: a cache has the frames it counts, and animations are whole.
        if let Ok(cache) = std::fs::read(out.join("frames/bar.pc2"))
            && cache.len() >= 32
        {
            let word = |at: usize| u32::from_le_bytes(cache[at..at + 4].try_into().unwrap());
            assert!(cache.len() >= 32 + (12 * word(16) * word(28)) as usize, "after {wait}");
        }
        if let Ok(text) = std::fs::read_to_string(out.join("animation.usda")) {
            assert!(text.ends_with("}\n}\n"), "after {wait}");
        }
        kill(&["run", "--resume", "cut"], (0.414_214 * k as f64).fract() * (1.0 - wait));
        folder.json("run --resume cut");
        let names = |run: &str| {
            let frames = std::fs::read_dir(folder.path(run).join("frames")).unwrap().flatten();
            let mut names: Vec<_> =
                frames.map(|f| f.path().file_name().unwrap().to_owned()).collect();
            names.sort();
            names
        };
        assert_eq!(names("whole"), names("cut"));
        let mut files: Vec<String> =
            names("whole").iter().map(|n| format!("frames/{}", n.to_string_lossy())).collect();
        assert_eq!(files.len(), 3 * 13 + 2);
        let single =
            ["history.csv", "bar.pvd", "checkpoint.bin", "animation.glb", "animation.usda"];
        files.extend(single.map(str::to_owned));
        for file in files {
            let read = |run: &str| std::fs::read(folder.path(run).join(&file)).unwrap();
            assert!(read("whole") == read("cut"), "{file} after {wait} of the run");
        }
    }
}

/// Ctrl-C: the step is finished, what there is is written, and the run says how it goes on, which it then does.
#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_go_on() {
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    folder.write(
        "cube.toml",
        &CUBE.replace("end = \"0.5 s\"", "end = \"20 s\"\n[output]\nframes = 0"),
    );
    folder.json("run cube.toml --out whole");
    let mut child = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args(["run", "cube.toml", "--out", "cut"])
        .current_dir(folder.path(""))
        .env("NO_COLOR", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // After the first of its checkpoints it has run for a while, and has a while to go.
    let started = std::time::Instant::now();
    while !folder.path("cut/checkpoint.bin").exists() && child.try_wait().unwrap().is_none() {
        assert!(started.elapsed().as_secs() < 60, "no checkpoint within a minute");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("stopped at t = ") && message.contains("--resume cut"), "{message}");
    let read = |file: &str| std::fs::read_to_string(folder.path(file)).unwrap();
    let summary: Value = serde_json::from_str(&read("cut/summary.json")).unwrap();
    assert_eq!(summary["converged"], false);
    assert!(summary["steps"].as_u64().unwrap() < 2000, "{summary}");
    assert!(read("cut/report.html").contains("Stopped"));
    folder.json("run --resume cut");
    assert!(read("cut/history.csv") == read("whole/history.csv"));
}

/// Files that may not grow beyond a limit end as a full disk does: with an error in place of a write.
#[cfg(target_os = "linux")]
#[test]
fn a_run_without_room_stops_and_goes_on_when_there_is_some() {
    let folder = Folder::new();
    let scene = format!("{CUBE}[output]\nframes = \"10 ms\"\nformats = \"pc2\"\n");
    folder.write("cube.toml", &scene);
    folder.json("run cube.toml --out whole");
    // The cache needs 32 + 51 · 96 bytes; blocks are of 512.
    let command = "trap '' XFSZ; ulimit -f 6; exec \"$0\" run cube.toml --out full --json";
    let output = std::process::Command::new("sh")
        .args(["-c", command, env!("CARGO_BIN_EXE_pliant")])
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("--resume") && message.contains("too large"), "{message}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["error"]["kind"], "output");
    folder.json("run --resume full");
    for file in ["history.csv", "frames/cube.pc2", "frames/cube.obj"] {
        let read = |run: &str| std::fs::read(folder.path(run).join(file)).unwrap();
        assert!(read("whole") == read("full"), "{file}");
    }
}

#[test]
fn a_static_scene_and_its_matrices_agree() {
    let folder = Folder::new();
    let s = folder.json("run hanging-cube --out cube");
    assert_eq!((s["analysis"].as_str(), s["steps"].as_u64()), (Some("static"), Some(1)));
    let u = number(&s["probes"]["bottom"]["displacement"][1]);
    // ρ g L²/2E = 9.8 mm, less as the top cannot narrow, more as the body is long.
    assert!((-0.014..-0.007).contains(&u), "{u}");
    let m = folder.json("matrices hanging-cube --out m");
    let rows = 3 * number(&s["vertices"]) as u64;
    assert_eq!(m["rows"].as_u64(), Some(rows));
    let read = |name: &str| std::fs::read_to_string(folder.path("m").join(name)).unwrap();
    // The mass of 1 kg, three times.
    let sum: f64 = read("M.mtx")
        .lines()
        .skip(2)
        .filter_map(|l| l.split(' ').nth(2)?.parse::<f64>().ok())
        .sum();
    assert!((sum - 3.0).abs() < 1e-12, "{sum}");
    let f: f64 = read("f.mtx").lines().skip(2).filter_map(|l| l.parse::<f64>().ok()).sum();
    assert!((f + 9.81).abs() < 1e-9, "{f}");
    assert!(read("K.mtx").starts_with("%%MatrixMarket matrix coordinate real symmetric"));
    assert_eq!(read("D.mtx").lines().count(), 2);
}

/// Of a symmetric matrix in both formats, and of a run's last checkpoint.
#[test]
fn matrices_of_a_saved_state_are_written_for_scipy() {
    let folder = Folder::new();
    let scene = "[body.bar]\nmesh = { shape = \"box\", size = [2, 1, 1], cells = [2, 1, 1] }\n\
        material = { law = \"neo-hookean\", young = \"10 kPa\" }\nfixed = \"x-min\"\n\
        damping = { mass = 2 }\n[time]\nstep = 0.02\nsteps = 10\n[output]\nframes = 0\ncheckpoint_every = 4\n";
    folder.write("bar.toml", scene);
    folder.json("run bar.toml --out run --set time.step=0.01");
    let text = folder.json("matrices --state run --out text");
    assert_eq!(text["steps"], 10);
    assert!((number(&text["time"]) - 0.1).abs() < 1e-15);
    let direct =
        "matrices bar.toml --set time.step=0.01 --state run/checkpoint.bin --format npz --out npz";
    let binary = folder.json(direct);
    assert_eq!(binary["steps"], 10);
    let start = folder.json("matrices bar.toml --out start");
    assert_eq!(start["steps"], 0);
    let file = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_ne!(file("text/K.mtx"), file("start/K.mtx"));
    assert_eq!(file("text/M.mtx"), file("start/M.mtx"));
    // Both triangles in the one, the lower in the other.
    let (half, full) = (number(&text["entries"]["K"]), number(&binary["entries"]["K"]));
    let rows = number(&text["rows"]);
    assert!((2.0 * half - rows - full).abs() < 1e-9, "{half} {full}");
    let f = file("npz/f.npy");
    assert!(
        f.starts_with(b"\x93NUMPY\x01\x00") && f.len() == 128 + 8 * rows as usize,
        "{}",
        f.len()
    );
    let last = f64::from_le_bytes(f[f.len() - 8..].try_into().unwrap());
    let lines = String::from_utf8(file("text/f.mtx")).unwrap();
    assert_eq!(lines.lines().last().unwrap().parse::<f64>().unwrap(), last);
    let k = file("npz/K.npz");
    assert!(k.starts_with(b"PK\x03\x04") && k[k.len() - 22..].starts_with(b"PK\x05\x06"));
    let directory = u32::from_le_bytes(k[k.len() - 6..k.len() - 2].try_into().unwrap()) as usize;
    assert!(k[directory..].starts_with(b"PK\x01\x02"));
    // Another scene, or none.
    assert!(folder.fails("matrices bar.toml --state run --out x", 2).contains("scene has changed"));
    assert!(folder.fails("matrices --state nowhere --out x", 2).contains("no such file"));
    folder.write("run/checkpoint.bin", "short");
    assert!(folder.fails("matrices --state run --out x", 2).contains("cut off"));
}

#[test]
fn the_schema_of_scenes_is_printed() {
    let folder = Folder::new();
    let schema = folder.json("scene-schema");
    assert_eq!(schema["properties"]["time"]["allOf"][0]["$ref"], "#/definitions/time");
    assert!(text(&folder.run("--help").stdout).contains("scene-schema"));
}

#[test]
fn scenes_are_listed() {
    let folder = Folder::new();
    let list = folder.json("list scenes");
    assert!(list["scenes"].as_array().unwrap().len() >= 10);
    assert!(list["scenes"][0]["about"].as_str().unwrap().len() > 10);
}

#[test]
fn configurations_of_vega_run() {
    let Some(models) = vega_models() else { return };
    let example = models.join("../examples/beam3_tet/beam3_tet.config");
    let folder = Folder::new();
    let run = format!("run {} --out beam --set time.steps=3", example.display());
    let output = folder.run(&format!("{run} --json"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("it has no effect here"));
    folder.json(&format!("import {} -o beam.toml", example.display()));
    let scene = std::fs::read_to_string(folder.path("beam.toml")).unwrap();
    assert!(scene.contains("mesh = ") && scene.contains("fixed = { file ="), "{scene}");
    // Wherever it is put, it finds its files, and moves as the configuration does.
    folder.json("run beam.toml --out translated --set time.steps=3");
    let history = |run: &str| std::fs::read(folder.path(run).join("history.csv")).unwrap();
    assert!(history("beam") == history("translated"));
    let cloth = models.join("../examples/cloth/cloth100.config");
    assert!(folder.fails(&format!("run {}", cloth.display()), 2).contains("cloth"));
}

#[test]
fn a_recording_needs_no_page() {
    let folder = Folder::new();
    folder.write("cube.toml", CUBE);
    let s = folder.json("view cube.toml --record fall.glb --seconds 0.1");
    assert!((number(&s["seconds"]) - 0.1).abs() < 1e-12);
    assert!(std::fs::read(folder.path("fall.glb")).unwrap().starts_with(b"glTF"));
    assert!(!folder.path("fall.recording").exists());
    folder.json("view cube.toml --record falls.obj --seconds 0.1");
    assert!(folder.path("falls/frames/cube_00003.obj").is_file());
    assert!(folder.fails("view cube.toml --record fall.avi --seconds 1", 2).contains("glb"));
    assert!(folder.fails("view cube.toml --record fall.glb --seconds 0", 2).contains("--seconds"));
    folder.fails("view cube.toml --record fall.glb", 2);
}

#[test]
fn what_cannot_be_shown_is_said_at_once() {
    let folder = Folder::new();
    assert!(folder.fails("view creatur --no-open", 2).contains("did you mean 'creature'"));
    assert!(
        folder.fails("view bar --no-open --folder nowhere", 2).contains("nowhere is no folder")
    );
    assert!(folder.fails("view bar --no-open --host example.com", 2).contains("--host"));
    assert!(folder.fails("view bar --no-open --token short", 2).contains("16 to 128"));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let message = folder.fails(&format!("view bar --no-open --port {port}"), 2);
    assert!(message.contains("cannot listen on 127.0.0.1") && message.contains("--port"));
}

#[test]
fn check_lists_what_overlaps_and_says_so_by_its_status() {
    let folder = Folder::new();
    let body = |name: &str, y: &str| {
        format!(
            "[body.{name}]\nmesh = {{ shape = \"box\", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }}\n\
             position = [0.01, {y}, 0.02]\nmaterial = {{ law = \"neo-hookean\", young = \"50 kPa\" }}\n"
        )
    };
    let scene =
        |y: &str| format!("[contact]\nmode = \"barrier\"\n{}{}", body("a", "0"), body("b", y));
    folder.write("apart.toml", &scene("0.11"));
    folder.write("deep.toml", &scene("0.09"));
    let found = folder.json("check apart.toml");
    assert_eq!(found, serde_json::json!({"ok": true, "overlaps": [], "problems": []}));
    let output = folder.run("check deep.toml --json");
    assert_eq!(output.status.code(), Some(1));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let overlap = &found["overlaps"][0];
    assert_eq!((&found["ok"], &overlap["bodies"]), (&false.into(), &serde_json::json!(["a", "b"])));
    assert!(overlap["count"].as_u64().unwrap() > 0 && overlap["place"].is_array(), "{overlap}");
    let said = text(&folder.run("check deep.toml").stdout);
    assert!(said.contains("bodies 'a' and 'b' overlap"), "{said}");
}

/// What hands did on a page is run again without one: with the same bytes on one and on two threads, and never resumed.
#[test]
fn an_input_is_replayed_without_a_page() {
    let folder = Folder::new();
    folder.write("cube.toml", CUBE);
    let input = |step: usize| {
        format!(
            "{{\"pliant-input\":1,\"scene\":\"cube.toml\",\"sets\":[],\"settings\":{{}},\"fingerprint\":\"0\"}}\n\
             {{\"step\":2,\"do\":\"grab\",\"id\":1,\"body\":0,\"triangle\":0,\"weights\":[0.2,0.3,0.5],\"at\":[0.0,4.0,0.0]}}\n\
             {{\"step\":{step},\"do\":\"set\",\"key\":\"gravity\",\"value\":0}}\n\
             {{\"step\":20,\"do\":\"end\"}}\n"
        )
    };
    folder.write("pulled.jsonl", &input(4));
    let summary = folder.json("run --replay pulled.jsonl --out a --threads 1");
    assert_eq!((&summary["steps"], &summary["converged"]), (&20.into(), &true.into()));
    // Pulled up by the hand, where alone it falls by g t²/2 = 20 cm.
    assert!(number(&summary["probes"]["middle"]["displacement"][1]) > -0.1, "{summary}");
    folder.json("run --replay pulled.jsonl --out b --threads 2");
    let history = |run: &str| std::fs::read(folder.path(run).join("history.csv")).unwrap();
    assert!(history("a") == history("b"));
    assert!(folder.fails("run --resume a", 2).contains("a replay, which cannot be resumed"));
    folder.write("wrong.jsonl", &input(1));
    let error = folder.fails("run --replay wrong.jsonl --out c", 2);
    assert!(error.contains("wrong.jsonl, line 3: step 1 comes after step 2"), "{error}");
    assert!(folder.fails("run --replay nowhere.jsonl", 2).contains("cannot be read"));
}
