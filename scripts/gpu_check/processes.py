# SPDX-License-Identifier: BSD-3-Clause
"""Runs commands so that none can hold up the rest: time limits, output in files, everything of theirs ended."""
import dataclasses
import json
import os
import pathlib
import shlex
import signal
import subprocess
import tempfile
import threading
import time

MARK = "FORETILE_GPU_CHECK"  # in the environment of all that this script starts, to find it again
LEAST = 0.2  # seconds; with less a command is not even started
SHOWN = 200_000  # characters of a command's output that the log keeps


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
        """The last thing that was printed, as JSON; None when it is none."""
        try:
            return json.loads(self.out)
        except json.JSONDecodeError:
            return None

    def why(self):
        """One line that says what went wrong."""
        if self.code is None:
            return f"not ended after {self.seconds:.0f} s"
        lines = [line.strip() for line in (self.err + "\n" + self.out).splitlines() if line.strip()]
        told = [line for line in lines if "foretile" in line or "error" in line.lower()] or lines
        return f"exit {self.code}" + (f": {told[0][:300]}" if told else "")


class Processes:
    """Runs commands one after the other or side by side; writes all of them to one log."""

    def __init__(self, log: pathlib.Path, environment: dict):
        self.log = log
        self.mark = f"{os.getpid()}-{time.time_ns()}"
        self.environment = {**environment, MARK: self.mark}
        self.commands = []  # for the results
        self.writing = threading.Lock()

    def run(self, *command, timeout, environment=None, folder=None):
        words = [str(word) for word in command]
        if timeout < LEAST:
            return Result(shlex.join(words), None, 0.0, "", "")
        start = time.monotonic()
        with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
            code = self._wait(words, timeout, out, err, {**self.environment, **(environment or {})}, folder)
            result = Result(shlex.join(words), code, time.monotonic() - start, read(out), read(err))
        self._tell(result)
        return result

    def _wait(self, words, timeout, out, err, environment, folder):
        try:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment,
                                       cwd=folder, start_new_session=True)
        except OSError as error:
            err.write(f"{words[0]}: {error.strerror}\n")
            return 127
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._end(process)
            return None
        except BaseException:  # this script is being ended
            self._end(process)
            raise

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

    def _tell(self, result):
        self.commands.append({"command": result.command, "exit": result.code, "seconds": round(result.seconds, 3)})
        with self.writing, open(self.log, "a", errors="replace") as log:
            ended = "NOT ENDED" if result.code is None else f"exit {result.code}"
            log.write(f"$ {result.command}\n# {ended} after {result.seconds:.2f} s\n")
            for text in (result.out, result.err):
                log.write(text[-SHOWN:] + ("\n" if text and not text.endswith("\n") else ""))
            log.write("\n")


def read(stream):
    stream.seek(0)
    return stream.read()


def attempt(action, *arguments):
    try:
        action(*arguments)
    except OSError:
        pass  # it has ended by itself
