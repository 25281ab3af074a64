//! Orderings of the unknowns.
