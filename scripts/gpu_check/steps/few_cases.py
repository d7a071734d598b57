# SPDX-License-Identifier: BSD-3-Clause
"""Four of correctness's cases, for the first call."""
from . import correctness


def run(check):
    correctness.take(check, correctness.FIRST)
