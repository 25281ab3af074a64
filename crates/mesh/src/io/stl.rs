//! `.stl` surfaces, text and binary. The format has loose triangles only: vertices at exactly the
//! same place are made one on reading.

use std::collections::HashMap;
use std::io::{Cursor, Read, Write};

use pliant_algebra::vec3::{Vec3, cross, is_finite, normalized, sub};

use crate::error::{ErrorKind, Location, MeshError, Note};
use crate::surface::{SurfaceGroup, SurfaceMesh};

use super::scanner::{Scanner, Syntax};
use super::text::TextWriter;
use super::{Imported, Source};

/// Bytes before the facets of a binary file: 80 of free text and the count.
const HEADER: usize = 84;
/// Bytes of a facet: normal and corners as f32, and two bytes of attributes.
const FACET: usize = 50;

/// How to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Binary, with coordinates rounded to f32; text keeps every digit, and the groups.
    pub binary: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { binary: true }
    }
}

/// Reads a surface, binary or text. Each `solid` of a text file becomes a group, unless there is
/// only one, without a name.
pub fn read(mut source: Source<'_>) -> Result<Imported<SurfaceMesh>, MeshError> {
    let head = peek(&mut source)?;
    let name = source.name.clone();
    let mut welder = Welder::default();
    let notes = match Kind::of(&head, source.length) {
        Kind::Text => read_text(source, &mut welder)?,
        Kind::Binary { facets } => read_binary(source, facets, &mut welder)?,
        Kind::Unknown => {
            let text = format!("neither text nor binary STL: {} bytes", source.length);
            let hint = "text starts with 'solid'; binary has a header of 84 bytes";
            return Err(MeshError::new(ErrorKind::Syntax, text).in_file(name).hint(hint));
        }
    };
    welder.finish(&name, notes)
}

/// The first bytes of the source, which will still read them.
fn peek(source: &mut Source<'_>) -> Result<Vec<u8>, MeshError> {
    let mut head = Vec::new();
    let reader = std::mem::replace(&mut source.reader, Box::new(std::io::empty()));
    let mut start = reader.take(1024);
    start.read_to_end(&mut head).map_err(|e| MeshError::io(&source.name, "read it", e))?;
    source.reader = Box::new(Cursor::new(head.clone()).chain(start.into_inner()));
    Ok(head)
}

enum Kind {
    Text,
    Binary { facets: u32 },
    Unknown,
}

impl Kind {
    /// A binary file's free text may start with `solid` too: the length decides, then whether the
    /// start is free of the zero bytes that every binary header or facet has.
    fn of(head: &[u8], length: u64) -> Self {
        let facets = head.get(HEADER - 4..HEADER).and_then(|b| b.try_into().ok());
        let facets = facets.map(u32::from_le_bytes);
        let fits = facets.is_some_and(|n| length == HEADER as u64 + FACET as u64 * u64::from(n));
        let start = head.trim_ascii_start();
        let solid = start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
        match facets {
            Some(facets) if fits => Kind::Binary { facets },
            _ if solid && !head.contains(&0) => Kind::Text,
            Some(facets) => Kind::Binary { facets },
            None => Kind::Unknown,
        }
    }
}

/// Gives each place one number, in the order of first use.
#[derive(Default)]
struct Welder {
    numbers: HashMap<[u64; 3], u32>,
    mesh: SurfaceMesh,
    degenerate: usize,
}

impl Welder {
    fn add(&mut self, corners: [Vec3; 3]) {
        // −0 + 0 is +0: both zeros are one place.
        let corners = corners.map(|p| p.map(|x| x + 0.0));
        let [a, b, c] = corners;
        if a == b || b == c || c == a {
            self.degenerate += 1;
            return;
        }
        let triangle = corners.map(|p| {
            let vertices = &mut self.mesh.vertices;
            *self.numbers.entry(p.map(f64::to_bits)).or_insert_with(|| {
                vertices.push(p);
                vertices.len() as u32 - 1
            })
        });
        self.mesh.triangles.push(triangle);
    }

    fn finish(
        mut self,
        file: &str,
        mut notes: Vec<Note>,
    ) -> Result<Imported<SurfaceMesh>, MeshError> {
        if self.mesh.triangles.is_empty() {
            let text =
                format!("no surface here: 0 facets with an area, {} without", self.degenerate);
            return Err(MeshError::new(ErrorKind::Geometry, text).in_file(file));
        }
        if let [only] = &self.mesh.groups[..]
            && only.name.is_empty()
        {
            self.mesh.groups.clear();
            self.mesh.triangle_group.clear();
        }
        if self.degenerate > 0 {
            let text = "facets with two corners at one place were passed over";
            notes.push(Note::Skipped(format!("{} {text}", self.degenerate)));
        }
        self.mesh.validate().map_err(|e| e.in_file(file))?;
        Ok(Imported { mesh: self.mesh, notes })
    }
}

fn read_binary(
    source: Source<'_>,
    facets: u32,
    welder: &mut Welder,
) -> Result<Vec<Note>, MeshError> {
    let mut scanner = Scanner::new(source, Syntax::PLAIN);
    let mut block = vec![0; FACET * 1024];
    scanner.read_exact(&mut block[..HEADER], "the header")?;
    let facets = scanner.checked_count(u64::from(facets), FACET as u64, "facets")?;
    welder.mesh.triangles.reserve_exact(facets);
    let mut attributes = 0_usize;
    let mut done = 0;
    while done < facets {
        let start = scanner.offset();
        let count = (facets - done).min(block.len() / FACET);
        let bytes = &mut block[..count * FACET];
        scanner.read_exact(bytes, "a facet")?;
        for (i, facet) in bytes.chunks_exact(FACET).enumerate() {
            let at = |k: usize| {
                let b = 12 + 4 * k;
                f64::from(f32::from_le_bytes([facet[b], facet[b + 1], facet[b + 2], facet[b + 3]]))
            };
            let corners: [Vec3; 3] =
                std::array::from_fn(|c| std::array::from_fn(|k| at(3 * c + k)));
            if let Some(corner) = corners.iter().find(|&&p| !is_finite(p)) {
                let text = format!("facet {} has a corner at {corner:?}", done + i);
                return Err(MeshError::new(ErrorKind::NotFinite, text)
                    .in_file(&scanner.source().name)
                    .at(Location::Offset(start + (i * FACET) as u64)));
            }
            attributes += usize::from(facet[48..] != [0, 0]);
            welder.add(corners);
        }
        done += count;
    }
    let mut notes = Vec::new();
    if attributes > 0 {
        let text = format!("attributes (colours) of {attributes} facets are not kept");
        notes.push(Note::Skipped(text));
    }
    if scanner.remaining() > 0 {
        let text = format!("{} bytes after the last facet were passed over", scanner.remaining());
        notes.push(Note::Skipped(text));
    }
    Ok(notes)
}

/// Takes `words`, in either case, from this line or later ones.
fn expect(scanner: &mut Scanner<'_>, words: &[&str]) -> Result<(), MeshError> {
    for word in words {
        match scanner.token()? {
            Some(found) if found.eq_ignore_ascii_case(word.as_bytes()) => {}
            Some(_) => return Err(scanner.unexpected("a facet", &format!("'{word}'"))),
            None => return Err(scanner.missing(&format!("'{word}'"))),
        }
    }
    Ok(())
}

fn read_text(source: Source<'_>, welder: &mut Welder) -> Result<Vec<Note>, MeshError> {
    let mut scanner = Scanner::new(source, Syntax::PLAIN);
    while let Some(word) = scanner.token()? {
        if !word.eq_ignore_ascii_case(b"solid") {
            return Err(scanner.unexpected("a new body", "'solid'"));
        }
        let name = String::from_utf8_lossy(scanner.rest_of_line()).trim().to_owned();
        while scanner.field().is_some() {}
        welder.mesh.groups.push(SurfaceGroup { name, material: None });
        let group = welder.mesh.groups.len() as u32 - 1;
        loop {
            match scanner.token()? {
                Some(word) if word.eq_ignore_ascii_case(b"facet") => {}
                Some(word) if word.eq_ignore_ascii_case(b"endsolid") => break,
                Some(_) => return Err(scanner.unexpected("a solid", "'facet' or 'endsolid'")),
                None => return Err(scanner.missing("'facet' or 'endsolid'")),
            }
            expect(&mut scanner, &["normal"])?;
            // Normals follow from the corners, and exporters write what is no number at all.
            for _ in 0..3 {
                if scanner.token()?.is_none() {
                    return Err(scanner.missing("a component of a normal"));
                }
            }
            expect(&mut scanner, &["outer", "loop"])?;
            let mut corners = [[0.0; 3]; 3];
            for corner in &mut corners {
                expect(&mut scanner, &["vertex"])?;
                for x in corner {
                    *x = scanner.f64_token("a vertex coordinate")?;
                }
            }
            expect(&mut scanner, &["endloop", "endfacet"])?;
            welder.add(corners);
            welder.mesh.triangle_group.resize(welder.mesh.triangles.len(), group);
        }
        // A name may follow `endsolid`.
        while scanner.field().is_some() {}
    }
    Ok(Vec::new())
}

/// Writes a surface.
pub fn write(
    mesh: &SurfaceMesh,
    sink: &mut dyn Write,
    options: &Options,
) -> Result<Vec<Note>, MeshError> {
    mesh.validate()?;
    let mut notes = Vec::new();
    let mut lost = |count: usize, what: &str| {
        if count > 0 {
            notes.push(Note::Lost(format!("{what} ({count}): STL has none")));
        }
    };
    lost(mesh.texture.len(), "texture coordinates");
    lost(mesh.normals.len(), "normals of vertices");
    lost(mesh.groups.iter().filter(|g| g.material.is_some()).count(), "materials of groups");
    lost(mesh.material_libraries.len(), "material libraries");
    let mut used = vec![false; mesh.vertices.len()];
    mesh.triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
    lost(used.iter().filter(|&&u| !u).count(), "vertices without triangles");
    if options.binary {
        if !mesh.groups.is_empty() {
            let text = format!("groups ({}): binary STL has none, text has", mesh.groups.len());
            notes.push(Note::Lost(text));
        }
        write_binary(mesh, sink, &mut notes)?;
    } else {
        write_text(mesh, sink, &mut notes)?;
    }
    Ok(notes)
}

fn facet_normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    normalized(cross(sub(b, a), sub(c, a))).unwrap_or([0.0; 3])
}

fn write_binary(
    mesh: &SurfaceMesh,
    sink: &mut dyn Write,
    notes: &mut Vec<Note>,
) -> Result<(), MeshError> {
    let Ok(count) = u32::try_from(mesh.triangles.len()) else {
        let text = format!("{} triangles: binary STL counts to 2^32 − 1", mesh.triangles.len());
        return Err(MeshError::new(ErrorKind::Count, text));
    };
    let mut largest = 0.0_f64;
    for (v, x) in mesh.vertices.iter().enumerate().flat_map(|(v, p)| p.map(|x| (v, x))) {
        if !(x as f32).is_finite() {
            let text = format!("vertex {v} has a coordinate {x:e}, too large for binary STL");
            return Err(MeshError::new(ErrorKind::Unsupported, text).hint("write it as text"));
        }
        largest = largest.max((f64::from(x as f32) - x).abs());
    }
    let mut out = TextWriter::new(sink);
    let mut header = [b' '; HEADER - 4];
    let title = b"binary STL written by Pliant";
    header[..title.len()].copy_from_slice(title);
    out.bytes(&header)?;
    out.bytes(&count.to_le_bytes())?;
    let mut collapsed = 0_usize;
    for t in 0..mesh.triangles.len() {
        let corners = mesh.corners(t);
        for x in [facet_normal(corners)].iter().chain(&corners).flatten() {
            out.bytes(&(*x as f32).to_le_bytes())?;
        }
        out.bytes(&[0, 0])?;
        let [a, b, c] = corners.map(|p| p.map(|x| x as f32));
        collapsed += usize::from(a == b || b == c || c == a);
    }
    out.finish()?;
    if largest > 0.0 {
        let moved = format!("digits beyond f32: coordinates moved by up to {largest:.3e}");
        let triangles = match collapsed {
            0 => String::new(),
            n => format!(", which collapsed {n} triangles"),
        };
        notes.push(Note::Lost(format!("{moved}{triangles} (text keeps them)")));
    }
    Ok(())
}

fn write_text(
    mesh: &SurfaceMesh,
    sink: &mut dyn Write,
    notes: &mut Vec<Note>,
) -> Result<(), MeshError> {
    // Triangles by group, each group in its order.
    let mut order: Vec<usize> = (0..mesh.triangles.len()).collect();
    order.sort_by_key(|&t| mesh.triangle_group.get(t));
    let mut out = TextWriter::new(sink);
    let mut changed = 0_usize;
    let mut next = order.into_iter().peekable();
    for group in 0..mesh.groups.len().max(1) {
        let name = mesh.groups.get(group).map_or("", |g| &g.name);
        let clean: String =
            name.trim().chars().map(|c| if c.is_control() { '_' } else { c }).collect();
        changed += usize::from(clean != name);
        out.text(&format!("solid {clean}\n"))?;
        let here = |t: &usize| mesh.triangle_group.get(*t).is_none_or(|&g| g as usize == group);
        while let Some(t) = next.next_if(here) {
            let corners = mesh.corners(t);
            out.text("facet normal ")?;
            out.float_line(&facet_normal(corners))?;
            out.text("outer loop\n")?;
            for corner in corners {
                out.text("vertex ")?;
                out.float_line(&corner)?;
            }
            out.text("endloop\nendfacet\n")?;
        }
        out.text(&format!("endsolid {clean}\n"))?;
    }
    out.finish()?;
    if changed > 0 {
        let text = "names with line ends, or blanks at an end, were changed";
        notes.push(Note::Lost(format!("{text} ({changed})")));
    }
    Ok(())
}
