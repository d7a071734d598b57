# SPDX-License-Identifier: BSD-3-Clause
"""Block-sparse products: random ones, and C65H132 restricted to what the host holds."""
import re

from ..bounds import bound
from ..check import Failed, expect, set_text
from ..platform_files import made_on_host
from ..table import giga, tera
from . import peers

BLOCK_FRACTIONS = (0.3, 0.5, 0.7)
CHUNK_FRACTIONS = (0.05, 0.15)
BATCHES = (1, 16)

# For a try-out: a molecule of three atoms.
WATER = """kind = "molecule"
basis = "def2-SVP"
occ_clusters = 2
ao_clusters = 3
xyz = '''
3
water
O 0 0 0
H 0.76 0.59 0
H -0.76 0.59 0
'''
"""


def run(check):
    rates = peers.rates(check)
    by_cores = check.path("by-cores.toml")
    by_cores.write_text(made_on_host(check.platform.read_text()))
    sizes = check.sizes.sparse
    random = check.problem("random", "--m", sizes.m, "--n", sizes.n, "--k", sizes.k, "--density", sizes.density,
                           "--tile-min", sizes.tile_min, "--tile-max", sizes.tile_max)
    what = f"block-sparse {sizes.m} x {sizes.n} x {sizes.k}, {sizes.density:.0%} filled"
    failures = []
    for name, problem, platform, target, options in (
            (f"{what}, B made on the device", random, check.platform, "sparse_random", ()),
            (molecule_name(sizes), molecule(check), check.platform, "sparse_molecule", ("--coarse",)),
            (f"{what}, B made by cores", random, by_cores, None, ())):
        check.need(10, name)
        try:
            measure(check, rates, name, problem, platform, target, options)
        except Failed as failed:
            failures.append(f"{name}: {failed}")
        check.results.write()
    if failures:
        raise Failed("; ".join(failures))


def measure(check, rates, name, problem, platform, target, options):
    cases = [(problem, settings) for settings in candidates(check)]
    best, report = check.fastest(check.simulate_all(cases, *options, platform=platform))
    traits = expect(check.foretile("show", problem, "--json"))
    moved = traits["bytes"]
    on_device = platform == check.platform
    limit = bound(rates, traits["flops"], moved["A"] + (0 if on_device else report["bytes"]["generated"]), moved["C"])
    measured = report["wall_s"]
    made = report["bytes"]["generated"] / measured
    settings = {key: value for key, value in best.settings.items() if not key.startswith("platform.")}
    check.results.figure(name, measured_s=measured, predicted_s=check.predicted(best), bound=limit,
                         value=limit.share(measured), target=target, report=report, traits=traits,
                         note=f"{tera(traits['flops'] / measured)}, B made at {giga(made)}; {set_text(settings)}; "
                              f"{report['limit']}")


def candidates(check):
    memory = check.sizes.sparse.device_memory
    fixed = {"staging_fraction": 0.02, **({"platform.device.memory": memory} if memory else {})}
    for block in BLOCK_FRACTIONS:
        for chunk in CHUNK_FRACTIONS:
            for batch in BATCHES:
                yield {**fixed, "block_fraction": block, "chunk_fraction": chunk, "batch": batch}


def molecule_name(sizes):
    return f"{sizes.molecule or 'a small molecule'}, the first {sizes.molecule_rows} tile rows"


def molecule(check):
    """The example with a key more. Written before the xyz text, which ends the file."""
    sizes = check.sizes.sparse
    text = (check.examples / f"{sizes.molecule}.toml").read_text() if sizes.molecule else WATER
    problem = check.path(f"{sizes.molecule or 'water'}.toml")
    problem.write_text(re.sub(r"(?m)^xyz = ", f"tile_rows = {sizes.molecule_rows}\nxyz = ", text, count=1))
    return problem
