//! The viewer: what it decodes, what hands do to bodies, and whom it serves.

mod decoder;
mod server;
mod session;
mod skin;
