#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Inputs that change during a run of foretile-run, and outputs that two runs write at once.

Every change is noticed (exit code 2, no output) or harmless (the right C). One that is made while a program waits is
noticed.

usage: inputs_test.py foretile foretile-run mpiexec [CASES]     FORETILE_SEED repeats a run; CASES of 40, 10 without
"""
import mmap
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy

import processes

FORETILE, FORETILE_RUN, MPIEXEC = sys.argv[1:4]
CASES = int(sys.argv[4]) if len(sys.argv) > 4 else 10
SEED = int(os.environ.get("FORETILE_SEED", random.randrange(10**6)))
N = 1200
CHANGED = 1e6
OCCUPIED, VIRTUAL = 150, 250
PROGRAM = """space h = occupied
space p = virtual
tensor f[p|p]
tensor t[p|h]
result r[p|h]
one: r[p2,h1] += f[p2,p1] t[p1,h1]
"""


def number_at(path, offset, value):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(value)


class Change:
    """One way to change a number of a file, prepared before the run."""

    def __init__(self, way, path, offset):
        self.way, self.path, self.offset = way, path, offset
        self.old = path.read_bytes()[offset:offset + 8]
        if way.startswith("map"):
            self.file = open(path, "r+b")
            self.map = mmap.mmap(self.file.fileno(), 0)
            self.map[offset:offset + 8] = self.old  # the page is dirty

    def apply(self):
        value = numpy.float64(CHANGED).tobytes()
        times = os.stat(self.path)
        if self.way in ("map", "map and back"):
            self.map[self.offset:self.offset + 8] = value
            if self.way == "map and back":
                time.sleep(0.05)
                self.map[self.offset:self.offset + 8] = self.old
        elif self.way == "replace":
            copy = self.path.with_name("copy")
            copy.write_bytes(self.path.read_bytes())
            number_at(copy, self.offset, value)
            os.replace(copy, self.path)
        else:
            number_at(self.path, self.offset, value)
            if self.way == "write and back":
                time.sleep(0.05)
                number_at(self.path, self.offset, self.old)
            if self.way != "write":  # with the old time
                os.utime(self.path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def undo(self, content):
        if self.way.startswith("map"):
            self.map.close()
            self.file.close()
        self.path.write_bytes(content)


WAYS = ["write", "write, old time", "write and back", "map", "map and back", "replace"]


def same(found, expected):
    return numpy.linalg.norm(found - expected) < 1e-9 * numpy.linalg.norm(expected)


def notes_writes(folder):
    """Whether the file system notes the time of every write through a map (docs/files.md)."""
    kind = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True).stdout.strip()
    return kind in ("ext2/ext3", "xfs", "btrfs", "f2fs")


def is_open(job, path):
    for pid in processes.named(job.pid, "foretile-run"):
        try:
            if any(os.path.realpath(link) == str(path) for link in pathlib.Path(f"/proc/{pid}/fd").iterdir()):
                return True
        except OSError:  # it has ended
            pass
    return False


class Inputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.dice = random.Random(SEED)

    def call(self, *command, code=0):
        done, out, err = processes.finish(processes.start(command, self.folder), [])
        self.assertEqual(done, code, (command, out, err))
        return out + err

    def make_plan(self, kind):
        random_numbers = numpy.random.default_rng(1)
        a, b = random_numbers.standard_normal((N, N)), random_numbers.standard_normal((N, N))
        if kind == "npy":
            numpy.save(self.folder / "a.npy", a)
        else:
            with h5py.File(self.folder / "a.h5", "w") as file:
                file.create_dataset("A", data=a, chunks=(100, 100) if kind == "chunks" else None)
        numpy.save(self.folder / "b.npy", numpy.asfortranarray(b))
        self.call(FORETILE, "problem", "matrices", "--a", "a.npy" if kind == "npy" else "a.h5:/A", "--b", "b.npy",
                  "--tile", 300, "-o", "p.toml")
        self.call(FORETILE, "plan", "p.toml", "--platform", "here", "--ranks", 2, "-o", "plan.json")
        path = self.folder / ("a.npy" if kind == "npy" else "a.h5")
        offset = path.read_bytes().find(a[N - 1, N - 1].tobytes())
        return path, offset, a @ b

    def seconds_of(self, command, output):
        begin = time.monotonic()
        self.call(*command)
        (self.folder / output).unlink()
        return time.monotonic() - begin

    def change_during(self, command, output, path, offset, way, moment):
        """Whether the change was noticed; else the output is what it would have been."""
        content = path.read_bytes()
        change = Change(way, path, offset)
        job = processes.start(command, self.folder)
        if self.dice.random() < 0.7:  # else any time after the start
            processes.wait_for(lambda: job.poll() is not None or is_open(job, path), "a rank that reads the file")
            moment /= 4
        time.sleep(moment)
        change.apply()
        code, out, err = processes.finish(job, [])
        change.undo(content)
        self.assertIn(code, (0, 1, 2), (way, moment, out, err))
        if code != 0:
            self.assertFalse((self.folder / output).exists())
            self.assertEqual(processes.leftovers(self.folder), [])
        return code != 0

    def test_plans(self):
        noticed = 0
        cases = [(kind, way) for kind in ("npy", "chunks", "flat") for way in WAYS]
        self.dice.shuffle(cases)
        most = max(1, CASES * 3 // 4)
        command = [MPIEXEC, "-n", 2, FORETILE_RUN, "plan.json", "--output", "c.npy"]
        self.make_plan("npy")
        seconds = self.seconds_of(command, "c.npy")
        for number in range(most):
            kind, way = cases[number % len(cases)]
            moment = self.dice.uniform(0.2, 1) * seconds
            with self.subTest(kind=kind, way=way, moment=moment, seed=SEED):
                path, offset, expected = self.make_plan(kind)
                if self.change_during(command, "c.npy", path, offset, way, moment):
                    noticed += 1
                else:
                    found = numpy.load(self.folder / "c.npy")
                    (self.folder / "c.npy").unlink()
                    self.assertTrue(same(found, expected))
        print(f"plans: {noticed} of {most} changes noticed, the others harmless")

    def test_plans_behind_the_digests(self):
        """Changes of mapped tiles when the digests have been compared. Then the folder of --checkpoint is there."""
        for way in ("write, old time", "map"):
            with self.subTest(way=way):
                seen = "late"
                for number in range(10):
                    if seen == "late":
                        seen = self.change_behind_the_digests(way, f"kept-{way[0]}-{number}")
                self.assertEqual(seen, "noticed")

    def change_behind_the_digests(self, way, kept):
        """"noticed", or too "late": the run had ended, or compared the files for the last time."""
        path, offset, _ = self.make_plan("npy")
        content, change = path.read_bytes(), Change(way, path, offset)
        job = processes.start([MPIEXEC, "-n", 2, FORETILE_RUN, "plan.json", "--output", "c.npy", "--checkpoint", kept],
                              self.folder)
        processes.wait_for(lambda: job.poll() is not None or (self.folder / kept / "rank-1.tiles").exists(), "a checkpoint")
        processes.send(job, signal.SIGSTOP)
        change.apply()
        code, out, err = self.go_on(job)
        change.undo(content)
        if code == 0:
            (self.folder / "c.npy").unlink()
            return "late"
        self.assertEqual(code, 2, (way, out, err))
        self.assertIn("a.npy", err)
        self.assertFalse((self.folder / "c.npy").exists())
        return "noticed"

    def make_program(self):
        """Of a closed shell: two spins with the same numbers."""
        def of_two_spins(rows, columns, seed):
            whole, half = numpy.zeros((2 * rows, 2 * columns)), numpy.random.default_rng(seed)
            whole[:rows, :columns] = whole[rows:, columns:] = half.standard_normal((rows, columns))
            return whole

        f, t = of_two_spins(VIRTUAL, VIRTUAL, 1), of_two_spins(VIRTUAL, OCCUPIED, 2)
        path = self.folder / "in.h5"
        with h5py.File(path, "w") as file:
            file["f[p|p]"], file["t[p|h]"] = f, t
        last, changed, both = VIRTUAL - 1, f.copy(), f.copy()
        changed[last, last] = both[last, last] = both[-1, -1] = CHANGED
        return path, path.read_bytes().find(f[last, last].tobytes()), [f @ t, changed @ t, both @ t]

    def test_programs(self):
        (self.folder / "p.txt").write_text(PROGRAM)
        # Verification reads the input once more, so that there is time for a change.
        command = [MPIEXEC, "-n", 2, FORETILE_RUN, "program", "p.txt", "--o", OCCUPIED, "--v", VIRTUAL, "--tile", 50,
                   "--input", "in.h5", "--output", "out.h5", "--verify"]
        ways = ["write, old time", "map", "replace", "write", "write and back", "map and back"]
        for number in range(max(1, CASES - CASES * 3 // 4)):
            way = ways[number % len(ways)]
            with self.subTest(way=way, seed=SEED):
                seen = "late"
                for _ in range(10):
                    if seen == "late":
                        seen = self.change_of_program(command, way)
                unseen = ["harmless"] if way == "map and back" or way == "map" and not notes_writes(self.folder) else []
                self.assertIn(seen, ["noticed", *unseen])

    def change_of_program(self, command, way):
        """Changes the input while the ranks are stopped: whether that was "noticed", "harmless" or too "late" to know, for
        a run that had ended, or had opened nothing yet: a program has no digest of its input."""
        path, offset, (unchanged, *changed) = self.make_program()
        content, change = path.read_bytes(), Change(way, path, offset)
        job = processes.start(command, self.folder)
        processes.wait_for(lambda: job.poll() is not None or is_open(job, path), "a rank that reads the file")
        time.sleep(0.1)
        processes.send(job, signal.SIGSTOP)
        ended = job.poll() is not None
        change.apply()
        processes.send(job, signal.SIGCONT)
        code, out, err = processes.finish(job, [])
        change.undo(content)
        # Where writes through a map have no time, --verify sees that not all ranks have read the same.
        wrong = [1] if way.startswith("map") and not notes_writes(self.folder) and "a wrong result" in err else []
        self.assertIn(code, (0, 2, *wrong), (way, out, err))
        output = self.folder / "out.h5"
        if code != 0:
            self.assertFalse(output.exists())
            self.assertEqual(processes.leftovers(self.folder), [])
            return "noticed"
        with h5py.File(output) as file:
            found = file["r[p|h]"][:]
        output.unlink()
        if ended or any(same(found, result) for result in changed):
            return "late"
        self.assertTrue(same(found, unchanged))
        return "harmless"

    def stopped(self, output):
        """A run that has made its temporary file, and waits."""
        command = [MPIEXEC, "-n", 1, FORETILE_RUN, "plan.json", "--output", output]
        return processes.stopped(command, self.folder / output.split(":")[0])

    def go_on(self, job):
        processes.send(job, signal.SIGCONT)
        return processes.finish(job, [])

    def seeded_plan(self):
        self.call(FORETILE, "problem", "dense", "--m", 600, "--n", 600, "--k", 3000, "--tile", 100, "-o", "p.toml")
        self.call(FORETILE, "plan", "p.toml", "--platform", "here", "--ranks", 1, "-o", "plan.json")

    def test_two_datasets_of_one_file(self):
        """Of a new file, and of one that is there: both results are kept."""
        self.seeded_plan()
        for there in False, True:
            if there:
                with h5py.File(self.folder / "x.h5", "w") as file:
                    file["other"] = [1.0]
            job = self.stopped("x.h5:/C")
            self.call(MPIEXEC, "-n", 1, FORETILE_RUN, "plan.json", "--output", "x.h5:/D")
            code, out, err = self.go_on(job)
            self.assertEqual(code, 1, (out, err))
            self.assertIn("the result is in x-1.h5:/C", err)
            self.assertEqual(err.count("\n"), 1 + err.count("not calibrated"), err)
            with h5py.File(self.folder / "x.h5") as file, h5py.File(self.folder / "x-1.h5") as beside:
                self.assertTrue(numpy.array_equal(file["D"][:], beside["C"][:]))
                self.assertEqual("other" in file, there)
            (self.folder / "x.h5").unlink()
            (self.folder / "x-1.h5").unlink()

    def test_one_output_of_two_runs(self):
        self.seeded_plan()
        job = self.stopped("c.npy")
        self.assertIn("another run writes", self.call(MPIEXEC, "-n", 1, FORETILE_RUN, "plan.json", "--output", "c.npy",
                                                      code=2))
        code, out, err = self.go_on(job)
        self.assertEqual(code, 0, (out, err))

    def test_what_a_killed_run_left_is_removed(self):
        self.seeded_plan()
        job = self.stopped("c.npy")
        processes.send(job, signal.SIGKILL)
        processes.finish(job, [])
        self.assertEqual(len(processes.leftovers(self.folder)), 1)
        self.call(MPIEXEC, "-n", 1, FORETILE_RUN, "plan.json", "--output", "c.npy")
        self.assertEqual(processes.leftovers(self.folder), [])

    def test_outputs_of_programs(self):
        (self.folder / "p.txt").write_text(PROGRAM)
        command = [MPIEXEC, "-n", 2, FORETILE_RUN, "program", "p.txt", "--o", 3, "--v", 4, "--tile", 4, "--output"]
        self.assertIn("expected FILE.h5", self.call(*command, "x.npy", code=2))
        self.call(*command, "r.h5")
        before = (self.folder / "r.h5").read_bytes()
        self.assertIn("--overwrite", self.call(*command, "r.h5", code=2))
        self.assertEqual((self.folder / "r.h5").read_bytes(), before)
        self.call(*command, "r.h5", "--overwrite")


if __name__ == "__main__":
    print(f"FORETILE_SEED={SEED}")
    unittest.main(argv=sys.argv[:1])
