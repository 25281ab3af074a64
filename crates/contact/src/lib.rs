//! Geometry of contact between deformable bodies.
//!
//! - [`barrier`]: potentials of the gap, in metres.
//!
//! All of it is deterministic: the same bits at any number of threads, and whatever was computed before. Buffers are kept, so that
//! nothing is allocated once they have grown.

pub mod barrier;
