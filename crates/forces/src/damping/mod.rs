//! damping
