# SPDX-License-Identifier: BSD-3-Clause
"""What machine this is, and whether what was brought along works on it."""
import datetime
import os
import pathlib
import shutil

from .. import memory
from ..table import gib

LOADER = "/lib64/ld-linux-x86-64.so.2"
LOGGED = ("MemTotal", "MemFree", "MemAvailable", "Hugepagesize", "HugePages_Total")


def run(check):
    facts = check.results.facts
    facts["date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    facts["commit"] = check.pack.get("commit", "unknown")
    facts["processor"] = f"{processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    facts["GPU"] = gpus(check)
    facts["libraries"] = libraries(check)
    check.mpi_words = check.find_starter()
    facts["several ranks"] = " ".join(check.mpi_words) or "mpiexec starts none: see the log"
    facts["/dev/shm"] = shared_memory()
    facts["memory"] = host_memory(check)


def gpus(check):
    if check.gpu == "stand-in":
        return "none: threads of the CPU stand in for one, and no figure here says anything about GPUs"
    found = check.processes.run(check.programs / "foretile-run", "gpus", "--json", timeout=check.left()).json() or []
    if shutil.which("nvidia-smi"):
        asked = "name,driver_version,memory.total,clocks.max.sm,power.limit,pcie.link.gen.current,pcie.link.width.current"
        told = check.processes.run("nvidia-smi", f"--query-gpu={asked}", "--format=csv,noheader", timeout=check.left())
        check.results.facts["nvidia-smi"] = told.out.strip() if told.ok else told.why()
    return "; ".join(f"{g['name']}, {g['memory_bytes'] / 2**30:.0f} GiB, {g['library']}" for g in found)


def libraries(check):
    """Those that the programs do not find. All are in the log."""
    files = sorted(path for path in check.programs.iterdir() if path.is_file() and not path.name.endswith((".toml", ".md")))
    if not check.pack:
        files = [check.programs / "foretile-run"]
    lister = ["ldd"] if shutil.which("ldd") else [LOADER, "--list"]
    missing = []
    for file in files:
        told = check.processes.run(*lister, file, timeout=min(10, check.left()))
        lost = [line.split()[0] for line in told.out.splitlines() if "not found" in line]
        missing += [f"{file.name}: {name}" for name in lost] or ([] if told.ok else [f"{file.name}: {told.why()}"])
    return f"not found: {'; '.join(missing)}" if missing else f"those of {len(files)} files are there"


def shared_memory():
    place = pathlib.Path("/dev/shm")
    if not place.is_dir():
        return "not there: ranks cannot exchange messages"
    found = shutil.disk_usage(place)
    return f"{gib(found.free)} of {gib(found.total)} free"


def host_memory(check):
    """Before and after it was touched: that of a virtual machine may grow with use."""
    before = log_meminfo(check, "before it was touched")
    touched = memory.touch(min(check.memory or check.sizes.memory, check.sizes.memory), min(12, check.left() / 2))
    after = log_meminfo(check, f"after {touched} bytes were touched")
    said = f"; said to be {gib(check.memory)} (--memory)" if check.memory else ""
    return (f"{gib(before['MemTotal'])}; after {gib(touched)} were touched {gib(after['MemTotal'])}, "
            f"{gib(memory.available(after))} available{said}")


def log_meminfo(check, when):
    found = memory.meminfo()
    check.processes.log.write(f"/proc/meminfo {when}", "".join(f"{name} {found[name]}\n" for name in LOGGED if name in found))
    return found


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"
