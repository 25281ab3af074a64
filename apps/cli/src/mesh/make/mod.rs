//! `pliant mesh make`: the generators on the command line.

mod shapes;

use std::path::Path;

use pliant::mesh::generate::{
    Bar, BoxShape, CellChoice, CookPanel, CurvedBeam, Cylinder, EllipticPlate, HollowSphere,
    LShape, NotchedBar, QuarterRing, Shape, Sphere, Torus, Tube, TwistedBeam, jittered,
    surface_box, surface_capsule, surface_icosphere, surface_star, surface_torus,
};
use pliant::mesh::{MeshError, SurfaceMesh, VolumeMesh};
use serde_json::json;

use super::load;
use crate::context::Context;
use crate::failure::Failure;
use shapes::{Cell, Surface, Volume};

pub use shapes::MakeCommand;

/// A box of tetrahedra, for the benchmarks.
pub(crate) fn plain_box(size: [f64; 3], cells: [usize; 3]) -> Result<VolumeMesh, MeshError> {
    BoxShape { size, cells, ..BoxShape::default() }.generate()
}

fn set<T>(slot: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *slot = value;
    }
}

/// clap has checked how many values there are.
fn set_array<T: Copy, const N: usize>(slot: &mut [T; N], values: Option<Vec<T>>) {
    if let Some(values) = values.and_then(|v| <[T; N]>::try_from(v).ok()) {
        *slot = values;
    }
}

pub(super) fn run(command: MakeCommand, context: &Context) -> Result<(), Failure> {
    match recipe(command)? {
        Recipe::Volume(mut shape, volume) => {
            *shape.cell_mut() = match volume.cell {
                Cell::Tet5 => CellChoice::Tet5,
                Cell::Tet6 | Cell::Tet10 => CellChoice::Tet6,
                Cell::Hex | Cell::Hex20 => CellChoice::Hex,
            };
            let mut mesh = shape.generate()?;
            if let Some(amplitude) = volume.jitter {
                mesh = jittered(&mesh, amplitude, volume.seed)?;
            }
            if matches!(volume.cell, Cell::Tet10 | Cell::Hex20) {
                mesh = shape.quadratic(&mesh)?;
            }
            let notes = load::save_volume(&volume.out, &mesh, &volume.write, context)?;
            let (vertices, cells, kind) = (mesh.vertex_count(), mesh.cell_count(), mesh.cell_type);
            report(
                &volume.out,
                vertices,
                cells,
                &kind.to_string(),
                &load::note_texts(&notes),
                context,
            )
        }
        Recipe::Surface(mesh, surface) => {
            let notes = load::save_surface(&surface.out, &mesh, &surface.write, context)?;
            let (vertices, triangles) = (mesh.vertices.len(), mesh.triangles.len());
            report(&surface.out, vertices, triangles, "tri3", &load::note_texts(&notes), context)
        }
    }
}

fn report(
    out: &Path,
    vertices: usize,
    cells: usize,
    kind: &str,
    notes: &[String],
    context: &Context,
) -> Result<(), Failure> {
    let result = json!({
        "output": out.display().to_string(),
        "vertices": vertices,
        "cells": cells,
        "cell_type": kind,
        "notes": notes,
    });
    context
        .emit(&result, || format!("{}: {vertices} vertices, {cells} {kind} cells\n", out.display()))
}

enum Recipe {
    Volume(Shape, Volume),
    Surface(SurfaceMesh, Surface),
}

fn recipe(command: MakeCommand) -> Result<Recipe, Failure> {
    Ok(match command {
        MakeCommand::Box { size, cells, grading, mut volume } => {
            // A box jitters its surface too, within the faces.
            let jitter = volume.jitter.take().unwrap_or(0.0);
            let mut s = BoxShape { jitter, seed: volume.seed, ..BoxShape::default() };
            set_array(&mut s.size, size);
            set_array(&mut s.cells, cells);
            set_array(&mut s.grading, grading);
            Recipe::Volume(Shape::Box(s), volume)
        }
        MakeCommand::Bar { length, width, height, across, volume } => {
            let mut s = Bar::default();
            set(&mut s.length, length);
            set(&mut s.width, width);
            set(&mut s.height, height);
            set(&mut s.across, across);
            Recipe::Volume(Shape::Bar(s), volume)
        }
        MakeCommand::Cylinder { radius, length, core, rings, layers, volume } => {
            let mut s = Cylinder::default();
            set(&mut s.radius, radius);
            set(&mut s.length, length);
            set(&mut s.core, core);
            set(&mut s.rings, rings);
            set(&mut s.layers, layers);
            Recipe::Volume(Shape::Cylinder(s), volume)
        }
        MakeCommand::Tube { inner, outer, length, radial, around, layers, volume } => {
            let mut s = Tube::default();
            set(&mut s.inner, inner);
            set(&mut s.outer, outer);
            set(&mut s.length, length);
            set(&mut s.radial, radial);
            set(&mut s.around, around);
            set(&mut s.layers, layers);
            Recipe::Volume(Shape::Tube(s), volume)
        }
        MakeCommand::Sphere { radius, core, rings, volume } => {
            let mut s = Sphere::default();
            set(&mut s.radius, radius);
            set(&mut s.core, core);
            set(&mut s.rings, rings);
            Recipe::Volume(Shape::Sphere(s), volume)
        }
        MakeCommand::HollowSphere { inner, outer, across, radial, volume } => {
            let mut s = HollowSphere::default();
            set(&mut s.inner, inner);
            set(&mut s.outer, outer);
            set(&mut s.across, across);
            set(&mut s.radial, radial);
            Recipe::Volume(Shape::HollowSphere(s), volume)
        }
        MakeCommand::Torus { major, minor, core, rings, around, volume } => {
            let mut s = Torus::default();
            set(&mut s.major, major);
            set(&mut s.minor, minor);
            set(&mut s.core, core);
            set(&mut s.rings, rings);
            set(&mut s.around, around);
            Recipe::Volume(Shape::Torus(s), volume)
        }
        MakeCommand::LShape { size, width, thickness, across, volume } => {
            let mut s = LShape::default();
            set(&mut s.size, size);
            set(&mut s.width, width);
            set(&mut s.thickness, thickness);
            set(&mut s.across, across);
            Recipe::Volume(Shape::LShape(s), volume)
        }
        MakeCommand::NotchedBar {
            length,
            height,
            thickness,
            notch_width,
            notch_depth,
            across,
            volume,
        } => {
            let mut s = NotchedBar::default();
            set(&mut s.length, length);
            set(&mut s.height, height);
            set(&mut s.thickness, thickness);
            set(&mut s.notch_width, notch_width);
            set(&mut s.notch_depth, notch_depth);
            set(&mut s.across, across);
            Recipe::Volume(Shape::NotchedBar(s), volume)
        }
        MakeCommand::Cook { unit, thickness, cells, volume } => {
            let mut s = CookPanel::default();
            set(&mut s.unit, unit);
            set(&mut s.thickness, thickness);
            set_array(&mut s.cells, cells);
            Recipe::Volume(Shape::Cook(s), volume)
        }
        MakeCommand::QuarterRing { inner, outer, thickness, cells, volume } => {
            let mut s = QuarterRing::default();
            set(&mut s.inner, inner);
            set(&mut s.outer, outer);
            set(&mut s.thickness, thickness);
            set_array(&mut s.cells, cells);
            Recipe::Volume(Shape::QuarterRing(s), volume)
        }
        MakeCommand::CurvedBeam { radius, width, height, angle, cells, volume } => {
            let mut s = CurvedBeam::default();
            set(&mut s.radius, radius);
            set(&mut s.width, width);
            set(&mut s.height, height);
            set(&mut s.angle, angle);
            set_array(&mut s.cells, cells);
            Recipe::Volume(Shape::CurvedBeam(s), volume)
        }
        MakeCommand::TwistedBeam { length, width, thickness, twist, cells, volume } => {
            let mut s = TwistedBeam::default();
            set(&mut s.length, length);
            set(&mut s.width, width);
            set(&mut s.thickness, thickness);
            set(&mut s.twist, twist);
            set_array(&mut s.cells, cells);
            Recipe::Volume(Shape::TwistedBeam(s), volume)
        }
        MakeCommand::EllipticPlate { inner, outer, thickness, cells, volume } => {
            let mut s = EllipticPlate::default();
            set_array(&mut s.inner, inner);
            set_array(&mut s.outer, outer);
            set(&mut s.thickness, thickness);
            set_array(&mut s.cells, cells);
            Recipe::Volume(Shape::EllipticPlate(s), volume)
        }
        MakeCommand::BallSurface { radius, levels, surface } => {
            Recipe::Surface(surface_icosphere(radius, levels)?, surface)
        }
        MakeCommand::TorusSurface { major, minor, around, across, surface } => {
            Recipe::Surface(surface_torus(major, minor, around, across)?, surface)
        }
        MakeCommand::StarSurface { radius, spikes, height, sharpness, levels, surface } => {
            Recipe::Surface(surface_star(radius, height, spikes, sharpness, levels)?, surface)
        }
        MakeCommand::BoxSurface { size, cells, surface } => {
            let (mut s, mut c) = ([0.0; 3], [0; 3]);
            set_array(&mut s, Some(size));
            set_array(&mut c, Some(cells));
            Recipe::Surface(surface_box(s, c)?, surface)
        }
        MakeCommand::CapsuleSurface { radius, length, around, rings, layers, surface } => {
            Recipe::Surface(surface_capsule(radius, length, around, rings, layers)?, surface)
        }
    })
}
