# SPDX-License-Identifier: BSD-3-Clause
"""ExaChem's times of closed-shell Cholesky CCSD, and simulations of TAMM's order for the same cases.

measured.csv: 82 seconds per iteration, digitised from the plots of ExaChem's benchmark page (see its head). cases.csv: all cases of that page,
without times. All electrons are correlated; the page names neither tiles nor numbers of vectors.
"""
import csv
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAM = ROOT / "examples" / "cholesky_ccsd.txt"
LEAN = ROOT / "examples" / "cholesky_ccsd_lean.txt"
MACHINES = ["frontier", "aurora", "perlmutter"]
UBIQUITIN_NODES = {"frontier": (30, 100, 700), "aurora": (30, 110, 600), "perlmutter": (50, 110, 500)}
HOST_LINKS = {"frontier": "host", "aurora": "pcie", "perlmutter": "pcie"}  # between host memory and devices
RATES = ["get", "served", "host"]  # platform.tamm.*_bandwidth
KINDS = ["rule", "best"]  # tiles: of ExaChem's rule; with the least simulated time, as a user finds who tries tiles


def rows_of(path):
    with open(path, newline="") as source:
        return list(csv.DictReader(line for line in source if not line.startswith("#")))


def case_of(row, nodes):
    return {"molecule": row["molecule"], "basis": row["basis"], "functions": int(row["basis_functions"]), "o": int(row["o"]),
            "v": int(row["v"]), "machine": row["machine"], "nodes": int(nodes)}


def measured():
    return [case_of(row, row["nodes"]) | {"seconds": float(row["seconds_per_iteration"])} for row in rows_of(HERE / "measured.csv")]


def cases():
    return [case_of(row, nodes) for row in rows_of(HERE / "cases.csv") for nodes in row["nodes"].split()]


def vectors(case):
    """Cholesky vectors to 1e-5: 5.5 for each basis function in 6-31G and 6-31+G**, 6.3 in others (ubiquitin: 2333 in 6-31G, 4680 in cc-pVDZ)."""
    return round((5.5 if case["basis"].startswith("6-31") else 6.3) * case["functions"])


def problem(case, tile, program=PROGRAM):
    return [str(program), "--o", case["o"], "--v", case["v"], "--vectors", vectors(case), *(["--tile", tile] if tile else []), "--platform",
            case["machine"], "--nodes", case["nodes"]]


def run(build, *arguments):
    done = subprocess.run([str(build / "foretile"), *map(str, arguments), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def slow_settings(build, machine):
    """All cards of a node together send at the rate at which TAMM's process serves; copies are no faster than TAMM's."""
    figures = run(build, "platform", "show", machine)["figures"]
    link = f"link.{HOST_LINKS[machine]}"
    settings = {"network.card_bandwidth": figures["tamm.served_bandwidth"] / figures["network.cards"]}
    for key in (f"{link}.bandwidth", f"{link}.back_bandwidth"):
        settings[key] = min(figures[key], figures["tamm.host_bandwidth"])
    return [word for key, value in settings.items() for word in ("--set", f"platform.{key}={value:.6g}")]


def simulate_tamm(build, case, tile, rates=None, without=()):
    """`tile`: a number or one of KINDS. `rates`: get, served, host in bytes per second; None: the platform's."""
    settings = [word for name, rate in zip(RATES, () if rates is None else rates) for word in ("--set", f"platform.tamm.{name}_bandwidth={rate:.6g}")]
    losses = [word for loss in without for word in ("--without", loss)]
    best = ["--best-tile"] if tile == "best" else []
    return run(build, "simulate", *problem(case, None if tile in KINDS else tile), "--original", "tamm", *best, *settings, *losses)
