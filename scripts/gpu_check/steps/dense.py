# SPDX-License-Identifier: BSD-3-Clause
"""Dense products larger than the device's memory, and one that fits."""
from ..bounds import bound
from ..check import Failed, set_text
from ..table import tera
from . import peers

# Shares of C's tile rows and columns that a block has, tried with each tile size.
BLOCKS = ((1, 1), (1 / 2, 1 / 2), (1 / 2, 1 / 4), (1, 1 / 4), (1 / 4, 1 / 2), (1 / 4, 1 / 4))
DEPTHS = (1, 2)
LOOKAHEADS = (1, 2)


def run(check):
    problems = problems_of(check, check.sizes.dense.tiles)
    best = out_of_core(check, problems, check.sizes.dense.runs)
    check.need(20 if check.gpu == "cuda" else 1, "verifying the large product")
    verify(check, name(check), best.plan)
    resident(check, problems)


def problems_of(check, tiles):
    n = check.sizes.dense.n
    return {tile: check.problem("dense", "--m", n, "--n", n, "--k", n, "--tile", tile) for tile in tiles}


def limit_of(check):
    """Flops, and what the whole product cannot beat; no bound where no rates were measured."""
    flops, matrix = 2 * check.sizes.dense.n**3, 8 * check.sizes.dense.n**2
    try:
        return flops, bound(peers.rates(check), flops, 2 * matrix, matrix)
    except Failed:
        return flops, None


def name(check):
    return f"dense {check.sizes.dense.n}^3, {check.sizes.dense.budget / 2**30:.3g} GiB on the device"


def out_of_core(check, problems, runs, what=None):
    sizes = check.sizes.dense
    flops, limit = limit_of(check)
    best, report = fastest(check, problems, sizes.budget, runs)
    measured = report["wall_s"]
    check.results.measured["dense"] = {"n": sizes.n, "seconds": measured}
    check.results.figure(what or name(check), measured_s=measured, predicted_s=check.predicted(best), bound=limit,
                         value=limit.share(measured) if limit else None, target="dense_bound", note=note_of(best, report),
                         report=report)
    return best


def verify(check, what, plan):
    result = check.start(plan, "--verify", timeout=55)
    if result.code is None:
        check.results.check(what, None, result.why())
        return
    found = (result.json() or {}).get("verify", {})
    passed = result.ok and found
    check.results.check(what, passed, f"relative error {found['relative_error']:.1e} ({found['method']})" if passed
                        else result.why())


def resident(check, problems):
    sizes = check.sizes.dense
    flops, limit = limit_of(check)
    check.need(10, "the resident product")
    best, report = fastest(check, problems, sizes.roomy, 1)
    measured = report["wall_s"]
    kernels_s = report["busy"]["kernels"]["max"] * measured
    cublas = peers.cublas_rate(check)
    check.results.figure(f"dense {sizes.n}^3, everything resident: kernels", measured_s=kernels_s,
                         peer=f"{tera(cublas)} on the whole matrix" if cublas else "", note=tera(flops / kernels_s),
                         value=flops / kernels_s / cublas if cublas else None, target="dense_resident")
    check.results.figure(f"dense {sizes.n}^3, everything resident: whole run", measured_s=measured,
                         predicted_s=check.predicted(best), bound=limit, value=limit.share(measured) if limit else None,
                         note=note_of(best, report), report=report)


def fastest(check, problems, memory, runs):
    """The candidates simulated, the best `runs` of them executed; the fastest one and its report."""
    cases = [(problem, {**settings, "platform.device.memory": memory})
             for tile, problem in problems.items() for settings in candidates(check.sizes.dense.n // tile)]
    return check.fastest(check.simulate_all(cases), runs)


def candidates(tiles):
    common = {"strategy": "stationary-c", "barriers": "none"}
    yield common
    for rows, columns in BLOCKS:
        for depth in DEPTHS:
            for lookahead in LOOKAHEADS:
                yield {**common, "prefetch_c": 1, "b": max(1, int(rows * tiles)), "c": max(1, int(columns * tiles)),
                       "d": depth, "lookahead": lookahead}


def note_of(candidate, report):
    settings = {key: value for key, value in candidate.settings.items() if key not in ("strategy", "barriers")}
    return f"{tera(report['flops'] / report['wall_s'])}; {candidate.problem.stem}; {set_text(settings)}; {report['limit']}"
