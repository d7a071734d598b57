#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank that fails anywhere ends the whole job of foretile-run, with one line.

usage: failing_rank_test.py foretile foretile-run mpiexec failing_new.so [CASES]     18 without
One memory request of one rank fails: in planning, in the comparison of strategies, in the run (its loop or a worker), in the check, in gathering.
"""
import pathlib
import random
import subprocess
import sys

from jobs import FORETILE_RUN, MPIEXEC, Jobs, main

FAILING_NEW = pathlib.Path(sys.argv[4]).resolve()
CASES = int(sys.argv[5]) if len(sys.argv) > 5 else 18
RANKS = 3
WORKS = ["plan.json --verify --trace t.json", "p.toml --platform cascade --verify"]  # rank 0 alone compares strategies

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


class FailingRank(Jobs):
    def setUp(self):
        super().setUp()
        (self.folder / "p.toml").write_text(PROBLEM)
        self.stored("p.toml", RANKS, "--platform", "here")

    def execute(self, rank, arguments=WORKS[0], **settings):
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
        counts = {work: [self.requests(rank, work) for rank in range(RANKS)] for work in WORKS}
        drawn = random.Random(1)
        for case in range(CASES):
            rank = drawn.randrange(RANKS)
            work = WORKS[case % len(WORKS)]
            at = drawn.randint(options + 1, options + (counts[work][rank] - options) * 95 // 100)
            with self.subTest(work=work, rank=rank, request=at, of=counts[work][rank]):
                result = self.execute(rank, work, FORETILE_FAIL_AT=str(at))
                if rank != 0 or work == WORKS[0]:  # a plan that a thread of the comparison lacked memory for is made again
                    self.assertNotEqual(result.returncode, 0)
                lines = [line for line in result.stderr.splitlines()
                         if line.startswith("foretile-run: ") and not line.startswith("foretile-run: warning: ")]
                self.assertEqual(len(lines), 1 if result.returncode else 0, result.stderr)

    def test_an_mpi_without_threads_is_refused_once(self):
        result = self.execute(-1, FORETILE_MPI_LEVEL="0")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("MPI: found a library without threads"), 1, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_ends_the_job_when_a_rank_never_starts_mpi(self):
        result = self.call(MPIEXEC, "-n", 1, FORETILE_RUN, "--what", ":", "-n", 2, FORETILE_RUN, "plan.json")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("--what", result.stderr)


if __name__ == "__main__":
    main()
