# SPDX-License-Identifier: BSD-3-Clause
"""Every key of the JSON that commands print or write, and every parameter of a strategy, is in a row of a table in docs/, in code font.

usage: json_keys_test.py SOURCE_FOLDER foretile [foretile-run]
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, FORETILE, *RUN = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
ROWS = "\n".join(row for page in (SOURCE / "docs").rglob("*.md") for row in re.findall(r"^\|.*", page.read_text(), re.M))
CODE = " ".join(re.findall(r"`([^`\n]+)`", ROWS))
NAMED = set(re.findall(r"\w+", CODE))
NAMES_OF_TERMS = {"strategies", "split_k"}  # their keys

PROGRAM = (SOURCE / "examples/ccsd_t2.txt", "--o", 2, "--v", 3, "--tile", 2)
POWER = ("--set", "platform.power.node_idle=100", "--set", "platform.power.node_busy=200")
SUMMIT, CASCADE = ("--platform", "summit", "--nodes", 1), ("--platform", "cascade")
COMMANDS = {
    "problem": (FORETILE, "problem", "dense", "--m", 64, "--n", 64, "--k", 64, "--tile", 16, "-o", "p.toml"),
    "molecule": (FORETILE, "problem", "molecule", "--xyz", SOURCE / "examples/h2o12.xyz", "-o", "m.toml"),
    "tensor": (FORETILE, "problem", "tensor", "R[ij,ab] += V[ij,cd] T[cd,ab]", "--index", "abcd=4", "--index", "ij=2", "--tile", 2, "-o", "t.toml"),
    "show": (FORETILE, "show", "p.toml"),
    "plan": (FORETILE, "plan", "p.toml", *SUMMIT),
    **{f"plan {strategy}": (FORETILE, "plan", "p.toml", *SUMMIT, "--set", f"strategy={strategy}")
       for strategy in ("stationary-b", "local-b", "stationary-c", "grid-3d", "owner-b", "owner-computes-c")},
    "simulate": (FORETILE, "simulate", "p.toml", *SUMMIT, "--what-if", "--coarse"),
    "tune": (FORETILE, "tune", "p.toml", "--platform", "summit", "--nodes", "1..2", "--count", 2),
    "platform": (FORETILE, "platform", "show", "summit"),
    "platform sensitivity": (FORETILE, "platform", "show", "cascade", "--sensitivity", "p.toml"),
    "platform new": (FORETILE, "platform", "new", "--name", "new", "--nodes", 1, "--device", "none", "--sockets", 1, "--cores", 4, "--memory", 64, "--cards", 0),
    "platform list": (FORETILE, "platform", "list"),
    "platform compare": (FORETILE, "platform", "compare", "summit", "cascade"),
    "compare problem": (FORETILE, "platform", "compare", "summit", "cascade", *POWER, "--problem", "p.toml", "--count", 2, "--nodes", "128..256"),
    "compare program": (FORETILE, "platform", "compare", "cascade", "--problem", *PROGRAM),
    "simulate power": (FORETILE, "simulate", "p.toml", *SUMMIT, *POWER),
    "tune power": (FORETILE, "tune", "p.toml", "--platform", "summit", *POWER, "--nodes", "1..2", "--count", 2, "--goal", "energy"),
    "simulate program power": (FORETILE, "simulate", *PROGRAM, *CASCADE, *POWER),
    "tune program power": (FORETILE, "tune", *PROGRAM, *CASCADE, *POWER),
    "write plan": (FORETILE, "simulate", "p.toml", *SUMMIT, "-o", "plan.json"),
    "write history": (FORETILE, "tune", "p.toml", *SUMMIT, "--count", 2, "--history", "history.jsonl"),
    "write program plan": (FORETILE, "simulate", *PROGRAM, *CASCADE, "-o", "program.json"),
    "show program": (FORETILE, "show", *PROGRAM),
    "plan program": (FORETILE, "plan", *PROGRAM, *CASCADE, "--on-demand", "v[pp|pp]"),
    "simulate program": (FORETILE, "simulate", *PROGRAM, *CASCADE, "--what-if"),
    "simulate original": (FORETILE, "simulate", *PROGRAM, *CASCADE, "--original", "nwchem"),
    "tune program": (FORETILE, "tune", *PROGRAM, *CASCADE),
}
WRITTEN = ("plan.json", "program.json", "history.jsonl")
if RUN:
    COMMANDS["run"] = (RUN[0], "p.toml", "--verify", "--output", "c.npy")
    COMMANDS["run checkpoint"] = (RUN[0], "p.toml", "--checkpoint", "kept")
    COMMANDS["show matrix"] = (FORETILE, "show", "c.npy")
    COMMANDS["compare"] = (FORETILE, "compare", "c.npy", "c.npy", "--tile", 16)
    COMMANDS["matrices"] = (FORETILE, "problem", "matrices", "--a", "c.npy", "--b", "c.npy", "-o", "matrices.toml")
    COMMANDS["show matrices"] = (FORETILE, "show", "matrices.toml")
    COMMANDS["run matrices"] = (RUN[0], "matrices.toml")
    for gpu in ("none", "stand-in"):
        COMMANDS[f"calibrate {gpu}"] = (RUN[0], "calibrate", "--gpu", gpu, "--budget", "1s", "--force", "-o", f"{gpu}.toml")
    COMMANDS["run program"] = (RUN[0], *PROGRAM, "--verify")


def keys(value):
    """Of an object and all in it; a dotted key of a platform counts as a whole."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in NAMES_OF_TERMS:
                yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def is_named(key):
    return key in NAMED if "." not in key else all(part in NAMED for part in key.split("."))


class JsonKeys(unittest.TestCase):
    def check(self, name, value):
        self.assertEqual(sorted({key for key in keys(value) if not is_named(key)}), [], f"no row of keys of {name}")

    def test_all_have_a_row(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, command in COMMANDS.items():
                done = subprocess.run([*map(str, command), "--json"], cwd=folder, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")
                with self.subTest(name):
                    self.check(name, json.loads(done.stdout))
            for file in WRITTEN:
                with self.subTest(file):
                    text = (pathlib.Path(folder) / file).read_text()
                    self.check(file, json.loads(text) if file.endswith(".json") else [json.loads(line) for line in text.splitlines()])


unittest.main(argv=sys.argv[:1])
