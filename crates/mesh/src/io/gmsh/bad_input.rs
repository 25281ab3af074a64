//! Bad `.msh` files: each is an error that says what and where, none a panic.

use crate::cell::CellType;
use crate::error::{ErrorKind, Location, MeshError};
use crate::io::Source;
use crate::volume::{NamedSet, Region, VolumeMesh};

use super::{Options, Version, read, write};

const NODES: &str = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
const ELEMENTS: &str = "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n";

fn file(sections: &[&str]) -> String {
    ["$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", &sections.concat()].concat()
}

fn error_of(bytes: &[u8]) -> MeshError {
    match read(Source::from_bytes("bad.msh", bytes)) {
        Ok(_) => panic!("read: {}", String::from_utf8_lossy(bytes)),
        Err(error) => error,
    }
}

#[track_caller]
fn expect(text: &str, kind: ErrorKind, message: &str) {
    let error = error_of(text.as_bytes());
    assert!(error.to_string().starts_with(message), "{error}");
    assert_eq!(error.kind(), kind, "{error}");
}

fn good() -> VolumeMesh {
    let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut mesh = VolumeMesh::new(CellType::Tet4, vertices, vec![0, 1, 2, 3]);
    mesh.regions.push(Region { name: "body".into(), material: None });
    mesh.cell_region.push(0);
    mesh.cell_sets.push(NamedSet::new("part", vec![0]));
    mesh.vertex_sets.push(NamedSet::new("left", vec![0, 2]));
    mesh
}

fn good_files() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for version in [Version::V22, Version::V41] {
        for binary in [false, true] {
            let mut bytes = Vec::new();
            write(&good(), &mut bytes, &Options { version, binary }).unwrap();
            files.push(bytes);
        }
    }
    files
}

/// Pseudo-random bytes (xorshift64*), the same on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 8
    }
}

#[test]
fn a_file_cut_off_anywhere_is_an_error() {
    for bytes in good_files() {
        for length in 0..bytes.len() {
            // Without its last line end the file is whole.
            let whole = length + 1 == bytes.len();
            let result = read(Source::from_bytes("cut.msh", &bytes[..length]));
            assert_eq!(result.is_ok(), whole, "{length} of {}", bytes.len());
            if let Err(error) = result {
                assert_ne!(error.kind(), ErrorKind::Io);
            }
        }
    }
}

#[test]
fn changed_bytes_do_not_panic() {
    let mut random = Random(7);
    for bytes in good_files() {
        for _ in 0..3000 {
            let mut changed = bytes.clone();
            for _ in 0..=random.next() % 3 {
                let place = random.next() as usize % changed.len();
                changed[place] = random.next() as u8;
            }
            let _ = read(Source::from_bytes("changed.msh", &changed));
        }
    }
}

#[test]
fn garbage_is_an_error() {
    expect("", ErrorKind::Truncated, "bad.msh: the file is empty");
    let mut random = Random(3);
    let heads: [&[u8]; 4] = [
        b"",
        b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n",
        b"$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n9\n",
        b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Entities\n",
    ];
    for head in heads {
        for _ in 0..200 {
            let mut bytes = head.to_vec();
            bytes.extend((0..random.next() % 400).map(|_| random.next() as u8));
            error_of(&bytes);
        }
    }
    expect(
        "hello\n",
        ErrorKind::Syntax,
        "bad.msh:1:1: a Gmsh file: expected $MeshFormat, found 'hello'",
    );
}

#[test]
fn versions_that_are_not_served_say_what_to_do() {
    expect(
        "$NOD\n1\n1 0 0 0\n$ENDNOD\n",
        ErrorKind::Unsupported,
        "bad.msh:1:1: a Gmsh file of version 1.0, which is not served (re-save as 4.1 in Gmsh)",
    );
    for version in ["3", "4.2", "5"] {
        let text = format!("$MeshFormat\n{version} 0 8\n$EndMeshFormat\n");
        let message = format!("bad.msh:2:1: Gmsh format {version}: 2.0 to 2.2, 4.0 and 4.1");
        expect(&text, ErrorKind::Unsupported, &message);
    }
    expect("$MeshFormat\n2.2 2 8\n", ErrorKind::Syntax, "bad.msh:2:5: the file type");
    expect("$MeshFormat\n2.2 1 4\n", ErrorKind::Unsupported, "bad.msh:2:7: data of 4 bytes");
    expect(
        "$MeshFormat\n4.1 1 8\n\x02\0\0\0\n",
        ErrorKind::Syntax,
        "bad.msh at byte 24: the byte order mark is 2",
    );
}

#[test]
fn counts_that_are_wrong_are_named() {
    let too_many = NODES.replace("\n4\n", "\n5\n");
    expect(
        &file(&[&too_many, ELEMENTS]),
        ErrorKind::Count,
        "bad.msh:10:1: the section ends where a node tag should be",
    );
    let too_few = NODES.replace("\n4\n", "\n3\n");
    expect(
        &file(&[&too_few, ELEMENTS]),
        ErrorKind::Count,
        "bad.msh:9:1: expected $EndNodes after what $Nodes announced, found '4'",
    );
    let head = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 3 1 3\n";
    expect(
        &format!("{head}3 1 0 4\n1 2 3 4 0 0 0 1 0 0 0 1 0 0 0 1\n$EndNodes\n"),
        ErrorKind::Count,
        "bad.msh:6:7: the node blocks hold more than the announced 3 nodes",
    );
    expect(
        &format!("{head}3 1 0 2\n1 2\n0 0 0 1 0 0\n$EndNodes\n"),
        ErrorKind::Count,
        "bad.msh:8:11: 3 nodes are announced, but the blocks hold 2",
    );
    let minus = ELEMENTS.replace("1 4 0", "1 4 -2");
    expect(&file(&[NODES, &minus]), ErrorKind::Count, "bad.msh:13:5: an element with -2 tags");
}

#[test]
fn huge_counts_allocate_nothing() {
    for count in ["4000000000", "9223372036854775808", "18446744073709551615"] {
        let nodes = NODES.replace("\n4\n", &format!("\n{count}\n"));
        expect(&file(&[&nodes, ELEMENTS]), ErrorKind::Count, "bad.msh:5:1: ");
        let elements = ELEMENTS.replace("\n1\n", &format!("\n{count}\n"));
        expect(&file(&[NODES, &elements]), ErrorKind::Count, "bad.msh:12:1: ");
        for section in ["Entities", "Nodes", "Elements", "PartitionedEntities"] {
            let head = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
            let nodes = if section == "Elements" { "$Nodes\n0 0 0 0\n$EndNodes\n" } else { "" };
            let text = format!("{head}{nodes}${section}\n1 {count} 1 1\n3 1 4 {count}\n");
            assert_eq!(error_of(text.as_bytes()).kind(), ErrorKind::Count, "{section}");
        }
    }
    for count in [1_u64 << 40, 1 << 63, u64::MAX] {
        let mut bytes = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_vec();
        bytes.extend([1, count, 1, count].iter().flat_map(|n| n.to_le_bytes()));
        let error = error_of(&bytes);
        assert_eq!(error.kind(), ErrorKind::Count, "{error}");
        assert!(matches!(error.details().at, Location::Offset(48..=64)), "{error:?}");
    }
}

#[test]
fn nodes_that_do_not_exist_are_named_with_their_place() {
    for wrong in ["99", "0", "-1", "18446744073709551615"] {
        let elements = ELEMENTS.replace("1 2 3 4", &format!("1 2 {wrong} 4"));
        let error = error_of(file(&[NODES, &elements]).as_bytes());
        if wrong.len() < 4 {
            assert_eq!(error.kind(), ErrorKind::Index);
            assert!(error.to_string().contains(&format!("names node {wrong},")), "{error}");
        }
        let at = Location::Line { line: 13, column: 11, width: wrong.len() as u64 };
        assert_eq!(error.details().at, at, "{error}");
    }
    let mut bytes = Vec::new();
    write(&good(), &mut bytes, &Options::default()).unwrap();
    let end = bytes.len() - "\n$EndElements\n".len();
    let third = end - 2 * 8;
    bytes[third] = 77;
    let error = error_of(&bytes);
    assert_eq!(error.kind(), ErrorKind::Index);
    assert!(error.to_string().contains("names node 77"), "{error}");
    assert_eq!(error.details().at, Location::Offset(third as u64));
}

#[test]
fn numbers_that_are_not_finite_are_named_with_their_place() {
    for wrong in ["nan", "inf", "-Infinity", "1e999"] {
        let nodes = NODES.replace("2 1 0 0", &format!("2 1 {wrong} 0"));
        expect(
            &file(&[&nodes, ELEMENTS]),
            ErrorKind::NotFinite,
            "bad.msh:7:5: the y coordinate of a node is ",
        );
    }
    let mut bytes = Vec::new();
    write(&good(), &mut bytes, &Options::default()).unwrap();
    let one = 1.0_f64.to_le_bytes();
    let place = bytes.windows(8).rposition(|window| window == one).unwrap();
    bytes[place..place + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    let error = error_of(&bytes);
    assert_eq!(error.kind(), ErrorKind::NotFinite);
    assert_eq!(error.details().at, Location::Offset(place as u64));
}

#[test]
fn mixed_and_unserved_cells_are_counted_and_named() {
    let nodes = "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n\
                 $EndNodes\n";
    let elements =
        |rows: &str| format!("$Elements\n{}\n{rows}\n$EndElements\n", rows.lines().count());
    let tet = "1 4 0 1 2 3 5\n2 4 0 1 3 4 5";
    let hex = "3 5 0 1 2 3 4 5 6 7 8";
    expect(
        &file(&[nodes, &elements(&format!("{tet}\n{hex}"))]),
        ErrorKind::MixedCells,
        "bad.msh:19:5: volume elements of several kinds: 2 tet4, 1 hex8 (",
    );
    let wedge = "4 6 0 1 2 3 5 6 7\n5 7 0 1 2 3 4 5";
    for rows in [format!("{tet}\n{wedge}"), format!("{wedge}\n{tet}\n{hex}")] {
        let error = error_of(file(&[nodes, &elements(&rows)]).as_bytes());
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains(": 1 prism6, 1 pyramid5 ("), "{error}");
    }
    expect(
        &file(&[nodes, &elements("1 35 0 1 2 3")]),
        ErrorKind::Unsupported,
        "bad.msh:17:3: an element of type 35 (polyhedron), which is not served",
    );
}

#[test]
fn meshes_without_cells_or_nodes_are_errors() {
    let surface = ELEMENTS.replace("1 4 0 1 2 3 4", "1 2 0 1 2 3");
    expect(
        &file(&[NODES, &surface]),
        ErrorKind::Geometry,
        "bad.msh: the file has no volume elements",
    );
    let nothing = "$Nodes\n0\n$EndNodes\n$Elements\n0\n$EndElements\n";
    expect(&file(&[nothing]), ErrorKind::Geometry, "bad.msh: the file has no nodes");
    expect(&file(&[NODES]), ErrorKind::Truncated, "bad.msh:10:1: the file ends without a section");
}

#[test]
fn sections_in_the_wrong_place_are_errors() {
    expect(
        &file(&[ELEMENTS, NODES]),
        ErrorKind::Syntax,
        "bad.msh:4:1: $Elements comes before $Nodes",
    );
    expect(&file(&[NODES, NODES]), ErrorKind::Syntax, "bad.msh:11:1: a second section $Nodes");
    expect(
        &file(&["$NodeData\n1\n2\n"]),
        ErrorKind::Truncated,
        "bad.msh:4:1: the section '$NodeData' has no end",
    );
    let twice = NODES.replace("\n4 0 0 1", "\n1 0 0 1");
    expect(&file(&[&twice, ELEMENTS]), ErrorKind::Index, "bad.msh:10:1: two nodes have the tag 1");
}

#[test]
fn a_small_file_cannot_ask_for_huge_sets() {
    let n = 1200;
    let lines = |line: fn(usize) -> String| (1..=n).map(line).collect::<Vec<_>>().join("\n");
    let groups = lines(|i| i.to_string()).replace('\n', " ");
    let text = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n1 0 0 0\n1 0 0 0 {n} {groups}\n\
         $EndEntities\n$Nodes\n1 {n} 1 {n}\n3 1 0 {n}\n{}\n{}\n$EndNodes\n\
         $Elements\n2 {total} 1 {total}\n0 1 15 {n}\n{}\n3 1 4 1\n1 4 5 6 8\n$EndElements\n",
        lines(|i| i.to_string()),
        lines(|i| format!("{} {} {}", i % 2, i / 2 % 2, i / 4)),
        lines(|i| format!("{i} {i}")),
        total = n + 1,
    );
    expect(&text, ErrorKind::Unsupported, "bad.msh: the physical groups overlap so much");
}
