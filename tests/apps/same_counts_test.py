#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Simulator and executor do the same with the same plan, when transfers keep to its order: on each device the same
products in the same order, the same loads, hits and evictions, the same bytes.

usage: same_counts_test.py foretile foretile-run mpiexec [first seed]
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

FORETILE, FORETILE_RUN, MPIEXEC = sys.argv[1:4]
PLANS = 20
TOY = pathlib.Path(__file__).parent / "toy_platform.toml"  # its GPUs, played by threads, have memory of their own; here's cores do not


def problem(rng):
    least = rng.randint(4, 20)
    density = lambda: rng.choice([1.0, rng.uniform(0.2, 1)])
    return f"""kind = "random"
m = {rng.randint(20, 150)}
n = {rng.randint(20, 150)}
k = {rng.randint(20, 150)}
tile_min = {least}
tile_max = {least + rng.randint(0, 10)}
a_density = {density():.3f}
b_density = {density():.3f}
seed = {rng.randint(1, 10**6)}
accumulate = {rng.choice(["true", "false"])}
"""


def settings(rng, ranks):
    """Devices so small that tiles cycle: a tile has up to 30 x 30 numbers, 7200 bytes."""
    values = {"platform.device.memory": rng.randint(15_000, 80_000), "grid.p": rng.randint(1, ranks),
              "platform.socket.devices": rng.randint(1, 3), "lookahead": rng.randint(0, 2),
              "message_bytes": rng.choice([1, 5000, 100_000]), "copy_batch_bytes": rng.choice([0, 10_000]),
              "batch": rng.choice([1, 1, 2, 7, 50])}
    if rng.random() < 0.4:
        values |= {"block_fraction": 0.5, "chunk_fraction": 0.5 / (1 + values["lookahead"])}
    else:
        values |= {"strategy": "stationary-c", "barriers": rng.choice(["none", "local", "global"]),
                   "keep_received": rng.randint(0, 1), "prefetch_c": rng.randint(0, 1)}
        values |= {size: rng.randint(1, 4) for size in "bcd" if rng.random() < 0.3}
    return values


def call(folder, *command):
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder)}  # so that `here` is not a calibrated one
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=folder, env=environment,
                          timeout=60)


def plan(folder, rng, ranks):
    """Whether plan.json was written; a plan may not fit."""
    text = problem(rng)
    platform = rng.choice([("--platform", "here", "--ranks", ranks), ("--platform", TOY, "--ranks", ranks, "--set", "platform.nodes=3")])
    values = settings(rng, ranks)
    if TOY in platform and rng.random() < 0.5:
        values["platform.generation.device_rate"] = 1e9  # B is generated on the GPUs
    if rng.random() < 0.5:  # half the bytes in half the memory
        text += 'precision = "single"\n'
        values["platform.device.memory"] //= 2
    (folder / "p.toml").write_text(text)
    options = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
    done = call(folder, FORETILE, "plan", "p.toml", *platform, *options, "-o", "plan.json")
    assert done.returncode == 0 or "are missing: " in done.stderr, done.stderr
    return done.returncode == 0


def outcome(folder, *command):
    """Per rank and device: launches in order with their first product, and what was counted."""
    done = call(folder, *command, "plan.json", "--plan-order", "--json", "--trace", "t.json")
    assert done.returncode == 0, done.stderr
    events = json.loads((folder / "t.json").read_text())["traceEvents"]
    lanes = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    report = json.loads(done.stdout)
    assert sum(report["limits"].values()) <= report["makespan_s"] * (1 + 1e-9), report
    counts = {(d["rank"], d["device"]): d for d in report["per_device"] if d["gemms"] > 0}
    orders = {place: [] for place in counts}
    for e in sorted((e for e in events if e["name"] == "kernel"), key=lambda e: e["ts"]):
        device = int(lanes[e["pid"], e["tid"]].split()[1])
        orders[e["pid"], device].append((e["args"]["i"], e["args"]["j"], e["args"]["k"], e["args"].get("products", 1)))
    return orders, counts


def same_limit(folder):
    """Products of some 7 Gflop beside messages of 3 MB, one for each of 6 steps until the end: the simulation names the
    products. In a run beside other work messages may take longer: there the products must count."""
    steps = [word for setting in ("strategy=stationary-c", "d=1", "barriers=global") for word in ("--set", setting)]
    for command in (("problem", "dense", "--m", 1500, "--n", 1500, "--k", 1500, "--tile", 250, "-o", "d.toml"),
                    ("plan", "d.toml", "--platform", "here", "--ranks", 2, *steps, "-o", "plan.json")):
        done = call(folder, FORETILE, *command)
        assert done.returncode == 0, done.stderr
    for command in ((FORETILE, "simulate"), (MPIEXEC, "-n", 2, FORETILE_RUN)):
        done = call(folder, *command, "plan.json", "--json")
        assert done.returncode == 0, done.stderr
        limits = json.loads(done.stdout)["limits"]
        assert limits["kernel"] > 0, (command, limits)
        if command[0] == FORETILE:
            assert max(limits, key=limits.get) == "kernel", limits


def main():
    total = dict.fromkeys(["host", "peer", "hits", "evictions"], 0)
    evicting = compared = 0
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        same_limit(folder)
        while compared < PLANS:
            rng = random.Random(seed)
            ranks = rng.randint(1, 3)
            seed += 1
            if not plan(folder, rng, ranks):
                continue
            simulated = outcome(folder, FORETILE, "simulate")
            executed = outcome(folder, MPIEXEC, "-n", ranks, FORETILE_RUN)
            for what, one, other in zip(["order of products", "counts"], simulated, executed):
                assert one == other, f"seed {seed - 1}: {what}: simulated {one}, executed {other}"
            orders, counts = simulated
            assert all(sum(launch[3] for launch in orders[place]) == counts[place]["gemms"] for place in counts)
            compared += 1
            evicting += any(d["loads"]["evictions"] and d["loads"]["hits"] for d in counts.values())
            for d in counts.values():
                total = {key: total[key] + d["loads"][key] for key in total}
    print(f"{compared} plans of {seed - 1}, {evicting} with hits and evictions: {total}")
    assert evicting >= 8, "too few plans with hits and evictions"


main()
