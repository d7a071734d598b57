#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One rank alone lacks memory in a call of the library, or gives NULL: no rank waits for ever.

   one_rank_test.py PROGRAM MPIEXEC [failing_new.so [CASES]]     CASES: of each kind of run, 3 without"""

import os
import random
import subprocess
import sys
import unittest

PROGRAM, MPIEXEC = sys.argv[1:3]
FAILING_NEW = sys.argv[3] if len(sys.argv) > 3 else None
CASES = int(sys.argv[4]) if len(sys.argv) > 4 else 3
NOTE = "foretile: MPI was started by MPI_Init() for one thread"


def call(*words, ranks=3):
    # sh: what mpiexec itself asks for must not fail
    program = f"LD_PRELOAD='{FAILING_NEW or ''}' exec '{PROGRAM}' {' '.join(map(str, words))}"
    done = subprocess.run([MPIEXEC, "-n", str(ranks), "sh", "-c", program], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    return done, [line for line in done.stderr.splitlines() if NOTE not in line]


class NoHandle(unittest.TestCase):
    def test_null_is_a_status_on_all_ranks_or_on_the_one_at_once(self):
        for what in "no_handle", "several", "refused":
            for ranks in 1, 3:
                with self.subTest(what=what, ranks=ranks):
                    done, lines = call(what, ranks=ranks)
                    self.assertEqual((done.returncode, lines), (0, []))


@unittest.skipUnless(FAILING_NEW, "the sanitizers have an operator new of their own")
class NoMemory(unittest.TestCase):
    def test_foretile_create_gives_one_status(self):
        done, lines = call("create", ranks=2)
        self.assertEqual((done.returncode, lines), (0, []))
        self.assertGreater(int(done.stdout), 100)

    def fail_at_some_requests(self, what):
        """The first, and some between: how many there are depends a little on when threads meet."""
        counted, lines = call(what, 0)
        self.assertEqual((counted.returncode, lines), (0, []))
        requests = int(counted.stdout)
        drawn = random.Random(1)
        self.assertGreater(requests, 0)
        late = requests * 95 // 100
        for at in [1, *(drawn.randint(2, late) for _ in range(CASES - 1) if late >= 2)]:
            done, lines = call(what, at)
            self.assertEqual(done.returncode, 1, (what, at, requests, lines))
            yield f"{what}, request {at} of {requests}: {lines}", lines

    def test_runs_end_by_a_status_or_a_line(self):
        for case, lines in self.fail_at_some_requests("run"):
            self.assertLessEqual(len(lines), 1, case)

    def test_programs_end_by_a_line_that_says_why(self):
        for case, lines in self.fail_at_some_requests("program"):
            self.assertTrue(any("memory is used up" in line for line in lines), case)

    def test_gathering_ends_the_job_by_one_line(self):
        for case, lines in self.fail_at_some_requests("gathered"):
            self.assertEqual(lines, ["foretile: rank 0: memory is used up; the job ends"], case)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
