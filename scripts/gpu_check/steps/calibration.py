# SPDX-License-Identifier: BSD-3-Clause
"""foretile-run calibrate: the platform on which everything later is planned."""
import shutil
import tomllib

from ..check import NoRanks, expect_done
from ..platform_files import guesses

LARGEST_SAMPLES = 8 * 2**20  # bytes; more is not worth carrying home


def run(check):
    target = check.path("gpu.toml")
    budget = min(check.sizes.calibration_s[check.call], 0.75 * check.left())
    words = ["calibrate", "-o", target, "--gpu", check.gpu, "--budget", f"{budget:.3g} s", *check.sizes.calibration]
    try:
        result = check.mpi(2, "foretile-run", *words, timeout=check.left())
    except NoRanks:
        result = check.mpi(1, "foretile-run", *words, timeout=check.left())  # messages are guessed then
    if target.exists():  # the part of the GPU is written as soon as it is there
        keep(check, target, result)
    expect_done(result)


def keep(check, target, result):
    check.platform = target
    check.guessed = False
    figures = tomllib.loads(target.read_text())
    check.results.measured["calibration"] = {"seconds": result.seconds, "whole": result.ok, "figures": figures}
    shutil.copy(target, check.results.folder / "gpu.toml")
    samples = target.with_suffix(".samples.json")
    if samples.exists() and samples.stat().st_size < LARGEST_SAMPLES:
        shutil.copy(samples, check.results.folder / "gpu.samples.json")


def guess(check):
    """For the time before, and for when it fails: parameters can be chosen, nothing can be predicted."""
    check.platform = check.work / "guessed.toml"
    check.platform.write_text(guesses(64e9 if check.gpu == "cuda" else 2**30))
    check.guessed = True
