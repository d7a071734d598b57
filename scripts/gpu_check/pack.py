# SPDX-License-Identifier: BSD-3-Clause
"""Collects what a bare machine with a GPU needs: programs, the libraries they load, platforms, examples, this script."""
import datetime
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ["foretile", "foretile-run", "libforetile_cuda.so", "executor_mpi_tests", "cuda_peers", "gpu_additions"]
TARGETS = ["foretile", "foretile-run", "foretile_cuda", "executor_mpi_tests", "cuda_peers", "gpu_additions"]
# Parts that nothing here uses, each with many libraries: what else is installed must not change the pack.
LEFT_OUT = ["HDF5", "PICTURES"]
LIMIT = 50 * 2**20  # bytes of the folder
SHOWN = 8  # of the largest files
PRESET = 2  # of xz: higher ones save a tenth and take five times as long
# Every Linux with CUDA has these: the C library's own, the compiler's, CUDA's and its driver's.
THEIRS = re.compile(r"(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|resolv|util|anl|mvec|BrokenLocale|stdc\+\+|gcc_s|cublas|cublasLt"
                    r"|cudart|cuda|nvidia-.*))\.so.*")


class CannotPack(Exception):
    pass


def call(*command):
    try:
        done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True)
    except OSError as error:
        raise CannotPack(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise CannotPack(f"{' '.join(map(str, command))}: exit {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def pack(folder: pathlib.Path, build: pathlib.Path, *, compile_first: bool):
    if compile_first:
        compile_programs(build)
    missing = [name for name in PROGRAMS if not (build / name).exists()]
    if missing:
        raise CannotPack(f"{build}: no {', '.join(missing)}: build with FORETILE_WITH_CUDA=ON and FORETILE_BENCH=ON")
    folder.mkdir(parents=True, exist_ok=True)
    programs = [build / name for name in PROGRAMS]
    starters = {"mpiexec.mpich": tool("mpiexec.hydra"), "hydra_pmi_proxy": tool("hydra_pmi_proxy")}
    libraries = needed([*programs, *starters.values()])
    sizes = pack_libraries(folder, libraries) | pack_programs(folder, programs, starters)
    copy_scripts(folder)
    (folder / "pack.json").write_text(json.dumps(about(build, libraries, sizes), indent=1) + "\n")
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    if size > LIMIT:
        raise CannotPack(f"{folder}: {mib(size)}, at most {mib(LIMIT)} wanted; unpacked: {largest(sizes)}")
    print(f"{folder}: {mib(size)}, {len(libraries)} libraries; unpacked {mib(sum(sizes.values()))}: {largest(sizes)}",
          file=sys.stderr)


def compile_programs(build):
    if not (build / "CMakeCache.txt").exists():
        call("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DFORETILE_BENCH=ON",
             "-DFORETILE_WITH_CUDA=ON", *(f"-DFORETILE_WITH_{part}=OFF" for part in LEFT_OUT))
    call("cmake", "--build", build, "--target", *TARGETS)


def mib(size):
    return f"{size / 2**20:.1f} MiB"


def largest(sizes):
    """The largest files and what each takes before it is compressed."""
    first = sorted(sizes.items(), key=lambda item: -item[1])[:SHOWN]
    return ", ".join(f"{pathlib.PurePath(name).name} {mib(size)}" for name, size in first)


def tool(name):
    found = shutil.which(name)
    if not found:
        raise CannotPack(f"{name} not found: install MPICH (scripts/setup)")
    return pathlib.Path(found).resolve()


def needed(files):
    """Libraries that the dynamic linker finds for these files here: name -> path."""
    found = {}
    for file in files:
        for line in call("ldd", file).splitlines():
            name, _, where = line.strip().partition(" => ")
            if not where or THEIRS.fullmatch(name):
                continue
            if "not found" in where:
                raise CannotPack(f"{file}: {name} not found")
            found[name] = pathlib.Path(where.split(" (")[0])
    return dict(sorted(found.items()))


def pack_libraries(folder, libraries):
    """They are large and seldom change: compressed again only when they did. Bytes of each file."""
    files = {f"lib/{name}": path for name, path in libraries.items()}
    text = "".join(f"{name} {path.stat().st_size} {path.stat().st_mtime_ns}\n" for name, path in files.items())
    archive = folder / f"libraries-{hashlib.sha256(text.encode()).hexdigest()[:12]}.tar.xz"
    if archive.exists():
        with tarfile.open(archive) as packed:
            return {member.name: member.size for member in packed}
    for old in folder.glob("libraries-*.tar.xz"):
        old.unlink()
    return compress(archive, files)


def pack_programs(folder, programs, starters):
    files = {f"bin/{path.name}": path for path in programs} | {f"bin/{name}": path for name, path in starters.items()}
    for kind in ("platforms/*.toml", "examples/*.toml", "examples/*.xyz"):
        files |= {f"share/{path.relative_to(ROOT)}": path for path in sorted(ROOT.glob(kind))}
    return compress(folder / "programs.tar.xz", files)


def compress(archive, files):
    """Stripped copies under these names. Bytes of each, before compression."""
    with tempfile.TemporaryDirectory() as scratch:
        part, sizes = archive.with_suffix(".part"), {}
        with tarfile.open(part, "w:xz", preset=PRESET) as out:
            for name, path in files.items():
                copy = pathlib.Path(scratch) / "file"
                shutil.copy(path.resolve(), copy)
                if copy.read_bytes()[:4] == b"\x7fELF":
                    call("strip", "--strip-unneeded", copy)
                out.add(copy, name)
                sizes[name] = copy.stat().st_size
        part.replace(archive)
    return sizes


def copy_scripts(folder):
    scripts = pathlib.Path(__file__).resolve().parents[1]
    shutil.copy(scripts / "gpu-check", folder / "gpu-check")
    shutil.rmtree(folder / "gpu_check", ignore_errors=True)
    shutil.copytree(scripts / "gpu_check", folder / "gpu_check", ignore=shutil.ignore_patterns("__pycache__"))


def about(build, libraries, sizes):
    changed = call("git", "status", "--porcelain", "--untracked-files=no").strip()
    cublas = re.search(r"libcublas\.so\.\d+", call("ldd", build / "libforetile_cuda.so"))
    return {"commit": call("git", "rev-parse", "HEAD").strip() + (" with changes" if changed else ""),
            "packed": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "cublas": cublas[0] if cublas else None, "libraries": list(libraries), "bytes": sizes}
