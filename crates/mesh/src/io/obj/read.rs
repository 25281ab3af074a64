//! Reading `.obj`.

use std::collections::HashMap;

use crate::error::{ErrorKind, Location, MeshError, Note};
use crate::io::scanner::{Scanner, Syntax, parse_f64, parse_i64, quote};
use crate::io::{Imported, Source};
use crate::surface::{SurfaceGroup, SurfaceMesh};

use super::DEFAULT_GROUP;
use super::polygon::Polygons;

/// Reads a surface. Groups are the combinations of `g` or `o` and `usemtl` that hold faces, in the
/// order in which they first do; faces before any of these are in a group named `default`.
pub fn read(source: Source<'_>) -> Result<Imported<SurfaceMesh>, MeshError> {
    let mut reader = Reader::new(source);
    while reader.lines.next()? {
        reader.line()?;
    }
    reader.finish()
}

/// Fields of lines that a backslash at their end continues.
struct Lines<'a> {
    scanner: Scanner<'a>,
    continued: bool,
}

impl Lines<'_> {
    /// The next line with content.
    fn next(&mut self) -> Result<bool, MeshError> {
        // What is left of the last line may still be continued.
        while self.field()?.is_some() {}
        self.scanner.next_content_line()
    }

    /// The next field, on this line or on one that continues it.
    #[inline]
    fn field(&mut self) -> Result<Option<&[u8]>, MeshError> {
        loop {
            if std::mem::take(&mut self.continued) && !self.scanner.next_line()? {
                return Ok(None);
            }
            let Some(field) = self.scanner.field() else { return Ok(None) };
            let mut length = field.len();
            if field.ends_with(b"\\") && self.scanner.peek_field().is_none() {
                self.continued = true;
                length -= 1;
            }
            if length > 0 {
                return Ok(Some(&self.scanner.last_field()[..length]));
            }
        }
    }

    #[inline]
    fn float(&mut self, what: &str) -> Result<f64, MeshError> {
        let value = self.field()?.map(parse_f64);
        self.scanner.accept_f64(value, what)
    }

    /// The rest of the line as a name; inner blanks are kept.
    fn name(&mut self) -> Result<Option<String>, MeshError> {
        let mut name = String::new();
        loop {
            let text = String::from_utf8_lossy(self.scanner.rest_of_line());
            let text = text.trim();
            let part = text.strip_suffix('\\');
            name.push_str(part.unwrap_or(text));
            if part.is_none() || !self.scanner.next_line()? {
                break;
            }
        }
        while self.scanner.field().is_some() {}
        let name = name.trim();
        Ok((!name.is_empty()).then(|| name.to_owned()))
    }
}

/// The three tables that a face refers to.
const TABLES: [&str; 3] = ["vertex", "texture coordinate", "normal"];
const NONE: u32 = u32::MAX;

struct Reader<'a> {
    lines: Lines<'a>,
    mesh: SurfaceMesh,
    polygons: Polygons,
    corners: Vec<[u32; 3]>,
    /// The highest index of each table so far that is not (yet) there, and where.
    ahead: [Option<(u32, Location)>; 3],
    name: Option<String>,
    material: Option<String>,
    numbers: HashMap<(String, Option<String>), u32>,
    /// Number of the current name and material, once a face has used them.
    group: Option<u32>,
    grouped: bool,
    colours: usize,
    deep_texture: usize,
    smoothing: bool,
    lines_and_points: usize,
    unknown: Option<(usize, String)>,
}

impl<'a> Reader<'a> {
    fn new(source: Source<'a>) -> Self {
        Reader {
            lines: Lines { scanner: Scanner::new(source, Syntax::HASH), continued: false },
            mesh: SurfaceMesh::default(),
            polygons: Polygons::default(),
            corners: Vec::new(),
            ahead: [None; 3],
            name: None,
            material: None,
            numbers: HashMap::new(),
            group: None,
            grouped: false,
            colours: 0,
            deep_texture: 0,
            smoothing: false,
            lines_and_points: 0,
            unknown: None,
        }
    }

    fn line(&mut self) -> Result<(), MeshError> {
        match self.lines.field()?.unwrap_or_default() {
            b"v" => {
                let point = self.vector("a vertex coordinate")?;
                self.mesh.vertices.push(point);
                self.colours += usize::from(self.lines.field()?.is_some());
            }
            b"vt" => {
                let u = self.lines.float("a texture coordinate")?;
                let mut vw = [0.0; 2];
                for x in &mut vw {
                    let Some(field) = self.lines.field()? else { break };
                    let value = Some(parse_f64(field));
                    *x = self.lines.scanner.accept_f64(value, "a texture coordinate")?;
                }
                self.mesh.texture.push([u, vw[0]]);
                self.deep_texture += usize::from(vw[1] != 0.0);
            }
            b"vn" => {
                let normal = self.vector("a component of a normal")?;
                self.mesh.normals.push(normal);
            }
            b"f" | b"fo" => self.face()?,
            b"g" | b"o" => {
                self.name = self.lines.name()?;
                self.group = None;
            }
            b"usemtl" => {
                self.material = self.lines.name()?;
                self.group = None;
            }
            b"mtllib" => {
                if let Some(names) = self.lines.name()? {
                    let is_library = |name: &str| name.to_ascii_lowercase().ends_with(".mtl");
                    // Several names may stand on a line, but a name may also hold blanks.
                    if names.split_whitespace().all(is_library) {
                        let names = names.split_whitespace().map(str::to_owned);
                        self.mesh.material_libraries.extend(names);
                    } else {
                        self.mesh.material_libraries.push(names);
                    }
                }
            }
            b"s" => {
                let off = matches!(self.lines.field()?, None | Some(b"off" | b"0"));
                self.smoothing |= !off;
            }
            b"l" | b"p" => self.lines_and_points += 1,
            word => {
                let word = quote(word);
                let number = self.lines.scanner.line_number();
                let first = || (0, format!("{word} in line {number}"));
                self.unknown.get_or_insert_with(first).0 += 1;
            }
        }
        Ok(())
    }

    #[inline]
    fn vector(&mut self, what: &str) -> Result<[f64; 3], MeshError> {
        Ok([self.lines.float(what)?, self.lines.float(what)?, self.lines.float(what)?])
    }

    fn face(&mut self) -> Result<(), MeshError> {
        self.corners.clear();
        while let Some(field) = self.lines.field()? {
            let mut indices = [None; 3];
            let mut parts = field.split(|&b| b == b'/');
            let mut good = true;
            for (i, index) in indices.iter_mut().enumerate() {
                match parts.next() {
                    Some(b"") if i > 0 => {}
                    Some(digits) => {
                        *index = parse_i64(digits);
                        good &= index.is_some();
                    }
                    None => {}
                }
            }
            if !good || parts.next().is_some() {
                let accepted = "v, v/t, v//n or v/t/n with integers";
                return Err(self.lines.scanner.unexpected("a corner of a face", accepted));
            }
            let mut corner = [NONE; 3];
            for table in 0..3 {
                if let Some(index) = indices[table] {
                    corner[table] = self.resolve(table, index)?;
                }
            }
            self.corners.push(corner);
        }
        if self.corners.len() < 3 {
            let text = format!("a face of {} corners: it needs at least 3", self.corners.len());
            let error = self.lines.scanner.error(ErrorKind::Syntax, text);
            return Err(error.hint("remove the line, or use 'l' for a line"));
        }
        let group = self.current_group();
        let mesh = &mut self.mesh;
        let before = mesh.triangles.len();
        for triangle in self.polygons.fan(self.corners.len(), before) {
            let [v, t, n] = [0, 1, 2].map(|table| triangle.map(|i| self.corners[i][table]));
            let have = mesh.triangles.len();
            for (indices, triples) in
                [(t, &mut mesh.triangle_texture), (n, &mut mesh.triangle_normals)]
            {
                if triples.is_empty() && indices != [NONE; 3] {
                    triples.resize(have, [NONE; 3]);
                }
                if triples.len() == have && (have > 0 || indices != [NONE; 3]) {
                    triples.push(indices);
                }
            }
            mesh.triangles.push(v);
            mesh.triangle_group.push(group);
        }
        Ok(())
    }

    /// A 1-based index, or a negative one that counts back from the last, as one from 0. A file may
    /// refer to what comes later: that is checked in the end.
    #[inline]
    fn resolve(&mut self, table: usize, index: i64) -> Result<u32, MeshError> {
        let count =
            [self.mesh.vertices.len(), self.mesh.texture.len(), self.mesh.normals.len()][table];
        let found = match index {
            1.. => index - 1,
            _ => count as i64 + index,
        };
        if index == 0 || found < 0 || found >= i64::from(NONE) {
            let what = TABLES[table];
            let text = format!("the face names {what} {index}, with {count} before it");
            let error = self.lines.scanner.error(ErrorKind::Index, text);
            return Err(error.hint("indices start at 1; −1 is the last one before the face"));
        }
        if found as usize >= count && self.ahead[table].is_none_or(|(i, _)| i < found as u32) {
            let here = self.lines.scanner.error(ErrorKind::Index, "").details().at;
            self.ahead[table] = Some((found as u32, here));
        }
        Ok(found as u32)
    }

    fn current_group(&mut self) -> u32 {
        if let Some(group) = self.group {
            return group;
        }
        self.grouped |= self.name.is_some() || self.material.is_some();
        let name = self.name.clone().unwrap_or_else(|| DEFAULT_GROUP.to_owned());
        let key = (name, self.material.clone());
        let groups = &mut self.mesh.groups;
        let group = *self.numbers.entry(key).or_insert_with_key(|(name, material)| {
            groups.push(SurfaceGroup { name: name.clone(), material: material.clone() });
            groups.len() as u32 - 1
        });
        self.group = Some(group);
        group
    }

    fn finish(self) -> Result<Imported<SurfaceMesh>, MeshError> {
        let Reader { lines, mut mesh, polygons, .. } = self;
        let file = &lines.scanner.source().name;
        let error = |kind, text: String| MeshError::new(kind, text).in_file(file);
        if mesh.vertices.is_empty() || mesh.triangles.is_empty() {
            let (v, f) = (mesh.vertices.len(), mesh.triangles.len());
            let text = format!("no surface here: {v} vertices ('v' lines), {f} faces ('f' lines)");
            let error = error(ErrorKind::Geometry, text);
            return Err(match self.unknown {
                Some((_, first)) => error.hint(format!("is it an OBJ file? It has {first}")),
                None => error,
            });
        }
        let counts = [mesh.vertices.len(), mesh.texture.len(), mesh.normals.len()];
        for ((ahead, what), count) in self.ahead.into_iter().zip(TABLES).zip(counts) {
            if let Some((index, at)) = ahead
                && index as usize >= count
            {
                let index = u64::from(index) + 1;
                let text = format!("a face names {what} {index}, but the file has {count}");
                return Err(error(ErrorKind::Index, text).at(at));
            }
        }
        if !self.grouped {
            mesh.groups.clear();
            mesh.triangle_group.clear();
        }
        mesh.validate().map_err(|e| e.in_file(file))?;
        let mut notes: Vec<Note> = polygons.finish(&mut mesh).into_iter().collect();
        let mut skipped = |count: usize, text: &str| {
            if count > 0 {
                notes.push(Note::Skipped(text.replace('#', &count.to_string())));
            }
        };
        skipped(self.colours, "weights or colours of # vertices are not kept");
        skipped(self.deep_texture, "the third of # texture coordinates is not kept");
        skipped(usize::from(self.smoothing), "smoothing groups are not kept");
        skipped(self.lines_and_points, "# lines and points ('l', 'p') were passed over");
        if let Some((count, first)) = self.unknown {
            let text = format!("# unknown statements were passed over, the first is {first}");
            skipped(count, &text);
        }
        Ok(Imported { mesh, notes })
    }
}
