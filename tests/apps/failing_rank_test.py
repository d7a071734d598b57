#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank that fails anywhere ends the whole job of foretile-run, with one line.

usage: failing_rank_test.py foretile foretile-run mpiexec failing_new.so [CASES]     12 without
One memory request of one rank fails: in planning, in the run (its loop or a worker), in the check, in gathering.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

FORETILE, FORETILE_RUN, MPIEXEC, FAILING_NEW = (pathlib.Path(path).resolve() for path in sys.argv[1:5])
CASES = int(sys.argv[5]) if len(sys.argv) > 5 else 12
RANKS = 3

PROBLEM = """kind = "random"
m = 120
n = 200
k = 200
tile_min = 10
tile_max = 30
a_density = 0.6
b_density = 0.6
seed = 1
"""


class FailingRank(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {**os.environ, "XDG_CONFIG_HOME": folder.name}
        (self.folder / "p.toml").write_text(PROBLEM)
        subprocess.run([FORETILE, "plan", "p.toml", "--platform", "here", "--ranks", str(RANKS), "-o", "plan.json"],
                       cwd=self.folder, env=self.environment, check=True, capture_output=True)

    def execute(self, rank, arguments="plan.json --verify --trace t.json", **settings):
        environment = {**self.environment, "FORETILE_FAIL_RANK": str(rank), **settings}
        # sh: what mpiexec itself asks for must not fail
        program = f"LD_PRELOAD='{FAILING_NEW}' exec '{FORETILE_RUN}' {arguments}"
        return subprocess.run([MPIEXEC, "-n", str(RANKS), "sh", "-c", program], cwd=self.folder, env=environment,
                              capture_output=True, text=True, timeout=60)

    def requests(self, rank, *arguments):
        count = self.folder / "count"
        result = self.execute(rank, *arguments, FORETILE_COUNT_TO=str(count))
        self.assertEqual(result.returncode, 0, result.stderr)
        return int(count.read_text().split()[0])

    def test_ends_the_job_with_one_line(self):
        # CLI11 writes texts of options to streams, which go on without memory: the texts are shorter then.
        options = self.requests(0, "--version")
        counts = [self.requests(rank) for rank in range(RANKS)]
        drawn = random.Random(1)
        for case in range(CASES):
            rank = drawn.randrange(RANKS)
            at = drawn.randint(options + 1, options + (counts[rank] - options) * 95 // 100)
            with self.subTest(rank=rank, request=at, of=counts[rank]):
                result = self.execute(rank, FORETILE_FAIL_AT=str(at))
                self.assertNotEqual(result.returncode, 0)
                lines = [line for line in result.stderr.splitlines()
                         if line.startswith("foretile-run: ") and not line.startswith("foretile-run: warning: ")]
                self.assertEqual(len(lines), 1, result.stderr)

    def test_an_mpi_without_threads_is_refused_once(self):
        result = self.execute(-1, FORETILE_MPI_LEVEL="0")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("MPI: found a library without threads"), 1, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_ends_the_job_when_a_rank_never_starts_mpi(self):
        result = subprocess.run([MPIEXEC, "-n", "1", FORETILE_RUN, "--what", ":", "-n", "2", FORETILE_RUN, "plan.json"],
                                cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("--what", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
