#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Simulated times and digests of C that must stay the same to the last bit, whatever the code looks like.

A change that is meant to alter plans or times writes the values again and says so in its commit. OpenBLAS multiplies with the kernels of
one old core, small tiles too, so that the bits of C do not depend on the machine. What values.json lacks is an error.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VALUES = HERE / "values.json"
CORES = HERE / "cores.toml"
GPUS = HERE.parent / "apps" / "toy_platform.toml"  # played by threads
ENVIRONMENT = {**os.environ, "OPENBLAS_CORETYPE": "Prescott", "FORETILE_SMALL_PRODUCTS": "blas"}
RANDOM_PLANS, SOME = 50, 25


def call(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, env=ENVIRONMENT)


class Programs:
    def __init__(self, foretile, run, mpiexec):
        self.foretile, self.run, self.mpiexec = foretile, run, mpiexec

    def simulated(self, problem, plan, *options):
        """The makespan; "refused" where nothing fits."""
        done = call(self.foretile, "simulate", problem, *options, "-o", plan, "--json")
        if done.returncode == 2 and "are missing" in done.stderr:
            return "refused"
        assert done.returncode == 0, f"{problem} {options}: {done.stderr}"
        return json.loads(done.stdout)["makespan_s"]

    def digest(self, plan, ranks):
        done = call(self.mpiexec, "-n", ranks, self.run, plan, "--verify", "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["verify"]["c_digest"]


# ---- random plans ----

def random_problem(draw):
    least = draw.randint(3, 20)
    lines = {"kind": '"random"', "tile_min": least, "tile_max": least + draw.randint(0, 15),
             **{size: draw.randint(20, 200) for size in "mnk"},
             "a_density": round(draw.uniform(0.2, 1), 3), "b_density": draw.choice([1.0, round(draw.uniform(0.2, 1), 3)]),
             "seed": draw.randint(1, 10**6), "accumulate": draw.choice(["true", "false"]),
             "precision": draw.choice(['"double"', '"single"'])}
    return "".join(f"{key} = {value}\n" for key, value in lines.items())


def random_settings(draw, ranks):
    values = {"platform.device.memory": draw.randint(10_000, 100_000), "grid.p": draw.randint(1, ranks),
              "lookahead": draw.randint(0, 2), "message_bytes": draw.choice([1, 5000, 100_000]),
              "copy_batch_bytes": draw.choice([0, 10_000])}
    if draw.random() < 0.5:
        values |= {"strategy": "stationary-b", "block_fraction": draw.choice([0.3, 0.5])}
        values["chunk_fraction"] = round((1 - values["block_fraction"]) / (1 + values["lookahead"]), 6) - 0.001
    else:
        values |= {"strategy": "stationary-c", "barriers": draw.choice(["none", "local", "global"]),
                   "keep_received": draw.randint(0, 1), "prefetch_c": draw.randint(0, 1)}
        values |= {size: draw.randint(1, 4) for size in "bcd" if draw.random() < 0.3}
    return values


def random_case(seed, programs, folder):
    draw = random.Random(seed)
    ranks = draw.randint(1, 4)
    problem, plan = folder / "p.toml", folder / "plan.json"
    problem.write_text(random_problem(draw))
    values = random_settings(draw, ranks)
    gpus = draw.random() < 0.5
    values |= {"platform.socket.devices": draw.randint(1, 3 if gpus else 6)}
    if gpus:
        values |= {"platform.nodes": ranks, "batch": draw.choice([1, 2, 7, 50])}
        if draw.random() < 0.5:
            values["platform.generation.device_rate"] = 1e9
    else:
        values |= {"platform.ranks_per_node": ranks}
    options = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
    makespan = programs.simulated(problem, plan, "--platform", GPUS if gpus else CORES, "--ranks", ranks, *options)
    if makespan == "refused":
        return {"makespan_s": makespan}
    return {"makespan_s": makespan, "digest": programs.digest(plan, ranks)}


# ---- what the papers have ----

LARGE = {
    **{f"{problem} on {gpus} GPUs": (problem, "--platform", "summit", "--gpus", gpus, "--set", "strategy=stationary-b", "--set",
                                         "balance=bytes")
       for problem in ("c65-v1", "c65-v2", "c65-v3") for gpus in (6, 108)},
    **{f"dense of {tiles} tiles on {gpus} GPUs, lookahead {lookahead}":
       ("dense", tiles, "--platform", "summit", "--gpus", gpus, "--set", "strategy=stationary-c", "--set", f"grid.p={p}", "--set", f"lookahead={lookahead}")
       for gpus, p, tiles in ((12, 2, 48), (12, 2, 126), (48, 4, 96)) for lookahead in (1, 2)},
}


def large_case(arguments, programs, folder):
    problem, *options = arguments
    if problem == "dense":
        tiles, *options = options
        problem, size = folder / "p.toml", 1024 * tiles
        done = call(programs.foretile, "problem", "dense", "--m", size, "--n", size, "--k", size, "--tile", 1024, "-o", problem)
        assert done.returncode == 0, done.stderr
    return {"makespan_s": programs.simulated(problem, folder / "plan.json", *options)}


def molecule_case(ranks, programs, folder):
    plan = folder / "plan.json"
    makespan = programs.simulated("c12", plan, "--platform", CORES, "--ranks", ranks, "--set", f"platform.ranks_per_node={ranks}",
                                  "--set", "platform.device.memory=2800 MB", "--set", "platform.socket.memory=32 GB", "--set",
                                  "block_fraction=0.9", "--set", "chunk_fraction=0.05", "--set", "strategy=stationary-b")
    assert makespan != "refused"
    return {"makespan_s": makespan, "digest": programs.digest(plan, ranks)}


def found_values(programs, folder, everything):
    for seed in range(1, (RANDOM_PLANS if everything else SOME) + 1):
        yield f"random plan {seed}", random_case(seed, programs, folder)
    if not everything:
        return
    yield "C12H26 on 4 ranks", molecule_case(4, programs, folder)
    for name, arguments in LARGE.items():
        yield name, large_case(arguments, programs, folder)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("foretile", "foretile_run", "mpiexec"):
        parser.add_argument(name)
    parser.add_argument("--all", action="store_true", help=f"{RANDOM_PLANS} random plans instead of {SOME}, as ctest has it, and "
                        "C12H26, C65H132 and dense products on Summit")
    parser.add_argument("--write", action="store_true", help="write values.json again; read the difference before committing it")
    arguments = parser.parse_args()
    for name in ("foretile", "foretile_run", "mpiexec"):
        program = getattr(arguments, name)
        if not shutil.which(program):
            parser.error(f"argument {name}: found {program!r}, expected a program")
    return arguments


def main():
    arguments = parse()
    programs = Programs(arguments.foretile, arguments.foretile_run, arguments.mpiexec)
    write, everything = arguments.write, arguments.all
    expected = json.loads(VALUES.read_text()) if VALUES.exists() else {}
    different = []
    with tempfile.TemporaryDirectory() as folder:
        for name, found in found_values(programs, pathlib.Path(folder), everything):
            if write:
                expected[name] = found
            elif name not in expected:
                different.append(f"{name}: found {found}, expected a value in {VALUES.name}: write it with --write")
                print(different[-1], flush=True)
            elif expected[name] != found:
                different.append(f"{name}: found {found}, expected {expected[name]}")
                print(different[-1], flush=True)
    if write:
        VALUES.write_text(json.dumps(expected, indent=1) + "\n")
    sys.exit(f"{len(different)} differ; if they should, write them again with --write" if different else 0)


if __name__ == "__main__":
    main()
