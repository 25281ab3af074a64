//! Pictures of the moment of the greatest pressure of contact: bodies drawn apart, from above and from below, as what is pressed is hidden
//! otherwise.

use pliant_algebra::vec3::{Vec3, add, add_scaled, dot, normalized, scale, sub};
use pliant_draw::{Camera, Image, render};
use pliant_mesh::spatial::Aabb;

use super::album::{Album, Moment};
use super::pictures::{MARGIN, SIZE, places, skin, triangles};
use crate::build::simulation::Simulation;
use crate::spec::scene::Scene;

/// Bodies are moved away from the middle of all by this part of their distance from it.
const APART: f64 = 0.7;
/// Part of the vertices in contact that have a colour below the last one.
const BELOW: f64 = 0.95;

/// Two pictures of one moment, and what their colours mean.
pub(super) struct Pressed<'a> {
    pub(super) moment: &'a Moment,
    /// From above, and from below.
    pub(super) images: [Image; 2],
    /// Pressure of the last colour, Pa.
    pub(super) highest: f64,
}

/// Draws the moment of the greatest pressure; none where there was no contact, or the album is not of these bodies.
pub(super) fn draw<'a>(
    album: &'a Album,
    scene: &Scene,
    simulation: &Simulation,
) -> Option<Pressed<'a>> {
    let moment = album.pressed.as_ref()?;
    let counts = simulation.bodies.iter().map(|b| b.boundary().vertex_map.len());
    let counts: Vec<usize> = counts.collect();
    let count: usize = counts.iter().sum();
    let finite = moment.x.as_flattened().iter().all(|c| c.is_finite());
    if moment.x.len() != count || moment.pressure.len() != count || !finite {
        return None;
    }
    let mut list: Vec<f32> = moment.pressure.iter().copied().filter(|p| *p > 0.0).collect();
    list.sort_unstable_by(f32::total_cmp);
    let highest = f64::from(*list.get((list.len() as f64 * BELOW) as usize).or(list.last())?);
    let x = apart(&places(moment), &counts);
    let triangles = triangles(simulation);
    let up = normalized(scene.gravity.map(|g| -g)).unwrap_or([0.0, 1.0, 0.0]);
    let side = if up[1].abs() > 0.9 { [0.55, 0.0, 1.0] } else { [0.6, -1.0, 0.5] };
    let level = sub(side, scale(up, dot(side, up)));
    let images = [0.42, -0.42].map(|height| {
        let from = add_scaled(level, up, height);
        let [w, h] = SIZE;
        let camera = Camera::fit(x.iter().copied(), from, up, w as f64 / h as f64);
        let skin = skin(&x, &triangles, &moment.pressure, Some(highest));
        let image = render(&[skin.shape()], &camera, w, h);
        match image.covered() {
            Some([[left, right], [top, bottom]]) => {
                let room = |[low, high]: [usize; 2]| [low.saturating_sub(MARGIN), high + MARGIN];
                image.cropped([room([left, right]), room([top, bottom])])
            }
            None => image,
        }
    });
    Some(Pressed { moment, images, highest })
}

/// The bodies away from the middle of all.
fn apart(x: &[Vec3], counts: &[usize]) -> Vec<Vec3> {
    let middle = Aabb::of(x).centre();
    let (mut moved, mut first) = (Vec::with_capacity(x.len()), 0);
    for &count in counts {
        let own = &x[first..first + count];
        let way = scale(sub(Aabb::of(own).centre(), middle), APART);
        moved.extend(own.iter().map(|&p| add(p, way)));
        first += count;
    }
    moved
}
