# SPDX-License-Identifier: BSD-3-Clause
"""What CUDA's own libraries reach here: cuBLAS on a whole matrix, copies, cublasXt, small products."""
import tomllib

from ..bounds import Rates
from ..check import Failed, Skipped


def run(check):
    if check.gpu != "cuda":
        raise Skipped("the stand-in has no peers; bounds are from its calibration")
    found = check.results.measured.setdefault("peers", {})
    sizes = check.sizes
    problems = []
    for words, seconds in ((["--dense", sizes.peers_dense, "--copies", sizes.peers_copy], 40),
                           (["--small", listed(sizes.small)], 20),
                           (["--xt", sizes.peers_dense, "--xt-blocks", listed(sizes.xt_blocks), "--repeats", 2], 100)):
        check.need(5, f"cuda_peers {words[0]}")
        result = check.processes.run(check.programs / "cuda_peers", *words, timeout=min(seconds, check.left()))
        if result.ok and result.json():
            found.update(result.json())
        else:
            problems.append(f"{words[0]}: {result.why()}")
        check.results.write()
    if problems:
        raise Failed("; ".join(problems))


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
