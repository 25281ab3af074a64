#!/usr/bin/env python3
"""Pliant's Cholesky beside MKL PARDISO, in one run and on the same matrices.

    python3 -m venv .venv && .venv/bin/pip install pypardiso scipy
    cargo build --release
    .venv/bin/python benches/pardiso.py --pliant target/release/pliant > comparison.json

Systems are M + h²K with h = 10 ms, Young 1 MPa, Poisson 0.45 and density 1000 kg/m³, as `pliant bench solve` makes
them. Without arguments: bars and cubes of about 4000, 19000 and 47000 vertices. Meshes given as arguments are used
instead; of Matrix Market files (written by `pliant bench solve --save-matrix`) PARDISO alone is measured.

PARDISO runs in its mode for positive definite matrices (mtype 2) with its default settings; analysis, factorisation
and solution are its phases 11, 22 and 33, called without the copies that pypardiso makes. Pliant and PARDISO take
turns, and the best time of each counts. One JSON document goes to standard output.
"""

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# As many threads as are asked for, also where MKL thinks fewer are better. Read when MKL is loaded.
os.environ["MKL_DYNAMIC"] = "FALSE"

# name, size, cells
SYSTEMS = [
    ("bar-4k", (4, 1, 1), (40, 9, 9)),
    ("cube-4k", (1, 1, 1), (15, 15, 15)),
    ("bar-19k", (4, 1, 1), (64, 16, 16)),
    ("cube-19k", (1, 1, 1), (26, 26, 26)),
    ("bar-47k", (4, 1, 1), (88, 22, 22)),
    ("cube-47k", (1, 1, 1), (35, 35, 35)),
]
SMALL = [("cube-small", (1, 1, 1), (5, 5, 5))]
PHASES = ["analyze_ms", "factor_ms", "solve_ms"]


class Pardiso:
    """One positive definite matrix, upper triangle by rows."""

    def __init__(self, upper, threads):
        import numpy as np
        import pypardiso

        solver = pypardiso.PyPardisoSolver(mtype=2)
        self.pardiso = solver._mkl_pardiso
        solver.libmkl.MKL_Set_Num_Threads(ctypes.c_int(threads))
        self.threads = solver.libmkl.MKL_Get_Max_Threads()
        self.pt = np.zeros(64, dtype=np.int64)
        # All zero: the defaults. PARDISO writes there what it took, and what it has to tell.
        self.iparm = np.zeros(64, dtype=np.int32)
        self.n = upper.shape[0]
        self.a = np.ascontiguousarray(upper.data, dtype=np.float64)
        self.ia = upper.indptr.astype(np.int32) + 1
        self.ja = upper.indices.astype(np.int32) + 1

    def call(self, phase, b, x):
        """Milliseconds of that phase."""

        def integer(value):
            return ctypes.byref(ctypes.c_int32(value))

        def integers(array):
            return array.ctypes.data_as(ctypes.POINTER(ctypes.c_int32))

        def numbers(array):
            return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))

        error = ctypes.c_int32(0)
        arguments = [
            self.pt.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)),
            integer(1), integer(1), integer(2), integer(phase), integer(self.n),
            numbers(self.a), integers(self.ia), integers(self.ja), None, integer(1),
            integers(self.iparm), integer(0), numbers(b), numbers(x), ctypes.byref(error),
        ]
        begin = time.perf_counter()
        self.pardiso(*arguments)
        took = 1e3 * (time.perf_counter() - begin)
        if error.value != 0:
            raise SystemExit(f"PARDISO ends phase {phase} with error {error.value}")
        return took


def best(old, new):
    """The smaller of each time; other keys from the new one."""
    if old is None:
        return new
    return {**new, **{key: min(old[key], new[key]) for key in PHASES}}


def pardiso(matrix, threads, runs):
    """Best times of one analysis and several factorisations and solutions."""
    import numpy as np
    import scipy.sparse

    upper = scipy.sparse.triu(matrix, format="csr")
    upper.sort_indices()
    rng = np.random.default_rng(1)
    b = matrix @ rng.standard_normal(matrix.shape[0])
    x = np.zeros_like(b)
    solver = Pardiso(upper, threads)
    analyze = solver.call(11, b, x)
    factor, solve = [], []
    for _ in range(runs):
        factor.append(solver.call(22, b, x))
        solve.append(solver.call(33, b, x))
    residual = float(np.linalg.norm(b - matrix @ x) / np.linalg.norm(b))
    nonzeros = int(solver.iparm[17])
    used = solver.threads
    solver.call(-1, b, x)
    return {
        "threads": used,
        "analyze_ms": analyze,
        "factor_ms": min(factor),
        "solve_ms": min(solve),
        "relative_residual": residual,
        "factor_nonzeros": nonzeros if nonzeros > 0 else None,
    }


def command(program, *arguments):
    """The JSON document that pliant prints."""
    line = [program, "--json", "--quiet", *map(str, arguments)]
    done = subprocess.run(line, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(line)} ends with status {done.returncode}")
    return json.loads(done.stdout)


def pliant(program, mesh, threads, save=None):
    """`pliant bench solve` with Cholesky and METIS."""
    more = ["--save-matrix", save] if save else []
    found = command(
        program, "bench", "solve", "--no-machine", "--threads", threads, "--mesh", mesh,
        "--solver", "cholesky", "--ordering", "metis", *more,
    )
    keys = [*PHASES, "relative_residual", "factor_nonzeros", "peak_bytes"]
    return {"threads": threads, **{key: found[key] for key in keys}}


def compare(name, mesh, file, options, folder):
    """One system at all thread counts."""
    import scipy.io

    rows = []
    matrix = None
    if file is not None:
        matrix = scipy.io.mmread(file).tocsr()
    for threads in options.threads:
        ours = theirs = None
        for _ in range(options.rounds):
            if mesh is not None:
                save = folder / "matrix.mtx" if matrix is None else None
                ours = best(ours, pliant(options.pliant, mesh, threads, save))
                if save is not None:
                    matrix = scipy.io.mmread(save).tocsr()
                    save.unlink()
            theirs = best(theirs, pardiso(matrix, threads, options.runs))
        ratios = None
        if ours is not None:
            ratios = {key.removesuffix("_ms"): ours[key] / theirs[key] for key in PHASES}
        rows.append({"threads": threads, "pliant": ours, "pardiso": theirs, "ratios": ratios})
        told = ratios and ", ".join(f"{key} {value:.2f}" for key, value in ratios.items())
        print(f"{name}, {threads} threads: {told or 'PARDISO alone'}", file=sys.stderr)
    unknowns, entries = matrix.shape[0], matrix.nnz
    return {"system": name, "unknowns": unknowns, "nonzeros": entries, "rows": rows}


def systems(options, folder):
    """Name, mesh and matrix file of each, one of the two given."""
    for path in options.files:
        kind = path.suffix == ".mtx"
        yield (path.stem, None, path) if kind else (path.stem, path, None)
    if options.files:
        return
    for name, size, cells in SMALL if options.small else SYSTEMS:
        mesh = folder / f"{name}.vtu"
        command(options.pliant, "mesh", "make", "box", "--size", *size, "--cells", *cells, mesh)
        yield name, mesh, None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, help="meshes, or Matrix Market files")
    parser.add_argument("--pliant", default=shutil.which("pliant"), help="the program to measure")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], metavar="N")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each [3]")
    parser.add_argument("--runs", type=int, default=5, help="factorisations a turn of PARDISO [5]")
    parser.add_argument("--small", action="store_true", help="one tiny cube, to try it out")
    options = parser.parse_args()
    if min(options.threads + [options.rounds, options.runs]) < 1:
        parser.error("--threads, --rounds and --runs are at least 1")
    needs = not options.files or any(path.suffix != ".mtx" for path in options.files)
    if needs and options.pliant is None:
        parser.error("pliant is not on the path: say where with --pliant")
    try:
        import pypardiso  # noqa: F401
    except ImportError as error:
        parser.error(f"{error}: pip install pypardiso scipy")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        found = [
            compare(name, mesh, file, options, folder)
            for name, mesh, file in systems(options, folder)
        ]
    print(json.dumps({"step": 0.01, "mtype": 2, "ordering": "metis", "systems": found}, indent=2))


if __name__ == "__main__":
    main()
