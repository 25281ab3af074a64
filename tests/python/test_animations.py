"""Frames of a run in every format, opened by the programs they are for."""

import json
import os
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import meshio
import numpy as np
import pytest
from pxr import Usd, UsdGeom
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

import exchange
from support import pliant

INTERVAL, FRAME, FRAMES = 0.02, 7, 11

SCENE = """
[body.bar]
mesh = { shape = "bar", length = 0.3, width = 0.1, height = 0.1, across = 2 }
material = { law = "neo-hookean", young = "20 kPa", poisson = 0.4 }
fixed = "x-min"
[body.skinned]
mesh = { shape = "box", size = [0.2, 0.1, 0.1], cells = [2, 1, 1] }
material = { law = "corotational", young = "50 kPa", poisson = 0.3 }
position = [0, 0.5, 0]
surface = { file = "skin.obj" }
[time]
integrator = "trapezoidal"
step = "5 ms"
end = "0.2 s"
[output]
frames = "20 ms"
formats = ["vtu", "obj", "ply", "pc2", "glb", "usda"]
"""

SKIN = np.array([[0.02, 0.02, 0.03], [0.18, 0.05, 0.02], [0.1, 0.09, 0.05], [0.1, 0.05, 0.09]])
TEXTURE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
CORNERS = [[(0, 0), (1, 1), (3, 3)], [(1, 1), (2, 2), (3, 3)], [(2, 2), (0, 0), (3, 3)], [(0, 1), (2, 2), (1, 0)]]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a run: a bar that bends, and a free box whose skin falls by g t²/2."""
    folder = tmp_path_factory.mktemp("animation")
    (folder / "scene.toml").write_text(SCENE)
    lines = [f"v {x} {y} {z}" for x, y, z in SKIN] + [f"vt {u} {v}" for u, v in TEXTURE]
    lines += ["f " + " ".join(f"{v + 1}/{t + 1}" for v, t in triangle) for triangle in CORNERS]
    (folder / "skin.obj").write_text("\n".join(lines) + "\n")
    pliant("run", folder / "scene.toml", "--out", folder / "out", "--quiet")
    return folder / "out"


def fallen(frame):
    """Where the skin is: the trapezoidal rule is exact under a constant force."""
    return SKIN + [0, 0.5 - 9.81 / 2 * (frame * INTERVAL) ** 2, 0]


def cached(run, name):
    """The frames of a point cache."""
    data = (run / f"frames/{name}.pc2").read_bytes()
    points, frames = (int.from_bytes(data[at : at + 4], "little") for at in (16, 28))
    assert data[:12] == b"POINTCACHE2\0" and len(data) == 32 + 12 * points * frames
    return np.frombuffer(data, "<f4", offset=32).reshape(frames, points, 3)


def volume(path):
    reader = vtkXMLUnstructuredGridReader()
    return exchange.updated(reader, path)


def test_vtk_and_meshio_open_every_frame(run):
    series = xml.parse(run / "bar.pvd").getroot().findall("Collection/DataSet")
    assert len(series) == FRAMES
    for frame, entry in enumerate(series):
        assert float(entry.get("timestep")) == pytest.approx(frame * INTERVAL, rel=1e-12)
        grid = volume(run / entry.get("file"))
        points = vtk_to_numpy(grid.GetPoints().GetData())
        mesh = meshio.read(run / entry.get("file"))
        np.testing.assert_array_equal(mesh.points, points)
        moved = vtk_to_numpy(grid.GetPointData().GetArray("displacement"))
        np.testing.assert_array_equal(mesh.point_data["displacement"], moved)
        assert grid.GetCellData().GetArray("von_mises") is not None


def test_surfaces_of_every_frame_are_where_the_bodies_are(run):
    cache = cached(run, "skinned")
    assert len(cache) == FRAMES
    for frame in range(FRAMES):
        for suffix in ("obj", "ply"):
            found = meshio.read(run / f"frames/skinned_{frame:05}.{suffix}")
            np.testing.assert_allclose(found.points, fallen(frame), rtol=0, atol=1e-10)
        np.testing.assert_array_equal(cache[frame], found.points.astype(np.float32))
        # The boundary of the bar is among the vertices of its volume.
        surface = meshio.read(run / f"frames/bar_{frame:05}.ply").points
        points = {tuple(p) for p in vtk_to_numpy(volume(run / f"frames/bar_{frame:05}.vtu").GetPoints().GetData())}
        assert all(tuple(p) in points for p in surface)


def test_vtk_reads_surfaces(run):
    for suffix in (".obj", ".ply"):
        path = run / f"frames/bar_{FRAME:05}{suffix}"
        found = exchange.from_polydata(exchange.updated(exchange.surface_reader(path), path))
        reference = meshio.read(run / f"frames/bar_{FRAME:05}.ply")
        ours = reference.points[reference.cells_dict["triangle"]].astype(np.float32)
        np.testing.assert_array_equal(found.points[found.cells].astype(np.float32), ours)


def test_usd_has_the_motion(run):
    stage = Usd.Stage.Open(str(run / "animation.usda"))
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, FRAMES - 1)
    assert stage.GetTimeCodesPerSecond() == pytest.approx(1 / INTERVAL)
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    for name in ("bar", "skinned"):
        mesh, cache = UsdGeom.Mesh(stage.GetPrimAtPath(f"/bodies/{name}")), cached(run, name)
        points = mesh.GetPointsAttr()
        assert points.GetTimeSamples() == list(range(FRAMES))
        for frame in range(FRAMES):
            np.testing.assert_array_equal(np.array(points.Get(frame)), cache[frame])
            box = UsdGeom.PointBased.ComputeExtent(points.Get(frame))
            np.testing.assert_array_equal(np.array(mesh.GetExtentAttr().Get(frame)), np.array(box))
        lengths = np.linalg.norm(np.array(mesh.GetNormalsAttr().Get(FRAME)), axis=1)
        np.testing.assert_allclose(lengths, 1, atol=2e-4)
        assert mesh.GetNormalsInterpolation() == "vertex"
        valid, why = UsdGeom.Mesh.ValidateTopology(
            mesh.GetFaceVertexIndicesAttr().Get(), mesh.GetFaceVertexCountsAttr().Get(), len(cache[0])
        )
        assert valid, why
    texture = UsdGeom.PrimvarsAPI(stage.GetPrimAtPath("/bodies/skinned")).GetPrimvar("st").ComputeFlattened()
    np.testing.assert_array_equal(np.array(texture), TEXTURE[[t for corners in CORNERS for _, t in corners]])
    np.testing.assert_allclose(points.Get(FRAME), fallen(FRAME), rtol=0, atol=1e-7)


def test_blender_has_the_motion(run):
    python = os.environ.get("PLIANT_BLENDER")
    if python is None:
        pytest.skip("no Blender: " + os.environ.get("PLIANT_NO_BLENDER", "PLIANT_BLENDER names no Python with bpy"))
    script = Path(__file__).with_name("blender_places.py")
    command = [python, script, run, str(INTERVAL), str(FRAME)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    found = json.loads(next(line for line in result.stdout.splitlines() if line.startswith("places:"))[7:])
    bar, tight = cached(run, "bar"), {"rtol": 0, "atol": 1e-7}
    assert np.abs(bar[FRAME] - bar[0]).max() > 0.01
    for name in ("glb", "usda", "pc2", "obj", "ply"):
        np.testing.assert_allclose(found[name]["bar"], bar[FRAME], err_msg=name, **tight)
    for name in ("glb", "usda"):
        np.testing.assert_allclose(found[f"{name} at 0"]["bar"], bar[0], err_msg=name, **tight)
    np.testing.assert_allclose(found["usda"]["skinned"], fallen(FRAME), **tight)
    # A vertex for each of its texture coordinates.
    skin = fallen(FRAME)[[0, 1, 3, 2, 0, 1]]
    np.testing.assert_allclose(found["glb"]["skinned"], skin, **tight)
    assert found["targets"] == ["Basis"] + [f"frame {k}" for k in range(1, FRAMES)]
    assert found["frames"] == [0, FRAMES - 1]
