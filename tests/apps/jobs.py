# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of foretile-run in a folder of their own; scripts begin with: SCRIPT foretile foretile-run mpiexec."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FORETILE, FORETILE_RUN, MPIEXEC = (pathlib.Path(path).resolve() for path in sys.argv[1:4])

# B is generated.
PROBLEM = """kind = "random"
m = 200
n = 400
k = 400
tile_min = 20
tile_max = 60
a_density = 0.5
b_density = 0.4
seed = 1
"""
DENSE = 'kind = "dense"\nm = 192\nn = 256\nk = 320\ntile = 64\nseed = 3\n'


class Jobs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {**os.environ, "XDG_CONFIG_HOME": folder.name}
        (self.folder / "p.toml").write_text(PROBLEM)
        (self.folder / "d.toml").write_text(DENSE)

    def call(self, *command, timeout=100):
        return subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=self.folder,
                              env=self.environment, timeout=timeout)

    def ran(self, ranks, *words):
        """The report as JSON."""
        result = self.call(MPIEXEC, "-n", ranks, FORETILE_RUN, *words, "--json")
        self.assertEqual(result.returncode, 0, (words, result.stderr))
        return json.loads(result.stdout)

    def refused(self, said, *words, ranks=2):
        result = self.call(MPIEXEC, "-n", ranks, FORETILE_RUN, *words)
        self.assertEqual(result.returncode, 2, (words, result.stdout, result.stderr))
        self.assertEqual(result.stderr.count("foretile-run: "), 1, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertIn(said, result.stderr)
        return result.stderr

    def stored(self, problem, ranks, *options):
        """In plan.json; the plan's figures as JSON."""
        result = self.call(FORETILE, "plan", problem, "--ranks", ranks, "-o", "plan.json", "--json", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def started_differently(self, first, second):
        """Rank 0 with the words `first`, rank 1 with `second`: exit code 2 on both, and the only line of stderr."""
        result = self.call(MPIEXEC, "-n", 1, FORETILE_RUN, *first, ":", "-n", 1, FORETILE_RUN, *second)
        self.assertEqual(result.returncode, 2, (result.stdout, result.stderr))
        self.assertEqual(result.stderr.count("foretile-run: "), 1, result.stderr)
        self.assertEqual(result.stdout, "")
        return result.stderr


def main():
    unittest.main(argv=sys.argv[:1])
