# SPDX-License-Identifier: BSD-3-Clause
"""plan, simulate and tune as scripts and users call them.   plan_commands_test.py FORETILE yes|no (SimGrid)"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

foretile = sys.argv[1]
simgrid = sys.argv[2] == "yes"
platform = ("--platform", str(pathlib.Path(__file__).parent / "toy_platform.toml"))


def call(*arguments):
    return subprocess.run([foretile, *map(str, arguments)], capture_output=True, text=True)


def run(*arguments):
    done = call(*arguments)
    assert done.returncode == 0 and not done.stderr, (arguments, done)
    return json.loads(done.stdout)


def expect(code, part, *arguments):
    done = call(*arguments)
    assert done.returncode == code and done.stderr.count("\n") == 1, (arguments, done)
    assert part in done.stderr, (part, done.stderr)


def check_plan(problem, stored):
    plan = run("plan", problem, *platform, "--nodes", 2, "--set", "strategy=stationary-b", "--set", "grid.p=2", "-o", stored, "--json")
    # 4 x 6 x 8 with tiles of 2: 2 x 3 x 4 products; each of the two ranks has one row of C.
    for key, value in {"gemms": 24, "ranks": 2, "devices": 4, "budget_device_bytes": 1_000_000}.items():
        assert plan[key] == value, (key, plan)
    assert 0 < plan["peak_device_bytes"] <= plan["budget_device_bytes"] and plan["wall_s"] > 0
    assert plan["bytes"]["network"] == 0 and plan["grid"] == {"p": 2, "q": 1, "r": 1}
    again = run("plan", stored, "--json")
    assert {**again, "wall_s": 0, "peak_rss_bytes": 0} == {**plan, "wall_s": 0, "peak_rss_bytes": 0}, (again, plan)
    # Whatever the command line says holds against the stored plan.
    assert run("plan", stored, "--json", "--set", "grid.p=1", "--nodes", 1)["grid"] == {"p": 1, "q": 1, "r": 1}


def check_own_options(scratch):
    """--messages and --placement hold beside --set, in either order, and over it."""
    problem = scratch / "cube.toml"
    assert call("problem", "dense", "--m", 2000, "--n", 2000, "--k", 2000, "--tile", 500, "-o", problem).returncode == 0
    stored = scratch / "own.json"
    for options in (("--set", "strategy=stationary-c", "--messages", "device"), ("--messages", "device", "--set", "strategy=stationary-c"),
                    ("--messages", "device", "--set", "platform.messages=host", "--placement", "scattered")):
        run("plan", problem, "--platform", "frontier", "--nodes", 2, *options, "-o", stored, "--json")
        assert 'messages = \\"device\\"' in stored.read_text() or "messages = 'device'" in stored.read_text(), options
    assert "scattered" in stored.read_text()
    expect(2, "messages", "plan", problem, "--platform", "raven", "--messages", "device", "--set", "strategy=stationary-c")


def check_comparison(stored):
    """The plan with the least bound is not the fastest: parts of C wait for each other."""
    water = ("h2o12", "--platform", "newriver", "--nodes", 16, "--set", "strategy=auto")
    plan = run("plan", *water, "-o", stored, "--json")
    compared = plan["compared"]
    least_bound = min(compared, key=lambda one: one["bound_s"])
    fastest = min((one for one in compared if "seconds" in one), key=lambda one: one["seconds"])
    assert plan["strategy"] == fastest["strategy"] != least_bound["strategy"], compared
    assert fastest["seconds"] < least_bound["seconds"], compared
    simulated = run("simulate", stored, "--engine", "fluid", "--json")
    assert abs(simulated["makespan_s"] / fastest["seconds"] - 1) < 0.1, (simulated["makespan_s"], fastest)  # which is coarse
    usual = run("plan", *water[:-2], "--json")
    assert usual["decision"] == plan["decision"] and usual["parameters"] == plan["parameters"], (usual, plan)
    assert run("plan", *water[:-2], "--parameters", "--json")["strategy"] == plan["strategy"]
    text = call("plan", *water[:-2]).stdout
    assert f"strategy              {plan['strategy']}: " in text and "strategies, compared" not in text, text
    assert "strategies, compared" in call("plan", *water).stdout
    expect(2, "--parameters: found strategies to compare, expected one strategy", "plan", *water, "--parameters")


def check_program():
    """The counts of the doubles residual for beta-carotene, and what its command line refuses."""
    program = str(pathlib.Path(__file__).parent.parent.parent / "examples/ccsd_t2.txt")
    shown = run("show", program, "--o", 108, "--v", 324, "--tile", 45, "--json")
    assert (shown["chains"], shown["gemms"], shown["levels"]) == (24269, 468864, [29, 8, 3, 1]), shown
    assert round(shown["flops"] / 1e12) == 2238 and len(shown["terms"]) == 41, shown
    terms = {term["name"]: term for term in shown["terms"]}
    assert terms["t2_2"]["depends_on"] == ["t2_2_1", "t2_2_2", "t2_2_4", "t2_2_5", "t2_2_6"] and terms["t2_2"]["level"] == 4, terms["t2_2"]
    heaviest = sorted(terms, key=lambda name: -terms[name]["flops"])[:5]
    assert set(heaviest) == {"t2_7_3", "t2_7", "t2_8", "t2_2_5", "t2_2_6"}, heaviest
    assert (terms["t2_8"]["shortest_chain"], terms["t2_8"]["longest_chain"]) == (36, 64), terms["t2_8"]
    assert "level 4, 1 terms" in call("show", program, "--o", 108, "--v", 324, "--tile", 45).stdout
    expect(2, "--v: found nothing, expected the virtual orbitals of each spin", "show", program, "--o", 108, "--tile", 45)
    expect(2, "--o: found h2o12, expected a program", "show", "h2o12", "--o", 1)
    expect(2, "leave --picture out", "show", program, "--o", 1, "--v", 1, "--tile", 1, "--picture", "x.png")
    expect(2, "missing.txt", "show", "missing.txt", "--o", 1, "--v", 1, "--tile", 1)


def check_sources(made, given, scratch):
    """The fastest strategy that honours the sources, unless one is named; the plan file holds it."""
    decided = scratch / "decided.json"
    for problem, source, names in ((made, "generated", ("stationary-b", "grid-3d", "local-b")),
                                   (given, "given", ("grid-3d", "stationary-c", "owner-b", "owner-computes-c"))):
        default = run("plan", problem, *platform, "-o", decided, "--json")
        strategy = default["strategy"]
        assert strategy in names and default["sources"] == {"A": "given", "B": source}, default
        assert default["strategy_reason"] == f"A is given, B is {source}: {strategy} honours them", default
        assert (default["bytes"]["generated"] > 0) == (source == "generated") and "source_override" not in default, default
        assert default["decision"].startswith(f"{strategy}") and default["compared"], default
        stored = run("plan", decided, "--json")
        assert stored["strategy"] == strategy and "decision" not in stored and "compared" not in stored, stored
        report = run("simulate", problem, *platform, "--json")
        assert (report["strategy"], report["decision"]) == (strategy, default["decision"]), report
        assert f"  strategy              {strategy}" in call("simulate", problem, *platform).stdout
        named = run("plan", problem, *platform, "--set", f"strategy={strategy}", "--json")
        assert named["gemms"] == default["gemms"] and "decision" not in named and "compared" not in named, named
    assert run("plan", made, *platform, "--set", "balance=bytes", "--json")["strategy"] == "stationary-b"
    assert run("plan", given, *platform, "--set", "grid.p=1", "--json")["strategy"] == "stationary-c"
    stored = scratch / "overridden.json"
    named = run("plan", given, *platform, "--set", "strategy=stationary-b", "-o", stored, "--json")
    override = "B is given; stationary-b generates it: the problem's source is overridden"
    assert named["source_override"] == override and named["bytes"]["generated"] > 0, named
    assert override in call("plan", stored).stdout and run("plan", stored, "--json")["source_override"] == override
    assert run("simulate", stored, "--json")["source_override"] == override
    assert override in call("simulate", stored).stdout
    neither = scratch / "neither.toml"
    neither.write_text(given.read_text().replace('a_source = "given"', 'a_source = "made"'))
    expect(2, "set strategy=NAME", "plan", neither, *platform)
    assert run("plan", neither, *platform, "--set", "strategy=stationary-c", "--json")["source_override"]


def check_errors(problem, stored):
    expect(2, "give only one of", "plan", problem, *platform, "--gpus", 2, "--nodes", 1)
    expect(2, "unknown key \"grid.q\" of strategy stationary-b", "plan", problem, *platform, "--set", "grid.q=1")
    expect(2, "are missing: ", "plan", problem, *platform, "--set", "platform.device.memory=100")
    expect(2, "at most 2 on toy", "plan", problem, *platform, "--nodes", 3)
    expect(2, "no place to write", "plan", problem, *platform, "-o", "nowhere/p.json")
    text = stored.read_text()
    edited = stored.with_name("edited.json")
    edited.write_text(text.replace("m = 4", "m = 8"))
    expect(2, "digest", "plan", edited)
    edited.write_text(text[: len(text) // 2])
    expect(2, "edited.json: not a plan file", "plan", edited)
    expect(2, "none.json", "plan", "none.json")


def check_warning(problem, scratch):
    environment = {**os.environ, "XDG_CONFIG_HOME": str(scratch / "empty")}
    done = subprocess.run([foretile, "plan", problem], capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and "not calibrated" in done.stderr, done


def check_simulate(problem, stored, scratch):
    predicted = scratch / "predicted.json"
    first = run("simulate", stored, "--json", "-o", predicted)
    keys = ("makespan_s", "flops_per_s", "gemms", "wall_s", "peak_rss_bytes")
    assert all(first[key] > 0 for key in keys), first
    assert first["gemms"] == 24 and set(first["bytes"]) == {
        "network", "between_nodes", "within_nodes", "sent_per_rank_max", "h2d", "d2d", "d2h", "generated"}
    assert 0 < first["problem_bound_s"] <= first["bound_s"] <= first["makespan_s"] and first["bound"], first
    planned = run("plan", stored, "--json")
    assert all(planned[key] == first[key] for key in ("bound_s", "bound", "problem_bound_s", "problem_bound")), planned
    assert abs(sum(first["limits"].values()) - first["makespan_s"]) < 1e-9, first
    assert json.loads(predicted.read_text())["predicted"]["makespan_s"] == first["makespan_s"]
    # The limit is generation or copies here; a slower core makes it generation.
    slow = run("simulate", stored, "--json", "--set", "platform.generation.rate=100 kB/s")
    assert slow["makespan_s"] > first["makespan_s"] and slow["limit"].startswith("generation of B"), slow
    noisy = [run("simulate", stored, "--json", "--set", "platform.noise.kernel=0.1", "--seed", seed)["makespan_s"]
             for seed in (1, 1, 2)]
    assert noisy[0] == noisy[1] != noisy[2], noisy
    many = run("simulate", stored, "--json", "--set", "platform.noise.kernel=0.1", "--seeds", 20)
    band = many["seeds"]
    assert band["first"] == 1 and len(band["makespan_s"]) == 20 and band["makespan_s"][:2] == noisy[1:], (band, noisy)
    assert band["low_s"] < band["median_s"] < band["high_s"] and many["makespan_s"] == noisy[0], (band, noisy)
    assert "\nwith 20 seeds from 3 on: median " in call(
        "simulate", stored, "--set", "platform.noise.kernel=0.1", "--seed", 3, "--seeds", 20).stdout
    expect(2, "whose noise.* are all 0", "simulate", stored, "--seeds", 20)
    expect(2, "--seeds: Value 18 not in range 19 to 10000", "simulate", stored, "--seeds", 18)
    expect(2, "excludes", "simulate", stored, "--seeds", 20, "-o", scratch / "band.json")
    fluid = run("simulate", stored, "--json", "--engine", "fluid")
    assert fluid["engine"] == "fluid" and abs(fluid["makespan_s"] / first["makespan_s"] - 1) <= 1e-6, (fluid, first)
    if simgrid:
        reference = run("simulate", stored, "--json", "--engine", "simgrid")
        assert first["engine"] == reference["engine"] == "simgrid", (first, reference)
        assert first["makespan_s"] == reference["makespan_s"], (first, reference)
    else:
        assert first["engine"] == "fluid" and first["makespan_s"] == fluid["makespan_s"], (fluid, first)
        for command in ("simulate", "tune"):
            expect(2, "--engine: found simgrid, expected auto or fluid: this foretile was built without SimGrid; take fluid, or "
                   "install libsimgrid-dev and build again", command, stored, "--engine", "simgrid")
    expect(2, "expected auto, simgrid or fluid", "simulate", stored, "--engine", "packets")
    expect(2, "no place to write", "simulate", stored, "--trace", "nowhere/t.json")


def check_engines(found, stored):
    """The search has the fluid engine; where SimGrid is built, it simulates what is taken, too."""
    engines = found["engines"]
    assert list(engines) == (["fluid", "simgrid"] if simgrid else ["fluid"]), found
    assert found.get("simgrid_left_out") == (None if simgrid else "this foretile was built without it"), found
    assert engines["fluid"] == found["taken"]["makespan_s"], found
    for engine, seconds in engines.items():
        assert run("simulate", stored, "--json", "--engine", engine)["makespan_s"] == seconds, (engine, found)
    assert json.loads(stored.read_text())["predicted"]["makespan_s"] == engines["fluid"], found


def check_named_engines(problem):
    """Who names an engine gets it alone."""
    for engine in ("fluid", "simgrid") if simgrid else ("fluid",):
        found = run("tune", problem, *platform, "--nodes", 2, "--count", 2, "--json", "--engine", engine)
        assert found["engines"] == {engine: found["taken"]["makespan_s"]} and "simgrid_left_out" not in found, found
        assert f"\nengines   {engine} " in call("tune", problem, *platform, "--nodes", 2, "--count", 2, "--engine", engine).stdout


def check_tune(problem, scratch):
    best, history = scratch / "best.json", scratch / "history.jsonl"
    search = ("tune", problem, *platform, "--nodes", 2, "--workers", 2, "--json", "--search", "random", "--history", history)
    found = run(*search, "--count", 8, "-o", best)
    assert found["evaluated"] + found["infeasible"] == 8 and found["end"] == "count", found
    assert found["defaults"]["parameters"] == {
        "grid.p": "1", "block_fraction": "0.5", "chunk_fraction": "0.25", "lookahead": "1", "strategy": "stationary-b"}, found
    assert 0 < found["best"]["makespan_s"] <= found["defaults"]["makespan_s"], found
    assert 0 < found["problem_bound_s"] <= found["bound_s"] <= found["best"]["makespan_s"], found
    check_engines(found, best)
    assert run(*search, "--count", 10)["from_history"] == 8
    expect(2, "platform", *search, "--count", 20, "--set", "platform.pcie.latency=0")
    lines = history.read_text().splitlines()
    number = next(i for i, line in enumerate(lines) if '"status":"done"' in line)
    wrong = json.loads(lines[number])
    wrong["parameters"]["lookahead"], wrong["makespan_s"] = "77", 1e-9
    history.write_text("\n".join(lines[:number] + [json.dumps(wrong)] + lines[number + 1:]) + "\n")
    expect(2, f"history.jsonl:{number + 1}: lookahead: found 77", *search, "--count", 10)

    space = scratch / "space.toml"
    other = scratch / "other.toml"
    assert call("problem", "dense", "--m", 4, "--n", 6, "--k", 8, "--tile", 1, "--b-source", "generated", "-o", other).returncode == 0
    space.write_text(f'[parameters]\n"grid.p" = [1, 2]\n"platform.pcie.latency" = ["1 us", "9 us"]\n'
                     f'problem = ["{problem}", "{other}"]\n')
    all_of = run("tune", problem, *platform, "--nodes", 2, "--space", space, "--search", "exhaustive", "--json")
    assert all_of["evaluated"] == 8 and all_of["end"] == "complete", all_of  # the defaults are in the space
    proven = run("tune", problem, *platform, "--nodes", 2, "--space", space, "--json")
    assert proven["proven"] and proven["gap"] == 0 and proven["candidates"] == 8, proven
    assert proven["best"]["makespan_s"] == all_of["best"]["makespan_s"] and proven["evaluated"] <= 8, proven
    assert all_of["defaults"]["parameters"]["platform.pcie.latency"] == "1 us", all_of
    with_effects = run("tune", problem, *platform, "--nodes", 2, "--space", space, "--effects", "--json")
    alone = all_of["sensitivity"]
    assert set(alone) == {"grid.p", "platform.pcie.latency", "problem"}, alone
    for name, values in alone.items():  # an exhaustive search knows everything, --effects all that is asked for
        assert [value["status"] for value in values][0] == "best" and len(values) == 2, alone
        assert [value["makespan_s"] for value in values] == [
            value["makespan_s"] for value in with_effects["sensitivity"][name]], (alone, with_effects)
    uncertain = run("tune", problem, *platform, "--nodes", 2, "--space", space, "--set", "platform.calibration.error=0.5", "--json")
    assert uncertain["tie"] == 0.5 and proven["tie"] == 0.05, uncertain["tie"]
    with_own = run("tune", problem, *platform, "--nodes", 2, "--json")
    assert with_own["proven"] and with_own["candidates"] > 100, with_own  # the space that is made
    assert with_own["evaluated"] + with_own["infeasible"] < with_own["candidates"], with_own
    check_effects_of_proven(scratch)
    check_tuned_sources(problem, scratch)
    expect(2, "--set fixes", "tune", problem, *platform, "--space", space, "--set", "grid.p=1")
    space.write_text("[parameters]\nblock_fractoin = [0.5]\n")
    expect(2, "did you mean \"block_fraction\"?", "tune", problem, *platform, "--space", space)
    expect(1, "could be simulated", "tune", problem, *platform, "--count", 2, "--set", "platform.device.memory=100")
    expect(2, "--budget", "tune", problem, *platform, "--budget", "soon")
    check_named_engines(problem)
    check_node_range(problem, scratch)
    check_starts(problem, scratch)
    check_tilings(scratch)
    check_wrong_values(problem, scratch)


def check_tilings(scratch):
    """The problem file says which tilings may be; the tuner finds one, and stores the problem tiled so."""
    fixed, free, best = scratch / "fixed.toml", scratch / "free.toml", scratch / "retiled.json"
    dense = ("problem", "dense", "--m", 24, "--n", 24, "--k", 24, "--tile", 24)
    assert call(*dense, "-o", fixed).returncode == 0
    assert call(*dense, "--tune", "tile=24,6,4", "-o", free).returncode == 0
    machine = (*platform, "--nodes", 2)
    one_tile = run("simulate", fixed, *machine, "--engine", "fluid", "--json")["makespan_s"]
    found = run("tune", free, *machine, "--json", "--set", "lookahead=1", "-o", best)
    assert found["proven"] and found["space"]["problem.tile"] == ["24", "6", "4"], found
    assert found["defaults"]["parameters"]["problem.tile"] == "24", found
    tile = found["best"]["parameters"]["problem.tile"]
    assert tile != "24" and found["best"]["makespan_s"] < one_tile == found["defaults"]["makespan_s"], found
    check_engines(found, best)
    assert f"tile = {tile}\n" in json.loads(best.read_text())["problem"]["toml"]
    set_tile = run("tune", free, *machine, "--json", "--set", "lookahead=1", "--set", f"problem.tile={tile}")
    assert "problem.tile" not in set_tile["space"], set_tile
    assert set_tile["best"]["makespan_s"] == found["best"]["makespan_s"], set_tile
    assert "\n  problem.tile  " in call("tune", free, *machine, "--count", 1).stdout

    space = scratch / "tilings.toml"
    space.write_text('[parameters]\n"problem.tile" = [4, 8]\n')
    assert run("tune", fixed, *machine, "--space", space, "--json")["candidates"] == 3  # the defaults too
    expect(2, "a parameter that --set fixes", "tune", fixed, *machine, "--space", space, "--set", "problem.tile=4")
    space.write_text('[parameters]\n"problem.ao_clusters" = [4, 8]\n')
    expect(2, "unknown key \"problem.ao_clusters\" of these problems. Known keys: problem.tile", "tune", fixed, *machine,
           "--space", space)
    space.write_text('[parameters]\n"problem.tile" = [4, 0]\n')
    expect(2, "found 0, expected a whole number from 1", "tune", fixed, *machine, "--space", space)
    free.write_text(free.read_text().replace("24, 6, 4", "24, 24"))
    expect(2, "found 24 twice", "tune", free, *machine)
    expect(2, "unknown key \"problem.m\"", "simulate", fixed, *machine, "--set", "problem.m=4")
    for option, message in (("tile", "KEY=VALUE"), ("m=3", "unknown key \"m\" in [tune]"), ("tile=0", "a whole number"),
                            ("tile=4,4", "4 twice")):
        expect(2, message, *dense, "--tune", option)
    expect(2, "tile twice", *dense, "--tune", "tile=4", "--tune", "tile=6")


def check_effects_of_proven(scratch):
    """Nothing near a proven best may be better: also where a look found another candidate's plan (lookahead auto)."""
    dense = scratch / "effects.toml"
    assert call("problem", "dense", "--m", 40, "--n", 40, "--k", 40, "--tile", 5, "-o", dense).returncode == 0
    found = run("tune", dense, *platform, "--nodes", 1, "--set", "b=1", "--set", "c=1", "--set", "d=1", "--json")
    assert found["proven"] and found["best"]["makespan_s"] > 0, found
    statuses = {value["status"] for values in found["sensitivity"].values() for value in values}
    assert "auto" in [value["value"] for value in found["sensitivity"]["lookahead"]], found
    assert not statuses & {"not_tried", "failed"}, found["sensitivity"]


def check_starts(problem, scratch):
    """Candidates of another run come after the defaults; nothing of its results is taken over."""
    elsewhere, own = scratch / "elsewhere.jsonl", scratch / "own.jsonl"
    tune = ("tune", problem, *platform, "--workers", 1, "--json")
    lines = [{"makespan_s": 2e-9, "parameters": {"block_fraction": "0.40", "message_bytes": "16 MB"}},  # others: the defaults'
             {"makespan_s": 1e-9, "parameters": {"block_fraction": "0.3", "grid.p": "2", "lookahead": "1",
                                                 "chunk_fraction": "0.1", "strategy": "local-b"}},
             {"makespan_s": 3e-9, "parameters": {"block_fraction": "0.123"}}]
    text = '{"foretile_history":1,"problem":"of another machine"}\n' + "".join(
        json.dumps({**line, "status": "done", "wall_s": 1}) + "\n" for line in lines)
    elsewhere.write_text(text)
    started = (*tune, "--nodes", 2, "--start-from", elsewhere)
    found = run(*started, "--history", own)
    evaluated = [json.loads(line) for line in own.read_text().splitlines()[1:]]
    assert (found["started_from"], found["starts_unused"], found["from_history"]) == (2, 1, 0), found
    defaults = found["defaults"]["parameters"]
    first = [e["parameters"] for e in evaluated[:4]]  # the other strategy's defaults come before the starts
    assert (first[0], first[2], first[3]) == (
        defaults, lines[1]["parameters"], {**defaults, "block_fraction": "0.4"}), first
    assert {first[0]["strategy"], first[1]["strategy"]} == {"stationary-b", "local-b"}, first
    assert all(e.get("makespan_s", 1) > 1e-6 for e in evaluated), evaluated
    alone = run(*tune, "--nodes", 2)
    assert found["proven"] and found["best"]["makespan_s"] == alone["best"]["makespan_s"], (found, alone)
    assert "started_from" not in alone, alone
    again = run(*started, "--history", own)  # resumes; the starts are known by then
    assert again["from_history"] == len(evaluated) and again["started_from"] == found["started_from"], again
    assert elsewhere.read_text() == text

    space = scratch / "starts.toml"
    space.write_text('[parameters]\n"grid.p" = [1, 2]\nblock_fraction = [0.21, 0.3]\n')
    narrow = run(*started, "--space", space)
    assert (narrow["started_from"], narrow["starts_unused"]) == (1, 2), narrow
    shown = call("tune", problem, *platform, "--nodes", "1..2", "--count", 3, "--start-from", elsewhere).stdout
    assert "started from 2 good candidates of" in shown and "1 more cannot be tried in this space" in shown, shown
    ranged = run(*tune, "--nodes", "1..2", "--start-from", elsewhere)
    assert ranged["started_from"] > 0 and all(line["gap"] == 0 for line in ranged["by_nodes"]), ranged

    torn = scratch / "torn.jsonl"
    torn.write_text(elsewhere.read_text()[:-5])
    assert run(*tune, "--nodes", 2, "--count", 3, "--start-from", torn)["started_from"] > 0
    for content, part in [("", "torn.jsonl:1: found no header, expected a history"),
                          ('{"foretile_history":7}\n', "torn.jsonl:1: foretile_history: found 7, expected 1"),
                          (problem.read_text(), "torn.jsonl:1: found no header"),
                          ('{"foretile_history":1}\nno\n', "torn.jsonl:2: not an evaluation")]:
        torn.write_text(content)
        expect(2, part, *tune, "--start-from", torn)
    expect(2, "missing.jsonl", *tune, "--start-from", scratch / "missing.jsonl")


def check_node_range(problem, scratch):
    tune = ("tune", problem, *platform, "--set", "strategy=stationary-b")
    found = run(*tune, "--nodes", "1..2", "--json", "--goal", "node-hours", "-o", scratch / "few.json")
    by_nodes = found["by_nodes"]
    assert [line["nodes"] for line in by_nodes] == [1, 2], found
    for line in by_nodes:
        alone = run(*tune, "--nodes", line["nodes"], "--json")
        assert alone["proven"] and line["gap"] == 0 and line["makespan_s"] == alone["best"]["makespan_s"], (line, alone)
        assert abs(line["node_hours"] - line["nodes"] * line["makespan_s"] / 3600) < 1e-15, line
    fewest = min(by_nodes, key=lambda line: line["node_hours"])
    assert (found["goal"], found["nodes"]) == ("node-hours", fewest["nodes"]), found
    assert found["best"]["makespan_s"] == fewest["makespan_s"], found
    assert run("simulate", scratch / "few.json", "--engine", "fluid", "--json")["makespan_s"] == fewest["makespan_s"]
    text = call(*tune, "--nodes", "1..2").stdout
    assert "shortest time" in text and "fewest node-hours" in text, text
    expect(2, "--nodes: found many", *tune, "--nodes", "many")
    expect(2, "expected the smaller number first", *tune, "--nodes", "2..1")
    expect(2, "found 1000 nodes", *tune, "--nodes", "1..1000")
    expect(2, "--goal: found money", *tune, "--nodes", "1..2", "--goal", "money")
    expect(2, "--history: found a range of nodes", *tune, "--nodes", "1..2", "--history", scratch / "range.jsonl")
    expect(2, "--effects: found a range of nodes", *tune, "--nodes", "1..2", "--effects")
    expect(2, "only one of", *tune, "--nodes", "1..2", "--gpus", 2)


def check_wrong_values(problem, scratch):
    """Known before anything is simulated, and before a history is written."""
    history, space = scratch / "none.jsonl", scratch / "wrong.toml"
    tune = ("tune", problem, *platform, "--history", history)
    expect(2, "lookahead: found many, expected a whole number from 0 to 64", *tune, "--set", "lookahead=many")
    expect(2, "unknown key \"barriers\" of strategy stationary-b", *tune, "--set", "strategy=stationary-b", "--set", "barriers=none")
    expect(2, "did you mean \"platform.device.cache.size\"", *tune, "--set", "platform.device.cache=1")
    for line, part in [('"platform.pcie.latency" = ["1 us", "1 GB"]', "wrong.toml:2: platform.pcie.latency: found"),
                       ("message_bytes = [\"16 MB\", \"16000000\"]", "wrong.toml:2: message_bytes: found 16 MB and 16000000, the same"),
                       ("strategy = [\"stationary-x\"]", "wrong.toml:2: strategy: found stationary-x"),
                       ("block_fraction = [0.5, 2]", "wrong.toml:2: block_fraction: found 2"),
                       ('problem = ["a\\u0000b"]', "a\\x00b")]:
        space.write_text(f"[parameters]\n{line}\n")
        expect(2, part, *tune, "--space", space)
    assert not history.exists()


def check_tuned_sources(made, scratch):
    """The defaults of every problem come first; strategies that override a source are infeasible unless --set names them."""
    given, space, history = scratch / "given.toml", scratch / "both.toml", scratch / "both.jsonl"
    space.write_text(f'[parameters]\nproblem = ["{given}", "{made}"]\nstrategy = ["stationary-b", "stationary-c"]\n')
    tune = ("tune", made, *platform, "--nodes", 2, "--workers", 1, "--json", "--space", space,
            "--search", "exhaustive")
    found = run(*tune, "--history", history)
    outcomes = [json.loads(line) for line in history.read_text().splitlines()[1:]]
    chosen = [(o["parameters"]["problem"], o["parameters"]["strategy"], o["status"]) for o in outcomes]
    assert chosen[:2] == [(str(made), "stationary-b", "done"), (str(given), "stationary-c", "done")], chosen
    assert sorted(chosen[2:]) == sorted([(str(made), "stationary-c", "infeasible"),
                                         (str(given), "stationary-b", "infeasible")]), chosen
    assert found["infeasible"] == 2 and found["best"]["makespan_s"] == found["defaults"]["makespan_s"], found
    assert found["taken"]["parameters"] == found["defaults"]["parameters"], found  # of equal times the defaults
    assert found["strategy_reason"].endswith("stationary-b honours them"), found
    fixed = run("tune", given, *platform, "--count", 2, "--set", "strategy=stationary-b", "--json")
    assert fixed["evaluated"] == 2 and "overridden" in fixed["source_override"], fixed


def check_finer_tiles(scratch):
    """Tiles that do not fit: advice that was checked, and a tuner that takes it."""
    coarse, small = scratch / "coarse.toml", scratch / "small.toml"
    assert call("problem", "dense", "--m", 600, "--n", 600, "--k", 600, "--tile", 300, "-o", coarse).returncode == 0
    done = call("plan", coarse, *platform)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done
    found = re.search(r"it fits with --set problem\.tile=(\d+), or made by foretile problem with --tile (\d+); see docs/how-to/memory-does-not-fit.md$", done.stderr.strip())
    assert found and found[1] == found[2] and int(found[1]) < 300, done.stderr
    run("plan", coarse, *platform, "--set", f"problem.tile={found[1]}", "--json")
    listed = scratch / "listed.toml"  # nothing to say where tiles are listed
    listed.write_text('kind = "dense"\nm = 600\nn = 600\nk = 600\n'
                      'm_tiles = [300, 300]\nn_tiles = [300, 300]\nk_tiles = [300, 300]\n')
    done = call("plan", listed, *platform)
    assert done.returncode == 2 and "are missing: " in done.stderr and "it fits with" not in done.stderr, done
    alkane = pathlib.Path(__file__).parents[2] / "examples" / "c12h26.xyz"
    assert call("problem", "molecule", "--xyz", alkane, "--occ-clusters", 4, "--ao-clusters", 2, "-o", small).returncode == 0
    molecule = scratch / "molecule.xyz"  # is not written over
    molecule.write_text(alkane.read_text())
    done = call("problem", "molecule", "--xyz", molecule, "-o", molecule)
    assert done.returncode == 2 and "--xyz" in done.stderr and molecule.read_text() == alkane.read_text(), done
    memory = ("--set", "platform.device.memory=2 GB")
    done = call("plan", small, *platform, *memory)
    found = re.search(r"it fits with --set problem\.ao_clusters=(\d+), or made by foretile problem with --ao-clusters (\d+); see docs/how-to/memory-does-not-fit.md$",
                      done.stderr.strip())
    assert done.returncode == 2 and found and found[1] == found[2] and int(found[1]) > 2, done
    run("plan", small, *platform, *memory, "--set", f"problem.ao_clusters={found[1]}", "--json")
    made = scratch / "made.toml"  # all of A is too much for a rank
    assert call("problem", "dense", "--m", 1024, "--n", 1024, "--k", 1024, "--tile", 64, "--b-source", "generated", "-o", made).returncode == 0
    few = ("plan", made, "--platform", "summit", "--nodes", 2, "--set", "strategy=stationary-b", "--set", "platform.socket.memory=10 MB")
    done = call(*few)
    found = re.search(r"bytes \(\d+\.\d+ MB\) are missing: .*it fits with (--set grid\.p=2); see docs/how-to/memory-does-not-fit.md$", done.stderr.strip())
    assert done.returncode == 2 and found, done
    run(*few, *found[1].split(), "--json")
    done = call("tune", coarse, *platform, "--count", 4, "--json")
    assert done.returncode == 0 and "the problem's tiles do not fit; finer ones are tried: problem.tile=" in done.stderr, done
    tuned = json.loads(done.stdout)
    assert int(tuned["taken"]["parameters"]["problem.tile"]) < 300, tuned
    assert int(tuned["defaults"]["parameters"]["problem.tile"]) < 300, tuned  # they are what is tried first


def check_guesses(problem, scratch):
    """Figures that the platform marks as guesses are listed where they decide, and no others."""
    text = pathlib.Path(platform[1]).read_text()
    line = 'rate = "32 MB/s"  # a tile of 2 x 2 takes 1 us'
    slow = 'rate = "1 MB/s"'
    assert text.count(line) == 1
    guessed, known = scratch / "guessed.toml", scratch / "known.toml"
    guessed.write_text(text.replace(line, slow + "  # guess"))
    known.write_text(text.replace(line, slow + "  # measured"))
    found = run("simulate", problem, "--platform", guessed, "--nodes", 2, "--json")
    [guess] = found["guesses"]
    assert (guess["figure"], guess["value"]) == ("generation.rate", "1 MB/s"), guess
    assert abs(guess["makespan_s"] + guess["saved_s"] - found["makespan_s"]) < 1e-9 and guess["saved_s"] > 0.3 * found["makespan_s"]
    better = run("simulate", problem, "--platform", known, "--nodes", 2, "--set", "platform.generation.rate=2 MB/s", "--json")
    assert abs(better["makespan_s"] - guess["makespan_s"]) < 1e-9, (better["makespan_s"], guess)
    assert "a guess decides: generation.rate = 1 MB/s; twice as good" in call(
        "simulate", problem, "--platform", guessed, "--nodes", 2).stdout
    for other in (("--platform", known), ("--platform", guessed, "--set", "platform.generation.rate=1 MB/s")):
        assert run("simulate", problem, *other, "--nodes", 2, "--json")["guesses"] == [], other
    plan = scratch / "guessed.json"
    run("plan", problem, "--platform", guessed, "--nodes", 2, "--set", "platform.message.latency=1e-6", "-o", plan, "--json")
    assert [guess["figure"] for guess in run("simulate", plan, "--json")["guesses"]] == ["generation.rate"]
    assert guess["in_full"] is True, guess


def check_coarse_guesses(scratch):
    """Of 216,000 products the experiments are coarse, and so is the time that they are compared with."""
    problem, guessed = scratch / "large.toml", scratch / "guessed.toml"
    assert call("problem", "dense", "--m", 60, "--n", 60, "--k", 60, "--tile", 1, "--b-source", "generated", "-o", problem).returncode == 0
    large = ("simulate", problem, "--platform", guessed, "--nodes", 2)
    [guess] = run(*large, "--json")["guesses"]
    assert guess["in_full"] is False, guess
    coarse = run(*large, "--coarse", "--json")
    assert abs(guess["makespan_s"] + guess["saved_s"] - coarse["makespan_s"]) < 1e-9, (guess, coarse["makespan_s"])
    percent = 100 * guess["saved_s"] / coarse["makespan_s"]
    assert f"twice as good, the time is {percent:.1f}% less (coarse)\n" in call(*large).stdout, percent


def check_budget(problem, scratch):
    """Where there is no time, the defaults are coarse, and are printed and stored; the whole command has one budget."""
    short = ("tune", problem, *platform, "--nodes", 2, "--budget")
    expect(2, "--budget: found 0s, expected more than 0 s", *short, "0s")
    done = call(*short, "1e-6s", "-o", scratch / "short.json")
    assert done.returncode == 0 and "Written to" in done.stdout and "the time is over" in done.stdout, done
    assert re.search(r"\ntried     only [01] of 336 candidates", done.stdout), done
    assert "\ntried " not in call(*short, "60s", "--set", "strategy=stationary-b", "--set", "block_fraction=0.5").stdout


def check_share_of_installed(problem):
    """Said where the platform file says it, whatever its name is."""
    said, plan = "four fifths of what is installed", ("plan", problem, "--platform", "here", "--ranks", 1)
    environment = {**os.environ, "HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent"}
    for more, expected in (((), True), (("--set", "platform.socket.memory=1e9"), False)):
        done = subprocess.run([foretile, *map(str, plan), *more], capture_output=True, text=True, env=environment)
        assert done.returncode == 0 and (said in done.stdout) == expected, (more, done)


with tempfile.TemporaryDirectory() as folder:
    scratch = pathlib.Path(folder)
    problem, stored = scratch / "toy.toml", scratch / "plan.json"
    toy = ("problem", "dense", "--m", 4, "--n", 6, "--k", 8, "--tile", 2)
    assert call(*toy, "--b-source", "generated", "-o", problem).returncode == 0
    assert call(*toy, "-o", scratch / "given.toml").returncode == 0
    check_plan(problem, stored)
    check_sources(problem, scratch / "given.toml", scratch)
    check_errors(problem, stored)
    check_warning(problem, scratch)
    check_own_options(scratch)
    check_comparison(scratch / "auto.json")
    check_program()
    check_share_of_installed(problem)
    check_finer_tiles(scratch)
    check_guesses(problem, scratch)
    check_coarse_guesses(scratch)
    check_budget(problem, scratch)
    check_simulate(problem, stored, scratch)
    check_tune(problem, scratch)
print("all as expected")
