//! Reading MEDIT's `.mesh`.

use pliant_algebra::vec3::Vec3;

use crate::cell::{CellType, TET_EDGES};
use crate::error::{ErrorKind, MeshError, Note};
use crate::io::scanner::{Scanner, Syntax, quote};
use crate::io::tetgen::labels::{self, LabelledVertices};
use crate::io::veg::nearest::nearest;
use crate::io::{Imported, Source};
use crate::volume::VolumeMesh;

use super::FACET_SETS;

/// Sections that are read.
const KEYWORDS: [&str; 13] = [
    "MeshVersionFormatted",
    "Dimension",
    "Vertices",
    "Tetrahedra",
    "TetrahedraP2",
    "TetrahedraP2Ordering",
    "Hexahedra",
    "Edges",
    "EdgesP2",
    "Triangles",
    "TrianglesP2",
    "Quadrilaterals",
    "End",
];

/// Volume cells that are known but not served.
const OTHER_CELLS: [&str; 8] = [
    "Prisms",
    "Pentahedra",
    "Pyramids",
    "HexahedraQ2",
    "TetrahedraP3",
    "TetrahedraP4",
    "PrismsP2",
    "PyramidsP2",
];

/// Facets that become vertex sets: keyword, nodes, index of the sets' names in [`FACET_SETS`].
const FACETS: [(&str, usize, usize); 6] = [
    ("Edges", 2, 0),
    ("EdgesP2", 3, 0),
    ("Triangles", 3, 1),
    ("TrianglesP2", 6, 1),
    ("Quadrilaterals", 4, 2),
    ("QuadrilateralsQ2", 9, 2),
];

/// Reads a `.mesh` file of three dimensions.
pub fn read(source: Source<'_>) -> Result<Imported<VolumeMesh>, MeshError> {
    let name = source.name.clone();
    let mut file = File {
        scanner: Scanner::new(source, Syntax::HASH),
        keyword_taken: false,
        after: String::new(),
        vertices: None,
        volume: Vec::new(),
        cells: Vec::new(),
        references: Vec::new(),
        sets: Default::default(),
        bare_facets: [0; FACETS.len()],
        p2_order: None,
        skipped: Vec::new(),
        notes: Vec::new(),
    };
    file.head()?;
    file.sections()?;
    file.finish().map_err(|e| e.in_file(name))
}

struct File<'a> {
    scanner: Scanner<'a>,
    /// Whether the field taken last is the keyword of the next section.
    keyword_taken: bool,
    /// What was read last, for errors.
    after: String,
    vertices: Option<(Vec<Vec3>, Vec<i64>)>,
    /// Sections of volume cells that are not empty, and their counts.
    volume: Vec<(String, u64)>,
    /// The cells of the first of them that is served.
    cells: Vec<u32>,
    references: Vec<i64>,
    /// By [`FACET_SETS`].
    sets: [LabelledVertices; FACET_SETS.len()],
    /// Facets without a reference.
    bare_facets: [u64; FACETS.len()],
    /// For each node of a tet10 in VTK's order its position in the file, where the file tells.
    p2_order: Option<[usize; 10]>,
    skipped: Vec<String>,
    notes: Vec<Note>,
}

impl File<'_> {
    fn head(&mut self) -> Result<(), MeshError> {
        let what = "the first word of a .mesh file";
        let found = self.scanner.token()?.map(|w| w.eq_ignore_ascii_case(b"MeshVersionFormatted"));
        match found {
            Some(true) => {}
            Some(false) => {
                return Err(self
                    .scanner
                    .unexpected(what, "MeshVersionFormatted")
                    .hint("a binary .meshb is not served: write it as .mesh"));
            }
            None => return Err(self.scanner.truncated(what)),
        }
        let version = self.scanner.u64_token("the version")?;
        if !(1..=4).contains(&version) {
            let text = format!("version {version}: 1 to 4 are served");
            return Err(self.scanner.error(ErrorKind::Unsupported, text));
        }
        Ok(())
    }

    fn sections(&mut self) -> Result<(), MeshError> {
        let mut dimension = None;
        while let Some(word) = self.keyword()? {
            let is = |keyword: &&str| word.eq_ignore_ascii_case(keyword);
            if is(&"End") {
                return Ok(());
            } else if is(&"Dimension") {
                let d = self.scanner.u64_token("the dimension")?;
                if d != 3 {
                    let text = format!("a mesh of {d} dimensions: only 3 are served");
                    return Err(self.scanner.error(ErrorKind::Unsupported, text));
                }
                dimension = Some(d);
            } else if is(&"Vertices") {
                if dimension.is_none() {
                    let text = "Vertices before Dimension";
                    return Err(self.scanner.error(ErrorKind::Syntax, text));
                }
                self.vertices()?;
            } else if is(&"Tetrahedra") {
                self.cells("Tetrahedra", 4)?;
            } else if is(&"TetrahedraP2") {
                self.cells("TetrahedraP2", 10)?;
            } else if is(&"Hexahedra") {
                self.cells("Hexahedra", 8)?;
            } else if is(&"TetrahedraP2Ordering") {
                self.p2_ordering()?;
            } else if let Some(i) = FACETS.iter().position(|(keyword, ..)| is(keyword)) {
                self.facets(i)?;
            } else if OTHER_CELLS.iter().any(is) {
                let count = self.scanner.u64_token("a count")?;
                if count > 0 {
                    self.volume.push((word, count));
                }
                self.skip()?;
            } else {
                self.skip_unknown(word)?;
            }
        }
        self.notes.push(Note::Assumed(
            "the file does not close with End: taken to be complete all the same".into(),
        ));
        Ok(())
    }

    /// The next keyword, or `None` at the end of the file.
    fn keyword(&mut self) -> Result<Option<String>, MeshError> {
        if !std::mem::take(&mut self.keyword_taken) && self.scanner.token()?.is_none() {
            return Ok(None);
        }
        let word = self.scanner.last_field();
        if word.first().is_some_and(u8::is_ascii_alphabetic) {
            return Ok(Some(String::from_utf8_lossy(word).into_owned()));
        }
        let text = format!("expected a keyword, found {} {}", quote(word), self.after);
        Err(self.scanner.error(ErrorKind::Count, text.trim_end()))
    }

    /// The number of `what` to come; `each` is the fewest bytes of one.
    fn count(&mut self, each: u64, what: &str) -> Result<usize, MeshError> {
        let count = self.scanner.u64_token(&format!("the number of {what}"))?;
        self.after = format!("after {count} {what}");
        self.scanner.checked_count(count, each, what)
    }

    fn vertices(&mut self) -> Result<(), MeshError> {
        if self.vertices.is_some() {
            return Err(self.scanner.error(ErrorKind::Syntax, "a second Vertices section"));
        }
        let count = self.count(8, "vertices")?;
        let mut vertices: Vec<Vec3> = Vec::with_capacity(count);
        let mut references = Vec::with_capacity(count);
        for i in 0..count {
            let s = &mut self.scanner;
            let mut vertex = || -> Result<(Vec3, i64), MeshError> {
                let x = s.f64_token("the x coordinate")?;
                let y = s.f64_token("the y coordinate")?;
                let z = s.f64_token("the z coordinate")?;
                Ok(([x, y, z], s.i64_token("the reference of the vertex")?))
            };
            let (vertex, reference) = vertex().map_err(|e| self.cut_short(e, i, count))?;
            vertices.push(vertex);
            references.push(reference);
        }
        self.vertices = Some((vertices, references));
        Ok(())
    }

    /// The vertices of the next line into `nodes`, and its reference.
    fn line(&mut self, nodes: &mut [u32]) -> Result<i64, MeshError> {
        let last = self.vertices.as_ref().map_or(u64::from(u32::MAX), |(v, _)| v.len() as u64);
        for node in nodes {
            let number = self.scanner.u64_token("a vertex")?;
            if number < 1 || number > last {
                let text = format!("vertex {number}: they are numbered 1 to {last}");
                return Err(self.scanner.error(ErrorKind::Index, text));
            }
            *node = (number - 1) as u32;
        }
        self.scanner.i64_token("the reference")
    }

    fn cells(&mut self, keyword: &str, nodes: usize) -> Result<(), MeshError> {
        let count = self.count(2 * (nodes as u64 + 1), keyword)?;
        if count == 0 {
            return Ok(());
        }
        match self.volume.first_mut() {
            Some((first, before)) if first == keyword => *before += count as u64,
            Some(_) => {
                self.volume.push((keyword.into(), count as u64));
                return self.skip();
            }
            None => self.volume.push((keyword.into(), count as u64)),
        }
        self.cells.reserve(count * nodes);
        self.references.reserve(count);
        let mut cell = [0; 10];
        for i in 0..count {
            let reference =
                self.line(&mut cell[..nodes]).map_err(|e| self.cut_short(e, i, count))?;
            self.cells.extend_from_slice(&cell[..nodes]);
            self.references.push(reference);
        }
        Ok(())
    }

    fn facets(&mut self, which: usize) -> Result<(), MeshError> {
        let (keyword, nodes, set) = FACETS[which];
        let count = self.count(2 * (nodes as u64 + 1), keyword)?;
        let mut facet = [0; 9];
        for i in 0..count {
            let reference =
                self.line(&mut facet[..nodes]).map_err(|e| self.cut_short(e, i, count))?;
            self.sets[set].add(reference, &facet[..nodes]);
            self.bare_facets[which] += u64::from(reference == 0);
        }
        Ok(())
    }

    /// Ten lines that say of each node which corner it is or between which two it lies: the
    /// barycentric coordinates of the node, times 2.
    fn p2_ordering(&mut self) -> Result<(), MeshError> {
        let count = self.count(8, "nodes of a TetrahedronP2")?;
        let mut order = [usize::MAX; 10];
        for place in 0..count {
            let mut weights = [0; 4];
            for w in &mut weights {
                *w = self.scanner.u64_token("a weight of the node")?;
            }
            // Corner i has the weight 2 there; the middle of an edge has 1 at both of its ends.
            let is = |node: usize| {
                (0..4).all(|i| {
                    weights[i]
                        == match node.checked_sub(4) {
                            None => 2 * u64::from(i == node),
                            Some(edge) => u64::from(TET_EDGES[edge].contains(&i)),
                        }
                })
            };
            let node = (0..10).find(|&node| is(node));
            match node.and_then(|node| order.get_mut(node)) {
                Some(entry) if *entry == usize::MAX => *entry = place,
                _ => {
                    let text =
                        format!("{weights:?} is no node of a TetrahedronP2, or a repeated one");
                    return Err(self.scanner.error(ErrorKind::Syntax, text));
                }
            }
        }
        if count != 10 {
            let text = format!("{count} nodes of a TetrahedronP2: it has 10");
            return Err(self.scanner.error(ErrorKind::Count, text));
        }
        self.p2_order = Some(order);
        Ok(())
    }

    /// A section of which nothing is known but that it starts with a number.
    fn skip_unknown(&mut self, word: String) -> Result<(), MeshError> {
        let number = self.scanner.token()?.map(is_number);
        if number != Some(true) {
            let text = format!("unknown keyword {} without a count", quote(word.as_bytes()));
            let error = self.scanner.error(ErrorKind::Syntax, text);
            return Err(match nearest(&word, KEYWORDS) {
                Some(meant) => error.hint(format!("did you mean {meant}?")),
                None => error,
            });
        }
        if !self.skipped.contains(&word) && self.skipped.len() < 32 {
            self.skipped.push(word);
        }
        self.skip()
    }

    /// Goes to the next keyword: data are numbers.
    fn skip(&mut self) -> Result<(), MeshError> {
        self.after.clear();
        while let Some(field) = self.scanner.token()? {
            if field[0].is_ascii_alphabetic() {
                self.keyword_taken = true;
                break;
            }
        }
        Ok(())
    }

    /// Where a keyword stands in place of a number, the count was wrong.
    fn cut_short(&self, error: MeshError, found: usize, count: usize) -> MeshError {
        let word = self.scanner.last_field();
        let keyword = word.first().is_some_and(u8::is_ascii_alphabetic);
        if error.kind() != ErrorKind::Syntax || !keyword {
            return error;
        }
        let text = format!("{count} are announced, but {} comes after {found}", quote(word));
        self.scanner.error(ErrorKind::Count, text).hint("correct the count of the section")
    }

    fn finish(mut self) -> Result<Imported<VolumeMesh>, MeshError> {
        let Some((vertices, vertex_references)) =
            self.vertices.take().filter(|(v, _)| !v.is_empty())
        else {
            let error = MeshError::new(ErrorKind::Geometry, "there are no Vertices");
            let near = self.skipped.iter().find(|word| nearest(word, ["Vertices"]).is_some());
            return Err(match near {
                Some(word) => error.hint(format!("is '{word}' meant to be Vertices?")),
                None => error,
            });
        };
        let cell_type = self.cell_type()?;
        let nodes = cell_type.nodes();
        if let (CellType::Tet10, Some(order)) = (cell_type, self.p2_order) {
            for cell in self.cells.chunks_exact_mut(nodes) {
                let file: [u32; 10] = std::array::from_fn(|i| cell[i]);
                for (node, place) in cell.iter_mut().zip(order) {
                    *node = file[place];
                }
            }
        }
        let mut mesh = VolumeMesh::new(cell_type, vertices, self.cells);
        (mesh.regions, mesh.cell_region) = labels::regions(&self.references);
        let mut labelled = LabelledVertices::default();
        for (&reference, vertex) in vertex_references.iter().zip(0..) {
            labelled.add(reference, &[vertex]);
        }
        mesh.vertex_sets = labelled.into_sets("").collect();
        for (set, prefix) in self.sets.into_iter().zip(FACET_SETS) {
            mesh.vertex_sets.extend(set.into_sets(prefix));
        }
        for ((keyword, ..), bare) in FACETS.iter().zip(self.bare_facets) {
            if bare > 0 {
                self.notes.push(Note::Skipped(format!(
                    "{keyword} without a reference ({bare}) were passed over"
                )));
            }
        }
        if !self.skipped.is_empty() {
            let list = self.skipped.join(", ");
            self.notes.push(Note::Skipped(format!("sections passed over: {list}")));
        }
        Imported::checked(mesh, self.notes)
    }

    /// The one kind of cell that there must be.
    fn cell_type(&self) -> Result<CellType, MeshError> {
        let kinds: Vec<String> = self.volume.iter().map(|(k, n)| format!("{n} {k}")).collect();
        match &self.volume[..] {
            [] => {
                let error = MeshError::new(ErrorKind::Geometry, "there are no volume cells");
                let surface = self.bare_facets.iter().sum::<u64>() > 0;
                Err(if surface { error.hint("a surface must be filled first") } else { error })
            }
            [(kind, _)] => match kind.as_str() {
                "Tetrahedra" => Ok(CellType::Tet4),
                "TetrahedraP2" => Ok(CellType::Tet10),
                "Hexahedra" => Ok(CellType::Hex8),
                _ => {
                    let text = format!(
                        "{}: only Tetrahedra, TetrahedraP2 and Hexahedra are served",
                        kinds[0]
                    );
                    Err(MeshError::new(ErrorKind::Unsupported, text))
                }
            },
            _ => {
                let text = format!("cells of several kinds: {}", kinds.join(", "));
                Err(MeshError::new(ErrorKind::MixedCells, text)
                    .hint("a mesh has cells of one kind: split them all into tetrahedra first"))
            }
        }
    }
}

/// Whether a field may be a number: keywords start with a letter.
fn is_number(field: &[u8]) -> bool {
    field.first().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.'))
}
