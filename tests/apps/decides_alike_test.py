#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""foretile plan X and foretile-run X take the same strategy and the same plan, and say why in the same words.

usage: decides_alike_test.py foretile foretile-run mpiexec
"""
import json
import os
import pathlib

from jobs import FORETILE_RUN, MPIEXEC, PROBLEM, Jobs, main

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
LONG_K = 'kind = "dense"\nm = 128\nn = 128\nk = 1024\ntile = 64\nseed = 3\n'


class DecidesAlike(Jobs):
    def setUp(self):
        super().setUp()
        (self.folder / "given.toml").write_text(PROBLEM + 'b_source = "given"\n')
        (self.folder / "long.toml").write_text(LONG_K)

    def decided(self, problem, ranks, *options, of_run=()):
        """The strategy, by both programs, with its reason or None; all else must be the same, too."""
        plan = self.stored(problem, ranks, *options)
        run = self.ran(ranks, problem, "--verify", *options, *of_run)
        planned = run["planned"]
        self.assertLess(run["verify"]["relative_error"], 1e-13)
        self.assertEqual((planned["strategy"], planned["parameters"], planned.get("decision"), run["plan_digest"]),
                         (plan["strategy"], plan["parameters"], plan.get("decision"), plan["plan_digest"]))
        again = self.ran(ranks, "plan.json", *of_run)
        self.assertEqual((again["plan_digest"], again["digest"]), (run["plan_digest"], run["digest"]))
        return plan["strategy"], plan.get("decision")

    def test_where_no_strategy_is_named(self):
        """Others than the first, which is stationary-b where B is generated and grid-3d where it is given, are among them."""
        taken = set()
        for problem, platform, of_run in [("p.toml", "here", []), ("p.toml", "cascade", []),
                                          ("p.toml", "summit", ["--gpu", "stand-in"]), ("given.toml", "cascade", []),
                                          ("given.toml", "raven", []), ("d.toml", "here", []), ("long.toml", "cascade", [])]:
            for ranks in [1, 2]:
                with self.subTest(problem=problem, platform=platform, ranks=ranks):
                    strategy, why = self.decided(problem, ranks, "--platform", platform, of_run=of_run)
                    self.assertTrue(why.startswith(strategy), why)
                    self.assertIn("by a coarse simulation", why)
                    taken.add((problem, strategy))
        for other in [("p.toml", "grid-3d"), ("p.toml", "local-b"), ("given.toml", "owner-computes-c"), ("given.toml", "stationary-c"),
                      ("long.toml", "owner-computes-c")]:
            self.assertIn(other, taken)

    def test_where_the_settings_ask_or_leave_no_choice(self):
        for ranks in [1, 2]:
            auto = ["--set", "strategy=auto"]
            self.assertIn("by a coarse simulation", self.decided("d.toml", ranks, "--platform", "cascade", *auto)[1])
            for only in ["strategy=grid-3d", "balance=bytes"]:
                self.assertIsNone(self.decided("p.toml", ranks, "--set", only)[1])
            # A variant of the strategy, with its own distribution.
            self.decided("long.toml", ranks, "--platform", "here", "--set", "distribution.a=cyclic")

    def test_noise_decides_alike(self):
        self.decided("given.toml", 2, "--platform", "cascade", "--set", "platform.noise.kernel=0.3")

    def test_ranks_that_have_fewer_cores(self):
        """Rank 0 decides; the number of its threads does not count."""
        cores = sorted(os.sched_getaffinity(0))
        expected = self.ran(2, "given.toml", "--platform", "cascade")
        one = ["taskset", "-c", cores[0], FORETILE_RUN, "given.toml", "--platform", "cascade", "--json"]
        bound = self.call(MPIEXEC, "-n", 1, *one, ":", "-n", 1, *one[3:])
        self.assertEqual(bound.returncode, 0, bound.stderr)
        found = json.loads(bound.stdout)
        self.assertEqual([found[key] for key in ["planned", "plan_digest", "digest"]],
                         [expected[key] for key in ["planned", "plan_digest", "digest"]])

    def test_the_report_says_why(self):
        plan = self.stored("p.toml", 2, "--platform", "cascade")
        for words in [["p.toml", "--platform", "cascade"], ["p.toml", "--platform", "cascade", "--checkpoint", "kept"]]:
            result = self.call(MPIEXEC, "-n", 2, FORETILE_RUN, *words)
            self.assertEqual(result.returncode, 0, result.stderr)
            said = [line.split(None, 1)[1] for line in result.stdout.splitlines() if line.startswith("  strategy ")]
            self.assertEqual(said, [plan["decision"]])
        named = self.call(MPIEXEC, "-n", 2, FORETILE_RUN, "p.toml", "--set", "strategy=local-b")
        self.assertFalse([line for line in named.stdout.splitlines() if line.startswith("  strategy ")])

    def test_strategies_of_terms(self):
        """Compared by simulations of the steps."""
        some = False
        for platform, of_run in [("cascade", []), ("summit", ["--gpu", "stand-in"])]:
            for ranks in [1, 2]:
                case = [EXAMPLES / "ccsd_t2.txt", "--o", 2, "--v", 4, "--tile", 2, "--platform", platform, "--set", "strategy=auto"]
                plan = self.stored(case[0], ranks, *case[1:])
                run = self.ran(ranks, *case, "--verify", *of_run)
                self.assertLess(run["largest_error"], 1e-12)
                self.assertEqual(run["distribution"], plan["distribution"])
                self.assertEqual([step["strategy"] for step in run["steps"]], [step["strategy"] for step in plan["steps"]])
                some = some or "strategies" in plan["distribution"]
        self.assertTrue(some)


if __name__ == "__main__":
    main()
