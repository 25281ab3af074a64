//! Quality of cells: dihedral angles, radius ratio, scaled Jacobian.
