#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that start MPI by MPI_Init(): products, arguments of one rank alone, memory that one rank alone lacks,
calls after MPI_Finalize().

   plain_mpi_test.py PROGRAM MPIEXEC [failing_new.so [CASES]]"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MPIEXEC = sys.argv[1:3]
FAILING_NEW = sys.argv[3] if len(sys.argv) > 3 else None
CASES = int(sys.argv[4]) if len(sys.argv) > 4 else 16
NOTE = "foretile: MPI was started by MPI_Init() for one thread"


def run(what, ranks=2):
    return subprocess.run([MPIEXEC, "-n", str(ranks), PROGRAM, what], capture_output=True, text=True, timeout=60)


class PlainMpi(unittest.TestCase):
    def test_products_are_right_and_the_note_comes_once(self):
        for level, notes in (("products", 1), ("single", 1), ("funneled", 0)):
            ran = run(level)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(ran.stderr.count(NOTE), notes, ran.stderr)
            self.assertEqual(len(ran.stderr.splitlines()), notes, ran.stderr)

    def test_calls_of_another_thread_are_refused(self):
        ran = run("other_thread")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_an_argument_that_is_0_on_one_rank_alone_ends_the_job(self):
        for argument in "alpha", "m", "k":
            with self.subTest(argument):
                ran = run(argument)
                self.assertEqual(ran.returncode, 2, ran.stderr)
                self.assertEqual(ran.stderr.count("foretile_pdgemm: arguments: found different ones on the ranks"), 1, ran.stderr)
                self.assertEqual(ran.stderr.count("foretile_pdgemm"), 1, ran.stderr)

    def test_a_wrong_argument_is_said_once(self):
        for argument, text in [("letter", "transa: found 'X'"), ("a_letter", "transa: found 'X'"),
                               ("blocks", "block-cyclic matrix: ")]:
            with self.subTest(argument):
                ran = run(argument, 3)
                self.assertEqual(ran.returncode, 2, ran.stderr)
                self.assertEqual(ran.stderr.count("foretile_pdgemm: " + text), 1, ran.stderr)
                self.assertEqual(ran.stderr.count("foretile_pdgemm"), 1, ran.stderr)

    def run_with(self, rank, **settings):
        # sh: what mpiexec itself asks for must not fail
        program = f"LD_PRELOAD='{FAILING_NEW}' exec '{PROGRAM}' products"
        return subprocess.run([MPIEXEC, "-n", "2", "sh", "-c", program], capture_output=True, text=True, timeout=30,
                              env={**os.environ, "FORETILE_FAIL_RANK": str(rank), **settings})

    @unittest.skipUnless(FAILING_NEW, "the sanitizers have an operator new of their own")
    def test_memory_that_one_rank_lacks_ends_the_job(self):
        with tempfile.TemporaryDirectory() as folder:
            count = pathlib.Path(folder) / "count"
            self.assertEqual(self.run_with(1, FORETILE_COUNT_TO=str(count)).returncode, 0)
            requests = int(count.read_text().split()[0])
        for case in range(CASES):
            at = requests * (2 * case + 1) // (2 * CASES)  # the last ones run the product
            with self.subTest(request=at, of=requests):
                ran = self.run_with(1, FORETILE_FAIL_AT=str(at))
                self.assertNotEqual(ran.returncode, 0)
                lines = [line for line in ran.stderr.splitlines() if line.startswith("foretile") and NOTE not in line]
                self.assertTrue(any("memory is used up" in line for line in lines), ran.stderr)
                self.assertLessEqual(len(lines), 2, ran.stderr)  # the other rank's says that one failed

    def test_calls_after_the_end_of_mpi_are_refused(self):
        ran = run("finalized")
        self.assertEqual(ran.returncode, 0, ran.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
