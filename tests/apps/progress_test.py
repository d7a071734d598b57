#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Commands of more than 2 s show their progress on a terminal, and nothing in a pipe.

usage: progress_test.py foretile [foretile-run mpiexec]
"""
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest

FORETILE = pathlib.Path(sys.argv[1]).resolve()
FORETILE_RUN, MPIEXEC = (pathlib.Path(path).resolve() for path in sys.argv[2:4]) if len(sys.argv) > 3 else (None, None)
TOY = pathlib.Path(__file__).parent / "toy_platform.toml"
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "examples/ccsd_t2.txt"
ERASE = "\r\x1b[K"
QUIET_S = 2
LONGEST_S = 60


class Terminal:
    """A pseudo terminal; text() ends it."""

    def __init__(self):
        self.reader, self.end = pty.openpty()
        self.parts = []
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        try:
            while part := os.read(self.reader, 4096):
                self.parts.append(part)
        except OSError:  # EIO: the last process closed the terminal
            pass

    def text(self):
        os.close(self.end)
        self.thread.join()
        os.close(self.reader)
        return b"".join(self.parts).decode()


class Progress(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {**os.environ, "XDG_CONFIG_HOME": folder.name, "TERM": "xterm"}

    def call(self, command, **streams):
        command = [str(word) for word in command]
        return subprocess.run(command, cwd=self.folder, env=self.environment, timeout=250, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, **streams)

    def on_terminal(self, command, **changes):
        """Exit code, stdout, what stderr showed, seconds."""
        terminal = Terminal()
        start = time.monotonic()
        try:
            done = self.call(command, stderr=terminal.end, **changes)
        finally:
            shown = terminal.text()
        return done, shown, time.monotonic() - start

    def dense(self, tiles, tile):
        name, n = f"{tiles}.toml", tiles * tile
        (self.folder / name).write_text(f'kind = "dense"\nm = {n}\nn = {n}\nk = {n}\ntile = {tile}\n')
        return name

    @staticmethod
    def lines_of(shown):
        return [line.strip("\r") for line in shown.split(ERASE) if line and not line.startswith("foretile")]

    def long_command(self, command_of, tiles, stage, tile=1):
        """Makes the problem larger until the stage takes long enough on this machine to be shown."""
        while True:
            command = command_of(self.dense(tiles, tile))
            done, shown, seconds = self.on_terminal(command)
            self.assertEqual(done.returncode, 0, shown)
            if any(line.startswith(stage) for line in self.lines_of(shown)):
                return command, done, shown
            self.assertLess(seconds, LONGEST_S, f"{stage} was never shown: {shown}")
            tiles = tiles * 5 // 4

    def check_shown(self, shown):
        self.assertTrue(shown.endswith(ERASE), shown[-200:])
        for line in self.lines_of(shown):
            self.assertRegex(line, r"^[a-z -]+ \d+%(, (\d+ h \d\d min|(\d+ min )?\d+ s) left)?$")

    @staticmethod
    def without_times(text):
        return re.sub(r"(simulated by|planned in).*", "", text)

    def check_long(self, command_of, tiles, stage):
        command, done, shown = self.long_command(command_of, tiles, stage)
        self.check_shown(shown)
        piped = self.call(command, stderr=subprocess.PIPE)
        self.assertEqual(piped.returncode, 0)
        self.assertNotIn("\x1b", piped.stderr)
        self.assertEqual(self.without_times(piped.stdout), self.without_times(done.stdout))
        return command

    @unittest.skipIf(FORETILE_RUN is None, "without foretile-run")
    def test_calibrate(self):
        command = [FORETILE_RUN, "calibrate", "--gpu", "none", "--budget", "5s", "--force", "-o", "cores.toml"]
        done, shown, _ = self.on_terminal(command)
        self.assertEqual(done.returncode, 0, shown)
        self.assertRegex(shown, r"calibrate: [a-zA-Z0-9', -]+; \d+ s of 5 s")

    def test_plan(self):
        self.check_long(lambda problem: [FORETILE, "plan", problem, "--platform", "summit", "--nodes", 2], 300,
                        "bound of the time")

    def test_simulate(self):
        command = self.check_long(lambda problem: [FORETILE, "simulate", problem, "--platform", TOY, "--nodes", 2], 100,
                                  "simulate")
        self.environment["TERM"] = "dumb"
        self.assertEqual(self.on_terminal(command)[1], "")


    def test_tune_of_a_program(self):
        """Tiles of 24 take some hundredths of a second, those of 1 far more than the budget, also before they are planned."""
        command = [FORETILE, "tune", PROGRAM, "--o", 6, "--v", 24, "--platform", "cascade", "--nodes", 2, "--tile", 24,
                   "--tile", 1, "--budget", "5s"]
        done, shown, _ = self.on_terminal(command)
        self.assertEqual(done.returncode, 0, shown)
        self.assertRegex(done.stdout, r"shortest time +\S+ s on 2 nodes, tiles of 24, ")
        self.assertIn("the time is over: not all", done.stdout)
        self.assertNotIn("best ", done.stdout)
        self.assertTrue(shown.endswith(ERASE), shown[-200:])
        for line in self.lines_of(shown):
            self.assertRegex(line, r"^(tune [23]/4, best \S+ s(, .* left)?|plan|simulate by SimGrid)$")
        self.assertGreater(len(self.lines_of(shown)), 4, shown)  # one in a fifth of a second

    @unittest.skipUnless(FORETILE_RUN, "built without MPI")
    def test_run(self):
        """On the terminal of mpiexec, whose ranks have pipes."""
        def command_of(problem):
            self.call([FORETILE, "simulate", problem, "--platform", "here", "--ranks", 2, "-o", "plan.json"],
                      stderr=subprocess.DEVNULL)
            return [MPIEXEC, "-n", 2, FORETILE_RUN, "plan.json"]
        command, done, shown = self.long_command(command_of, 16, "run", tile=250)
        self.check_shown(shown)
        self.assertIn("measured", done.stdout)
        self.assertNotIn("\x1b", self.call(command, stderr=subprocess.PIPE).stderr)
        in_script = [MPIEXEC, "-n", 2, "sh", "-c", f"{FORETILE_RUN} plan.json 2> errors; true"]
        self.assertEqual(self.on_terminal(in_script)[1], "")
        self.assertNotIn("\x1b", (self.folder / "errors").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
