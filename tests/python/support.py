"""Running `pliant`, and meshes as plain arrays to compare."""

import json
import os
import subprocess
from dataclasses import dataclass

import numpy as np


@dataclass
class Cells:
    """A mesh of one kind of cell: tet4, tet10, hex8 or tri3, nodes in VTK's order."""

    kind: str
    points: np.ndarray
    cells: np.ndarray


def pliant(*arguments):
    """Runs pliant; its standard output. Anything but success fails the test, with what it said."""
    command = [os.environ["PLIANT_BIN"], *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, f"{' '.join(command)}\n{result.stdout}{result.stderr}"
    return result.stdout


def convert(source, target, *flags):
    pliant("mesh", "convert", source, target, *flags)


def info(path):
    """The document of `pliant mesh info`."""
    return json.loads(pliant("mesh", "info", path, "--json"))


def assert_equal(a, b):
    """The same kind, the same cells, and positions equal to the last bit."""
    assert a.kind == b.kind
    np.testing.assert_array_equal(a.cells, b.cells)
    assert a.points.shape == b.points.shape
    assert a.points.dtype == b.points.dtype == np.float64
    different = a.points.view(np.uint64) != b.points.view(np.uint64)
    assert not different.any(), f"{a.points[different]} is not {b.points[different]}"


def assert_info(path, mesh):
    """What pliant says about a volume mesh agrees with its arrays."""
    document = info(path)
    assert document["vertices"] == len(mesh.points)
    assert document["cells"] == len(mesh.cells)
    assert document["cell_type"] == mesh.kind
    np.testing.assert_allclose(document["volume"], volume(mesh), rtol=1e-12)


def volume(mesh):
    """The volume: of tetrahedra by determinants, of hexahedra by 2x2x2 Gauss points."""
    corners = mesh.points[mesh.cells]
    if mesh.kind in ("tet4", "tet10"):
        a, b, c, d = (corners[:, i] for i in range(4))
        return np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)).sum() / 6
    signs = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1],
                      [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]])
    total = 0.0
    for point in signs / np.sqrt(3):
        x, y, z = (1 + signs * point).T
        gradient = signs / 8 * np.stack([y * z, x * z, x * y], axis=1)
        total += np.linalg.det(np.einsum("na,cni->cai", gradient, corners)).sum()
    return total
