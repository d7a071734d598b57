# SPDX-License-Identifier: BSD-3-Clause
"""What machine this is."""
import datetime
import os
import pathlib
import shutil

from ..platform_files import installed_memory


def run(check):
    facts = check.results.facts
    facts["date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    facts["commit"] = check.pack.get("commit", "unknown")
    facts["processor"] = f"{processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    facts["memory"] = f"{installed_memory() / 2**30:.0f} GiB"
    if check.gpu == "stand-in":
        facts["GPU"] = "none: threads of the CPU stand in for one, and no figure here says anything about GPUs"
        return
    gpus = check.processes.run(check.programs / "foretile-run", "gpus", "--json", timeout=check.left()).json() or []
    facts["GPU"] = "; ".join(f"{g['name']}, {g['memory_bytes'] / 2**30:.0f} GiB, {g['library']}" for g in gpus)
    if shutil.which("nvidia-smi"):
        asked = "name,driver_version,memory.total,clocks.max.sm,power.limit,pcie.link.gen.current,pcie.link.width.current"
        told = check.processes.run("nvidia-smi", f"--query-gpu={asked}", "--format=csv,noheader", timeout=check.left())
        facts["nvidia-smi"] = told.out.strip() if told.ok else told.why()


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"
