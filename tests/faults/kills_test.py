#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills ranks, the tuner and its workers at random moments: no hang, no orphan, no half-written file.

usage: kills_test.py foretile [foretile-run mpiexec]
FORETILE_SEED repeats a run; FORETILE_TEST_MOMENTS=20 kills at so many moments
"""
import json
import os
import pathlib
import random
import signal
import sys
import tempfile
import time
import unittest

import processes
from processes import MOMENTS

FORETILE = sys.argv[1]
FORETILE_RUN, MPIEXEC = sys.argv[2:4] if len(sys.argv) > 3 else (None, None)
SEED = int(os.environ.get("FORETILE_SEED", random.randrange(10**6)))
TOY = pathlib.Path(__file__).parents[1] / "apps" / "toy_platform.toml"


def kill(pid):
    """False when it has ended already."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


class Kills(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.dice = random.Random(SEED)

    def call(self, *command):
        code, out, err = processes.finish(processes.start(command, self.folder), [])
        self.assertEqual(code, 0, (command, err))
        return out

    @unittest.skipUnless(FORETILE_RUN, "built without MPI")
    def test_ranks(self):
        dense = ["--m", 4000, "--n", 4000, "--k", 4000, "--tile", 250]
        self.call(FORETILE, "problem", "dense", *dense, "-o", "d.toml")
        for ranks in 2, 3:
            self.call(FORETILE, "plan", "d.toml", "--platform", "here", "--ranks", ranks, "-o", f"{ranks}.json")
        for _ in range(MOMENTS):
            self.kill_a_rank(self.dice.choice([2, 3]))

    def kill_a_rank(self, ranks):
        command = [MPIEXEC, "-n", ranks, FORETILE_RUN, f"{ranks}.json", "--verify", "--trace", "t.json"]
        job = processes.start(command, self.folder)
        found = processes.wait_for(lambda: len(all_of := processes.named(job.pid, "foretile-run")) == ranks and all_of,
                                   "the ranks")
        known = processes.below(job.pid)
        time.sleep(self.dice.uniform(0, 1))  # the whole run takes 2 s and more
        victim = self.dice.choice(found)
        killed = processes.lives(victim) and kill(victim)
        code, out, err = processes.finish(job, known)
        if killed:
            self.assertNotEqual(code, 0, (out, err))
        for trace in self.folder.glob("t.json"):  # it may have been finished before
            json.loads(trace.read_text())
            trace.unlink()
        for temporary in self.folder.glob("*.tmp*"):  # a killed process cannot remove what it was writing
            temporary.unlink()

    def test_tuner_and_workers(self):
        sizes = ["--m", 16, "--n", 24, "--k", 32, "--tile-min", 2, "--tile-max", 2]
        self.call(FORETILE, "problem", "random", *sizes, "-o", "toy.toml")
        fractions = [round(0.01 * hundredth, 2) for hundredth in range(1, 100)]  # more than all moments are enough for
        (self.folder / "space.toml").write_text(f"[parameters]\nblock_fraction = {fractions}\n"
                                                f"chunk_fraction = {fractions}\nlookahead = [1, 2, 3]\n")
        self.call(FORETILE, "plan", "toy.toml", "--platform", TOY, "--nodes", 2, "--set", "grid.p=2", "-o", "best.json")
        evaluated = 0
        for _ in range(MOMENTS):
            evaluated = self.kill_the_tuner(evaluated)
        found = json.loads(self.call(*self.tuning(evaluated + 4), "--json"))
        self.assertEqual((found["evaluated"] + found["infeasible"], found["from_history"]), (evaluated + 4, evaluated))

    @staticmethod
    def tuning(count):
        return [FORETILE, "tune", "toy.toml", "--platform", TOY, "--nodes", 2, "--workers", 2, "--space", "space.toml",
                "--search", "random", "--history", "h.jsonl", "-o", "best.json", "--count", count]

    def kill_the_tuner(self, evaluated):
        """Kills the tuner, or one of its workers and then the tuner. Returns how many evaluations the history has."""
        tuner = processes.start(self.tuning(20000), self.folder)
        processes.wait_for(lambda: processes.below(tuner.pid) or tuner.poll() is not None, "a worker")
        time.sleep(self.dice.uniform(0, 0.2))
        workers = processes.below(tuner.pid)
        if workers and self.dice.random() < 0.5:
            kill(self.dice.choice(workers))
            time.sleep(self.dice.uniform(0, 0.1))
        known = processes.below(tuner.pid)
        killed = tuner.poll() is None and kill(tuner.pid)
        code, out, err = processes.finish(tuner, known + workers)
        self.assertTrue(killed, (code, out, err))
        self.assertNotEqual(code, 0)
        json.loads((self.folder / "best.json").read_text())
        for temporary in self.folder.glob("*.tmp*"):
            temporary.unlink()
        return self.read_history(evaluated)

    def read_history(self, least):
        """All lines but the last, which the kill may have cut, are whole; none is lost and none comes twice."""
        path = self.folder / "h.jsonl"
        if not path.exists():
            return 0
        lines = path.read_text().split("\n")[:-1]
        parameters = [json.dumps(json.loads(line)["parameters"]) for line in lines[1:]]
        self.assertEqual(len(set(parameters)), len(parameters))
        self.assertGreaterEqual(len(parameters), least)
        return len(parameters)


if __name__ == "__main__":
    print(f"seed {SEED}", flush=True)
    unittest.main(argv=sys.argv[:1])
