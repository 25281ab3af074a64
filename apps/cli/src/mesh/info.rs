//! `pliant mesh info`

use std::path::Path;

use pliant::mesh::measure::mass_properties;
use pliant::mesh::spatial::Aabb;
use pliant::mesh::topology::{boundary_faces, components, surface_components, surface_edges};
use pliant::mesh::{CellData, MaterialLaw, MaterialRecord, Note, SurfaceMesh, VolumeMesh, quality};
use serde_json::{Value, json};

use super::load::{self, AnyMesh};
use crate::context::Context;
use crate::failure::Failure;

const BINS: usize = 36;

pub(super) fn run(file: &Path, context: &Context) -> Result<(), Failure> {
    let (mesh, notes) = load::any(file, context)?;
    match &mesh {
        AnyMesh::Volume(mesh) => context.emit(&volume_json(mesh, &notes), || volume_text(mesh)),
        AnyMesh::Surface(mesh) => context.emit(&surface_json(mesh, &notes), || surface_text(mesh)),
    }
}

/// All that is known of a volume mesh.
pub(super) fn volume_json(mesh: &VolumeMesh, notes: &[Note]) -> Value {
    let mass = mass_properties(mesh);
    let quality = quality::summary(mesh, BINS);
    let range = |s: &quality::Summary| json!({"min": s.min, "max": s.max, "mean": s.mean, "worst": s.worst});
    let regions: Vec<Value> = (0..mesh.regions.len())
        .map(|r| {
            let material =
                mesh.regions[r].material.map(|m| mesh.materials[m as usize].name.clone());
            json!({
                "name": mesh.regions[r].name,
                "cells": mesh.cell_region.iter().filter(|&&c| c as usize == r).count(),
                "material": material,
            })
        })
        .collect();
    json!({
        "vertices": mesh.vertex_count(),
        "cells": mesh.cell_count(),
        "cell_type": mesh.cell_type.name(),
        "volume": mass.volume,
        "centre_of_mass": mass.centre,
        "inertia": mass.inertia,
        "bounding_box": box_json(&mesh.vertices),
        "boundary_faces": boundary_faces(mesh).sides.len(),
        "regions": regions,
        "cell_sets": mesh.cell_sets.iter().map(|s| json!({"name": s.name, "cells": s.items.len()})).collect::<Vec<_>>(),
        "vertex_sets": mesh.vertex_sets.iter().map(|s| json!({"name": s.name, "vertices": s.items.len()})).collect::<Vec<_>>(),
        "cell_data": mesh.cell_data.iter().map(|d| {
            let (min, max) = d.range().unzip();
            json!({"name": d.name, "min": min, "max": max})
        }).collect::<Vec<_>>(),
        "materials": mesh.materials.iter().map(material_json).collect::<Vec<_>>(),
        "components": components(mesh).count,
        "min_quality": quality.scaled_jacobian.min,
        "quality": {
            "min_dihedral": range(&quality.min_dihedral),
            "max_dihedral": range(&quality.max_dihedral),
            "radius_ratio": range(&quality.radius_ratio),
            "scaled_jacobian": range(&quality.scaled_jacobian),
            "shortest_edge": quality.shortest_edge,
            "longest_edge": quality.longest_edge,
            "min_dihedral_histogram": quality.min_dihedral.histogram.counts,
        },
        "notes": load::note_texts(notes),
    })
}

fn box_json(points: &[[f64; 3]]) -> Value {
    let b = Aabb::of(points);
    json!({"min": b.min, "max": b.max})
}

fn material_json(material: &MaterialRecord) -> Value {
    let law = match &material.law {
        MaterialLaw::Isotropic { young, poisson } => {
            json!({"kind": "isotropic", "young": young, "poisson": poisson})
        }
        MaterialLaw::MooneyRivlin { mu01, mu10, v1 } => {
            json!({"kind": "mooney-rivlin", "mu01": mu01, "mu10": mu10, "v1": v1})
        }
        MaterialLaw::Orthotropic { young, poisson, shear, rotation } => json!({
            "kind": "orthotropic", "young": young, "poisson": poisson, "shear": shear, "rotation": rotation,
        }),
    };
    json!({"name": material.name, "density": material.density, "law": law})
}

/// The same for people, a line each.
pub(super) fn volume_text(mesh: &VolumeMesh) -> String {
    let mass = mass_properties(mesh);
    let quality = quality::summary(mesh, BINS);
    let bounds = Aabb::of(&mesh.vertices);
    let [x, y, z] = bounds.extent();
    let mut lines = vec![
        ("vertices", mesh.vertex_count().to_string()),
        ("cells", format!("{} {}", mesh.cell_count(), mesh.cell_type)),
        ("volume", format!("{:.6e} m³", mass.volume)),
        ("extent", format!("{x:.4e} × {y:.4e} × {z:.4e} m")),
        ("centre of mass", triple(mass.centre)),
        ("edges", format!("{:.3e} to {:.3e} m", quality.shortest_edge, quality.longest_edge)),
        ("components", components(mesh).count.to_string()),
    ];
    if !mesh.regions.is_empty() {
        let names = mesh.regions.iter().map(|r| match r.material {
            Some(m) => format!("{} ({})", r.name, mesh.materials[m as usize].name),
            None => r.name.clone(),
        });
        lines.push(("regions", names.collect::<Vec<_>>().join(", ")));
    }
    for (title, sets) in [("cell sets", &mesh.cell_sets), ("vertex sets", &mesh.vertex_sets)] {
        if !sets.is_empty() {
            let names = sets.iter().map(|s| format!("{} ({})", s.name, s.items.len()));
            lines.push((title, names.collect::<Vec<_>>().join(", ")));
        }
    }
    if !mesh.cell_data.is_empty() {
        let range =
            |d: &CellData| d.range().map_or(String::new(), |(a, b)| format!(" ({a} to {b})"));
        let list = mesh.cell_data.iter().map(|d| d.name.clone() + &range(d));
        lines.push(("cell data", list.collect::<Vec<_>>().join(", ")));
    }
    let (low, high) = (&quality.min_dihedral, &quality.max_dihedral);
    lines.push(("angles", format!("{:.1}° to {:.1}° between faces", low.min, high.max)));
    let jacobian = &quality.scaled_jacobian;
    let worst = jacobian.worst.map_or(String::new(), |c| format!(", worst at cell {c}"));
    lines.push((
        "quality",
        format!(
            "scaled Jacobian {:.3} at least, {:.3} on average{worst}",
            jacobian.min, jacobian.mean
        ),
    ));
    table(&lines)
}

fn surface_json(mesh: &SurfaceMesh, notes: &[Note]) -> Value {
    let edges = surface_edges(mesh);
    json!({
        "vertices": mesh.vertices.len(),
        "cells": mesh.triangles.len(),
        "cell_type": "tri3",
        "area": mesh.area(),
        "volume": if edges.is_closed() { json!(mesh.volume()) } else { Value::Null },
        "closed": edges.is_closed(),
        "manifold": edges.is_manifold(),
        "bounding_box": box_json(&mesh.vertices),
        "regions": mesh.groups.iter().map(|g| json!({"name": g.name, "material": g.material})).collect::<Vec<_>>(),
        "components": surface_components(mesh).count,
        "texture_coordinates": mesh.texture.len(),
        "notes": load::note_texts(notes),
    })
}

fn surface_text(mesh: &SurfaceMesh) -> String {
    let edges = surface_edges(mesh);
    let [x, y, z] = Aabb::of(&mesh.vertices).extent();
    let closed = match (edges.is_closed(), edges.is_manifold()) {
        (true, true) => format!("yes, volume {:.6e} m³", mesh.volume()),
        (true, false) => "yes, but not manifold".into(),
        (false, _) => "no".into(),
    };
    let mut lines = vec![
        ("vertices", mesh.vertices.len().to_string()),
        ("triangles", mesh.triangles.len().to_string()),
        ("area", format!("{:.6e} m²", mesh.area())),
        ("extent", format!("{x:.4e} × {y:.4e} × {z:.4e} m")),
        ("closed", closed),
        ("components", surface_components(mesh).count.to_string()),
    ];
    if !mesh.groups.is_empty() {
        let names = mesh.groups.iter().map(|g| g.name.clone());
        lines.push(("groups", names.collect::<Vec<_>>().join(", ")));
    }
    table(&lines)
}

fn triple([x, y, z]: [f64; 3]) -> String {
    format!("({x:.4e}, {y:.4e}, {z:.4e}) m")
}

/// Lines of a name and a value, the values in one column.
pub(super) fn table(lines: &[(&str, String)]) -> String {
    lines.iter().fold(String::new(), |text, (name, value)| text + &format!("{name:<18}{value}\n"))
}
