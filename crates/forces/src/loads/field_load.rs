//! [`FieldLoad`]: a dead load whose amount depends on the position at rest and on time.

use pliant_algebra::vec3::{Vec3, add_scaled, dot, is_finite, norm, sub};
use pliant_elements::{Element, measure, points};
use pliant_mesh::VolumeMesh;

use super::curve::TimeCurve;
use super::dead::{DeadLoad, check_cells};
use super::faces::Faces;
use super::field::{Amount, LoadField, Phase, first_not_finite, undefined};
use crate::character::Character;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{state_length, vertices};
use crate::slots::Slots;
use crate::solid::{ElementName, ElementVisitor};
use crate::workspace::Workspace;

/// Forces b(X, t) per area, volume or vertex, in a direction that does not follow the body, times a curve c(t). The
/// integrals ∫ N b are taken at quadrature points q with shares s of area or volume: Π = −c Σ b(X_q, t) s·(x_q − X_q), with
/// x_q = Σ N x. It has no tangent.
///
/// Each evaluation calls the field once for every point. A field that does not change is better made into a [`DeadLoad`]
/// ([`FieldLoad::still`]), and one that does not vary is called for every vertex only.
#[derive(Debug, Clone)]
pub struct FieldLoad<T: Amount> {
    name: &'static str,
    field: LoadField<T>,
    /// Position at rest and share of each point.
    points: Vec<(Vec3, T::Share)>,
    /// How many vertices a point has.
    width: usize,
    /// Vertices of all points with their shape functions.
    nodes: Vec<(u32, f64)>,
    /// Vertices a state must have.
    needed: usize,
    curve: TimeCurve,
}

impl<T: Amount> FieldLoad<T> {
    fn empty(name: &'static str, width: usize, field: LoadField<T>, curve: TimeCurve) -> Self {
        Self { name, field, points: vec![], width, nodes: vec![], needed: 0, curve }
    }

    /// A force on each of some vertices.
    pub fn on_vertices(
        rest: &[Vec3],
        list: &[u32],
        share: T::Share,
        field: LoadField<T>,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        let mut load = Self::empty("point load", 1, field, curve);
        vertices(load.name, list, rest.len())?;
        load.points = list.iter().map(|&v| (rest[v as usize], share)).collect();
        load.nodes = list.iter().map(|&v| (v, 1.0)).collect();
        load.finished(rest)
    }

    /// A force on faces, integrated over their shape at rest: ∫ N b s. `share` makes s of an area vector, m², outward.
    pub fn on_faces(
        rest: &[Vec3],
        faces: Faces<'_>,
        share: impl Fn(Vec3) -> T::Share,
        field: LoadField<T>,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        let mut load = Self::empty("traction", 1, field, curve);
        faces.check(load.name, rest.len())?;
        faces.each_field_point(rest, &mut |point| {
            load.width = point.nodes.len();
            load.points.push((point.x, share(point.area)));
            load.nodes.extend(point.nodes.iter().copied().zip(point.values.iter().copied()));
        })?;
        load.finished(rest)
    }

    /// Checks it, and gathers what does not vary at the vertices.
    fn finished(mut self, rest: &[Vec3]) -> Result<Self, ForceError> {
        self.curve.check()?;
        let at = self.points.iter().map(|p| p.0);
        if let Some((at, found)) = first_not_finite(&self.field, at, 0.0) {
            return Err(undefined(self.name, at, 0.0, found));
        }
        if !self.field.varies() && self.width > 1 {
            let mut shares = vec![None; rest.len()];
            for (&(_, share), nodes) in self.points.iter().zip(self.nodes.chunks(self.width)) {
                for &(v, n) in nodes {
                    let sum = shares[v as usize].unwrap_or_default();
                    shares[v as usize] = Some(T::add_share(sum, share, n));
                }
            }
            let gathered = shares.iter().zip(rest).zip(0..);
            let gathered = gathered.filter_map(|((share, &x), v)| share.map(|s| (v, (x, s))));
            let (nodes, points): (Vec<u32>, Vec<_>) = gathered.unzip();
            (self.width, self.points) = (1, points);
            self.nodes = nodes.into_iter().map(|v| (v, 1.0)).collect();
        }
        self.needed = self.nodes.iter().map(|n| n.0 as usize + 1).max().unwrap_or(0);
        Ok(self)
    }

    /// Whether its field changes with time.
    pub fn changes(&self) -> bool {
        self.field.changes()
    }

    /// The same load with its forces integrated once, of a field that does not change.
    pub fn still(&self, rest: &[Vec3]) -> Result<DeadLoad, ForceError> {
        let mut forces = vec![[0.0; 3]; rest.len()];
        let constant = TimeCurve::default();
        self.add(Phase::of(self.name, &constant, 0.0)?, &mut forces, 1.0)?;
        DeadLoad::nodal(self.name, rest, &forces, self.curve.clone())
    }

    /// Adds the forces times a factor.
    fn add(&self, phase: Phase, to: &mut [Vec3], factor: f64) -> Result<(), ForceError> {
        for (&(at, share), nodes) in self.points.iter().zip(self.nodes.chunks(self.width)) {
            let force = self.force(phase, at, share)?;
            for &(v, n) in nodes {
                to[v as usize] = add_scaled(to[v as usize], force, factor * n);
            }
        }
        Ok(())
    }

    fn force(&self, phase: Phase, at: Vec3, share: T::Share) -> Result<Vec3, ForceError> {
        let force = phase.amount(&self.field, at).force(share);
        match force.into_iter().find(|c| !c.is_finite()) {
            None => Ok(force),
            Some(found) => Err(undefined(self.name, at, phase.time(), found)),
        }
    }
}

impl FieldLoad<Vec3> {
    /// A force per rest area, N/m², times `factor`.
    pub fn traction(
        rest: &[Vec3],
        faces: Faces<'_>,
        factor: f64,
        field: LoadField<Vec3>,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        Self::on_faces(rest, faces, |area| factor * norm(area), field, curve)
    }

    /// A force per rest volume, N/m³, on the cells of a mesh (all, or those listed).
    pub fn body(
        mesh: &VolumeMesh,
        cells: Option<&[u32]>,
        field: LoadField<Vec3>,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        check_cells(mesh, cells)?;
        let mut load = Self::empty("body force", 1, field, curve);
        ElementName::of(mesh.cell_type).visit(OnCells { mesh, cells, load: &mut load });
        load.finished(&mesh.vertices)
    }
}

impl<T: Amount> ForceModel for FieldLoad<T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn character(&self) -> Character {
        Character::DEAD_LOAD
    }

    fn couplings(&self, _couple: &mut dyn FnMut(u32, u32)) {}

    fn bind(&mut self, _: &Slots<'_>) -> Result<(), ForceError> {
        Ok(())
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        state_length(self.name, at, self.needed)?;
        let phase = Phase::of(self.name, &self.curve, at.time)?;
        let Some(energy) = ask.energy.as_deref_mut() else {
            return match ask.gradient.as_deref_mut() {
                Some(gradient) => self.add(phase, gradient, -1.0),
                None => Ok(()),
            };
        };
        let mut gradient = ask.gradient.as_deref_mut();
        for (&(rest, share), nodes) in self.points.iter().zip(self.nodes.chunks(self.width)) {
            let force = self.force(phase, rest, share)?;
            let mut x = [0.0; 3];
            for &(v, n) in nodes {
                let v = v as usize;
                if !is_finite(at.x[v]) {
                    return Err(ForceError::NotFinite { vertex: v, position: at.x[v] });
                }
                x = add_scaled(x, at.x[v], n);
                if let Some(g) = &mut gradient {
                    g[v] = add_scaled(g[v], force, -n);
                }
            }
            *energy -= dot(force, sub(x, rest));
        }
        Ok(())
    }

    fn add_time_derivative(
        &self,
        at: &Configuration<'_>,
        rates: &mut [Vec3],
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        self.add(Phase::derivative(&self.curve, at.time), rates, -1.0)
    }

    fn stable_step(&self, _: &Configuration<'_>, _mass: &[f64]) -> f64 {
        f64::INFINITY
    }
}

/// Takes the points of cells by a rule that is exact for densities which the shape functions hold, such as linear ones.
struct OnCells<'a> {
    mesh: &'a VolumeMesh,
    cells: Option<&'a [u32]>,
    load: &'a mut FieldLoad<Vec3>,
}

impl ElementVisitor for OnCells<'_> {
    type Output = ();

    fn visit<E: Element<3, N>, const N: usize>(self, _: E) {
        let Self { mesh, cells, load } = self;
        load.width = N;
        let rule = points::<E, 3, N>(&E::mass_rule());
        let mut on_cell = |index: usize| {
            let nodes: [u32; N] = std::array::from_fn(|a| mesh.cell(index)[a]);
            let x = nodes.map(|v| mesh.vertices[v as usize]);
            for point in &rule {
                let volume = point.weight * measure(&E::jacobian(point, &x)).abs();
                let mut at = [0.0; 3];
                for (&n, &x) in point.values.iter().zip(&x) {
                    at = add_scaled(at, x, n);
                }
                load.points.push((at, volume));
                load.nodes.extend(nodes.into_iter().zip(point.values));
            }
        };
        match cells {
            None => (0..mesh.cell_count()).for_each(&mut on_cell),
            Some(list) => list.iter().for_each(|&cell| on_cell(cell as usize)),
        }
    }
}
