#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`foretile simulate` where the address space is too small: one line, exit code 1, and no half-written file.

usage: low_memory_test.py foretile
"""
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

FORETILE = pathlib.Path(sys.argv[1]).resolve()
STEP = 2 << 20


def call(address_space, *arguments, folder=None):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    return subprocess.run([FORETILE, *arguments], preexec_fn=limit, cwd=folder, capture_output=True, text=True, timeout=100)


def least_to_start():
    """With less, the libraries are not even loaded."""
    address_space = STEP
    while call(address_space, "--version").returncode != 0:
        address_space += STEP
    return address_space


class LowMemory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def simulate(self, address_space):
        """Whether it was enough."""
        result = call(address_space, "simulate", "c65-v2", "--platform", "summit", "--nodes", "2", "--trace", "t.json",
                      folder=self.folder)
        if result.returncode == 0:
            self.assertEqual(result.stderr, "")
            self.assertIn("critical path", result.stdout)
            return True
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("foretile: "), result.stderr)
        self.assertIn("memory", result.stderr.lower())
        self.assertEqual(result.stdout, "")
        self.assertEqual(list(self.folder.iterdir()), [])
        return False

    def test_ends_with_one_line(self):
        address_space = least_to_start()
        refused = 0
        while not self.simulate(address_space):
            address_space += STEP
            refused += 1
        self.assertGreater(refused, 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
