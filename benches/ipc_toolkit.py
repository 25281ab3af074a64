#!/usr/bin/env python3
"""The geometry of Pliant's contact beside the IPC Toolkit, in one run, on the same surfaces and on one thread.

    python3 -m venv .venv && .venv/bin/pip install ipctk numpy scipy
    cargo build --release -p pliant-contact --example speed
    .venv/bin/python benches/ipc_toolkit.py --pliant target/release/examples/speed > comparison.json

Broad phase: a torus of 100,000 triangles against itself, smooth, crumpled, and smooth with a random motion of every vertex; edges against
edges and vertices against triangles, boxes padded by 0.5 mm. Both libraries leave out primitives that share a vertex. All broad phases of the
toolkit but brute force are measured, boxes and trees included, and the pairs that each finds are counted. Pliant refits its tree, as it does
in all but one of 32 updates; `build_ms` is what a new one takes.

Time of impact: all candidate pairs of the moving torus, by additive continuous collision detection on both sides (`AdditiveCCD` of the
toolkit, which shortens the motion as it goes on; so does Pliant's loop). Rates are pairs a second.

Distances: one pair of general position, distance, gradient and Hessian, before projection. A call from Python costs more than the arithmetic, so
that of the cheapest function of the toolkit is taken off; the row is an estimate and named so.

Each side runs three times and the best counts. One JSON document goes to standard output.
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

ROUNDS = 3
PADDING = 5e-4
METHODS = ["LBVH", "BVH", "SweepAndPrune", "HashGrid", "SpatialHash"]


def best(work, rounds=ROUNDS):
    """Least time of `work`, s, and what it gave last."""
    least = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        result = work()
        least = min(least, time.perf_counter() - start)
    return least, result


def read(folder):
    """Positions, positions at the end of the motion, triangles, as the toolkit wants them."""
    positions = np.fromfile(folder / "positions.f64").reshape(-1, 3)
    moved = positions + np.fromfile(folder / "displacements.f64").reshape(-1, 3)
    triangles = np.fromfile(folder / "triangles.u32", dtype=np.uint32).reshape(-1, 3).astype(np.int32)
    return np.asfortranarray(positions), np.asfortranarray(moved), np.asfortranarray(triangles)


def broad(ipctk, folder):
    positions, moved, triangles = read(folder)
    edges = np.asfortranarray(ipctk.edges(triangles))
    mesh = ipctk.CollisionMesh(positions, edges, triangles)
    rows = {}
    for name in METHODS:
        if not hasattr(ipctk, name):
            continue
        # Pairs stay with the toolkit: no list is made of them for Python.
        candidates, method = ipctk.Candidates(), getattr(ipctk, name)()
        seconds, _ = best(lambda: candidates.build(mesh, positions, moved, PADDING, method))
        rows[name] = {"total_ms": round(1e3 * seconds, 2), "pairs": len(candidates)}
    return rows


def impact(ipctk, folder):
    positions, moved, triangles = read(folder)
    edges = np.asfortranarray(ipctk.edges(triangles))
    mesh = ipctk.CollisionMesh(positions, edges, triangles)
    candidates = ipctk.Candidates()
    candidates.build(mesh, positions, moved, PADDING)
    seconds, step = best(
        lambda: candidates.compute_collision_free_stepsize(
            mesh, positions, moved, 0.0, ipctk.AdditiveCCD()
        ),
        5 * ROUNDS,
    )
    return {"pairs": len(candidates), "millions_per_s": round(len(candidates) / seconds / 1e6, 2), "step": step}


def distances(ipctk):
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, (200, 4, 3))

    def each(function, arity):
        arguments = [tuple(sample[:arity]) for sample in x]

        def work():
            for a in arguments:
                function(*a)

        return best(work, 30)[0] / len(x) * 1e9

    call = each(ipctk.point_point_distance, 2)
    rows = {"call_ns": round(call, 1)}
    for name in ("point_triangle_distance", "edge_edge_distance"):
        parts = [name, name + "_gradient", name + "_hessian"]
        rows[name] = round(sum(each(getattr(ipctk, part), 4) - call for part in parts), 1)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pliant", type=Path, required=True, help="the example `speed` of the crate of contact")
    arguments = parser.parse_args()
    import ipctk

    ipctk.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        runs = [
            json.loads(subprocess.run([arguments.pliant, "--save", folder], check=True, capture_output=True, text=True).stdout)
            for _ in range(ROUNDS)
        ]
        surfaces = ["torus", "crumpled", "swept"]
        peer = {
            "broad": {name: broad(ipctk, folder / name) for name in surfaces},
            "ccd": impact(ipctk, folder / "swept"),
            "distance_estimate_ns": distances(ipctk),
        }
    mine = min(runs, key=lambda run: sum(run["broad_" + name]["total_ms"] for name in surfaces))
    mine["broad_swept"]["ccd_millions_per_s"] = max(run["broad_swept"]["ccd_millions_per_s"] for run in runs)
    print(json.dumps({"threads": 1, "pliant": mine, "ipctk": {"version": ipctk.__version__, **peer}}, indent=1))


if __name__ == "__main__":
    main()
