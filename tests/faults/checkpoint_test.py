#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""foretile-run --checkpoint: killed at any moment and resumed, it gives the same bits and computes no tile twice.

usage: checkpoint_test.py foretile foretile-run mpiexec
FORETILE_SEED repeats a run; FORETILE_TEST_MOMENTS=20 kills at so many moments
"""
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

import processes
from processes import MOMENTS

FORETILE, FORETILE_RUN, MPIEXEC = sys.argv[1:4]
SEED = int(os.environ.get("FORETILE_SEED", random.randrange(10**6)))
RANKS = 2
TILES = 16 * 16
TILE_BYTES = 96 * 96 * 8
C_BYTES = TILES * TILE_BYTES


def whole_tiles(path):
    """Numbers of the tiles in a file, as docs/files.md has it."""
    data, tiles = path.read_bytes(), []
    at = 0
    for _ in range(3):
        at = data.find(b"\n", at) + 1
    while at > 0 and at + 32 <= len(data):
        mark, tile, size = data[at:at + 8], *struct.unpack_from("<qq", data, at + 8)
        if mark != b"FORETILE" or at + 32 + size > len(data):
            break
        tiles.append(tile)
        at += 32 + size
    return tiles


class Checkpoint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.dice = random.Random(SEED)

    def plan(self, *sizes, name="plan.json", settings=()):
        self.call(FORETILE, "problem", "dense", *sizes, "-o", "p.toml")
        self.call(FORETILE, "plan", "p.toml", "--platform", "here", "--ranks", RANKS, "--set", "strategy=grid-3d",
                  *settings, "-o", name)

    def call(self, *command, code=0):
        done, out, err = processes.finish(processes.start(command, self.folder), [])
        self.assertEqual(done, code, (command, out, err))
        return out if code == 0 else err

    def command(self, *options, plan="plan.json"):
        return [MPIEXEC, "-n", RANKS, FORETILE_RUN, plan, "--checkpoint", "kept", *options]

    def run_on(self, *options):
        return json.loads(self.call(*self.command("--json", *options)))

    def kept(self):
        return [tile for path in sorted((self.folder / "kept").glob("*.tiles")) for tile in whole_tiles(path)]

    def kept_bytes(self):
        return sum(processes.size(path) for path in (self.folder / "kept").glob("*.tiles"))

    def kill_at(self, share):
        """Kills all ranks, or one of them, when the files hold such a share of C. Whether they had not ended."""
        job = processes.start(self.command(), self.folder)
        processes.wait_for(lambda: self.kept_bytes() >= share * C_BYTES or job.poll() is not None, "tiles")
        ranks, known = processes.named(job.pid, "foretile-run"), processes.below(job.pid)
        killed = False
        for pid in self.dice.choice([ranks, ranks[:1], ranks[1:]]):
            try:
                os.kill(pid, signal.SIGKILL)
                killed = True
            except ProcessLookupError:
                pass
        code, out, err = processes.finish(job, known)
        if not killed:
            self.assertEqual(code, 0, (out, err))
        return code != 0

    def test_killed_at_any_moment(self):
        self.plan("--m", 16 * 96, "--n", 16 * 96, "--k", 3000, "--tile", 96)
        digest = self.run_on()["digest"]
        interrupted = 0
        for moment in range(MOMENTS):
            with self.subTest(moment=moment, seed=SEED):
                shutil.rmtree(self.folder / "kept")
                interrupted += self.kill_at(moment / MOMENTS)
                before = self.kept()
                found = self.run_on("--verify")
                self.assertEqual(found["digest"], digest)
                checkpoint = found["checkpoint"]
                self.assertEqual((checkpoint["tiles_before"], checkpoint["tiles_computed"]),
                                 (len(before), TILES - len(before)))
                self.assertEqual(sorted(self.kept()), list(range(TILES)))
        self.assertGreater(interrupted, MOMENTS // 5)  # a busy machine kills some too late

    def test_killed_again_and_again_where_parts_of_c_are_summed(self):
        self.plan("--m", 16 * 96, "--n", 16 * 96, "--k", 3000, "--tile", 96, settings=("--set", "grid=1x1x2"))
        digest = self.run_on()["digest"]
        shutil.rmtree(self.folder / "kept")
        kept = 0
        for moment in range(4):
            self.kill_at((moment + 1) / 6)
            self.assertGreaterEqual(len(self.kept()), kept)
            kept = len(self.kept())
        self.assertEqual(self.run_on()["digest"], digest)
        self.assertEqual(sorted(self.kept()), list(range(TILES)))

    def test_steady_blocks_give_the_same_bits(self):
        """Smaller blocks have less of C on a device at once."""
        self.plan("--m", 800, "--n", 800, "--k", 800, "--tile", 100)
        plain = json.loads(self.call(MPIEXEC, "-n", RANKS, FORETILE_RUN, "plan.json", "--json"))
        steady = self.run_on()
        self.assertEqual(steady["digest"], plain["digest"])
        self.assertLess(steady["peak_device_bytes"]["max"], plain["peak_device_bytes"]["max"])

    def test_output_and_nothing_left_to_do(self):
        self.plan("--m", 300, "--n", 300, "--k", 100, "--tile", 100)
        self.call(*self.command("--output", "first.npy"))
        out = self.call(*self.command("--output", "second.npy", "--verify"))
        self.assertIn("checkpoint kept: 9 of 9 tiles of C were finished, 0 computed now", out)
        self.assertEqual((self.folder / "first.npy").read_bytes(), (self.folder / "second.npy").read_bytes())

    def refused(self, *words, code=2, limit=None):
        command = [str(word) for word in self.command(*words[1:])]
        limits = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, preexec_fn=limits, timeout=60,
                              env={**os.environ, "FORETILE_BLAS_KERNELS_CHOSEN": "1"})
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(words[0], done.stderr)

    def test_places_where_none_can_be(self):
        self.plan("--m", 300, "--n", 300, "--k", 100, "--tile", 100)
        self.call(*self.command())
        kept = self.folder / "kept"
        self.plan("--m", 300, "--n", 300, "--k", 110, "--tile", 100)
        self.refused('rank 0 of 2", the checkpoint of this plan')
        shutil.rmtree(kept)
        kept.write_text("a file")
        self.refused("expected a folder for checkpoints")
        kept.unlink()
        kept.symlink_to("nowhere/below")
        self.refused("expected a folder for checkpoints")

    def test_no_room(self):
        self.plan("--m", 4200, "--n", 4200, "--k", 10, "--tile", 700)
        self.refused("no room for", limit=64 << 20)
        self.assertEqual(self.kept(), [])
        self.assertLess(self.kept_bytes(), 1000)

    def test_one_run_at_a_time(self):
        self.plan("--m", 16 * 96, "--n", 16 * 96, "--k", 3000, "--tile", 96)
        job = processes.start(self.command(), self.folder)
        processes.wait_for(lambda: self.kept_bytes() > 0 or job.poll() is not None, "tiles")
        os.kill(job.pid, signal.SIGSTOP)  # mpiexec's output waits, the ranks go on
        for pid in processes.named(job.pid, "foretile-run"):
            os.kill(pid, signal.SIGSTOP)
        self.refused("in use by another run")
        for pid in [job.pid, *processes.named(job.pid, "foretile-run")]:
            os.kill(pid, signal.SIGCONT)
        code, out, err = processes.finish(job, [])
        self.assertEqual(code, 0, (out, err))


if __name__ == "__main__":
    print(f"FORETILE_SEED={SEED}")
    unittest.main(argv=sys.argv[:1])
