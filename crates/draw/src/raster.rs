//! The rasteriser: triangles with a depth buffer, soft light, optional mesh lines, and
//! supersampling. Sequential, so that a picture has the same bits everywhere.

use pliant_algebra::vec3::{Vec3, add, cross, dot, normalized, scale, sub};

use crate::camera::Camera;
use crate::colour::{Colour, from_linear, to_linear};
use crate::image::Image;

/// How a shape is coloured.
#[derive(Debug, Clone, Copy)]
pub enum Paint<'a> {
    /// One colour.
    Uniform(Colour),
    /// A colour for each vertex, blended over triangles.
    Vertices(&'a [Colour]),
    /// A colour for each triangle.
    Triangles(&'a [Colour]),
}

/// Triangles to draw.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    /// Vertex positions.
    pub positions: &'a [Vec3],
    /// Vertex indices.
    pub triangles: &'a [[u32; 3]],
    /// Unit vertex normals for smooth shading; empty for flat shading.
    pub normals: &'a [Vec3],
    /// Its colours.
    pub paint: Paint<'a>,
    /// Mesh lines: colour, and width in pixels of the finished image.
    pub lines: Option<(Colour, f64)>,
    /// Which edges of each triangle carry a line (bit k: the edge opposite corner k);
    /// empty for all of them.
    pub line_mask: &'a [u8],
}

/// Subpixels along each side of a pixel.
const SUPERSAMPLE: usize = 3;

struct Corner {
    x: f64,
    y: f64,
    /// 1 / depth, which is linear on the page.
    w: f64,
}

/// Draws the shapes on a transparent ground.
pub fn render(shapes: &[Shape<'_>], camera: &Camera, width: usize, height: usize) -> Image {
    let (w, h) = (width * SUPERSAMPLE, height * SUPERSAMPLE);
    let mut depth = vec![0.0_f32; w * h];
    let mut light = vec![[0.0_f32; 3]; w * h];
    let lamps = Lamps::new(camera);
    for shape in shapes {
        let corners: Vec<Corner> = shape
            .positions
            .iter()
            .map(|&p| {
                let [x, y, z] = camera.project(p);
                Corner { x: (x + 1.0) * 0.5 * w as f64, y: (1.0 - y) * 0.5 * h as f64, w: 1.0 / z }
            })
            .collect();
        for (t, triangle) in shape.triangles.iter().enumerate() {
            draw_triangle(shape, t, *triangle, &corners, &lamps, (w, h), &mut depth, &mut light);
        }
    }
    occlude(&mut light, &depth, w, h);
    shrink(&light, &depth, width, height)
}

#[allow(clippy::too_many_arguments)]
fn draw_triangle(
    shape: &Shape<'_>,
    t: usize,
    triangle: [u32; 3],
    corners: &[Corner],
    lamps: &Lamps,
    (w, h): (usize, usize),
    depth: &mut [f32],
    light: &mut [[f32; 3]],
) {
    let [i, j, k] = triangle.map(|v| v as usize);
    let [a, b, c] = [i, j, k].map(|v| &corners[v]);
    let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if area == 0.0 || !area.is_finite() || [a, b, c].iter().any(|p| p.w <= 0.0) {
        return;
    }
    let [p, q, r] = [i, j, k].map(|v| shape.positions[v]);
    let Some(flat) = normalized(cross(sub(q, p), sub(r, p))) else { return };
    let colours = match shape.paint {
        Paint::Uniform(colour) => [colour; 3],
        Paint::Vertices(colours) => [colours[i], colours[j], colours[k]],
        Paint::Triangles(colours) => [colours[t]; 3],
    }
    .map(to_linear);
    let mask = shape.line_mask.get(t).copied().unwrap_or(7);
    // Height of the triangle over each edge, in subpixels: turns a weight into a distance.
    let lengths = [(b, c), (c, a), (a, b)].map(|(u, v)| (u.x - v.x).hypot(u.y - v.y));
    let heights = lengths.map(|l| area.abs() / l);

    let span = |values: [f64; 3], limit: usize| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min).floor().max(0.0);
        let high =
            values.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil().min(limit as f64);
        low as usize..high.max(0.0) as usize
    };
    let (inverse, columns) = (1.0 / area, span([a.x, b.x, c.x], w));
    let facing = lamps.reach(flat);
    for y in span([a.y, b.y, c.y], h) {
        let py = y as f64 + 0.5;
        for x in columns.clone() {
            let px = x as f64 + 0.5;
            let wa = ((b.x - px) * (c.y - py) - (b.y - py) * (c.x - px)) * inverse;
            let wb = ((c.x - px) * (a.y - py) - (c.y - py) * (a.x - px)) * inverse;
            let wc = 1.0 - wa - wb;
            if wa < 0.0 || wb < 0.0 || wc < 0.0 {
                continue;
            }
            let near = wa * a.w + wb * b.w + wc * c.w;
            let place = y * w + x;
            if near as f32 <= depth[place] {
                continue;
            }
            depth[place] = near as f32;
            // Perspective-correct weights.
            let weights = [wa * a.w / near, wb * b.w / near, wc * c.w / near];
            let mut albedo = [0.0_f32; 3];
            for (colour, weight) in colours.iter().zip(weights) {
                for (sum, channel) in albedo.iter_mut().zip(colour) {
                    *sum += weight as f32 * channel;
                }
            }
            if let Some((colour, width)) = shape.lines {
                let reach = 0.5 * width * SUPERSAMPLE as f64;
                let on_line = [wa, wb, wc]
                    .iter()
                    .zip(heights)
                    .enumerate()
                    .any(|(e, (weight, height))| mask >> e & 1 == 1 && weight * height < reach);
                if on_line {
                    let ink = to_linear(colour);
                    for (sum, channel) in albedo.iter_mut().zip(ink) {
                        *sum = 0.25 * *sum + 0.75 * channel;
                    }
                }
            }
            let reach = if shape.normals.is_empty() {
                facing
            } else {
                let blended = [i, j, k]
                    .iter()
                    .zip(weights)
                    .fold([0.0; 3], |n, (&v, weight)| add(n, scale(shape.normals[v], weight)));
                normalized(blended).map_or(facing, |normal| lamps.reach(normal))
            };
            light[place] = reach.on(albedo);
        }
    }
}

/// Key light from the upper left, a cool fill from the right, a sky, and a soft highlight: directions in space.
struct Lamps {
    up: Vec3,
    back: Vec3,
    key: Vec3,
    fill: Vec3,
    /// Halfway between the key light and the eye, where the highlight is.
    half: Vec3,
}

/// Light that reaches a surface: as much of each channel is thrown back as its colour has, and the highlight comes on top.
#[derive(Clone, Copy)]
struct Reach {
    channels: [f64; 3],
    gloss: f64,
}

impl Lamps {
    fn new(camera: &Camera) -> Self {
        let [right, up, back] = camera.axes;
        let along =
            |x: f64, y: f64, z: f64| add(add(scale(right, x), scale(up, y)), scale(back, z));
        let key = along(-0.48, 0.64, 0.60);
        let half = normalized(add(key, back)).unwrap_or(back);
        Self { up, back, key, fill: along(0.80, 0.10, 0.59), half }
    }

    fn reach(&self, normal: Vec3) -> Reach {
        // Both sides of a surface are lit: the one that is seen faces the camera.
        let normal = if dot(normal, self.back) < 0.0 { scale(normal, -1.0) } else { normal };
        let diffuse = 0.78 * dot(normal, self.key).max(0.0);
        let cool = 0.22 * dot(normal, self.fill).max(0.0);
        let sky = 0.20 + 0.10 * dot(normal, self.up);
        let (tint, warm) = ([0.92, 1.0, 1.12], [1.04, 1.0, 0.95]);
        Reach {
            channels: std::array::from_fn(|c| diffuse * warm[c] + (cool + sky) * tint[c]),
            gloss: 0.10 * dot(normal, self.half).max(0.0).powi(40),
        }
    }
}

impl Reach {
    fn on(&self, albedo: Colour) -> Colour {
        std::array::from_fn(|c| (f64::from(albedo[c]) * self.channels[c] + self.gloss) as f32)
    }
}

/// Points around a subpixel at which it looks for what is nearer.
const TAPS: usize = 16;

/// Darkens creases: a point much deeper than the mean of its surroundings gets less sky. Pixels whose subpixels lie on one
/// surface are asked once, at their middle; those at an edge for each subpixel.
fn occlude(light: &mut [[f32; 3]], depth: &[f32], w: usize, h: usize) {
    let distance: Vec<f32> = depth.iter().map(|&d| if d > 0.0 { 1.0 / d } else { 0.0 }).collect();
    let (mut low, mut high) = (f32::INFINITY, 0.0_f32);
    for &d in distance.iter().filter(|&&d| d > 0.0) {
        low = low.min(d);
        high = high.max(d);
    }
    let range = high - low;
    if range.is_nan() || range <= 0.0 {
        return;
    }
    let radius = (w.max(h) / 60).max(2) as isize;
    let taps: [(isize, isize); TAPS] = std::array::from_fn(|i| {
        let angle = i as f64 * 2.399963;
        let r = radius as f64 * ((i as f64 + 0.5) / TAPS as f64).sqrt();
        ((r * angle.cos()) as isize, (r * angle.sin()) as isize)
    });
    let scale = 1.0 / range;
    let factor = |x: usize, y: usize| {
        let here = distance[y * w + x];
        let mut blocked = 0.0_f32;
        for &(dx, dy) in &taps {
            let (u, v) = (x as isize + dx, y as isize + dy);
            if u < 0 || v < 0 || u >= w as isize || v >= h as isize {
                continue;
            }
            let there = distance[v as usize * w + u as usize];
            if there > 0.0 {
                let nearer = (here - there) * scale;
                if nearer > 0.004 && nearer < 0.12 {
                    blocked += (nearer * 40.0).min(1.0);
                }
            }
        }
        1.0 - 0.42 * blocked / TAPS as f32
    };
    const N: usize = SUPERSAMPLE;
    for top in (0..h).step_by(N) {
        for left in (0..w).step_by(N) {
            let subpixels = (0..N * N).map(|k| (left + k % N, top + k / N));
            let (mut least, mut most) = (f32::INFINITY, 0.0_f32);
            for (x, y) in subpixels.clone() {
                let d = distance[y * w + x];
                (least, most) = (least.min(d), most.max(d));
            }
            if most <= 0.0 {
                continue;
            }
            let one_surface = least > 0.0 && (most - least) * scale < 0.004;
            let common = one_surface.then(|| factor(left + N / 2, top + N / 2));
            for (x, y) in subpixels.filter(|(x, y)| distance[y * w + x] > 0.0) {
                let factor = common.unwrap_or_else(|| factor(x, y));
                for channel in &mut light[y * w + x] {
                    *channel *= factor;
                }
            }
        }
    }
}

/// Averages subpixels in linear light; uncovered ones make a pixel transparent.
fn shrink(light: &[[f32; 3]], depth: &[f32], width: usize, height: usize) -> Image {
    let w = width * SUPERSAMPLE;
    let mut pixels = Vec::with_capacity(width * height);
    for y in 0..height {
        for x in 0..width {
            let (mut sum, mut covered) = ([0.0_f32; 3], 0_u32);
            for dy in 0..SUPERSAMPLE {
                for dx in 0..SUPERSAMPLE {
                    let place = (y * SUPERSAMPLE + dy) * w + x * SUPERSAMPLE + dx;
                    if depth[place] > 0.0 {
                        covered += 1;
                        for (s, l) in sum.iter_mut().zip(light[place]) {
                            *s += l;
                        }
                    }
                }
            }
            if covered == 0 {
                pixels.push([0; 4]);
                continue;
            }
            let colour = from_linear(sum.map(|s| (s / covered as f32).clamp(0.0, 1.0)));
            let [r, g, b] = colour.map(|c| (c * 255.0).round() as u8);
            let opacity = covered as f32 / (SUPERSAMPLE * SUPERSAMPLE) as f32;
            pixels.push([r, g, b, (opacity * 255.0).round() as u8]);
        }
    }
    Image { width, height, pixels }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_triangle_hides_the_farther_one_in_either_order() {
        let square = |z: f64| vec![[-1.0, -1.0, z], [1.0, -1.0, z], [1.0, 1.0, z], [-1.0, 1.0, z]];
        let (near, far) = (square(0.5), square(-0.5));
        let triangles = [[0, 1, 2], [0, 2, 3]];
        let shape = |positions, colour| Shape {
            positions,
            triangles: &triangles,
            normals: &[],
            paint: Paint::Uniform(colour),
            lines: None,
            line_mask: &[],
        };
        let (red, blue) = (shape(&near, [1.0, 0.0, 0.0]), shape(&far, [0.0, 0.0, 1.0]));
        let all = near.iter().chain(&far).copied();
        let camera = Camera::fit(all, [0.0, 0.0, 1.0], [0.0, 1.0, 0.0], 1.0);
        for shapes in [[red, blue], [blue, red]] {
            let image = render(&shapes, &camera, 40, 40);
            let [r, _, b, a] = image.pixels[20 * 40 + 20];
            assert!(r > 150 && b < 60 && a == 255, "{r} {b} {a}");
            assert_eq!(image.pixels[0][3], 0, "the corner is empty");
        }
    }
}
