# SPDX-License-Identifier: BSD-3-Clause
"""Small tiles: what batches bring over one launch per product, all else the same."""
from ..check import Failed
from ..table import tera

DEPTHS = (1, 8)


def run(check):
    failures = []
    for tile, extent in check.sizes.small.items():
        try:
            measure(check, tile, extent)
        except Failed as failed:
            failures.append(f"tile {tile}: {failed}")
        check.results.write()
    if failures:
        raise Failed("; ".join(failures))


def measure(check, tile, extent):
    check.need(6, f"tiles of {tile}")
    problem = check.problem("dense", "--m", extent, "--n", extent, "--k", extent, "--tile", tile)
    memory = 4 * 8 * extent**2
    plan = {"strategy": "stationary-c", "barriers": "none", "platform.device.memory": memory}
    cases = [(problem, {**plan, "batch": batch, "d": depth}) for batch in check.sizes.batches for depth in DEPTHS]
    best, report = check.fastest(check.simulate_all(cases), runs=2)
    # The same plan but for batch.
    alone_plan = check.plan(problem, {**best.settings, "batch": 1})
    alone = check.execute(alone_plan)
    kernels, kernels_alone = (r["busy"]["kernels"]["max"] * r["wall_s"] for r in (report, alone))
    check.results.figure(f"dense {extent}^3, tiles of {tile}, batches of {best.settings['batch']}",
                         measured_s=report["wall_s"], predicted_s=check.predicted(best),
                         peer=f"one product a launch {alone['wall_s']:.3g} s{library(check, tile)}",
                         value=alone["wall_s"] / report["wall_s"], target="small", report=report, alone=alone,
                         note=f"{tera(report['flops'] / report['wall_s'])}; d={best.settings['d']}; with kernels alone "
                              f"{kernels_alone / kernels:.2f} times")


def library(check, tile):
    """What cuBLAS' own batched call does, as text."""
    sizes = check.results.measured.get("peers", {}).get("small", {}).get("sizes", [])
    rates = [size for size in sizes if size["size"] == tile]
    return f", cuBLAS batched {tera(rates[0]['batched_flops_per_s'])}" if rates else ""
