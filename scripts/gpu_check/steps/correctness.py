# SPDX-License-Identifier: BSD-3-Clause
"""Are the products right, and the same bits each time? Cases of this file, and the test program of the executor."""
import dataclasses

from ..check import Failed, NotEnded, NoRanks
from ..platform_files import guesses, made_on_host


@dataclasses.dataclass
class Case:
    what: str
    problem: tuple  # kind and options; extents and tiles are scaled
    settings: dict
    memory: float  # of a device, bytes; scaled
    ranks: int = 1
    devices: int = 1  # logical ones, all ranks together
    on_host: bool = False  # B is made by cores
    options: tuple = ()


EXTENTS = ("--m", "--n", "--k", "--tile", "--tile-min", "--tile-max")
RANDOM = ("random", "--m", 3000, "--n", 6000, "--k", 6000, "--tile-min", 96, "--tile-max", 520, "--density", 0.3)
DENSE = ("dense", "--m", 3000, "--n", 2500, "--k", 2000, "--tile", 256)
C = {"strategy": "stationary-c"}

LIMIT = 40  # seconds for the test program; hundreds of small plans, so most of it is starting and ending

CASES = [
    Case("block-sparse, low memory, one product a launch", RANDOM, {"batch": 1}, 60e6),
    Case("block-sparse, low memory, batches of 64", RANDOM, {"batch": 64}, 60e6),
    Case("block-sparse, B made by cores, batches of 64", RANDOM, {"batch": 64}, 60e6, on_host=True),
    Case("block-sparse, single precision, batches of 64", RANDOM, {"batch": 64}, 30e6, options=("--precision", "single")),
    Case("block-sparse, 4 logical devices", RANDOM, {"batch": 16}, 64e6, devices=4),
    Case("block-sparse, 2 ranks with 2 logical devices each, C += A B", (*RANDOM, "--accumulate"), {"batch": 16}, 64e6,
         ranks=2, devices=4),
    Case("dense, low memory, one product a launch", DENSE, C, 20e6),
    Case("dense, low memory, batches of 64", DENSE, {**C, "batch": 64}, 20e6),
    Case("dense, single precision, 4 logical devices", DENSE, {**C, "batch": 64}, 10e6, devices=4,
         options=("--precision", "single")),
    Case("dense, C += A B, 4 ranks", (*DENSE, "--accumulate"), {**C, "batch": 16}, 20e6, ranks=4, devices=4),
    Case("dense, 8000 x 8000 x 8000, tiles of 1000, an eighth of the memory",
         ("dense", "--m", 8000, "--n", 8000, "--k", 8000, "--tile", 1000), {**C, "prefetch_c": 1}, 192e6),
]


FIRST = [CASES[1], CASES[3], CASES[7], CASES[5]]  # several ranks last: they need more of the machine


def run(check):
    take(check, [case for case in CASES if case.what not in known(check)])
    for ranks in check.sizes.ranks:
        test_program(check, ranks)


def known(check):
    """Cases that an earlier call has tried."""
    return {row["what"] for row in check.results.checks if row["passed"]}


def take(check, cases):
    plain, by_cores = (check.path(name) for name in ("guessed.toml", "by-cores.toml"))
    plain.write_text(guesses(2**30))
    by_cores.write_text(made_on_host(guesses(2**30)))
    for case in cases:
        check.need(5, f"the case {case.what!r} and those behind it")
        try:
            check.results.check(case.what, *twice(check, case, by_cores if case.on_host else plain))
        except (NotEnded, NoRanks) as late:
            check.results.check(case.what, None, str(late))
        except Failed as failed:
            check.results.check(case.what, False, str(failed))


def test_program(check, ranks):
    check.need(15, f"executor_mpi_tests on {ranks} ranks")
    result = check.mpi(ranks, "executor_mpi_tests", f"--gtest_filter={check.sizes.tests}", timeout=LIMIT,
                       environment={"FORETILE_TEST_GPUS": check.gpu})
    passed = [line for line in result.out.splitlines() if "PASSED" in line]
    note = f"{passed[-1].strip()}, {result.seconds:.0f} s" if result.ok and passed else result.why()
    verdict = None if result.code is None else bool(result.ok and passed)
    check.results.check(f"executor_mpi_tests, {ranks} rank{'s' if ranks > 1 else ''}", verdict, note)


def twice(check, case, platform):
    """Passed or not, and what to tell."""
    plan = plan_of(check, case, platform)
    first, second = (check.execute(plan, "--verify", ranks=case.ranks) for _ in range(2))
    error = max(run["verify"]["relative_error"] for run in (first, second))
    if first["verify"]["c_digest"] != second["verify"]["c_digest"]:
        return False, f"the second run gave other bits: {first['verify']['c_digest']}, {second['verify']['c_digest']}"
    return True, f"relative error {error:.1e} ({first['verify']['method']}), the same bits twice"


def plan_of(check, case, platform):
    scale = check.sizes.case_scale
    problem = check.problem(*scaled(case.problem, scale), *case.options)
    settings = {**case.settings, "platform.device.memory": int(case.memory / scale**2),
                "platform.socket.devices": case.devices, "platform.ranks_per_node": case.ranks}
    return check.plan(problem, settings, platform=platform, ranks=case.ranks)


def scaled(words, scale):
    """A copy with extents divided."""
    return [word // scale if before in EXTENTS else word for before, word in zip((None, *words), words)]
