//! Reading TetGen's files.

use pliant_algebra::vec3::Vec3;

use crate::cell::CellType;
use crate::error::{ErrorKind, MeshError, Note};
use crate::io::scanner::{Scanner, Syntax, parse_f64, parse_i64};
use crate::io::veg::numbers::{Numbering, Numbers, last_index};
use crate::io::{Imported, Source};
use crate::volume::VolumeMesh;

use super::labels::{self, LabelledVertices};
use super::{FACE_SETS, VTK_FROM_TETGEN};

/// Reads a mesh from one of its files, whose name must end in `.node`, `.ele` or `.face`; the
/// others are looked for beside it. The `.face` file may be missing.
pub fn read(source: Source<'_>) -> Result<Imported<VolumeMesh>, MeshError> {
    let file = source.name.rsplit(['/', '\\']).next().unwrap_or(&source.name);
    let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
    let (stem, extension) = (stem.to_owned(), extension.to_ascii_lowercase());
    let partner = |extension: &str| source.sibling(&format!("{stem}.{extension}"));
    let needed = |extension: &str| {
        partner(extension).map_err(|e| {
            e.hint(format!("a TetGen mesh is {stem}.node and {stem}.ele, side by side"))
        })
    };
    let (node, ele, face) = match extension.as_str() {
        "node" => {
            let (ele, face) = (needed("ele")?, partner("face").ok());
            (source, ele, face)
        }
        "ele" => {
            let (node, face) = (needed("node")?, partner("face").ok());
            (node, source, face)
        }
        "face" => (needed("node")?, needed("ele")?, Some(source)),
        _ => {
            let text = format!("'.{extension}' is no file of a TetGen mesh");
            return Err(MeshError::new(ErrorKind::Unsupported, text)
                .in_file(&source.name)
                .hint("name its .node, .ele or .face file"));
        }
    };
    let ele_name = ele.name.clone();
    let mut notes = Vec::new();
    let nodes = Nodes::read(node, &mut notes)?;
    let mut mesh = read_elements(ele, &nodes, &mut notes)?;
    mesh.vertex_sets = nodes.labelled.into_sets("").collect();
    if let Some(face) = face {
        let range = VertexRange::new(nodes.vertices.len(), &nodes.numbering);
        let labelled = read_faces(face, mesh.cell_type, range)?;
        mesh.vertex_sets.extend(labelled.into_sets(FACE_SETS));
    }
    mesh.vertices = nodes.vertices;
    Imported::checked(mesh, notes).map_err(|e| e.in_file(ele_name))
}

struct Nodes {
    vertices: Vec<Vec3>,
    numbering: Numbering,
    labelled: LabelledVertices,
}

impl Nodes {
    fn read(source: Source<'_>, notes: &mut Vec<Note>) -> Result<Self, MeshError> {
        let mut file = File::new(source, "vertices")?;
        let dimension = file.optional("the dimension")?.unwrap_or(3);
        if dimension != 3 {
            let text = format!("a mesh of {dimension} dimensions: only 3 are served");
            return Err(file.scanner.error(ErrorKind::Unsupported, text));
        }
        let attributes = file.optional("the number of attributes")?.unwrap_or(0);
        let marked = file.optional("whether there are markers")?.unwrap_or(0) != 0;
        let count = file.counted(8)?;
        let mut vertices: Vec<Vec3> = Vec::with_capacity(count);
        let mut markers = Vec::with_capacity(if marked { count } else { 0 });
        let mut numbers = Numbers::default();
        for _ in 0..count {
            numbers.push(file.next()?);
            let s = &mut file.scanner;
            vertices.push([
                s.f64_field("the x coordinate")?,
                s.f64_field("the y coordinate")?,
                s.f64_field("the z coordinate")?,
            ]);
            if marked {
                for _ in 0..attributes {
                    if s.field().is_none() {
                        break;
                    }
                }
                markers.push(file.label("the marker of the vertex")?);
            }
        }
        file.end()?;
        let numbering = numbers.finish("vertex").map_err(|e| e.in_file(file.name()))?;
        if attributes > 0 {
            notes.push(Note::Skipped(format!(
                "attributes of vertices ({attributes} columns) were passed over"
            )));
        }
        file.note_fractions("markers of vertices", notes);
        let markers = numbering.arrange(markers, 1);
        let mut labelled = LabelledVertices::default();
        for (&marker, vertex) in markers.iter().zip(0..) {
            labelled.add(marker, &[vertex]);
        }
        Ok(Self { vertices: numbering.arrange(vertices, 1), numbering, labelled })
    }
}

/// Which numbers vertices have.
#[derive(Clone, Copy)]
struct VertexRange {
    first: u32,
    last: u32,
}

impl VertexRange {
    fn new(count: usize, numbering: &Numbering) -> Self {
        let last = (count as u64 + u64::from(numbering.base)).saturating_sub(1) as u32;
        Self { first: numbering.base, last }
    }

    /// The next field as a vertex, from 0.
    #[inline]
    fn vertex(self, scanner: &mut Scanner<'_>, what: &str) -> Result<u32, MeshError> {
        let number = scanner.u64_field(what)?;
        if number < u64::from(self.first) || number > u64::from(self.last) {
            let Self { first, last } = self;
            let text = format!("{what} is {number}: vertices are numbered {first} to {last}");
            return Err(scanner.error(ErrorKind::Index, text));
        }
        Ok(number as u32 - self.first)
    }
}

/// The tetrahedra and their regions; the vertices are not in the mesh yet.
fn read_elements(
    source: Source<'_>,
    nodes: &Nodes,
    notes: &mut Vec<Note>,
) -> Result<VolumeMesh, MeshError> {
    let mut file = File::new(source, "tetrahedra")?;
    let cell_type = match file.optional("the number of vertices of a tetrahedron")?.unwrap_or(4) {
        4 => CellType::Tet4,
        10 => CellType::Tet10,
        n => {
            let text = format!("tetrahedra of {n} vertices: 4 or 10 are served");
            return Err(file.scanner.error(ErrorKind::Unsupported, text));
        }
    };
    let attributes = file.optional("the number of attributes")?.unwrap_or(0);
    let width = cell_type.nodes();
    let count = file.counted(2 * (width as u64 + 1))?;
    let range = VertexRange::new(nodes.vertices.len(), &nodes.numbering);
    let mut cells: Vec<u32> = Vec::with_capacity(count * width);
    let mut attribute = Vec::with_capacity(if attributes > 0 { count } else { 0 });
    let mut numbers = Numbers::default();
    for _ in 0..count {
        numbers.push(file.next()?);
        let mut cell = [0; 10];
        for node in &mut cell[..width] {
            *node = range.vertex(&mut file.scanner, "a vertex of the tetrahedron")?;
        }
        cells.extend(VTK_FROM_TETGEN[..width].iter().map(|&i| cell[i]));
        if attributes > 0 {
            attribute.push(file.label("the region attribute")?);
        }
    }
    file.end()?;
    let numbering = numbers.finish("tetrahedron").map_err(|e| e.in_file(file.name()))?;
    if attributes > 1 {
        let more = attributes - 1;
        notes.push(Note::Skipped(format!(
            "attributes of tetrahedra after the first ({more}) were passed over"
        )));
    }
    file.note_fractions("region attributes", notes);
    let mut mesh = VolumeMesh::new(cell_type, Vec::new(), numbering.arrange(cells, width));
    (mesh.regions, mesh.cell_region) = labels::regions(&numbering.arrange(attribute, 1));
    Ok(mesh)
}

/// The vertices of marked faces.
fn read_faces(
    source: Source<'_>,
    cell_type: CellType,
    range: VertexRange,
) -> Result<LabelledVertices, MeshError> {
    let mut labelled = LabelledVertices::default();
    let mut file = File::new(source, "faces")?;
    if file.optional("whether there are markers")?.unwrap_or(0) == 0 {
        return Ok(labelled);
    }
    let count = file.counted(8)?;
    for _ in 0..count {
        file.next()?;
        // Faces of tet10 may come with or without the middles of their edges: 6 or 3 vertices
        // before the marker, and the header does not tell.
        let middles = cell_type == CellType::Tet10 && fields(file.scanner.rest_of_line()) >= 7;
        let mut face = [0; 6];
        let face = &mut face[..if middles { 6 } else { 3 }];
        for node in face.iter_mut() {
            *node = range.vertex(&mut file.scanner, "a vertex of the face")?;
        }
        labelled.add(file.label("the marker of the face")?, face);
    }
    file.end()?;
    Ok(labelled)
}

/// Fields in a line.
fn fields(line: &[u8]) -> usize {
    line.split(|&b| b <= b' ' || b == b',').filter(|field| !field.is_empty()).count()
}

/// A file that starts with a count and has that many numbered lines.
struct File<'a> {
    scanner: Scanner<'a>,
    what: &'static str,
    count: u64,
    /// Labels that are no integers.
    fractions: usize,
}

impl<'a> File<'a> {
    fn new(source: Source<'a>, what: &'static str) -> Result<Self, MeshError> {
        let mut scanner = Scanner::new(source, Syntax::COMMAS_HASH);
        let count_of = format!("the number of {what}");
        if !scanner.next_content_line()? {
            return Err(scanner.truncated(&count_of));
        }
        let count = scanner.u64_field(&count_of)?;
        Ok(Self { scanner, what, count, fractions: 0 })
    }

    fn name(&self) -> &str {
        &self.scanner.source().name
    }

    /// The next number of the header, if it is there.
    fn optional(&mut self, what: &str) -> Result<Option<u64>, MeshError> {
        self.scanner.peek_field().is_some().then(|| self.scanner.u64_field(what)).transpose()
    }

    /// The count, checked; `each` is the fewest bytes of a line.
    fn counted(&self, each: u64) -> Result<usize, MeshError> {
        if self.count == 0 && self.what != "faces" {
            let text = format!("the mesh has no {}", self.what);
            return Err(self.scanner.error(ErrorKind::Geometry, text));
        }
        self.scanner.checked_count(self.count, each, self.what)
    }

    /// Moves to the next line and takes its number.
    #[inline]
    fn next(&mut self) -> Result<u32, MeshError> {
        loop {
            if !self.scanner.next_line()? {
                let text = format!("one of {} {}", self.count, self.what);
                return Err(self.scanner.truncated(&text));
            }
            if self.scanner.field().is_some() {
                return last_index(&self.scanner, "the number of the line");
            }
        }
    }

    /// The next field as an integer label, 0 if the line has ended.
    #[inline]
    fn label(&mut self, what: &str) -> Result<i64, MeshError> {
        let Some(field) = self.scanner.field() else { return Ok(0) };
        if let Some(label) = parse_i64(field) {
            return Ok(label);
        }
        match parse_f64(field) {
            // Whole numbers below 2^53 are exact.
            Some(x) if x.fract() == 0.0 && x.abs() < 9e15 => Ok(x as i64),
            Some(_) => {
                self.fractions += 1;
                Ok(0)
            }
            None => Err(self.scanner.unexpected(what, "an integer")),
        }
    }

    /// Nothing but comments may follow.
    fn end(&mut self) -> Result<(), MeshError> {
        if !self.scanner.next_content_line()? {
            return Ok(());
        }
        self.scanner.field();
        let text = format!("the file announces {} {}, but one more follows", self.count, self.what);
        Err(self.scanner.error(ErrorKind::Count, text).hint("correct the count in the first line"))
    }

    fn note_fractions(&self, what: &str, notes: &mut Vec<Note>) {
        if self.fractions > 0 {
            let n = self.fractions;
            notes.push(Note::Skipped(format!("{what} that are no integers ({n}) count as 0")));
        }
    }
}
