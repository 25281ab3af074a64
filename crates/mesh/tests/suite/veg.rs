//! Vega's `.veg` and `.bou`.

use crate::common;

use std::path::{Path, PathBuf};

use pliant_mesh::io::{Imported, Source, bou, veg};
use pliant_mesh::{
    CellType, ErrorKind, Location, MaterialLaw, MeshError, NO_REGION, NamedSet, Note, Region,
    VolumeMesh,
};

fn read(text: &str) -> Result<Imported<VolumeMesh>, MeshError> {
    veg::read(Source::from_bytes("test.veg", text.as_bytes()))
}

fn mesh(text: &str) -> VolumeMesh {
    read(text).unwrap().mesh
}

fn written(mesh: &VolumeMesh) -> (String, Vec<Note>) {
    let mut bytes = Vec::new();
    let notes = veg::write(mesh, &mut bytes).unwrap();
    (String::from_utf8(bytes).unwrap(), notes)
}

/// Two tetrahedra, numbered from 1, and what follows.
fn two_tets(more: &str) -> String {
    format!(
        "# two\n*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n\n\
         *ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n2 2 3 4 5\n{more}"
    )
}

const SOFT: &str = "*MATERIAL soft\nENU, 1000, 1e5, 0.4\n*MATERIAL hard\nENU, 2000, 1e9, 0.3\n";

fn set(name: &str, items: &[u32]) -> NamedSet {
    NamedSet::new(name, items.to_vec())
}

fn region(name: &str, material: u32) -> Region {
    Region { name: name.into(), material: Some(material) }
}

#[test]
fn vertices_elements_and_comments_are_read() {
    let mesh = mesh(&two_tets(""));
    assert_eq!(mesh.cell_type, CellType::Tet4);
    assert_eq!(mesh.vertices[4], [1.0, 1.0, 1.0]);
    assert_eq!(mesh.cells, [0, 1, 2, 3, 1, 2, 3, 4]);
    assert!(mesh.regions.is_empty() && mesh.cell_sets.is_empty());
}

#[test]
fn separators_line_ends_and_case_do_not_matter() {
    let text = two_tets("*SET a\n1,2\n").replace("TET", "tets").replace('\n', "\r\n");
    let odd = text.replace("2 1 0 0", "\t2,1 ,\t0, 0 # tail").replace("*VERTICES", " *Vertices");
    assert_eq!(mesh(&odd), mesh(&two_tets("*SET a\n1,2\n")));
}

#[test]
fn numbering_from_0_is_told_by_a_0_for_vertices_and_elements_apart() {
    let one = mesh(&two_tets("*SET a\n2\n"));
    let vertices_from_0 =
        "*VERTICES\n5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n*ELEMENTS\nTET\n2 4 0\n";
    assert_eq!(mesh(&format!("{vertices_from_0}1 0 1 2 3\n2 1 2 3 4\n*SET a\n2\n")), one);
    assert_eq!(mesh(&format!("{vertices_from_0}0 0 1 2 3\n1 1 2 3 4\n*SET a\n1\n")), one);
}

#[test]
fn numbers_say_where_vertices_and_elements_go() {
    let text = "*VERTICES\n5 3 0 0\n5 1 1 1\n1 0 0 0\n2 1 0 0\n4 0 0 1\n3 0 1 0\n\
                *ELEMENTS\nTET\n2 4 0\n2 2 3 4 5\n1 1 2 3 4\n";
    assert_eq!(mesh(text), mesh(&two_tets("")));
    let gap = read(&two_tets("").replace("\n5 1 1 1", "\n6 1 1 1")).unwrap_err();
    assert_eq!(gap.kind(), ErrorKind::Index);
    assert!(gap.to_string().contains("there is no vertex 5"), "{gap}");
    assert!(matches!(gap.details().at, Location::Line { .. }));
    let twice = read(&two_tets("").replace("\n2 2 3 4 5", "\n1 2 3 4 5")).unwrap_err();
    assert!(twice.to_string().contains("element 1 appears twice"), "{twice}");
}

#[test]
fn sections_come_in_any_order() {
    let whole = two_tets(&format!("*SET a\n2\n{SOFT}*REGION\na, hard\n"));
    let (vertices, rest) = whole.split_once("*ELEMENTS").unwrap();
    let (elements, rest) = rest.split_once("*SET").unwrap();
    let turned = format!("*SET{rest}*ELEMENTS{elements}{vertices}");
    assert_eq!(mesh(&turned), mesh(&whole));
    let outside = turned.replace("2 2 3 4 5", "2 2 3 4 6");
    assert_eq!(read(&outside).unwrap_err().kind(), ErrorKind::Index);
    let below = turned.replace("2 2 3 4 5", "2 2 3 4 0");
    assert_eq!(read(&below).unwrap_err().kind(), ErrorKind::Index);
    let set_outside = turned.replace("*SET a\n2", "*SET a\n3");
    let error = read(&set_outside).unwrap_err();
    assert!(error.to_string().contains("numbered 1 to 2"), "{error}");
}

#[test]
fn cubes_keep_their_node_order() {
    let text = "*VERTICES\n8 3 0 0\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n\
                7 1 1 1\n8 0 1 1\n*ELEMENTS\nCUBIC\n1 8 0\n1 1 2 3 4 5 6 7 8\n";
    let cube = mesh(text);
    assert_eq!(cube.cell_type, CellType::Hex8);
    assert!((cube.cell_volume(0) - 1.0).abs() < 1e-15);
    assert_eq!(mesh(&text.replace("CUBIC", "CUBE")), cube);
}

#[test]
fn inverted_elements_are_turned_round_and_reported() {
    let import = read(&two_tets("").replace("1 1 2 3 4", "1 2 1 3 4")).unwrap();
    assert_eq!(import.notes, [Note::Reoriented { count: 1, first: 0 }]);
    assert!(import.mesh.cell_volume(0) > 0.0);
}

#[test]
fn a_set_that_is_a_region_becomes_it_and_others_stay_sets() {
    let more =
        format!("*SET a\n1\n*SET b\n2, \n*SET c\n1 2\n{SOFT}*REGION\na, soft\n*REGION\nb, hard\n");
    let mesh = mesh(&two_tets(&more));
    assert_eq!(mesh.regions, [region("a", 0), region("b", 1)]);
    assert_eq!(mesh.cell_region, [0, 1]);
    assert_eq!(mesh.cell_sets, [set("c", &[0, 1])]);
    assert_eq!(mesh.materials[1].density, 2000.0);
    assert_eq!(mesh.materials[1].law, MaterialLaw::Isotropic { young: 1e9, poisson: 0.3 });
}

#[test]
fn later_regions_win_and_a_set_cut_down_is_kept_whole() {
    let more = format!("*SET a\n1 2\n*SET b\n2\n{SOFT}*REGION\na, soft\n*REGION\nb, hard\n");
    let cut = mesh(&two_tets(&more));
    assert_eq!(cut.regions, [region("a", 0), region("b", 1)]);
    assert_eq!(cut.cell_region, [0, 1]);
    assert_eq!(cut.cell_sets, [set("a", &[0, 1])]);
    let more = format!("*SET b\n2\n{SOFT}*REGION\nallElements, soft\n*REGION\nb, hard\n");
    let all = mesh(&two_tets(&more));
    assert_eq!(all.regions, [region("allElements", 0), region("b", 1)]);
    assert_eq!(all.cell_region, [0, 1]);
    assert!(all.cell_sets.is_empty());
    let more = format!("*SET b\n2\n{SOFT}*REGION\nb, hard\n");
    assert_eq!(mesh(&two_tets(&more)).cell_region, [NO_REGION, 0]);
    // Used twice: the last use counts.
    let more = format!(
        "*SET b\n2\n{SOFT}*REGION\nb, hard\n*REGION\nallElements, hard\n*REGION\nb, soft\n"
    );
    let twice = mesh(&two_tets(&more));
    assert_eq!(twice.regions, [region("allElements", 1), region("b", 0)]);
    assert_eq!(twice.cell_region, [0, 1]);
}

#[test]
fn names_are_compared_without_their_blanks() {
    let more = format!("*SET left  lung\n1\n{SOFT}*REGION\n left lung ,soft\n");
    assert_eq!(mesh(&two_tets(&more)).regions, [region("left  lung", 0)]);
}

fn law(line: &str) -> MaterialLaw {
    mesh(&two_tets(&format!("*MATERIAL m\n{line}\n"))).materials[0].law.clone()
}

#[test]
fn every_law_is_read_with_vegas_defaults() {
    assert_eq!(
        law("MOONEYRIVLIN, 1000, 1, 2, 3"),
        MaterialLaw::MooneyRivlin { mu01: 1.0, mu10: 2.0, v1: 3.0 }
    );
    let turn = [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let young = [4.0, 1.0, 16.0];
    let three = |rotation| MaterialLaw::Orthotropic {
        young,
        poisson: [0.1, 0.2, 0.3],
        shear: [5.0, 6.0, 7.0],
        rotation,
    };
    let numbers = "1000, 4, 1, 16, 0.1, 0.2, 0.3, 5, 6, 7";
    let r = "0, -1, 0, 1, 0, 0, 0, 0, 1";
    assert_eq!(law(&format!("ORTHOTROPIC, {numbers}, {r}")), three(turn));
    assert_eq!(law(&format!("ORTHOTROPIC_N3G3R9, {numbers}, {r}")), three(turn));
    assert_eq!(law(&format!("ORTHOTROPIC_N3G3, {numbers}")), three(identity));
    // ν12 = ν √(E1/E2), G12 = G √(E1 E2) / (2 (1 + ν)).
    let one = |factor: f64, rotation| MaterialLaw::Orthotropic {
        young,
        poisson: [0.25 * 2.0, 0.25 * 0.25, 0.25 * 2.0],
        shear: [factor * 2.0 / 2.5, factor * 4.0 / 2.5, factor * 8.0 / 2.5],
        rotation,
    };
    assert_eq!(law("ORTHOTROPIC_N1, 1000, 4, 1, 16, 0.25"), one(1.0, identity));
    assert_eq!(law("ORTHOTROPIC_N1G1, 1000, 4, 1, 16, 0.25, 3"), one(3.0, identity));
    assert_eq!(law(&format!("ORTHOTROPIC_N1R9, 1000, 4, 1, 16, 0.25, {r}")), one(1.0, turn));
    assert_eq!(law(&format!("ORTHOTROPIC_N1G1R9, 1000, 4, 1, 16, 0.25, 3, {r}")), one(3.0, turn));
}

#[test]
fn bad_materials_are_refused_where_they_stand() {
    for (line, kind, says) in [
        ("ENUS, 1, 1, 0.3", ErrorKind::Syntax, "did you mean ENU?"),
        ("ORTHOTROPIC_N2, 1, 1, 1, 1, 0.3", ErrorKind::Syntax, "did you mean ORTHOTROPIC_N1?"),
        ("ENU, 1, 1", ErrorKind::Syntax, "Poisson's ratio should be"),
        ("ENU, 1, 1, 0.5", ErrorKind::Geometry, "below 0.5"),
        ("ENU, 1, 0, 0.3", ErrorKind::Geometry, "Young's modulus is 0"),
        ("ENU, -1, 1, 0.3", ErrorKind::Geometry, "the density is -1"),
        ("ENU, nan, 1, 0.3", ErrorKind::NotFinite, "the density"),
        ("ORTHOTROPIC_N3G3, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0", ErrorKind::Geometry, "G31 is 0"),
        ("ORTHOTROPIC_N1G1, 1, 1e6, 1e6, 1e6, 0.3, 1e308", ErrorKind::NotFinite, "G = [inf"),
        ("ORTHOTROPIC_N1, 1, 1e-300, 1e-300, 1, 0.3", ErrorKind::NotFinite, "G = [0.0"),
    ] {
        let error = read(&two_tets(&format!("*MATERIAL m\n{line}\n*REGION\n"))).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(says), "{error}");
        assert!(matches!(error.details().at, Location::Line { line: 16, .. }), "{error:?}");
    }
    let import = read(&two_tets("*MATERIAL m\nENU, 1, 1, 0.3, 7\n")).unwrap();
    assert!(matches!(&import.notes[..], [Note::Skipped(text)] if text.contains("line 16")));
}

#[test]
fn included_files_may_stand_anywhere() {
    let inside: &[(&str, &[u8])] = &[
        ("vertices.txt", b"# three of five\n1 0 0 0\n2 1 0 0\n*INCLUDE more.txt\n"),
        ("more.txt", b"3 0 1 0"),
        ("set.txt", b"1,\n2,\n"),
        ("tail.txt", b"*SET c\n2\n*SET d\n*INCLUDE set.txt"),
    ];
    let text = "*VERTICES\n5 3 0 0\n*INCLUDE vertices.txt\n4 0 0 1\n5 1 1 1\n\
                *ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n2 2 3 4 5\n\
                *SET a\n*INCLUDE set.txt\n*SET b\n1\n*include   tail.txt  # last\n";
    let mesh = veg::read(Source::with_siblings("test.veg", text.as_bytes(), inside)).unwrap().mesh;
    assert_eq!(mesh.vertices, self::mesh(&two_tets("")).vertices);
    let sets = [set("a", &[0, 1]), set("b", &[0]), set("c", &[1]), set("d", &[0, 1])];
    assert_eq!(mesh.cell_sets, sets);
}

#[test]
fn inclusion_without_end_is_refused_and_the_chain_named() {
    let files: &[(&str, &[u8])] = &[("a", b"# a\n*INCLUDE b"), ("b", b"*INCLUDE a")];
    let error = veg::read(Source::with_siblings("test.veg", b"*INCLUDE a", files)).unwrap_err();
    assert_eq!(error.to_string(), "b:1:1: 'a' includes itself: test.veg -> a -> b -> a");

    let names: Vec<String> = (0..40).map(|i| format!("f{i}")).collect();
    let texts: Vec<String> = (1..41).map(|i| format!("*INCLUDE f{i}")).collect();
    let files: Vec<(&str, &[u8])> =
        names.iter().zip(&texts).map(|(n, t)| (n.as_str(), t.as_bytes())).collect();
    let error = veg::read(Source::with_siblings("test.veg", b"*INCLUDE f0", &files)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("test.veg -> f0 -> f1"), "{error}");

    // Each file names the next one twice: 2^12 files unless it is stopped.
    let texts: Vec<String> = (1..41).map(|i| format!("*INCLUDE f{i}\n*INCLUDE f{i}")).collect();
    let mut files: Vec<(&str, &[u8])> =
        names.iter().zip(&texts).map(|(n, t)| (n.as_str(), t.as_bytes())).collect();
    files[12].1 = b"";
    let error = veg::read(Source::with_siblings("test.veg", b"*INCLUDE f0", &files)).unwrap_err();
    assert!(error.to_string().contains("more than 1000 included files"), "{error}");

    let missing = read("*INCLUDE gone.txt").unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Io);
    assert!(missing.to_string().contains("test.veg:1:1: cannot include 'gone.txt'"), "{missing}");
}

#[test]
fn a_misspelt_word_is_answered_with_the_right_one() {
    for (from, to, meant) in [
        ("*VERTICES", "*VERTICIES", "*VERTICES"),
        ("*ELEMENTS", "*ELEMENT", "*ELEMENTS"),
        ("TET", "TRT", "TET"),
        ("*SET", "*SETS", "*SET"),
        ("a, soft", "a, sofd", "'soft'"),
        ("a, soft", "allelements, soft", "'allElements'"),
    ] {
        let text = two_tets(&format!("*SET a\n1\n{SOFT}*REGION\na, soft\n"));
        let error = read(&text.replace(from, to)).unwrap_err();
        assert!(error.to_string().contains(&format!("did you mean {meant}?")), "{error}");
        assert!(matches!(error.details().at, Location::Line { .. }), "{error:?}");
    }
}

#[test]
fn missing_and_repeated_sections_are_named() {
    for (text, says) in [
        ("*VERTICES\n1 3 0 0\n1 0 0 0\n", "there is no *ELEMENTS section"),
        ("*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n", "there is no *VERTICES section"),
        (&two_tets("*VERTICES\n"), "a second *VERTICES section"),
        (&two_tets("*ELEMENTS\nCUBIC\n"), "a second *ELEMENTS section"),
        (&two_tets("*SET a\n1\n*SET a\n2\n"), "*SET 'a' is defined twice"),
        (&two_tets("*SET\n1\n"), "*SET without a name"),
        (&two_tets("*REGION\na\n"), "the names of a set and a material, found 'a'"),
        (&two_tets("*SET allElements\n1\n"), "is defined with 1 of 2"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn what_is_written_reads_back_equal() {
    let everything = format!(
        "*SET a\n1 2\n*SET b\n2\n*SET free\n1\n{SOFT}\
         *MATERIAL o\nORTHOTROPIC_N1R9, 1000, 3, 7, 11, 0.3, 0, -1, 0, 1, 0, 0, 0, 0, 1\n\
         *MATERIAL p\nORTHOTROPIC_N1, 1e-3, 3, 7, 11, 0.3\n*MATERIAL q\nMOONEYRIVLIN, 1, .1, .2, .3\n\
         *REGION\na, soft\n*REGION\nb, hard\n"
    );
    let empty = format!("*SET a\n1\n*SET b\n1 2\n{SOFT}*REGION\na, soft\n*REGION\nb, hard\n");
    for text in [
        two_tets(""),
        two_tets(&everything).replace("1 1 1\n", "0.1 1e300 -0.30000000000000004\n"),
        two_tets(&empty),
        two_tets(&format!("*SET b\n2\n{SOFT}*REGION\nallElements, soft\n*REGION\nb, hard\n")),
        two_tets(&format!("*SET b b\n2\n{SOFT}*REGION\nb b, hard\n")),
    ] {
        let mesh = mesh(&text);
        let (again, notes) = written(&mesh);
        assert_eq!(self::mesh(&again), mesh, "{again}");
        assert_eq!(notes, []);
    }
}

#[test]
fn what_veg_cannot_hold_is_noted_once_a_kind() {
    let mut mesh = mesh(&two_tets(SOFT));
    mesh.regions = vec![Region { name: "bare".into(), material: None }, region("allElements", 0)];
    mesh.cell_region = vec![0, 1];
    mesh.cell_sets = vec![set("a,b", &[0]), set("bare", &[1]), set("allElements", &[1])];
    mesh.vertex_sets = vec![set("left", &[0]), set("right", &[1])];
    let (text, notes) = written(&mesh);
    assert_eq!(notes.len(), 3, "{notes:?}");
    assert!(notes.iter().all(|n| matches!(n, Note::Lost(_))));
    assert!(notes[2].to_string().contains("vertex sets (2): .veg has none"), "{}", notes[2]);
    let again = self::mesh(&text);
    assert_eq!(again.regions, [region("allElements_2", 0)]);
    assert_eq!(again.cell_region, [NO_REGION, 0]);
    let sets =
        [set("bare", &[0]), set("a_b", &[0]), set("bare_2", &[1]), set("allElements_3", &[1])];
    assert_eq!(again.cell_sets, sets);

    mesh.cell_type = CellType::Tet10;
    mesh.cells = vec![0; 20];
    assert_eq!(veg::write(&mesh, &mut Vec::new()).unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn vertex_lists_are_read_and_written() {
    let read = |text: &str| bou::read(Source::from_bytes("test.bou", text.as_bytes()));
    assert_eq!(read("51,127,178\n").unwrap(), [50, 126, 177]);
    assert_eq!(read("3, 1,\r\n2\t7,\n").unwrap(), [2, 0, 1, 6]);
    assert_eq!(read("").unwrap(), []);
    assert_eq!(read("\n").unwrap(), []);
    assert_eq!(bou::read_with_base(Source::from_bytes("test.bou", b"0,3"), 0).unwrap(), [0, 3]);
    let list: Vec<u32> = (0..20).map(|i| 3 * i).collect();
    let mut bytes = Vec::new();
    bou::write(&list, &mut bytes).unwrap();
    assert!(bytes.starts_with(b"1,4,7,"));
    assert_eq!(bou::read(Source::from_bytes("test.bou", &bytes)).unwrap(), list);
    let error = read("1,\n0\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "test.bou:2:1: vertex 0: they are numbered from 1 (read it as numbered from 0)"
    );
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn vegas_models_have_the_counts_of_their_headers_and_survive_a_round_trip() {
    let Some(data) = common::vega_data() else { return };
    let paths = files(&data.join("models"), "veg");
    assert!(paths.len() >= 11);
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let header = text.lines().find(|l| l.contains("vertices, ")).unwrap();
        let counts: Vec<usize> =
            header.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let import = veg::read(Source::open(&path).unwrap()).unwrap();
        let mesh = import.mesh;
        assert_eq!([mesh.vertex_count(), mesh.cell_count()], counts[..], "{}", path.display());
        assert_eq!(import.notes, [], "{}", path.display());
        let (again, notes) = written(&mesh);
        assert_eq!(self::mesh(&again), mesh);
        assert_eq!(notes, []);
    }
}

#[test]
fn vegas_vertex_lists_name_vertices_of_their_meshes() {
    let Some(data) = common::vega_data() else { return };
    let list = |name: &str| bou::read(Source::open(&data.join("models").join(name)).unwrap());
    assert_eq!(list("asianDragon/asianDragon.bou").unwrap(), [50, 126, 177]);
    assert_eq!(list("asianDragon/asianDragon-empty.bou").unwrap(), []);
    assert_eq!(list("beam3/beam3.bou").unwrap(), [50, 51, 102, 103, 154, 155, 206, 207]);
    assert_eq!(list("turtle/turtle-volumetric.bou").unwrap().len(), 23);
}

#[test]
fn the_turtles_included_sets_and_materials_arrive() {
    let Some(data) = common::vega_data() else { return };
    let turtle = data.join("models/turtle");
    let numbers = |name: &str| -> Vec<u32> {
        let text = std::fs::read_to_string(turtle.join(name)).unwrap();
        let mut list: Vec<u32> = text
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|n| n.parse::<u32>().ok())
            .map(|n| n - 1)
            .collect();
        list.sort_unstable();
        list
    };
    let (shell, rest) = (numbers("shellElementList.txt"), numbers("nonShellElementList.txt"));
    assert_eq!(shell.len() + rest.len(), 1185);
    let read = |name: &str| veg::read(Source::open(&turtle.join(name)).unwrap()).unwrap().mesh;
    for name in ["turtle-volumetric-heterogeneous.veg", "turtle-volumetric-heterogeneous.ortho.veg"]
    {
        let mesh = read(name);
        assert_eq!(mesh.regions, [region("backshell", 0), region("theRest", 1)]);
        assert_eq!(mesh.region_cells(0), shell);
        assert_eq!(mesh.region_cells(1), rest);
        assert!(mesh.cell_sets.is_empty());
        let names: Vec<_> = mesh.materials.iter().map(|m| (m.name.as_str(), m.density)).collect();
        assert_eq!(names, [("hardMaterial", 1000.0), ("softMaterial", 1000.0)]);
    }
    let plain = read("turtle-volumetric-heterogeneous.veg");
    assert_eq!(plain.materials[0].law, MaterialLaw::Isotropic { young: 2.5e7, poisson: 0.45 });
    assert_eq!(plain.materials[1].law, MaterialLaw::Isotropic { young: 2.5e5, poisson: 0.35 });
    let ortho = read("turtle-volumetric-heterogeneous.ortho.veg");
    let MaterialLaw::Orthotropic { young, poisson, shear, .. } = &ortho.materials[1].law else {
        panic!("{:?}", ortho.materials[1].law);
    };
    assert_eq!(*young, [25e9, 25e5, 25e3]);
    // √(E1/E2) = 100, √(E2/E3) = 10, √(E3/E1) = 1e-3; √(E1 E2) = 2.5e8 and so on.
    for (found, expected) in poisson.iter().zip([35.0, 3.5, 3.5e-4]) {
        assert!((found / expected - 1.0).abs() < 1e-14);
    }
    for (found, expected) in shear.iter().zip([2.5e8, 2.5e5, 2.5e7]) {
        assert!((found / (expected / 2.7) - 1.0).abs() < 1e-14);
    }
}
