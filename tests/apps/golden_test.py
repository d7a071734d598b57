# SPDX-License-Identifier: BSD-3-Clause
"""Plan, report and timeline of a toy problem against the files in golden/.   golden_test.py FORETILE

golden_test.py FORETILE --write   writes them again; read the difference before committing it.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

foretile = sys.argv[1]
write = "--write" in sys.argv
here = pathlib.Path(__file__).parent
TIMES = ("planned in", "simulated by", "Written to", "The trace is in")


def run(*arguments):
    done = subprocess.run([foretile, *map(str, arguments)], check=True, capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return done.stdout


def without_times(text):
    return "".join(line for line in text.splitlines(True) if not line.strip().startswith(TIMES)).rstrip() + "\n"


def timeline(trace):
    """One line per event, by start: start, duration, rank, lane, what."""
    events = json.loads(trace.read_text())["traceEvents"]
    lanes = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    lines = []
    for e in events:
        if e["ph"] == "X":
            what = " ".join(f"{key}={value}" for key, value in e["args"].items())
            lines.append((e["ts"], e["pid"], lanes[e["pid"], e["tid"]], f"{e['dur']:8.3f}", f"{e['name']} {what}"))
    return "".join(f"{ts:8.3f} us +{dur}  rank {pid}  {lane:<20} {what}\n" for ts, pid, lane, dur, what in sorted(lines))


def compare(name, found):
    golden = here / "golden" / name
    if write:
        golden.write_text(found)
    expected = golden.read_text()
    assert found == expected, f"{name} differs; found:\n{found}\nexpected:\n{expected}"


with tempfile.TemporaryDirectory() as scratch:
    problem = pathlib.Path(scratch) / "toy.toml"
    run("problem", "dense", "--m", 4, "--n", 4, "--k", 4, "--tile", 2, "--b-source", "generated", "-o", problem)
    machine, strategy = ("--platform", here / "toy_platform.toml"), ("--set", "strategy=stationary-b")
    compare("plan.txt", without_times(run("plan", problem, *machine, "--nodes", 2, *strategy)))
    dot = pathlib.Path(scratch) / "plan.dot"
    run("plan", problem, *machine, "--nodes", 2, *strategy, "--dot", dot)
    compare("plan.dot", dot.read_text())
    for name, size in (("one_rank", ("--gpus", 2)), ("two_ranks", ("--nodes", 2))):
        trace = pathlib.Path(scratch) / "trace.json"
        compare(f"{name}_report.txt", without_times(run("simulate", problem, *machine, *size, *strategy, "--trace", trace)))
        compare(f"{name}_timeline.txt", timeline(trace))
print("all as expected")
