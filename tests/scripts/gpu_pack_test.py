#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/gpu-check --pack: what goes into a pack, and the whole of gpu-check from one, on the stand-in.

usage: gpu_pack_test.py scripts/gpu-check BUILD_FOLDER      exit code 77 where a test could not be done, after the reason
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

GPU_CHECK, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
SKIPPED = 77
sys.dont_write_bytecode = True
sys.path[:0] = [str(GPU_CHECK.parent), str(pathlib.Path(__file__).resolve().parent)]

import bare_root  # noqa: E402
from gpu_check import pack  # noqa: E402
from gpu_check.settings import CALLS, QUICK  # noqa: E402


class Packs(unittest.TestCase):
    def setUp(self):
        missing = [name for name in pack.PROGRAMS if not (BUILD / name).exists()]
        if missing:
            self.skipTest(f"a pack needs {', '.join(missing)}")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Contents(Packs):
    def test_a_default_pack_links_no_part_that_is_left_out(self):
        """Configured as a default pack is, not built."""
        before = pack.call
        pack.call = lambda *command: before(*command) if "--build" not in command else ""
        try:
            pack.compile_programs(self.folder)
        finally:
            pack.call = before
        links = re.findall(r"(?m)^  LINK_LIBRARIES = (.*)$", (self.folder / "build.ninja").read_text())
        self.assertTrue(any("blas" in line for line in links))
        self.assertEqual([line for line in links if re.search("hdf5|cairo", line)], [])


class OnABareMachine(Packs):
    """A pack, copied to another folder and unpacked where there is no network and nothing of Debian's (bare_root.py)."""

    def setUp(self):
        super().setUp()
        self.pack, self.out, self.root = (self.folder / name for name in ("pack", "out", "root"))
        for folder in (self.pack, self.out):
            folder.mkdir()
        bare_root.make(self.root, BUILD / "foretile-run")
        reason = bare_root.why_not(self.root, self.pack, self.out)
        if reason:
            self.skipTest(f"no namespaces here: {reason}")

    def call(self, name, seconds):
        words = bare_root.command(self.root, self.pack, self.out, "/pack/gpu-check", "--gpu", "stand-in", "--from", "/pack",
                                  "--call", name, "-o", "/out")
        done = subprocess.run(words, capture_output=True, text=True, timeout=seconds)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads((self.out / "gpu-check.json").read_text())

    def test_both_calls_end_in_their_time(self):
        made = self.folder / "made"
        before, (pack.PRESET, pack.LIMIT) = (pack.PRESET, pack.LIMIT), (0, 100 * 2**20)  # for less time
        try:
            pack.pack(made, BUILD, compile_first=False)
        finally:
            pack.PRESET, pack.LIMIT = before
        shutil.copytree(made, self.pack, dirs_exist_ok=True)
        shutil.rmtree(made)

        first = self.call("first", 210)
        self.assertEqual([step["step"] for step in first["steps"]], list(CALLS["first"]))
        self.assertIn("/dev/shm", first["facts"])
        self.assertIn("/proc/meminfo before it was touched", (self.out / "gpu-check.log").read_text())
        self.assertIn("-localhost 127.0.0.1", first["facts"]["several ranks"])
        self.assertEqual(len(first["checks"]), 6)

        second = self.call("second", 480)
        states = {step["step"]: step["state"] for step in second["steps"]}
        not_here = ["peers", "sanitizer", "xt"]
        self.assertEqual({name: state for name, state in states.items() if name not in not_here},
                         {name: "done" for call in CALLS.values() for name in call if name not in not_here})
        self.assertTrue(all(check["passed"] for check in second["checks"]))
        self.assertGreaterEqual(len(second["checks"]), 15)
        self.assertEqual(len(second["plans"]), QUICK.plans)
        self.assertGreaterEqual({figure["target"] for figure in second["figures"]}, {"at least 92%", "under 10%"})
        self.assertTrue((self.out / "gpu.toml").exists())
        self.assertIn("say nothing about GPUs", (self.out / "gpu-check.md").read_text())


def main():
    done = unittest.main(argv=sys.argv[:1], exit=False).result
    for test, reason in done.skipped:
        print(f"skipped: {test}: {reason}")
    return 1 if not done.wasSuccessful() else SKIPPED if done.skipped else 0


if __name__ == "__main__":
    sys.exit(main())
