//! Factorisations: Cholesky, LDLᵀ, LU.
