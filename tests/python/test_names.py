"""Regions and sets under the names that meshio and VTK see."""

import meshio
import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy

import exchange
from support import convert, info

VEG = """\
*VERTICES
5 3 0 0
1  0 0 0
2  1 0 0
3  0 1 0
4  0 0 1
5  1 1 1
*ELEMENTS
TET
2 4 0
1  1 2 3 4
2  2 3 4 5
*MATERIAL soft
ENU, 1000, 1e4, 0.4
*MATERIAL hard
ENU, 1100, 1e6, 0.3
*SET lower
1
*SET upper
2
*SET both
1, 2
*REGION
lower, soft
*REGION
upper, hard
"""


@pytest.fixture
def veg(tmp_path):
    path = tmp_path / "two.veg"
    path.write_text(VEG)
    return path


def names(document):
    return {region["name"]: region["cells"] for region in document["regions"]}


@pytest.mark.parametrize("flags", [["--ascii"], ["--binary", "--no-compress"], ["--binary"]])
def test_regions_and_sets_are_arrays_in_vtu(flags, veg, tmp_path):
    path = tmp_path / "two.vtu"
    convert(veg, path, *flags)
    data = exchange.read_grid(path).GetCellData()
    np.testing.assert_array_equal(vtk_to_numpy(data.GetArray("region")), [0, 1])
    np.testing.assert_array_equal(vtk_to_numpy(data.GetArray("set:both")), [1, 1])
    cell_data = meshio.read(path).cell_data
    np.testing.assert_array_equal(cell_data["region"][0], [0, 1])
    np.testing.assert_array_equal(cell_data["set:both"][0], [1, 1])


@pytest.mark.parametrize("flags", [["--ascii"], ["--binary"]])
def test_regions_and_sets_are_arrays_in_legacy_vtk(flags, veg, tmp_path):
    path = tmp_path / "two.vtk"
    convert(veg, path, *flags)
    data = exchange.read_grid(path).GetCellData()
    np.testing.assert_array_equal(vtk_to_numpy(data.GetArray("region")), [0, 1])
    np.testing.assert_array_equal(vtk_to_numpy(data.GetArray("set:both")), [1, 1])


@pytest.mark.parametrize("version", ["2.2", "4.1"])
@pytest.mark.parametrize("encoding", ["--ascii", "--binary"])
def test_regions_are_physical_groups_in_gmsh(version, encoding, veg, tmp_path):
    path = tmp_path / "two.msh"
    convert(veg, path, encoding, "--format-version", version)
    mesh = meshio.read(path, file_format="gmsh")
    groups = {int(tag): name for name, (tag, dimension) in mesh.field_data.items() if dimension == 3}
    tags = np.concatenate([
        tags for block, tags in zip(mesh.cells, mesh.cell_data["gmsh:physical"]) if block.type == "tetra"])
    assert [groups[int(tag)] for tag in tags] == ["lower", "upper"]


@pytest.mark.parametrize("file_format", ["gmsh22", "gmsh"])
@pytest.mark.parametrize("binary", [False, True], ids=["ascii", "binary"])
def test_physical_groups_of_meshio_are_regions(file_format, binary, tmp_path):
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1.0]])
    # One block for each group: meshio's 4.1 takes the entity of a block from its first cell.
    mesh = meshio.Mesh(
        points, [("tetra", np.array([[0, 1, 2, 3]])), ("tetra", np.array([[1, 2, 3, 4]]))],
        cell_data={"gmsh:physical": [np.array([7]), np.array([9])],
                   "gmsh:geometrical": [np.array([1]), np.array([2])]},
        field_data={"lower": np.array([7, 3]), "upper": np.array([9, 3])})
    mesh.point_data["gmsh:dim_tags"] = np.array([[3, 1], [3, 1], [3, 1], [3, 1], [3, 2]])
    path = tmp_path / "two.msh"
    meshio.write(path, mesh, file_format=file_format, binary=binary)
    theirs = meshio.read(path, file_format="gmsh")
    np.testing.assert_array_equal(np.concatenate(theirs.cell_data["gmsh:physical"]), [7, 9])
    assert names(info(path)) == {"lower": 1, "upper": 1}


def test_numbers_of_tetgen_and_medit_name_the_regions(veg, tmp_path):
    for suffix in (".ele", ".mesh"):
        path = tmp_path / f"two{suffix}"
        convert(veg, path)
        assert names(info(path)) == {"1": 1, "2": 1}
        key = {".ele": "tetgen:ref", ".mesh": "medit:ref"}[suffix]
        file_format = {".ele": "tetgen", ".mesh": "medit"}[suffix]
        data = meshio.read(path, file_format=file_format).cell_data
        assert key in data, data.keys()
        np.testing.assert_array_equal(np.concatenate(data[key]), [1, 2])
