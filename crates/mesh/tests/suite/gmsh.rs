//! Gmsh files: what is written reads back, what Gmsh writes is understood.

use pliant_mesh::io::gmsh::{Options, Version, read, write};
use pliant_mesh::io::{Imported, Source};
use pliant_mesh::{CellType, MeshError, NO_REGION, NamedSet, Note, Region, VolumeMesh};

const ALL: [Options; 4] = [
    Options { version: Version::V22, binary: false },
    Options { version: Version::V22, binary: true },
    Options { version: Version::V41, binary: false },
    Options { version: Version::V41, binary: true },
];

fn parse(bytes: &[u8]) -> Result<Imported<VolumeMesh>, MeshError> {
    read(Source::from_bytes("test.msh", bytes))
}

fn written(mesh: &VolumeMesh, options: Options) -> (Vec<u8>, Vec<Note>) {
    let mut bytes = Vec::new();
    let notes = write(mesh, &mut bytes, &options).unwrap();
    (bytes, notes)
}

/// The reference cell three times, at numbers that have no short decimal form, and a vertex that
/// no cell uses.
fn three_cells(cell_type: CellType) -> VolumeMesh {
    let tet = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut corners: Vec<[f64; 3]> = match cell_type {
        CellType::Tet4 | CellType::Tet10 => tet.to_vec(),
        CellType::Hex8 | CellType::Hex20 => {
            pliant_mesh::cell::HEX_CORNERS.map(|c| c.map(|x| 0.5 * (x + 1.0))).to_vec()
        }
    };
    if cell_type.is_quadratic() {
        // Curved: no middle node is midway between its corners.
        for (k, &[a, b]) in cell_type.edges().iter().enumerate() {
            let off = 0.01 * (k + 1) as f64;
            corners.push(std::array::from_fn(|i| 0.5 * (corners[a][i] + corners[b][i]) + off));
        }
    }
    let n = corners.len() as u32;
    let mut vertices = Vec::new();
    for copy in 0..3 {
        let shift = f64::from(copy) / 0.3;
        vertices.extend(corners.iter().map(|c| [c[0] / 3.0 + shift, c[1] * 1e-7, c[2] * 1e17]));
    }
    vertices.push([-0.0, 5e-324, f64::MAX]);
    VolumeMesh::new(cell_type, vertices, (0..3 * n).collect())
}

/// All that a mesh can have, with the corners of it: cells in no region, empty regions and sets,
/// overlapping sets, a name twice.
fn with_groups(mut mesh: VolumeMesh) -> VolumeMesh {
    let region = |name: &str| Region { name: name.to_owned(), material: None };
    mesh.regions = vec![region("soft tissue"), region("7"), region("empty"), region("ünï")];
    mesh.cell_region = vec![3, NO_REGION, 0];
    mesh.cell_sets = vec![
        NamedSet::new("7", vec![0, 1]),
        NamedSet::new("nothing", vec![]),
        NamedSet::new("middle", vec![1]),
    ];
    let last = mesh.vertex_count() as u32 - 1;
    mesh.vertex_sets = vec![
        NamedSet::new("left", vec![0, 2, 3]),
        NamedSet::new("nobody", vec![]),
        NamedSet::new("soft tissue", vec![2, 3, last - 1]),
    ];
    mesh
}

fn bits(mesh: &VolumeMesh) -> Vec<[u64; 3]> {
    mesh.vertices.iter().map(|v| v.map(f64::to_bits)).collect()
}

#[test]
fn all_variants_read_back_to_an_equal_mesh_and_the_same_bits() {
    for cell_type in CellType::ALL {
        for options in ALL {
            let plain = three_cells(cell_type);
            let mut full = with_groups(plain.clone());
            let (bytes, notes) = written(&plain, options);
            assert_eq!(notes, []);
            let back = parse(&bytes).unwrap().mesh;
            assert_eq!(back, plain, "{options:?}");
            assert_eq!(bits(&back), bits(&plain));

            let (bytes, notes) = written(&full, options);
            if options.version == Version::V22 {
                let [Note::Lost(text)] = &notes[..] else { panic!("{notes:?}") };
                assert!(text.starts_with("cell sets (3)"), "{text}");
                full.cell_sets.clear();
            } else {
                assert_eq!(notes, []);
            }
            assert_eq!(parse(&bytes).unwrap().mesh, full, "{options:?}");
        }
    }
}

#[test]
fn cells_that_alternate_between_regions_keep_their_order() {
    let mut mesh = three_cells(CellType::Tet4);
    for _ in 0..4 {
        mesh.cells.extend_from_within(..);
    }
    mesh.regions = ["a", "b"].map(|name| Region { name: name.into(), material: None }).to_vec();
    mesh.cell_region = (0..mesh.cell_count() as u32).map(|c| c * c % 7 % 2).collect();
    for options in ALL {
        assert_eq!(parse(&written(&mesh, options).0).unwrap().mesh, mesh);
    }
}

#[test]
fn the_default_is_4_1_binary() {
    let bytes = written(&three_cells(CellType::Tet4), Options::default()).0;
    assert!(bytes.starts_with(b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n"));
}

#[test]
fn materials_and_quotes_are_named_as_lost() {
    let mut mesh = with_groups(three_cells(CellType::Tet4));
    mesh.regions[0].name = "a \"b\"\nc".into();
    mesh.materials.push(pliant_mesh::MaterialRecord {
        name: "rubber".into(),
        density: 1000.0,
        law: pliant_mesh::MaterialLaw::Isotropic { young: 1e6, poisson: 0.45 },
    });
    let (bytes, notes) = written(&mesh, Options::default());
    let texts: Vec<_> = notes.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].contains("materials (1)") && texts[1].contains("quotes"), "{texts:?}");
    assert_eq!(parse(&bytes).unwrap().mesh.regions[0].name, "a 'b' c");
}

#[test]
fn a_mesh_with_a_wrong_index_is_not_written() {
    let mut mesh = three_cells(CellType::Tet4);
    mesh.cells[3] = 1000;
    assert!(write(&mesh, &mut Vec::new(), &Options::default()).is_err());
}

#[test]
fn tet10_is_written_with_the_last_two_middle_nodes_swapped() {
    let options = Options { version: Version::V22, binary: false };
    let text = String::from_utf8(written(&three_cells(CellType::Tet10), options).0).unwrap();
    assert!(text.contains("\n2 11 2 0 1 1 2 3 4 5 6 7 8 10 9\n"), "{text}");
}

#[test]
fn hex20_is_written_with_its_middle_nodes_in_gmsh_order() {
    let options = Options { version: Version::V22, binary: false };
    let text = String::from_utf8(written(&three_cells(CellType::Hex20), options).0).unwrap();
    // Gmsh has the middles of edges 01, 03, 04, 12, 15, 23, 26, 37, 45, 47, 56, 67.
    let order = "1 2 3 4 5 6 7 8 9 12 17 10 18 11 19 20 13 16 14 15";
    assert!(text.contains(&format!("\n2 17 2 0 1 {order}\n")), "{text}");
}

/// A file as Gmsh writes it, with all that can be in one: second-order tetrahedra on an entity in
/// two groups, parametric nodes, sparse tags out of order, data sections, unused nodes.
const FULL_41: &str = "$MeshFormat
4.1 0 8
$EndMeshFormat
$Comments
$Nodes
anything
$EndComments
$PhysicalNames
3
2 3 \"skin\"
3 3 \"all\"
3 7 \"right part\"
$EndPhysicalNames
$Entities
1 1 1 2
1 0 0 0 1 9
1 0 0 0 1 0 0 1 -9 2 1 -2
5 0 0 0 1 1 0 1 -3 1 1
2 0 0 0 1 1 1 2 7 3 1 5
4 0 0 0 1 1 1 1 3 0
$EndEntities
$Nodes
4 12 1 900000000
0 1 0 1
100
0 0 0
1 1 1 2
200
17
1 0 0 1
0.5 0 0 0.5
2 5 1 3
3
4
5
0 1 0 0 1
0.5 0.5 0 0.5 0.5
0 0.5 0 0 0.5
3 2 0 6
900000000
40
50
6
77
78
0 0 1
0 0 0.5
0 0.5 0.5
0.5 0 0.5
8 8 8
9 9 9
$EndNodes
$Elements
4 5 1 5
0 1 15 1
1 100
1 1 8 1
2 100 200 17
2 5 9 1
3 100 200 3 17 4 5
3 2 11 2
4 100 200 3 900000000 17 4 5 40 50 6
5 100 200 3 900000000 17 4 5 40 50 6
$EndElements
$Periodic
0
$EndPeriodic
$NodeData
1
\"u\"
$EndNodeData
$NodeData
$EndNodeData
";

#[test]
fn a_file_of_gmsh_with_everything_in_it() {
    let Imported { mesh, notes } = parse(FULL_41.as_bytes()).unwrap();
    assert_eq!(mesh.cell_type, CellType::Tet10);
    assert_eq!((mesh.vertex_count(), mesh.cell_count()), (10, 2));
    for (edge, &[a, b]) in mesh.cell_type.edges().iter().enumerate() {
        let at = |i: usize| mesh.vertices[mesh.cell(0)[i] as usize];
        let middle = std::array::from_fn(|i| 0.5 * (at(a)[i] + at(b)[i]));
        assert_eq!(at(4 + edge), middle, "edge {edge}");
    }
    // In file order.
    assert_eq!(mesh.vertices[..4], [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let regions: Vec<_> = mesh.regions.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(regions, ["right part"]);
    assert_eq!(mesh.cell_region, [0, 0]);
    assert_eq!(mesh.cell_sets, [NamedSet::new("all", vec![0, 1])]);
    assert_eq!(
        mesh.vertex_sets,
        [
            NamedSet::new("9 (dim 0)", vec![0]),
            NamedSet::new("9 (dim 1)", vec![0, 1, 2]),
            NamedSet::new("skin", vec![0, 1, 2, 3, 4, 5]),
        ]
    );
    assert_eq!(
        notes,
        [
            Note::Skipped("sections not used: $NodeData (2), $Periodic (1)".into()),
            Note::Skipped("nodes that no element uses, dropped: 2".into()),
        ]
    );
}

#[test]
fn both_line_ends_and_extra_blanks_are_read() {
    let expected = parse(FULL_41.as_bytes()).unwrap();
    let dos = FULL_41.replace('\n', "\r\n");
    assert_eq!(parse(dos.as_bytes()).unwrap(), expected);
    let airy = FULL_41.replace('\n', "  \n\n").replace(' ', "\t ");
    assert_eq!(parse(airy.replace("right\t part", "right part").as_bytes()).unwrap(), expected);
}

const HEAD_22: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const NODES_22: &str = "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n";

fn file_22(elements: &str) -> String {
    let count = elements.lines().count();
    format!("{HEAD_22}{NODES_22}$Elements\n{count}\n{elements}\n$EndElements\n")
}

#[test]
fn a_cell_that_2_2_repeats_for_each_of_its_groups_is_one_cell() {
    let file = file_22(
        "1 4 2 7 1 1 2 3 4\n2 4 2 3 1 1 2 3 4\n3 4 2 3 1 2 5 3 4\n4 4 2 0 1 1 2 3 5\n\
         5 4 2 8 1 1 2 3 5",
    );
    let mesh = parse(file.as_bytes()).unwrap().mesh;
    assert_eq!(mesh.cell_count(), 3);
    let names: Vec<_> = mesh.regions.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["3", "7"]);
    assert_eq!(mesh.cell_region, [1, 0, NO_REGION]);
    assert_eq!(mesh.cell_sets, [NamedSet::new("3", vec![0, 1]), NamedSet::new("8", vec![2])]);
    // The same cell twice in the same group is a duplicate, for the mesh doctor to find.
    let file = file_22("1 4 2 7 1 1 2 3 4\n2 4 2 7 1 1 2 3 4\n3 4 0 2 5 3 4");
    assert_eq!(parse(file.as_bytes()).unwrap().mesh.cell_count(), 3);
}

#[test]
fn parametric_nodes_of_2_2_and_many_tags() {
    let text = format!(
        "{HEAD_22}$ParametricNodes\n4\n1 0 0 0 0 1\n2 1 0 0 1 4 0.5\n3 0 1 0 2 9 0.25 0.75\n\
         4 0 0 1 3 1\n$EndParametricNodes\n$Elements\n2\n1 15 4 -6 1 1 2 3\n\
         2 4 5 0 1 2 3 -4 1 2 3 4\n$EndElements\n"
    );
    let mesh = parse(text.as_bytes()).unwrap().mesh;
    assert_eq!(mesh.cells, [0, 1, 2, 3]);
    assert_eq!(mesh.vertices[3], [0.0, 0.0, 1.0]);
    assert_eq!(mesh.vertex_sets, [NamedSet::new("6", vec![2])]);
    assert_eq!((mesh.regions.len(), mesh.cell_region.len()), (0, 0));
}

#[test]
fn version_4_0_is_read() {
    let text = "$MeshFormat\n4 0 8\n$EndMeshFormat\n$Entities\n1 0 0 1\n1 0 0 0 0 0 0 1 5\n\
        3 0 0 0 1 1 1 1 2 0\n$EndEntities\n$Nodes\n2 4\n1 1 1 2\n1 0 0 0 0.5\n2 1 0 0 0.75\n\
        3 3 0 2\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n2 2\n1 0 15 1\n1 2\n3 3 4 1\n\
        2 1 2 3 4\n$EndElements\n";
    let mesh = parse(text.as_bytes()).unwrap().mesh;
    assert_eq!(mesh.cells, [0, 1, 2, 3]);
    assert_eq!(mesh.vertices[1], [1.0, 0.0, 0.0]);
    assert_eq!(mesh.regions[0].name, "2");
    assert_eq!(mesh.vertex_sets, [NamedSet::new("5", vec![1])]);
}

/// Builds binary files of either byte order.
struct Builder {
    bytes: Vec<u8>,
    big: bool,
    wide: bool,
}

impl Builder {
    fn raw<const N: usize>(&mut self, mut little: [u8; N]) {
        if self.big {
            little.reverse();
        }
        self.bytes.extend(little);
    }

    fn ints(&mut self, values: &[i32]) -> &mut Self {
        for value in values {
            self.raw(value.to_le_bytes());
        }
        self
    }

    fn sizes(&mut self, values: &[u32]) -> &mut Self {
        for &value in values {
            if self.wide {
                self.raw(u64::from(value).to_le_bytes());
            } else {
                self.raw(value.to_le_bytes());
            }
        }
        self
    }

    fn floats(&mut self, values: &[f64]) -> &mut Self {
        for value in values {
            self.raw(value.to_le_bytes());
        }
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes.extend(text.as_bytes());
        self
    }
}

fn binary_41(big: bool, wide: bool) -> Vec<u8> {
    let mut b = Builder { bytes: Vec::new(), big, wide };
    b.text(if wide { "$MeshFormat\n4.1 1 8\n" } else { "$MeshFormat\n4.1 1 4\n" }).ints(&[1]);
    b.text("\n$EndMeshFormat\n$Entities\n").sizes(&[1, 0, 1, 1]);
    b.ints(&[1]).floats(&[0.0; 3]).sizes(&[0]);
    b.ints(&[1]).floats(&[f64::NAN; 6]).sizes(&[2]).ints(&[4, -5]).sizes(&[1]).ints(&[1]);
    b.ints(&[1]).floats(&[0.0; 6]).sizes(&[1]).ints(&[6]).sizes(&[0]);
    b.text("\n$EndEntities\n$NodeData\n\x01\n\x02\n$EndNodeData\n$Nodes\n").sizes(&[2, 4, 2, 20]);
    b.ints(&[2, 1, 1]).sizes(&[1, 20]).floats(&[0.1, 0.0, 0.0, 0.5, 0.5]);
    b.ints(&[3, 1, 0]).sizes(&[3, 10, 2, 5]);
    b.floats(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    b.text("\n$EndNodes\n$Elements\n").sizes(&[2, 2, 1, 2]);
    b.ints(&[2, 1, 2]).sizes(&[1, 1, 20, 10, 2]);
    b.ints(&[3, 1, 4]).sizes(&[1, 2, 20, 10, 2, 5]);
    b.text("\n$EndElements\n");
    b.bytes
}

fn binary_22(big: bool) -> Vec<u8> {
    let mut b = Builder { bytes: Vec::new(), big, wide: false };
    b.text("$MeshFormat\n2.2 1 8\n").ints(&[1]);
    b.text("\n$EndMeshFormat\n$Nodes\n4\n").ints(&[20]).floats(&[0.1, 0.0, 0.0]);
    b.ints(&[10]).floats(&[1.0, 0.0, 0.0]).ints(&[2]).floats(&[0.0, 1.0, 0.0]);
    b.ints(&[5]).floats(&[0.0, 0.0, 1.0]);
    b.text("\n$EndNodes\n$Elements\n3\n");
    b.ints(&[2, 1, 2, 1, 4, 1, 20, 10, 2]).ints(&[2, 1, 2, 2, -5, 1, 20, 10, 2]);
    b.ints(&[4, 1, 3, 3, 6, 1, 9, 20, 10, 2, 5]);
    b.text("\n$EndElements\n");
    b.bytes
}

#[test]
fn binary_files_of_both_byte_orders_and_both_sizes_are_read() {
    let mut files = [(false, false), (false, true), (true, false), (true, true)]
        .map(|(big, wide)| binary_41(big, wide))
        .to_vec();
    files.extend([binary_22(false), binary_22(true)]);
    for bytes in files {
        let mesh = parse(&bytes).unwrap().mesh;
        assert_eq!(mesh.vertices[0], [0.1, 0.0, 0.0]);
        assert_eq!(mesh.cells, [0, 1, 2, 3]);
        assert_eq!(mesh.regions, [Region { name: "6".into(), material: None }]);
        let set = |name| NamedSet::new(name, vec![0, 1, 2]);
        assert_eq!(mesh.vertex_sets, [set("4"), set("5")]);
    }
}

#[test]
fn partitioned_entities_keep_their_groups() {
    let text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 2 0\n\
        $EndEntities\n$PartitionedEntities\n2\n1\n7 1\n1 0 0 1\n3 0 4 2 1 2 0 0 0 1 9\n\
        8 3 1 1 2 0 0 0 1 1 1 1 2 0\n$EndPartitionedEntities\n$Nodes\n1 4 1 4\n3 8 0 4\n1\n2\n3\n\
        4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n2 2 1 2\n0 3 15 1\n1 4\n3 8 4 1\n\
        2 1 2 3 4\n$EndElements\n";
    let mesh = parse(text.as_bytes()).unwrap().mesh;
    assert_eq!(mesh.cell_region, [0]);
    assert_eq!(mesh.vertex_sets, [NamedSet::new("9", vec![3])]);
}

#[test]
fn inverted_cells_are_turned_round_and_noted() {
    let imported = parse(file_22("1 4 0 1 2 4 3\n2 4 0 2 5 3 4").as_bytes()).unwrap();
    assert!(imported.notes.contains(&Note::Reoriented { count: 1, first: 0 }));
    assert!(imported.mesh.cell_volume(0) > 0.0);
}
