# SPDX-License-Identifier: BSD-3-Clause
"""No program or plugin may load libraries from the current folder, and foretile-run none of SimGrid.
    run_paths_test.py BUILD_FOLDER"""
import os
import pathlib
import re
import subprocess
import sys


def is_linked(path):
    if path.is_symlink() or not path.is_file() or "CMakeFiles" in path.parts:
        return False
    if not (os.access(path, os.X_OK) or ".so" in path.name):
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def run_paths(path):
    done = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True)
    return re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", done.stdout)


def is_safe(part):
    return part.startswith("/") or part == "$ORIGIN" or part.startswith("$ORIGIN/")


files = [path for path in pathlib.Path(sys.argv[1]).rglob("*") if is_linked(path)]
assert any(path.name == "foretile" for path in files), "no program found"
loaded = {path.name: subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
          for path in files if path.name in ("foretile-run", "simulator_alone_tests")}
assert not [name for name, libraries in loaded.items() if "libsimgrid" in libraries], loaded
wrong = [f"{path}: {paths}" for path in files for paths in run_paths(path)
         if not all(is_safe(part) for part in paths.split(":"))]
assert not wrong, "\n".join(["empty or relative folders:", *wrong])
print(f"{len(files)} programs and libraries load from absolute folders only")
