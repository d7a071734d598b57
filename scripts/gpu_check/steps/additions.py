# SPDX-License-Identifier: BSD-3-Clause
"""Additions of tiles: has the GPU the bits of a core, and how fast are both? Runs leave them to the cores."""
from ..check import Skipped, expect
from ..table import giga

PROGRAM = "gpu_additions"


def run(check):
    if not (check.programs / PROGRAM).exists():
        raise Skipped(f"{PROGRAM} was built with FORETILE_BENCH=ON only")
    check.need(3, PROGRAM)
    found = expect(check.processes.run(check.programs / PROGRAM, "--gpu", check.gpu, *check.sizes.additions,
                                       timeout=min(60, check.left())))
    check.results.check(f"additions of tiles, {found['cases']} random ones in each precision", True, "the bits of a core")
    rates = check.results.measured["additions"] = found["rates"]
    extents = " x ".join(map(str, rates["extents"]))
    for kind in rates["kinds"]:
        check.results.figure(f"additions, {kind['what']}: tiles of {extents}", measured_s=None,
                             peer=f"a core {giga(kind['core_bytes_per_s'])}, with all {rates['cores']} busy "
                                  f"{giga(kind['busy_core_bytes_per_s'])}",
                             note=f"bytes of tiles added: {giga(kind['device_bytes_per_s'])} in device memory, "
                                  f"{giga(kind['pinned_bytes_per_s'])} in pinned memory, "
                                  f"{giga(kind['device_to_pinned_bytes_per_s'])} from device to pinned memory")
