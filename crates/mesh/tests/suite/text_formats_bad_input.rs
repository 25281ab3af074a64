//! Bad input for `.veg`, `.bou`, TetGen and MEDIT: an error that names the place, and no panic.

use pliant_mesh::io::{Source, bou, medit, tetgen, veg};
use pliant_mesh::{ErrorKind, Location, MeshError};

/// A reader as a test sees it: does it take these bytes?
type Reader = fn(&[u8]) -> Result<(), MeshError>;

const VEG: &str = "# m\n*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n\
                   *ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n*MATERIAL soft\nENU, 1000, 1e5, 0.4\n\
                   *SET a\n1,\n*INCLUDE more\n*REGION\na, soft\n";
const BOU: &str = "1, 2,\n 17\n";
const NODE: &str = "4 3 0 1\n1 0 0 0 1\n2 1 0 0 1\n3 0 1 0 2\n4 0 0 1 0\n";
const ELE: &str = "1 4 1\n1 1 2 3 4 5\n";
const FACE: &str = "1 1\n1 1 2 3 -1\n";
const MEDIT: &str = "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 1\n1 0 0 0\n0 1 0 0\n\
                     0 0 1 0\nTriangles\n1\n1 2 3 4\nTetrahedra\n1\n1 2 3 4 9\nEnd\n";

fn read_veg(bytes: &[u8]) -> Result<(), MeshError> {
    veg::read(Source::with_siblings("f.veg", bytes, &[("more", b"1\n")])).map(|_| ())
}

fn read_bou(bytes: &[u8]) -> Result<(), MeshError> {
    bou::read(Source::from_bytes("f.bou", bytes)).map(|_| ())
}

fn read_node(bytes: &[u8]) -> Result<(), MeshError> {
    let files: &[(&str, &[u8])] = &[("f.ele", ELE.as_bytes()), ("f.face", FACE.as_bytes())];
    tetgen::read(Source::with_siblings("f.node", bytes, files)).map(|_| ())
}

fn read_ele(bytes: &[u8]) -> Result<(), MeshError> {
    let files: &[(&str, &[u8])] = &[("f.node", NODE.as_bytes()), ("f.face", FACE.as_bytes())];
    tetgen::read(Source::with_siblings("f.ele", bytes, files)).map(|_| ())
}

fn read_face(bytes: &[u8]) -> Result<(), MeshError> {
    let files: &[(&str, &[u8])] = &[("f.node", NODE.as_bytes()), ("f.ele", ELE.as_bytes())];
    tetgen::read(Source::with_siblings("f.face", bytes, files)).map(|_| ())
}

fn read_medit(bytes: &[u8]) -> Result<(), MeshError> {
    medit::read(Source::from_bytes("f.mesh", bytes)).map(|_| ())
}

const READERS: [(Reader, &str); 6] = [
    (read_veg, VEG),
    (read_bou, BOU),
    (read_node, NODE),
    (read_ele, ELE),
    (read_face, FACE),
    (read_medit, MEDIT),
];

/// Marsaglia's xorshift: the same bytes in every run.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below
    }
}

#[test]
fn the_samples_are_good() {
    for (read, text) in READERS {
        assert_eq!(read(text.as_bytes()), Ok(()));
    }
}

#[test]
fn cut_off_anywhere_it_is_read_or_refused() {
    for (read, text) in READERS {
        for end in 0..text.len() {
            if let Err(error) = read(&text.as_bytes()[..end]) {
                assert!(error.details().file.is_some(), "{error}");
            }
        }
    }
}

#[test]
fn empty_files_are_refused_except_lists() {
    for (read, text) in READERS {
        for empty in ["", "\n", "# only a comment\r\n"] {
            if text == BOU {
                assert_eq!(read(empty.as_bytes()), Ok(()));
            } else {
                let error = read(empty.as_bytes()).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
            }
        }
    }
}

#[test]
fn garbage_is_refused() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for (read, text) in READERS {
        for _ in 0..300 {
            let length = 32 + random.next(2000);
            let mut bytes: Vec<u8> = (0..length).map(|_| random.next(256) as u8).collect();
            // Something that is neither blank nor a number, so that even a list is bad.
            bytes.insert(0, b'\xFF');
            assert!(read(&bytes).is_err());
            // The same behind a good start.
            let mut bytes = [text.as_bytes(), &bytes].concat();
            let _ = read(&bytes);
            bytes.truncate(text.len() + 8);
            let _ = read(&bytes);
        }
    }
}

#[test]
fn changed_bytes_and_lines_never_panic() {
    let mut random = Random(42);
    let pieces: [&[u8]; 12] = [
        b"0",
        b"-1",
        b" ",
        b"\n",
        b",",
        b"#",
        b"*",
        b"9",
        b"4294967295",
        b"18446744073709551615",
        b"nan",
        b"End",
    ];
    for (read, text) in READERS {
        for _ in 0..4000 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=random.next(3) {
                let start = random.next(bytes.len() + 1);
                let end = (start + random.next(4)).min(bytes.len());
                let piece = pieces[random.next(pieces.len())];
                bytes.splice(start..end, piece.iter().copied());
            }
            let _ = read(&bytes);
        }
        let lines: Vec<&str> = text.lines().collect();
        for _ in 0..1000 {
            let shuffled: Vec<&str> =
                (0..lines.len()).map(|_| lines[random.next(lines.len())]).collect();
            let _ = read(shuffled.join("\n").as_bytes());
        }
    }
}

/// In `text`, `from` becomes `to`: the reader must refuse it so, at a line.
fn refuses(read: Reader, text: &str, from: &str, to: &str, kind: ErrorKind) {
    assert!(text.contains(from), "{from}");
    let error = read(text.replacen(from, to, 1).as_bytes()).unwrap_err();
    assert_eq!(error.kind(), kind, "{from:?} -> {to:?}: {error}");
    assert!(matches!(error.details().at, Location::Line { line: 1.., .. }), "{error:?}");
}

#[test]
fn wrong_counts_are_refused() {
    use ErrorKind::{Count, Truncated};
    refuses(read_veg, VEG, "4 3 0 0", "5 3 0 0", Count);
    refuses(read_veg, VEG, "4 3 0 0", "3 3 0 0", Count);
    refuses(read_veg, VEG, "1 4 0\n", "2 4 0\n", Count);
    refuses(read_veg, VEG, "1 1 2 3 4\n", "1 1 2 3 4\n2 1 2 3 4\n", Count);
    refuses(read_veg, &VEG[..VEG.find("*MATERIAL").unwrap()], "1 4 0\n", "2 4 0\n", Truncated);
    refuses(read_node, NODE, "4 3", "5 3", Truncated);
    refuses(read_node, NODE, "4 3", "3 3", Count);
    refuses(read_ele, ELE, "1 4 1", "2 4 1", Count);
    refuses(read_ele, &ELE.replace(" 5\n", "           5\n"), "1 4 1", "2 4 1", Truncated);
    refuses(read_face, FACE, "1 1\n", "1 1\n1 1 2 3 0\n", Count);
    refuses(read_medit, MEDIT, "Vertices\n4", "Vertices\n3", Count);
    refuses(read_medit, MEDIT, "Vertices\n4", "Vertices\n5", Count);
    refuses(read_medit, MEDIT, "Tetrahedra\n1", "Tetrahedra\n2", Count);
}

#[test]
fn huge_counts_are_refused_before_memory_is_asked_for() {
    use ErrorKind::Count;
    for huge in ["4000000000", "4294967296", "9223372036854775808", "18446744073709551615"] {
        refuses(read_veg, VEG, "4 3 0 0", &format!("{huge} 3 0 0"), Count);
        refuses(read_veg, VEG, "1 4 0\n", &format!("{huge} 4 0\n"), Count);
        refuses(read_node, NODE, "4 3", &format!("{huge} 3"), Count);
        refuses(read_ele, ELE, "1 4 1", &format!("{huge} 4 1"), Count);
        refuses(read_face, FACE, "1 1\n", &format!("{huge} 1\n"), Count);
        refuses(read_medit, MEDIT, "Vertices\n4", &format!("Vertices\n{huge}"), Count);
        refuses(read_medit, MEDIT, "Tetrahedra\n1", &format!("Tetrahedra\n{huge}"), Count);
        refuses(read_medit, MEDIT, "Triangles\n1", &format!("Triangles\n{huge}"), Count);
    }
    let more = "99999999999999999999999";
    refuses(read_veg, VEG, "4 3 0 0", more, ErrorKind::Syntax);
    refuses(read_node, NODE, "4 3", more, ErrorKind::Syntax);
    refuses(read_medit, MEDIT, "Vertices\n4", &format!("Vertices\n{more}"), ErrorKind::Syntax);
}

#[test]
fn indices_out_of_range_are_refused() {
    use ErrorKind::Index;
    for outside in ["0", "5", "4294967295", "4294967296", "18446744073709551615"] {
        refuses(read_veg, VEG, "1 1 2 3 4", &format!("1 1 2 3 {outside}"), Index);
        refuses(read_veg, VEG, "*SET a\n1", &format!("*SET a\n{outside}"), Index);
        refuses(read_ele, ELE, "1 1 2 3 4", &format!("1 1 2 3 {outside}"), Index);
        refuses(read_face, FACE, "1 1 2 3", &format!("1 1 2 {outside}"), Index);
        refuses(read_medit, MEDIT, "1 2 3 4 9", &format!("1 2 3 {outside} 9"), Index);
        refuses(read_medit, MEDIT, "1 2 3 4\n", &format!("1 2 {outside} 4\n"), Index);
    }
    refuses(read_bou, BOU, "17", "0", Index);
    refuses(read_bou, BOU, "17", "4294967297", Index);
    refuses(read_bou, BOU, "17", "18446744073709551615", Index);
    refuses(read_bou, BOU, "17", "-17", ErrorKind::Syntax);
    refuses(read_veg, VEG, "a, soft", "b, soft", Index);
    refuses(read_veg, VEG, "a, soft", "a, hard", Index);
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    use ErrorKind::{NotFinite, Syntax};
    for bad in ["nan", "inf", "-infinity", "1e999"] {
        refuses(read_veg, VEG, "2 1 0 0", &format!("2 1 {bad} 0"), NotFinite);
        refuses(read_veg, VEG, "1e5", bad, NotFinite);
        refuses(read_node, NODE, "2 1 0 0", &format!("2 1 {bad} 0"), NotFinite);
        refuses(read_medit, MEDIT, "1 0 0 0", &format!("1 {bad} 0 0"), NotFinite);
    }
    refuses(read_veg, VEG, "2 1 0 0", "2 1 x 0", Syntax);
    refuses(read_node, NODE, "2 1 0 0", "2 1 0x0 0", Syntax);
    refuses(read_medit, MEDIT, "1 0 0 0", "1 _0 0 0", Syntax);
}

#[test]
fn mixed_cells_are_refused() {
    refuses(
        read_veg,
        VEG,
        "1 4 0\n1 1 2 3 4\n",
        "2 4 0\n1 1 2 3 4\n2 1 2 3 4 1 2 3 4\n",
        ErrorKind::MixedCells,
    );
    refuses(read_veg, VEG, "*SET", "*ELEMENTS\nCUBIC\n", ErrorKind::MixedCells);
    refuses(read_ele, ELE, "1 4 1", "1 8 1", ErrorKind::Unsupported);
    let mixed = MEDIT.replace("End", "Hexahedra\n1\n1 2 3 4 1 2 3 4 0\nEnd");
    assert_eq!(read_medit(mixed.as_bytes()).unwrap_err().kind(), ErrorKind::MixedCells);
}
