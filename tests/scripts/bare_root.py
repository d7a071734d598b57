# SPDX-License-Identifier: BSD-3-Clause
"""A folder that is the root of a machine with almost nothing on it, and commands that run in it as if on that machine.

What a machine with CUDA is taken to have: the C and C++ libraries, bash, ldd, `env` and `uname` of coreutils, and Python with
its standard library. There is no network, not even an address for the machine's name, no /etc, and nothing of Debian's
otherwise. Python's libraries are where no other program looks for them.
"""
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig

TOOLS = ["bash", "ldd", "env", "uname"]
LIBRARY = re.compile(r"lib(c|m|dl|rt|pthread|resolv|util|stdc\+\+|gcc_s|tinfo)\.so\..*")
NAMESPACES = ["unshare", "--net", "--uts", "--mount", "--pid", "--fork", "--kill-child"]
LOADER = pathlib.Path("/lib64/ld-linux-x86-64.so.2")


def libraries_of(file):
    """Name -> path."""
    lines = subprocess.run(["ldd", file], capture_output=True, text=True).stdout.splitlines()
    found = [line.split() for line in lines if " => /" in line]
    return {words[0]: pathlib.Path(words[2]) for words in found}


def make(root: pathlib.Path, program):
    """`program` tells which C and C++ libraries there are."""
    for folder in ("usr/bin", "usr/lib", "lib", "lib64", "python/bin", "python/lib", "tmp", "proc", "dev", "pack", "out"):
        (root / folder).mkdir(parents=True)
    (root / "bin").symlink_to("usr/bin")
    shutil.copy(LOADER, root / "lib64")
    libraries = libraries_of(program)
    for tool in TOOLS:
        libraries |= libraries_of(shutil.copy(shutil.which(tool), root / "usr/bin" / tool))
    for name, path in libraries.items():
        if LIBRARY.fullmatch(name):
            shutil.copy(path, root / "lib" / name)
    (root / "usr/bin/sh").symlink_to("bash")
    put_python(root)


def put_python(root):
    """The interpreter of this test, started by a script."""
    program = pathlib.Path(sys.executable).resolve()
    for file in (program, *(standard_library() / "lib-dynload").glob("*.so")):
        for name, path in libraries_of(file).items():
            shutil.copy(path, root / "python/lib" / name)
    shutil.copy(program, root / "python/bin/python3")
    start = root / "usr/bin/python3"
    start.write_text("#!/bin/bash\nexec /lib64/ld-linux-x86-64.so.2 --library-path /python/lib --argv0 /usr/bin/python3 "
                     '/python/bin/python3 "$@"\n')
    start.chmod(0o755)
    (root / "usr/lib" / standard_library().name).mkdir()


def standard_library():
    return pathlib.Path(sysconfig.get_path("stdlib"))


def command(root, pack, out, *words):
    """What runs `words` there, with these folders as /pack and /out."""
    mounts = [["hostname", "gpu-box"], ["mount", "-t", "proc", "proc", root / "proc"],
              ["mount", "--rbind", "/dev", root / "dev"],
              ["mount", "--bind", standard_library(), root / "usr/lib" / standard_library().name],
              ["mount", "--bind", pack, root / "pack"], ["mount", "--bind", out, root / "out"]]
    start = ["exec", "env", "-i", "PATH=/usr/bin:/usr/sbin", "chroot", root, *words]
    script = "\n".join(["set -e", *(shlex.join(map(str, line)) for line in [*mounts, start])])
    return [*NAMESPACES, "bash", "-c", script]


def why_not(root, pack, out):
    """What keeps commands from running there; empty where nothing does."""
    try:
        done = subprocess.run(command(root, pack, out, "/usr/bin/python3", "-c", "import ctypes, lzma"), capture_output=True,
                              text=True, timeout=60)
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    return "" if done.returncode == 0 else (done.stderr.strip() or f"exit {done.returncode}").splitlines()[-1]
