"""Volume meshes: what pliant writes, meshio and VTK read, and the other way round."""

import itertools

import numpy as np
import pytest

import exchange
from meshes import VOLUMES
from support import assert_equal, assert_info, convert, pliant

# How pliant is told to write, and what meshio calls the format.
WRITTEN = [
    (".vtu", ["--ascii"], "vtu"),
    (".vtu", ["--binary", "--no-compress"], "vtu"),
    (".vtu", ["--binary"], "vtu"),
    (".vtk", ["--ascii"], "vtk"),
    (".vtk", ["--binary"], "vtk"),
    (".msh", ["--ascii", "--format-version", "2.2"], "gmsh"),
    (".msh", ["--binary", "--format-version", "2.2"], "gmsh"),
    (".msh", ["--ascii", "--format-version", "4.1"], "gmsh"),
    (".msh", ["--binary", "--format-version", "4.1"], "gmsh"),
    (".mesh", [], "medit"),
    (".ele", [], "tetgen"),
]

# How meshio is told to write.
MESHIO = [
    (".vtu", "vtu", {"binary": False}),
    (".vtu", "vtu", {"binary": True, "compression": None}),
    (".vtu", "vtu", {"binary": True, "compression": "zlib"}),
    (".vtk", "vtk42", {"binary": False}),
    (".vtk", "vtk42", {"binary": True}),
    (".vtk", "vtk51", {"binary": False}),
    (".vtk", "vtk51", {"binary": True}),
    (".msh", "gmsh22", {"binary": False}),
    (".msh", "gmsh22", {"binary": True}),
    (".msh", "gmsh", {"binary": False}),
    (".msh", "gmsh", {"binary": True}),
    (".mesh", "medit", {}),
    (".ele", "tetgen", {}),
]

# meshio's TetGen module knows four-node tetrahedra only, its MEDIT module no quadratic cells.
UNKNOWN_TO_MESHIO = {("tetgen", "hex8"), ("tetgen", "tet10"), ("medit", "tet10"), ("tetgen", "hex20"), ("medit", "hex20")}


def label(value):
    return " ".join(map(str, value)) if isinstance(value, tuple) else None


def known_to_meshio(cases, file_format):
    """Every case with every kind of cell that meshio's format has."""
    pairs = itertools.product(cases, sorted(VOLUMES))
    known = [(case, kind) for case, kind in pairs if (file_format(case), kind) not in UNKNOWN_TO_MESHIO]
    return pytest.mark.parametrize("case, mesh", known, ids=label, indirect=["mesh"])


@pytest.fixture(params=sorted(VOLUMES))
def mesh(request):
    return VOLUMES[request.param]


@pytest.fixture
def original(mesh, tmp_path):
    """That mesh in a file that pliant wrote; VTK made the file it was converted from."""
    exchange.write_vtk(exchange.vtu_writer("base64"), tmp_path / "vtk.vtu", exchange.to_grid(mesh))
    path = tmp_path / "original.vtu"
    convert(tmp_path / "vtk.vtu", path)
    return path


@known_to_meshio(WRITTEN, lambda case: case[2])
def test_meshio_reads_what_pliant_writes(case, mesh, original, tmp_path):
    suffix, flags, file_format = case
    path = tmp_path / f"written{suffix}"
    convert(original, path, *flags)
    assert_equal(exchange.read_meshio(path, mesh.kind, file_format), mesh)


@pytest.mark.parametrize("case", [c for c in WRITTEN if c[0] in (".vtu", ".vtk")], ids=label)
def test_vtk_reads_what_pliant_writes(case, mesh, original, tmp_path):
    suffix, flags, _ = case
    path = tmp_path / f"written{suffix}"
    convert(original, path, *flags)
    assert_equal(exchange.from_grid(exchange.read_grid(path), mesh.kind), mesh)


@known_to_meshio(MESHIO, lambda case: case[1])
def test_pliant_reads_what_meshio_writes(case, mesh, tmp_path):
    suffix, file_format, options = case
    theirs, ours = tmp_path / f"theirs{suffix}", tmp_path / "ours.vtu"
    exchange.write_meshio(theirs, mesh, file_format, **options)
    # What meshio itself reads is the measure: not all its text formats keep every digit.
    expected = exchange.read_meshio(theirs, mesh.kind, file_format.rstrip("0123456789"))
    np.testing.assert_allclose(expected.points, mesh.points, rtol=1e-10, atol=1e-12)
    assert_info(theirs, expected)
    convert(theirs, ours)
    assert_equal(exchange.from_grid(exchange.read_grid(ours), mesh.kind), expected)


VTU_WRITERS = [
    ("ascii", False, 64),
    ("base64", False, 64),
    ("base64", False, 32),
    ("base64", True, 64),
    ("base64", True, 32),
    ("appended-raw", False, 64),
    ("appended-raw", True, 32),
    ("appended-base64", False, 32),
    ("appended-base64", True, 64),
]


@pytest.mark.parametrize("case", VTU_WRITERS, ids=label)
def test_pliant_reads_every_encoding_of_vtk(case, mesh, tmp_path):
    theirs, ours = tmp_path / "theirs.vtu", tmp_path / "ours.vtu"
    exchange.write_vtk(exchange.vtu_writer(*case), theirs, exchange.to_grid(mesh))
    expected = exchange.from_grid(exchange.read_grid(theirs), mesh.kind)
    np.testing.assert_allclose(expected.points, mesh.points, rtol=1e-5, atol=1e-6)
    assert_info(theirs, expected)
    convert(theirs, ours)
    assert_equal(exchange.from_grid(exchange.read_grid(ours), mesh.kind), expected)


@pytest.mark.parametrize("binary", [False, True], ids=["ascii", "binary"])
@pytest.mark.parametrize("version", [42, 51])
def test_pliant_reads_the_legacy_files_of_vtk(binary, version, mesh, tmp_path):
    theirs, ours = tmp_path / "theirs.vtk", tmp_path / "ours.vtu"
    exchange.write_vtk(exchange.legacy_writer(binary, version), theirs, exchange.to_grid(mesh))
    expected = exchange.from_grid(exchange.read_grid(theirs), mesh.kind)
    np.testing.assert_allclose(expected.points, mesh.points, rtol=1e-5, atol=1e-6)
    convert(theirs, ours)
    assert_info(ours, expected)
    assert_equal(exchange.from_grid(exchange.read_grid(ours), mesh.kind), expected)


def test_a_box_has_the_size_that_was_asked_for(tmp_path):
    path = tmp_path / "box.vtu"
    pliant("mesh", "make", "box", "--size", 1, 0.5, 0.25, "--cells", 4, 3, 2, "--cell", "tet6", path)
    box = exchange.read_meshio(path, "tet4", "vtu")
    assert len(box.points) == 5 * 4 * 3
    assert len(box.cells) == 4 * 3 * 2 * 6
    np.testing.assert_allclose(np.ptp(box.points, axis=0), [1, 0.5, 0.25], rtol=1e-15)
    assert_info(path, box)
