# SPDX-License-Identifier: BSD-3-Clause
"""What the studies of RR-9289 share: simulations of dense products on Summit, their rows, tables and pictures."""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from results import picture, read_csv, replace_section, table, write_csv  # noqa: F401, for the studies

PEAK = 7.2e12  # flop/s of cuBLAS on one V100, section 5
MACHINE = "2 shared cores, AMD EPYC"
RESULTS = pathlib.Path("docs/results")
PAGE = "rr9289.md"


@dataclasses.dataclass
class Case:
    """A dense product C += A B of `tiles` x `tiles` tiles of `tile` in each matrix, and how it is simulated."""
    tile: int
    tiles: int
    gpus: int
    settings: dict
    coarse: bool = False
    columns: dict = dataclasses.field(default_factory=dict)  # of the row, before the results

    @property
    def size(self):
        return self.tile * self.tiles


def arguments(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("--results", default=RESULTS, type=pathlib.Path)
    return parser


def call(*command):
    """Standard output of a command; None and a line on stderr when it fails."""
    words = [str(word) for word in command]
    result = subprocess.run(words, capture_output=True, text=True)
    return (result.stdout, "") if result.returncode == 0 else (None, result.stderr.strip())


def timed_call(*command):
    """call(), and the processor time of the command: what it would take on a core of its own."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        seconds = usage.ru_utime + usage.ru_stime
        return (out.read(), "", seconds) if process.returncode == 0 else (None, err.read().strip(), seconds)


def simulate(foretile, case):
    """The row of a case: its columns, then what the simulation says; `refused` holds the reason when no plan fits."""
    with tempfile.TemporaryDirectory() as folder:
        problem, plan = pathlib.Path(folder) / "dense.toml", pathlib.Path(folder) / "plan.json"
        size = str(case.size)
        made, error = call(foretile, "problem", "dense", "--m", size, "--n", size, "--k", size, "--tile", case.tile,
                           "--accumulate", "-o", problem)
        if made is None:
            sys.exit(error)
        settings = [word for key, value in case.settings.items() for word in ("--set", f"{key}={value}")]
        text, error, cpu_s = timed_call(foretile, "simulate", problem, "--platform", "summit", "--gpus", case.gpus,
                           "--set", "strategy=stationary-c", *settings, *(["--coarse"] if case.coarse else []), "--json",
                           "-o", plan)
        if text is None:
            return {**case.columns, "refused": error}
        parameters = json.loads(plan.read_text())["parameters"]
        return {**case.columns, **result(case, json.loads(text), parameters), "cpu_s": cpu_s}


def result(case, report, parameters):
    gpus, model, limits = report["devices"], report["model"], report["limits"]
    tiles = model["tiles_per_device"]
    path = sum(limits.values())
    return {
        "case": model["case"], "b": parameters["b"], "c": parameters["c"], "d": parameters["d"],
        "lookahead": parameters["lookahead"], "X": model["X"], "Y": model["Y"], "Z": model["Z"],
        "gemms": report["gemms"], "coarse": int(case.coarse), "seconds": report["makespan_s"],
        "tflops": report["flops_per_s"] / 1e12, "share_of_peak": report["flops_per_s"] / gpus / PEAK,
        # Per GPU, in tiles. Initial tiles of C come from the host, one load each; the model counts them too.
        "from_host": report["loads"]["host"] / gpus + tiles["c"], "from_peer": report["loads"]["peer"] / gpus,
        "found": report["loads"]["hits"] / gpus, "model": tiles["a"] + tiles["b"] + tiles["c"],
        "network_bytes": report["bytes"]["network"], "limit": max(limits, key=limits.get),
        **{f"path_{cause}": round(limits[cause] / path, 4) for cause in ("kernel", "h2d", "d2d", "d2h", "network", "wait")},
        **{f"busy_{what}": report["busy"][what]["mean"] for what in ("kernels", "h2d", "d2d", "network")},
        "refused": "",
    }


def simulate_each(foretile, cases, workers=2):
    """Rows as they are done, in the order of the cases. Simulations have one thread each, so that two fill two cores."""
    cases = list(cases)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(simulate, foretile, case) for case in cases]
        for case, done in zip(cases, waiting):
            row = done.result()
            print(" ".join(f"{key}={value}" for key, value in case.columns.items()),
                  f"{row['share_of_peak']:.3f} of peak, {row['cpu_s']:.1f} s" if not row["refused"] else row["refused"],
                  file=sys.stderr, flush=True)
            yield row


def simulate_all(foretile, cases):
    return list(simulate_each(foretile, cases))
