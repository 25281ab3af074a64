//! A surface that a body carries along is pulled at like any other, though the corners of its triangles lie in
//! cells that no element couples: the matrix follows what hands couple.

use std::sync::Arc;

use pliant_algebra::sparse::Pattern;
use pliant_algebra::vec3::{Vec3, add_scaled, norm, sub};
use pliant_scene::Origin;
use pliant_viewer::{Command, Session, Setting, Tool};

use crate::keep::Folder;
use crate::session::run;

const SCENE: &str = r#"
gravity = [0, 0, 0]
[body.bar]
mesh = { shape = "bar", length = 0.3, width = 0.1, height = 0.1, across = 3 }
material = { law = "neo-hookean", young = "100 kPa", poisson = 0.4 }
damping = { mass = 10 }
fixed = "x-min"
"#;

/// A tetrahedron that reaches through most of the bar.
const SKIN: &str = "v 0.02 0.02 0.02\nv 0.28 0.03 0.05\nv 0.27 0.09 0.02\nv 0.25 0.05 0.09\n\
                    f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

/// Corners of [`FACE`] in three cells, of which no two share an element.
const FACE: usize = 2;
const WEIGHTS: [f64; 3] = [0.1, 0.3, 0.6];

/// A session of a scene with these files beside it, which it reads again where a setting changes.
fn session(folder: &Folder, scene: &str, skin: &str, sets: &[&str]) -> Session {
    std::fs::write(folder.0.join("skin.obj"), skin).unwrap();
    let file = folder.0.join("bar.toml");
    std::fs::write(&file, scene).unwrap();
    let sets = sets.iter().map(|&set| set.to_owned()).collect();
    Session::new(Origin { scene: file.display().to_string(), sets }).unwrap()
}

/// The bar with its skin.
fn skinned(folder: &Folder, sets: &[&str]) -> Session {
    session(folder, &format!("{SCENE}surface = \"skin.obj\"\n"), SKIN, sets)
}

/// The bar with its own boundary, and the triangle of it nearest to a point.
fn plain(folder: &Folder, sets: &[&str], near: Vec3) -> (Session, usize) {
    let session = session(folder, SCENE, SKIN, sets);
    let surface = &session.rest()[0];
    let away = |t: &[u32; 3]| norm(sub(surface.positions()[t[0] as usize], near));
    let triangles = surface.triangles().iter().enumerate();
    let triangle = triangles.min_by(|a, b| away(a.1).total_cmp(&away(b.1))).unwrap().0;
    (session, triangle)
}

fn pull(id: u32, triangle: usize, weights: [f64; 3], at: Vec3, stiffness: f64) -> Command {
    Command::Grab { id, body: 0, triangle, weights, at, stiffness: Some(stiffness) }
}

/// Where a point of a triangle is at rest.
fn place(session: &Session, triangle: usize, weights: [f64; 3]) -> Vec3 {
    let surface = &session.rest()[0];
    let corners = surface.triangles()[triangle].map(|v| surface.positions()[v as usize]);
    (0..3).fold([0.0; 3], |p, k| add_scaled(p, corners[k], weights[k]))
}

fn pattern(session: &mut Session) -> Arc<Pattern> {
    session.simulation().system().pattern().clone()
}

#[test]
fn a_skin_is_pulled_at_though_its_triangles_span_many_cells() {
    let folder = Folder::new("skin");
    let mut session = skinned(&folder, &[]);
    // The point is where its triangle says, and so is what it carries.
    let surface = session.rest()[0].clone();
    let nodes = surface.point(FACE, WEIGHTS).unwrap();
    let of = |x: &[Vec3]| nodes.iter().fold([0.0; 3], |p, &(v, w)| add_scaled(p, x[v as usize], w));
    let at = place(&session, FACE, WEIGHTS);
    assert!(norm(sub(of(&session.simulation().state().x), at)) < 1e-14);
    assert!(nodes.len() > 4 && surface.point(4, WEIGHTS).is_none());
    let rest = session.simulation().system().rest().to_vec();
    let mut carried = vec![[0.0; 3]; 4];
    surface.carry(&rest, &mut carried);
    assert!(carried.iter().zip(surface.positions()).all(|(a, b)| norm(sub(*a, *b)) < 1e-14));

    // The spring comes into balance with the body, and lets it go again.
    session.apply(pull(1, FACE, WEIGHTS, [at[0], at[1] + 0.04, at[2]], 500.0));
    run(&mut session, 100);
    let moved = sub(of(&session.simulation().state().x), at);
    assert!(moved[1] > 0.01 && moved[1] < 0.04, "{moved:?}");
    session.apply(Command::Release { id: 1 });
    run(&mut session, 200);
    assert!(norm(sub(of(&session.simulation().state().x), at)) < 0.02 * moved[1]);
}

#[test]
fn a_pull_at_a_skin_converges_like_one_at_a_vertex() {
    // A spring far stiffer than the body: a tangent without its couplings would converge linearly at best.
    let sets =
        ["solver.newton=\"full\"", "solver.newton_tolerance=1e-9", "solver.linear=\"cholesky\""];
    let iterations = |session: &mut Session, triangle: usize, weights: [f64; 3]| -> Vec<usize> {
        let at = place(session, triangle, weights);
        session.apply(pull(1, triangle, weights, [at[0], at[1] + 0.03, at[2]], 1e5));
        let step = |_| {
            run(session, 1);
            session.simulation().last_iterations().unwrap()
        };
        (0..30).map(step).collect()
    };
    let folder = Folder::new("skin-converges");
    let mut session = skinned(&folder, &sets);
    let near = place(&session, FACE, WEIGHTS);
    let skin = iterations(&mut session, FACE, WEIGHTS);
    let (mut session, triangle) = plain(&folder, &sets, near);
    let vertex = iterations(&mut session, triangle, [1.0, 0.0, 0.0]);
    let close = skin.iter().zip(&vertex).all(|(a, b)| *a <= b + 1);
    assert!(close && skin.iter().all(|&n| n <= 8), "{skin:?} {vertex:?}");
}

#[test]
fn the_pattern_follows_a_pull_at_a_skin_and_returns_when_it_ends() {
    let folder = Folder::new("skin-pattern");
    let mut session = skinned(&folder, &[]);
    let at = place(&session, FACE, WEIGHTS);
    run(&mut session, 2);
    let base = pattern(&mut session);
    let entries =
        |session: &mut Session| session.simulation().matrices().unwrap().stiffness.entries();
    let before = entries(&mut session);
    session.apply(pull(1, FACE, WEIGHTS, at, 500.0));
    // Matrices between steps are those of the hand that has just begun to pull.
    assert!(entries(&mut session) > before);
    run(&mut session, 1);
    let pulled = pattern(&mut session);
    assert!(pulled.blocks() > base.blocks());
    // Dragging moves a target, and a second hand at the same triangle couples nothing else.
    for k in 1..10 {
        session.apply(Command::Move { id: 1, at: [at[0], at[1] + 0.004 * f64::from(k), at[2]] });
        if k == 5 {
            session.apply(pull(2, FACE, [0.5, 0.3, 0.2], at, 500.0));
        }
        run(&mut session, 1);
        assert!(Arc::ptr_eq(&pattern(&mut session), &pulled));
    }
    // A changed setting makes another simulation, which takes the hands over.
    session.apply(Command::Set("gravity".into(), Setting::Number(1.0)));
    run(&mut session, 1);
    assert_eq!(pattern(&mut session).blocks(), pulled.blocks());
    assert_eq!(session.grabs().len(), 2);
    session.release_all();
    run(&mut session, 1);
    assert_eq!(pattern(&mut session).blocks(), base.blocks());
    // What comes back is the very pattern of before, not an equal one.
    let base = pattern(&mut session);
    for _ in 0..2 {
        session.apply(Command::Tool(Tool::Pin { body: 0, triangle: FACE, weights: WEIGHTS }));
        run(&mut session, 1);
        assert_eq!(pattern(&mut session).blocks(), pulled.blocks());
        session.apply(Command::Tool(Tool::UnpinAll));
        run(&mut session, 1);
        assert!(Arc::ptr_eq(&pattern(&mut session), &base));
    }
}

#[test]
fn a_pull_at_the_mesh_itself_changes_no_pattern() {
    let folder = Folder::new("skin-none");
    let (mut session, triangle) = plain(&folder, &[], [0.3, 0.1, 0.05]);
    let at = place(&session, triangle, WEIGHTS);
    let base = pattern(&mut session);
    session.apply(pull(1, triangle, WEIGHTS, [at[0], at[1] + 0.03, at[2]], 500.0));
    session.apply(Command::Tool(Tool::Pin { body: 0, triangle: 0, weights: WEIGHTS }));
    let probe = Tool::Probe { at: [0.2, 0.12, 0.05], radius: 0.03, stiffness: 1.0 };
    session.apply(Command::Tool(probe));
    for k in 0..20 {
        session.apply(Command::Move { id: 1, at: [at[0], at[1] + 0.002 * f64::from(k), at[2]] });
        run(&mut session, 1);
        assert!(Arc::ptr_eq(&pattern(&mut session), &base));
    }
    session.apply(Command::Release { id: 1 });
    run(&mut session, 1);
    assert!(Arc::ptr_eq(&pattern(&mut session), &base));
}

/// A sheet just below the upper side of the bar, with triangles smaller than cells.
fn sheet() -> String {
    let (n, m) = (28, 8);
    let mut text = String::new();
    for i in 0..=n {
        for k in 0..=m {
            let (x, z) = (0.01 + 0.01 * f64::from(i), 0.01 + 0.01 * f64::from(k));
            text += &format!("v {x} 0.095 {z}\n");
        }
    }
    for (i, k) in (0..n).flat_map(|i| (0..m).map(move |k| (i, k))) {
        let corner = |i: i32, k: i32| i * (m + 1) + k + 1;
        let [a, b, c, d] =
            [(i, k), (i, k + 1), (i + 1, k + 1), (i + 1, k)].map(|(i, k)| corner(i, k));
        text += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
    }
    text
}

#[test]
fn a_probe_that_slides_over_a_skin_leaves_the_pattern_as_it_was() {
    let folder = Folder::new("skin-probe");
    let scene = format!("{SCENE}surface = \"skin.obj\"\n");
    let mut session = session(&folder, &scene, &sheet(), &[]);
    let base = pattern(&mut session);
    let radius = 0.02;
    let mut extended = false;
    for k in 0..150 {
        let at = [0.1 + 0.001 * f64::from(k), 0.095 + 0.8 * radius, 0.05];
        session.apply(Command::Tool(Tool::Probe { at, radius, stiffness: 1.0 }));
        run(&mut session, 1);
        extended |= pattern(&mut session).blocks() > base.blocks();
    }
    assert!(extended && session.tools().probe.force()[1] < 0.0);
    session.apply(Command::Tool(Tool::ProbeOff));
    run(&mut session, 1);
    assert!(Arc::ptr_eq(&pattern(&mut session), &base));
}
