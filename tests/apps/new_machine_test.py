#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""platform new and platform show --sensitivity, as users call them.   new_machine_test.py FORETILE"""
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import unittest

FORETILE = pathlib.Path(sys.argv[1]).resolve()
PAGE = "\n"
# The figures of platforms/dgx-h100.toml that a user would type in.
DGX = {"--nodes": 128, "--device": "H100-SXM", "--devices": 8, "--sockets": 2, "--cores": 112, "--memory": "2 TB",
       "--host-link": "55.4/55.1", "--device-link": 396, "--device-link-form": "switch", "--cards": 8, "--card-bandwidth": 47,
       "--cards-at": "pcie"}
WITHIN = 0.03


def words(options):
    return [str(word) for option in options.items() for word in option]


class NewMachine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *arguments, **more):
        return subprocess.run([FORETILE, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=250, **({"stdin": subprocess.DEVNULL} | more))

    def run_json(self, *arguments):
        done = self.call(*arguments, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return json.loads(done.stdout)

    def new(self, *arguments, options=None, name="mine"):
        return self.call("platform", "new", "--name", name, *words(options or DGX), *arguments)

    def refused(self, part, done):
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done)
        self.assertIn(part, done.stderr)

    def test_writes_a_file_that_others_take(self):
        done = self.new()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Written to mine.toml\n", done.stdout)
        shown = self.run_json("platform", "show", "mine.toml")
        self.assertEqual((shown["devices_per_node"], shown["cores_per_node"]), (8, 112))
        self.assertEqual(shown["figures"]["network.card_bandwidth"], 47e9)
        text = (self.folder / "mine.toml").read_text()
        self.assertIn("cards = 8                   # given\n", text)
        self.assertEqual([line for line in text.splitlines() if len(line) > 500], [])

    def test_replaces_no_file_unasked(self):
        self.assertEqual(self.new().returncode, 0)
        file = self.folder / "mine.toml"
        first = file.read_text()
        self.refused("--output: found mine.toml, which is there", self.new(options=DGX | {"--nodes": 2}))
        self.assertEqual(file.read_text(), first)
        self.assertEqual(self.new("--overwrite", options=DGX | {"--nodes": 2}).returncode, 0)
        self.assertIn("nodes = 2 ", file.read_text())
        self.assertEqual(list(self.folder.iterdir()), [file])

    def test_refuses_in_one_line_and_writes_nothing(self):
        for option, text, part in (("--device", "H100-SMX", 'did you mean "H100-SXM"?' + PAGE), ("--devices", 7, "a multiple of the 2 sockets"),
                                   ("--nodes", 0, "a whole number from 1"), ("--memory", "inf", "--memory: found inf"), ("--cards", 0, "--cards: found 0"),
                                   ("--card-bandwidth", "400 Gbit/s", "--card-bandwidth"), ("-o", "missing/x.toml", "missing")):
            self.refused(part, self.new(options=DGX | {option: text}))
        self.refused("found no --name, --cores, expected these options; add them; on a terminal they are asked for" + PAGE,
                     self.call("platform", "new", *words({key: value for key, value in DGX.items() if key != "--cores"})))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_prints_json(self):
        done = self.new("--json")
        written = json.loads(done.stdout)
        self.assertEqual((written["name"], written["file"]), ("mine", "mine.toml"))
        self.assertIn("generation.rate", written["guesses"])
        self.assertNotIn("link.host.bandwidth", written["guesses"])

    def test_asks_on_a_terminal(self):
        reader, end = pty.openpty()
        self.addCleanup(os.close, reader)
        os.write(reader, b"wrong\nA100\n\n\n")  # --device again; then its memory, and the file
        given = {key: value for key, value in DGX.items() if key != "--device"}
        done = self.call("platform", "new", "--name", "asked", *words(given), stdin=end)
        os.close(end)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("Types: A100, H100-SXM", done.stderr)
        self.assertIn("--device: found wrong", done.stderr)
        self.assertIn("Memory of one GPU, GB [80]: ", done.stderr)
        self.assertIn('"gpu"  ', (self.folder / "asked.toml").read_text())

    def test_sensitivity(self):
        self.assertEqual(self.new().returncode, 0)
        self.call("problem", "dense", "--m", 8000, "--n", 8000, "--k", 8000, "--tile", 1000, "-o", "d.toml")
        shown = self.run_json("platform", "show", "mine.toml", "--sensitivity", "d.toml", "--nodes", 2)
        found = shown["sensitivity"]
        self.assertEqual((found["problem"], found["nodes"], found["in_full"]), ("d", 2, True))
        effects = [row["effect"] for row in found["rows"]]
        self.assertEqual(effects, sorted(effects, reverse=True))
        rows = {row["figure"]: row for row in found["rows"]}
        kernel = rows["device.kernel.points"]
        self.assertGreater(kernel["lower_s"], found["makespan_s"])
        self.assertLess(kernel["higher_s"], found["makespan_s"])
        self.assertGreater(effects[0], 0.02)
        self.assertNotIn("power.node_busy", rows)
        text = self.call("platform", "show", "mine.toml", "--sensitivity", "d.toml").stdout
        self.assertIn("d on 1 node of mine: ", text)
        self.assertIn("device.kernel.points", text)
        self.refused("--sensitivity", self.call("platform", "show", "mine.toml", "--sensitivity", "x.txt"))
        self.refused("no-such", self.call("platform", "show", "mine.toml", "--sensitivity", "no-such"))
        self.refused("--nodes", self.call("platform", "show", "mine.toml", "--nodes", 2))
        self.refused("nodes", self.call("platform", "show", "mine.toml", "--sensitivity", "d.toml", "--nodes", 1000))

    def test_is_the_machine_that_its_figures_are_of(self):
        """Within 3% of the file of a DGX H100, whose points, links and cards have their own sources."""
        if "dgx-h100" not in {platform["name"] for platform in self.run_json("platform", "list")}:
            self.skipTest("there is no platform dgx-h100")
        self.assertEqual(self.new().returncode, 0)
        self.call("problem", "dense", "--m", 16000, "--n", 16000, "--k", 16000, "--tile", 2000, "-o", "d.toml")
        for nodes in (1, 2, 8):
            times = [self.run_json("simulate", "d.toml", "--platform", platform, "--nodes", nodes, "--engine", "fluid")["makespan_s"]
                     for platform in ("dgx-h100", "mine.toml")]
            self.assertAlmostEqual(times[1] / times[0], 1, delta=WITHIN, msg=f"{nodes} nodes: {times}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
