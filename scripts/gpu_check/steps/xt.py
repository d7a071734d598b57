# SPDX-License-Identifier: BSD-3-Clause
"""cublasXt on the same product from the same kind of memory. It may take long, so it comes last."""
from ..check import Skipped, expect_done
from ..table import tera
from . import dense, peers


def run(check):
    if check.gpu != "cuda":
        raise Skipped("the stand-in has no cublasXt")
    sizes = check.sizes
    result = check.processes.run(check.programs / "cuda_peers", "--xt", sizes.xt, "--xt-blocks", peers.listed(sizes.xt_blocks),
                                 "--repeats", 2, timeout=check.left())
    check.results.measured.setdefault("peers", {}).update(result.merged())
    best, measured = peers.xt_best(check), check.results.measured.get("dense", {})
    if not best:
        expect_done(result)
        raise Skipped("no block size was measured")
    note = "" if result.ok else f"not all block sizes: {result.why()}"
    if measured:
        rate = 2 * measured["n"]**3 / measured["seconds"]
        check.results.figure(f"{dense.name(check)}, beside cublasXt", measured_s=measured["seconds"],
                             peer=f"{tera(best)} at best", value=rate / best, target="dense_xt",
                             note="; ".join(filter(None, [tera(rate), note])))
