//! Pressure and gap of contact at vertices: in tables, frames, and as the library has them.

use std::fs;
use std::path::Path;

use pliant_algebra::vec3::{cross, norm, scale, sub};
use pliant_contact::barrier::Barrier;
use pliant_mesh::io::Source;
use pliant_mesh::io::vtu;
use pliant_scene::run::{Destination, run};
use pliant_scene::{Folder, Origin, Scene, Simulation};

use crate::temporary::Temporary;

fn parse(text: &str) -> Scene {
    Scene::parse(text, Path::new("fields.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn settled(text: &str) -> Simulation {
    let mut simulation = Simulation::build(&parse(text)).unwrap_or_else(|e| panic!("{e}"));
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    simulation
}

/// Pressure and gap at the vertices of a body, in the numbering of its mesh.
fn fields(simulation: &mut Simulation, body: usize) -> [Vec<f64>; 2] {
    let found = simulation.contact_fields().unwrap().expect("there is something to touch");
    let [pressure, gap] = [found.pressure().to_vec(), found.gap().to_vec()];
    let body = &simulation.bodies[body];
    let own = |all: &[f64]| {
        let of = |v: usize| all[body.system_vertex(v as u32) as usize];
        (0..body.mesh.vertex_count()).map(of).collect()
    };
    [own(&pressure), own(&gap)]
}

/// ∫ p dA over the faces of a body whose normals at rest point in a direction of y, N: the mean of the corners of triangles, or of both that
/// make a rectangle.
fn force_on(simulation: &Simulation, body: usize, pressure: &[f64], side: f64) -> f64 {
    let body = &simulation.bodies[body];
    let rest = &body.mesh.vertices;
    let boundary = body.boundary();
    let of_face = if body.element.name() == "hex8" { 2 } else { 1 };
    let mut sum = 0.0;
    for face in boundary.surface.triangles.chunks(of_face) {
        let mut corners: Vec<usize> =
            face.as_flattened().iter().map(|&v| boundary.vertex_map[v as usize] as usize).collect();
        let area = scale(
            cross(sub(rest[corners[1]], rest[corners[0]]), sub(rest[corners[2]], rest[corners[0]])),
            0.5 * of_face as f64,
        );
        corners.sort_unstable();
        corners.dedup();
        if area[1] * side > 0.99 * norm(area) {
            let mean = corners.iter().map(|&v| pressure[v]).sum::<f64>() / corners.len() as f64;
            sum += norm(area) * mean;
        }
    }
    sum
}

/// A block of 0.4 kg, brought to rest by a static analysis.
const BLOCK: &str = r#"
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-11
[contact]
mode = "MODE"
distance = "0.5 mm"
stiffness = "10 kPa"
self = false
MORE
[body.block]
mesh = { shape = "box", size = [0.1, 0.04, 0.1], cells = [4, 2, 4], cell = "CELL" }
position = ["3 cm", "0.4 mm", "2 cm"]
material = { law = "linear", young = "10 MPa", poisson = 0 }
element = "ELEMENT"
fixed = [{ set = "y-max", axes = "HELD" }]
"#;
const FLOOR: &str = "[obstacle.floor]\nshape = \"floor\"\nheight = 0\nfriction = 0\n";
const WEIGHT: f64 = 0.4 * 9.81;

fn block(mode: &str, [cell, element]: [&str; 2], more: &str) -> String {
    let text = BLOCK.replace("MODE", mode).replace("CELL", cell);
    // A potential of the depth does not hold what is free: there the block is pressed down by what holds it.
    let (held, height) = if mode == "barrier" { ("xz", "0.4 mm") } else { ("xyz", "-0.2 mm") };
    let text = text.replace("HELD", held).replace("0.4 mm", height);
    text.replace("ELEMENT", element).replace("MORE", more)
}

#[test]
fn pressure_on_a_floor_adds_up_to_the_weight_and_the_gap_is_that_of_the_law() {
    for (kind, uniform, whole) in [
        (["hex", "hex8"], 1e-8, 1e-8),
        (["tet5", "tet4"], 0.06, 1e-8),
        (["tet5", "tet10"], 0.06, 1e-8),
    ] {
        let mut s = settled(&block("barrier", kind, FLOOR));
        let [pressure, gap] = fields(&mut s, 0);
        let force = force_on(&s, 0, &pressure, -1.0);
        println!("{kind:?}: weight off by {:e}", force / WEIGHT - 1.0);
        assert!((force / WEIGHT - 1.0).abs() < whole, "{kind:?}: {force} {WEIGHT}");
        let body = &s.bodies[0];
        let x = body.of_user(&s.state().x);
        for (v, rest) in body.mesh.vertices.iter().enumerate() {
            if rest[1] > 1e-3 {
                assert_eq!(
                    [pressure[v], gap[v]],
                    [0.0, if is_outer(*rest) { 5e-4 } else { gap[v] }]
                );
                continue;
            }
            let off = pressure[v] / (WEIGHT / 0.01) - 1.0;
            assert!(off.abs() < uniform, "{kind:?}: vertex {v}: {off:e}");
            // The gap is where the vertex is, and p = κ P(δ) where pressures are even.
            assert!((gap[v] - x[v][1]).abs() < 1e-15, "{kind:?}: vertex {v}: {}", gap[v]);
            let law = -1e4 * Barrier::Log.jet(gap[v], 5e-4).first;
            assert!((law / (WEIGHT / 0.01) - 1.0).abs() < uniform, "{kind:?}: {law}");
        }
    }
}

/// Whether a point of the block at rest is on its surface.
fn is_outer(p: [f64; 3]) -> bool {
    let on = |c: f64, low: f64, high: f64| (c - low).abs() < 1e-9 || (c - high).abs() < 1e-9;
    on(p[0], 0.03, 0.13) || on(p[1], 4e-4, 0.0404) || on(p[2], 0.02, 0.12)
}

const SLAB: &str = r#"
[body.slab]
mesh = { shape = "box", size = [0.16, 0.02, 0.14], cells = [3, 1, 3], cell = "hex" }
position = [0, "-2 cm", 0]
material = { law = "linear", young = "10 MPa", poisson = 0 }
fixed = "y-min"
"#;

#[test]
fn two_bodies_have_the_same_force_on_both_sides_in_all_modes_with_a_potential() {
    for mode in ["barrier", "soft", "penalty"] {
        let text = block(mode, ["hex", "hex8"], "") + SLAB;
        let mut s = settled(&text);
        let held = s.reactions().unwrap()[0][1];
        let forces = s.contact_forces();
        let found = forces.pairs[0].force[1].abs();
        assert!(((found + held) / WEIGHT - 1.0).abs() < 1e-6, "{mode}: {forces:?} {held}");
        for (body, side) in [(0, -1.0), (1, 1.0)] {
            let [pressure, gap] = fields(&mut s, body);
            let force = force_on(&s, body, &pressure, side);
            println!("{mode}: body {body}: {found} N, off by {:e}", force / found - 1.0);
            // Forces of edges lean a little to the side.
            assert!((force / found - 1.0).abs() < 1e-5, "{mode}, {body}: {force}");
            assert!(gap.iter().all(|g| (-5e-4..=5e-4).contains(g)), "{mode}");
        }
        // The vertices of the slab are not below the block but for four of them.
        let [_, gap] = fields(&mut s, 1);
        let near = gap.iter().filter(|g| **g < 5e-4 && **g != 0.0).count();
        assert_eq!(near, 4, "{mode}: {gap:?}");
    }
}

#[test]
fn obstacles_of_the_soft_mode_and_without_contact_press_with_the_weight() {
    for text in [block("soft", ["tet5", "tet4"], FLOOR), block("off", ["tet5", "tet4"], FLOOR)] {
        let mut s = settled(&text);
        let [pressure, gap] = fields(&mut s, 0);
        let force = force_on(&s, 0, &pressure, -1.0);
        let held = s.reactions().unwrap()[0][1];
        // The foot bends a little.
        assert!(((force + held) / WEIGHT - 1.0).abs() < 1e-4, "{force} {held}");
        assert!(force > 1.1 * WEIGHT, "{force}");
        let x = s.bodies[0].of_user(&s.state().x);
        let lowest = x.iter().map(|x| x[1]).fold(f64::INFINITY, f64::min);
        assert_eq!(gap.iter().copied().fold(f64::INFINITY, f64::min), lowest);
        assert!(lowest < 0.0);
    }
}

#[test]
fn nothing_is_told_where_nothing_can_be_touched_or_no_potential_keeps_apart() {
    for text in [block("off", ["hex", "hex8"], ""), block("constraints", ["hex", "hex8"], FLOOR)] {
        let text = text.replace("analysis = \"static\"", "end = \"10 ms\"");
        assert!(settled(&text).contact_fields().unwrap().is_none());
    }
}

/// Names of the point arrays that a reader of meshes skips in the last frame of a run.
fn arrays(text: &str, at: &Temporary) -> String {
    let origin = Origin { scene: "fields".into(), sets: Vec::new() };
    let folder = Folder::create(&at.0, &origin, false).unwrap();
    let scene = parse(text);
    let mut simulation = Simulation::build(&scene).unwrap();
    run(
        &scene,
        &mut simulation,
        Some(&Destination { folder: &folder, resume: false }),
        &mut |_| true,
    )
    .unwrap();
    let bytes = fs::read(at.0.join("frames/block_00001.vtu")).unwrap();
    let read = vtu::read(Source::from_bytes("frame.vtu", &bytes)).unwrap();
    format!("{:?}", read.notes)
}

#[test]
fn frames_and_tables_have_the_fields_unless_they_are_switched_off() {
    let table = "[[output.table]]\nname = \"foot\"\nset = \"y-min\"\ncolumns = [\"contact_pressure\", \"contact_gap\"]\n";
    let text = block("barrier", ["hex", "hex8"], FLOOR) + table;
    let at = Temporary::new("contact-fields");
    let notes = arrays(&text, &at);
    assert!(notes.contains("contact_pressure") && notes.contains("contact_gap"), "{notes}");
    let csv = fs::read_to_string(at.0.join("tables/foot.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows[0][6..], ["contact_pressure [Pa]", "contact_gap [m]"]);
    let last = &rows[rows.len() - 25..];
    for row in last {
        let pressure: f64 = row[6].parse().unwrap();
        assert!((pressure / (WEIGHT / 0.01) - 1.0).abs() < 1e-8, "{row:?}");
        assert!(row[7].parse::<f64>().unwrap() > 0.0, "{row:?}");
    }
    let at = Temporary::new("no-contact-fields");
    let notes = arrays(
        &text.replace("[[output.table]]", "[output]\ncontact = false\n[[output.table]]"),
        &at,
    );
    assert!(!notes.contains("contact_pressure"), "{notes}");
}
