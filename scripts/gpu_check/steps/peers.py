# SPDX-License-Identifier: BSD-3-Clause
"""What CUDA's own libraries reach here: page-locking, copies, cuBLAS on a whole matrix and on small ones."""
import tomllib

from ..bounds import Rates
from ..check import Failed, NotEnded, Skipped
from ..table import giga, tera


def run(check):
    if check.gpu != "cuda":
        raise Skipped("the stand-in has no peers; bounds are from its calibration")
    found = check.results.measured.setdefault("peers", {})
    sizes = check.sizes
    problems = []
    for part, words, seconds in (
            ("dense", ["--pin", listed(sizes.peers_pin), "--copies", sizes.peers_copy, "--dense", sizes.peers_dense], 40),
            ("small", ["--small", listed(sizes.small)], 20)):
        if part in found:
            continue  # an earlier call has it
        check.need(4, f"cuda_peers, {part} products")
        result = check.processes.run(check.programs / "cuda_peers", *words, timeout=min(seconds, check.left()))
        found.update(result.merged())  # one that was ended has printed what it had
        check.results.write()
        if not result.ok:
            problems.append(NotEnded(f"{part}: {result.why()}") if result.code is None else Failed(f"{part}: {result.why()}"))
    show(check, found)
    if problems:
        raise problems[0]


def show(check, found):
    """The ceilings, as rows of the table."""
    for pinned in found.get("pinned", []):
        check.results.figure(f"page-locking {pinned['bytes'] / 2**30:.3g} GiB of host memory", measured_s=pinned["seconds"],
                             note=giga(pinned["bytes"] / pinned["seconds"]))
    copies, dense = found.get("copies"), found.get("dense")
    if copies:
        check.results.figure("copies of pinned memory", measured_s=None, note=", ".join(
            f"{key.removesuffix('_bytes_per_s')} {giga(value)}" for key, value in copies.items() if key.endswith("_per_s")))
    if dense:
        check.results.figure(f"cuBLAS on a whole matrix, {dense['n']}^3", measured_s=dense["seconds"],
                             note=tera(dense["flops_per_s"]))


def listed(numbers):
    return ",".join(map(str, numbers))


def rates(check):
    """For bounds: as measured by cuda_peers, and where that is missing, as calibrated."""
    peers = check.results.measured.get("peers", {})
    dense, copies = peers.get("dense"), peers.get("copies")
    if check.guessed and not (dense and copies):
        raise Failed("neither cuda_peers nor the calibration measured any rates")
    figures = tomllib.loads(check.platform.read_text())
    link = figures["pcie"]
    calibrated = Rates(figures["device"]["kernel"]["rate"], link.get("h2d_bandwidth") or link["bandwidth"],
                       link.get("d2h_bandwidth") or link["bandwidth"], link.get("both_bandwidth"), "calibration")
    return Rates(dense["flops_per_s"] if dense else calibrated.flops,
                 copies["h2d_bytes_per_s"] if copies else calibrated.h2d,
                 copies["d2h_bytes_per_s"] if copies else calibrated.d2h,
                 copies["both_ways_bytes_per_s"] if copies else calibrated.both,
                 "cuda_peers" if dense and copies else "calibration")


def cublas_rate(check):
    """flop/s of cuBLAS on the whole matrix; None where it was not measured."""
    return check.results.measured.get("peers", {}).get("dense", {}).get("flops_per_s")


def xt_best(check):
    """flop/s of cublasXt with its best block size; None where it was not measured."""
    return check.results.measured.get("peers", {}).get("cublasxt", {}).get("best_flops_per_s")
