//! Tests of the parts that laws are made of. They are here and not beside the code, as a crate that is compiled with its unit
//! tests is compiled twice, and this one takes minutes.

mod compression_resistance;
mod continued_volume;
mod experiments;
mod jet;
mod measures;
mod series;
mod stiffness;
mod tissue;
