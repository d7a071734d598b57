#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that start MPI by MPI_Init(): products, arguments of one rank alone, calls after MPI_Finalize().

   plain_mpi_test.py PROGRAM MPIEXEC"""

import subprocess
import sys
import unittest

PROGRAM, MPIEXEC = sys.argv[1:3]
NOTE = "foretile: MPI was started by MPI_Init() for one thread"


def run(what, ranks=2):
    return subprocess.run([MPIEXEC, "-n", str(ranks), PROGRAM, what], capture_output=True, text=True, timeout=60)


class PlainMpi(unittest.TestCase):
    def test_products_are_right_and_the_note_comes_once(self):
        ran = run("products")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stderr.count(NOTE), 1, ran.stderr)
        self.assertEqual(len(ran.stderr.splitlines()), 1, ran.stderr)

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

    def test_calls_after_the_end_of_mpi_are_refused(self):
        ran = run("finalized")
        self.assertEqual(ran.returncode, 0, ran.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
