"""Opens the results of a run with Blender's Python module, and prints where it has the vertices.

Run by test_animations.py, in an environment that has bpy: arguments are the folder of the run, the time
between its frames, and a frame.
"""

import json
import sys
from pathlib import Path

import bpy
import numpy as np

FOLDER, INTERVAL, FRAME = Path(sys.argv[1]).resolve(), float(sys.argv[2]), int(sys.argv[3])


def places(thing):
    """The vertices as they are drawn, y up as in the scene where the format says which way is up."""
    thing = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = thing.to_mesh()
    flat = np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", flat)
    matrix = np.array(thing.matrix_world)
    x, y, z = (flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]).T
    return np.stack([x, z, -y], axis=1)


def at(frame):
    bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))


def bodies():
    return {t.name: places(t).tolist() for t in bpy.data.objects if t.type == "MESH"}


def opened(importer, name):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    importer(filepath=str(FOLDER / name))


found = {}

opened(bpy.ops.import_scene.gltf, "animation.glb")
at(FRAME * INTERVAL * bpy.context.scene.render.fps)
found["glb"] = bodies()
at(0)
found["glb at 0"] = bodies()
found["targets"] = [k.name for k in bpy.data.objects["bar"].data.shape_keys.key_blocks]

opened(bpy.ops.wm.usd_import, "animation.usda")
at(FRAME)
found["usda"] = bodies()
at(0)
found["usda at 0"] = bodies()
found["frames"] = [bpy.context.scene.frame_start, bpy.context.scene.frame_end]

opened(bpy.ops.wm.obj_import, "frames/bar.obj")
bar = bpy.context.selected_objects[0]
cache = bar.modifiers.new("points", "MESH_CACHE")
cache.cache_format, cache.filepath, cache.frame_start = "PC2", str(FOLDER / "frames/bar.pc2"), 0
at(FRAME)
found["pc2"] = bodies()

opened(bpy.ops.wm.obj_import, f"frames/bar_{FRAME:05}.obj")
found["obj"] = {"bar": places(bpy.context.selected_objects[0]).tolist()}

opened(bpy.ops.wm.ply_import, f"frames/bar_{FRAME:05}.ply")
# PLY does not say which way is up: Blender takes the numbers as they are.
x, y, z = places(bpy.context.selected_objects[0]).T
found["ply"] = {"bar": np.stack([x, -z, y], axis=1).tolist()}

print("places:", json.dumps(found))
