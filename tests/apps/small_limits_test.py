#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Limits of the system that are too small, and wrong usage of a job: one line, and exit code 2.

usage: small_limits_test.py foretile simgrid [foretile-run mpiexec]
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

FORETILE = str(pathlib.Path(sys.argv[1]).resolve())
SIMGRID = sys.argv[2] == "yes"
RUN, MPIEXEC = (sys.argv[3:] + [None, None])[:2]
RUN = RUN and str(pathlib.Path(RUN).resolve())
SIMULATE = [FORETILE, "simulate", "c12", "--platform", "summit", "--nodes", "2"]


def call(command, limit=None, value=None, folder=None, variables=None):
    def lower():
        if limit is not None:
            resource.setrlimit(limit, (value, value))
    return subprocess.run(command, preexec_fn=lower, cwd=folder, capture_output=True, text=True, timeout=100,
                          env={**os.environ, **(variables or {})})


def in_own_mounts(change, command):
    """Of `command`, after `change` of the mounts that it alone sees."""
    started = "mounts are changed"
    script = f"{change} && echo '{started}' && exec \"$@\""
    result = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", *command], capture_output=True, text=True, timeout=100)
    if not result.stdout.startswith(started):
        raise unittest.SkipTest(f"namespaces are not allowed: {result.stderr.strip()}")
    result.stdout = result.stdout.removeprefix(started + "\n")
    return result


class SmallLimits(unittest.TestCase):
    def assert_one_line(self, result, *parts):
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)

    def assert_one_line_of_ours(self, result, *parts):
        """UCX has said something when it was loaded."""
        self.assertEqual(result.returncode, 2, result)
        ours = [line for line in result.stderr.splitlines() if line.startswith("foretile-run: ")]
        self.assertEqual(len(ours), 1, result.stderr)
        self.assertNotIn("Abort(", result.stderr)
        for part in parts:
            self.assertIn(part, ours[0])

    def test_few_open_files(self):
        """Where even the libraries cannot be loaded the program has no say."""
        said = 0
        for files in range(3, 20):
            result = call(SIMULATE, resource.RLIMIT_NOFILE, files)
            if result.returncode == 0:
                break
            if result.returncode != 127:
                self.assert_one_line(result, "Too many open files", "ulimit -n 64")
                said += 1
        self.assertEqual(result.returncode, 0, result.stderr)
        if SIMGRID:  # the libraries take more than all else but its log
            self.assertGreater(said, 0)

    def test_few_open_files_for_other_processes(self):
        """Resources that are twice as good are simulated in processes of their own."""
        said = 0
        for files in range(4, 40):
            result = call([*SIMULATE, "--what-if"], resource.RLIMIT_NOFILE, files)
            if result.returncode == 0:
                break
            if result.returncode != 127:
                self.assertIn("ulimit -n 64", result.stderr)
                self.assertNotIn("--workers", result.stderr)
                said += 1
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(said, 0)

    def test_few_open_files_for_what_was_not_asked_for(self):
        """Guesses are simulated in processes of their own, and most of an estimated machine are; the result holds without."""
        said = 0
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "p.toml").write_text('kind = "dense"\nm = 200\nn = 200\nk = 200\ntile = 100\n')
            for files in range(3, 20):
                result = call([FORETILE, "simulate", "p.toml", "--platform", "here", "--ranks", "1"], resource.RLIMIT_NOFILE, files,
                              folder, {"HOME": name, "XDG_CONFIG_HOME": name})
                self.assertIn(result.returncode, (0, 2, 127), result)
                self.assertNotIn("--what-if", result.stderr)
                said += "not determined" in result.stdout
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(said, 0)

    def test_small_stack(self):
        """With 16 kB the system's dynamic linker crashes: the program has no say."""
        self.assert_one_line(call(SIMULATE, resource.RLIMIT_STACK, 64 << 10), "found a stack of 64 kB", "ulimit -s 8192")
        self.assertEqual(call(SIMULATE, resource.RLIMIT_STACK, 256 << 10).returncode, 0)

    def test_without_proc(self):
        no_proc = "mount -t tmpfs tmpfs /proc"
        if SIMGRID:
            self.assert_one_line(in_own_mounts(no_proc, SIMULATE), "/proc", "mount /proc")
        if RUN:
            for ranks in "12":
                self.assert_one_line_of_ours(in_own_mounts(no_proc, [MPIEXEC, "-n", ranks, RUN, "plan.json"]), "/proc: found nothing")

    @unittest.skipUnless(RUN, "built without MPI")
    def test_few_open_files_for_mpi(self):
        """Below, the libraries cannot be loaded. The value that is named works."""
        job = [MPIEXEC, "-n", "2", "sh", "-c", "ulimit -n $1; exec \"$0\" plan.json", RUN]
        for files in "16", "28":
            self.assert_one_line_of_ours(call([*job, files]), f"ulimit -n: found {files} open files", "at least 32", "ulimit -n 1024")
        for files in "32", "1024":
            self.assert_one_line(call([*job, files]), "plan.json: ")  # which does not exist

    @unittest.skipUnless(RUN, "built without MPI")
    def test_an_address_space_as_large_as_is_said_is_enough(self):
        job = [MPIEXEC, "-n", "2", "sh", "-c", "ulimit -v $1; exec \"$0\" plan.json", RUN]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "p.toml").write_text('kind = "dense"\nm = 400\nn = 400\nk = 400\ntile = 100\n')
            plan = call([FORETILE, "plan", "p.toml", "--platform", "here", "--ranks", "2", "-o", "plan.json"], folder=folder)
            self.assertEqual(plan.returncode, 0, plan.stderr)
            refused = call([*job, "300000"], folder=folder)
            self.assert_one_line_of_ours(refused, "found an address space of 307200000 bytes (307 MB)", "set ulimit -v ")
            named = refused.stderr.split("set ulimit -v ")[1].split(",")[0]
            ended = call([*job, named], folder=folder)
            self.assertEqual(ended.returncode, 0, ended)

    @unittest.skipUnless(RUN and os.geteuid() == 0, "another user needs a superuser")
    def test_no_thread_for_mpi(self):
        """As a user with nothing else, who may have one process."""
        job = ["setpriv", "--reuid=64999", "--regid=64999", "--clear-groups", RUN, "plan.json"]
        ended = call(job, resource.RLIMIT_NPROC, 1, variables={"OPENBLAS_NUM_THREADS": "1"})
        if "Permission denied" in ended.stderr or "not found" in ended.stderr:
            self.skipTest("the programs are not for others")
        self.assertEqual(ended.returncode, 1, ended)
        self.assertIn("a thread cannot be started", ended.stderr)
        self.assertNotIn("backtrace", ended.stderr)

    @unittest.skipUnless(RUN and os.geteuid() == 0, "another user needs a superuser")
    def test_few_threads_for_a_job(self):
        """Ranks that share what is left after mpiexec has started them: with less, its proxy waits for ever. Each case
        has a user of its own: the limit counts what an earlier job has left for a moment."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            folder.chmod(0o755)
            (folder / "p.txt").write_text("space h = occupied\nspace p = virtual\ntensor f[p|p]\ntensor t[p|h]\nresult r[p|h]\n"
                                          "one: r[p2,h1] += f[p2,p1] t[p1,h1]\n")
            for threads in 9, 11:
                job = ["setpriv", f"--reuid={64980 + threads}", "--regid=64999", "--clear-groups", MPIEXEC, "-n", "2", RUN, "program",
                       "p.txt", "--o", "30", "--v", "50", "--tile", "20"]
                ended = call(job, resource.RLIMIT_NPROC, threads, folder, {"OPENBLAS_NUM_THREADS": "1"})
                if "Permission denied" in ended.stderr:
                    self.skipTest("the programs are not for others")
                self.assertNotEqual(ended.returncode, 0, ended)
                self.assertIn("thread", ended.stderr)

    @unittest.skipUnless(RUN, "built without MPI")
    def test_a_full_dev_shm(self):
        for size in "64k", "7m":
            full = f"mount -t tmpfs -o size={size} tmpfs /dev/shm"
            ended = in_own_mounts(full, [MPIEXEC, "-n", "2", RUN, "plan.json"])
            if "plan.json: " in ended.stderr:
                self.skipTest("this MPI does not need /dev/shm")
            self.assert_one_line_of_ours(ended, "/dev/shm: found ", "at least 8800000 bytes (8.80 MB) to start MPI with 2 ranks", "UCX_TLS=tcp,self")
        enough = in_own_mounts("mount -t tmpfs -o size=9m tmpfs /dev/shm", [MPIEXEC, "-n", "2", RUN, "plan.json"])
        self.assert_one_line(enough, "plan.json: ")  # which does not exist

    def test_most_nodes(self):
        for command in ([FORETILE, "platform", "show", "summit", "--set", "platform.nodes=200001"],
                        [FORETILE, "tune", "c65-v2", "--platform", "summit", "--nodes", "1..200001"]):
            self.assert_one_line(call(command), "1 to 200000")

    def test_a_plan_finds_its_table_from_another_folder(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "made").mkdir()
            (folder / "used").mkdir()
            (folder / "made" / "a.txt").write_text("0 1 0 1\n")
            (folder / "made" / "p.toml").write_text('kind = "dense"\nm = 200\nn = 200\nk = 200\ntile = 100\n')
            plan = call([FORETILE, "plan", "p.toml", "--ranks", "2", "--set", "strategy=owner-b", "--set", "distribution.a=table:a.txt",
                         "-o", "../used/plan.json"], folder=folder / "made")
            self.assertEqual(plan.returncode, 0, plan.stderr)
            shown = call([FORETILE, "plan", "plan.json"], folder=folder / "used")
            self.assertEqual(shown.returncode, 0, shown.stderr)

    @unittest.skipUnless(RUN, "built without MPI")
    def test_usage_is_said_once_per_job(self):
        for ranks in "123":
            self.assert_one_line(call([MPIEXEC, "-n", ranks, RUN, "plan.json", "--output", ""]), "--output: found ''")
        self.assert_one_line(call([MPIEXEC, "-n", "1", RUN, "plan.json", ":", "-n", "1", RUN, "plan.json", "--output", ""]), "plan.json: ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
