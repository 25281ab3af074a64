//! [`LoadField`]: the amount of a load where that depends on the position at rest and on time.

use std::fmt;
use std::sync::Arc;

use pliant_algebra::vec3::{Vec3, add, add_scaled, scale};

use super::curve::{TimeCurve, curve_factor};
use crate::error::ForceError;

/// What a load is given by: a vector (force, traction, force density), or a number along a direction that the surface
/// has (pressure, shear).
pub trait Amount: Copy + Send + Sync + fmt::Debug + 'static {
    /// What turns an amount at a point into a force, N: a measure of the point (m², m³ or 1) for vectors, a measure
    /// times a direction for numbers.
    type Share: Copy + Default + Send + Sync + fmt::Debug;

    /// The force of an amount, N.
    fn force(self, share: Self::Share) -> Vec3;
    /// `sum` + `factor` · `share`.
    fn add_share(sum: Self::Share, share: Self::Share, factor: f64) -> Self::Share;
    /// `a` · `self` + `b` · `other`.
    #[must_use]
    fn combined(self, a: f64, other: Self, b: f64) -> Self;
    /// A component that is not finite, if there is one.
    fn not_finite(self) -> Option<f64>;
}

impl Amount for Vec3 {
    type Share = f64;

    fn force(self, share: f64) -> Vec3 {
        scale(self, share)
    }
    fn add_share(sum: f64, share: f64, factor: f64) -> f64 {
        sum + factor * share
    }
    fn combined(self, a: f64, other: Self, b: f64) -> Self {
        add(scale(self, a), scale(other, b))
    }
    fn not_finite(self) -> Option<f64> {
        self.into_iter().find(|c| !c.is_finite())
    }
}

impl Amount for f64 {
    type Share = Vec3;

    fn force(self, share: Vec3) -> Vec3 {
        scale(share, self)
    }
    fn add_share(sum: Vec3, share: Vec3, factor: f64) -> Vec3 {
        add_scaled(sum, share, factor)
    }
    fn combined(self, a: f64, other: Self, b: f64) -> Self {
        a * self + b * other
    }
    fn not_finite(self) -> Option<f64> {
        Some(self).filter(|c| !c.is_finite())
    }
}

type Function<T> = Arc<dyn Fn(Vec3, f64) -> T + Send + Sync>;

/// The amount of a load as a function of the position at rest, m, and of time, s. The functions must not allocate: they
/// are called for every quadrature point whenever forces are evaluated. Clones share them, and only clones are equal.
#[derive(Clone)]
pub struct LoadField<T> {
    value: Function<T>,
    /// Derivative by time; none where it does not change.
    rate: Option<Function<T>>,
    /// Whether it depends on the position.
    varies: bool,
}

impl<T: Amount> LoadField<T> {
    /// An amount that depends on position and time, with its derivative by time.
    pub fn new(
        value: impl Fn(Vec3, f64) -> T + Send + Sync + 'static,
        rate: impl Fn(Vec3, f64) -> T + Send + Sync + 'static,
    ) -> Self {
        Self { value: Arc::new(value), rate: Some(Arc::new(rate)), varies: true }
    }

    /// An amount that depends on the position alone. It is integrated once, and costs nothing later.
    pub fn of_position(value: impl Fn(Vec3) -> T + Send + Sync + 'static) -> Self {
        Self { value: Arc::new(move |at, _| value(at)), rate: None, varies: true }
    }

    /// An amount that depends on time alone, with its derivative.
    pub fn of_time(
        value: impl Fn(f64) -> T + Send + Sync + 'static,
        rate: impl Fn(f64) -> T + Send + Sync + 'static,
    ) -> Self {
        let value = Arc::new(move |_, t| value(t));
        Self { value, rate: Some(Arc::new(move |_, t| rate(t))), varies: false }
    }

    /// Its value.
    pub fn value(&self, at: Vec3, t: f64) -> T {
        (self.value)(at, t)
    }

    /// Whether it depends on the position.
    pub fn varies(&self) -> bool {
        self.varies
    }

    /// Whether it depends on time.
    pub fn changes(&self) -> bool {
        self.rate.is_some()
    }
}

impl<T> fmt::Debug for LoadField<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rate, varies, .. } = self;
        write!(f, "LoadField {{ varies: {varies}, changes: {} }}", rate.is_some())
    }
}

impl<T> PartialEq for LoadField<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.value, &other.value)
    }
}

/// When a load is evaluated: c(t) of its curve and c'(t), and whether the load or its derivative by time is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Phase {
    time: f64,
    factor: f64,
    rate: f64,
    derivative: bool,
}

impl Phase {
    /// The load at a time. `load` is named in errors.
    pub(super) fn of(load: &str, curve: &TimeCurve, time: f64) -> Result<Self, ForceError> {
        let factor = curve_factor(load, curve, time)?;
        Ok(Self { time, factor, rate: 0.0, derivative: false })
    }

    /// Its derivative by time.
    pub(super) fn derivative(curve: &TimeCurve, time: f64) -> Self {
        Self { time, factor: curve.value(time), rate: curve.rate(time), derivative: true }
    }

    /// The time, s.
    pub fn time(self) -> f64 {
        self.time
    }

    /// Factor of an amount that is the same everywhere and always: c or c'.
    pub fn factor(self) -> f64 {
        if self.derivative { self.rate } else { self.factor }
    }

    /// c b, or its derivative c' b + c ∂b/∂t, with b of the field at a position at rest.
    pub fn amount<T: Amount>(self, field: &LoadField<T>, at: Vec3) -> T {
        let [value, rate] = self.both(field, at);
        if self.derivative { rate } else { value }
    }

    /// c b, and its derivative if that is wanted; else c b again.
    pub(super) fn both<T: Amount>(self, field: &LoadField<T>, at: Vec3) -> [T; 2] {
        let b = field.value(at, self.time);
        let value = b.combined(self.factor, b, 0.0);
        match &field.rate {
            _ if !self.derivative => [value; 2],
            None => [value, b.combined(self.rate, b, 0.0)],
            Some(rate) => [value, b.combined(self.rate, rate(at, self.time), self.factor)],
        }
    }

    /// Whether the derivative is wanted.
    pub(super) fn is_derivative(self) -> bool {
        self.derivative
    }
}

/// The amount of a load at the points of one face.
#[derive(Debug, Clone)]
pub(super) enum FaceAmount {
    /// The same at all of them and always.
    Uniform(f64),
    /// That of a field at the points' positions at rest; at none where it does not vary.
    Field { field: LoadField<f64>, at: Vec<Vec3> },
}

impl FaceAmount {
    /// At a point of the face.
    pub(super) fn at(&self, point: usize, phase: Phase) -> f64 {
        match self {
            Self::Uniform(amount) => phase.factor() * amount,
            Self::Field { field, at } => {
                phase.amount(field, at.get(point).copied().unwrap_or_default())
            }
        }
    }

    /// A point at rest where it is not finite, and its value there.
    pub(super) fn not_finite(&self, time: f64) -> Option<(Vec3, f64)> {
        match self {
            Self::Uniform(_) => None,
            Self::Field { field, at } => first_not_finite(field, at.iter().copied(), time),
        }
    }
}

/// The first of some positions at rest where a field is not finite, and its value there.
pub(super) fn first_not_finite<T: Amount>(
    field: &LoadField<T>,
    at: impl Iterator<Item = Vec3>,
    time: f64,
) -> Option<(Vec3, f64)> {
    // A field that does not vary has no positions.
    let one = (!field.varies()).then_some([0.0; 3]);
    at.chain(one).find_map(|at| field.value(at, time).not_finite().map(|found| (at, found)))
}

/// The error of an amount that is not finite.
pub(super) fn undefined(load: &str, [x, y, z]: Vec3, time: f64, found: f64) -> ForceError {
    ForceError::Parameter {
        what: format!("{load} at rest position ({x:.4}, {y:.4}, {z:.4}) m, t = {time:.4} s"),
        found,
        accepted: "an expression must be finite wherever and whenever its load acts".into(),
    }
}
