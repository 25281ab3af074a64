//! Cell data: read from the files of others, and kept right by everything that changes a mesh.

use pliant_mesh::doctor::{Options, fix};
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_mesh::io::{Imported, Source, gmsh, vtk, vtu};
use pliant_mesh::refine::{Split, hex_to_tets, octasect, to_linear, to_quadratic};
use pliant_mesh::reorder::{Permutation, reordered};
use pliant_mesh::{CellData, CellType, MeshError, Note, Region, VolumeMesh};

fn data(name: &str, values: &[f64]) -> CellData {
    CellData { name: name.into(), values: values.to_vec() }
}

fn skipped(notes: &[Note]) -> Vec<String> {
    notes.iter().map(ToString::to_string).collect()
}

/// Two tetrahedra, between which there is a triangle.
fn grid(cell_data: &str) -> String {
    format!(
        "<VTKFile type='UnstructuredGrid'><UnstructuredGrid>
        <Piece NumberOfPoints='5' NumberOfCells='3'><CellData>{cell_data}</CellData>
        <Points><DataArray type='Float64' NumberOfComponents='3'>
        0 0 0 1 0 0 0 1 0 0 0 1 1 1 1</DataArray></Points>
        <Cells><DataArray type='Int32' Name='connectivity'>0 1 2 3 1 2 3 1 2 3 4</DataArray>
        <DataArray type='Int32' Name='offsets'>4 7 11</DataArray>
        <DataArray type='UInt8' Name='types'>10 5 10</DataArray></Cells></Piece>
        </UnstructuredGrid></VTKFile>"
    )
}

fn array(kind: &str, name: &str, more: &str, text: &str) -> String {
    format!("<DataArray type='{kind}' Name='{name}' {more} format='ascii'>{text}</DataArray>")
}

fn read_vtu(text: &str) -> Result<Imported<VolumeMesh>, MeshError> {
    vtu::read(Source::from_bytes("test.vtu", text.as_bytes()))
}

#[test]
fn arrays_of_one_component_are_kept_without_the_cells_that_are_not() {
    let text = grid(
        &[
            array("Float32", "E", "", "1000.5 -1 3000"),
            array("Int64", "label", "NumberOfComponents='1'", "7 8 -9"),
            array("Float64", "u", "NumberOfComponents='3'", "1 2 3 4 5 6 7 8 9"),
            array("Float64", "holes", "", "0 0 nan"),
            array("Float64", "E", "", "4 5 6"),
        ]
        .concat(),
    );
    let Imported { mesh, notes } = read_vtu(&text).unwrap();
    assert_eq!(mesh.cell_data, [data("E", &[1000.5, 3000.0]), data("label", &[7.0, -9.0])]);
    let notes = skipped(&notes);
    assert_eq!(notes[0], "cell data 'holes' is NaN in cell 2 and was skipped");
    assert!(notes[1].contains("'u', 'E'"), "{notes:?}");
    assert_eq!(mesh.data_of_cells("E").unwrap().range(), Some((1000.5, 3000.0)));

    let short = read_vtu(&grid(&array("Float64", "E", "", "1 2"))).unwrap_err().to_string();
    assert!(short.contains("cell array 'E' hold 2 values, but 3 were announced"), "{short}");
    let word = read_vtu(&grid(&array("Float64", "E", "", "1 soft 2"))).unwrap_err().to_string();
    assert!(word.contains("cell array 'E': expected a number, found 'soft'"), "{word}");
}

#[test]
fn data_that_only_some_pieces_have_is_skipped() {
    let piece = |cell_data: &str| {
        let text = grid(cell_data);
        text[text.find("<Piece").unwrap()..text.find("</Unstr").unwrap()].to_owned()
    };
    let values = |name: &str, text: &str| array("Float64", name, "", text);
    let both = [
        piece(&(values("E", "1 0 2") + &values("rho", "1 1 1"))),
        piece(&(values("nu", "0 0 0") + &values("E", "3 0 4"))),
    ];
    let text = format!(
        "<VTKFile type='UnstructuredGrid'><UnstructuredGrid>{}</UnstructuredGrid></VTKFile>",
        both.concat()
    );
    let Imported { mesh, notes } = read_vtu(&text).unwrap();
    assert_eq!(mesh.cell_data, [data("E", &[1.0, 2.0, 3.0, 4.0])]);
    assert!(skipped(&notes).iter().any(|n| n.contains("'rho', 'nu'")), "{notes:?}");
}

#[test]
fn legacy_scalars_and_fields_of_cells_are_cell_data() {
    let text = "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID
POINTS 5 float\n0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\nCELLS 2 10\n4 0 1 2 3\n4 1 2 3 4
CELL_TYPES 2\n10\n10\nCELL_DATA 2\nSCALARS E%20modulus double 1\nLOOKUP_TABLE default\n1e3 2e3
FIELD FieldData 2\nlabel 1 2 int\n4 5\nstress 6 2 float\n1 2 3 4 5 6 1 2 3 4 5 6
POINT_DATA 5\nSCALARS T float\nLOOKUP_TABLE default\n1 2 3 4 5\n";
    let Imported { mesh, notes } =
        vtk::read(Source::from_bytes("test.vtk", text.as_bytes())).unwrap();
    assert_eq!(mesh.cell_data, [data("E modulus", &[1e3, 2e3]), data("label", &[4.0, 5.0])]);
    assert!(skipped(&notes)[0].ends_with("skipped: 'stress', 'T'"), "{notes:?}");
}

const NODES_22: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0
4 0 0 1\n5 1 1 1\n$EndNodes\n";

/// A triangle and two tetrahedra with tags in no order.
fn msh_22(sections: &str) -> Result<Imported<VolumeMesh>, MeshError> {
    let elements = "$Elements\n3\n9 2 2 1 1 2 3 4\n70 4 2 0 1 1 2 3 4\n40 4 2 0 1 2 3 4 5
$EndElements\n";
    let text = format!("{NODES_22}{elements}{sections}");
    gmsh::read(Source::from_bytes("test.msh", text.as_bytes()))
}

fn element_data(name: &str, components: u32, rows: &[&str]) -> String {
    let count = rows.len();
    format!(
        "$ElementData\n1\n\"{name}\"\n1\n0.0\n3\n0\n{components}\n{count}\n{}\n$EndElementData\n",
        rows.join("\n")
    )
}

#[test]
fn element_data_of_gmsh_finds_its_cells_by_their_tags() {
    let sections = [
        element_data("E modulus", 1, &["40 2e3", "9 7", "70 1e3"]),
        element_data("part", 1, &["40 1"]),
        element_data("some", 1, &["40 1", "9 3"]),
        element_data("u", 3, &["40 1 2 3", "70 4 5 6"]),
        element_data("holes", 1, &["40 1", "70 NaN"]),
        element_data("E modulus", 1, &["40 0", "70 0"]),
    ];
    let Imported { mesh, notes } = msh_22(&sections.concat()).unwrap();
    assert_eq!(mesh.cell_data, [data("E modulus", &[1e3, 2e3])]);
    let notes = skipped(&notes).join("; ");
    for text in [
        "sections not used: $ElementData (2)",
        "cell data 'part' has 1 values for 2 cells and was skipped",
        "cell data 'some' has no value for 1 of 2 cells and was skipped",
        "cell data 'holes' is NaN in cell 0 and was skipped",
    ] {
        assert!(notes.contains(text), "{notes}");
    }
    let text = msh_22(&element_data("E", 1, &["40 1", "70"])).unwrap_err().to_string();
    assert!(text.contains("the section ends where a value of an element should be"), "{text}");
    let text = msh_22(&element_data("E", 0, &["40", "70"])).unwrap_err().to_string();
    assert!(text.contains("'E' has 0 components"), "{text}");
    let text = msh_22("$ElementData\n1\n\"E\"\n0\n1\n0\n$EndElementData\n").unwrap_err();
    assert!(text.to_string().contains("1 integer tags: at least 3"), "{text}");
}

#[test]
fn element_data_cut_anywhere_is_an_error_or_a_mesh() {
    let mut mesh = boxes(CellChoice::Tet6);
    mesh.cell_data = vec![data("E", &vec![1.0; mesh.cell_count()])];
    for binary in [false, true] {
        for version in [gmsh::Version::V22, gmsh::Version::V41] {
            let mut bytes = Vec::new();
            gmsh::write(&mesh, &mut bytes, &gmsh::Options { version, binary }).unwrap();
            let start = bytes.windows(12).position(|w| w == b"$ElementData").unwrap();
            for end in start..bytes.len() {
                let _ = gmsh::read(Source::from_bytes("cut.msh", &bytes[..end]));
            }
        }
    }
}

fn boxes(cell: CellChoice) -> VolumeMesh {
    let mut mesh = BoxShape { cells: [2, 1, 1], cell, ..BoxShape::default() }.generate().unwrap();
    let cells = mesh.cell_count();
    mesh.cell_data = vec![
        data("E", &(0..cells).map(|c| 1e3 + c as f64).collect::<Vec<_>>()),
        data("rho", &(0..cells).map(|c| 10.0 / (1 + c) as f64).collect::<Vec<_>>()),
    ];
    mesh
}

#[test]
fn the_parts_of_a_divided_cell_inherit_its_data() {
    for cell in [CellChoice::Hex, CellChoice::Tet6] {
        let mesh = boxes(cell);
        let refined = octasect(&mesh).unwrap();
        for (fine, coarse) in refined.mesh.cell_data.iter().zip(&mesh.cell_data) {
            assert_eq!(fine.name, coarse.name);
            let inherited: Vec<f64> =
                refined.cell_parent.iter().map(|&p| coarse.values[p as usize]).collect();
            assert_eq!(fine.values, inherited);
        }
        assert_eq!(refined.mesh.cell_data.len(), 2);
        refined.mesh.validate().unwrap();
    }
    let tets = hex_to_tets(&boxes(CellChoice::Hex), Split::Six).unwrap();
    assert_eq!(tets.cell_data[0].values[..6], [1e3; 6]);
    assert_eq!(tets.cell_data[0].values[6..], [1001.0; 6]);
    let mesh = boxes(CellChoice::Tet6);
    let quadratic = to_quadratic(&mesh).unwrap();
    assert_eq!(quadratic.cell_data, mesh.cell_data);
    assert_eq!(to_linear(&quadratic).unwrap().cell_data, mesh.cell_data);
}

#[test]
fn data_follows_cells_that_are_reordered_removed_or_turned() {
    let mesh = boxes(CellChoice::Tet6);
    let cells = mesh.cell_count();
    let keys: Vec<usize> = (0..cells).rev().collect();
    let vertices: Vec<usize> = (0..mesh.vertex_count()).collect();
    let turned = reordered(&mesh, &Permutation::sorting(&vertices), &Permutation::sorting(&keys));
    let mut backwards = mesh.cell_data[0].values.clone();
    backwards.reverse();
    assert_eq!(turned.cell_data[0].values, backwards);

    // A copy of cell 0, a collapsed cell and an inverted one, in the middle.
    let mut sick = mesh.clone();
    let [a, b, c, d] = mesh.tet(0);
    sick.cells.splice(8..8, [a, b, c, d, a, a, b, c]);
    sick.cells.swap(0, 1);
    for data in &mut sick.cell_data {
        data.values.splice(2..2, [-1.0, -2.0]);
    }
    sick.validate().unwrap();
    let fixed = fix(&sick, &Options::default());
    assert_eq!(fixed.mesh.cell_data, mesh.cell_data);
    fixed.mesh.validate().unwrap();
}

#[test]
fn data_whose_name_vtk_uses_is_named_as_lost() {
    let mut mesh = boxes(CellChoice::Hex);
    assert_eq!(mesh.cell_type, CellType::Hex8);
    mesh.regions = vec![Region { name: "all".into(), material: None }];
    mesh.cell_region = vec![0; mesh.cell_count()];
    mesh.cell_data[1].name = "region".into();
    let lost = "not kept: cell data 'region': the name is taken";
    let mut bytes = Vec::new();
    let notes = vtu::write(&mesh, &mut bytes, &vtu::Options::default()).unwrap();
    assert_eq!(skipped(&notes), [lost]);
    let back = vtu::read(Source::from_bytes("test.vtu", &bytes)).unwrap().mesh;
    assert_eq!((back.cell_data.len(), back.regions.len()), (1, 1));
    let notes = vtk::write(&mesh, &mut Vec::new(), &vtk::Options::default()).unwrap();
    assert_eq!(skipped(&notes), [lost]);
}
