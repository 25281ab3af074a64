//! `.ply`: every encoding and type, what is skipped, what is refused.

use crate::common::torture;

use pliant_mesh::io::ply::{Options, read, write};
use pliant_mesh::io::{Imported, Source};
use pliant_mesh::{ErrorKind, MeshError, Note, SurfaceGroup, SurfaceMesh};
use torture::{garbage, torture};

const TEXT: Options = Options { binary: false };

fn read_bytes(bytes: &[u8]) -> Result<Imported<SurfaceMesh>, MeshError> {
    read(Source::from_bytes("test.ply", bytes))
}

fn written(mesh: &SurfaceMesh, options: Options) -> (Vec<u8>, Vec<Note>) {
    let mut bytes = Vec::new();
    let notes = write(mesh, &mut bytes, &options).unwrap();
    (bytes, notes)
}

fn tetrahedron() -> SurfaceMesh {
    SurfaceMesh::new(
        vec![[0.1, -0.0, 1e-300], [1.0 / 3.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1e20]],
        vec![[0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 2, 1]],
    )
}

#[test]
fn both_encodings_bring_every_bit_back() {
    let mut mesh = tetrahedron();
    for _ in 0..2 {
        for options in [Options::default(), TEXT] {
            let (bytes, notes) = written(&mesh, options);
            let back = read_bytes(&bytes).unwrap();
            assert_eq!((notes, back.notes), (vec![], vec![]));
            assert_eq!(back.mesh, mesh);
        }
        mesh.normals = vec![[0.0, 0.6, 0.8]; 4];
        mesh.texture = vec![[0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0.7, 0.8]];
        mesh.triangle_normals.clone_from(&mesh.triangles);
        mesh.triangle_texture.clone_from(&mesh.triangles);
    }
    assert!(Options::default().binary);
    let (bytes, _) = written(&mesh, Options::default());
    assert!(bytes.starts_with(
        b"ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty double x\n"
    ));
}

#[test]
fn one_index_per_vertex_is_kept_and_seams_are_named() {
    let mut mesh = tetrahedron();
    mesh.normals = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    mesh.triangle_normals = mesh.triangles.iter().map(|t| t.map(|v| v % 2)).collect();
    mesh.texture = vec![[0.0, 1.0]; 2];
    mesh.triangle_texture = vec![[0; 3], [0; 3], [0; 3], [1; 3]];
    mesh.groups = vec![SurfaceGroup::default()];
    mesh.triangle_group = vec![0; 4];
    let (bytes, notes) = written(&mesh, Options::default());
    let notes: Vec<String> = notes.iter().map(Note::to_string).collect();
    assert_eq!(
        notes,
        [
            "not kept: texture coordinates (2): PLY holds one for each vertex, and some have several or none",
            "not kept: groups (1): PLY has none",
        ]
    );
    let back = read_bytes(&bytes).unwrap().mesh;
    assert_eq!(back.normals.iter().map(|n| n[1]).collect::<Vec<_>>(), [0.0, 1.0, 0.0, 1.0]);
    assert!(back.texture.is_empty());
}

/// A quadrilateral and a triangle in every type and encoding, with strangers before, between and
/// after what matters.
fn strange(encoding: &str, count: &str, index: &str, number: &str) -> Vec<u8> {
    let mut bytes = format!(
        "ply\r\nformat {encoding} 1.0\r\ncomment made by hand\r\nobj_info none\r\n\
         element camera 2\r\nproperty list {count} double view\r\nproperty uchar id\r\n\
         element vertex 5\r\nproperty uchar red\r\nproperty {number} z\r\nproperty {number} x\r\n\
         property list uchar short tags\r\nproperty float y\r\nproperty double texture_v\r\n\
         property double texture_u\r\n\
         element empty 77\r\n\
         element face 2\r\nproperty short flags\r\nproperty list {count} {index} vertex_index\r\n\
         property list uchar float texcoord\r\nelement edge 1\r\nproperty int a\r\nend_header\r\n"
    )
    .into_bytes();
    let mut put = |kind: &str, value: f64, last: bool| match (encoding, kind) {
        ("ascii", _) => {
            bytes.extend(format!("{value}{}", if last { "\r\n" } else { " " }).as_bytes());
        }
        (_, kind) => {
            let mut raw = match kind {
                "char" | "int8" => (value as i8).to_le_bytes().to_vec(),
                "uchar" | "uint8" => (value as u8).to_le_bytes().to_vec(),
                "short" | "int16" => (value as i16).to_le_bytes().to_vec(),
                "ushort" | "uint16" => (value as u16).to_le_bytes().to_vec(),
                "int" | "int32" => (value as i32).to_le_bytes().to_vec(),
                "uint" | "uint32" => (value as u32).to_le_bytes().to_vec(),
                "float" | "float32" => (value as f32).to_le_bytes().to_vec(),
                _ => value.to_le_bytes().to_vec(),
            };
            if encoding == "binary_big_endian" {
                raw.reverse();
            }
            bytes.extend(raw);
        }
    };
    for views in [&[1.5, 2.5][..], &[]] {
        put(count, views.len() as f64, false);
        for &v in views {
            put("double", v, false);
        }
        put("uchar", 9.0, true);
    }
    for v in 0..5 {
        put("uchar", 255.0, false);
        put(number, f64::from(-v), false);
        put(number, f64::from(v % 2), false);
        put("uchar", f64::from(v), false);
        (0..v).for_each(|tag| put("short", f64::from(tag), false));
        put("float", f64::from(v) * 0.5, false);
        put("double", f64::from(v) + 0.25, false);
        put("double", f64::from(v) + 0.75, true);
    }
    for face in [&[0.0, 1.0, 2.0, 3.0][..], &[4.0, 3.0, 2.0]] {
        put("short", -3.0, false);
        put(count, face.len() as f64, false);
        for &v in face {
            put(index, v, false);
        }
        put("uchar", 1.0, false);
        put("float", 0.5, true);
    }
    put("int", 1.0, true);
    bytes
}

#[test]
fn any_types_in_any_order_with_strangers_between() {
    let corner = |v: i32| [f64::from(v % 2), f64::from(v) * 0.5, f64::from(-v)];
    for encoding in ["ascii", "binary_little_endian", "binary_big_endian"] {
        for (count, index, number) in [
            ("uchar", "int", "float"),
            ("int8", "uint", "double"),
            ("ushort", "int16", "int32"),
            ("int", "uint8", "short"),
            ("uint32", "ushort", "float64"),
            ("float32", "double", "char"),
        ] {
            let Imported { mesh, notes } =
                read_bytes(&strange(encoding, count, index, number)).unwrap();
            assert_eq!(
                mesh.vertices,
                (0..5).map(corner).collect::<Vec<_>>(),
                "{encoding} {number}"
            );
            // |02|² = 5 and |13|² = 5 tie: the first diagonal is taken.
            assert_eq!(
                mesh.triangles,
                [[0, 1, 2], [0, 2, 3], [4, 3, 2]],
                "{encoding} {count} {index}"
            );
            assert_eq!(mesh.texture[2], [2.75, 2.25]);
            assert_eq!(mesh.triangle_texture, mesh.triangles);
            assert!(mesh.normals.is_empty() && mesh.triangle_normals.is_empty());
            assert_eq!(
                notes[1].to_string(),
                "not kept: 2 elements 'camera'; red, tags of element 'vertex'; \
                 flags, texcoord of element 'face'; 1 elements 'edge'"
            );
        }
    }
}

#[test]
fn errors_name_the_place() {
    let fails = |text: &str, kind: ErrorKind, message: &str| {
        let error = read_bytes(text.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), kind, "{text}\n{error}");
        assert!(error.to_string().contains(message), "{error}");
    };
    let head = |vertices: &str, faces: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\n\
             property float z\nelement face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
        )
    };
    let body = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    assert!(read_bytes((head("3", "1") + body).as_bytes()).is_ok());
    fails("", ErrorKind::Syntax, "the first line: expected 'ply'");
    fails("solid\n", ErrorKind::Syntax, "test.ply:1:1");
    fails("ply\nformat ascii 1.0\n", ErrorKind::Truncated, "'end_header'");
    fails("ply\nformat utf8 1.0\n", ErrorKind::Syntax, "test.ply:2:8: the format: expected ascii");
    fails("ply\nelement vertex 1\nend_header\n", ErrorKind::Syntax, "no 'format' line");
    fails("ply\nelement vertex x\n", ErrorKind::Syntax, "test.ply:2:16");
    fails("ply\nproperty float x\n", ErrorKind::Syntax, "test.ply:2:16: a property before any");
    fails("ply\nelement vertex 1\nproperty int64 x\n", ErrorKind::Syntax, "test.ply:3:10");
    fails("ply\nelement face 1\nelement face 1\n", ErrorKind::Syntax, "test.ply:3:14: a second");
    fails(&head("0", "1"), ErrorKind::Geometry, "0 elements 'vertex'");
    fails(&head("1", "0"), ErrorKind::Geometry, "0 'face'");
    for huge in ["4000000000", "9223372036854775808"] {
        fails(&(head(huge, "1") + body), ErrorKind::Count, "elements 'vertex'");
        fails(&(head("3", huge) + body), ErrorKind::Count, "elements 'face'");
    }
    fails(&(head("3", "2") + body), ErrorKind::Truncated, "a line of element 'face'");
    fails(&(head("2", "1") + body), ErrorKind::Syntax, "test.ply:12:1: face 0 has 0 corners");
    fails(&(head("4", "1") + body), ErrorKind::Truncated, "element 'face'");
    let faces = |text: &str| head("3", "1") + "0 0 0\n1 0 0\n0 1 0\n" + text;
    fails(&faces("3 0 1 3"), ErrorKind::Index, "test.ply:13:7: face 0 names vertex 3");
    fails(&faces("3 0 1 -1"), ErrorKind::Index, "face 0 names vertex -1");
    fails(&faces("3 0 1 0.5"), ErrorKind::Index, "face 0 names vertex 0.5");
    fails(&faces("2 0 1"), ErrorKind::Syntax, "face 0 has 2 corners");
    fails(&faces("-3 0 1 2"), ErrorKind::Count, "test.ply:13:1");
    fails(&faces("4000000000 0 1 2"), ErrorKind::Count, "4000000000 items of a list");
    fails(&faces("3 0 1 "), ErrorKind::Truncated, "test.ply:13:");
    fails(&(head("3", "1") + "0 nan 0\n" + body), ErrorKind::NotFinite, "test.ply:10:3: y is NaN");
    fails(&(head("3", "1") + "0 0\n1 0 0\n0 1 0\n3 0 1 2\n"), ErrorKind::Syntax, "test.ply:10:4");
    let no_y = head("3", "1").replace("property float y\n", "");
    fails(&(no_y + body), ErrorKind::Syntax, "lacks one of the properties x, y, z");
    let no_list = head("3", "1").replace("list uchar int", "int");
    fails(&(no_list + body), ErrorKind::Syntax, "lacks the list 'vertex_indices'");
}

#[test]
fn binary_errors_name_the_offset() {
    let (bytes, _) = written(&tetrahedron(), Options::default());
    let data = bytes.len() - 4 * 24 - 4 * 13;
    let with = |at: usize, new: &[u8]| {
        let mut bad = bytes.clone();
        bad[at..at + new.len()].copy_from_slice(new);
        read_bytes(&bad).unwrap_err()
    };
    let error = with(data + 8, &f64::NAN.to_le_bytes());
    assert_eq!(error.kind(), ErrorKind::NotFinite);
    assert!(error.to_string().contains(&format!("at byte {}", data + 16)), "{error}");
    let error = with(data + 4 * 24 + 1, &4_u32.to_le_bytes());
    assert_eq!(error.kind(), ErrorKind::Index);
    assert!(error.to_string().contains(&format!("at byte {}", data + 4 * 24 + 13)), "{error}");
    assert_eq!(with(data + 4 * 24, &[200]).kind(), ErrorKind::Count);
    let error = read_bytes(&bytes[..bytes.len() - 1]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Truncated | ErrorKind::Count), "{error}");
    assert_eq!(read_bytes(&garbage(5000)).unwrap_err().kind(), ErrorKind::Syntax);
}

#[test]
fn cut_off_and_garbled_files_do_no_harm() {
    for encoding in ["ascii", "binary_little_endian", "binary_big_endian"] {
        torture(&strange(encoding, "uchar", "int", "float"), survives);
    }
    let (bytes, _) = written(&tetrahedron(), Options::default());
    for end in 0..bytes.len() {
        assert!(read_bytes(&bytes[..end]).is_err(), "cut at {end}");
    }
}

/// Refuses bad input, or reads something that is written and read again unchanged.
fn survives(bad: &[u8]) {
    let Ok(back) = read_bytes(bad) else { return };
    let (bytes, notes) = written(&back.mesh, Options { binary: bad.len().is_multiple_of(2) });
    let again = read_bytes(&bytes).unwrap().mesh;
    assert_eq!(again.triangles, back.mesh.triangles, "{}", bad.escape_ascii());
    assert!(!notes.is_empty() || again == back.mesh, "{}", bad.escape_ascii());
}
