//! Animations in every format.

use super::*;

#[test]
fn every_format_holds_the_same_places() {
    let t = Temporary::new("formats");
    let scene = t.scene(SCENE).unwrap();
    let outcome = go(&scene, &t.folder("out"), false, u64::MAX).unwrap();
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    let out = t.0.join("out");
    // The places of the third frame, from a run of its own.
    let mut simulation = Simulation::build(&scene).unwrap();
    for _ in 0..6 {
        simulation.step().unwrap();
    }
    let expected = simulation.surfaces()[0].mesh().clone();
    for suffix in ["obj", "ply"] {
        let found = read_surface(&out.join(format!("frames/bar_00002.{suffix}"))).unwrap().mesh;
        assert_eq!((&found.vertices, &found.triangles), (&expected.vertices, &expected.triangles));
        assert_eq!(found.normals, expected.normals, "{suffix}");
        if suffix == "obj" {
            assert_eq!(found.triangle_texture, expected.triangle_texture);
        }
    }
    assert!(out.join("frames/a_b_00007.obj").is_file() && out.join("a_b.pvd").is_file());

    let short = |p: &[f64; 3]| p.map(|c| c as f32);
    let expected: Vec<[f32; 3]> = expected.vertices.iter().map(short).collect();
    let vectors = |bytes: &[u8]| -> Vec<[f32; 3]> {
        let numbers = bytes.as_chunks::<4>().0.as_chunks::<3>().0;
        numbers.iter().map(|p| p.map(f32::from_le_bytes)).collect()
    };
    let cache = fs::read(out.join("frames/bar.pc2")).unwrap();
    assert_eq!((word(&cache, 16), word(&cache, 28), cache.len()), (4, 8, 32 + 8 * 48));
    assert_eq!(vectors(&cache[32 + 2 * 48..32 + 3 * 48]), expected);
    let still = read_surface(&out.join("frames/bar.obj")).unwrap().mesh;
    assert_eq!(still.vertices.iter().map(short).collect::<Vec<_>>(), vectors(&cache[32..80]));

    let text = fs::read_to_string(out.join("animation.usda")).unwrap();
    let sample = text.split("points.timeSamples").nth(1).unwrap();
    let sample = sample.split("\n            2: [").nth(1).unwrap();
    let numbers = sample.split("],").next().unwrap().replace(['(', ')'], "");
    let numbers: Vec<f32> = numbers.split(", ").map(|n| n.parse().unwrap()).collect();
    assert_eq!(numbers, expected.as_flattened());
    // Frames every 30 ms, but the last after 20.
    assert!(text.contains("endTimeCode = 6.666") && text.contains("startTimeCode = 0\n"));
    assert!(text.contains("def Mesh \"a_b\"") && text.contains("primvars:st:indices"));

    let bytes = fs::read(out.join("animation.glb")).unwrap();
    let (json, binary) = glb(&bytes);
    let array = |accessor: &serde_json::Value| {
        let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let [start, length] =
            ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap() as usize);
        &binary[start..start + length]
    };
    let primitive = &json["meshes"][0]["primitives"][0];
    let base = vectors(array(&primitive["attributes"]["POSITION"]));
    let moved = vectors(array(&primitive["targets"][1]["POSITION"]));
    // Six corners have one texture coordinate each where four vertices had several.
    assert_eq!((base.len(), primitive["targets"].as_array().unwrap().len()), (6, 7));
    let indices = array(&primitive["indices"]);
    for (k, &v) in expected_corners().iter().enumerate() {
        let corner = word(indices, 4 * k) as usize;
        for c in 0..3 {
            let sum = base[corner][c] + moved[corner][c];
            assert!((sum - expected[v][c]).abs() < 3e-7, "{sum} {}", expected[v][c]);
        }
    }
    let sampler = &json["animations"][0]["samplers"][0];
    let numbers = |bytes: &[u8]| -> Vec<f32> {
        bytes.as_chunks::<4>().0.iter().map(|c| f32::from_le_bytes(*c)).collect()
    };
    let times = numbers(array(&sampler["input"]));
    assert!((times[2] - 0.06).abs() < 1e-8 && (times[7] - 0.2).abs() < 1e-7, "{times:?}");
    let weights = numbers(array(&sampler["output"]));
    assert_eq!((weights.len(), weights[2 * 7 + 1]), (8 * 7, 1.0));
    assert_eq!(weights.iter().sum::<f32>(), 7.0);
    assert_eq!(json["animations"][0]["channels"].as_array().unwrap().len(), 2);
}

/// What tells how long a run took.
fn is_timed(name: &str) -> bool {
    matches!(name, "summary.json" | "report.html")
}

fn expected_corners() -> Vec<usize> {
    skin().triangles.as_flattened().iter().map(|&v| v as usize).collect()
}

#[test]
fn a_run_that_was_stopped_goes_on_with_the_same_files() {
    for formats in ["[\"pc2\", \"obj\", \"glb\", \"usda\", \"ply\"]", "\"glb\"", "\"usda\""] {
        let t = Temporary::new("resume");
        let all = "[\"vtu\", \"obj\", \"ply\", \"pc2\", \"glb\", \"usda\"]";
        let scene = t.scene(&SCENE.replace(all, formats)).unwrap();
        go(&scene, &t.folder("whole"), false, u64::MAX).unwrap();
        let folder = t.folder("cut");
        for stop in [3, 8, 15, u64::MAX] {
            let outcome = go(&scene, &folder, stop > 3, stop).unwrap();
            assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
            let names = files(&t.0.join("cut"));
            for (name, bytes) in &names {
                assert!(!name.contains("part"), "{name}");
                if name == "animation.glb" {
                    let (json, _) = glb(bytes);
                    // What an interrupted run has made is there, up to its last step.
                    let made = json["meshes"][0]["weights"].as_array().map_or(0, Vec::len) as u64;
                    assert_eq!(made, if stop > 20 { 7 } else { stop / 3 });
                }
            }
        }
        let (whole, cut) = (files(&t.0.join("whole")), files(&t.0.join("cut")));
        assert_eq!(whole.len(), cut.len());
        for ((name, bytes), (other, others)) in whole.iter().zip(&cut) {
            assert_eq!(name, other);
            assert!(is_timed(name) || bytes == others, "{formats}: {name}");
        }
        assert!(whole.iter().all(|(name, _)| !name.contains(".vtu") && !name.contains(".pvd")));
        // Without its cache it cannot go on, and says so.
        let lost = if formats.contains("pc2") { "bar.pc2" } else { "bar.spool" };
        fs::remove_file(t.0.join("cut/frames").join(lost)).unwrap();
        let error = go(&scene, &folder, true, u64::MAX).unwrap_err();
        assert!(error.to_string().contains(lost), "{error}");
    }
}

#[test]
fn too_many_targets_are_thinned_and_it_is_said_which_are_left() {
    let t = Temporary::new("thin");
    let text =
        SCENE.replace("30 ms", "1 ms").replace("10 ms", "0.5 ms").replace("0.2 s", "0.351 s");
    let text = text.replace("[\"vtu\", \"obj\", \"ply\", \"pc2\", \"glb\", \"usda\"]", "\"glb\"");
    let text = text.replace("law = \"neo-hookean\"", "law = \"linear\"") + "stress = false\n";
    let scene = t.scene(&text).unwrap();
    let outcome = go(&scene, &t.folder("out"), false, 11).unwrap();
    let warnings = outcome.summary.warnings.join(" ");
    assert!(warnings.contains("352 frames") && warnings.contains("0, 2, 4, …"), "{warnings}");
    let bytes = fs::read(t.0.join("out/animation.glb")).unwrap();
    let names = &glb(&bytes).0["meshes"][0]["extras"]["targetNames"];
    assert_eq!(*names, serde_json::json!(["frame 2", "frame 4", "frame 5"]));
}

#[test]
fn a_state_of_rest_is_an_animation_of_two_frames() {
    let t = Temporary::new("rest");
    let text = SCENE.replace("[time]", "fixed = \"y-max\"\n[time]\nanalysis = \"static\"");
    let text = text.replace("surface = ", "fixed = \"x-min\"\nsurface = ");
    let outcome = go(&t.scene(&text).unwrap(), &t.folder("out"), false, u64::MAX).unwrap();
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    let usda = fs::read_to_string(t.0.join("out/animation.usda")).unwrap();
    assert!(usda.contains("endTimeCode = 1\n    timeCodesPerSecond = 1\n"), "{}", &usda[..300]);
    let bytes = fs::read(t.0.join("out/animation.glb")).unwrap();
    assert_eq!(glb(&bytes).0["meshes"][1]["weights"].as_array().map(Vec::len), Some(1));
}

/// A disk is full when the device says so: files are written beside their place, and that place
/// is made a door to a device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_stops_the_run_with_the_name_of_the_file() {
    let t = Temporary::new("full");
    let scene = t.scene(SCENE).unwrap();
    let part = std::process::id();
    let files_to_fail = [
        "frames/bar_00003.vtu".to_owned(),
        "frames/a_b_00002.obj".to_owned(),
        "bar.pvd".to_owned(),
        "animation.usda".to_owned(),
        "animation.glb".to_owned(),
        "checkpoint.bin".to_owned(),
    ];
    for (k, file) in files_to_fail.iter().enumerate() {
        let name = format!("out{k}");
        let folder = t.folder(&name);
        let out = t.0.join(&name);
        fs::create_dir_all(out.join("frames")).unwrap();
        let door = out.join(format!("{file}.part-{part}"));
        std::os::unix::fs::symlink("/dev/full", &door).unwrap();
        let outcome = go(&scene, &folder, false, u64::MAX).unwrap();
        let error = outcome.failure.expect(file);
        assert_eq!(error.class(), Class::Output, "{error}");
        let message = &error.details().message;
        assert!(message.contains(file.as_str()) && message.contains("No space"), "{message}");
        assert!(!outcome.summary.converged);
        // What was written is whole, and there is room again: the run goes on to its end.
        for (name, bytes) in files(&out) {
            assert!(!name.contains("part"), "{name}");
            if name == "animation.glb" {
                glb(&bytes);
            }
        }
        let outcome = go(&scene, &folder, true, u64::MAX).unwrap();
        assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
        if k > 0 {
            let (first, this) = (files(&t.0.join("out0")), files(&out));
            for ((name, bytes), (other, others)) in first.iter().zip(&this) {
                assert!(name == other && (is_timed(name) || bytes == others), "{name}");
            }
        }
    }
    // A cache is no file beside another.
    let folder = t.folder("cache");
    fs::create_dir_all(t.0.join("cache/frames")).unwrap();
    std::os::unix::fs::symlink("/dev/full", t.0.join("cache/frames/bar.pc2")).unwrap();
    let error = go(&scene, &folder, false, u64::MAX).unwrap_err();
    assert_eq!(error.class(), Class::Output);
    assert!(error.to_string().contains("bar.pc2"), "{error}");
}
