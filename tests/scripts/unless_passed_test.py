#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/unless-passed on a build of one program.

usage: unless_passed_test.py scripts/unless-passed      exit code 77 without ninja
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

SCRIPT = pathlib.Path(sys.argv[1]).resolve()
SKIPPED = 77
RULES = """
rule copy
  command = printf '%s: %s' $out ../header > $out.d && cat $in ../header > $out && chmod +x $out
  depfile = $out.d
  deps = gcc
build program.o: copy ../source
rule link
  command = cp $in $out
build program: link program.o
"""


class UnlessPassed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.build, self.runs = self.folder / "build", self.folder / "runs"
        self.build.mkdir()
        (self.build / "CMakeCache.txt").write_text("CMAKE_CXX_COMPILER:FILEPATH=/bin/cat\n")
        (self.build / "build.ninja").write_text(RULES)
        (self.folder / "source").write_text("#!/bin/sh\n")
        (self.folder / "header").write_text("exit 0\n")
        (self.folder / "data").write_text("1\n")
        (self.folder / "run").write_text(f"#!/bin/sh\necho >> {self.runs}\nexec {self.build}/program\n")
        (self.folder / "run").chmod(0o755)

    def call(self, *options, code=0, **variables):
        """How often the program ran."""
        subprocess.run(["ninja", "-C", str(self.build)], stdout=subprocess.DEVNULL, check=True)
        before = len(self.runs.read_text()) if self.runs.exists() else 0
        done = subprocess.run(
            [SCRIPT, *options, "--reads", self.folder / "data", self.build, "program", self.folder / "run"], text=True,
            capture_output=True, env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), **variables})
        self.assertEqual(done.returncode, code, done.stderr)
        ran = len(self.runs.read_text()) - before
        self.assertEqual("passed at" in done.stdout, ran == 0, done.stdout)
        return ran

    def test_runs_once_where_nothing_changes(self):
        self.assertEqual([self.call(), self.call()], [1, 0])
        self.assertEqual(self.call("--again"), 1)

    def test_runs_again_where_anything_changed(self):
        self.call()
        for name, text in [("source", "#!/bin/sh\n# other\n"), ("header", "exit 0 # other\n"), ("data", "2\n"),
                           ("build/build.ninja", RULES.replace("cp $in", "cp -p $in")),
                           ("run", (self.folder / "run").read_text() + "# other\n")]:
            with self.subTest(name):
                (self.folder / name).write_text(text)
                self.assertEqual([self.call(), self.call()], [1, 0])
        self.assertEqual([self.call(ASAN_OPTIONS="x=1"), self.call(ASAN_OPTIONS="x=1")], [1, 0])

    def test_does_not_remember_what_failed(self):
        (self.folder / "header").write_text("exit 3\n")
        self.assertEqual([self.call(code=3), self.call(code=3)], [1, 1])

    def test_forgets_in_days(self):
        self.call()
        for mark in (self.folder / "cache/foretile/passed").iterdir():
            old = time.time() - 4 * 86400
            os.utime(mark, (old, old))
        self.assertEqual(self.call(), 1)


if __name__ == "__main__":
    if not shutil.which("ninja"):
        print("skipped: no ninja")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
