//! Topology: edges, faces, boundary, neighbours, components.
