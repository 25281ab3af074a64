"""Meshes made here, with no help from pliant."""

import numpy as np

from support import HEX_EDGES, TET_EDGES, Cells

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
# Six tetrahedra around the diagonal 0-6, all positive.
SIX = np.array([[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]])


def hexahedra(counts, jitter=0.05):
    """A grid of hexahedra of irregular shape."""
    nx, ny, nz = counts
    index = np.arange((nx + 1) * (ny + 1) * (nz + 1)).reshape(nz + 1, ny + 1, nx + 1)
    z, y, x = np.meshgrid(np.arange(nz + 1), np.arange(ny + 1), np.arange(nx + 1), indexing="ij")
    points = np.stack([x, y, z], axis=-1).reshape(-1, 3).astype(float)
    points += jitter * np.random.default_rng(3).standard_normal(points.shape)
    cells = [
        [index[k + c[2], j + c[1], i + c[0]] for c in CORNERS]
        for k in range(nz) for j in range(ny) for i in range(nx)
    ]
    return Cells("hex8", points / 3, np.array(cells))


def tetrahedra(counts):
    """The same grid with six tetrahedra in each cell."""
    grid = hexahedra(counts)
    return Cells("tet4", grid.points, grid.cells[:, SIX].reshape(-1, 4))


def quadratic(linear, kind, edges, bend=0.0):
    """Those cells with nodes near the middle of their edges, which are curved with `bend`."""
    points, middles, cells = list(linear.points), {}, []
    for cell in linear.cells:
        nodes = list(cell)
        for a, b in edges:
            key = tuple(sorted((cell[a], cell[b])))
            if key not in middles:
                middles[key] = len(points)
                middle = (linear.points[key[0]] + linear.points[key[1]]) / 2
                points.append(middle + bend * np.sin(7 * middle))
            nodes.append(middles[key])
        cells.append(nodes)
    return Cells(kind, np.array(points), np.array(cells))


def surface(counts):
    """The top of the grid as triangles."""
    nx, ny, _ = counts
    index = np.arange((nx + 1) * (ny + 1)).reshape(ny + 1, nx + 1)
    y, x = np.meshgrid(np.arange(ny + 1), np.arange(nx + 1), indexing="ij")
    points = np.stack([x, y, np.sin(x + y)], axis=-1).reshape(-1, 3) / 7
    triangles = []
    for j in range(ny):
        for i in range(nx):
            a, b, c, d = index[j, i], index[j, i + 1], index[j + 1, i + 1], index[j + 1, i]
            triangles += [[a, b, c], [a, c, d]]
    return Cells("tri3", points, np.array(triangles))


VOLUMES = {
    "tet4": tetrahedra((3, 2, 2)),
    "hex8": hexahedra((3, 2, 2)),
    "tet10": quadratic(tetrahedra((2, 1, 1)), "tet10", TET_EDGES, 0.02),
    "hex20": quadratic(hexahedra((2, 1, 1)), "hex20", HEX_EDGES, 0.02),
}
