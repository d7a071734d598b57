"""What the studies of RR-9289 share: rehearsals of dense products on Summit, their rows, tables and pictures."""
import argparse
import concurrent.futures
import csv
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PEAK = 7.2e12  # flop/s of cuBLAS on one V100, section 5
MACHINE = "2 shared cores, AMD EPYC"
RESULTS = pathlib.Path("docs/results")
PAGE = "rr9289.md"


@dataclasses.dataclass
class Case:
    """A dense product C += A B of `tiles` x `tiles` tiles of `tile` in each matrix, and how it is rehearsed."""
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


def rehearse(foretile, case):
    """The row of a case: its columns, then what the rehearsal says; `refused` holds the reason when no plan fits."""
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


def rehearse_each(foretile, cases, workers=2):
    """Rows as they are done, in the order of the cases. Rehearsals have one thread each, so that two fill two cores."""
    cases = list(cases)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(rehearse, foretile, case) for case in cases]
        for case, done in zip(cases, waiting):
            row = done.result()
            print(" ".join(f"{key}={value}" for key, value in case.columns.items()),
                  f"{row['share_of_peak']:.3f} of peak, {row['cpu_s']:.1f} s" if not row["refused"] else row["refused"],
                  file=sys.stderr, flush=True)
            yield row


def rehearse_all(foretile, cases):
    return list(rehearse_each(foretile, cases))


def write_csv(path, rows):
    keys = list(dict.fromkeys(key for row in rows for key in row))
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as out:
        writer = csv.DictWriter(out, fieldnames=keys, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.6g}" if isinstance(value, float) else value for key, value in row.items()})


def read_csv(path):
    """Rows as written, numbers as numbers."""
    def number(text):
        try:
            return float(text)
        except ValueError:
            return text
    with open(path, newline="") as source:
        return [{key: number(value) for key, value in row.items()} for row in csv.DictReader(source)]


def table(heads, lines):
    rows = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(rows + ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]) + "\n"


def replace_section(page, name, text):
    """Puts generated text between the page's two comments of that name; what people wrote around it stays."""
    begin, end = f"<!-- {name}: begin, generated -->", f"<!-- {name}: end -->"
    old = page.read_text() if page.exists() else ""
    if begin not in old:
        old += f"\n{begin}\n{end}\n"
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    page.write_text(re.sub(pattern, lambda _: f"{begin}\n{text}{end}", old, flags=re.DOTALL))


def picture(path, panels, draw):
    """`panels` axes beside each other, filled by draw(axes), as SVG that is the same for the same data."""
    try:
        import matplotlib
    except ImportError:
        sys.exit("no matplotlib for this python3: scripts/setup python3-matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "foretile", "svg.fonttype": "none", "axes.grid": True, "grid.alpha": 0.3})
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(1, panels, figsize=(7 * panels, 4.6), squeeze=False, layout="constrained")
    draw(*axes[0])
    figure.savefig(path, metadata={"Date": None})
