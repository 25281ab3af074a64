//! Animations as binary glTF 2.0: the first frame as the mesh, a morph target for each other frame, and
//! weights that go from one to the next.

use std::collections::HashMap;
use std::io::Write;

use crate::error::{ErrorKind, MeshError};
use crate::surface::SurfaceMesh;

use super::animation::{Pose, Timeline, Track, bounds};
use super::text::TextWriter;

/// Readers keep all targets in memory; beyond so many they get slow.
const TARGETS: usize = 300;
/// And beyond so many bytes of them.
const BYTES: usize = 256 << 20;

/// Of `frames` frames of so many vertices, every how many are kept so that the file stays of a size
/// which readers can take. The first and the last are kept always.
pub fn stride(frames: usize, vertices: usize) -> usize {
    let targets = frames.saturating_sub(1);
    let by_size = targets.saturating_mul(vertices).saturating_mul(24).div_ceil(BYTES);
    targets.div_ceil(TARGETS).max(by_size).max(1)
}

/// A vertex of the file has one texture coordinate, so that some of ours become several.
struct Split {
    /// The vertex of the surface.
    source: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    texture: Vec<[f32; 2]>,
}

impl Split {
    fn new(surface: &SurfaceMesh) -> Self {
        let complete = surface.triangle_texture.iter().flatten().all(|&t| t != u32::MAX);
        if surface.triangle_texture.is_empty() || !complete {
            let source = (0..surface.vertices.len() as u32).collect();
            return Self { source, triangles: surface.triangles.clone(), texture: Vec::new() };
        }
        let mut split = Self { source: Vec::new(), triangles: Vec::new(), texture: Vec::new() };
        let mut known = HashMap::new();
        for (triangle, texture) in surface.triangles.iter().zip(&surface.triangle_texture) {
            split.triangles.push(std::array::from_fn(|k| {
                *known.entry((triangle[k], texture[k])).or_insert_with(|| {
                    split.source.push(triangle[k]);
                    let [u, v] = surface.texture[texture[k] as usize];
                    // glTF counts from the top of a picture, OBJ from its bottom.
                    split.texture.push([u as f32, (1.0 - v) as f32]);
                    split.source.len() as u32 - 1
                })
            }));
        }
        split
    }

    fn of(&self, list: &[[f32; 3]]) -> Vec<[f32; 3]> {
        self.source.iter().map(|&v| list[v as usize]).collect()
    }
}

/// The parts of the JSON chunk that grow together.
#[derive(Default)]
struct Tables {
    views: Vec<String>,
    accessors: Vec<String>,
    bytes: usize,
}

impl Tables {
    /// An array of `count` values in a view of its own; its number.
    fn array(&mut self, count: usize, kind: Kind, limits: Option<[&[f32]; 2]>) -> usize {
        let Kind { component, shape, size, target } = kind;
        let (offset, length) = (self.bytes, count * size);
        let target = target.map_or(String::new(), |t| format!(r#","target":{t}"#));
        self.views
            .push(format!(r#"{{"buffer":0,"byteOffset":{offset},"byteLength":{length}{target}}}"#));
        self.bytes += length;
        let limits =
            limits.map_or(String::new(), |[low, high]| format!(r#","min":{low:?},"max":{high:?}"#));
        let view = self.views.len() - 1;
        self.accessors.push(format!(
            r#"{{"bufferView":{view},"componentType":{component},"count":{count},"type":"{shape}"{limits}}}"#
        ));
        self.accessors.len() - 1
    }
}

#[derive(Clone, Copy)]
struct Kind {
    component: u32,
    shape: &'static str,
    size: usize,
    target: Option<u32>,
}

const INDEX: Kind = Kind { component: 5125, shape: "SCALAR", size: 4, target: Some(34963) };
const VECTOR: Kind = Kind { component: 5126, shape: "VEC3", size: 12, target: Some(34962) };
const PAIR: Kind = Kind { component: 5126, shape: "VEC2", size: 8, target: Some(34962) };
const NUMBER: Kind = Kind { component: 5126, shape: "SCALAR", size: 4, target: None };

/// Writes the frames of a timeline.
pub fn write(
    tracks: &mut [Track<'_>],
    timeline: &Timeline,
    sink: &mut dyn Write,
) -> Result<(), MeshError> {
    timeline.check()?;
    let (first, others) = (timeline.frames[0], &timeline.frames[1..]);
    let seconds: Vec<f32> = timeline.at.iter().map(|t| (t / timeline.per_second) as f32).collect();
    let mut tables = Tables::default();
    let (mut meshes, mut nodes, mut channels) = (Vec::new(), Vec::new(), Vec::new());
    let splits: Vec<Split> = tracks.iter().map(|t| Split::new(t.surface)).collect();
    // Places of the targets are known by their bounds, which stand before them in the file: the
    // caches are read twice.
    let (mut base, mut pose) = (Pose::default(), Pose::default());
    for (k, (track, split)) in tracks.iter_mut().zip(&splits).enumerate() {
        base.read(track, first)?;
        let count = split.source.len();
        let [low, high] = bounds(split.of(&base.positions).into_iter());
        let indices = tables.array(3 * split.triangles.len(), INDEX, None);
        let positions = tables.array(count, VECTOR, Some([&low, &high]));
        let normals = tables.array(count, VECTOR, None);
        let mut attributes = format!(r#""POSITION":{positions},"NORMAL":{normals}"#);
        if !split.texture.is_empty() {
            let texture = tables.array(count, PAIR, None);
            attributes += &format!(r#","TEXCOORD_0":{texture}"#);
        }
        let mut targets = Vec::with_capacity(others.len());
        for &frame in others {
            pose.read(track, frame)?;
            let moved = split.of(&pose.positions).into_iter().zip(split.of(&base.positions));
            let [low, high] = bounds(moved.map(difference));
            let positions = tables.array(count, VECTOR, Some([&low, &high]));
            let normals = tables.array(count, VECTOR, None);
            targets.push(format!(r#"{{"POSITION":{positions},"NORMAL":{normals}}}"#));
        }
        let name = quoted(track.name);
        let morph = if others.is_empty() {
            String::new()
        } else {
            let names: Vec<String> = others.iter().map(|f| format!(r#""frame {f}""#)).collect();
            let zeros = vec!["0"; others.len()].join(",");
            channels.push(format!(r#"{{"sampler":0,"target":{{"node":{k},"path":"weights"}}}}"#));
            format!(r#","weights":[{zeros}],"extras":{{"targetNames":[{}]}}"#, names.join(","))
        };
        let targets = if targets.is_empty() {
            String::new()
        } else {
            format!(r#","targets":[{}]"#, targets.join(","))
        };
        meshes.push(format!(
            r#"{{"name":{name},"primitives":[{{"attributes":{{{attributes}}},"indices":{indices},"material":0{targets}}}]{morph}}}"#
        ));
        nodes.push(format!(r#"{{"name":{name},"mesh":{k}}}"#));
    }
    let animation = if channels.is_empty() {
        String::new()
    } else {
        let ends = [&seconds[..1], &seconds[seconds.len() - 1..]];
        let times = tables.array(seconds.len(), NUMBER, Some(ends));
        let weights = tables.array(seconds.len() * others.len(), NUMBER, None);
        format!(
            r#","animations":[{{"name":"motion","channels":[{}],"samplers":[{{"input":{times},"interpolation":"LINEAR","output":{weights}}}]}}]"#,
            channels.join(",")
        )
    };
    let scene: Vec<String> = (0..nodes.len()).map(|n| n.to_string()).collect();
    let material = r#"{"name":"body","doubleSided":true,"pbrMetallicRoughness":{"baseColorFactor":[0.7,0.72,0.75,1],"metallicFactor":0,"roughnessFactor":0.6}}"#;
    let mut json = format!(
        r#"{{"asset":{{"version":"2.0","generator":"Pliant"}},"scene":0,"scenes":[{{"nodes":[{}]}}],"nodes":[{}],"meshes":[{}],"materials":[{material}],"accessors":[{}],"bufferViews":[{}],"buffers":[{{"byteLength":{}}}]{animation}}}"#,
        scene.join(","),
        nodes.join(","),
        meshes.join(","),
        tables.accessors.join(","),
        tables.views.join(","),
        tables.bytes,
    );
    while !json.len().is_multiple_of(4) {
        json.push(' ');
    }
    let total = 12 + 8 + json.len() + 8 + tables.bytes;
    let Ok(total) = u32::try_from(total) else {
        let text = format!("{total} bytes, and glTF cannot count beyond 2^32");
        let hint = "write fewer frames, or use formats = [\"pc2\"]";
        return Err(MeshError::new(ErrorKind::Unsupported, text).hint(hint));
    };
    let mut out = TextWriter::new(sink);
    out.bytes(b"glTF")?;
    for word in [2, total, json.len() as u32] {
        out.bytes(&word.to_le_bytes())?;
    }
    out.text("JSON")?;
    out.text(&json)?;
    out.bytes(&(tables.bytes as u32).to_le_bytes())?;
    out.bytes(b"BIN\0")?;
    for (track, split) in tracks.iter_mut().zip(&splits) {
        for v in split.triangles.as_flattened() {
            out.bytes(&v.to_le_bytes())?;
        }
        base.read(track, first)?;
        base.shade(track);
        let (places, normals) = (split.of(&base.positions), split.of(&base.normals));
        floats(&mut out, places.as_flattened())?;
        floats(&mut out, normals.as_flattened())?;
        floats(&mut out, split.texture.as_flattened())?;
        for &frame in others {
            pose.read(track, frame)?;
            pose.shade(track);
            for (moved, rest) in [(&pose.positions, &places), (&pose.normals, &normals)] {
                let pairs = split.of(moved).into_iter().zip(rest.iter().copied());
                for d in pairs.map(difference) {
                    floats(&mut out, &d)?;
                }
            }
        }
    }
    if !others.is_empty() {
        floats(&mut out, &seconds)?;
        // At the first frame no target counts, then one after the other.
        for k in 0..seconds.len() {
            for target in 0..others.len() {
                floats(&mut out, &[f32::from(u8::from(target + 1 == k))])?;
            }
        }
    }
    Ok(out.finish()?)
}

fn difference((a, b): ([f32; 3], [f32; 3])) -> [f32; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn floats(out: &mut TextWriter<'_>, list: &[f32]) -> Result<(), MeshError> {
    for value in list {
        out.bytes(&value.to_le_bytes())?;
    }
    Ok(())
}

/// As JSON wants it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted += &format!("\\u{:04x}", c as u32),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_left_out_when_there_are_too_many_or_they_are_too_large() {
        assert_eq!([stride(0, 10), stride(1, 10), stride(301, 10)], [1; 3]);
        assert_eq!([stride(302, 10), stride(602, 10)], [2, 3]);
        // 24 bytes for each vertex and target.
        assert_eq!([stride(101, 100_000), stride(201, 100_000)], [1, 2]);
        assert_eq!(stride(2, usize::MAX), usize::MAX.div_ceil(BYTES));
    }

    #[test]
    fn names_are_quoted_for_json() {
        assert_eq!(quoted("a \"b\"\\\n\u{e9}"), "\"a \\\"b\\\"\\\\\\u000a\u{e9}\"");
    }

    #[test]
    fn there_must_be_a_frame_and_times_must_ascend() {
        let none = Timeline { per_second: 1.0, ..Timeline::default() };
        let back = Timeline { frames: vec![0, 1], at: vec![1.0, 1.0], per_second: 1.0 };
        for timeline in [none, back] {
            let error = write(&mut [], &timeline, &mut Vec::new()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Count);
        }
    }
}
