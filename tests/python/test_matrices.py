"""Matrices that pliant writes, as SciPy reads them."""

import json

import numpy as np
import pytest
import scipy.io
import scipy.sparse
import scipy.sparse.linalg

from support import pliant

SCENE = """
[body.bar]
mesh = { shape = "box", size = [2, 1, 1], cells = [4, 2, 2] }
material = { law = "linear", young = "10 kPa", poisson = 0.3 }
fixed = "x-min"
damping = { mass = 2 }
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-12
[probe.end]
vertices = [4]
"""


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "bar.toml"
    path.write_text(SCENE)
    return path


def test_both_formats_hold_the_same(scene, tmp_path):
    pliant("matrices", scene, "--out", tmp_path / "text")
    pliant("matrices", scene, "--out", tmp_path / "binary", "--format", "npz")
    for name in "KMD":
        text = scipy.io.mmread(tmp_path / "text" / f"{name}.mtx").tocsr()
        binary = scipy.sparse.load_npz(tmp_path / "binary" / f"{name}.npz")
        assert binary.format == "csr" and binary.has_sorted_indices
        assert binary.shape == text.shape
        assert (binary != text).nnz == 0
    text = scipy.io.mmread(tmp_path / "text" / "f.mtx").ravel()
    np.testing.assert_array_equal(np.load(tmp_path / "binary" / "f.npy"), text)


def test_scipy_finds_the_state_of_rest_that_pliant_finds(scene, tmp_path):
    summary = json.loads(pliant("run", scene, "--out", tmp_path / "run", "--json"))
    pliant("matrices", scene, "--out", tmp_path / "m", "--format", "npz")
    K, M, D = (scipy.sparse.load_npz(tmp_path / "m" / f"{name}.npz") for name in "KMD")
    f = np.load(tmp_path / "m" / "f.npy")
    np.testing.assert_allclose(M.sum(), 3 * 2000, rtol=1e-12)
    np.testing.assert_allclose(D.toarray(), 2 * M.toarray(), rtol=1e-14)
    # Vertices of a box are numbered along x first: every fifth one is held.
    vertices = len(f) // 3
    free = np.repeat(np.arange(vertices) % 5 != 0, 3)
    u = np.zeros(len(f))
    u[free] = scipy.sparse.linalg.spsolve(K[free][:, free].tocsc(), f[free])
    expected = summary["probes"]["end"]["displacement"]
    np.testing.assert_allclose(u[12:15], expected, rtol=1e-9, atol=1e-12)
