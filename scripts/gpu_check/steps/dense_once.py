# SPDX-License-Identifier: BSD-3-Clause
"""One dense product larger than the device's memory, with one tile size."""
from . import dense


def run(check):
    dense.out_of_core(check, dense.problems_of(check, [check.sizes.dense.tiles[1]]), runs=1, what=f"{dense.name(check)}, first try")
