# SPDX-License-Identifier: BSD-3-Clause
"""How much memory the machine has. That of a virtual one may grow only when it is used, so it is touched first."""
import concurrent.futures
import ctypes
import mmap
import os
import pathlib
import signal
import time

PIECE = 256 * 2**20  # bytes touched by a thread at a time
SPARE = 0.8  # share of what is available that is touched at most, while nothing grows
LEAST_GROWTH = 64 * 2**20


def meminfo():
    """Bytes, by name."""
    found = {}
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        name, _, rest = line.partition(":")
        words = rest.split()
        if words and words[0].isdigit():
            found[name] = int(words[0]) * (1024 if words[1:] == ["kB"] else 1)
    return found


def available(info):
    return info.get("MemAvailable", info.get("MemFree", 0))


def touch(wanted, seconds):
    """Touches memory, gives it back, and returns the bytes touched: up to `wanted`, and no more than is there. In a process
    of its own, which is the first to be ended where memory does not suffice after all."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        touch_and_tell(writer, wanted, time.monotonic() + seconds)
    os.close(writer)
    with os.fdopen(reader) as told:
        lines = told.read().split()  # ends with the child
    os.waitpid(child, 0)
    return int(lines[-1]) if lines else 0


def touch_and_tell(writer, wanted, until):
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            pathlib.Path("/proc/self/oom_score_adj").write_text("1000")
        except OSError:
            pass  # a limit of a container
        for touched in grow(wanted, until):
            os.write(writer, f"{touched}\n".encode())
    finally:
        os._exit(0)


def grow(wanted, until):
    """Yields the bytes touched so far."""
    kept, touched = [], 0
    with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as threads:
        while touched < wanted and time.monotonic() < until:
            before = meminfo()
            bytes_now = int(min(wanted - touched, SPARE * available(before), 8 * 2**30))
            if bytes_now < mmap.PAGESIZE:
                return
            pieces = [mmap.mmap(-1, min(PIECE, bytes_now - start)) for start in range(0, bytes_now, PIECE)]
            kept += pieces
            list(threads.map(fill, pieces))
            touched += bytes_now
            yield touched
            if bytes_now >= SPARE * available(before) and not grown(before):
                return


def grown(before):
    """Whether the machine got more memory, within a moment."""
    for _ in range(10):
        if meminfo()["MemTotal"] > before["MemTotal"] + LEAST_GROWTH:
            return True
        time.sleep(0.1)
    return False


def fill(piece):
    ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(piece)), 1, len(piece))
