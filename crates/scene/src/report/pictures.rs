//! Pictures of the moments of an album: bodies coloured by stress, obstacles, and shadows on the floor.

use std::collections::HashMap;
use std::f64::consts::TAU;

use pliant_algebra::vec3::{Vec3, add, add_scaled, cross, dot, norm, normalized, scale, sub};
use pliant_draw::{Camera, Colour, ColourMap, Image, Paint, Shape, render};
use pliant_forces::obstacles::{Shape as Form, Side, axis_of};
use pliant_mesh::generate::{surface_box, surface_icosphere};
use pliant_mesh::spatial::Aabb;
use pliant_model::Scenery;
use rayon::prelude::*;

use super::album::{Album, Moment};
use crate::build::simulation::Simulation;
use crate::spec::scene::Scene;

/// Pixels of a picture, somewhat more than a page shows of it.
pub(super) const SIZE: [usize; 2] = [640, 450];
/// Pixels that are left above and below.
pub(super) const MARGIN: usize = 6;
/// Bodies without stress, obstacles, the floor's two kinds of squares, and shadows.
const PLAIN: Colour = [0.70, 0.64, 0.78];
const STONE: Colour = [0.66, 0.68, 0.71];
const FLOOR: [Colour; 2] = [[0.90, 0.91, 0.92], [0.83, 0.845, 0.86]];
const SHADOW: Colour = [0.60, 0.62, 0.65];
/// What stress is painted with.
pub(crate) const COLOURS: ColourMap = ColourMap::STRESS;
/// Two faces that meet at less than this are seen as one bent surface.
const CREASE: f64 = 0.77;

/// Pictures, and what their colours mean.
pub(crate) struct Gallery<'a> {
    /// Name, moment and picture.
    pub(crate) pictures: Vec<(&'static str, &'a Moment, Image)>,
    /// Stress of the last colour, Pa; none if nothing has stress.
    pub(crate) highest: Option<f64>,
    /// The side of the floor's squares, m; none without a floor.
    pub(crate) square: Option<f64>,
}

/// Draws the chosen moments, all from the same place and in the same colours. Moments that are not of these
/// bodies are left out.
pub(crate) fn draw<'a>(album: &'a Album, scene: &Scene, simulation: &Simulation) -> Gallery<'a> {
    let count = simulation.bodies.iter().map(|b| b.boundary().vertex_map.len()).sum::<usize>();
    let mut chosen = album.chosen();
    let finite = |m: &Moment| m.x.as_flattened().iter().all(|c| c.is_finite());
    chosen.retain(|(_, m)| m.x.len() == count && m.mises.len() == count && finite(m));
    let highest = highest(&chosen);
    let triangles = triangles(simulation);
    let bounds = chosen.iter().fold(Aabb::EMPTY, |b, (_, m)| b.union(Aabb::of(&places(m))));
    let up = normalized(scene.gravity.map(|g| -g)).unwrap_or([0.0, 1.0, 0.0]);
    let mut seen: Vec<Vec3> = chosen.iter().flat_map(|(_, m)| places(m)).collect();
    let stage = Stage::new(scene, &seen, &bounds, up);
    seen.extend(&stage.corners);
    let list = &simulation.scenery;
    let scenery = |time: f64| list.iter().map(move |s| furnish(s, time));
    for (_, moment) in &chosen {
        // What is far from all bodies would make them small.
        let reach = norm(bounds.extent());
        let places = scenery(moment.time).flat_map(|plate| plate.positions);
        seen.extend(places.filter(|p| bounds.distance_squared(*p) < reach * reach));
    }
    let side = if up[1].abs() > 0.9 { [0.55, 0.0, 1.0] } else { [0.6, -1.0, 0.5] };
    let from = add_scaled(sub(side, scale(up, dot(side, up))), up, 0.42);
    let [w, h] = SIZE;
    let camera = Camera::fit(seen.iter().copied(), from, up, w as f64 / h as f64);
    let light = sub([0.0; 3], light(&camera));
    // Each by itself, and all at once: a picture does not depend on who draws it.
    let mut pictures: Vec<(&'static str, &Moment, Image)> = chosen
        .into_par_iter()
        .map(|(name, moment)| {
            let x = places(moment);
            let skin = skin(&x, &triangles, &moment.mises, highest);
            let shadows = stage.shadows(&x, &triangles, light);
            let mut shapes = stage.shapes();
            let furniture: Vec<Plate> = scenery(moment.time).collect();
            shapes.extend(furniture.iter().map(Plate::shape));
            shapes.push(skin.shape());
            shapes.extend(shadows.iter().map(Plate::shape));
            (name, moment, render(&shapes, &camera, w, h))
        })
        .collect();
    // All are cut alike, so that they can be laid beside each other.
    let all = pictures.iter().filter_map(|(_, _, image)| image.covered());
    let used =
        all.reduce(|a, b| std::array::from_fn(|k| [a[k][0].min(b[k][0]), a[k][1].max(b[k][1])]));
    if let Some([[left, right], [top, bottom]]) = used {
        let (top, bottom) = (top.saturating_sub(MARGIN), bottom + MARGIN);
        // What is tall and slender is not cut to a tall page.
        let lacking = ((bottom - top) * 5 / 4).saturating_sub(right - left) / 2;
        let columns = [left.saturating_sub(lacking), right + lacking];
        for (_, _, image) in &mut pictures {
            *image = image.cropped([columns, [top, bottom]]);
        }
    }
    Gallery { pictures, highest, square: stage.square }
}

/// Where the key light of the rasteriser stands.
fn light(camera: &Camera) -> Vec3 {
    let [right, up, back] = camera.axes;
    add(add(scale(right, -0.48), scale(up, 0.64)), scale(back, 0.60))
}

pub(super) fn places(moment: &Moment) -> Vec<Vec3> {
    moment.x.iter().map(|p| p.map(f64::from)).collect()
}

fn corners(b: &Aabb) -> impl Iterator<Item = Vec3> + Clone + use<> {
    let b = *b;
    (0..8).map(move |k| std::array::from_fn(|i| if k >> i & 1 == 0 { b.min[i] } else { b.max[i] }))
}

/// Of all bodies, as the album numbers vertices.
pub(super) fn triangles(simulation: &Simulation) -> Vec<[u32; 3]> {
    let (mut all, mut first) = (Vec::new(), 0);
    for body in &simulation.bodies {
        all.extend(body.boundary().surface.triangles.iter().map(|t| t.map(|v| v + first)));
        first += body.boundary().vertex_map.len() as u32;
    }
    all
}

/// The stress that all but one in fifty of the vertices stay below, at every moment: a single sharp
/// corner must not leave the rest in the dark.
fn highest(chosen: &[(&str, &Moment)]) -> Option<f64> {
    let of = |m: &Moment| {
        let mut list: Vec<f32> = m.mises.iter().copied().filter(|s| s.is_finite()).collect();
        list.sort_unstable_by(f32::total_cmp);
        list.get((list.len() * 49 / 50).min(list.len().saturating_sub(1))).copied()
    };
    chosen.iter().filter_map(|(_, m)| of(m)).map(f64::from).max_by(f64::total_cmp)
}

/// Triangles with their colours.
#[derive(Default)]
pub(super) struct Plate {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Of vertices; none for flat triangles.
    normals: Vec<Vec3>,
    /// One for all, one for each triangle, or one for each vertex.
    colours: Vec<Colour>,
}

impl Plate {
    pub(super) fn shape(&self) -> Shape<'_> {
        let paint = match &self.colours[..] {
            [one] => Paint::Uniform(*one),
            each if each.len() == self.triangles.len() => Paint::Triangles(each),
            each => Paint::Vertices(each),
        };
        let Self { positions, triangles, normals, .. } = self;
        Shape { positions, triangles, normals, paint, lines: None, line_mask: &[] }
    }
}

/// The bodies, every triangle with corners of its own so that sharp edges stay sharp.
pub(super) fn skin(
    x: &[Vec3],
    triangles: &[[u32; 3]],
    mises: &[f32],
    highest: Option<f64>,
) -> Plate {
    // Twice the area times the normal of each.
    let face = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| x[v as usize]);
        cross(sub(b, a), sub(c, a))
    };
    let faces: Vec<Vec3> = triangles.iter().map(face).collect();
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); x.len()];
    for (f, t) in triangles.iter().enumerate() {
        for &v in t {
            around[v as usize].push(f as u32);
        }
    }
    let colour = |v: u32| {
        let stress = f64::from(mises[v as usize]);
        match highest {
            Some(high) if stress.is_finite() => {
                COLOURS.at(if high > 0.0 { stress / high } else { 0.0 })
            }
            _ => PLAIN,
        }
    };
    let mut skin = Plate::default();
    for (face, t) in faces.iter().zip(triangles) {
        let first = skin.positions.len() as u32;
        skin.triangles.push([first, first + 1, first + 2]);
        for &v in t {
            let same = |f: &&u32| {
                let other = faces[**f as usize];
                dot(*face, other) >= CREASE * norm(*face) * norm(other)
            };
            let near = around[v as usize].iter().filter(same);
            let sum = near.fold([0.0; 3], |n, &f| add(n, faces[f as usize]));
            skin.positions.push(x[v as usize]);
            skin.normals.push(normalized(sum).or(normalized(*face)).unwrap_or([0.0, 1.0, 0.0]));
            skin.colours.push(colour(v));
        }
    }
    skin
}

/// An obstacle of triangles where it is at a time.
fn furnish(scenery: &Scenery, time: f64) -> Plate {
    let (positions, triangles) =
        (scenery.positions(time).collect(), scenery.surface.triangles.clone());
    Plate { positions, triangles, colours: vec![STONE], normals: Vec::new() }
}

/// What stands still: obstacles.
#[derive(Default)]
struct Stage {
    plates: Vec<Plate>,
    /// Planes that shadows fall on: a point, the normal, and the radius that is drawn.
    planes: Vec<(Vec3, Vec3, f64)>,
    /// What the camera has to see besides the bodies.
    corners: Vec<Vec3>,
    square: Option<f64>,
}

impl Stage {
    fn new(scene: &Scene, seen: &[Vec3], bounds: &Aabb, up: Vec3) -> Self {
        let mut stage = Self::default();
        let size = norm(bounds.extent());
        if !size.is_finite() || size <= 0.0 {
            return stage;
        }
        for obstacle in &scene.obstacles {
            match obstacle.shape {
                Form::Plane { point, normal } => stage.floor(seen, bounds, point, normal),
                Form::Box { min, max, side: Side::Inside } => {
                    // Of a room only the floor can be seen.
                    let lowest = if dot(up, sub(max, min)) > 0.0 { min } else { max };
                    stage.floor(seen, bounds, lowest, up);
                }
                Form::Sphere { centre, radius, side: Side::Outside } => {
                    let far = norm(sub(bounds.centre(), centre)) - radius;
                    if let Ok(mut ball) = surface_icosphere(radius, 4)
                        && far < 2.0 * size
                    {
                        let normals =
                            ball.vertices.iter().map(|p| scale(*p, 1.0 / radius)).collect();
                        ball.vertices.iter_mut().for_each(|p| *p = add(*p, centre));
                        stage.solid(ball.vertices, ball.triangles, normals);
                    }
                }
                Form::Box { min, max, side: Side::Outside } => {
                    if let Ok(mut cuboid) = surface_box(sub(max, min), [1, 1, 1]) {
                        cuboid.vertices.iter_mut().for_each(|p| *p = add(*p, min));
                        stage.solid(cuboid.vertices, cuboid.triangles, Vec::new());
                    }
                }
                Form::Capsule { from, to, radius, side: Side::Outside } => {
                    let (positions, triangles) = turned(from, to, radius, true);
                    stage.solid(positions, triangles, Vec::new());
                }
                Form::Cylinder { from, to, radius, side: Side::Outside } => {
                    let (positions, triangles) = turned(from, to, radius, false);
                    stage.solid(positions, triangles, Vec::new());
                }
                Form::Sphere { side: Side::Inside, .. }
                | Form::Capsule { side: Side::Inside, .. }
                | Form::Cylinder { side: Side::Inside, .. } => {}
            }
        }
        stage
    }

    fn solid(&mut self, positions: Vec<Vec3>, triangles: Vec<[u32; 3]>, normals: Vec<Vec3>) {
        let colours = vec![STONE];
        self.plates.push(Plate { positions, triangles, normals, colours });
    }

    /// A round piece of a plane below the bodies, in squares of a round length.
    fn floor(&mut self, seen: &[Vec3], bounds: &Aabb, point: Vec3, normal: Vec3) {
        let Some(n) = normalized(normal) else { return };
        let height = |p: Vec3| dot(n, sub(p, point));
        let along = |p: Vec3| add_scaled(p, n, -height(p));
        let centre = along(bounds.centre());
        let away = seen.iter().map(|&p| norm(sub(along(p), centre)));
        let radius = away.fold(0.0, f64::max) * 1.08;
        // A plane far away from all bodies would make them small.
        let nearest = corners(bounds).map(height).fold(f64::INFINITY, f64::min);
        if radius <= 0.0 || nearest > 2.0 * radius {
            return;
        }
        let rough = radius / 7.0;
        let power = 10f64.powf(rough.log10().floor());
        let square = [1.0, 2.0, 5.0].map(|m| m * power).into_iter().rev().find(|s| *s <= rough);
        let square = square.unwrap_or(power);
        let u = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let u = u
            .into_iter()
            .map(|a| sub(a, scale(n, dot(a, n))))
            .find_map(|a| if norm(a) > 0.1 { normalized(a) } else { None });
        let Some(u) = u else { return };
        let v = cross(n, u);
        let mut plate = Plate::default();
        let most = (radius / square).ceil() as i32;
        // Squares are cut finer where the edge of the disc runs through them.
        let fine = 6;
        let part = square / f64::from(fine);
        for i in -most * fine..most * fine {
            for j in -most * fine..most * fine {
                let at = |i: i32, j: i32| {
                    add_scaled(add_scaled(centre, u, f64::from(i) * part), v, f64::from(j) * part)
                };
                let quad = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                let location = |p: &Vec3| norm(sub(*p, centre));
                if quad.iter().map(location).fold(f64::INFINITY, f64::min) > radius {
                    continue;
                }
                let first = plate.positions.len() as u32;
                // Pulled in to the circle.
                plate.positions.extend(quad.map(|p| {
                    let far = norm(sub(p, centre));
                    if far > radius { add_scaled(centre, sub(p, centre), radius / far) } else { p }
                }));
                plate
                    .triangles
                    .extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
                let odd = (i.div_euclid(fine) + j.div_euclid(fine)).rem_euclid(2) as usize;
                plate.colours.extend([FLOOR[odd]; 2]);
            }
        }
        self.corners.extend((0..16).map(|k| {
            let (s, c) = (TAU * f64::from(k) / 16.0).sin_cos();
            add_scaled(add_scaled(centre, u, radius * c), v, radius * s)
        }));
        self.plates.push(plate);
        self.planes.push((centre, n, radius));
        self.square = Some(self.square.map_or(square, |s| s.min(square)));
    }

    fn shapes(&self) -> Vec<Shape<'_>> {
        self.plates.iter().map(Plate::shape).collect()
    }

    /// The triangles that face the light, thrown on the planes along it.
    fn shadows(&self, x: &[Vec3], triangles: &[[u32; 3]], light: Vec3) -> Vec<Plate> {
        let mut list = Vec::new();
        for &(centre, n, radius) in &self.planes {
            let slope = dot(n, light);
            if slope > -0.05 {
                continue;
            }
            let lifted = 1e-3 * radius;
            let mut new: HashMap<u32, u32> = HashMap::new();
            let mut plate = Plate { colours: vec![SHADOW], ..Plate::default() };
            let thrown = |p: Vec3| {
                let height = dot(n, sub(p, centre));
                // What has sunk in a little casts its shadow where it is.
                add_scaled(
                    add_scaled(p, light, -height.max(0.0) / slope),
                    n,
                    lifted - height.min(0.0),
                )
            };
            for t in triangles {
                let places = t.map(|v| thrown(x[v as usize]));
                if places.iter().any(|p| norm(sub(*p, centre)) > radius) {
                    continue;
                }
                let corners: [u32; 3] = std::array::from_fn(|k| {
                    *new.entry(t[k]).or_insert_with(|| {
                        plate.positions.push(places[k]);
                        plate.positions.len() as u32 - 1
                    })
                });
                plate.triangles.push(corners);
            }
            plate.normals = vec![n; plate.positions.len()];
            list.push(plate);
        }
        list
    }
}

/// A cylinder, or a capsule, as rings of vertices around its axis.
fn turned(from: Vec3, to: Vec3, radius: f64, capsule: bool) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    const AROUND: u32 = 48;
    const CAP: u32 = 8;
    let (axis, length) = axis_of(from, to);
    let start = if axis[0].abs() < 0.5 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let u = normalized(cross(axis, start)).unwrap_or([0.0, 0.0, 1.0]);
    let v = cross(axis, u);
    // Height and radius of each ring, from one pole to the other.
    let arc = |k: u32| (0.25 * TAU * f64::from(k) / f64::from(CAP)).sin_cos();
    let rings: Vec<(f64, f64)> = if capsule {
        let low = (0..=CAP).map(|k| (-radius * arc(CAP - k).0, radius * arc(CAP - k).1));
        let high = (0..=CAP).map(|k| (length + radius * arc(k).0, radius * arc(k).1));
        low.chain(high).collect()
    } else {
        // Twice where there is an edge, so that it is not smoothed.
        vec![
            (0.0, 0.0),
            (0.0, radius),
            (0.0, radius),
            (length, radius),
            (length, radius),
            (length, 0.0),
        ]
    };
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for (k, &(height, far)) in (0_u32..).zip(&rings) {
        for i in 0..AROUND {
            let (s, c) = (TAU * f64::from(i) / f64::from(AROUND)).sin_cos();
            let out = add_scaled(scale(u, far * c), v, far * s);
            positions.push(add(add_scaled(from, axis, height), out));
            if k > 0 {
                let (a, b) = ((k - 1) * AROUND + i, (k - 1) * AROUND + (i + 1) % AROUND);
                triangles.extend([[a, b, b + AROUND], [a, b + AROUND, a + AROUND]]);
            }
        }
    }
    (positions, triangles)
}
