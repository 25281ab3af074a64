//! Krylov methods, their preconditioners, and constraints inside them.
