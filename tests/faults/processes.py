# SPDX-License-Identifier: BSD-3-Clause
"""Real programs under signals: who runs below a process, and what is left when it has ended."""
import os
import pathlib
import signal
import subprocess
import time

GUARD_S = 120  # only so that a hang fails the test; nothing here takes a tenth of it
MOMENTS = int(os.environ.get("FORETILE_TEST_MOMENTS", 8))  # at which a test kills


def wait_for(condition, what):
    end = time.monotonic() + GUARD_S
    while not (found := condition()):
        assert time.monotonic() < end, f"waited {GUARD_S} s for {what}"
        time.sleep(0.002)
    return found


def _status(pid):
    """(parent, name, state) or None when there is no such process."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
    return int(rest[1]), name, rest[0]


def below(pid):
    """All processes that `pid` started, and those that they started."""
    parents = {int(entry): status[0] for entry in os.listdir("/proc") if entry.isdigit() and (status := _status(entry))}
    found, last = [], [pid]
    while last:
        last = [child for child, parent in parents.items() if parent in last]
        found += last
    return found


def named(pid, name):
    return [child for child in below(pid) if (status := _status(child)) and status[1] == name[:15]]


def lives(pid):
    status = _status(pid)
    return status is not None and status[2] not in "ZX"


def catches(pid, number=signal.SIGTERM):
    """Whether the process has a handler: before, a signal ends it in the system's way."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return False
    mask = next((int(line.split()[1], 16) for line in lines if line.startswith("SigCgt:")), 0)
    return bool(mask >> (number - 1) & 1)


def start(command, folder):
    # Without it foretile-run starts itself again to get better kernels, and for a moment catches nothing.
    environment = {**os.environ, "FORETILE_BLAS_KERNELS_CHOSEN": "1", "XDG_CONFIG_HOME": str(folder)}
    return subprocess.Popen([str(word) for word in command], cwd=folder, env=environment, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            start_new_session=True)


def finish(process, known):
    """Waits for the end of `process` and of `known`, processes below it. Returns exit code as shells say it, stdout
    and stderr."""
    out, err = process.communicate(timeout=GUARD_S)
    for pid in known:
        wait_for(lambda: not lives(pid), f"the end of process {pid} after its parent's")
    code = process.returncode
    return (code if code >= 0 else 128 - code), out, err


def stopped(command, output):
    """A run that has copied `output`, where it exists, and begun to write to the copy, and waits. One that ended before
    is started again."""
    before = output.read_bytes() if output.exists() else None

    def has_begun():
        return any(size(output.parent / name) > len(before or b"") for name in leftovers(output.parent))
    for _ in range(20):
        job = start(command, output.parent)
        wait_for(lambda: has_begun() or job.poll() is not None, "a temporary file that grows")
        send(job, signal.SIGSTOP)
        if has_begun() and named(job.pid, "foretile-run"):
            return job
        send(job, signal.SIGCONT)
        ended = finish(job, [])
        output.unlink(missing_ok=True)
        if before is not None:
            output.write_bytes(before)
    raise AssertionError(f"20 jobs ended before they could be stopped; the last one: {ended}")


def send(job, number, name="foretile-run"):
    for pid in named(job.pid, name):
        try:
            os.kill(pid, number)
        except ProcessLookupError:  # it has ended
            pass


def size(path):
    """Bytes; 0 when it is gone: a temporary file may live for the moment of a check."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def leftovers(folder):
    return [path.name for path in pathlib.Path(folder).rglob("*") if ".tmp" in path.name]
