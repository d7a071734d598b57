# SPDX-License-Identifier: BSD-3-Clause
"""What the demo ends with: measured, predicted and verified, or exit code 1.

usage: run_result_test.py scripts/run-result foretile foretile-run mpiexec
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT, FORETILE, FORETILE_RUN = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
MPIEXEC = sys.argv[4]
WORDS = ["measured", "predicted", "verified"]


def call(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=100, **options)


class RunResult(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        environment = {**os.environ, "XDG_CONFIG_HOME": folder.name, "OPENBLAS_CORETYPE": "Haswell"}
        for command in [(FORETILE, "problem", "dense", "--m", 64, "--n", 64, "--k", 64, "--tile", 32, "-o", "tiny.toml"),
                        (FORETILE, "simulate", "tiny.toml", "--platform", "here", "--ranks", 2, "-o", "plan.json"),
                        (MPIEXEC, "-n", 2, FORETILE_RUN, "plan.json", "--verify")]:
            done = call(*command, cwd=cls.folder, env=environment)
            assert done.returncode == 0, done.stderr
        cls.output = done.stdout.splitlines()

    def show(self, lines):
        (self.folder / "run.txt").write_text("\n".join(lines) + "\n")
        return call(SCRIPT, self.folder / "run.txt")

    def test_shows_what_a_run_prints(self):
        done = self.show(self.output)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], ["tiny", *WORDS])

    def test_ends_with_verified_where_the_machine_is_slower_than_calibrated(self):
        lines = list(self.output)
        lines[3:3] = ["kernels    calibrated with OpenBLAS X, now OpenBLAS Y: calibrate again",
                      "slower     the machine computed at 0.50 of its calibrated rate"]
        done = self.show(lines)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[3:5], lines[3:5])
        self.assertTrue(done.stdout.splitlines()[-1].startswith("verified "), done.stdout)

    def test_fails_where_a_line_is_missing(self):
        for word in WORDS:
            done = self.show([line for line in self.output if not line.startswith(word)])
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(f"no line '{word}'", done.stderr)

    def test_a_run_that_was_not_verified_fails(self):
        done = self.show([line if not line.startswith("verified") else "not verified, digest of C 1" for line in self.output])
        self.assertEqual(done.returncode, 1, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
