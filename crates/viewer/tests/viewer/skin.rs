//! A surface that a body carries along is pulled at like any other, though the corners of its triangles lie in
//! cells that the matrix does not couple.

use pliant_algebra::vec3::{Vec3, add_scaled, norm, sub};
use pliant_scene::Origin;
use pliant_viewer::{Command, Session};

const SCENE: &str = r#"
gravity = [0, 0, 0]
[body.bar]
mesh = { shape = "bar", length = 0.3, width = 0.1, height = 0.1, across = 3 }
material = { law = "neo-hookean", young = "100 kPa", poisson = 0.4 }
damping = { mass = 10 }
surface = "skin.obj"
fixed = "x-min"
"#;

/// A tetrahedron that reaches through most of the bar.
const SKIN: &str = "v 0.02 0.02 0.02\nv 0.28 0.03 0.05\nv 0.27 0.09 0.02\nv 0.25 0.05 0.09\n\
                    f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

#[test]
fn a_skin_is_pulled_at_though_its_triangles_span_many_cells() {
    let folder = std::env::temp_dir().join(format!("pliant-skin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("skin.obj"), SKIN).unwrap();
    let file = folder.join("bar.toml");
    std::fs::write(&file, SCENE).unwrap();
    let origin = Origin { scene: file.display().to_string(), sets: Vec::new() };
    let mut session = Session::new(origin).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();

    // The point is where its triangle says, and so is what it carries.
    let surface = session.rest()[0].clone();
    let weights = [0.1, 0.3, 0.6];
    let nodes = surface.point(2, weights).unwrap();
    let corners = surface.triangles()[2].map(|v| surface.positions()[v as usize]);
    let place =
        |of: &[Vec3]| nodes.iter().fold([0.0; 3], |p, &(v, w)| add_scaled(p, of[v as usize], w));
    let at = (0..3).fold([0.0; 3], |p, k| add_scaled(p, corners[k], weights[k]));
    assert!(norm(sub(place(&session.simulation().state().x), at)) < 1e-14);
    assert!(nodes.len() > 4 && surface.point(4, weights).is_none());
    let rest = session.simulation().system().rest().to_vec();
    let mut carried = vec![[0.0; 3]; 4];
    surface.carry(&rest, &mut carried);
    assert!(carried.iter().zip(surface.positions()).all(|(a, b)| norm(sub(*a, *b)) < 1e-14));

    // Newton's method comes to an answer with the tangent that is too large, and the spring is in balance.
    let target = [at[0], at[1] + 0.04, at[2]];
    let stiffness = Some(500.0);
    session.apply(Command::Grab { id: 1, body: 0, triangle: 2, weights, at: target, stiffness });
    for _ in 0..100 {
        session.step();
    }
    assert!(session.notice().is_none(), "{:?}", session.notice());
    let moved = sub(place(&session.simulation().state().x), at);
    assert!(moved[1] > 0.01 && moved[1] < 0.04, "{moved:?}");
    session.apply(Command::Release { id: 1 });
    for _ in 0..200 {
        session.step();
    }
    assert!(norm(sub(place(&session.simulation().state().x), at)) < 0.02 * moved[1]);
}
