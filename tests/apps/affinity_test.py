#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""foretile-run starts as many threads as it may use cores (taskset, Slurm's binding), whatever the machine has.

usage: affinity_test.py foretile foretile-run mpiexec failing_new.so     the last counts the threads
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FORETILE, FORETILE_RUN, MPIEXEC, FAILING_NEW = (pathlib.Path(path).resolve() for path in sys.argv[1:5])


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two cores")
class Affinity(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, cores, *command, **settings):
        done = subprocess.run(["taskset", "-c", ",".join(map(str, cores)), *map(str, command)], cwd=self.folder, capture_output=True,
                              text=True, timeout=60, env={**os.environ, "XDG_CONFIG_HOME": str(self.folder), **settings})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def threads(self, cores):
        self.call(cores, MPIEXEC, "-n", 1, "sh", "-c", f"LD_PRELOAD='{FAILING_NEW}' exec '{FORETILE_RUN}' plan.json",
                  FORETILE_FAIL_RANK="0", FORETILE_COUNT_TO=str(self.folder / "count"))
        return int((self.folder / "count").read_text().split()[1])

    def test_a_plan_for_two_cores_runs_on_one(self):
        """Without one worker, and without one of those that make tiles."""
        cores = sorted(os.sched_getaffinity(0))[:2]
        (self.folder / "p.toml").write_text('kind = "dense"\nm = 200\nn = 200\nk = 200\ntile = 50\n')
        self.call(cores, FORETILE, "plan", "p.toml", "--platform", "here", "--ranks", "1", "-o", "plan.json")
        on_both = self.threads(cores)
        for core in cores:
            self.assertEqual(self.threads([core]), on_both - 2)

    def test_here_has_the_cores_that_may_be_used(self):
        cores = sorted(os.sched_getaffinity(0))[:2]
        for some in (cores, cores[:1]):
            self.assertEqual(json.loads(self.call(some, FORETILE, "platform", "show", "here", "--json"))["cores_per_node"], len(some))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
