//! `.stl`: text and binary told apart, vertices welded, what is lost named.

use crate::common::torture;

use pliant_mesh::io::stl::{Options, read, write};
use pliant_mesh::io::{Imported, Source};
use pliant_mesh::{ErrorKind, MeshError, Note, SurfaceGroup, SurfaceMesh};
use torture::{garbage, torture};

const TEXT: Options = Options { binary: false };

fn read_bytes(bytes: &[u8]) -> Result<Imported<SurfaceMesh>, MeshError> {
    read(Source::from_bytes("test.stl", bytes))
}

fn written(mesh: &SurfaceMesh, options: Options) -> (Vec<u8>, Vec<Note>) {
    let mut bytes = Vec::new();
    let notes = write(mesh, &mut bytes, &options).unwrap();
    (bytes, notes)
}

/// Coordinates that f32 holds exactly.
fn tetrahedron() -> SurfaceMesh {
    SurfaceMesh::new(
        vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 2.5], [0.0, 1.5, 0.0]],
        vec![[0, 1, 2], [1, 3, 2], [3, 0, 2], [0, 3, 1]],
    )
}

#[test]
fn both_encodings_bring_the_surface_back_welded() {
    let mesh = tetrahedron();
    for options in [Options::default(), TEXT] {
        let (bytes, notes) = written(&mesh, options);
        assert_eq!(notes, []);
        let back = read_bytes(&bytes).unwrap();
        assert_eq!((back.mesh, back.notes), (mesh.clone(), vec![]));
    }
    assert!(Options::default().binary);
}

#[test]
fn normals_are_those_of_the_facets() {
    let (bytes, _) = written(&tetrahedron(), Options::default());
    let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!([float(84), float(88), float(92)], [0.0, -1.0, 0.0]);
    let (bytes, _) = written(&tetrahedron(), TEXT);
    assert!(String::from_utf8(bytes).unwrap().starts_with("solid \nfacet normal 0 -1 0\n"));
}

#[test]
fn a_binary_header_that_starts_with_solid_is_still_binary() {
    let (mut bytes, _) = written(&tetrahedron(), Options::default());
    bytes[..5].copy_from_slice(b"solid");
    assert_eq!(read_bytes(&bytes).unwrap().mesh, tetrahedron());
    // Cut off, its zero bytes betray it.
    let error = read_bytes(&bytes[..200]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Count);
    assert!(error.to_string().contains("announces 4 facets"), "{error}");
    // Followed by more, it is read all the same.
    bytes.extend(b"trailer");
    let back = read_bytes(&bytes).unwrap();
    assert_eq!(back.mesh, tetrahedron());
    assert!(back.notes[0].to_string().starts_with("7 bytes after the last facet"));
}

#[test]
fn text_keeps_every_digit_and_binary_says_what_it_rounds() {
    let mut mesh = tetrahedron();
    mesh.vertices[1][0] = 1.0 + 1e-9;
    mesh.vertices[3][1] = 0.1;
    let (bytes, notes) = written(&mesh, TEXT);
    assert_eq!((read_bytes(&bytes).unwrap().mesh, notes), (mesh.clone(), vec![]));
    let (bytes, notes) = written(&mesh, Options::default());
    // |f32(0.1) − 0.1| = 1.490116e-9 is larger than the 1e-9 of the other.
    assert_eq!(
        notes[0].to_string(),
        "not kept: digits beyond f32: coordinates moved by up to 1.490e-9 (text keeps them)"
    );
    let back = read_bytes(&bytes).unwrap().mesh;
    assert_eq!((back.vertices[1][0], back.vertices[3][1]), (1.0, f64::from(0.1_f32)));

    mesh.vertices[3] = [1e-12, 0.0, 0.0];
    mesh.vertices[0] = [1.0, 0.0, 0.0];
    let (_, notes) = written(&mesh, Options::default());
    assert!(notes[0].to_string().contains("collapsed 2 triangles"), "{notes:?}");
    mesh.vertices[3] = [1e39, 0.0, 0.0];
    let error = write(&mesh, &mut Vec::new(), &Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}

fn facet(a: &str, b: &str, c: &str) -> String {
    format!(
        "facet normal nan 0 1\nouter loop\nvertex {a}\nvertex {b}\nvertex {c}\nendloop\nendfacet\n"
    )
}

#[test]
fn solids_become_groups_and_zeros_of_both_signs_meet() {
    let text = format!(
        "solid left wing\n{}endsolid left wing\nSOLID\n{}{}ENDSOLID\n",
        facet("0 0 0", "1 0 0", "0 1 0"),
        facet("-0 -0.0 0", "1 0 0", "0 0 1").to_uppercase(),
        facet("1 1 1", "2 2 2", "1 1 1"),
    );
    let back = read_bytes(text.as_bytes()).unwrap();
    assert_eq!(back.mesh.triangles, [[0, 1, 2], [0, 1, 3]]);
    assert_eq!(back.mesh.vertices.len(), 4, "corners of the dropped facet must not stay");
    let names: Vec<&str> = back.mesh.groups.iter().map(|g| g.name.as_str()).collect();
    assert_eq!((names, &back.mesh.triangle_group[..]), (vec!["left wing", ""], &[0, 1][..]));
    assert_eq!(
        back.notes[0].to_string(),
        "1 facets with two corners at one place were passed over"
    );
    let (bytes, notes) = written(&back.mesh, TEXT);
    assert_eq!((read_bytes(&bytes).unwrap().mesh, notes), (back.mesh, vec![]));
}

#[test]
fn what_the_format_lacks_is_named_once() {
    let mut mesh = tetrahedron();
    mesh.vertices.push([9.0; 3]);
    mesh.texture = vec![[0.0; 2]; 2];
    mesh.normals = vec![[0.0, 0.0, 1.0]];
    mesh.groups = vec![SurfaceGroup { name: "a".into(), material: Some("red".into()) }];
    mesh.triangle_group = vec![0; 4];
    mesh.material_libraries = vec!["a.mtl".into()];
    let texts = |options| written(&mesh, options).1.iter().map(Note::to_string).collect::<Vec<_>>();
    let text = texts(TEXT);
    assert_eq!(
        text,
        [
            "not kept: texture coordinates (2): STL has none",
            "not kept: normals of vertices (1): STL has none",
            "not kept: materials of groups (1): STL has none",
            "not kept: material libraries (1): STL has none",
            "not kept: vertices without triangles (1): STL has none",
        ]
    );
    assert_eq!(texts(Options::default())[..5], text);
    assert!(texts(Options::default())[5].contains("groups (1): binary STL has none"));
}

#[test]
fn errors_name_the_place() {
    let fails = |bytes: &[u8], kind: ErrorKind, message: &str| {
        let error = read_bytes(bytes).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(message), "{error}");
    };
    fails(b"", ErrorKind::Syntax, "0 bytes");
    fails(b"v 1 2 3\n", ErrorKind::Syntax, "neither text nor binary STL");
    fails(b"solid a\nendsolid a\n", ErrorKind::Geometry, "no surface here");
    fails(b"solid a\n", ErrorKind::Truncated, "'facet' or 'endsolid'");
    fails(b"solid a\nfacet normal 0 0 1\n outer lop\n", ErrorKind::Syntax, "test.stl:3:8");
    let text = |a| format!("solid\n{}endsolid\n", facet(a, "1 0 0", "0 1 0"));
    fails(text("0 inf 0").as_bytes(), ErrorKind::NotFinite, "test.stl:4:10");
    fails(text("0 x 0").as_bytes(), ErrorKind::Syntax, "test.stl:4:10: a vertex coordinate");
    fails(text("0 0").as_bytes(), ErrorKind::Syntax, "test.stl:5:1");
    fails(text("0 0 0 0").as_bytes(), ErrorKind::Syntax, "test.stl:4:14");

    let (bytes, _) = written(&tetrahedron(), Options::default());
    for count in [5_u32, 4_000_000_000, u32::MAX] {
        let mut bad = bytes.clone();
        bad[80..84].copy_from_slice(&count.to_le_bytes());
        fails(&bad, ErrorKind::Count, &format!("{count} facets, but only 200 bytes follow"));
    }
    let mut bad = bytes.clone();
    bad[134 + 12 + 8..134 + 12 + 12].copy_from_slice(&f32::NAN.to_le_bytes());
    fails(&bad, ErrorKind::NotFinite, "test.stl at byte 134: facet 1");
    let mut none = bytes[..84].to_vec();
    none[80..84].fill(0);
    fails(&none, ErrorKind::Geometry, "no surface here");
    fails(&garbage(5000), ErrorKind::Count, "facets, but only");
}

#[test]
fn cut_off_and_garbled_files_do_no_harm() {
    for options in [Options::default(), TEXT] {
        let (bytes, _) = written(&tetrahedron(), options);
        torture(&bytes, survives);
        for end in 0..bytes.trim_ascii_end().len() {
            assert!(read_bytes(&bytes[..end]).is_err(), "cut at {end}");
        }
    }
}

/// Refuses bad input, or reads something that is written and read again unchanged.
fn survives(bad: &[u8]) {
    let Ok(back) = read_bytes(bad) else { return };
    let (bytes, notes) = written(&back.mesh, TEXT);
    let again = read_bytes(&bytes).unwrap().mesh;
    assert_eq!(again.triangles, back.mesh.triangles, "{}", bad.escape_ascii());
    assert!(!notes.is_empty() || again == back.mesh, "{}", bad.escape_ascii());
}
