# SPDX-License-Identifier: BSD-3-Clause
"""Random plans, simulated on the calibrated platform and then executed. None of them took part in the calibration."""
import random
import statistics

from ..check import Failed, Skipped, set_text

SEED = 4


def run(check):
    if check.guessed:
        raise Skipped("no calibration")
    draw = random.Random(SEED)
    sizes = check.sizes
    cases = [(dense_case if number % 2 else sparse_case)(draw, sizes) for number in range(sizes.plans)]
    problems = [(check.problem(*words), settings) for words, settings in cases]
    failures = []
    for number, ((words, _), (problem, settings)) in enumerate(zip(cases, problems), 1):
        if check.left() < 4:
            failures.append(f"no time for plans from number {number} on")
            break
        try:
            plan, predicted = check.simulate(problem, settings)
            report = check.execute(plan)
        except Failed as failed:
            failures.append(f"plan {number}: {failed}")
            continue
        check.results.plan(number=number, problem=" ".join(map(str, words)), settings=set_text(settings),
                           measured_s=report["wall_s"], predicted_s=predicted["makespan_s"],
                           error=predicted["makespan_s"] / report["wall_s"] - 1)
    summary(check)
    if failures:
        raise Failed("; ".join(failures))


def summary(check):
    plans = check.results.plans
    if not plans:
        return
    errors = [abs(plan["error"]) for plan in plans]
    check.results.figure(f"{len(plans)} random plans, seed {SEED}: median error of the prediction", measured_s=None,
                         value=statistics.median(errors), target="prediction", note=f"largest {max(errors):.1%}")


def dense_case(draw, sizes):
    tile = draw.choice(sizes.plan_tile)
    m, n = (extent(draw, sizes.plan_m) for _ in range(2))
    k = within(sizes.plan_k, sizes.plan_flops * draw.uniform(0.5, 2) / (2 * m * n))
    matrices = 8 * (m * k + k * n + m * n)
    memory = int(max(matrices * draw.choice([0.2, 0.4, 1.5]), 24 * 8 * tile * tile))
    return (("dense", "--m", m, "--n", n, "--k", k, "--tile", tile),
            {"strategy": "stationary-c", "lookahead": draw.choice([1, 2]), "batch": draw.choice([1, 1, 8]),
             "platform.device.memory": memory})


def sparse_case(draw, sizes):
    low = draw.choice(sizes.plan_tile)
    size = extent(draw, sizes.plan_size)
    density = draw.choice([0.2, 0.4, 0.7])
    m = within(sizes.plan_m, sizes.plan_flops * draw.uniform(0.5, 2) / (2 * size * size * density * density))
    # Room for the widest column of B and C beside chunks, and then a good part of all.
    column = 8 * 2 * low * (size + m)
    memory = int(4 * column + 8 * size * (m + density * size) * draw.choice([0.3, 0.6, 1]))
    return (("random", "--m", m, "--n", size, "--k", size, "--tile-min", low, "--tile-max", 2 * low, "--density", density,
             "--seed", draw.randrange(1, 1000)),
            {"block_fraction": draw.choice([0.4, 0.5]), "chunk_fraction": draw.choice([0.05, 0.15, 0.25]),
             "lookahead": 1, "batch": draw.choice([1, 1, 8]), "staging_fraction": 0.01, "platform.device.memory": memory})


def extent(draw, limits):
    low, high = limits
    return draw.randrange(low, high + 1, 128)


def within(limits, value):
    """Rounded to whole hundreds, within the limits."""
    low, high = limits
    return int(min(max(value, low), high)) // 100 * 100
