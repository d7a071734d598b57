#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""SIGINT, SIGTERM and SIGHUP end the programs with 130, 143 and 129 and leave nothing behind.

usage: signals_test.py foretile [foretile-run mpiexec]
"""
import itertools
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

FORETILE = sys.argv[1]
FORETILE_RUN, MPIEXEC = sys.argv[2:4] if len(sys.argv) > 3 else (None, None)
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
SEED = int(os.environ.get("FORETILE_SEED", random.randrange(10**6)))
DICE = random.Random(SEED)


class Signals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def end(self, number, process, receiver, known):
        os.kill(receiver, number)
        code, out, err = processes.finish(process, known)
        self.assertEqual(code, 128 + number, (number, err[-500:]))
        self.assertEqual(processes.leftovers(self.folder), [])
        return out, err

    def interrupt(self, number, ready, *command):
        """The signal goes to `foretile` a moment after ready(process) holds."""
        process = processes.start([FORETILE, *command], self.folder)
        processes.wait_for(lambda: processes.catches(process.pid), "a handler")
        processes.wait_for(lambda: ready(process), "the moment")
        time.sleep(DICE.uniform(0, 0.3))
        return self.end(number, process, process.pid, processes.below(process.pid))

    def test_plan(self):
        for number in SIGNALS:
            out, err = self.interrupt(number, lambda _: True, "plan", "c65-v1", "--platform", "summit", "--nodes", 4,
                                      "--dot", "d.dot", "-o", "p.json")
            self.assertEqual((out, err), ("", ""))
            self.assertFalse((self.folder / "p.json").exists())

    def test_simulate(self):
        moments = [lambda _: True, lambda _: processes.leftovers(self.folder),
                   lambda _: any(processes.size(path) > 10**5 for path in self.folder.glob("*.tmp*"))]
        for number in SIGNALS:
            for moment in moments:
                out, err = self.interrupt(number, moment, "simulate", "c65-v1", "--platform", "summit", "--nodes", 4,
                                          "--trace", "t.json", "-o", "p.json")
                self.assertEqual((out, err), ("", ""))
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_tune_keeps_what_it_found(self):
        for number in SIGNALS:
            out, _ = self.interrupt(number, lambda process: processes.below(process.pid), "tune", "c65-v2", "--platform",
                                    "summit", "--nodes", 6, "--json", "--history", f"{number}.jsonl")
            self.assertEqual(json.loads(out)["end"], "interrupt")

    @unittest.skipUnless(FORETILE_RUN, "built without MPI")
    def test_run(self):
        self.plan(3)
        # To mpiexec, or to one of the ranks.
        for number, receiver in DICE.sample(list(itertools.product(SIGNALS, range(4))), 6):
            self.interrupt_job(number, receiver)

    def plan(self, ranks):
        # Most of a minute of products: it cannot end by itself before the signal.
        dense = ["--m", 12000, "--n", 12000, "--k", 12000, "--tile", 500]
        for command in [["problem", "dense", *dense, "-o", "q.toml"],
                        ["plan", "q.toml", "--platform", "here", "--ranks", ranks, "-o", "q.json"]]:
            process = processes.start([FORETILE, *command], self.folder)
            code, _, err = processes.finish(process, [])
            self.assertEqual(code, 0, err)

    def interrupt_job(self, number, receiver):
        process = processes.start([MPIEXEC, "-n", 3, FORETILE_RUN, "q.json", "--trace", "t.json"], self.folder)
        ranks = processes.wait_for(lambda: len(found := self.ranks(process)) == 3 and found, "three ranks")
        for rank in ranks:
            processes.wait_for(lambda: processes.catches(rank), "a handler")
        time.sleep(DICE.uniform(0, 0.5))
        known = processes.below(process.pid)
        self.end(number, process, process.pid if receiver == 0 else ranks[receiver - 1], known)

    @unittest.skipUnless(FORETILE_RUN, "built without MPI")
    def test_a_signal_to_any_rank_removes_the_output_of_a_program(self):
        program = pathlib.Path(__file__).resolve().parents[2] / "examples/ccsd_t2.txt"
        for receiver, number in enumerate(SIGNALS):
            process = processes.start([MPIEXEC, "-n", 3, FORETILE_RUN, "program", program, "--o", 12, "--v", 40,
                                       "--tile", 5, "--output", "out.h5"], self.folder)
            ranks = processes.wait_for(lambda: len(found := self.ranks(process)) == 3 and found, "three ranks")
            processes.wait_for(lambda: processes.leftovers(self.folder), "the unfinished output")
            time.sleep(0.1 + DICE.uniform(0, 0.3))  # the others know its name soon after
            self.end(number, process, ranks[receiver], processes.below(process.pid))

    @staticmethod
    def ranks(process):
        return sorted(processes.named(process.pid, "foretile-run"))

    @unittest.skipUnless(FORETILE_RUN, "built without MPI")
    def test_run_alone(self):
        self.plan(1)
        for number in SIGNALS:
            for command in [["q.json"], ["calibrate", "-o", "c.toml"]]:
                process = processes.start([FORETILE_RUN, *command], self.folder)
                processes.wait_for(lambda: processes.catches(process.pid), "a handler")
                time.sleep(DICE.uniform(0, 0.3))
                self.end(number, process, process.pid, processes.below(process.pid))


if __name__ == "__main__":
    print(f"seed {SEED}", flush=True)
    unittest.main(argv=sys.argv[:1])
