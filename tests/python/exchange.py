"""Reading and writing by meshio and VTK."""

import meshio
import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData, vtkUnstructuredGrid
from vtkmodules.vtkIOGeometry import vtkOBJReader, vtkSTLReader, vtkSTLWriter
from vtkmodules.vtkIOLegacy import vtkUnstructuredGridReader, vtkUnstructuredGridWriter
from vtkmodules.vtkIOPLY import vtkPLYReader, vtkPLYWriter
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader, vtkXMLUnstructuredGridWriter

from support import Cells

# Our name for a kind of cell: meshio's, and VTK's number.
KINDS = {"tet4": ("tetra", 10), "tet10": ("tetra10", 24), "hex8": ("hexahedron", 12), "hex20": ("hexahedron20", 25), "tri3": ("triangle", 5)}


def from_meshio(mesh, kind):
    """The cells of that kind, and all points; other cells are not looked at."""
    name, _ = KINDS[kind]
    blocks = [block.data for block in mesh.cells if block.type == name]
    assert blocks, f"no {name} among {mesh.cells}"
    points = mesh.points.astype(mesh.points.dtype.newbyteorder("="))
    return Cells(kind, np.ascontiguousarray(points), np.concatenate(blocks))


def read_meshio(path, kind, file_format=None):
    return from_meshio(meshio.read(path, file_format=file_format), kind)


def write_meshio(path, mesh, file_format, **options):
    name, _ = KINDS[mesh.kind]
    meshio.write(path, meshio.Mesh(mesh.points, [(name, mesh.cells)]), file_format=file_format, **options)


def read_grid(path):
    """A VTK grid, legacy or XML."""
    reader = vtkXMLUnstructuredGridReader() if path.suffix == ".vtu" else vtkUnstructuredGridReader()
    if path.suffix == ".vtk":
        reader.ReadAllScalarsOn()
        reader.ReadAllFieldsOn()
    return updated(reader, path)


def updated(reader, path):
    """What a VTK reader gets from the file; its complaints fail the test."""
    complaints = []
    reader.AddObserver("ErrorEvent", lambda *event: complaints.append(event))
    reader.AddObserver("WarningEvent", lambda *event: complaints.append(event))
    reader.SetFileName(str(path))
    reader.Update()
    assert not complaints, f"VTK complains about {path}"
    return reader.GetOutput()


def from_grid(grid, kind):
    _, number = KINDS[kind]
    types = {grid.GetCellType(i) for i in range(grid.GetNumberOfCells())}
    assert types == {number}
    return from_data(grid, grid.GetCells(), kind)


def from_polydata(data):
    return from_data(data, data.GetPolys(), "tri3")


def from_data(data, cells, kind):
    count = cells.GetNumberOfCells()
    nodes = vtk_to_numpy(cells.GetConnectivityArray()).reshape(count, -1)
    return Cells(kind, vtk_to_numpy(data.GetPoints().GetData()).copy(), nodes.copy())


def fill_data(data, mesh):
    points = vtkPoints()
    points.SetDataTypeToDouble()
    points.SetData(numpy_to_vtk(mesh.points, deep=True))
    data.SetPoints(points)
    width = mesh.cells.shape[1]
    cells = vtkCellArray()
    cells.SetData(
        numpy_to_vtkIdTypeArray(np.arange(0, mesh.cells.size + 1, width), deep=True),
        numpy_to_vtkIdTypeArray(mesh.cells.astype(np.int64).ravel(), deep=True))
    return cells


def to_grid(mesh):
    grid = vtkUnstructuredGrid()
    grid.SetCells(KINDS[mesh.kind][1], fill_data(grid, mesh))
    return grid


def to_polydata(mesh):
    data = vtkPolyData()
    data.SetPolys(fill_data(data, mesh))
    return data


def write_vtk(writer, path, data):
    writer.SetFileName(str(path))
    writer.SetInputData(data)
    assert writer.Write() == 1


def vtu_writer(mode, compressed=False, header=64):
    writer = vtkXMLUnstructuredGridWriter()
    {"ascii": writer.SetDataModeToAscii,
     "base64": writer.SetDataModeToBinary,
     "appended-raw": writer.SetDataModeToAppended,
     "appended-base64": writer.SetDataModeToAppended}[mode]()
    writer.SetEncodeAppendedData(mode == "appended-base64")
    if compressed:
        writer.SetCompressorTypeToZLib()
    else:
        writer.SetCompressorTypeToNone()
    (writer.SetHeaderTypeToUInt64 if header == 64 else writer.SetHeaderTypeToUInt32)()
    return writer


def legacy_writer(binary, version):
    writer = vtkUnstructuredGridWriter()
    (writer.SetFileTypeToBinary if binary else writer.SetFileTypeToASCII)()
    writer.SetFileVersion(version)
    return writer


def surface_reader(path):
    return {".obj": vtkOBJReader, ".stl": vtkSTLReader, ".ply": vtkPLYReader}[path.suffix]()


def surface_writer(suffix, binary):
    writer = {".stl": vtkSTLWriter, ".ply": vtkPLYWriter}[suffix]()
    (writer.SetFileTypeToBinary if binary else writer.SetFileTypeToASCII)()
    return writer
