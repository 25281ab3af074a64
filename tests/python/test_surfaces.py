"""Surfaces: what pliant writes, meshio and VTK read, and the other way round."""

import numpy as np
import pytest

import exchange
from meshes import surface
from support import Cells, assert_equal, convert, info, pliant

SURFACE = surface((4, 3, 1))
ENCODINGS = [(".obj", None), (".stl", "--ascii"), (".stl", "--binary"), (".ply", "--ascii"), (".ply", "--binary")]


def corners(mesh):
    """The triangles as positions: what STL holds."""
    return mesh.points[mesh.cells]


def label(case):
    return " ".join(filter(None, case)) if isinstance(case, tuple) else None


@pytest.fixture
def original(tmp_path):
    """The surface in a file that keeps every digit, written without any of the programs under test."""
    path = tmp_path / "original.obj"
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in SURFACE.points.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in SURFACE.cells.tolist()]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("case", ENCODINGS, ids=label)
def test_meshio_reads_what_pliant_writes(case, original, tmp_path):
    suffix, flag = case
    path = tmp_path / f"written{suffix}"
    convert(original, path, *filter(None, [flag]))
    found = exchange.read_meshio(path, "tri3", suffix[1:])
    if suffix == ".stl":
        # Loose triangles; binary ones have 32-bit coordinates.
        np.testing.assert_array_equal(corners(found).astype(np.float32), corners(SURFACE).astype(np.float32))
    else:
        assert_equal(Cells("tri3", found.points.astype(np.float64), found.cells), SURFACE)


@pytest.mark.parametrize("case", ENCODINGS, ids=label)
def test_vtk_reads_what_pliant_writes(case, original, tmp_path):
    suffix, flag = case
    path = tmp_path / f"written{suffix}"
    convert(original, path, *filter(None, [flag]))
    found = exchange.from_polydata(exchange.updated(exchange.surface_reader(path), path))
    # VTK keeps surface coordinates in 32 bits.
    np.testing.assert_array_equal(corners(found).astype(np.float32), corners(SURFACE).astype(np.float32))


@pytest.mark.parametrize("case", ENCODINGS, ids=label)
def test_pliant_reads_what_meshio_writes(case, tmp_path):
    suffix, flag = case
    theirs, ours = tmp_path / f"theirs{suffix}", tmp_path / "ours.ply"
    options = {} if flag is None else {"binary": flag == "--binary"}
    exchange.write_meshio(theirs, SURFACE, suffix[1:], **options)
    expected = exchange.read_meshio(theirs, "tri3", suffix[1:])
    np.testing.assert_allclose(corners(expected), corners(SURFACE), rtol=1e-6, atol=1e-7)
    convert(theirs, ours, "--binary")
    found = exchange.read_meshio(ours, "tri3", "ply")
    np.testing.assert_array_equal(corners(found), corners(expected).astype(np.float64))
    # Equal corners of STL's loose triangles have become one vertex.
    assert info(theirs)["vertices"] == len(SURFACE.points)


@pytest.mark.parametrize("suffix", [".stl", ".ply"])
@pytest.mark.parametrize("binary", [False, True], ids=["ascii", "binary"])
def test_pliant_reads_what_vtk_writes(suffix, binary, tmp_path):
    theirs, ours = tmp_path / f"theirs{suffix}", tmp_path / "ours.ply"
    exchange.write_vtk(exchange.surface_writer(suffix, binary), theirs, exchange.to_polydata(SURFACE))
    convert(theirs, ours, "--binary")
    found = exchange.read_meshio(ours, "tri3", "ply")
    tolerance = {"rtol": 1e-5, "atol": 1e-6} if not binary else {"rtol": 0, "atol": 0}
    np.testing.assert_allclose(corners(found).astype(np.float32), corners(SURFACE).astype(np.float32), **tolerance)
    assert info(theirs)["vertices"] == len(SURFACE.points)


def test_the_boundary_of_a_box_is_closed(tmp_path):
    box, boundary = tmp_path / "box.veg", tmp_path / "boundary.stl"
    pliant("mesh", "make", "box", "--size", 1, 0.5, 0.25, "--cells", 4, 3, 2, "--cell", "tet6", box)
    pliant("mesh", "surface", box, boundary)
    found = exchange.read_meshio(boundary, "tri3", "stl")
    a, b, c = (corners(found)[:, i].astype(float) for i in range(3))
    assert len(found.cells) == 2 * 2 * (4 * 3 + 3 * 2 + 4 * 2)
    np.testing.assert_allclose(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6, 0.125, rtol=1e-6)
