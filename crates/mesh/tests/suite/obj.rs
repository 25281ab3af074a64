//! Wavefront `.obj`: what is read, kept, and refused.

use crate::common;
use crate::common::torture;

use common::vega_data;
use pliant_mesh::io::{Imported, Source, obj};
use pliant_mesh::{ErrorKind, MeshError, Note, SurfaceGroup, SurfaceMesh};
use torture::{garbage, torture};

const NONE: u32 = u32::MAX;

fn read(text: &str) -> Result<Imported<SurfaceMesh>, MeshError> {
    obj::read(Source::from_bytes("test.obj", text.as_bytes()))
}

fn mesh(text: &str) -> SurfaceMesh {
    read(text).unwrap().mesh
}

fn written(mesh: &SurfaceMesh) -> (Vec<u8>, Vec<Note>) {
    let mut bytes = Vec::new();
    let notes = obj::write(mesh, &mut bytes).unwrap();
    (bytes, notes)
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn every_form_of_corner_is_read() {
    let head = format!("{SQUARE}vt 0 0\nvt 1 0\nvt .5 1 0\nvn 0 0 1\n");
    assert_eq!(mesh(&format!("{head}f 1 2 3\n")).triangles, [[0, 1, 2]]);
    assert_eq!(mesh(&format!("{head}f -4 -3 -2\n")).triangles, [[0, 1, 2]]);
    let m = mesh(&format!("{head}f 1/3 2/2 3/-3\n"));
    assert_eq!((m.triangle_texture, m.triangle_normals), (vec![[2, 1, 0]], vec![]));
    let m = mesh(&format!("{head}f 1//1 2//1 4//-1\n"));
    assert_eq!(
        (m.triangles, m.triangle_texture, m.triangle_normals),
        (vec![[0, 1, 3]], vec![], vec![[0; 3]])
    );
    let m = mesh(&format!("{head}f 1/1/1 2/2/1 3/3/1\n"));
    assert_eq!((m.triangle_texture, m.triangle_normals), (vec![[0, 1, 2]], vec![[0; 3]]));
    assert_eq!(m.texture, [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]]);
    // Mixed: what is missing is marked, before and after.
    let m = mesh(&format!("{head}f 1 2 3\nf 1/1 2/2 3\nf 1//1 2 3\n"));
    assert_eq!(m.triangle_texture, [[NONE; 3], [0, 1, NONE], [NONE; 3]]);
    assert_eq!(m.triangle_normals, [[NONE; 3], [NONE; 3], [0, NONE, NONE]]);
}

#[test]
fn negative_indices_count_from_the_face_and_positive_ones_may_run_ahead() {
    let m = mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 0 0\nf -1 -3 6\nv 9 9 9\nv 8 8 8\n");
    assert_eq!(m.triangles, [[0, 1, 2], [3, 1, 5]]);
}

#[test]
fn quadrilaterals_are_cut_along_the_shorter_diagonal_with_all_their_indices() {
    // The diagonal 1-3 of this kite has length 4, 2-4 has length 2.
    let kite = "v 0 0 0\nv 2 -1 0\nv 4 0 0\nv 2 1 0\nvt 0 0\nvt 1 0\nvt 2 0\nvt 3 0\nvn 0 0 1\n";
    let m = mesh(&format!("{kite}f 1/1/1 2/2/1 3/3/1 4/4/1\n"));
    assert_eq!(m.triangles, [[0, 1, 3], [1, 2, 3]]);
    assert_eq!(m.triangle_texture, m.triangles);
    assert!((m.area() - 4.0).abs() < 1e-15);
    let m = mesh(&format!("{kite}f 2 3 4 1\n"));
    assert_eq!(m.triangles, [[1, 2, 3], [1, 3, 0]]);
    let pentagon = mesh("v 0 0 0\nv 2 0 0\nv 3 1 0\nv 1 3 0\nv -1 1 0\nf 1 2 3 4 5\n");
    assert_eq!(pentagon.triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
}

#[test]
fn groups_are_the_combinations_of_name_and_material() {
    let m = mesh(&format!(
        "mtllib a.mtl b.mtl\nmtllib my file.mtl\n{SQUARE}\
         f 1 2 3\ng left side\nf 1 2 3\nusemtl red\nf 1 2 3\no right\nf 1 2 3\nusemtl\nf 1 2 3\n\
         g left side\nusemtl red\nf 1 2 4\ng unused\n"
    ));
    let group = |name: &str, material: Option<&str>| SurfaceGroup {
        name: name.into(),
        material: material.map(Into::into),
    };
    let red = Some("red");
    assert_eq!(
        m.groups,
        [
            group("default", None),
            group("left side", None),
            group("left side", red),
            group("right", red),
            group("right", None)
        ]
    );
    assert_eq!(m.triangle_group, [0, 1, 2, 3, 4, 2]);
    assert_eq!(m.material_libraries, ["a.mtl", "b.mtl", "my file.mtl"]);
    assert!(mesh(&format!("g left\n{SQUARE}g\nf 1 2 3\n")).groups.is_empty());
}

#[test]
fn lines_continue_comments_end_and_line_ends_vary() {
    let m = mesh(
        "# top \\\r\nv 0 0 0\r\nv 1 \\\r\n 0 0 # right\r\nv 1 1\\\n\t0\ng a \\\nb\nf 1 \\\n2 \\\n \\\n3",
    );
    assert_eq!(m.vertices[1..], [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]);
    assert_eq!((m.triangles.len(), m.groups[0].name.as_str()), (1, "a b"));
}

#[test]
fn what_is_not_kept_is_noted() {
    let text = format!(
        "v 0 0 0 1 .5 .5\nv 1 0 0 1.0\nv 0 1 0\nvt 0 0 3\ns 1\nl 1 2\np 1\ncurv2 1 2\nfoo\nf 1 2 3\n{SQUARE}f 4 5 6 7\n"
    );
    let notes: Vec<String> = read(&text).unwrap().notes.iter().map(Note::to_string).collect();
    assert_eq!(
        notes,
        [
            "1 polygons were cut into triangles, as if convex",
            "weights or colours of 2 vertices are not kept",
            "the third of 1 texture coordinates is not kept",
            "smoothing groups are not kept",
            "2 lines and points ('l', 'p') were passed over",
            "2 unknown statements were passed over, the first is 'curv2' in line 8",
        ]
    );
    assert_eq!(read(&format!("s off\n{SQUARE}f 1 2 3\n")).unwrap().notes, []);
}

#[test]
fn all_that_is_read_is_written_and_read_again() {
    let mut m = mesh(&format!(
        "mtllib a.mtl\n{SQUARE}v 0.1 1e-300 123456789.123456789\nvt 0.3 0.7\nvn 0 0.6 0.8\n\
         f 1 2 3\ng one\nusemtl red\nf 1/1 2/1 3/1\ng two\nf 1//1 2//1 3//1\nusemtl\n\
         f 1/1/1 2/1/1 3/1/1\ng one\nf 5 4 3\n"
    ));
    let (bytes, notes) = written(&m);
    assert_eq!(notes, []);
    assert_eq!(obj::read(Source::from_bytes("w", &bytes)).unwrap().mesh, m);

    m.groups.push(SurfaceGroup { name: "nothing".into(), material: None });
    m.groups[0].name = " a#b\n".into();
    let (bytes, notes) = written(&m);
    assert_eq!(notes.len(), 2, "{notes:?}");
    let back = obj::read(Source::from_bytes("w", &bytes)).unwrap().mesh;
    assert_eq!((back.triangle_group, back.groups[0].name.as_str()), (m.triangle_group, "_a_b__"));
}

#[test]
fn errors_name_the_place() {
    let fails = |text: &str, kind: ErrorKind, message: &str| {
        let error = read(text).unwrap_err();
        assert_eq!(error.kind(), kind, "{text}: {error}");
        assert!(error.to_string().contains(message), "{error}");
    };
    fails("", ErrorKind::Geometry, "test.obj: no surface here: 0 vertices");
    fails("v 0 0 0\n", ErrorKind::Geometry, "1 vertices ('v' lines), 0 faces");
    fails("solid x\nfacet\n", ErrorKind::Geometry, "is it an OBJ file? It has 'solid' in line 1");
    fails("v 0 0\nv 1 1 1", ErrorKind::Syntax, "test.obj:1:6: the line ends where a vertex");
    fails("v 0 0", ErrorKind::Truncated, "test.obj:1:6");
    fails("v 0 x 0\n", ErrorKind::Syntax, "test.obj:1:5: a vertex coordinate: expected a number");
    fails("v 0 nan 0\n", ErrorKind::NotFinite, "test.obj:1:5");
    fails("v 0 1e999 0\n", ErrorKind::NotFinite, "test.obj:1:5");
    let face = |face: &str, kind, message: &str| fails(&format!("{SQUARE}{face}\n"), kind, message);
    face("f 1 2 5", ErrorKind::Index, "test.obj:5:7: a face names vertex 5, but the file has 4");
    face(
        "f 1 2/1 3",
        ErrorKind::Index,
        "5:5: a face names texture coordinate 1, but the file has 0",
    );
    face("f 1 2//7 3", ErrorKind::Index, "test.obj:5:5: a face names normal 7");
    face("f 1 2 0", ErrorKind::Index, "test.obj:5:7: the face names vertex 0");
    face("f 1 2 -5", ErrorKind::Index, "test.obj:5:7: the face names vertex -5");
    for huge in ["4294967296", "9223372036854775807", "-9223372036854775808"] {
        face(&format!("f 1 2 {huge}"), ErrorKind::Index, "test.obj:5:7");
    }
    for bad in ["x", "1/2/3/4", "/1", "1.5", "1/x", "99999999999999999999"] {
        face(&format!("f 1 2 {bad}"), ErrorKind::Syntax, "test.obj:5:7: a corner of a face");
    }
    face("f 1 2", ErrorKind::Syntax, "a face of 2 corners");
    let long = format!("g {}", "x".repeat(1025));
    face(&long, ErrorKind::Unsupported, "test.obj:5:1: a name of more than 1024 bytes");
}

#[test]
fn cut_off_and_garbled_files_do_no_harm() {
    let text = format!(
        "mtllib a\n{SQUARE}vt 0 0\nvn 0 0 1\ng x\nusemtl y\nf 1/1/1 2/1/1 \\\n3/1/1 4/1/1\n"
    );
    let bytes = text.as_bytes();
    torture(bytes, survives);
    let garbage = garbage(10_000);
    let error = obj::read(Source::from_bytes("garbage", &garbage)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Geometry);
}

#[test]
fn vega_surfaces_are_read_and_kept() {
    let Some(data) = vega_data() else { return };
    for (path, vertices, triangles, groups) in [
        ("turtle/turtle.obj", 1961, 2 * 1770 + 114, None),
        ("cloth/cloth100.obj", 10201, 20000, Some(1)),
        ("beam3/beam3.obj", 208, 2 * 206, Some(1)),
        ("asianDragon/asianDragon.obj", 25002, 50000, Some(1)),
    ] {
        let m = obj::read(Source::open(&data.join("models").join(path)).unwrap()).unwrap().mesh;
        assert_eq!((m.vertices.len(), m.triangles.len()), (vertices, triangles), "{path}");
        assert!(groups.is_none_or(|n| n == m.groups.len()), "{path}: {:?}", m.groups);
        assert!(!m.triangle_normals.is_empty());
        let (bytes, notes) = written(&m);
        assert_eq!(notes, []);
        assert_eq!(obj::read(Source::from_bytes("w", &bytes)).unwrap().mesh, m, "{path}");
    }
}

/// Refuses bad input, or reads something that is written and read again unchanged.
fn survives(bad: &[u8]) {
    let Ok(back) = obj::read(Source::from_bytes("bad", bad)) else { return };
    let (bytes, notes) = written(&back.mesh);
    let again = obj::read(Source::from_bytes("again", &bytes)).unwrap().mesh;
    assert_eq!(again.triangles, back.mesh.triangles, "{}", bad.escape_ascii());
    assert!(!notes.is_empty() || again == back.mesh, "{}", bad.escape_ascii());
}
