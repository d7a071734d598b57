# SPDX-License-Identifier: BSD-3-Clause
"""What every step is given: the programs, the time left, the results."""
import concurrent.futures
import dataclasses
import itertools
import os
import pathlib
import time

from .processes import Processes
from .results import Results
from .settings import Sizes


class Skipped(Exception):
    """A step, or the rest of it, is left out; says why."""


class Failed(Exception):
    """A step cannot go on; says why."""


class NotEnded(Failed):
    """A command took longer than its time: neither right nor wrong."""


class NoRanks(Failed):
    """Several ranks cannot be started here."""


# Ways to start several ranks where the machine's name may have no address: each is tried with a command that does nothing.
MPI_WAYS = (["-localhost", "127.0.0.1"], ["-iface", "lo"], [])


WORKERS = min(8, os.cpu_count() or 1)  # simulations side by side
TRIES = 2  # plans executed where the best one cannot be


@dataclasses.dataclass
class Candidate:
    problem: pathlib.Path
    settings: dict
    plan: pathlib.Path
    predicted: dict  # the simulation's report


@dataclasses.dataclass
class Check:
    programs: pathlib.Path  # folder of foretile, foretile-run, ...
    mpiexec: str
    call: str  # "first" or "second"
    gpu: str  # "cuda" or "stand-in"
    sizes: Sizes
    results: Results
    processes: Processes
    work: pathlib.Path  # for plans and problems
    examples: pathlib.Path
    pack: dict  # what was noted when it was packed
    until: float = 0  # time.monotonic() at which the step must be over
    platform: pathlib.Path | None = None  # calibrated
    guessed: bool = False  # the platform is no calibration
    memory: int | None = None  # bytes that the machine is said to have
    mpi_words: list | None = None  # that start several ranks; None: not tried
    number: itertools.count = dataclasses.field(default_factory=itertools.count)

    def left(self):
        return self.until - time.monotonic()

    def need(self, seconds, what):
        """Throws Skipped where less time than that is left."""
        if self.left() < seconds:
            raise Skipped(f"no time for {what}")

    def path(self, name):
        """A new file in the folder for plans and problems."""
        return self.work / f"{next(self.number)}-{name}"

    # --- programs

    def foretile(self, *words, timeout=60):
        return self.processes.run(self.programs / "foretile", *words, timeout=min(timeout, self.left()))

    def mpi(self, ranks, program, *words, timeout, environment=None):
        """One rank starts directly. Throws NoRanks."""
        start = [] if ranks == 1 else [*self.starter(), "-n", ranks]
        return self.processes.run(*start, self.programs / program, *words, timeout=min(timeout, self.left()),
                                  environment=environment)

    def starter(self):
        if self.mpi_words is None:
            self.mpi_words = self.find_starter()
        if not self.mpi_words:
            raise NoRanks("mpiexec starts no ranks here: see the log")
        return self.mpi_words

    def find_starter(self):
        """mpiexec with the options with which it starts two processes; empty where it does not."""
        if "hydra" not in self.mpiexec and "mpich" not in self.mpiexec:
            return [self.mpiexec]
        for words in MPI_WAYS:
            start = [self.mpiexec, "-launcher", "fork", *words]
            found = self.processes.run(*start, "-n", 2, "uname", "-n", timeout=min(8, self.left()))
            if found.ok and len(found.out.split()) == 2:
                return start
        return []

    def start(self, plan, *options, ranks=1, timeout=60):
        return self.mpi(ranks, "foretile-run", plan, "--gpu", self.gpu, "--json", *options, timeout=timeout)

    def execute(self, plan, *options, ranks=1, timeout=60):
        """foretile-run's JSON. Throws Failed."""
        return expect(self.start(plan, *options, ranks=ranks, timeout=timeout))

    # --- problems and plans

    def problem(self, kind, *words):
        path = self.path(f"{kind}.toml")
        expect_done(self.foretile("problem", kind, *words, "-o", path))
        return path

    def plan(self, problem, settings, *, platform=None, ranks=1):
        """Plans without predicting."""
        path = self.path("plan.json")
        expect_done(self.foretile("plan", problem, *self._machine(platform, ranks), *set_words(settings), "-o", path))
        return path

    def simulate(self, problem, settings, *options, platform=None, ranks=1, timeout=60):
        """Plans and predicts. Returns the plan file and the simulation's JSON. Throws Failed."""
        path = self.path("plan.json")
        report = expect(self.foretile("simulate", problem, *self._machine(platform, ranks), *set_words(settings), *options,
                                      "--json", "-o", path, timeout=timeout))
        return path, report

    def simulate_all(self, cases, *options, platform=None, timeout=40):
        """Simulates (problem, settings) side by side. Returns what fits as Candidates, the fastest first."""
        def one(case):
            problem, settings = case
            try:
                return Candidate(problem, settings, *self.simulate(problem, settings, *options, platform=platform,
                                                                   timeout=timeout))
            except Failed:
                return None  # does not fit; the log has the reason
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            found = [candidate for candidate in pool.map(one, cases) if candidate]
        if not found:
            raise Failed(f"none of {len(cases)} plans could be made: see the log")
        return sorted(found, key=lambda candidate: candidate.predicted["makespan_s"])

    def fastest(self, ranked, runs=1, timeout=90):
        """Executes the first `runs` of them that can be executed; the fastest one and its report. Throws Failed."""
        done, failures = [], []
        for candidate in ranked[:runs + TRIES - 1]:
            if len(done) == runs or (done and self.left() < 25):
                break
            try:
                done.append((candidate, self.execute(candidate.plan, timeout=timeout)))
            except Failed as failed:
                failures.append(failed)
                if self.left() < 10:
                    break
        if not done:
            raise failures[0]
        return min(done, key=lambda pair: pair[1]["wall_s"])

    def predicted(self, candidate):
        """Its time; None where it would rest on guesses."""
        return None if self.guessed else candidate.predicted["makespan_s"]

    def _machine(self, platform, ranks):
        return ["--platform", platform or self.platform, "--ranks", ranks]


def set_words(settings):
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


def set_text(settings):
    return " ".join(f"{key}={value}" for key, value in settings.items())


def expect_done(result):
    if result.ok:
        return result
    kind = NotEnded if result.code is None else Failed
    raise kind(f"{result.command.split('/')[-1][:80]}: {result.why()}")


def expect(result):
    report = expect_done(result).json()
    if report is None:
        raise Failed(f"{result.command[:80]}: printed no JSON")
    return report
