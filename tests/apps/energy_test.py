# SPDX-License-Identifier: BSD-3-Clause
"""Joules of simulations and tunings, tune --goal energy, and platform compare --problem.

usage: energy_test.py foretile yes|no    (whether it can draw)
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

FORETILE, DRAWS = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] == "yes"
HERE = pathlib.Path(__file__).resolve().parent
TOY = (HERE / "toy_platform.toml").read_text()
PROGRAM = (HERE.parent.parent / "examples/ccsd_t2.txt", "--o", 4, "--v", 8, "--tile", 4)
SMALL = ("--m", 8, "--n", 8, "--k", 8, "--tile", 2)
POWER = """
[power]
device_idle = 100
device_busy = "700 W"  {}
node_idle = 400
node_busy = 900
"""
CORES = """name = "cores"
nodes = 4
sockets_per_node = 1
ranks_per_node = 1
[socket]
cores = 4
devices = 4
memory = "8 GB"
memory_bandwidth = "100 GB/s"
[device]
kind = "core"
memory = "1 GB"
[device.kernel]
rate = "1 Gflop/s"
half_m = 4
half_n = 4
half_k = 4
latency = "1 us"
streams = 1
[message]
latency = "1 us"
bandwidth = "8 GB/s"
[network]
latency = "2 us"
bandwidth = "6 GB/s"
node_bandwidth = "6 GB/s"
[generation]
rate = "1 GB/s"
[runtime]
source = "none"
[power]
node_idle = 100
node_busy = 300
"""


class Energy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in {"toy": TOY, "known": TOY + POWER.format(""), "guess": TOY + POWER.format("# guess"), "cores": CORES,
                           "tiny": CORES.replace('"8 GB"', '"40 kB"')}.items():
            (self.folder / f"{name}.toml").write_text(text)
        self.call("problem", "dense", *SMALL, "-o", "p.toml")

    def run_it(self, *arguments):
        return subprocess.run([FORETILE, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def call(self, *arguments):
        done = self.run_it(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def json(self, *arguments):
        return json.loads(self.call(*arguments, "--json"))

    def refuse(self, text, *arguments):
        done = self.run_it(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_simulate(self):
        """One node of 2 GPUs idles with 600 W. GPUs and the core are busy for the shares that the report says: 600 W more for each
        GPU, 500 W for the rest of the node: its share is that of the core or of the GPUs, whichever is larger."""
        known = self.json("simulate", "p.toml", "--platform", "known.toml")
        seconds, kernels = known["makespan_s"], known["busy"]["kernels"]["mean"]
        core = known["busy"]["generation"]["mean"] + known["busy"]["combining"]["mean"]
        self.assertAlmostEqual(known["joules"] / seconds, 600 + 2 * 600 * kernels + 500 * max(core, kernels), delta=1e-6)
        self.assertFalse(known["energy_is_guess"])
        self.assertTrue(self.json("simulate", "p.toml", "--platform", "guess.toml")["energy_is_guess"])
        self.assertRegex(self.call("simulate", "p.toml", "--platform", "known.toml"), r"\n  energy +[\d.]+ m?J\n")
        self.assertRegex(self.call("simulate", "p.toml", "--platform", "guess.toml"), r"\n  energy +about [\d.]+ m?J\n")

    def test_nothing_changes_without_power(self):
        self.assertNotIn("joules", self.json("simulate", "p.toml", "--platform", "toy.toml"))
        self.assertNotIn("energy", self.call("simulate", "p.toml", "--platform", "toy.toml"))
        self.assertNotIn("joules", self.call("tune", "p.toml", "--platform", "toy.toml", "--nodes", "1..2", "--json"))
        self.assertNotIn("energy", self.call("tune", "p.toml", "--platform", "toy.toml", "--nodes", "1..2"))

    def test_programs(self):
        simulated = self.json("simulate", *PROGRAM, "--platform", "cores.toml", "--nodes", 2)
        watts = simulated["joules"] / simulated["makespan_s"]
        self.assertTrue(200 < watts <= 600, watts)
        text = self.call("simulate", *PROGRAM, "--platform", "cores.toml", "--nodes", 2)
        self.assertRegex(text, r"\nenergy              [\d.]+ m?J\n")
        tuned = self.json("tune", *PROGRAM, "--platform", "cores.toml", "--nodes", "1..2", "--goal", "energy")
        least = min(trial["joules"] for trial in tuned["trials"])
        self.assertLessEqual(tuned["taken"]["joules"], 1.05 * least)
        self.assertEqual(tuned["least_energy"], tuned["taken"])
        self.assertFalse(tuned["energy_is_guess"])
        text = self.call("tune", *PROGRAM, "--platform", "cores.toml", "--nodes", "1..2")
        self.assertIn("energy/J", text)
        self.assertRegex(text, r"\nleast energy       [\d.]+ m?J on ")

    def test_tune(self):
        (self.folder / "space.toml").write_text('[parameters]\nstrategy = ["stationary-c", "grid-3d"]\nb = [1, 4]\nlookahead = [1, 2]\n')
        space = ("--platform", "known.toml", "--space", "space.toml", "--tie", 0, "--engine", "fluid")
        pruned = self.json("tune", "p.toml", *space, "--goal", "energy")
        self.assertEqual(pruned["goal"], "energy")
        self.assertTrue(pruned["proven"])
        everything = self.json("tune", "p.toml", *space, "--goal", "energy", "--search", "exhaustive")
        self.assertAlmostEqual(pruned["best"]["joules"], everything["best"]["joules"], delta=1e-9)
        joules = [evaluation["joules"] for evaluation in everything["ranking"]]
        self.assertEqual(joules, sorted(joules))
        by_time = self.json("tune", "p.toml", *space)
        self.assertLessEqual(by_time["best"]["makespan_s"], pruned["best"]["makespan_s"])
        self.assertLessEqual(pruned["best"]["joules"], by_time["best"]["joules"])
        self.assertNotIn("goal", by_time)
        text = self.call("tune", "p.toml", "--platform", "guess.toml", "--goal", "energy", "--nodes", "1..2")
        self.assertIn("least energy       about ", text)
        self.assertIn("(the least energy):", text)
        self.assertIn("energy: about, since figures of [power] are guesses", text)
        for arguments in (("p.toml",), PROGRAM):
            self.refuse("platform.power.node_idle: found nothing", "tune", *arguments, "--platform", "toy.toml", "--goal", "energy")

    def test_history_is_of_one_goal(self):
        command = ("tune", "p.toml", "--platform", "known.toml", "--count", 2, "--history", "h.jsonl")
        self.call(*command, "--goal", "energy")
        self.call(*command, "--goal", "energy")
        self.refuse("goal", *command)

    def test_compare_problem(self):
        command = ("platform", "compare", "known.toml", "tiny.toml", "cores.toml", "--problem", "p.toml", "--nodes", "1..4")
        found = self.json(*command)
        times = found["times"]
        self.assertEqual([(time["platform"], time["nodes"]) for time in times],
                         [(name, nodes) for name in ("known", "tiny", "cores") for nodes in (1, 2, 4)])
        self.assertIn("nodes", times[2]["message"])  # the toy has 2
        for time in times[:2] + times[6:]:
            self.assertGreater(time["makespan_s"], 0)
            self.assertAlmostEqual(time["node_hours"], time["nodes"] * time["makespan_s"] / 3600)
            self.assertAlmostEqual(time["over_bound"], time["makespan_s"] / time["bound_s"] - 1)
            self.assertGreaterEqual(time["over_bound"], 0)
            self.assertGreater(time["joules"], 0)
            self.assertTrue(time["limit"])
            self.assertTrue(time["parameters"])
        self.assertEqual(times[0]["makespan_s"],
                         self.json("tune", "p.toml", "--platform", "known.toml", "--engine", "fluid")["taken"]["makespan_s"])
        text = self.call(*command, "--csv", "times.csv")
        self.assertEqual(text.splitlines()[0].split(), ["machine", "nodes", "time/s", "node-hours", "energy/J", "over"])
        self.assertIn("\ncores on 4 nodes: ", text)
        with open(self.folder / "times.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["makespan_s"] for row in rows], ["" if time["makespan_s"] is None else repr(time["makespan_s"]) for time in times])
        self.assertEqual(rows[2]["message"], times[2]["message"])

    def test_compare_program(self):
        times = self.json("platform", "compare", "cores.toml", "--problem", *PROGRAM, "--nodes", "1..2")["times"]
        self.assertEqual([time["nodes"] for time in times], [1, 2])
        tuned = self.json("tune", *PROGRAM, "--platform", "cores.toml", "--engine", "fluid")
        self.assertEqual(times[0]["makespan_s"], tuned["taken"]["makespan_s"])
        self.assertEqual(times[0]["joules"], tuned["taken"]["joules"])
        self.assertIn("of the critical path", times[0]["limit"])
        self.assertEqual(set(times[0]["parameters"]), {"tile", "mode"})

    def test_no_machine_can(self):
        done = self.run_it("platform", "compare", "tiny.toml", "--problem", *PROGRAM[:5], "--tile", 8)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("no machine has a time", done.stderr)
        self.assertIn("tiny", done.stdout)

    def test_picture(self):
        command = ("platform", "compare", "known.toml", "cores.toml", "--problem", "p.toml", "--nodes", "1..2", "--plot")
        if not DRAWS:
            return self.refuse("cairo", *command, "times.svg")
        self.call(*command, "times.svg")
        self.assertIn("<svg", (self.folder / "times.svg").read_text())
        self.refuse("--plot: found 'times.pdf'", *command, "times.pdf")

    def test_refusals(self):
        self.refuse("found 1 platforms, expected two", "platform", "compare", "known.toml")
        self.refuse("--nodes: found it without --problem", "platform", "compare", "known.toml", "toy.toml", "--nodes", 2)
        self.refuse("--o: found nothing", "platform", "compare", "known.toml", "toy.toml", "--problem", PROGRAM[0])
        self.refuse("missing.toml", "platform", "compare", "known.toml", "missing.toml", "--problem", "p.toml")


unittest.main(argv=sys.argv[:1])
