//! Embedding: points and surfaces bound to a volume mesh and carried along with it.
