//! Surfaces that bodies carry along.

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
    assert_eq!(error.details().location.as_ref().unwrap().line, 8);
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
        assert_eq!(error.details().location.as_ref().unwrap().line, line, "{error}");
    }
    let mut far = skin();
    far.vertices[1] = [3.0, 0.0, 0.0];
    write_surface(&t.0.join("skin.obj"), &far, &WriteOptions::default()).unwrap();
    let warned = build(SCENE).unwrap();
    assert!(warned.warnings.iter().any(|w| w.contains("belong together")), "{:?}", warned.warnings);
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
