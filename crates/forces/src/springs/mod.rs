//! springs
