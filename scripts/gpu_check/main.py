# SPDX-License-Identifier: BSD-3-Clause
"""Command line, order and time of the steps, what is left behind."""
import argparse
import contextlib
import importlib
import json
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback

from . import pack as packing
from .check import Check, Failed, NotEnded, NoRanks, Skipped
from .processes import Processes
from .results import Results
from .settings import CALLS, FULL, MINUTES, NAMES, QUICK
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
    parser.add_argument("--build", default=packing.ROOT / "build/pack", type=pathlib.Path, metavar="DIR",
                        help="where --pack builds; build/pack unless given")
    parser.add_argument("--no-build", action="store_true", help="pack what is built there")
    parser.add_argument("--from", dest="source", type=pathlib.Path, metavar="DIR",
                        help="a pack, or a build folder; the pack that this script is in, else build/gpu-check, "
                        "else build/release")
    parser.add_argument("-o", dest="out", default="gpu-check-results", type=pathlib.Path, metavar="DIR",
                        help="for gpu-check.md, .json, .log, gpu.toml and gpu.samples.json (%(default)s)")
    parser.add_argument("--call", choices=list(CALLS), help="first: what every machine should be asked, in 3.5 minutes; "
                        "second: the measurements, in 8 minutes, with what the first left in -o; both unless given")
    parser.add_argument("--minutes", type=float, help="for everything; "
                        + ", ".join(f"{name} {minutes:g}" for name, minutes in MINUTES.items()) + " unless given")
    parser.add_argument("--memory", type=quantity, metavar="BYTES", help="of the machine, such as \"100 GiB\", where what it "
                        "reports grows only with use; as reported unless given")
    parser.add_argument("--only", type=lambda text: text.split(","), metavar="STEP,...", help=", ".join(NAMES) + "; later "
                        "steps use what an earlier run left in -o")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: tries out this script")
    parser.add_argument("--gpu", choices=["cuda", "stand-in"], default="cuda",
                        help="stand-in: threads of the CPU play a GPU, with tiny sizes")
    given = parser.parse_args(words)
    unknown = [step for step in given.only or [] if step not in NAMES]
    if unknown:
        parser.error(f"--only: found {', '.join(unknown)}, expected some of {', '.join(NAMES)}")
    if given.minutes is not None and not 0.1 <= given.minutes <= 600:
        parser.error(f"--minutes: found {given.minutes:g}, expected 0.1 to 600")
    return given


def quantity(text):
    """Bytes: a number, or one with GB or GiB."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(B|GB|GiB)?\s*", text)
    if not found:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected bytes, GB or GiB, such as \"100 GiB\"")
    return int(float(found[1]) * {"GB": 1e9, "GiB": 2**30}.get(found[2], 1))


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
    if given.memory:
        os.environ["FORETILE_MEMORY"] = str(given.memory)  # or the programs believe what the machine reports
    installed = install(given.source or default_source(), scratch)
    quick = given.quick or given.gpu == "stand-in"
    title = "gpu-check" if given.gpu == "cuda" else "gpu-check on a stand-in: its figures say nothing about GPUs"
    results = Results(given.out, title + (", tiny sizes" if quick else ""))
    earlier = found_earlier(results) if given.only or given.call == "second" else None
    log = given.out / "gpu-check.log"
    if not earlier:
        log.write_text("")
    processes = Processes(log, installed.environment)
    results.commands = processes.commands
    if given.gpu == "cuda":
        gpus = processes.run(installed.programs / "foretile-run", "gpus", timeout=60)
        if not gpus.ok:
            print(f"gpu-check: {gpus.err.strip() or gpus.why()}", file=sys.stderr)
            return NO_GPU if gpus.code == 1 else FAILED
        print(gpus.out.strip(), flush=True)
        keep_awake()
    check = Check(installed.programs, installed.mpiexec, given.call or "second", given.gpu, QUICK if quick else FULL, results,
                  processes, scratch, installed.examples, installed.pack, memory=given.memory)
    load_step("calibration").guess(check)
    if earlier:
        recall(check, earlier)
    try:
        take_calls(check, given, start)
    finally:
        results.write()
    print("\n" + results.page())
    return FAILED if results.failed else 0


def keep_awake():
    """While a program has the GPU open, the driver does not start it again for every program."""
    with contextlib.suppress(OSError):
        os.open("/dev/nvidia0", os.O_RDWR)


def default_source():
    """The pack around this script, if it is one; else the one that was made here, else what was built here."""
    places = [HERE, packing.ROOT / "build/gpu-check", packing.ROOT / "build/release"]
    there = [place for place in places if (place / "pack.json").exists() or (place / "foretile-run").exists()]
    return there[0] if there else places[1]


def take_calls(check, given, start):
    if given.only:
        everything = {**CALLS["second"], **CALLS["first"], **CALLS["second"]}
        steps = {name: seconds for name, seconds in everything.items() if name in given.only or name == "facts"}
        take_steps(check, steps, start, given.minutes or MINUTES[check.call])
        return
    for call in [given.call] if given.call else CALLS:
        check.call = call
        take_steps(check, CALLS[call], start, minutes_of(call, given))
        start = time.monotonic()


def minutes_of(call, given):
    if given.minutes is None:
        return MINUTES[call]
    return given.minutes if given.call else given.minutes * MINUTES[call] / sum(MINUTES.values())


def take_steps(check, steps, start, minutes):
    end = start + 60 * minutes
    planned = time.monotonic()
    shrink = min(1.0, (end - planned) / sum(steps.values()))
    for name, seconds in steps.items():
        planned += shrink * seconds  # so that later steps have what earlier ones left
        check.until = min(planned, end)
        take_step(check, name)


def take_step(check, name):
    check.results.begin(name)
    print(f"{name}: up to {max(check.left(), 0):.0f} s", flush=True)
    begin, state, note = time.monotonic(), "done", ""
    try:
        if check.left() < 2:
            raise Skipped("no time")
        load_step(name).run(check)
    except (Skipped, NoRanks) as skipped:
        state, note = "left out, or a part of it", str(skipped)
    except NotEnded as late:
        state, note = "not ended in its time", str(late)
    except Failed as failed:
        state, note = "failed", str(failed)
    except Exception as error:  # of this script; the other steps go on
        state, note = "failed", f"{type(error).__name__}: {error}"
        check.processes.log.write(f"{name}: {note}", traceback.format_exc())
    if state == "failed" and name in ("product", "few_cases", "correctness", "additions", "sanitizer"):
        check.results.check(f"the whole step {name}", False, note)
    check.results.ended(state, time.monotonic() - begin, note)
    if note:
        print(f"  {state}: {note}", flush=True)


def load_step(name):
    return importlib.import_module(f".steps.{name}", __package__)


def found_earlier(results):
    """What an earlier call of the same kind left; None where there is none."""
    earlier = results.folder / "gpu-check.json"
    found = json.loads(earlier.read_text()) if earlier.exists() else {}
    return found if found.get("title") == results.title else None


def recall(check, found):
    check.results.recall(found)
    if "calibration" in found["measured"]:
        check.platform = check.path("gpu.toml")
        shutil.copy(check.results.folder / "gpu.toml", check.platform)
        check.guessed = False
