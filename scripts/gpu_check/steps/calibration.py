# SPDX-License-Identifier: BSD-3-Clause
"""foretile-run calibrate: the platform on which everything later is planned."""
import shutil
import tomllib

from ..check import Failed
from ..platform_files import guesses

LARGEST_SAMPLES = 8 * 2**20  # bytes; more is not worth carrying home


def run(check):
    target = check.work / "gpu.toml"
    budget = min(check.sizes.calibration_s, 0.7 * check.left())
    words = ["calibrate", "-o", target, "--gpu", check.gpu, "--budget", f"{budget:.3g} s", *check.sizes.calibration]
    result = check.mpi(2, "foretile-run", *words, timeout=check.left())
    if not result.ok:
        raise Failed(result.why())
    check.platform = target
    check.guessed = False
    figures = tomllib.loads(target.read_text())
    check.results.measured["calibration"] = {"seconds": result.seconds, "figures": figures}
    samples = check.work / "gpu.samples.json"
    shutil.copy(target, check.results.folder)
    if samples.exists() and samples.stat().st_size < LARGEST_SAMPLES:
        shutil.copy(samples, check.results.folder)


def guess(check):
    """For the time before, and for when it fails: parameters can be chosen, nothing can be predicted."""
    check.platform = check.work / "guessed.toml"
    check.platform.write_text(guesses(64e9 if check.gpu == "cuda" else 2**30))
    check.guessed = True
