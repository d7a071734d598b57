# SPDX-License-Identifier: BSD-3-Clause
"""Runs commands so that none can hold up the rest: time limits, output in files, everything of theirs ended. What they
print is in the log a second later, so that it is there whenever this script is ended."""
import dataclasses
import itertools
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import tempfile
import threading
import time

MARK = "FORETILE_GPU_CHECK"  # in the environment of all that this script starts, to find it again
LEAST = 0.2  # seconds; with less a command is not even started
SHOWN = 20_000  # bytes of a command's output that the log keeps, half of them its last ones
LOG_LIMIT = 4 * 2**20  # bytes of the log, after which it keeps the commands alone
TICK = 1.0  # seconds between polls at what a command has printed


@dataclasses.dataclass
class Result:
    command: str
    code: int | None  # None: not ended within its time
    seconds: float
    out: str
    err: str

    @property
    def ok(self):
        return self.code == 0

    def json(self):
        """What was printed, as JSON, without what libraries say before it; None when it is none."""
        starts = [match.start() for match in re.finditer(r"(?m)^[{\[]", self.out)][:20]
        return next((found for start in starts if (found := parsed(self.out[start:])) is not None), None)

    def merged(self):
        """One object from all objects that were printed, each on a line: also of a command that was ended."""
        whole = {}
        for line in self.out.splitlines():
            found = parsed(line)
            whole.update(found if isinstance(found, dict) else {})
        return whole

    def why(self):
        """One line that says what went wrong."""
        if self.code is None:
            return f"not ended after {self.seconds:.0f} s"
        lines = [line.strip() for line in (self.err + "\n" + self.out).splitlines() if line.strip()]
        told = [line for line in lines if "foretile" in line or "error" in line.lower()] or lines
        return f"exit {self.code}" + (f": {told[0][:300]}" if told else "")


class Log:
    """Text at the end of a file, from any thread."""

    def __init__(self, path: pathlib.Path, limit=LOG_LIMIT):
        self.path = path
        self.limit = limit
        self.writing = threading.Lock()

    def write(self, head, text=""):
        """The head always; of the text, what the limit allows."""
        with self.writing, open(self.path, "a", errors="replace") as log:
            if text and log.tell() + len(text) > self.limit:
                text = f"... {len(text)} characters left out: the log is full\n"
            log.write(head + "\n" + text + ("\n" if text and not text.endswith("\n") else ""))


class Printed:
    """What a running command has printed, brought to the log piece by piece."""

    def __init__(self, log: Log, name: str, files):
        self.log = log
        self.name = name
        self.files = files
        self.told = [0 for _ in files]  # bytes
        self.left = SHOWN // 2  # bytes for the time before its end

    def tell(self, state, end=False):
        texts = [self._new(number, end) for number in range(len(self.files))]
        if end or any(texts):
            self.log.write(f"{self.name} {state}", "".join(texts))

    def _new(self, number, end):
        file = self.files[number]
        size = os.fstat(file.fileno()).st_size
        new = os.pread(file.fileno(), size - self.told[number], self.told[number])
        if end:
            most = SHOWN // 2
            left_out = f"... {len(new) - most} bytes left out\n" if len(new) > most else ""
            return left_out + new[-most:].decode(errors="replace")
        new = new[:self.left]
        self.told[number] += len(new)
        self.left -= len(new)
        return new.decode(errors="replace")


class Processes:
    """Runs commands one after the other or side by side; writes all of them to one log."""

    def __init__(self, log: pathlib.Path, environment: dict):
        self.log = Log(log)
        self.mark = f"{os.getpid()}-{time.time_ns()}"
        self.environment = {**environment, MARK: self.mark}
        self.commands = []  # for the results
        self.number = itertools.count(1)

    def run(self, *command, timeout, environment=None, folder=None):
        words = [str(word) for word in command]
        if timeout < LEAST:
            return Result(shlex.join(words), None, 0.0, "", "")
        start, name = time.monotonic(), f"[{next(self.number)}]"
        self.log.write(f"{name} $ {shlex.join(words)}")
        with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
            printed = Printed(self.log, name, [out, err])
            code = self._wait(words, timeout, printed, {**self.environment, **(environment or {})}, folder)
            seconds = time.monotonic() - start
            printed.tell(f"{'NOT ENDED' if code is None else f'exit {code}'} after {seconds:.2f} s", end=True)
            result = Result(shlex.join(words), code, seconds, read(out), read(err))
        self.commands.append({"command": result.command, "exit": result.code, "seconds": round(result.seconds, 3)})
        return result

    def _wait(self, words, timeout, printed, environment, folder):
        out, err = printed.files
        try:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment,
                                       cwd=folder, start_new_session=True)
        except OSError as error:
            err.write(f"{words[0]}: {error.strerror}\n")
            err.flush()
            return 127
        try:
            return self._follow(process, timeout, printed)
        except BaseException:  # this script is being ended
            self._end(process)
            raise

    def _follow(self, process, timeout, printed):
        """Its exit code; None where it did not end in time."""
        start = time.monotonic()
        while (left := start + timeout - time.monotonic()) > 0:
            try:
                return process.wait(min(TICK, left))
            except subprocess.TimeoutExpired:
                printed.tell(f"running, {time.monotonic() - start:.0f} s")
        self._end(process)
        return None

    def _end(self, process):
        for kind in (signal.SIGTERM, signal.SIGKILL):
            attempt(os.killpg, process.pid, kind)
            try:
                process.wait(3)
                break
            except subprocess.TimeoutExpired:
                continue  # one that hangs in a driver cannot be ended: the rest goes on without it
        for pid in self._descendants():
            attempt(os.kill, pid, signal.SIGKILL)

    def _descendants(self):
        """Ranks may outlive their mpiexec."""
        wanted = f"{MARK}={self.mark}".encode()
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    if wanted in (entry / "environ").read_bytes().split(b"\0"):
                        yield int(entry.name)
                except OSError:
                    continue


def parsed(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def read(stream):
    stream.seek(0)
    return stream.read()


def attempt(action, *arguments):
    try:
        action(*arguments)
    except OSError:
        pass  # it has ended by itself
