"""Running `pliant`, and meshes as plain arrays to compare."""

import itertools
import json
import os
import subprocess
from dataclasses import dataclass

import numpy as np

# In the order of the middle nodes of a tet10 and of a hex20.
TET_EDGES = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]
HEX_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]


@dataclass
class Cells:
    """A mesh of one kind of cell: tet4, tet10, hex8, hex20 or tri3, nodes in VTK's order."""

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
    """The volume, of curved cells too: the determinant of each cell's map, integrated exactly."""
    corners = mesh.points[mesh.cells]
    if mesh.kind.startswith("hex"):
        rule = hexahedron_rule() if mesh.kind == "hex8" else quadratic_hexahedron_rule()
    else:
        rule = tetrahedron_rule(mesh.kind == "tet10")
    return sum(w * np.linalg.det(np.einsum("na,cni->cai", g, corners)).sum() for w, g in rule)


def hexahedron_rule():
    """Weights, and gradients of the eight shape functions, at 2x2x2 Gauss points."""
    signs = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1],
                      [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]])
    for point in signs / np.sqrt(3):
        x, y, z = (1 + signs * point).T
        yield 1, signs / 8 * np.stack([y * z, x * z, x * y], axis=1)


def quadratic_hexahedron_rule():
    """The same for twenty shape functions, at 3x3x3 points."""
    corners = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1],
                        [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]])
    nodes = np.concatenate([corners, [(corners[a] + corners[b]) / 2 for a, b in HEX_EDGES]])
    points, weights = np.polynomial.legendre.leggauss(3)
    gauss = list(zip(points, weights))
    for (x, wx), (y, wy), (z, wz) in itertools.product(gauss, repeat=3):
        at = np.array([x, y, z])
        factor = np.where(nodes == 0, 1 - at**2, 1 + nodes * at)
        slope = np.where(nodes == 0, -2 * at, nodes)
        others = np.stack([factor[:, (k + 1) % 3] * factor[:, (k + 2) % 3] for k in range(3)], axis=1)
        total = (nodes * at).sum(axis=1, keepdims=True) - 2
        product = factor.prod(axis=1, keepdims=True)
        corner = (slope * others * total + product * nodes) / 8
        yield wx * wy * wz, np.where(np.arange(20)[:, None] < 8, corner, slope * others / 4)


def tetrahedron_rule(quadratic):
    """The same for four or ten nodes, at 3x3x3 points of a cube collapsed to the tetrahedron."""
    slopes = np.array([[-1, -1, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    points, weights = np.polynomial.legendre.leggauss(3)
    gauss = list(zip((points + 1) / 2, weights / 2))
    for (a, wa), (b, wb), (c, wc) in itertools.product(gauss, repeat=3):
        u, v, w = a, b * (1 - a), c * (1 - a) * (1 - b)
        weight = wa * wb * wc * (1 - a) ** 2 * (1 - b)
        shape = np.array([1 - u - v - w, u, v, w])
        if quadratic:
            middles = [4 * (shape[i] * slopes[j] + shape[j] * slopes[i]) for i, j in TET_EDGES]
            yield weight, np.concatenate([(4 * shape - 1)[:, None] * slopes, middles])
        else:
            yield weight, slopes
