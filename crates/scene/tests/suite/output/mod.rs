//! What is drawn of bodies, and the animations that are written of it.

mod allocations;
mod animations;
mod surfaces;

use std::fs;
use std::path::{Path, PathBuf};

use pliant_errors::Class;
use pliant_mesh::io::{WriteOptions, interp, read_surface, write_file, write_surface};
use pliant_mesh::{SurfaceMesh, embed::Embedding};
use pliant_scene::run::{Destination, Outcome, Progress, run};
use pliant_scene::{Folder, Origin, Scene, SceneError, Simulation, vega};

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
    run(scene, &mut simulation, Some(&Destination { folder, resume }), &mut watch)
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut list = Vec::new();
    for place in [folder.to_owned(), folder.join("frames")] {
        for path in fs::read_dir(place).unwrap().flatten().map(|e| e.path()) {
            // A lock is there for as long as its folder is open.
            if path.is_file() && !path.ends_with("run.lock") {
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
