# SPDX-License-Identifier: BSD-3-Clause
"""Every key of the JSON that commands print, and every parameter of a strategy, is named in a page of docs/, in code font.

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
TEXTS = [re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S) for page in (SOURCE / "docs").rglob("*.md")]  # without blocks
CODE = " ".join(code for text in TEXTS for code in re.findall(r"`([^`]+)`", text))
NAMED = set(re.findall(r"\w+", CODE))
NAMES_OF_TERMS = {"strategies", "split_k"}  # their keys

PROGRAM = (SOURCE / "examples/ccsd_t2.txt", "--o", 2, "--v", 3, "--tile", 2)
SUMMIT, CASCADE = ("--platform", "summit", "--nodes", 1), ("--platform", "cascade")
COMMANDS = {
    "problem": (FORETILE, "problem", "dense", "--m", 64, "--n", 64, "--k", 64, "--tile", 16, "-o", "p.toml"),
    "molecule": (FORETILE, "problem", "molecule", "--xyz", SOURCE / "examples/h2o12.xyz", "-o", "m.toml"),
    "show": (FORETILE, "show", "p.toml"),
    "plan": (FORETILE, "plan", "p.toml", *SUMMIT),
    **{f"plan {strategy}": (FORETILE, "plan", "p.toml", *SUMMIT, "--set", f"strategy={strategy}")
       for strategy in ("stationary-b", "local-b", "stationary-c", "grid-3d", "owner-b", "owner-computes-c")},
    "simulate": (FORETILE, "simulate", "p.toml", *SUMMIT, "--what-if", "--coarse"),
    "tune": (FORETILE, "tune", "p.toml", "--platform", "summit", "--nodes", "1..2", "--count", 2),
    "platform": (FORETILE, "platform", "show", "summit"),
    "show program": (FORETILE, "show", *PROGRAM),
    "plan program": (FORETILE, "plan", *PROGRAM, *CASCADE, "--on-demand", "v[pp|pp]"),
    "simulate program": (FORETILE, "simulate", *PROGRAM, *CASCADE),
    "simulate original": (FORETILE, "simulate", *PROGRAM, *CASCADE, "--original"),
    "tune program": (FORETILE, "tune", *PROGRAM, *CASCADE),
}
if RUN:
    COMMANDS["run"] = (RUN[0], "p.toml", "--verify")
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
    def test_all_are_in_the_reference(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, command in COMMANDS.items():
                done = subprocess.run([*map(str, command), "--json"], cwd=folder, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")
                missing = sorted({key for key in keys(json.loads(done.stdout)) if not is_named(key)})
                self.assertEqual(missing, [], f"docs do not name keys of {name}")


unittest.main(argv=sys.argv[:1])
