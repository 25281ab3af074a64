//! The integration tests of this crate in one binary.

mod bad_data;
mod constant_q;
mod measured;
