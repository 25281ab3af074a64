//! The patch test of loads: every kind of load that a uniform state of stress balances gives that state, on every element,
//! whatever the shapes of the cells.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add, norm, scale, sub};
use pliant_mesh::VolumeMesh;
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_mesh::io::{WriteOptions, write_volume};
use pliant_mesh::refine::to_quadratic;
use pliant_model::StressModel;
use pliant_scene::{Scene, Simulation};

pub(crate) const ELEMENTS: [&str; 6] =
    ["tet4", "tet10", "tet10-bbar", "hex8", "hex8-bbar", "hex20"];

/// A folder with a mesh, removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn with(mesh: &VolumeMesh) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pliant-patch-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        write_volume(&path.join("block.vtu"), mesh, &WriteOptions::default()).unwrap();
        Self(path)
    }

    pub(crate) fn build(&self, text: &str) -> Simulation {
        let scene =
            Scene::parse(text, &self.0.join("scene.toml")).unwrap_or_else(|e| panic!("{e}"));
        Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A block of 1 × 1 × 0.8 m. No vertex keeps its place along an axis unless it is on a side there: cells, and faces on
/// the sides, are irregular, and the sides flat.
pub(crate) fn block(element: &str) -> VolumeMesh {
    let cell = if element.starts_with("hex") { CellChoice::Hex } else { CellChoice::Tet5 };
    let size = [1.0, 1.0, 0.8];
    let mut mesh =
        BoxShape { size, cells: [3, 3, 2], cell, ..BoxShape::default() }.generate().unwrap();
    let mut state = 7_u64;
    for x in &mut mesh.vertices {
        for (x, size) in x.iter_mut().zip(size) {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let random = (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
            *x += 0.6 * random * *x * (1.0 - *x / size);
        }
    }
    let quadratic = matches!(element, "tet10" | "tet10-bbar" | "hex20");
    if quadratic { to_quadratic(&mesh).unwrap() } else { mesh }
}

/// A side of the block, by a point on it and its outward normal.
fn side(point: Vec3, normal: Vec3) -> String {
    format!("plane = {{ point = {point:?}, normal = {normal:?} }}")
}

/// F of the block, by least squares over all vertices.
fn gradient(rest: &[Vec3], x: &[Vec3]) -> Mat3<f64> {
    let middle = |list: &[Vec3]| {
        list.iter().fold([0.0; 3], |s, &p| add(s, scale(p, 1.0 / list.len() as f64)))
    };
    let (rest0, x0) = (middle(rest), middle(x));
    let (mut mixed, mut own) = (Mat3::zero(), Mat3::zero());
    for (&rest, &x) in rest.iter().zip(x) {
        mixed += Mat3::outer(sub(x, x0), sub(rest, rest0));
        own += Mat3::outer(sub(rest, rest0), sub(rest, rest0));
    }
    mixed * own.inverse()
}

/// The block under loads at rest, of which `holds` are the supports. Returns F and P, the same in all cells.
fn uniform(
    element: &str,
    folder: &Folder,
    holds: &str,
    loads: &str,
    turned: bool,
) -> (Mat3<f64>, Mat3<f64>) {
    let turn = if turned { "rotation = { axis = [0, 0, 1], angle = \"-45 deg\" }" } else { "" };
    let text = format!(
        r#"
gravity = [0, 0, 0]
[body.block]
mesh = "block.vtu"
element = "{element}"
{turn}
material = {{ law = "neo-hookean", young = "100 kPa", poisson = 0.3 }}
fixed = [{holds}]
load = [{loads}]
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-13
"#
    );
    let mut simulation = folder.build(&text);
    simulation.step().unwrap_or_else(|e| panic!("{element}, {loads}: {e}"));
    let body = &simulation.bodies[0];
    let stresses = StressModel::new(body).unwrap().stresses(&simulation.state().x, &[]);
    let stresses: Vec<_> = stresses.into_iter().map(Option::unwrap).collect();
    let first = stresses[0].cauchy;
    let scale = first.norm();
    assert!(scale > 1e3, "{element}, {loads}: {first:?}");
    for (cell, stress) in stresses.iter().enumerate() {
        let off = (stress.cauchy - first).norm() / scale;
        assert!(off < 1e-10, "{element}, {loads}: cell {cell} has {off:.1e} more or less");
    }
    // The stress of a cell is a mean over its points: that every vertex moves as one F says is more.
    let x = body.of_user(&simulation.state().x);
    let f = gradient(&body.mesh.vertices, &x);
    let (x0, rest0) = (x[0], body.mesh.vertices[0]);
    for (v, (x, rest)) in x.iter().zip(&body.mesh.vertices).enumerate() {
        let affine = f.mul_vec(sub(*rest, rest0));
        let off = norm(sub(sub(*x, x0), affine));
        assert!(off < 1e-11, "{element}, {loads}: vertex {v} is off by {off:.1e} m");
    }
    (f, stresses[0].piola)
}

const ROLLERS: &str = r#"{ set = "x-min", axes = "x" }, { set = "y-min", axes = "y" }, { set = "z-min", axes = "z" }"#;
const T: f64 = 2e4;

#[test]
fn loads_along_the_normal_of_a_side_give_a_uniform_stress() {
    for element in ELEMENTS {
        let folder = Folder::with(&block(element));
        let end = side([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        let run =
            |load: &str| uniform(element, &folder, ROLLERS, &format!("{{ {end}, {load} }}"), false);
        // Dead loads, and those that follow without a change of size: P_xx is what is given, of the rest area.
        for load in [
            "traction = [20000, 0, 0]",
            "traction = [20000, 0, 0], follows = true",
            "force = [16000, 0, 0]",
            "force = [16000, 0, 0], follows = true",
            "pressure = -20000, follows = false",
        ] {
            let (_, p) = run(load);
            assert!((p.0[0][0] - T).abs() < 1e-9 * T, "{element}, {load}: {p:?}");
            let rest = p - Mat3::diagonal([p.0[0][0], 0.0, 0.0]);
            assert!(rest.norm() < 1e-9 * T, "{element}, {load}: {p:?}");
        }
        // A pressure that follows is one of the current area, F_yy F_zz of that of rest.
        let (f, p) = run("pressure = -20000");
        let ratio = f.0[1][1] * f.0[2][2];
        assert!(ratio < 0.95 && (p.0[0][0] - T * ratio).abs() < 1e-9 * T, "{element}: {f:?} {p:?}");
    }
}

/// Six supports that any uniform stretch along the axes leaves without force.
fn corners(a: Vec3, b: Vec3, c: Vec3) -> String {
    let at = |p: Vec3| format!("sphere = {{ centre = {p:?}, radius = 1e-6 }}");
    format!(r#"{{ {} }}, {{ {}, axes = "yz" }}, {{ {}, axes = "z" }}"#, at(a), at(b), at(c))
}

#[test]
fn pressure_on_all_sides_gives_a_uniform_stress() {
    for element in ELEMENTS {
        let folder = Folder::with(&block(element));
        let holds = corners([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
        for (load, follows) in
            [("pressure = 20000", true), ("pressure = 20000, follows = false", false)]
        {
            let (f, p) = uniform(element, &folder, &holds, &format!("{{ {load} }}"), false);
            let area = if follows { f.0[0][0] * f.0[0][0] } else { 1.0 };
            let expected = Mat3::diagonal([-T * area; 3]);
            assert!((p - expected).norm() < 1e-9 * T, "{element}, {load}: {p:?}");
        }
    }
}

/// Shear along the four upright sides, opposite ones against each other: in a block turned by 45° that is tension along x
/// and compression along y, and F stays diagonal.
#[test]
fn shear_along_the_sides_gives_a_uniform_stress() {
    let c = std::f64::consts::FRAC_1_SQRT_2;
    // The block's own axes: at −45° and at 45°.
    let (u, w) = ([c, -c, 0.0], [c, c, 0.0]);
    let minus = |n: Vec3| n.map(|c| -c);
    let sides =
        [([0.0; 3], minus(u)), (u, u), ([0.0; 3], minus(w)), (w, w)].map(|(p, n)| side(p, n));
    let holds = corners([0.0; 3], [2.0 * c, 0.0, 0.0], u);
    for element in ELEMENTS {
        let folder = Folder::with(&block(element));
        for follows in [true, false] {
            // z × n is w on the side of u, as wanted; on that of w it is −u, and u is wanted.
            let shear = |on: &String, sign: f64| {
                format!("{{ {on}, shear = {}, axis = [0, 0, 1], follows = {follows} }}", sign * T)
            };
            let loads = [
                shear(&sides[0], 1.0),
                shear(&sides[1], 1.0),
                shear(&sides[2], -1.0),
                shear(&sides[3], -1.0),
            ];
            let (f, p) = uniform(element, &folder, &holds, &loads.join(", "), true);
            // Area vectors are cof F N, so that P = τ z × cof F.
            let [a, b, h] = std::array::from_fn(|k| f.0[k][k]);
            let expected = if follows {
                Mat3::diagonal([a * h, -b * h, 0.0])
            } else {
                Mat3::diagonal([1.0, -1.0, 0.0])
            };
            assert!((p - expected.scale(T)).norm() < 1e-9 * T, "{element}: {f:?} {p:?}");
            assert!(a > 1.1 && b < 0.9, "{element}: {f:?}");
            // The same as tractions that are carried along.
            let traction = |on: &String, t: Vec3, sign: f64| {
                let t = t.map(|c| sign * T * c);
                format!("{{ {on}, traction = {t:?}, follows = {follows} }}")
            };
            let loads = [
                traction(&sides[0], w, -1.0),
                traction(&sides[1], w, 1.0),
                traction(&sides[2], u, -1.0),
                traction(&sides[3], u, 1.0),
            ];
            let (f, p) = uniform(element, &folder, &holds, &loads.join(", "), true);
            let [a, b, _] = std::array::from_fn(|k| f.0[k][k]);
            // F w = (a, b) / √2, of which the traction has the direction and not the size.
            let size = if follows { (0.5 * (a * a + b * b)).sqrt() } else { 1.0 };
            let expected = if follows {
                Mat3::diagonal([a / size, -b / size, 0.0])
            } else {
                Mat3::diagonal([1.0, -1.0, 0.0])
            };
            assert!((p - expected.scale(T)).norm() < 1e-9 * T, "{element}: {f:?} {p:?}");
        }
    }
}

/// What a load says is what supports answer: on irregular faces the sum is that of the area.
#[test]
fn supports_answer_a_load_on_a_side_exactly() {
    for element in ELEMENTS {
        let folder = Folder::with(&block(element));
        let text = format!(
            r#"
gravity = [0, 0, 0]
[body.block]
mesh = "block.vtu"
element = "{element}"
material = {{ young = "100 kPa", poisson = 0.3 }}
fixed = "x-min"
load = {{ set = "x-max", traction = [0, 300, 500] }}
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-12
"#
        );
        let mut simulation = folder.build(&text);
        simulation.step().unwrap();
        let force = simulation.reactions().unwrap()[0];
        assert!(norm(sub(force, [0.0, -240.0, -400.0])) < 1e-6, "{element}: {force:?}");
    }
}

/// The stiffness of a linear law is constant on every element, the mean dilatation included: Newton's method is done after
/// one iteration, and twice the load moves the body twice as far.
#[test]
fn linear_laws_take_one_iteration() {
    for element in ELEMENTS {
        let folder = Folder::with(&block(element));
        let run = |traction: f64| {
            let text = format!(
                r#"
gravity = [0, 0, 0]
[body.block]
mesh = "block.vtu"
element = "{element}"
material = {{ law = "linear", young = "100 kPa", poisson = 0.45 }}
fixed = "x-min"
load = {{ set = "x-max", traction = [0, {traction}, 0] }}
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-9
"#
            );
            let mut simulation = folder.build(&text);
            simulation.step().unwrap();
            assert_eq!(simulation.tally().newton_iterations, 1, "{element}");
            let body = &simulation.bodies[0];
            let x = body.of_user(&simulation.state().x);
            x.iter().zip(&body.mesh.vertices).map(|(&x, &rest)| sub(x, rest)).collect::<Vec<_>>()
        };
        // Far beyond small strains.
        let (one, many) = (run(1e3), run(1e5));
        let largest = many.iter().map(|&u| norm(u)).fold(0.0, f64::max);
        assert!(largest > 1.0, "{element}: {largest}");
        for (a, b) in one.iter().zip(&many) {
            assert!(norm(sub(scale(*a, 100.0), *b)) < 1e-9 * largest, "{element}: {a:?} {b:?}");
        }
    }
}
