#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pages of foretile report and of foretile-run --report have the numbers of --json.

usage: report_pages_test.py foretile foretile-run mpiexec
"""
import json
import pathlib
import re

from jobs import FORETILE, FORETILE_RUN, MPIEXEC, Jobs, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What a machine says of itself, and what differs from run to run.
OWN = {"wall_s", "simulation_s", "peak_rss_bytes", "planning_s", "engine", "guesses", "compared", "decision", "coarse"}


class ReportPages(Jobs):
    def facts(self, name):
        text = (self.folder / name).read_text()
        return json.loads(re.search(r'id="facts">(.*?)</script>', text, re.S)[1])

    def written(self, name, *words):
        result = self.call(FORETILE, "report", *words, "-o", name)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.facts(name)

    def simulated(self, *words):
        result = self.call(FORETILE, "simulate", *words, "--engine", "fluid", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def refused(self, said, *words):
        result = self.call(FORETILE, "report", *words)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertIn(said, result.stderr)

    def test_a_page_has_the_numbers_of_simulate(self):
        words = ["p.toml", "--platform", "summit", "--nodes", 1]
        facts = self.written("page.html", *words)
        self.assertEqual(facts["command"], "foretile report p.toml --platform summit --nodes 1 --output page.html")
        work = facts["works"][0]
        expected = self.simulated(*words)
        for key in expected.keys() - OWN:
            self.assertEqual(work["report"][key], expected[key], key)
        totals = {total["cause"]: total for total in work["timeline"]["totals"]}
        for cause in ["h2d", "d2h", "network"]:
            self.assertEqual(totals[cause]["bytes"], expected["bytes"][cause], cause)
        self.assertAlmostEqual(work["timeline"]["end"] * work["timeline"]["tick_s"] / expected["makespan_s"], 1, places=6)

    def test_a_page_of_a_program_has_the_numbers_of_simulate(self):
        words = [ROOT / "examples/ccsd_t2.txt", "--o", 4, "--v", 8, "--tile", 4, "--platform", "summit", "--nodes", 1]
        work = self.written("page.html", *words)["works"][0]
        expected = self.simulated(*words)
        for key in expected.keys() - OWN:
            self.assertEqual(work["report"][key], expected[key], key)

    def test_a_plan_file_and_its_problem_have_one_timeline(self):
        words = ["--platform", "summit", "--ranks", 2]
        self.assertEqual(self.call(FORETILE, "plan", "p.toml", "-o", "plan.json", *words).returncode, 0)
        plan = self.written("plan.html", "plan.json")["works"][0]
        problem = self.written("problem.html", "p.toml", *words)["works"][0]
        self.assertEqual(plan["digest"], problem["digest"])
        self.assertEqual(plan["timeline"]["totals"], problem["timeline"]["totals"])

    def test_a_run_is_beside_its_simulation(self):
        for ranks in [1, 2]:
            result = self.ran(ranks, "p.toml", "--report", "run.html")
            simulated, measured = self.facts("run.html")["works"]
            self.assertEqual([simulated["source"], measured["source"]], ["simulated", "measured"])
            self.assertEqual(measured["report"]["makespan_s"], result["makespan_s"])
            self.assertEqual(measured["digest"], result["plan_digest"])
            for work in [simulated, measured]:
                totals = {total["cause"]: total for total in work["timeline"]["totals"]}
                self.assertEqual(totals.get("network", {"bytes": 0})["bytes"], result["bytes"]["network"])
                self.assertGreater(totals["kernel"]["operations"], 0)

    def test_traces_of_a_run_and_a_simulation(self):
        result = self.ran(2, "p.toml", "--trace", "run.json")
        words = ["p.toml", "--platform", "summit", "--ranks", 2]
        simulated = self.simulated(*words, "--trace", "sim.json")
        measured, predicted = self.written("both.html", "run.json", "sim.json")["works"]
        self.assertEqual([measured["source"], predicted["source"]], ["measured", "simulated"])
        self.assertEqual(predicted["report"]["makespan_s"], simulated["makespan_s"])
        self.assertEqual(predicted["platform"], "summit")
        self.assertEqual(measured["digest"], result["plan_digest"])
        for key in ["network", "h2d", "d2h"]:
            self.assertEqual(predicted["report"]["bytes"][key], simulated["bytes"][key], key)
        (self.folder / "bad.json").write_text((self.folder / "sim.json").read_text()[:-20])
        self.refused("bad.json", "bad.json", "-o", "page.html")

    def test_a_history_of_a_search(self):
        result = self.call(FORETILE, "tune", "p.toml", "--platform", "summit", "--ranks", 2, "--history", "h.jsonl", "--budget", "2s")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [json.loads(line) for line in (self.folder / "h.jsonl").read_text().splitlines()[1:]]
        tuning = self.written("search.html", "h.jsonl")["tunings"][0]
        self.assertEqual(len(tuning["evaluations"]), len(lines))
        self.assertEqual([one["makespan_s"] for one in tuning["evaluations"]], [line.get("makespan_s") for line in lines])

    def test_wrong_words(self):
        self.refused("--output is required", "p.toml")
        self.refused("problems", "-o", "page.html")
        self.refused("no-such", "no-such.toml", "-o", "page.html")
        self.refused("p.toml", "p.toml", "-o", "p.toml")
        self.refused("folder", "p.toml", "--platform", "summit", "-o", "no-folder/page.html")
        self.assertFalse((self.folder / "page.html").exists())
        result = self.call(MPIEXEC, "-n", 1, FORETILE_RUN, ROOT / "examples/ccsd_t2.txt", "--o", 2, "--v", 4, "--tile", 2, "--report", "r.html")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("--report", result.stderr)


main()
