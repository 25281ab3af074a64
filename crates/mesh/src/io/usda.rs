//! Animations as text of Universal Scene Description: a mesh for each surface, with samples in time of
//! its points and normals.

use std::io::{self, Write};

use crate::error::MeshError;
use crate::surface::SurfaceMesh;

use super::animation::{Pose, Timeline, Track};
use super::text::TextWriter;

/// Writes the frames of a timeline.
pub fn write(
    tracks: &mut [Track<'_>],
    timeline: &Timeline,
    sink: &mut dyn Write,
) -> Result<(), MeshError> {
    timeline.check()?;
    let mut out = TextWriter::new(sink);
    out.text(
        "#usda 1.0\n(\n    defaultPrim = \"bodies\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n",
    )?;
    let ends = [timeline.at[0], timeline.at[timeline.at.len() - 1]];
    for (key, value) in [
        ("startTimeCode", ends[0]),
        ("endTimeCode", ends[1]),
        ("timeCodesPerSecond", timeline.per_second),
        ("framesPerSecond", timeline.per_second),
    ] {
        out.text(&format!("    {key} = "))?;
        out.float(value)?;
        out.text("\n")?;
    }
    out.text(")\n\ndef Xform \"bodies\"\n{\n")?;
    let names = identifiers(tracks.iter().map(|t| t.name));
    let mut pose = Pose::default();
    for (track, name) in tracks.iter_mut().zip(names) {
        out.text(&format!("    def Mesh \"{name}\"\n    {{\n"))?;
        topology(&mut out, track.surface)?;
        samples(&mut out, "float3[] extent", timeline, |out, frame| {
            pose.read(track, frame)?;
            Ok(triples(out, &pose.bounds())?)
        })?;
        samples(&mut out, "point3f[] points", timeline, |out, frame| {
            pose.read(track, frame)?;
            Ok(triples(out, &pose.positions)?)
        })?;
        out.text(
            "        normal3f[] normals (\n            interpolation = \"vertex\"\n        )\n",
        )?;
        samples(&mut out, "normal3f[] normals", timeline, |out, frame| {
            pose.read(track, frame)?;
            pose.shade(track);
            // Four digits are more than an eye sees, and make a shorter file.
            for n in pose.normals.as_flattened_mut() {
                *n = (*n * 1e4).round() / 1e4;
            }
            Ok(triples(out, &pose.normals)?)
        })?;
        out.text("    }\n")?;
    }
    out.text("}\n")?;
    Ok(out.finish()?)
}

fn topology(out: &mut TextWriter<'_>, surface: &SurfaceMesh) -> io::Result<()> {
    // Points as they are: no surface of subdivision through them.
    out.text("        uniform bool doubleSided = 1\n")?;
    out.text(
        "        uniform token subdivisionScheme = \"none\"\n        int[] faceVertexCounts = [",
    )?;
    list(out, surface.triangles.iter().map(|_| 3))?;
    out.text("]\n        int[] faceVertexIndices = [")?;
    list(out, surface.triangles.as_flattened().iter().copied())?;
    out.text("]\n")?;
    let corners = surface.triangle_texture.as_flattened();
    if !corners.is_empty() && corners.iter().all(|&t| t != u32::MAX) {
        out.text("        texCoord2f[] primvars:st = [")?;
        for (i, [u, v]) in surface.texture.iter().enumerate() {
            out.text(if i > 0 { ", (" } else { "(" })?;
            float(out, *u as f32)?;
            out.text(", ")?;
            float(out, *v as f32)?;
            out.text(")")?;
        }
        out.text("] (\n            interpolation = \"faceVarying\"\n        )\n")?;
        out.text("        int[] primvars:st:indices = [")?;
        list(out, corners.iter().copied())?;
        out.text("]\n")?;
    }
    Ok(())
}

fn samples(
    out: &mut TextWriter<'_>,
    attribute: &str,
    timeline: &Timeline,
    mut sample: impl FnMut(&mut TextWriter<'_>, usize) -> Result<(), MeshError>,
) -> Result<(), MeshError> {
    out.text(&format!("        {attribute}.timeSamples = {{\n"))?;
    for (&frame, &at) in timeline.frames.iter().zip(&timeline.at) {
        out.text("            ")?;
        out.float(at)?;
        out.text(": [")?;
        sample(out, frame)?;
        out.text("],\n")?;
    }
    Ok(out.text("        }\n")?)
}

fn triples(out: &mut TextWriter<'_>, list: &[[f32; 3]]) -> io::Result<()> {
    for (i, point) in list.iter().enumerate() {
        out.text(if i > 0 { ", (" } else { "(" })?;
        for (k, &c) in point.iter().enumerate() {
            if k > 0 {
                out.text(", ")?;
            }
            float(out, c)?;
        }
        out.text(")")?;
    }
    Ok(())
}

/// With the fewest digits that give the same 32 bits back.
fn float(out: &mut TextWriter<'_>, value: f32) -> io::Result<()> {
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format(value);
    out.text(text.strip_suffix(".0").unwrap_or(text))
}

fn list(out: &mut TextWriter<'_>, numbers: impl Iterator<Item = u32>) -> io::Result<()> {
    for (i, number) in numbers.enumerate() {
        if i > 0 {
            out.text(", ")?;
        }
        out.integer(u64::from(number))?;
    }
    Ok(())
}

/// Names as prims may have them, no two alike.
fn identifiers<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for name in names {
        let keep = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut clean: String = name.chars().map(keep).collect();
        if clean.starts_with(|c: char| c.is_ascii_digit()) || clean.is_empty() {
            clean.insert(0, '_');
        }
        while list.contains(&clean) {
            clean.push('_');
        }
        list.push(clean);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prims_get_names_that_they_may_have() {
        let names = identifiers(["bar", "a b", "a_b", "7", "", "größe"].into_iter());
        assert_eq!(names, ["bar", "a_b", "a_b_", "_7", "_", "gr__e"]);
    }

    #[test]
    fn numbers_are_as_short_as_their_bits_allow() {
        let mut bytes = Vec::new();
        let mut out = TextWriter::new(&mut bytes);
        triples(&mut out, &[[1.0, -0.1, 1e-7], [0.0, 16777216.0, 0.333_333_34]]).unwrap();
        out.finish().unwrap();
        assert_eq!(bytes, b"(1, -0.1, 1e-7), (0, 16777216, 0.33333334)");
    }
}
