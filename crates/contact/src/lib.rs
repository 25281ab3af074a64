//! Contact between deformable bodies: its geometry, and the forces.
//!
//! - [`surface`]: the triangles, edges and vertices of all bodies that can touch, and the simulated vertices that they follow.
//! - [`broad`]: pairs of primitives whose boxes overlap, at rest or along a motion.
//! - [`distance`]: closest points of a pair, the distance with its gradient and Hessian, and the positive semi-definite part of a tangent.
//! - [`barrier`]: potentials of the gap, in metres.
//! - [`ccd`]: how far a pair may move without coming closer than a given separation.
//! - [`overlap`]: exact test whether surfaces intersect, and where.
//! - [`normal`]: the force model made of all these.
//! - [`friction`]: the force model of friction along the surfaces that touch.
//! - [`hulls`]: boxes around bodies on their way, which tell bodies that cannot have met.
//! - [`resultants`]: the forces between bodies as a whole.
//! - [`fields`]: pressure and gap at vertices, to look at.
//! - [`soft`]: a potential of the depth instead, for real time and for methods that no barrier serves.
//! - [`analytic`]: contact and friction with shapes that formulas describe.
//!
//! All of it is deterministic: the same bits at any number of threads, and whatever was computed before. Buffers are kept, so that
//! nothing is allocated once they have grown.

pub mod analytic;
pub mod barrier;
pub mod broad;
pub mod ccd;
pub mod distance;
pub mod fields;
pub mod friction;
pub mod hulls;
pub mod normal;
pub mod overlap;
pub mod resultants;
pub mod soft;
pub mod surface;
