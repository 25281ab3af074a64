//! `.vtu`: what is written is read back, what others write is read, what is broken is refused.

use pliant_mesh::io::vtu::{
    DataArray, DataValues, Encoding, Options, read, write, write_with_data,
};
use pliant_mesh::io::{Imported, Source};
use pliant_mesh::{
    CellData, CellType, ErrorKind, Location, MaterialLaw, MaterialRecord, MeshError, NO_REGION,
    NamedSet, Note, VolumeMesh,
};

use crate::vtk_meshes;
use vtk_meshes::{
    all_kinds, assert_from_vtk, assert_same, flipped_never_panics, named, noise, tets,
    truncated_never_panics,
};

const ENCODINGS: [Encoding; 3] = [Encoding::Ascii, Encoding::Base64, Encoding::Zlib];

fn parse(bytes: &[u8]) -> Result<Imported<VolumeMesh>, MeshError> {
    read(Source::from_bytes("test.vtu", bytes))
}

fn written(mesh: &VolumeMesh, encoding: Encoding) -> Vec<u8> {
    let mut bytes = Vec::new();
    assert_eq!(write(mesh, &mut bytes, &Options { encoding }).unwrap(), []);
    bytes
}

/// A file of tets() with `change` made to its text.
fn changed(encoding: Encoding, from: &str, to: &str) -> Result<Imported<VolumeMesh>, MeshError> {
    let text = String::from_utf8(written(&tets(), encoding)).unwrap();
    assert!(text.contains(from), "'{from}' is not in the file");
    parse(text.replacen(from, to, 1).as_bytes())
}

/// Asserts what an error says and that it names a place in the file.
fn refused(result: Result<Imported<VolumeMesh>, MeshError>, kind: ErrorKind, says: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().starts_with("test.vtu"), "{error}");
    assert!(error.to_string().contains(says), "{error}");
    assert_ne!(error.details().at, Location::File, "{error}");
}

#[test]
fn every_mesh_comes_back_to_the_last_bit() {
    for mesh in all_kinds() {
        for encoding in ENCODINGS {
            let back = parse(&written(&mesh, encoding)).unwrap();
            assert_eq!(back.notes, []);
            assert_same(&back.mesh, &mesh);
        }
    }
    assert_eq!(Options::default().encoding, Encoding::Zlib);
}

#[test]
fn a_mesh_of_many_blocks_comes_back() {
    let one = named();
    let mut mesh = tets();
    for i in 1..9000_u32 {
        mesh.cells.extend(one.cells.iter().map(|v| v + 5 * i));
        mesh.vertices.extend(one.vertices.iter().map(|p| [p[0] + f64::from(i).sin(), p[1], p[2]]));
    }
    mesh.orient();
    for encoding in ENCODINGS {
        assert_same(&parse(&written(&mesh, encoding)).unwrap().mesh, &mesh);
    }
}

#[test]
fn every_encoding_of_vtk_is_read() {
    let files: [(&str, &[u8]); 7] = [
        ("ascii", include_bytes!("vtk_meshes/ascii.vtu")),
        ("inline, big-endian", include_bytes!("vtk_meshes/inline_big_endian.vtu")),
        ("inline, zlib", include_bytes!("vtk_meshes/inline_zlib.vtu")),
        ("raw", include_bytes!("vtk_meshes/appended_raw.vtu")),
        ("raw, zlib, big-endian", include_bytes!("vtk_meshes/appended_raw_zlib_big_endian.vtu")),
        ("base64", include_bytes!("vtk_meshes/appended_base64.vtu")),
        ("base64, zlib", include_bytes!("vtk_meshes/appended_base64_zlib.vtu")),
    ];
    for (name, bytes) in files {
        assert_from_vtk(&parse(bytes).unwrap(), name);
        truncated_never_panics(bytes, 7, parse);
        flipped_never_panics(bytes, 5, parse);
    }
}

#[test]
fn sets_of_one_name_stay_apart() {
    let mut mesh = tets();
    mesh.vertex_sets = vec![NamedSet::new("a", vec![0]), NamedSet::new("a", vec![1])];
    assert_same(&parse(&written(&mesh, Encoding::Zlib)).unwrap().mesh, &mesh);
}

#[test]
fn what_the_format_cannot_hold_is_named() {
    let mut mesh = named();
    let law = MaterialLaw::Isotropic { young: 1e6, poisson: 0.3 };
    mesh.materials.push(MaterialRecord { name: "rubber".into(), density: 1e3, law });
    mesh.vertex_sets[0].name = "bell\u{7}".into();
    let notes = write(&mesh, &mut Vec::new(), &Options::default()).unwrap();
    let [Note::Lost(materials), Note::Lost(names)] = &notes[..] else { panic!("{notes:?}") };
    assert!(materials.contains("materials (1)") && names.contains("control characters"));
}

#[test]
fn data_is_written_beside_the_mesh_and_named_when_skipped() {
    let mesh = named();
    let displacement: Vec<f64> = (0..15).map(f64::from).collect();
    let energy = [0.5_f32, f32::NAN];
    let array = |name, components, values| DataArray { name, components, values };
    let on_points = [array("u", 3, DataValues::F64(&displacement))];
    let on_cells =
        [array("W", 1, DataValues::F32(&energy)), array("id", 1, DataValues::I32(&[-7, 7]))];
    for encoding in ENCODINGS {
        let (mut bytes, options) = (Vec::new(), Options { encoding });
        write_with_data(&mesh, &on_points, &on_cells, Some(0.25), &mut bytes, &options).unwrap();
        let back = parse(&bytes).unwrap();
        let data = CellData { name: "id".into(), values: vec![-7.0, 7.0] };
        assert_same(&back.mesh, &VolumeMesh { cell_data: vec![data], ..mesh.clone() });
        let [Note::Skipped(not_finite), Note::Skipped(text)] = &back.notes[..] else {
            panic!("{:?}", back.notes)
        };
        assert_eq!(not_finite, "cell data 'W' is NaN in cell 1 and was skipped");
        assert!(text.ends_with("skipped: 'u'"), "{text}");
        if encoding == Encoding::Ascii {
            let text = String::from_utf8(bytes).unwrap();
            assert!(
                text.contains("Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">\n0.25\n")
            );
            assert!(text.contains("Name=\"W\" format=\"ascii\">\n0.5 nan\n"));
            assert!(text.contains("Name=\"u\" NumberOfComponents=\"3\""));
        }
    }
    let short = [array("u", 3, DataValues::U8(&[1, 2]))];
    let error = write_with_data(&mesh, &short, &[], None, &mut Vec::new(), &Options::default());
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Count);
}

/// A text file of the given pieces.
fn grid(pieces: &str) -> String {
    format!(
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>{pieces}</UnstructuredGrid></VTKFile>"
    )
}

/// A piece with the corners of the reference tet and the given cells.
fn piece(data: &str, cells: usize, connectivity: &str, offsets: &str, types: &str) -> String {
    let array = |kind: &str, name: &str, text: &str| {
        format!("<DataArray type=\"{kind}\" Name=\"{name}\" format=\"ascii\">{text}</DataArray>")
    };
    let points = array("Float32", "Points", "0 0 0 1 0 0 0 1 0 0 0 1");
    let cell_arrays = [
        array("UInt16", "connectivity", connectivity),
        array("Int8", "offsets", offsets),
        array("Int64", "types", types),
    ];
    format!(
        "<Piece NumberOfPoints=\"4\" NumberOfCells=\"{cells}\">{data}<Points>{points}</Points>\
         <Cells>{}</Cells></Piece>",
        cell_arrays.concat()
    )
}

#[test]
fn pieces_are_joined() {
    let set = |name: &str, text: &str| {
        format!("<DataArray type=\"Int8\" Name=\"set:{name}\" format=\"ascii\">{text}</DataArray>")
    };
    let region = "<DataArray type=\"Int16\" Name=\"region\" format=\"ascii\">40 7</DataArray>";
    let first = format!("<PointData>{}</PointData>", set("a", "1 0 0 1"));
    let second = format!(
        "<PointData>{}{}</PointData><CellData>{region}</CellData>",
        set("b", "0 0 1 0"),
        set("a", "0 1 0 0")
    );
    let text = grid(&format!(
        "{}{}{}",
        piece(&first, 1, "0 1 2 3", "4", "10"),
        "<Piece NumberOfPoints=\"0\" NumberOfCells=\"0\"><Points/><Cells/></Piece>",
        piece(&second, 2, "0 1 2 3 1 2 0 3", "4 8", "10 10")
    ));
    let Imported { mesh, notes } = parse(text.as_bytes()).unwrap();
    assert_eq!(notes, []);
    assert_eq!(mesh.vertex_count(), 8);
    assert_eq!(mesh.cells, [0, 1, 2, 3, 4, 5, 6, 7, 5, 6, 4, 7]);
    assert_eq!(mesh.cell_region, [NO_REGION, 1, 0]);
    let names: Vec<_> = mesh.regions.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["7", "40"]);
    let sets = [NamedSet::new("a", vec![0, 3, 5]), NamedSet::new("b", vec![6])];
    assert_eq!(mesh.vertex_sets, sets);

    let astray = piece("", 1, "0 1 2 4", "4", "10") + &piece("", 1, "0 1 2 3", "4", "10");
    let error = parse(grid(&astray).as_bytes()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Index);
}

#[test]
fn voxels_become_hexahedra_and_hexahedra_join_them() {
    let text = "<VTKFile type='UnstructuredGrid'><UnstructuredGrid>
      <Piece NumberOfPoints='8' NumberOfCells='2'><Points><DataArray type='Int32'
      NumberOfComponents='3'>0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1</DataArray></Points>
      <Cells><DataArray type='Int32' Name='connectivity'>0 1 2 3 4 5 6 7 0 1 3 2 4 5 7 6</DataArray>
      <DataArray type='Int32' Name='offsets'>8 16</DataArray>
      <DataArray type='Int32' Name='types'>11 12</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>";
    let Imported { mesh, notes } = parse(text.as_bytes()).unwrap();
    assert_eq!((mesh.cell_type, notes), (CellType::Hex8, vec![]));
    assert_eq!(mesh.cell(0), [0, 1, 3, 2, 4, 5, 7, 6]);
    assert_eq!(mesh.cell(0), mesh.cell(1));
    assert!((mesh.cell_volume(0) - 1.0).abs() < 1e-15);
}

#[test]
fn cells_that_make_no_mesh_are_refused() {
    for (connectivity, offsets, types, kind, says) in [
        ("0 1 2 3 0 1 2", "4 7", "10 5", None, ""),
        ("0 1 2 3 0 1 2 3 0 0", "4 10", "10 13", Some(ErrorKind::MixedCells), "1 tet4, 1 wedge"),
        ("0 1 2 3 0 1 2 3 3 2 1 0", "4 12", "10 12", Some(ErrorKind::MixedCells), "1 tet4, 1 hex8"),
        ("0 1 2 3 0 1 2 3 0 0", "5 10", "14 14", Some(ErrorKind::Unsupported), "2 pyramid"),
        ("0 1 2 3 0 1 2 3", "4 8", "10 99", Some(ErrorKind::MixedCells), "unknown"),
        ("0 1 2 0 1 3", "3 6", "5 5", Some(ErrorKind::Geometry), "2 triangle"),
        ("0 1 2 3 0 1 2", "4 7", "10 10", Some(ErrorKind::Count), "cell 1 has 3 vertices"),
        (
            "0 1 2 3 0 1 2 3",
            "4 9",
            "10 10",
            Some(ErrorKind::Count),
            "need 9 vertex indices, found 8",
        ),
        ("0 1 2 3 0 1 2 9", "4 8", "10 10", Some(ErrorKind::Index), "vertex 9"),
    ] {
        let result = parse(grid(&piece("", 2, connectivity, offsets, types)).as_bytes());
        match kind {
            None => assert_eq!(result.unwrap().mesh.cells, [0, 1, 2, 3]),
            Some(kind) => {
                let error = result.unwrap_err();
                assert_eq!(error.kind(), kind, "{error}");
                assert!(error.to_string().contains(says), "{error}");
            }
        }
    }
    let error = parse(grid("").as_bytes()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Geometry);
    assert!(error.to_string().contains("empty"), "{error}");
}

#[test]
fn wrong_values_are_refused_at_their_place() {
    let a = Encoding::Ascii;
    refused(changed(a, "1e-300", "nan"), ErrorKind::NotFinite, "vertex 1");
    refused(changed(a, "1e-300", "-inf"), ErrorKind::NotFinite, "test.vtu:11:");
    refused(changed(a, "1e-300", "abc"), ErrorKind::Syntax, "found 'abc'");
    refused(changed(a, "1e-300 ", ""), ErrorKind::Count, "14 values, but 15");
    refused(changed(a, "1e-300", "1 2"), ErrorKind::Count, "15 were announced");
    refused(changed(a, "\n4 8\n", "\n8 4\n"), ErrorKind::Count, "must ascend");
    refused(changed(a, "\n4 8\n", "\n-4 8\n"), ErrorKind::Count, "must ascend");
    refused(changed(a, "\n4 8\n", "\n4\n"), ErrorKind::Count, "1 values, but 2");
    refused(changed(a, "\n0 1 2 3", "\n0 -1 2 3"), ErrorKind::Index, "vertex -1");
    refused(changed(a, "\n10 10\n", "\n10 300\n"), ErrorKind::Syntax, "300 is no VTK cell type");
    refused(changed(a, "Int32", "Float32"), ErrorKind::Syntax, "integers are needed");
    refused(
        changed(a, "Components=\"3\"", "Components=\"2\""),
        ErrorKind::Unsupported,
        "3 components",
    );
    for count in ["4000000000", "9223372036854775808", "99999999999999999999", "-1", ""] {
        let to = format!("NumberOfPoints=\"{count}\"");
        let kind = if count.starts_with(['4', '9']) && count.len() < 20 {
            ErrorKind::Count
        } else {
            ErrorKind::Syntax
        };
        for encoding in ENCODINGS {
            refused(changed(encoding, "NumberOfPoints=\"5\"", &to), kind, "NumberOfPoints");
        }
        let to = format!("NumberOfCells=\"{count}\"");
        refused(changed(a, "NumberOfCells=\"2\"", &to), kind, "NumberOfCells");
    }
}

#[test]
fn malformed_files_are_refused_at_their_place() {
    let (a, b) = (Encoding::Ascii, Encoding::Base64);
    refused(changed(a, "</Points>", "</Point>"), ErrorKind::Syntax, "'Point' ends, but <Points>");
    refused(changed(a, "</Points>", ""), ErrorKind::Syntax, "is open");
    refused(changed(a, "</VTKFile>", ""), ErrorKind::Truncated, "the end of <VTKFile>");
    refused(changed(a, "Name=\"types\"", "Name=types"), ErrorKind::Syntax, "expected <name");
    refused(changed(a, "\"UnstructuredGrid\"", "\"PolyData\""), ErrorKind::Unsupported, "surface");
    refused(changed(a, "LittleEndian", "Middle"), ErrorKind::Syntax, "BigEndian");
    refused(changed(a, "format=\"ascii\"", "format=\"x\""), ErrorKind::Syntax, "appended");
    refused(changed(a, "format=\"ascii\"", "format=\"appended\""), ErrorKind::Syntax, "offset");
    let to = "format=\"appended\" offset=\"0\"";
    refused(changed(a, "format=\"ascii\"", to), ErrorKind::Truncated, "<AppendedData>");
    refused(changed(b, "AAAA", "AA!A"), ErrorKind::Syntax, "found '!'");
    // A character too many or too few shifts all numbers after it.
    refused(changed(b, "AAAA", "AAAAA"), ErrorKind::Count, "more bytes");
    refused(changed(b, "AAAA", "AAA"), ErrorKind::Truncated, "");
    refused(changed(b, "\n</DataArray>", "AAAA\n</DataArray>"), ErrorKind::Count, "more bytes");
    refused(changed(Encoding::Zlib, "vtkZLib", "vtkLZ4"), ErrorKind::Unsupported, "ZLib or None");
    for text in ["", "   ", "solid x", "# vtk DataFile Version 3.0\n"] {
        assert_eq!(parse(text.as_bytes()).unwrap_err().kind(), ErrorKind::Syntax, "{text}");
    }
    for seed in 0..50 {
        assert!(parse(&noise(seed, 3000)).is_err());
    }
}

/// A compressed file of one tet whose points are given as header and blocks.
fn compressed(header: &[u64], blocks: &[u8]) -> Result<Imported<VolumeMesh>, MeshError> {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let header: Vec<u8> = header.iter().flat_map(|n| n.to_le_bytes()).collect();
    let data = STANDARD.encode(header) + &STANDARD.encode(blocks);
    let text = grid(&piece("", 1, "0 1 2 3", "4", "10"))
        .replace("\"><Unst", "\" header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\"><Unst")
        .replace(
            "format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 1<",
            &format!("format=\"binary\">{data}<"),
        );
    assert!(text.contains(&data));
    parse(text.as_bytes())
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn damaged_and_lying_blocks_are_refused() {
    let points: Vec<u8> = [0_f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    let good = zlib(&points);
    let n = good.len() as u64;
    assert!(compressed(&[1, 48, 0, n], &good).is_ok());
    assert!(compressed(&[1, 1024, 48, n], &good).is_ok());
    let halves = [zlib(&points[..30]), zlib(&points[30..])];
    let sizes = halves.each_ref().map(|h| h.len() as u64);
    assert!(compressed(&[2, 30, 18, sizes[0], sizes[1]], &halves.concat()).is_ok());

    use ErrorKind::{Count, Syntax, Truncated};
    refused(compressed(&[1, 48, 0, n + 5], &good), Truncated, "a compressed block");
    refused(compressed(&[1, 48, 0, n - 1], &good), Syntax, "block 1 ends too early");
    refused(compressed(&[1, 48, 0, 0], &good), Syntax, "ends too early");
    refused(compressed(&[1, 40, 0, n], &good), Count, "10 values, but 12");
    refused(compressed(&[2, 24, 24, n, 0], &good), Syntax, "more bytes");
    refused(compressed(&[1, 48, 0, n], &good[..4]), Truncated, "");
    refused(compressed(&[u64::MAX, 48, 0, n], &good), Count, "blocks");
    refused(compressed(&[2, u64::MAX, 0, n, n], &good), Count, "blocks");
    refused(compressed(&[1, 47, 0, n], &good), Count, "whole numbers");
    let short = zlib(&points[..44]);
    refused(compressed(&[1, 48, 0, short.len() as u64], &short), Syntax, "fewer bytes");
    for place in 0..good.len() {
        let mut broken = good.clone();
        broken[place] ^= 0x10;
        assert!(compressed(&[1, 48, 0, n], &broken).is_err(), "byte {place}");
    }
}

#[test]
fn a_bomb_does_not_go_off() {
    // 64 MiB of zeros in 64 KiB.
    let bomb = zlib(&vec![0; 1 << 26]);
    let n = bomb.len() as u64;
    refused(compressed(&[1, 1 << 26, 0, n], &bomb), ErrorKind::Count, "12 were announced");
    refused(compressed(&[1, 48, 0, n], &bomb), ErrorKind::Syntax, "more bytes");
}

#[test]
fn truncated_files_never_panic() {
    for encoding in ENCODINGS {
        let bytes = written(&named(), encoding);
        truncated_never_panics(&bytes, 1, parse);
        flipped_never_panics(&bytes, 1, parse);
    }
}
