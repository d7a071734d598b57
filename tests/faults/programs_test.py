#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One rank of foretile-run program fails: all ranks end, with one line and the right exit code.

usage: programs_test.py foretile-run mpiexec [CASES]     FORETILE_SEED repeats a run; CASES of each fault, 2 without
"""
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy

FORETILE_RUN, MPIEXEC = sys.argv[1:3]
CASES = int(sys.argv[3]) if len(sys.argv) > 3 else 2
SEED = int(os.environ.get("FORETILE_SEED", random.randrange(10**6)))
OCCUPIED, VIRTUAL = 30, 50
PROGRAM = """space h = occupied
space p = virtual
tensor f[p|p]
tensor t[p|h]
result r[p|h]
one: r[p2,h1] += f[p2,p1] t[p1,h1]
"""


class Faults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.draw = random.Random(SEED)
        (self.folder / "p.txt").write_text(PROGRAM)
        numbers = numpy.random.default_rng(SEED)
        self.input = self.folder / "i.h5"
        with h5py.File(self.input, "w") as file:
            for name, rows, columns in (("f[p|p]", VIRTUAL, VIRTUAL), ("t[p|h]", VIRTUAL, OCCUPIED)):
                file.create_dataset(name, data=numbers.random((2 * rows, 2 * columns)), chunks=(10, 10),
                                    compression="gzip")

    def run_program(self, ranks, mode, *options, kilobytes=None):
        """Exit code and lines of standard error. A hang ends the test."""
        command = [MPIEXEC, "-n", ranks, FORETILE_RUN, "program", "p.txt", "--o", OCCUPIED, "--v", VIRTUAL, "--tile", 20,
                   "--mode", mode, *options]
        limit = kilobytes and (lambda: resource.setrlimit(resource.RLIMIT_AS, (kilobytes << 10, kilobytes << 10)))
        done = subprocess.run([str(word) for word in command], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              preexec_fn=limit, env={**os.environ, "XDG_CONFIG_HOME": str(self.folder)})
        lines = [line for line in done.stderr.splitlines() if "warning" not in line and "guess" not in line]
        return done.returncode, lines

    def cases(self):
        for case in range(CASES):
            yield self.draw.randint(1, 4), ("levels", "flow")[case % 2]

    def require_one_line(self, ranks, mode, found, codes):
        code, lines = found
        self.assertIn(code, codes, (SEED, ranks, mode, lines))
        if code:
            self.assertEqual(len(lines), 1, (SEED, ranks, mode, lines))
            self.assertTrue(lines[0].startswith("foretile"), lines)

    def test_sound_input_runs(self):
        for ranks, mode in self.cases():
            self.assertEqual(self.run_program(ranks, mode, "--input", "i.h5"), (0, []), (SEED, ranks, mode))

    def test_damaged_chunk(self):
        """The rank that reads the chunk fails, the others do not. Of both spins up: mixed spins are not read."""
        content = self.input.read_bytes()
        with h5py.File(self.input) as file:
            places = [place for name in file for place in map(file[name].id.get_chunk_info,
                                                              range(file[name].id.get_num_chunks()))
                      if all(2 * first < size for first, size in zip(place.chunk_offset, file[name].shape))]
        for ranks, mode in self.cases():
            place = self.draw.choice(places)
            begin = place.byte_offset + place.size // 2
            self.input.write_bytes(content[:begin] + b"\xff" * 20 + content[begin + 20:])
            self.require_one_line(ranks, mode, self.run_program(ranks, mode, "--input", "i.h5"), [1, 2])
        self.input.write_bytes(content)

    def test_cut_off(self):
        content = self.input.read_bytes()
        for ranks, mode in self.cases():
            self.input.write_bytes(content[:self.draw.randrange(len(content) // 4, len(content) - 100)])
            self.require_one_line(ranks, mode, self.run_program(ranks, mode, "--input", "i.h5"), [1, 2])
        self.input.write_bytes(content)

    def test_little_address_space(self):
        for ranks, mode in self.cases():
            code, lines = self.run_program(ranks, mode, kilobytes=self.draw.randrange(300_000, 700_000))
            self.assertIn(code, [0, 1, 2], (SEED, ranks, mode, lines))
            if code:
                self.assertIn("memory", "".join(lines), (SEED, ranks, mode))


if __name__ == "__main__":
    print(f"seed {SEED}", flush=True)
    unittest.main(argv=sys.argv[:1])
