#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/gpu-check: its parts. gpu_pack_test.py has the whole of it.

usage: gpu_check_test.py scripts/gpu-check BUILD_FOLDER
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

GPU_CHECK, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
FAKED_PEERS = BUILD / "cuda_peers_on_fake"
ADDITIONS = BUILD / "gpu_additions"
sys.dont_write_bytecode = True
sys.path.insert(0, str(GPU_CHECK.parent))

from gpu_check import main, memory, pack, unpack  # noqa: E402
from gpu_check.bounds import Rates, bound  # noqa: E402
from gpu_check.check import Check, Failed, NoRanks, NotEnded, Skipped  # noqa: E402
from gpu_check.platform_files import guesses, made_on_host  # noqa: E402
from gpu_check.processes import MARK, Log, Printed, Processes, Result  # noqa: E402
from gpu_check.results import Results, met  # noqa: E402
from gpu_check.settings import CALLS, FULL, MINUTES, QUICK  # noqa: E402
from gpu_check.steps import correctness, dense, facts, prediction  # noqa: E402


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


    def test_what_a_running_command_prints_is_in_the_log_at_once(self):
        waits = self.folder / "waits"
        os.mkfifo(waits)
        (self.folder / "log").touch()
        thread = threading.Thread(target=self.processes.run, args=("sh", "-c", f"echo first; cat {waits}; echo last"),
                                  kwargs={"timeout": 100})
        thread.start()
        log = self.folder / "log"
        until = time.monotonic() + 60
        while "\nfirst\n" not in log.read_text() and time.monotonic() < until:
            time.sleep(0.05)
        before = log.read_text()
        waits.write_text("second\n")
        thread.join()
        self.assertIn("\nfirst\n", before)
        self.assertNotIn("exit 0", before)
        self.assertEqual([log.read_text().count(f"\n{word}\n") for word in ("first", "second", "last")], [1, 1, 1])

    def test_what_is_no_text_is_told_once(self):
        with open(self.folder / "out", "w+b") as out:
            printed = Printed(Log(self.folder / "log"), "[1]", [out])
            for piece, end in ((b"\xff\xff\xffone", False), (b"two" + "\u00e9".encode(), False), (b"three", True)):
                out.write(piece)
                out.flush()
                printed.tell("", end=end)
        log = (self.folder / "log").read_text()
        self.assertEqual([log.count(word) for word in ("one", "two\u00e9", "three", "\ufffd")], [1, 1, 1, 3])

    def test_results_are_found_behind_what_libraries_print(self):
        for text, found in (("[17.5] [host] UCX ERROR\n{\n\"x\": 1}\n", {"x": 1}), ("[1, 2]\n", [1, 2]), ("[17.5] no\n", None)):
            self.assertEqual(Result("", 0, 0.0, text, "").json(), found)

    def test_lines_of_json_are_merged_and_half_ones_left_out(self):
        result = Result("", None, 0.0, '{"a": 1}\n{"a": 2, "b": 3}\nwords\n{"c": 4', "")
        self.assertEqual(result.merged(), {"a": 2, "b": 3})

    def test_the_log_has_a_limit_but_keeps_all_commands(self):
        self.processes.log = Log(self.folder / "log", limit=3000)
        for _ in range(20):
            self.processes.run("sh", "-c", "seq 1000", timeout=10)
        text = (self.folder / "log").read_text()
        self.assertLess(len(text), 10000)
        self.assertEqual(text.count("$ sh -c"), 20)
        self.assertIn("the log is full", text)


class Memory(InFolder):
    def test_what_is_touched_is_counted(self):
        self.assertEqual(memory.touch(3 * 2**20, 10), 3 * 2**20)

    def test_no_more_than_is_there_is_touched(self):
        asked = []
        real = memory.meminfo, memory.fill
        memory.meminfo, memory.fill = (lambda: {"MemTotal": 10 * 2**20, "MemAvailable": 5 * 2**20}), asked.append
        try:
            self.assertEqual(list(memory.grow(2**40, time.monotonic() + 100)), [4 * 2**20])
        finally:
            memory.meminfo, memory.fill = real

    def test_quantities(self):
        self.assertEqual(main.quantity("100 GiB"), 100 * 2**30)
        self.assertEqual(main.quantity("1000"), 1000)
        self.assertRaisesRegex(Exception, "such as", main.quantity, "much")

    def test_programs_believe_what_is_said(self):
        said = {**os.environ, "FORETILE_MEMORY": "3 TB"}
        done = subprocess.run([BUILD / "foretile", "platform", "show", "here", "--json"], capture_output=True, text=True,
                              env={**said, "XDG_CONFIG_HOME": str(self.folder)})
        self.assertIn("2400000000000", done.stdout, done.stderr)  # four fifths
        wrong = subprocess.run([BUILD / "foretile", "platform", "show", "here"], capture_output=True, text=True,
                               env={**said, "FORETILE_MEMORY": "all", "XDG_CONFIG_HOME": str(self.folder)})
        self.assertEqual((wrong.returncode, len(wrong.stderr.splitlines())), (2, 1), wrong.stderr)


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
        return Check(BUILD, "mpiexec", "second", "cuda", sizes, Results(self.folder, "title"),
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
        for error, state in ((Failed("x"), "failed"), (KeyError("x"), "failed"), (Skipped("x"), "left out, or a part of it"),
                             (NoRanks("x"), "left out, or a part of it"), (NotEnded("x"), "not ended in its time")):
            results = self.take(self.throwing(error))
            self.assertEqual(results.steps[0]["state"], state)
            self.assertIn("x", results.steps[0]["note"])
            self.assertFalse(results.failed)

    def test_a_correctness_step_that_breaks_is_a_failure(self):
        for step in ("product", "few_cases", "correctness", "additions", "sanitizer"):
            self.assertTrue(self.take(self.throwing(KeyError("x")), step).failed)

    def test_what_did_not_end_is_no_wrong_product(self):
        self.assertFalse(self.take(self.throwing(NotEnded("x")), "correctness").failed)
        check = self.check(QUICK)
        check.execute = lambda *_, **__: self.throwing(NotEnded("x"))(check)
        correctness.take(check, correctness.CASES[:1])
        self.assertEqual([row["passed"] for row in check.results.checks], [None])
        self.assertFalse(check.results.failed)
        self.assertIn("0 of 1 correctness checks passed, 1 did not end", check.results.page())

    def test_a_finding_is_on_disk_at_once(self):
        check = self.check(QUICK)
        check.results.begin("peers")
        check.results.check("a check", True)
        check.results.figure("a figure", measured_s=1.0)
        found = json.loads((self.folder / "gpu-check.json").read_text())
        self.assertEqual([found["checks"][0]["what"], found["figures"][0]["what"]], ["a check", "a figure"])

    def test_a_later_call_goes_on_and_a_step_that_is_taken_again_starts_anew(self):
        first = self.check(QUICK).results
        for step in ("peers", "dense"):
            first.begin(step)
            first.check(step, False)
            first.ended("done", 1.0, "")
        second = self.check(QUICK).results
        second.recall(json.loads((self.folder / "gpu-check.json").read_text()))
        second.begin("dense")
        self.assertEqual([row["step"] for row in second.steps + second.checks], ["peers", "peers"])

    def test_memory_before_and_after_it_was_touched_is_in_the_log(self):
        self.assertIn("were touched", facts.host_memory(self.check(QUICK)))
        log = (self.folder / "log").read_text()
        for when in ("before it was touched", r"after \d+ bytes were touched"):
            self.assertRegex(log, rf"(?m)^/proc/meminfo {when}\nMemTotal \d+\nMemFree \d+\nMemAvailable \d+\n")

    def test_one_rank_starts_directly_and_several_the_first_way_that_works(self):
        check = self.check(QUICK)
        starter = self.folder / "mpiexec.mpich"
        starter.write_text('#!/bin/sh\n[ "$3 $4" = "-iface lo" ] || { echo no address >&2; exit 1; }\necho a; echo b\n')
        starter.chmod(0o755)
        check.mpiexec, check.programs = str(starter), pathlib.Path("/bin")
        self.assertEqual(check.mpi(1, "echo", "hello", timeout=10).out, "hello\n")
        self.assertEqual(check.starter(), [str(starter), "-launcher", "fork", "-iface", "lo"])
        starter.write_text("#!/bin/sh\nexit 1\n")
        check.mpi_words = None
        self.assertRaises(NoRanks, check.mpi, 2, "echo", timeout=10)

    def test_all_cases_fit_at_full_size(self):
        check, platform = self.check(FULL), self.folder / "guessed.toml"
        platform.write_text(guesses(2**30))
        for case in correctness.CASES:
            with self.subTest(case.what):
                self.assertTrue(correctness.plan_of(check, case, platform).exists())

    def test_both_calls_share_the_minutes(self):
        def minutes(*words):
            taken = []
            before, main.take_steps = main.take_steps, lambda check, steps, start, minutes: taken.append(minutes)
            try:
                main.take_calls(self.check(QUICK), main.arguments(words), 0)
            finally:
                main.take_steps = before
            return taken

        both = minutes("--minutes", "4.6")
        self.assertAlmostEqual(sum(both), 4.6)
        self.assertAlmostEqual(both[0] / both[1], MINUTES["first"] / MINUTES["second"])
        self.assertEqual(minutes(), [MINUTES["first"], MINUTES["second"]])
        self.assertEqual(minutes("--minutes", "3", "--call", "second"), [3])

    def test_calls_fit_their_minutes(self):
        for call, steps in CALLS.items():
            self.assertLessEqual(sum(steps.values()), 60 * MINUTES[call])
        self.assertLessEqual(MINUTES["first"], 3.5)
        self.assertLessEqual(MINUTES["second"], 8)
        self.assertEqual(list(CALLS["second"])[-2:], ["sanitizer", "xt"])


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

    def test_a_killed_call_leaves_what_was_written(self):
        out = self.folder / "out"
        call = subprocess.Popen([GPU_CHECK, "--gpu", "stand-in", "--call", "first", "--from", BUILD, "-o", out],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 120
        while not self.steps_in(out) >= {"facts", "product"} and time.monotonic() < until and call.poll() is None:
            time.sleep(0.02)
        os.kill(call.pid, signal.SIGKILL)
        call.wait()
        self.assertEqual(call.returncode, -signal.SIGKILL, "it ended before it was killed")
        self.assertGreaterEqual(self.steps_in(out), {"facts", "product"})
        self.assertIn("| one dense product, started without mpiexec | yes |", (out / "gpu-check.md").read_text())
        self.assertIn("foretile-run", (out / "gpu-check.log").read_text())

    @staticmethod
    def steps_in(out):
        try:
            return {step["step"] for step in json.loads((out / "gpu-check.json").read_text())["steps"]}
        except FileNotFoundError:
            return set()

    def test_a_calibration_that_is_killed_leaves_the_part_of_the_gpu(self):
        target = self.folder / "gpu.toml"
        calibration = subprocess.Popen(
            ["mpiexec", "-n", "2", BUILD / "foretile-run", "calibrate", "--gpu", "stand-in", "-o", target, "--budget", "6s",
             *map(str, QUICK.calibration)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 120
        while not target.exists() and time.monotonic() < until:
            time.sleep(0.02)
        running = calibration.poll() is None
        text = target.read_text()
        calibration.terminate()
        calibration.wait()
        self.assertTrue(running, "it was written at the end only")
        self.assertIn("[device.kernel]", text)
        self.assertRegex(text, r"\[message\]\nlatency = \S+  # a guess")

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
                                 "calibration,peers,dense,small,sanitizer,xt"], capture_output=True, text=True, cwd=self.folder,
                                timeout=200, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        found = json.loads((self.folder / "out/gpu-check.json").read_text())
        self.assertEqual([(step["step"], step["state"]) for step in found["steps"]],
                         [(name, "done") for name in ("facts", "peers", "calibration", "dense", "small", "sanitizer", "xt")],
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
        self.assertEqual([step["step"] for step in found["steps"][-2:]], ["facts", "dense"], again.stdout + again.stderr)
        self.assertEqual({step["state"] for step in found["steps"]}, {"done"}, again.stdout + again.stderr)
        self.assertEqual(len(found["steps"]), 7, "each once, and those of the run before")

    def test_a_pack_needs_its_programs(self):
        result = self.call("--pack", self.folder / "pack", "--build", self.folder, "--no-build")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no foretile", result.stderr)


class Packs(InFolder):
    def test_libraries_come_before_those_of_the_machine(self):
        environment = unpack.packed_environment(self.folder, {"cublas": "libcublas.so.999"})
        self.assertEqual(environment["LD_LIBRARY_PATH"].split(":")[0], str(self.folder / "lib"))
        self.assertEqual(environment["FORETILE_DATA"], str(self.folder / "share"))

    def pack_of(self, size, limit):
        """A pack in which all but the programs' archive is left out."""
        build = self.folder / "build"
        build.mkdir(exist_ok=True)
        for name in pack.PROGRAMS:
            (build / name).touch()

        def pack_programs(folder, *_):
            (folder / "programs.tar.xz").write_bytes(bytes(size))
            return {"bin/foretile": 3 * 2**20, "bin/foretile-run": 2**20}

        with unittest.mock.patch.multiple(pack, LIMIT=limit, pack_programs=pack_programs, tool=pathlib.Path,
                                          needed=lambda _: {}, pack_libraries=lambda *_: {}, about=lambda *_: {}):
            pack.pack(self.folder / "pack", build, compile_first=False)

    def test_a_pack_that_is_too_large_is_refused(self):
        self.assertEqual(pack.LIMIT, 50 * 2**20)
        with self.assertRaisesRegex(pack.CannotPack, "2.. MiB, at most 1.0 MiB wanted; unpacked: foretile 3.0 MiB, foretile-run"):
            self.pack_of(2 * 2**20, 2**20)
        self.pack_of(2 * 2**20, 3 * 2**20)

    def test_what_is_large_is_told(self):
        self.assertEqual(pack.largest({"lib/a.so": 2**20, "bin/b": 3 * 2**20}), "b 3.0 MiB, a.so 1.0 MiB")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
