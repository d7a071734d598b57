"""compute-sanitizer over a small product with batches, logical devices and generation on the device."""
import glob
import shutil

from ..check import Skipped
from ..platform_files import guesses

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
    for tool in ("memcheck", "racecheck"):
        check.need(8, f"{tool}")
        # Without mpiexec: one rank starts by itself, and fewer processes are looked at.
        result = check.processes.run(sanitizer, "--tool", tool, "--target-processes", "all", "--error-exitcode", ERRORS,
                                     check.programs / "foretile-run", plan, "--gpu", check.gpu, "--verify",
                                     timeout=min(60, check.left()), environment={"FORETILE_BLAS_KERNELS_CHOSEN": "1"})
        if "not supported" in result.out + result.err:
            raise Skipped("compute-sanitizer does not support this device")
        if result.code is None:
            raise Skipped(f"{tool} did not end within {result.seconds:.0f} s")
        summary = [line for line in result.out.splitlines() if "SUMMARY" in line]
        told_only = tool == "racecheck"  # cuBLAS's own kernels may race on purpose
        check.results.check(f"compute-sanitizer, {tool}", result.ok or told_only, summary[-1].strip("= ") if summary else result.why())
