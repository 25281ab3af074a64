//! MEDIT's `.mesh`.

use pliant_mesh::cell::TET_EDGES;
use pliant_mesh::io::{Imported, Source, medit};
use pliant_mesh::{
    CellType, ErrorKind, MaterialLaw, MaterialRecord, MeshError, NO_REGION, NamedSet, Note,
    VolumeMesh,
};

fn read(text: &str) -> Result<Imported<VolumeMesh>, MeshError> {
    medit::read(Source::from_bytes("test.mesh", text.as_bytes()))
}

fn again(mesh: &VolumeMesh) -> (VolumeMesh, Vec<Note>) {
    let mut bytes = Vec::new();
    let notes = medit::write(mesh, &mut bytes).unwrap();
    let import = medit::read(Source::from_bytes("again.mesh", &bytes)).unwrap();
    assert_eq!(import.notes, []);
    (import.mesh, notes)
}

fn set(name: &str, items: &[u32]) -> NamedSet {
    NamedSet::new(name, items.to_vec())
}

const TWO: &str = "MeshVersionFormatted 2\nDimension 3\n\nVertices\n5\n0 0 0 0\n1 0 0 4\n0 1 0 4\n\
                   0 0 1 0\n1 1 1 9\n\nTriangles 2\n1 2 3 7\n1 2 4 0\n\
                   Tetrahedra\n2\n1 2 3 4 2\n2 3 4 5 0\nEnd\n";

#[test]
fn cells_references_and_sets_are_read() {
    let import = read(TWO).unwrap();
    let mesh = &import.mesh;
    assert_eq!(mesh.cell_type, CellType::Tet4);
    assert_eq!(mesh.vertices[4], [1.0, 1.0, 1.0]);
    assert_eq!(mesh.cells, [0, 1, 2, 3, 1, 2, 3, 4]);
    assert_eq!(mesh.regions[0].name, "2");
    assert_eq!(mesh.cell_region, [0, NO_REGION]);
    let sets = [set("4", &[1, 2]), set("9", &[4]), set("triangles 7", &[0, 1, 2])];
    assert_eq!(mesh.vertex_sets, sets);
    let text = "Triangles without a reference (1) were passed over";
    assert_eq!(import.notes, [Note::Skipped(text.into())]);
}

#[test]
fn layout_case_and_version_do_not_matter() {
    let expected = read(TWO).unwrap();
    let loose = TWO
        .replace("\nDimension 3", " # head\r\n dimension\n\n 3 ")
        .replace("2\n1 2 3 4 2", "2 1 2\n3 4 2");
    for version in 1..=4 {
        let text = loose.replace("Formatted 2", &format!("Formatted {version}"));
        assert_eq!(read(&text).unwrap(), expected);
    }
    let error = read(&TWO.replace("Formatted 2", "Formatted 5")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(read(&TWO.replace("sion 3", "sion 2")).unwrap_err().kind(), ErrorKind::Unsupported);
    // Cells may come before vertices.
    let (head, rest) = TWO.split_once("Vertices").unwrap();
    let (vertices, cells) = rest.split_once("Triangles").unwrap();
    let cells = cells.replace("End\n", "");
    let turned = format!("{head}Triangles{cells}Vertices{vertices}End");
    assert_eq!(read(&turned).unwrap(), expected);
    let outside = turned.replace("2 3 4 5 0", "2 3 4 6 0");
    assert_eq!(read(&outside).unwrap_err().kind(), ErrorKind::Index);
}

#[test]
fn other_sections_are_passed_over_with_one_note() {
    let more = "Corners\n2\n1\n2\nRequiredVertices 1 3\nNormals\n1\n0. -1 .5e-3\n\
                NormalAtVertices\n1\n1 1\nBoundingBox\n0 0 0 1 1 1\nHexahedra\n0\nTetrahedra";
    let import = read(&TWO.replacen("Tetrahedra", more, 1)).unwrap();
    assert_eq!(import.mesh, read(TWO).unwrap().mesh);
    let list = "Corners, RequiredVertices, Normals, NormalAtVertices, BoundingBox";
    assert_eq!(import.notes[1..], [Note::Skipped(format!("sections passed over: {list}"))]);

    let without_end = read(TWO.strip_suffix("End\n").unwrap()).unwrap();
    assert!(matches!(&without_end.notes[0], Note::Assumed(text) if text.contains("End")));
    let error = read(&TWO.replace("Tetrahedra\n2", "Tetrahedrons\n2")).unwrap_err();
    assert!(error.to_string().contains("there are no volume cells"), "{error}");
    let error = read(&TWO.replace("Triangles 2", "Trianglse")).unwrap();
    assert!(error.notes[0].to_string().contains("Trianglse"));
    let error = read(&TWO.replace("Triangles 2", "Triangls all")).unwrap_err();
    assert!(error.to_string().contains("did you mean Triangles?"), "{error}");
    let error = read(&TWO.replace("Vertices", "Vertexes")).unwrap_err();
    assert!(error.to_string().contains("is 'Vertexes' meant to be Vertices?"), "{error}");
}

#[test]
fn cells_of_several_kinds_are_refused_with_their_counts() {
    let cube = "Hexahedra\n1\n1 2 3 4 5 1 2 3 0\nPrisms\n1\n1 2 3 4 5 1 0\nEnd";
    let error = read(&TWO.replace("End", cube)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MixedCells);
    assert!(error.to_string().contains("2 Tetrahedra, 1 Hexahedra, 1 Prisms"), "{error}");
    let error =
        read(&TWO.replace("Tetrahedra\n2\n1 2 3 4 2\n2 3 4 5 0", "Pyramids\n1\n1 2 3 4 5 0"));
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Unsupported);
    let surface = TWO.replace("Tetrahedra\n2\n1 2 3 4 2\n2 3 4 5 0\n", "");
    let error = read(&surface).unwrap_err();
    assert!(error.to_string().contains("filled first"), "{error}");
}

#[test]
fn wrong_counts_are_told_from_bad_numbers() {
    let more = read(&TWO.replace("Vertices\n5", "Vertices\n6")).unwrap_err();
    assert_eq!(more.kind(), ErrorKind::Count);
    assert_eq!(
        more.to_string(),
        "test.mesh:12:1: 6 are announced, but 'Triangles' comes after 5 \
         (correct the count of the section)"
    );
    let fewer = read(&TWO.replace("Vertices\n5", "Vertices\n4")).unwrap_err();
    assert_eq!(fewer.to_string(), "test.mesh:10:1: expected a keyword, found '1' after 4 vertices");
    assert_eq!(fewer.kind(), ErrorKind::Count);
}

#[test]
fn what_is_written_reads_back_equal() {
    let mesh = read(TWO).unwrap().mesh;
    assert_eq!(again(&mesh), (mesh.clone(), vec![]));
    let mut odd = mesh;
    odd.vertices[2] = [0.1, 1e300, -1.0 / 3.0];
    odd.vertex_sets.push(set("triangles 8", &[1, 2, 4]));
    assert_eq!(again(&odd), (odd, vec![]));

    let corners = pliant_mesh::cell::HEX_CORNERS;
    let mut cube = VolumeMesh::new(CellType::Hex8, corners.to_vec(), (0..8).collect());
    cube.vertex_sets =
        vec![set("quadrilaterals 3", &[0, 1, 2, 3]), set("quadrilaterals 5", &[0, 1, 4, 5])];
    assert_eq!(again(&cube), (cube, vec![]));
}

fn quadratic() -> VolumeMesh {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut points = corners.to_vec();
    points.extend(
        TET_EDGES.map(|[a, b]| std::array::from_fn(|i| 0.5 * (corners[a][i] + corners[b][i]))),
    );
    VolumeMesh::new(CellType::Tet10, points, (0..10).collect())
}

#[test]
fn middle_nodes_are_in_vtks_order_unless_the_file_says_otherwise() {
    let mut mesh = quadratic();
    mesh.vertex_sets = vec![set("triangles 1", &[0, 1, 3, 4, 8, 7])];
    assert_eq!(again(&mesh), (mesh.clone(), vec![]));
    let mut bytes = Vec::new();
    medit::write(&mesh, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("TrianglesP2\n1\n1 2 4 5 9 8 1\n"), "{text}");
    assert!(text.contains("TetrahedraP2\n1\n1 2 3 4 5 6 7 8 9 10 0\n"), "{text}");
    // The same cell with the middles of 01, 02, 03, 12, 13, 23.
    let ordering = "TetrahedraP2Ordering\n10\n2 0 0 0\n0 2 0 0\n0 0 2 0\n0 0 0 2\n1 1 0 0\n1 0 1 0\n\
                    1 0 0 1\n0 1 1 0\n0 1 0 1\n0 0 1 1\nEnd";
    let other = text.replace("1 2 3 4 5 6 7 8 9 10 0", "1 2 3 4 5 7 8 6 9 10 0");
    assert_eq!(read(&other.replace("End", ordering)).unwrap().mesh, mesh);
    assert_ne!(read(&other).unwrap().mesh, mesh);
    let wrong = ordering.replace("0 1 0 1", "0 1 1 1");
    assert_eq!(read(&other.replace("End", &wrong)).unwrap_err().kind(), ErrorKind::Syntax);
    let repeated = ordering.replace("0 1 0 1", "0 0 1 1");
    assert_eq!(read(&other.replace("End", &repeated)).unwrap_err().kind(), ErrorKind::Syntax);
}

#[test]
fn what_the_format_cannot_hold_is_noted() {
    let mut mesh = read(TWO).unwrap().mesh;
    mesh.regions[0].name = "arm".into();
    mesh.cell_sets = vec![set("a", &[0])];
    mesh.materials = vec![MaterialRecord {
        name: "m".into(),
        density: 1.0,
        law: MaterialLaw::Isotropic { young: 1.0, poisson: 0.0 },
    }];
    let (back, notes) = again(&mesh);
    let texts: Vec<String> = notes.iter().map(Note::to_string).collect();
    assert_eq!(
        texts,
        [
            "not kept: names of regions (1): 'arm' is 1",
            "not kept: cell sets (1): MEDIT has none",
            "not kept: materials (1): MEDIT has none",
        ]
    );
    assert_eq!(back.regions[0].name, "1");
}
