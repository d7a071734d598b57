#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One rank of foretile-run program fails: all ranks end, with one line and the right exit code.

usage: programs_test.py foretile-run mpiexec [failing_new.so] [--cases N] [--count N] [--seed N]
--cases of each fault by itself, --count random faults in all phases; --seed, or FORETILE_SEED, repeats a run
"""
import argparse
import collections
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy

import processes

PARSER = argparse.ArgumentParser()
PARSER.add_argument("foretile_run")
PARSER.add_argument("mpiexec")
PARSER.add_argument("failing_new", nargs="?")
PARSER.add_argument("--cases", type=int, default=2)
PARSER.add_argument("--count", type=int, default=6)
PARSER.add_argument("--seed", type=int, default=int(os.environ.get("FORETILE_SEED", random.randrange(10**6))))
ARGUMENTS = PARSER.parse_args()
FORETILE_RUN, MPIEXEC = pathlib.Path(ARGUMENTS.foretile_run).resolve(), ARGUMENTS.mpiexec
FAILING_NEW = ARGUMENTS.failing_new and pathlib.Path(ARGUMENTS.failing_new).resolve()
CASES, SEED = ARGUMENTS.cases, ARGUMENTS.seed
OCCUPIED, VIRTUAL = 30, 50
ONE_TERM = """space h = occupied
space p = virtual
tensor f[p|p]
tensor t[p|h]
result r[p|h]
one: r[p2,h1] += f[p2,p1] t[p1,h1]
"""
THREE_LEVELS = """space h = occupied
space p = virtual
tensor f[p|p]
tensor t[p|h]
tensor g[h|p]
result r[p|h]
result e[h|h]
one: u[p2,h1] += f[p2,p1] t[p1,h1]
two: w[p2,h1] += f[p2,p1] u[p1,h1]
r1: r[p2,h1] += t[p2,h1]
r2: r[p2,h1] += -0.5 f[p2,p1] w[p1,h1]
e1: v[h2,p1] += g[h2,p1]
e2: e[h2,h1] += v[h2,p1] w[p1,h1]
"""


def of_two_spins(numbers, rows, columns):
    whole = numpy.zeros((2 * rows, 2 * columns))
    whole[:rows, :columns] = whole[rows:, columns:] = numbers.random((rows, columns))
    return whole


class Case(unittest.TestCase):
    program = ONE_TERM

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.draw = random.Random(SEED)
        (self.folder / "p.txt").write_text(self.program)
        numbers = numpy.random.default_rng(SEED)
        self.input = self.folder / "i.h5"
        self.given = {name: of_two_spins(numbers, rows, columns) for name, rows, columns in
                      (("f[p|p]", VIRTUAL, VIRTUAL), ("t[p|h]", VIRTUAL, OCCUPIED), ("g[h|p]", OCCUPIED, VIRTUAL))}
        with h5py.File(self.input, "w") as file:
            for name, tensor in self.given.items():
                file.create_dataset(name, data=tensor, chunks=(10, 10), compression="gzip")
        self.content = self.input.read_bytes()

    def command(self, ranks, mode, *options, start=()):
        return [str(word) for word in (MPIEXEC, "-n", ranks, *start, FORETILE_RUN, "program", "p.txt", "--o", OCCUPIED, "--v",
                                       VIRTUAL, "--tile", 20, "--mode", mode, *options)]

    def run_program(self, ranks, mode, *options, kilobytes=None, start=(), **environment):
        """Exit code and lines of standard error. A hang ends the test."""
        limit = kilobytes and (lambda: resource.setrlimit(resource.RLIMIT_AS, (kilobytes << 10, kilobytes << 10)))
        done = subprocess.run(self.command(ranks, mode, *options, start=start), cwd=self.folder, capture_output=True, text=True,
                              timeout=processes.GUARD_S, preexec_fn=limit,
                              env={**os.environ, "XDG_CONFIG_HOME": str(self.folder), **environment})
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

    def damage_a_chunk(self):
        """Of both spins up: mixed spins are not read, and of two alike the first."""
        with h5py.File(self.input) as file:
            places = [place for name in file for place in map(file[name].id.get_chunk_info,
                                                              range(file[name].id.get_num_chunks()))
                      if all(2 * first < size for first, size in zip(place.chunk_offset, file[name].shape))]
        place = self.draw.choice(places)
        begin = place.byte_offset + place.size // 2
        self.input.write_bytes(self.content[:begin] + b"\xff" * 20 + self.content[begin + 20:])

    def cut_off(self):
        self.input.write_bytes(self.content[:self.draw.randrange(len(self.content) // 4, len(self.content) - 100)])


class Faults(Case):
    def test_sound_input_runs(self):
        for ranks, mode in self.cases():
            self.assertEqual(self.run_program(ranks, mode, "--input", "i.h5"), (0, []), (SEED, ranks, mode))

    def test_damaged_chunk(self):
        """The rank that reads the chunk fails, the others do not."""
        with h5py.File(self.input, "a") as file:
            del file["g[h|p]"]  # which the program does not read
        self.content = self.input.read_bytes()
        for ranks, mode in self.cases():
            self.damage_a_chunk()
            code, lines = self.run_program(ranks, mode, "--input", "i.h5")
            self.require_one_line(ranks, mode, (code, lines), [2])
            self.assertIn("found numbers that cannot be read", lines[0])

    def test_cut_off(self):
        for ranks, mode in self.cases():
            self.cut_off()
            self.require_one_line(ranks, mode, self.run_program(ranks, mode, "--input", "i.h5"), [1, 2])

    def test_little_address_space(self):
        for ranks, mode in self.cases():
            code, lines = self.run_program(ranks, mode, kilobytes=self.draw.randrange(300_000, 700_000))
            self.assertIn(code, [0, 1, 2], (SEED, ranks, mode, lines))
            if code:
                self.assertIn("memory", "".join(lines), (SEED, ranks, mode))

    def test_little_address_space_of_one_rank(self):
        """With these limits MPI starts and can open few connections, or none, later."""
        for ranks, mode in self.cases():
            rank, kilobytes = self.draw.randrange(ranks), self.draw.randrange(345_000, 380_000)
            limit = f"if [ ${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}} = {rank} ]; then ulimit -v {kilobytes}; fi; exec \"$@\""
            code, lines = self.run_program(ranks, mode, start=("sh", "-c", limit, "sh"))
            self.assertIn(code, [0, 1, 2], (SEED, ranks, mode, rank, kilobytes, lines))
            if code:
                self.assertEqual(len(lines), 1, (SEED, ranks, mode, rank, kilobytes, lines))


@unittest.skipUnless(FAILING_NEW, "built without what fails")
class CutOffMeanwhile(Case):
    def execute(self, ranks, mode, **settings):
        start = ("sh", "-c", f"LD_PRELOAD='{FAILING_NEW}' exec \"$@\"", "sh")
        self.input.write_bytes(self.content)
        return self.run_program(ranks, mode, "--input", "i.h5", start=start, FORETILE_CUT_OFF=str(self.input),
                                FORETILE_FAIL_RANK=str(ranks - 1), **settings)

    def test_input_is_cut_off_while_a_rank_reads_it(self):
        """By HDF5, and by pread() where a dataset is in one piece. The last read is one of numbers."""
        whole = self.folder / "whole.h5"
        with h5py.File(whole, "w") as file:
            for name, tensor in self.given.items():
                file.create_dataset(name, data=tensor)
        count = self.folder / "count"
        for ranks, mode, content in ((2, "levels", self.content), (3, "flow", whole.read_bytes())):
            self.content = content
            self.assertEqual(self.execute(ranks, mode, FORETILE_COUNT_TO=str(count)), (0, []))
            reads = int(count.read_text().split()[2])
            self.assertGreater(reads, 4)
            for read in (reads // 2, reads):
                self.require_one_line(ranks, mode, self.execute(ranks, mode, FORETILE_CUT_AT=str(read)), [1, 2])


class TwoRuns(Case):
    def test_of_one_output(self):
        """The later one puts its results beside those of the other."""
        (self.folder / "other.h5").write_bytes(self.content)
        for output, there in (("new.h5", False), ("other.h5", True)):
            run = self.command(1, "levels", "--output", output, "--input", "i.h5")
            job = processes.stopped(run, self.folder / output)
            self.assertEqual(self.run_program(2, "levels", "--output", output, "--input", "i.h5"), (0, []))
            processes.send(job, signal.SIGCONT)
            code, out, err = processes.finish(job, [])
            beside = output.replace(".h5", "-1.h5")
            self.assertEqual(code, 1, (out, err))
            self.assertIn(f"the result is in {beside}", err)
            self.assertEqual(err.count("\n"), 1 + err.count("not calibrated"), err)
            with h5py.File(self.folder / output) as first, h5py.File(self.folder / beside) as later:
                self.assertTrue(numpy.allclose(first["r[p|h]"][:], later["r[p|h]"][:]))
                self.assertEqual("f[p|p]" in first, there)
        self.assertEqual(processes.leftovers(self.folder), [])

    def test_output_of_another_format(self):
        code, lines = self.run_program(2, "levels", "--output", "x.npy", "--input", "none.h5")
        self.assertEqual((code, len(lines)), (2, 1), lines)
        self.assertIn("--output: found 'x.npy', expected FILE.h5", lines[0])


class RandomFaults(Case):
    """Of one rank, with two results in a file, at any moment. Which it was is counted by requests for memory, of which
    all phases have some: the same on every machine."""
    program = THREE_LEVELS
    KINDS = ("kill", "exception", "damaged input", "little memory", "no thread")
    MODES = ("levels", "flow")

    def setUp(self):
        if not FAILING_NEW:
            self.skipTest("built without what fails")
        super().setUp()
        u = self.given["f[p|p]"] @ self.given["t[p|h]"]
        w = self.given["f[p|p]"] @ u
        self.expected = {"r[p|h]": self.given["t[p|h]"] - 0.5 * self.given["f[p|p]"] @ w, "e[h|h]": self.given["g[h|p]"] @ w}
        self.counts = {}

    def execute(self, ranks, mode, rank, before="", **settings):
        start = ("sh", "-c", before + f"LD_PRELOAD='{FAILING_NEW}' exec \"$@\"", "sh")  # not for mpiexec itself
        return self.run_program(ranks, mode, "--input", "i.h5", "--output", "o.h5", "--verify", start=start,
                                FORETILE_FAIL_RANK=str(rank), **settings)

    def counted(self, ranks, mode, rank):
        """Requests for memory, and threads, of a run without a fault."""
        if (ranks, mode, rank) not in self.counts:
            count = self.folder / "count"
            self.assertEqual(self.execute(ranks, mode, rank, FORETILE_COUNT_TO=str(count)), (0, []))
            self.counts[ranks, mode, rank] = [int(word) for word in count.read_text().split()[:2]]
            self.require_results()
        return self.counts[ranks, mode, rank]

    def require_results(self):
        """All that is there is right."""
        output = self.folder / "o.h5"
        if not output.exists():
            return False
        with h5py.File(output) as file:
            for name in file:
                self.assertTrue(numpy.allclose(file[name][:], self.expected[name], rtol=1e-11), name)
            whole = len(file) == len(self.expected)
        output.unlink()
        return whole

    def with_fault(self, kind, ranks, mode, rank):
        """Exit code, lines, where it was, and whether the rank may end without a word."""
        if kind == "damaged input":
            self.draw.choice((self.damage_a_chunk, self.cut_off))()
            found = self.execute(ranks, mode, rank)
            self.input.write_bytes(self.content)
            return *found, "reading", False
        if kind == "little memory":
            kilobytes = self.draw.randrange(250_000, 700_000)
            limit = f"if [ ${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}} = {rank} ]; then ulimit -v {kilobytes}; fi; "
            return *self.execute(ranks, mode, rank, before=limit), f"{kilobytes} kB", False
        requests, threads = self.counted(ranks, mode, rank)
        if kind == "no thread":
            number = self.draw.randint(1, threads)
            return *self.execute(ranks, mode, rank, FORETILE_FAIL_THREAD=str(number)), f"thread {number} of {threads}", False
        at = self.draw.randint(requests // 50 + 1, requests)  # after main began
        place = f"request {100 * at // requests}%"
        if kind == "exception":
            return *self.execute(ranks, mode, rank, FORETILE_FAIL_AT=str(at)), place, False
        by = self.draw.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV))
        found = self.execute(ranks, mode, rank, FORETILE_FAIL_AT=str(at), FORETILE_FAIL_BY=str(int(by)))
        return *found, f"{by.name} at {place}", True

    def test_end_all_ranks(self):
        ends = collections.Counter()
        for number in range(ARGUMENTS.count):
            kind, mode, ranks = self.KINDS[number % len(self.KINDS)], self.draw.choice(self.MODES), self.draw.randint(2, 4)
            rank = self.draw.randrange(ranks)
            with self.subTest(number=number, kind=kind, mode=mode, ranks=ranks, rank=rank, seed=SEED):
                code, lines, place, silent = self.with_fault(kind, ranks, mode, rank)
                own = [line for line in lines if line.startswith(("foretile-run: ", "foretile: "))]
                if ARGUMENTS.count > 20:
                    print(f"{number:3} {kind:13} {mode:6} rank {rank} of {ranks}, {place}: exit {code}, {own or lines[:1]}",
                          flush=True)
                ends[kind, code] += 1
                whole = self.require_results()
                self.assertTrue(whole or code, "no error, and no results")
                if not silent and code:
                    self.assertIn(code, (1, 2), lines)
                    self.assertEqual(len(own), 1, lines)
                elif silent:
                    self.assertLessEqual(len(own), 1, lines)
                for path in self.folder.glob("*.tmp*"):
                    self.assertTrue(silent, f"{path.name} was left")
                    path.unlink()
        print(f"random faults: {dict(sorted(ends.items()))}")


if __name__ == "__main__":
    print(f"seed {SEED}", flush=True)
    unittest.main(argv=sys.argv[:1])
