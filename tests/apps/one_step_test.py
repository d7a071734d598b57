#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""foretile-run plans a problem or a program and runs it, in one step.

usage: one_step_test.py foretile foretile-run mpiexec
"""
import json
import pathlib

from jobs import DENSE, FORETILE, FORETILE_RUN, MPIEXEC, PROBLEM, Jobs, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
T2 = ROOT / "examples/ccsd_t2.txt"
SIZES = ["--o", 2, "--v", 4, "--tile", 2]


class OneStep(Jobs):
    def test_runs_a_problem_as_its_stored_plan(self):
        for ranks in [1, 2, 3]:
            for problem, options in [("p.toml", ["--set", "strategy=local-b"]),
                                     ("d.toml", ["--set", "strategy=stationary-c", "--set", "c=2", "--set", "problem.tile=32",
                                                 "--set", "platform.device.memory=1 MB", "--platform", "here"])]:
                now = self.ran(ranks, problem, "--verify", *options)
                self.assertLess(now["verify"]["relative_error"], 1e-13)
                self.assertIsNone(now["predicted_s"])
                self.stored(problem, ranks, *options)
                stored = json.loads((self.folder / "plan.json").read_text())
                self.assertEqual({"strategy": now["planned"]["strategy"], **now["planned"]["parameters"]}, stored["parameters"])
                self.assertEqual(now["planned"]["platform"], "here")
                before = self.ran(ranks, "plan.json", "--verify")
                self.assertNotIn("planned", before)
                self.assertEqual(now["digest"], before["digest"])
                self.assertEqual(now["verify"], before["verify"])

    def test_runs_an_example_by_its_name_with_the_defaults(self):
        examples = self.folder / "data/examples"
        examples.mkdir(parents=True)
        (examples / "small.toml").write_text(DENSE)
        for ranks in [1, 2, 3]:
            expected = self.ran(ranks, "d.toml", "--verify")
            self.environment["FORETILE_DATA"] = str(self.folder / "data")
            found = self.ran(ranks, "small", "--verify")
            del self.environment["FORETILE_DATA"]
            self.assertEqual((found["digest"], found["planned"]), (expected["digest"], expected["planned"]))

    def test_says_in_one_line_what_was_chosen(self):
        result = self.call(MPIEXEC, "-n", 2, FORETILE_RUN, "d.toml", "--set", "strategy=grid-3d", "--verify")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [line for line in result.stdout.splitlines() if line.startswith("planned ")]
        self.assertEqual(len(lines), 1, result.stdout)
        self.assertIn("grid-3d on here: ", lines[0])
        self.assertIn(" grid=1x2x1 ", lines[0])
        self.assertTrue(result.stdout.startswith("planned "), result.stdout)
        self.assertIn("verified", result.stdout)

    def test_takes_the_options_of_plans(self):
        report = self.ran(2, "d.toml", "--verify", "--output", "c.npy", "--trace", "t.json", "--copies", "--check-finite",
                          "--plan-order", "--no-bind")
        self.assertTrue((self.folder / "c.npy").exists())
        self.assertTrue(json.loads((self.folder / "t.json").read_text()))
        self.assertEqual(report["digest"], self.ran(2, "d.toml")["digest"])
        on_gpus = self.ran(2, "d.toml", "--verify", "--platform", "summit", "--gpu", "stand-in")
        self.assertIn("stand-in", on_gpus["kernels"])
        self.refused("--gpu: found a plan for cores", "d.toml", "--gpu", "stand-in")

    def test_repeats_who_took_which_block(self):
        dynamic = ["--set", "strategy=owner-b", "--set", "sharing=dynamic"]
        (self.folder / "p.toml").write_text(PROBLEM + 'b_source = "given"\n')
        first = self.ran(2, "p.toml", "--assignment-out", "taken.json", *dynamic)
        self.stored("p.toml", 2, *dynamic)
        again = self.ran(2, "plan.json", "--assignment", "taken.json")
        self.assertEqual(first["digest"], again["digest"])
        self.refused("--assignment-out and the problem", "p.toml", "--assignment-out", "p.toml", *dynamic)
        self.refused("--trace and the problem", "p.toml", "--trace", "p.toml")
        self.assertEqual((self.folder / "p.toml").read_text(), PROBLEM + 'b_source = "given"\n')

    def test_a_checkpoint_goes_on_with_the_problem_and_with_its_plan(self):
        grid = ["--set", "strategy=grid-3d"]
        first = self.ran(2, "d.toml", "--checkpoint", "kept", *grid)
        again = self.ran(2, "d.toml", "--checkpoint", "kept", "--verify", *grid)
        self.assertEqual(again["checkpoint"]["tiles_computed"], 0)
        self.assertEqual(first["digest"], again["digest"])
        self.stored("d.toml", 2, *grid)
        self.assertEqual(self.ran(2, "plan.json", "--checkpoint", "kept")["checkpoint"]["tiles_computed"], 0)
        self.refused("kept", "d.toml", "--checkpoint", "kept", "--set", "problem.tile=32", *grid)

    def test_runs_a_program(self):
        for mode in ["levels", "flow"]:
            options = [T2, *SIZES, "--mode", mode, "--set", "chain_pieces=1", "--on-demand", "v[pp|pp]", "--distribution", "round-robin",
                       "--seed", 7]
            old = self.ran(2, "program", *options, "--verify")
            now = self.ran(2, *options, "--verify")
            self.assertLess(now["largest_error"], 1e-12)
            for key in ["digest", "numbers", "distribution", "on_demand", "program", "tile"]:
                self.assertEqual(now.get(key), old.get(key), key)
            self.assertNotEqual(now["digest"], self.ran(2, *options[:-1], 8)["digest"])
        on_gpus = self.ran(1, T2, *SIZES, "--platform", "summit", "--gpu", "stand-in", "--verify")
        self.assertLess(on_gpus["largest_error"], 1e-12)
        self.assertNotIn("program ", self.call(FORETILE_RUN, "--help").stdout.split("Subcommands")[1].split("\n\n")[0])

    def test_refuses_options_of_the_other_kind(self):
        for option, value in [("--o", 2), ("--v", 2), ("--tile", 2), ("--mode", "flow"), ("--on-demand", "auto"),
                              ("--distribution", "auto"), ("--input", "x.h5"), ("--seed", 3)]:
            self.refused(f"{option}: found the problem d.toml, expected a program", "d.toml", option, value)
        for option in [["--checkpoint", "d"], ["--assignment", "a"], ["--assignment-out", "a"], ["--trace", "t"], ["--check-finite"],
                       ["--copies"], ["--plan-order"], ["--no-bind"]]:
            self.refused(f"{option[0]}: found the program", T2, *SIZES, *option)
        self.stored("d.toml", 2)
        for option, value in [("--platform", "here"), ("--set", "grid.p=2"), ("--set", "problem.tile=2")]:
            self.refused(f"{option}: found the plan plan.json, expected PROGRAM.txt", "plan.json", option, value)
        self.refused("--o: found the plan of a problem", "plan.json", "--o", 2)
        self.refused("--o: found nothing, expected the occupied orbitals", T2, "--v", 3)

    def test_says_what_can_be_run(self):
        (self.folder / "notes").write_text("Dear reader,\n")
        (self.folder / "table.csv").write_text("1,2\n")
        (self.folder / "folder").mkdir()
        for what in ["no-such-example", "missing.toml", "notes", "table.csv", "folder"]:
            said = self.refused(f"{what}: found ", what)
            self.assertIn("expected a plan (.json), a problem (.toml, or an example) or a program (.txt)", said)
            self.assertIn("mpiexec -n 2 foretile-run c12 --verify", said)
        self.refused("a plan, a problem or a program is required")
        (self.folder / "wrong.toml").write_text('kind = "dense"\nm = "many"\n')
        self.refused("wrong.toml:2", "wrong.toml")
        self.refused("missing.txt", "missing.txt", *SIZES)
        (self.folder / "kind").write_text(DENSE)  # whatever its name is
        self.assertEqual(self.ran(2, "kind")["digest"], self.ran(2, "d.toml")["digest"])

    def test_refuses_what_cannot_be_planned(self):
        self.refused("gird", "d.toml", "--set", "strategy=grid-3d", "--set", "gird=1x1x1")
        self.refused("key=value", "d.toml", "--set", "grid")
        self.refused("sise", "d.toml", "--set", "problem.sise=3")
        self.refused("nowhere", "d.toml", "--platform", "nowhere")
        self.refused("platform.what", "d.toml", "--set", "platform.what=1")
        said = self.refused("are missing", "d.toml", "--set", "platform.device.memory=1 kB", "--set", "strategy=grid-3d")
        self.assertIn("foretile plan d.toml --platform here --ranks 2 looks for what fits", said)
        (self.folder / "huge.toml").write_text('kind = "dense"\nm = 400000\nn = 400000\nk = 400000\ntile = 4000\n')
        said = self.refused("are missing", "huge.toml", "--set", "strategy=grid-3d")
        self.assertIn("here has one node: name a cluster with --platform; see docs/how-to/memory-does-not-fit.md", said)

    def test_ranks_must_have_the_same_problem_and_options(self):
        (self.folder / "other.toml").write_text(DENSE.replace("seed = 3", "seed = 4"))
        (self.folder / "other.txt").write_text(T2.read_text().replace("0.5", "0.25", 1))
        self.stored("d.toml", 2)
        for first, second, said in [(["d.toml"], ["other.toml"], "rank 1: found problem digest "),
                                    ([T2, *SIZES], ["other.txt", *SIZES], "rank 1: found program digest "),
                                    (["d.toml"], ["plan.json"], "rank 1: found plan digest "),
                                    (["d.toml"], ["d.toml", "--set", "grid.p=2"], "rank 1: found --set grid.p=2"),
                                    (["d.toml"], ["nothing"], "nothing: found neither")]:
            self.assertIn(said, self.started_differently(first, second))
        (self.folder / "copy.toml").write_text(DENSE)
        same = self.call(MPIEXEC, "-n", 1, FORETILE_RUN, "d.toml", ":", "-n", 1, FORETILE_RUN, "copy.toml")
        self.assertEqual(same.returncode, 0, same.stderr)

    def test_all_ranks_plan_for_the_platform_of_rank_0(self):
        """Each node may have a calibration of its own."""
        (self.folder / "a").mkdir()
        (self.folder / "b").mkdir()
        for folder, memory in [("a", "1 GB"), ("b", "2 GB")]:
            home = self.folder / folder / "foretile"
            home.mkdir()
            shown = self.call(FORETILE, "platform", "show", "cascade", "--json")
            self.assertEqual(shown.returncode, 0, shown.stderr)
            text = (ROOT / "platforms/cascade.toml").read_text().replace('name = "cascade"', 'name = "here"')
            (home / "here.toml").write_text(text.replace('memory = "64 GB"', f'memory = "{memory}"'))
        env = [["-env", "XDG_CONFIG_HOME", self.folder / folder] for folder in "ab"]
        result = self.call(MPIEXEC, "-n", 1, *env[0], FORETILE_RUN, "d.toml", "--verify", "--json", ":", "-n", 1, *env[1], FORETILE_RUN,
                           "d.toml", "--verify", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertLess(json.loads(result.stdout)["verify"]["relative_error"], 1e-13)

    def test_warns_where_the_job_has_more_nodes_than_the_plan(self):
        said = "the plan has 2 ranks on a node of here, the job has 1"
        self.assertNotIn(said, self.call(MPIEXEC, "-n", 2, FORETILE_RUN, "d.toml").stderr)
        self.environment["MPIR_CVAR_NOLOCAL"] = "1"  # of MPICH: each rank has a node
        result = self.call(MPIEXEC, "-n", 2, FORETILE_RUN, "d.toml", "--verify")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(said, result.stderr)

    def test_names_tensors_to_make_where_memory_is_short(self):
        case = [T2, "--o", 6, "--v", 24, "--tile", 6, "--platform", "cascade"]
        self.environment["FORETILE_MEMORY"] = "1 MB"
        said = self.refused("use more nodes; see docs/how-to/memory-does-not-fit.md\n", *case)  # no tensor is that large
        needed = int(said.split("expected ")[1].split()[0])
        self.environment["FORETILE_MEMORY"] = str(needed - 200_000)
        self.refused('use more nodes, or plan with --on-demand "v[pp|pp]"; see docs/how-to/memory-does-not-fit.md\n', *case)
        self.environment["FORETILE_MEMORY"] = str(needed)
        self.ran(2, *case)


if __name__ == "__main__":
    main()
