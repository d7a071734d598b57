#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/gpu-check: its parts, and the whole of it on the stand-in.

usage: gpu_check_test.py scripts/gpu-check BUILD_FOLDER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

GPU_CHECK, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
FAKED_PEERS = BUILD / "cuda_peers_on_fake"
ADDITIONS = BUILD / "gpu_additions"
sys.dont_write_bytecode = True
sys.path.insert(0, str(GPU_CHECK.parent))

from gpu_check import main, unpack  # noqa: E402
from gpu_check.bounds import Rates, bound  # noqa: E402
from gpu_check.check import Check, Failed, Skipped  # noqa: E402
from gpu_check.platform_files import guesses, made_on_host  # noqa: E402
from gpu_check.processes import MARK, Processes  # noqa: E402
from gpu_check.results import Results, met  # noqa: E402
from gpu_check.settings import FULL, QUICK, SECONDS  # noqa: E402
from gpu_check.steps import correctness, dense, prediction  # noqa: E402


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class RunningCommands(InFolder):
    def setUp(self):
        super().setUp()
        self.processes = Processes(self.folder / "log", dict(os.environ))

    def test_keeps_output_and_exit_code(self):
        result = self.processes.run("sh", "-c", "echo '{\"x\": 1}'; echo oops >&2; exit 7", timeout=10)
        self.assertEqual((result.code, result.err, result.json()), (7, "oops\n", {"x": 1}))
        self.assertIn("oops", result.why())
        self.assertIn("oops", (self.folder / "log").read_text())

    def test_a_missing_program_is_a_failure(self):
        self.assertEqual(self.processes.run("/no/such/program", timeout=10).code, 127)

    def test_ends_what_takes_too_long_and_what_that_started(self):
        begin = time.monotonic()
        # A process of its own session is out of reach of the group's signal.
        result = self.processes.run("sh", "-c", "setsid sleep 987 & sleep 987", timeout=1)
        self.assertIsNone(result.code)
        self.assertLess(time.monotonic() - begin, 10)
        time.sleep(0.2)
        mark = f"{MARK}={self.processes.mark}".encode()
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                left = mark in (entry / "environ").read_bytes()
            except OSError:
                continue
            self.assertFalse(left, (entry / "cmdline").read_bytes())


class Bounds(unittest.TestCase):
    # 10 flop at 5 per second take 2 s; 8 bytes in at 8 per second 1 s; 9 out at 3 per second 3 s; 17 both ways at 4: 4.25 s.
    def test_the_slowest_counts(self):
        self.assertEqual(bound(Rates(5, 8, 30, None, ""), 10, 8, 9).limit, "multiplying")
        self.assertEqual(bound(Rates(5, 8, 3, None, ""), 10, 8, 9).seconds, 3)
        self.assertEqual(bound(Rates(5, 8, 3, 4, ""), 10, 8, 9).seconds, 4.25)
        self.assertEqual(bound(Rates(5, 8, 3, 4, ""), 10, 8, 9).share(8.5), 0.5)


class Tables(InFolder):
    def test_targets(self):
        self.assertTrue(met("dense_bound", 0.92))
        self.assertFalse(met("dense_bound", 0.91))
        self.assertTrue(met("prediction", 0.09))
        self.assertFalse(met("prediction", 0.10))

    def test_page_and_json_are_whole_after_each_write(self):
        results = Results(self.folder, "title")
        results.figure("a product", measured_s=2.0, bound=bound(Rates(5, 8, 30, None, ""), 10, 8, 9), value=1.0,
                       target="dense_bound")
        results.check("a check", False, "because | of this")
        results.write()
        self.assertEqual(json.loads((self.folder / "gpu-check.json").read_text())["figures"][0]["met"], True)
        page = (self.folder / "gpu-check.md").read_text()
        self.assertIn("| a product | 2 s |  | 2 s (multiplying) |  | 100.0% | at least 92% | yes |", page)
        self.assertIn("because / of this", page)
        self.assertTrue(results.failed)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["gpu-check.json", "gpu-check.md"])


class Steps(InFolder):
    def check(self, sizes):
        return Check(BUILD, "mpiexec", "cuda", sizes, Results(self.folder, "title"),
                     Processes(self.folder / "log", dict(os.environ)), self.folder, self.folder, {},
                     until=time.monotonic() + 100)

    def take(self, behaviour, name="peers"):
        check = self.check(QUICK)
        step = type("Step", (), {"run": staticmethod(behaviour)})
        before, main.load_step = main.load_step, lambda _: step
        try:
            main.take_step(check, name)
        finally:
            main.load_step = before
        return check.results

    @staticmethod
    def throwing(error):
        def behaviour(_):
            raise error
        return behaviour

    def test_whatever_a_step_does_is_told(self):
        for error, state in ((Failed("x"), "failed"), (KeyError("x"), "failed"), (Skipped("x"), "left out, or a part of it")):
            results = self.take(self.throwing(error))
            self.assertEqual(results.steps[0]["state"], state)
            self.assertIn("x", results.steps[0]["note"])
            self.assertFalse(results.failed)

    def test_a_correctness_step_that_breaks_is_a_failure(self):
        for step in ("correctness", "additions", "sanitizer"):
            self.assertTrue(self.take(self.throwing(KeyError("x")), step).failed)

    def test_all_cases_fit_at_full_size(self):
        check, platform = self.check(FULL), self.folder / "guessed.toml"
        platform.write_text(guesses(2**30))
        for case in correctness.CASES:
            with self.subTest(case.what):
                self.assertTrue(correctness.plan_of(check, case, platform).exists())

    def test_ten_minutes_are_enough(self):
        self.assertLessEqual(sum(SECONDS.values()), 606)


class Cases(unittest.TestCase):
    def test_extents_are_scaled_and_nothing_else(self):
        self.assertEqual(correctness.scaled(("dense", "--m", 80, "--tile", 16, "--seed", 8), 8), ["dense", "--m", 10, "--tile", 2, "--seed", 8])

    def test_random_plans_are_the_same_each_time_and_within_bounds(self):
        import random
        for sizes in (FULL, QUICK):
            for make in (prediction.dense_case, prediction.sparse_case):
                first, second = (make(random.Random(3), sizes) for _ in range(2))
                self.assertEqual(first, second)
                m, n, k = (first[0][index] for index in (2, 4, 6))
                for extent, limits in ((m, sizes.plan_m), (n, sizes.plan_m if make is prediction.dense_case else sizes.plan_size),
                                       (k, sizes.plan_k if make is prediction.dense_case else sizes.plan_size)):
                    self.assertGreaterEqual(extent, limits[0] // 100 * 100)
                    self.assertLessEqual(extent, limits[1])

    def test_candidates_have_blocks_of_at_least_a_tile(self):
        for candidate in dense.candidates(3):
            self.assertGreaterEqual(candidate.get("b", 1), 1)

    def test_only_generation_on_devices_is_taken_out(self):
        text = guesses(1e9)
        self.assertIn("device_rate", text)
        self.assertNotIn("device_rate", made_on_host(text))
        self.assertEqual(len(text.splitlines()) - 1, len(made_on_host(text).splitlines()))


class CommandLine(InFolder):
    def call(self, *words, timeout=280):
        return subprocess.run([str(GPU_CHECK), *map(str, words)], capture_output=True, text=True, cwd=self.folder,
                              timeout=timeout)

    def test_refuses_unknown_steps_and_missing_programs(self):
        result = self.call("--only", "everything")
        self.assertEqual(result.returncode, 2)
        self.assertIn("expected some of facts", result.stderr)
        result = self.call("--from", self.folder, "--gpu", "stand-in")
        self.assertEqual(result.returncode, 2)
        self.assertIn("neither a pack", result.stderr)

    def test_says_so_without_a_gpu(self):
        if subprocess.run([BUILD / "foretile-run", "gpus"], capture_output=True).returncode == 0:
            self.skipTest("there is a GPU")
        result = self.call("--from", BUILD, "-o", "out")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("no GPU", result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_does_all_steps_on_the_stand_in(self):
        result = self.call("--gpu", "stand-in", "--quick", "--from", BUILD, "-o", "out")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        out = self.folder / "out"
        self.assertEqual(sorted(path.name for path in out.iterdir()),
                         ["gpu-check.json", "gpu-check.log", "gpu-check.md", "gpu.samples.json", "gpu.toml"])
        found = json.loads((out / "gpu-check.json").read_text())
        not_here = ["peers", "sanitizer"] + ([] if ADDITIONS.exists() else ["additions"])
        self.assertEqual({step["step"]: step["state"] for step in found["steps"] if step["step"] not in not_here},
                         {name: "done" for name in SECONDS if name not in not_here}, result.stdout)
        self.assertTrue(all(check["passed"] for check in found["checks"]))
        self.assertGreaterEqual(len(found["checks"]), 13)
        self.assertEqual(len(found["plans"]), QUICK.plans)
        targets = [figure["target"] for figure in found["figures"] if figure["target"]]
        self.assertEqual(len(targets), 6, "all of the issue's but cublasXt's, which the stand-in lacks")
        self.assertIn("say nothing about GPUs", (out / "gpu-check.md").read_text())

    def played_gpu(self):
        """A folder of programs that look as if there were a GPU: foretile-run on the stand-in, faked libraries."""
        folder = self.folder / "played"
        folder.mkdir()
        (folder / "foretile").symlink_to(BUILD / "foretile")
        gpu = '[{"name": "played", "library": "none", "memory_bytes": 1000000000, "free_bytes": 1000000000}]'
        play = 'for word; do shift; [ "$word" = cuda ] && word=stand-in; set -- "$@" "$word"; done'
        scripts = {
            "foretile-run": f"""[ "$1" = gpus ] && {{ echo '{gpu}'; exit 0; }}
                                {play}
                                exec {BUILD}/foretile-run "$@" """,
            "gpu_additions": f"""{play}
                                 exec {ADDITIONS} "$@" """,
            "executor_mpi_tests": f"FORETILE_TEST_GPUS=stand-in exec {BUILD}/executor_mpi_tests --gtest_filter=Post.*",
            "cuda_peers": f"exec {FAKED_PEERS} --products 10 --batch 5 \"$@\"",
            "compute-sanitizer": """shift 6
                                    "$@" >/dev/null && echo "========= ERROR SUMMARY: 0 errors" """,
        }
        for name, text in scripts.items():
            (folder / name).write_text("#!/bin/sh\n" + text + "\n")
            (folder / name).chmod(0o755)
        return folder

    def test_does_what_only_gpus_need(self):
        if not FAKED_PEERS.exists() or not ADDITIONS.exists():
            self.skipTest("built without CUDA or without FORETILE_BENCH")
        folder = self.played_gpu()
        result = subprocess.run([GPU_CHECK, "--quick", "--from", folder, "-o", "out", "--only",
                                 "calibration,peers,dense,small,sanitizer"], capture_output=True, text=True, cwd=self.folder,
                                timeout=200, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        found = json.loads((self.folder / "out/gpu-check.json").read_text())
        self.assertEqual([(step["step"], step["state"]) for step in found["steps"]],
                         [(name, "done") for name in ("facts", "calibration", "peers", "dense", "small", "sanitizer")],
                         result.stdout)
        self.assertIn("played", found["facts"]["GPU"])
        self.assertEqual({check["what"] for check in found["checks"] if "sanitizer" in check["what"]},
                         {f"compute-sanitizer, {tool}{of}" for tool in ("memcheck", "racecheck")
                          for of in ("", ", additions of tiles")})
        rows = {row["target"]: row for row in found["figures"] if row["target"]}
        self.assertIn("at best", rows["at least 1.1"]["peer"])
        self.assertIsNotNone(rows["at least 95%"]["value"], "cuBLAS is there to compare with")
        # What is there is used when only some steps are done again.
        again = subprocess.run([GPU_CHECK, "--quick", "--from", folder, "-o", "out", "--only", "dense"], capture_output=True,
                               text=True, cwd=self.folder, timeout=100)
        found = json.loads((self.folder / "out/gpu-check.json").read_text())
        self.assertEqual([step["state"] for step in found["steps"]], ["done", "done"], again.stdout + again.stderr)

    def test_a_pack_needs_its_programs(self):
        result = self.call("--pack", self.folder / "pack", "--build", self.folder, "--no-build")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no foretile", result.stderr)


class Packs(InFolder):
    def test_libraries_come_before_those_of_the_machine(self):
        environment = unpack.packed_environment(self.folder, {"cublas": "libcublas.so.999"})
        self.assertEqual(environment["LD_LIBRARY_PATH"].split(":")[0], str(self.folder / "lib"))
        self.assertEqual(environment["FORETILE_DATA"], str(self.folder / "share"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
