# SPDX-License-Identifier: BSD-3-Clause
"""compute-sanitizer over a small product with batches, logical devices and generation on the device, and over additions."""
import glob
import shutil

from ..check import Skipped
from ..platform_files import guesses
from .additions import PROGRAM

ERRORS = 42  # its exit code where it found some
PLACES = ("/usr/local/cuda*/bin/compute-sanitizer", "/usr/local/cuda*/compute-sanitizer/compute-sanitizer",
          "/opt/nvidia/**/compute-sanitizer")


def run(check):
    if check.gpu != "cuda":
        raise Skipped("nothing runs on a GPU")
    sanitizer = shutil.which("compute-sanitizer") or next((p for place in PLACES for p in glob.glob(place)), None)
    if not sanitizer:
        raise Skipped("compute-sanitizer is not installed")
    platform = check.path("sanitized.toml")
    platform.write_text(guesses(20e6))
    problem = check.problem("random", "--m", 300, "--n", 500, "--k", 500, "--tile-min", 20, "--tile-max", 90, "--density", 0.5)
    settings = {"batch": 8, "platform.socket.devices": 2, "platform.device.memory": 1_500_000}
    plan = check.plan(problem, settings, platform=platform)
    product = [check.programs / "foretile-run", plan, "--gpu", check.gpu, "--verify"]
    additions = [check.programs / PROGRAM, "--gpu", check.gpu, "--cases", 20, "--elements", 5000, "--bytes", 0]
    for tool in ("memcheck", "racecheck"):
        # cuBLAS's own kernels may race on purpose.
        look(check, sanitizer, tool, product, f"compute-sanitizer, {tool}", told_only=tool == "racecheck")
        if additions[0].exists():
            look(check, sanitizer, tool, additions, f"compute-sanitizer, {tool}, additions of tiles", told_only=False)


def look(check, sanitizer, tool, command, what, told_only):
    check.need(4, what)
    # Without mpiexec: one rank starts by itself, and fewer processes are looked at.
    result = check.processes.run(sanitizer, "--tool", tool, "--target-processes", "all", "--error-exitcode", ERRORS,
                                 *command, timeout=min(30, check.left()), environment={"FORETILE_BLAS_KERNELS_CHOSEN": "1"})
    if "not supported" in result.out + result.err:
        raise Skipped("compute-sanitizer does not support this device")
    if result.code is None:
        check.results.check(what, None, result.why())
        return
    summary = [line for line in result.out.splitlines() if "SUMMARY" in line]
    check.results.check(what, result.ok or told_only, summary[-1].strip("= ") if summary else result.why())
