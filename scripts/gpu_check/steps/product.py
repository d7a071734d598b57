# SPDX-License-Identifier: BSD-3-Clause
"""One verified product, started directly: if this one fails, nothing else is worth its time."""
from ..check import NotEnded
from .correctness import Case, DENSE, C, plan_of
from ..platform_files import guesses

CASE = Case("one dense product, started without mpiexec", DENSE, {**C, "batch": 16}, 200e6)


def run(check):
    platform = check.path("guessed.toml")
    platform.write_text(guesses(2**30))
    try:
        report = check.execute(plan_of(check, CASE, platform), "--verify")
    except NotEnded as late:
        check.results.check(CASE.what, None, str(late))
        return
    found = report["verify"]
    check.results.check(CASE.what, True, f"relative error {found['relative_error']:.1e} ({found['method']})")
