//! Legacy `.vtk`: what is written is read back, what others write is read, what is broken is refused.

use pliant_mesh::io::vtk::{Options, read, write};
use pliant_mesh::io::{Imported, Source};
use pliant_mesh::{
    CellType, ErrorKind, Location, MaterialLaw, MaterialRecord, MeshError, Note, VolumeMesh,
};

use crate::vtk_meshes;
use vtk_meshes::{
    all_kinds, assert_from_vtk, assert_same, flipped_never_panics, named, noise, tets,
    truncated_never_panics,
};

fn parse(bytes: &[u8]) -> Result<Imported<VolumeMesh>, MeshError> {
    read(Source::from_bytes("test.vtk", bytes))
}

fn written(mesh: &VolumeMesh, binary: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    assert_eq!(write(mesh, &mut bytes, &Options { binary }).unwrap(), []);
    bytes
}

/// A text file of tets() with a change.
fn changed(from: &str, to: &str) -> Result<Imported<VolumeMesh>, MeshError> {
    let text = String::from_utf8(written(&tets(), false)).unwrap();
    assert!(text.contains(from), "'{from}' is not in the file");
    parse(text.replacen(from, to, 1).as_bytes())
}

/// Asserts what an error says and that it names a place in the file.
fn refused(result: Result<Imported<VolumeMesh>, MeshError>, kind: ErrorKind, says: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().starts_with("test.vtk"), "{error}");
    assert!(error.to_string().contains(says), "{error}");
    assert_ne!(error.details().at, Location::File, "{error}");
}

#[test]
fn every_mesh_comes_back_to_the_last_bit() {
    for mesh in all_kinds() {
        for binary in [false, true] {
            let back = parse(&written(&mesh, binary)).unwrap();
            assert_eq!(back.notes, []);
            assert_same(&back.mesh, &mesh);
        }
    }
    assert!(Options::default().binary);
}

#[test]
fn both_layouts_of_vtk_are_read() {
    let files: [(&str, &[u8]); 4] = [
        ("text 4.2", include_bytes!("vtk_meshes/ascii_42.vtk")),
        ("text 5.1", include_bytes!("vtk_meshes/ascii_51.vtk")),
        ("binary 4.2", include_bytes!("vtk_meshes/binary_42.vtk")),
        ("binary 5.1", include_bytes!("vtk_meshes/binary_51.vtk")),
    ];
    for (name, bytes) in files {
        assert_from_vtk(&parse(bytes).unwrap(), name);
        flipped_never_panics(bytes, 1, parse);
        for end in 0..bytes.len() {
            let _ = parse(&bytes[..end]);
        }
    }
}

const HEAD: &str = "# vtk DataFile Version 2.0\nby hand\nASCII\n";
const TET: &str =
    "POINTS 4 float\n0 0 0 1 0 0\n0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";

#[test]
fn all_sorts_of_data_are_passed_over_but_numbers_of_cells() {
    let text = format!(
        "{HEAD}FIELD before 1\r\nx 2 1 float\n1 2\nDATASET unstructured_grid\r\n{TET}POINT_DATA 4\n\
         SCALARS s float\nLOOKUP_TABLE lut\n1 2 3 4\nLOOKUP_TABLE lut 2\n0 0 0 1 1 1 1 1\n\
         SCALARS s2 short 2\nLOOKUP_TABLE default\n1 2 3 4 5 6 7 8\n\
         COLOR_SCALARS c 1\n0 0.5 1 1\nNORMALS n float\n0 0 1 0 0 1 0 0 1 0 0 1\n\
         TEXTURE_COORDINATES t 2 double\n0 0 0 0 0 0 0 0\n\
         SCALARS set:top int 1\nLOOKUP_TABLE default\n0 0 1 1\n\
         CELL_DATA 1\nVECTORS v float\n1 2 3\nTENSORS T float\n1 2 3 4 5 6 7 8 9\n\
         SCALARS region int\nLOOKUP_TABLE default\n5\nFIELD f 1\nw 1 1 double\n3\n"
    );
    let Imported { mesh, notes } = parse(text.as_bytes()).unwrap();
    assert_eq!(mesh.cells, [0, 1, 2, 3]);
    assert_eq!((mesh.regions[0].name.as_str(), &mesh.cell_region[..]), ("5", &[0][..]));
    assert_eq!(
        (mesh.vertex_sets[0].name.as_str(), &mesh.vertex_sets[0].items[..]),
        ("top", &[2, 3][..])
    );
    let [Note::Skipped(text)] = &notes[..] else { panic!("{notes:?}") };
    assert!(text.contains("'x', 's', 's2', 'c', 'n', 't', 'v', 'T'"), "{text}");
    assert_eq!((mesh.cell_data[0].name.as_str(), &mesh.cell_data[0].values[..]), ("w", &[3.0][..]));
}

#[test]
fn inverted_cells_are_turned_and_told() {
    let text =
        format!("{HEAD}DATASET UNSTRUCTURED_GRID\n{}", TET.replace("0 1 2 3\nC", "0 2 1 3\nC"));
    let read = parse(text.as_bytes()).unwrap();
    assert_eq!(read.notes, [Note::Reoriented { count: 1, first: 0 }]);
    assert_eq!((read.mesh.cell_type, &read.mesh.cells[..]), (CellType::Tet4, &[0, 1, 2, 3][..]));
}

#[test]
fn materials_are_lost_and_told() {
    let mut mesh = tets();
    let law = MaterialLaw::Isotropic { young: 1e6, poisson: 0.3 };
    mesh.materials.push(MaterialRecord { name: "rubber".into(), density: 1e3, law });
    let notes = write(&mesh, &mut Vec::new(), &Options::default()).unwrap();
    assert!(matches!(&notes[..], [Note::Lost(text)] if text.contains("materials (1)")));
}

#[test]
fn wrong_values_are_refused_at_their_place() {
    use ErrorKind::{Count, Index, NotFinite, Syntax, Unsupported};
    refused(changed("1e-300", "nan"), NotFinite, "test.vtk:7:");
    refused(changed("1e-300", "x"), Syntax, "test.vtk:7:");
    refused(changed("1e-300 ", ""), Syntax, "found 'CELLS'");
    refused(changed("POINTS 5", "POINTS 4"), Syntax, "found '2'");
    refused(changed("POINTS 5", "POINTS 6"), Syntax, "found 'CELLS'");
    refused(changed("POINTS 5", "POINTS 4000000000"), Count, "4000000000 points");
    refused(changed("POINTS 5", "POINTS 9223372036854775808"), Count, "9223372036854775808");
    refused(changed("CELLS 2 10", "CELLS 2 4000000000"), Count, "4000000000");
    refused(changed("CELLS 2 10", "CELLS 2 18446744073709551615"), Count, "18446744073709551615");
    refused(changed("CELLS 2 10", "CELLS 11 10"), Count, "11 cells");
    refused(changed("CELLS 2 10", "CELLS 2 9"), Count, "fewer vertices");
    refused(changed("4 0 1 2 3", "-4 0 1 2 3"), Count, "-4 vertices");
    refused(changed("4 0 1 2 3", "4 0 -1 2 3"), Index, "vertex -1");
    refused(changed("CELL_TYPES 2", "CELL_TYPES 4000000000"), Count, "4000000000");
    refused(changed("10\n10\n", "10\n256\n"), Syntax, "256 is no VTK cell type");
    refused(changed("UNSTRUCTURED_GRID", "POLYDATA"), Unsupported, "surface");
    refused(changed("UNSTRUCTURED_GRID", "STRUCTURED_POINTS"), Unsupported, "Append Datasets");
    refused(changed("CELL_TYPES", "CELL_KINDS"), Syntax, "found 'CELL_KINDS'");
    refused(changed("POINTS", "CELL_DATA 3\nPOINTS"), Count, "data for 3");
    refused(changed("ASCII", "TEXT"), Syntax, "ASCII or BINARY");
    refused(changed("Version 3.0", "Version 6.0"), Unsupported, "2.0 to 5.1");
    refused(changed("double", "string"), Syntax, "double");
    for (from, to, kind, says) in [
        ("4 0 1 2 3", "4 0 1 2 7", Index, "vertex 7"),
        ("10\n10\n", "10\n5\n", Count, ""),
        ("10\n10\n", "10\n14\n", ErrorKind::MixedCells, "1 tet4, 1 pyramid"),
        ("10\n10\n", "13\n13\n", Unsupported, "2 wedge"),
    ] {
        let result = changed(from, to);
        if says.is_empty() {
            assert_eq!(result.unwrap().mesh.cell_count(), 1);
            continue;
        }
        let error = result.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(
            error.to_string().starts_with("test.vtk: ") && error.to_string().contains(says),
            "{error}"
        );
    }
}

#[test]
fn broken_files_never_panic() {
    for binary in [false, true] {
        let bytes = written(&named(), binary);
        flipped_never_panics(&bytes, 1, parse);
        for end in 0..bytes.len() {
            let _ = parse(&bytes[..end]);
        }
    }
    truncated_never_panics(&written(&tets(), true), 1, parse);
    for text in ["", "\n\n", "# vtk DataFile Version 3.0", "# vtk DataFile Version 3.0\n\nBINARY\n"]
    {
        assert!(parse(text.as_bytes()).is_err());
    }
    for seed in 0..50 {
        let mut bytes =
            b"# vtk DataFile Version 5.1\n\nBINARY\nDATASET UNSTRUCTURED_GRID\n".to_vec();
        bytes.extend(noise(seed, 3000));
        assert!(parse(&bytes).is_err());
        assert!(parse(&noise(seed, 3000)).is_err());
    }
}
