//! What is drawn of bodies, and the animations that are written of it.
#![allow(unsafe_code)] // A global allocator that counts cannot be written without.

use std::fs;
use std::path::{Path, PathBuf};

use pliant_mesh::io::{WriteOptions, interp, read_surface, write_file, write_surface};
use pliant_mesh::{SurfaceMesh, embed::Embedding};
use pliant_scene::run::{Outcome, Place, Progress, run};
use pliant_scene::{Cause, Folder, Origin, Scene, SceneError, Simulation, vega};

const SCENE: &str = r#"
[body.bar]
mesh = { shape = "bar", length = 0.3, width = 0.1, height = 0.1, across = 1 }
material = { law = "neo-hookean", young = "100 kPa", poisson = 0.4 }
scale = 2
rotation = { axis = [0, 1, 0], angle = "90 deg" }
position = [0, 1, 0]
surface = "skin.obj"
[body."a b"]
mesh = { shape = "box", cells = [1, 1, 1] }
material = { law = "stable-neo-hookean", young = "100 kPa" }
[time]
step = "10 ms"
end = "0.2 s"
[output]
frames = "30 ms"
formats = ["vtu", "obj", "ply", "pc2", "glb", "usda"]
checkpoint_every = 4
"#;

/// A folder that goes away with its owner.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("pliant-out-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        write_surface(&folder.join("skin.obj"), &skin(), &WriteOptions::default()).unwrap();
        Self(folder)
    }

    fn scene(&self, text: &str) -> Result<Scene, SceneError> {
        Scene::parse(text, &self.0.join("test.toml"))
    }

    fn folder(&self, name: &str) -> Folder {
        let origin = Origin { scene: "test".into(), sets: Vec::new() };
        Folder::create(&self.0.join(name), &origin, false).unwrap()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A tetrahedron inside the bar, with one corner outside and texture coordinates that meet in a seam.
fn skin() -> SurfaceMesh {
    let places =
        vec![[0.02, 0.02, 0.03], [0.28, 0.05, 0.02], [0.1, 0.12, 0.05], [0.15, 0.05, 0.09]];
    let mut skin = SurfaceMesh::new(places, vec![[0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 2, 1]]);
    skin.texture = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    skin.triangle_texture = vec![[0, 1, 3], [1, 2, 3], [2, 0, 3], [1, 2, 0]];
    skin
}

/// Runs, until `stop` steps were made.
fn go(scene: &Scene, folder: &Folder, resume: bool, stop: u64) -> Result<Outcome, SceneError> {
    let mut simulation = Simulation::build(scene)?;
    let mut watch = |p: &Progress| p.step < stop;
    run(scene, &mut simulation, Some(&Place { folder, resume }), &mut watch)
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut list = Vec::new();
    for place in [folder.to_owned(), folder.join("frames")] {
        for path in fs::read_dir(place).unwrap().flatten().map(|e| e.path()) {
            if path.is_file() {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                list.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    list.sort();
    list
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// The JSON and the binary part.
fn glb(bytes: &[u8]) -> (serde_json::Value, &[u8]) {
    assert_eq!((&bytes[..4], word(bytes, 4)), (b"glTF".as_slice(), 2));
    assert_eq!(word(bytes, 8) as usize, bytes.len());
    let json = word(bytes, 12) as usize;
    let binary = 20 + json;
    assert_eq!(
        (&bytes[16..20], &bytes[binary + 4..binary + 8]),
        (b"JSON".as_slice(), b"BIN\0".as_slice())
    );
    assert_eq!(word(bytes, binary) as usize, bytes.len() - binary - 8);
    (serde_json::from_slice(&bytes[20..binary]).unwrap(), &bytes[binary + 8..])
}

mod surfaces {
    use super::*;

    fn deviation(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
        assert_eq!(a.len(), b.len());
        let pairs = a.as_flattened().iter().zip(b.as_flattened());
        pairs.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()))
    }

    /// A skin is put where its body is put, and moves with it as one: here by g t²/2, while it turns.
    #[test]
    fn a_skin_follows_its_body() {
        let t = Temporary::new("skin");
        let text = SCENE.replace("[time]", "[time]\nintegrator = \"trapezoidal\"");
        let mut simulation = Simulation::build(&t.scene(&text).unwrap()).unwrap();
        let put = |[x, y, z]: [f64; 3]| [2.0 * z, 1.0 + 2.0 * y, -2.0 * x];
        let rest: Vec<_> = skin().vertices.into_iter().map(put).collect();
        assert!(deviation(simulation.surfaces()[0].positions(), &rest) < 1e-15);
        while !simulation.is_done() {
            simulation.step().unwrap();
        }
        let fallen: Vec<_> = rest.iter().map(|&[x, y, z]| [x, y - 9.81 * 0.02, z]).collect();
        let surface = &simulation.surfaces()[0];
        assert!(deviation(surface.positions(), &fallen) < 1e-12);
        assert_eq!((surface.name(), surface.triangles()), ("bar", &skin().triangles[..]));
        // Normals point outward, and are of unit length.
        let mean = |k: usize| fallen.iter().map(|p| p[k]).sum::<f64>() / 4.0;
        for (p, n) in surface.positions().iter().zip(surface.normals()) {
            let out: f64 = (0..3).map(|k| n[k] * (p[k] - mean(k))).sum();
            assert!(out > 0.0 && (n.iter().map(|c| c * c).sum::<f64>() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn without_a_skin_the_boundary_is_drawn_where_the_vertices_are() {
        let t = Temporary::new("boundary");
        let mut simulation = Simulation::build(&t.scene(SCENE).unwrap()).unwrap();
        simulation.step().unwrap();
        let places = simulation.bodies[1].of_user(&simulation.state().x.clone());
        let surface = &simulation.surfaces()[1];
        // All corners of a box of one cell are on its boundary.
        assert_eq!((surface.positions(), surface.triangles().len()), (&places[..], 12));
        assert!((surface.mesh().volume() - 1.0).abs() < 1e-4);
    }

    /// On ten nodes a cell the skin bends as the body does: by a quadratic function of the place.
    #[test]
    fn a_skin_of_quadratic_elements_bends_with_them() {
        let t = Temporary::new("quadratic");
        let mut inside = skin();
        inside.vertices[2] = [0.1, 0.09, 0.05];
        write_surface(&t.0.join("skin.obj"), &inside, &WriteOptions::default()).unwrap();
        let text = SCENE.replace("surface = ", "element = \"tet10\"\nsurface = ");
        let mut simulation = Simulation::build(&t.scene(&text).unwrap()).unwrap();
        let bend = |[x, y, z]: [f64; 3]| [x, y + 0.3 * z * z, z - 0.2 * x * z];
        let x: Vec<_> = simulation.state().x.iter().map(|&p| bend(p)).collect();
        let mut surface = simulation.surfaces()[0].clone();
        let expected: Vec<_> = surface.positions().iter().map(|&p| bend(p)).collect();
        surface.move_to(&x);
        assert!(deviation(surface.positions(), &expected) < 1e-15);
    }

    /// Weights of a file give what binding gives.
    #[test]
    fn weights_of_a_file_bind_as_we_do() {
        let t = Temporary::new("weights");
        let plain = SCENE.replace("surface = \"skin.obj\"", "");
        let bar = Simulation::build(&t.scene(&plain).unwrap()).unwrap();
        let put = |[x, y, z]: [f64; 3]| [2.0 * z, 1.0 + 2.0 * y, -2.0 * x];
        let points: Vec<_> = skin().vertices.into_iter().map(put).collect();
        let bound = Embedding::bind(&bar.bodies[0].mesh, &points).unwrap();
        write_file(&t.0.join("skin.interp"), |sink| interp::write(&bound, sink)).unwrap();
        let table = "surface = { file = \"skin.obj\", weights = \"skin.interp\" }";
        let by_file = SCENE.replace("surface = \"skin.obj\"", table);
        let end = |text: &str| {
            let mut simulation = Simulation::build(&t.scene(text).unwrap()).unwrap();
            assert!(simulation.warnings.is_empty(), "{:?}", simulation.warnings);
            for _ in 0..5 {
                simulation.step().unwrap();
            }
            simulation.surfaces()[0].positions().to_vec()
        };
        assert!(deviation(&end(&by_file), &end(SCENE)) < 1e-15);

        fs::write(t.0.join("skin.interp"), "0 0 1 1 0 2 0 3 0\n").unwrap();
        let error = t.scene(&by_file).and_then(|s| Simulation::build(&s)).err().unwrap();
        assert!(error.to_string().contains("binds 1 points"), "{error}");
        assert_eq!(error.details().place.as_ref().unwrap().line, 8);
        let lines = [0, 1, 2, 3].map(|i| format!("{i} 0 1 1 0 2 0 3 0\n"));
        fs::write(t.0.join("skin.interp"), lines.concat()).unwrap();
        let odd = t.scene(&by_file).and_then(|s| Simulation::build(&s)).unwrap();
        assert!(odd.warnings[0].contains("away from its place at rest"), "{:?}", odd.warnings);
    }

    #[test]
    fn odd_surfaces_are_refused_or_warned_of() {
        let t = Temporary::new("odd");
        let build = |text: &str| t.scene(text).and_then(|s| Simulation::build(&s));
        for (value, line, words) in [
            ("\"none.obj\"", 8, "none.obj"),
            ("{ fle = \"skin.obj\" }", 8, "'file'"),
            ("\"skin.veg\"", 8, ".obj"),
        ] {
            let error = build(&SCENE.replace("\"skin.obj\"", value)).err().unwrap();
            assert!(error.to_string().contains(words), "{error}");
            assert_eq!(error.details().place.as_ref().unwrap().line, line, "{error}");
        }
        let mut far = skin();
        far.vertices[1] = [3.0, 0.0, 0.0];
        write_surface(&t.0.join("skin.obj"), &far, &WriteOptions::default()).unwrap();
        let warned = build(SCENE).unwrap();
        assert!(
            warned.warnings.iter().any(|w| w.contains("belong together")),
            "{:?}",
            warned.warnings
        );
        let error = build(&SCENE.replace("\"ply\"", "\"pyl\"")).err().unwrap();
        assert!(error.to_string().contains("did you mean 'ply'"), "{error}");
        let error =
            build(&SCENE.replace("[\"vtu\", \"obj\", \"ply\", \"pc2\", \"glb\", \"usda\"]", "[]"));
        assert!(error.err().unwrap().to_string().contains("frames = 0"));
    }

    #[test]
    fn surfaces_of_vega_are_taken_where_they_are() {
        let t = Temporary::new("vega");
        let config = "*volumetricMeshFilename\na.veg\n*renderingMeshFilename\nskin.obj\n\
            *secondaryRenderingMeshFilename\nfine.obj\n";
        let made = vega::import(config, &t.0.join("a.config")).unwrap();
        assert!(made.scene.contains("surface = \"skin.obj\"\n"), "{}", made.scene);
        assert!(made.notes.iter().any(|n| n.contains("fine.obj is not there")), "{:?}", made.notes);
        let both = "*secondaryRenderingMeshInterpolationFilename\nskin.obj\n";
        let config = format!("{config}{both}").replace("fine.obj", "skin.obj");
        let made = vega::import(&config, &t.0.join("a.config")).unwrap();
        let expected = "surface = { file = \"skin.obj\", weights = \"skin.obj\" }\n";
        assert!(made.scene.contains(expected) && made.notes.is_empty(), "{made:?}");
    }

    /// Vega's own weights put Vega's own surface where its file has it.
    #[test]
    fn the_turtle_wears_its_skin() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .map(|folder| folder.join("shared/data/vega/"))
            .find(|folder| folder.is_dir());
        let Some(folder) = folder else { return };
        let config = folder.join("examples/turtle/turtle.config");
        let mut simulation = Simulation::build(&Scene::read(&config, &[]).unwrap()).unwrap();
        let file = read_surface(&folder.join("models/turtle/turtle.obj")).unwrap().mesh;
        let size = simulation.system().size();
        let surface = &simulation.surfaces()[0];
        assert!(deviation(surface.positions(), &file.vertices) < 1e-4 * size);
        assert_eq!(surface.triangles(), file.triangles);
    }
}

mod allocations {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;

    use super::*;

    struct Counting;

    thread_local! {
        /// Of this thread alone: other tests run beside.
        static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    }

    // SAFETY: every call goes to the system's allocator unchanged.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            ALLOCATIONS.set(ALLOCATIONS.get() + 1);
            // SAFETY: the caller's promise is handed on.
            unsafe { System.alloc(layout) }
        }
        unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
            // SAFETY: the caller's promise is handed on.
            unsafe { System.dealloc(at, layout) }
        }
    }

    #[global_allocator]
    static COUNTING: Counting = Counting;

    #[test]
    fn steps_of_a_simulation_allocate_nothing() {
        // All that a step of a scene does: damping, moving supports with their work, obstacles, the balance.
        let text = r#"
[body.bar]
mesh = { shape = "bar", length = 0.3, width = 0.1, height = 0.1, across = 1 }
material = { law = "neo-hookean", young = "100 kPa", poisson = 0.4 }
damping = { mass = "0.5 1/s", stiffness = "1 ms" }
load = { set = "x-max", force = [0, 0, "2 N"] }
[body.bar.moved]
set = "x-min"
oscillation = { by = [0, 0.01, 0], frequency = "5 Hz" }
[obstacle.floor]
shape = "plane"
point = [0, -0.1, 0]
normal = [0, 1, 0]
[time]
step = "5 ms"
steps = 100
"#;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.install(|| {
            let scene = Scene::parse(text, Path::new("bar.toml")).unwrap();
            let mut simulation = Simulation::build(&scene).unwrap();
            (0..20).for_each(|_| simulation.step().unwrap());
            let before = ALLOCATIONS.get();
            (0..20).for_each(|_| simulation.step().unwrap());
            assert_eq!(ALLOCATIONS.get() - before, 0);
        });
    }

    #[test]
    fn moving_surfaces_allocates_nothing() {
        let t = Temporary::new("allocations");
        let mut simulation = Simulation::build(&t.scene(SCENE).unwrap()).unwrap();
        let mut made = || {
            let before = ALLOCATIONS.get();
            let moved = simulation.surfaces().len();
            assert_eq!(moved, 2);
            ALLOCATIONS.get() - before
        };
        // The first call wakes the threads of the pool.
        made();
        assert_eq!([made(), made(), made()], [0; 3]);
    }
}

mod animations {
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
            assert_eq!(
                (&found.vertices, &found.triangles),
                (&expected.vertices, &expected.triangles)
            );
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
                        let made =
                            json["meshes"][0]["weights"].as_array().map_or(0, Vec::len) as u64;
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
        let text =
            text.replace("[\"vtu\", \"obj\", \"ply\", \"pc2\", \"glb\", \"usda\"]", "\"glb\"");
        let text = text.replace("law = \"neo-hookean\"", "law = \"linear\"") + "stress = false\n";
        let scene = t.scene(&text).unwrap();
        let outcome = go(&scene, &t.folder("out"), false, 11).unwrap();
        let warnings = outcome.summary["warnings"].to_string();
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
            assert_eq!(error.details().cause, Cause::Output, "{error}");
            let message = &error.details().message;
            assert!(message.contains(file.as_str()) && message.contains("No space"), "{message}");
            assert_eq!(outcome.summary["converged"], false);
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
        assert_eq!(error.details().cause, Cause::Output);
        assert!(error.to_string().contains("bar.pc2"), "{error}");
    }
}
