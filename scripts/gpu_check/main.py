# SPDX-License-Identifier: BSD-3-Clause
"""Command line, order and time of the steps, what is left behind."""
import argparse
import contextlib
import importlib
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import traceback

from . import pack as packing
from .check import Check, Failed, Skipped
from .processes import Processes
from .results import Results
from .settings import FULL, QUICK, SECONDS
from .unpack import NotThere, install

FAILED, USAGE, NO_GPU = 1, 2, 3
DRIVER = pathlib.Path("/dev/nvidiactl")
HERE = pathlib.Path(__file__).resolve().parents[1]


def arguments(words):
    parser = argparse.ArgumentParser(
        prog="gpu-check", description="Checks, calibrates and measures foretile on a GPU, from what was packed elsewhere.",
        epilog="Exit codes: 0 done, whether or not targets are met; 1 a product was wrong or a check failed; 2 wrong usage; "
               "3 no GPU.")
    parser.add_argument("--pack", nargs="?", const=packing.ROOT / "build/gpu-check", type=pathlib.Path,
                        metavar="DIR", help="collect programs and libraries for a machine with a GPU, in build/gpu-check "
                        "unless given, and end")
    parser.add_argument("--build", default=packing.ROOT / "build/release", type=pathlib.Path, metavar="DIR",
                        help="where --pack builds; build/release unless given")
    parser.add_argument("--no-build", action="store_true", help="pack what is built there")
    parser.add_argument("--from", dest="source", type=pathlib.Path, metavar="DIR",
                        help="a pack, or a build folder; the pack that this script lies in, else build/gpu-check")
    parser.add_argument("-o", dest="out", default="gpu-check-results", type=pathlib.Path, metavar="DIR",
                        help="for gpu-check.md, .json, .log, gpu.toml and gpu.samples.json (%(default)s)")
    parser.add_argument("--minutes", default=9.5, type=float, help="for everything (%(default)s)")
    parser.add_argument("--only", type=lambda text: text.split(","), metavar="STEP,...", help=", ".join(SECONDS) + "; later "
                        "steps use what an earlier run left in -o")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: tries out this script")
    parser.add_argument("--gpu", choices=["cuda", "stand-in"], default="cuda",
                        help="stand-in: threads of the CPU play a GPU, with tiny sizes")
    given = parser.parse_args(words)
    unknown = [step for step in given.only or [] if step not in SECONDS]
    if unknown:
        parser.error(f"--only: found {', '.join(unknown)}, expected some of {', '.join(SECONDS)}")
    if not 0.1 <= given.minutes <= 600:
        parser.error(f"--minutes: found {given.minutes:g}, expected 0.1 to 600")
    return given


def main(words):
    start = time.monotonic()
    given = arguments(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        if given.pack:
            packing.pack(given.pack, given.build.resolve(), compile_first=not given.no_build)
            return 0
        with tempfile.TemporaryDirectory(prefix="foretile-gpu-check-", ignore_cleanup_errors=True) as scratch:
            return check_all(given, pathlib.Path(scratch), start)
    except NotThere as error:
        if given.gpu == "cuda" and not given.source and not DRIVER.exists():
            print(f"gpu-check: no GPU: {DRIVER} is not there", file=sys.stderr)
            return NO_GPU
        print(f"gpu-check: {error}", file=sys.stderr)
        return USAGE
    except (packing.CannotPack, OSError) as error:
        print(f"gpu-check: {error}", file=sys.stderr)
        return USAGE


def check_all(given, scratch, start):
    given.out.mkdir(parents=True, exist_ok=True)
    installed = install(given.source or default_source(), scratch)
    log = given.out / "gpu-check.log"
    log.write_text("")
    processes = Processes(log, installed.environment)
    if given.gpu == "cuda":
        gpus = processes.run(installed.programs / "foretile-run", "gpus", timeout=60)
        if not gpus.ok:
            print(f"gpu-check: {gpus.err.strip() or gpus.why()}", file=sys.stderr)
            return NO_GPU if gpus.code == 1 else FAILED
        print(gpus.out.strip(), flush=True)
        keep_awake()
    quick = given.quick or given.gpu == "stand-in"
    title = "gpu-check" if given.gpu == "cuda" else "gpu-check on a stand-in: its figures say nothing about GPUs"
    results = Results(given.out, title + (", tiny sizes" if quick else ""))
    check = Check(installed.programs, installed.mpiexec, given.gpu, QUICK if quick else FULL, results, processes, scratch,
                  installed.examples, installed.pack)
    results.commands = processes.commands
    try:
        take_steps(check, given, start)
    finally:
        results.write()
    print("\n" + results.page())
    return FAILED if results.failed else 0


def keep_awake():
    """While somebody has the GPU open, the driver does not start it anew for every program."""
    with contextlib.suppress(OSError):
        os.open("/dev/nvidia0", os.O_RDWR)


def default_source():
    """The pack around this script, if it is one; else the one that was made here, else what was built here."""
    places = [HERE, packing.ROOT / "build/gpu-check", packing.ROOT / "build/release"]
    there = [place for place in places if (place / "pack.json").exists() or (place / "foretile-run").exists()]
    return there[0] if there else places[1]


def take_steps(check, given, start):
    load_step("calibration").guess(check)
    if given.only:
        recall(check, given.out)
    chosen = [name for name in SECONDS if not given.only or name in given.only or name == "facts"]
    end = start + 60 * given.minutes
    begin = time.monotonic()
    shrink = min(1.0, (end - begin) / sum(SECONDS[name] for name in chosen))
    planned = begin
    for name in chosen:
        planned += shrink * SECONDS[name]  # so that later steps have what earlier ones left
        check.until = min(planned, end)
        take_step(check, name)
        check.results.write()


def take_step(check, name):
    print(f"{name}: up to {max(check.left(), 0):.0f} s", flush=True)
    begin, state, note = time.monotonic(), "done", ""
    try:
        if check.left() < 2:
            raise Skipped("no time")
        load_step(name).run(check)
    except Skipped as skipped:
        state, note = "left out, or a part of it", str(skipped)
    except Failed as failed:
        state, note = "failed", str(failed)
    except Exception as error:  # of this script; the other steps go on
        state, note = "failed", f"{type(error).__name__}: {error}"
        with open(check.processes.log, "a") as log:
            log.write(traceback.format_exc())
    if state == "failed" and name in ("correctness", "additions", "sanitizer"):
        check.results.check(f"the whole step {name}", False, note)
    check.results.steps.append({"step": name, "state": state, "seconds": time.monotonic() - begin, "note": note})
    if note:
        print(f"  {state}: {note}", flush=True)


def load_step(name):
    return importlib.import_module(f".steps.{name}", __package__)


def recall(check, out):
    """What an earlier run of the same kind measured, for a run of some steps only."""
    earlier = out / "gpu-check.json"
    found = json.loads(earlier.read_text()) if earlier.exists() else {}
    if found.get("title") != check.results.title:
        return
    measured = {key: value for key, value in found["measured"].items() if key in ("peers", "calibration")}
    check.results.measured.update(measured)
    if "calibration" in measured:
        check.platform = check.path("gpu.toml")
        shutil.copy(out / "gpu.toml", check.platform)
        check.guessed = False
