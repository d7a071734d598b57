# SPDX-License-Identifier: BSD-3-Clause
"""Where the programs are, and the environment that they need there."""
import dataclasses
import glob
import json
import os
import pathlib
import shutil
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Installed:
    programs: pathlib.Path
    mpiexec: str
    examples: pathlib.Path
    environment: dict
    pack: dict  # what was noted when it was packed


class NotThere(Exception):
    pass


def install(source: pathlib.Path, scratch: pathlib.Path):
    """From a pack, unpacked into `scratch`, or from a build folder as it is."""
    own = {"XDG_CONFIG_HOME": str(scratch)}
    if (source / "pack.json").exists():
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Python 3.11.2 has none
        for archive in sorted(source.glob("*.tar.xz")):
            with tarfile.open(archive) as packed:
                packed.extractall(scratch, **safely)
        pack = json.loads((source / "pack.json").read_text())
        bin_folder = scratch / "bin"
        return Installed(bin_folder, str(bin_folder / "mpiexec.mpich"), scratch / "share/examples",
                         {**os.environ, **own, **packed_environment(scratch, pack)}, pack)
    if (source / "foretile-run").exists():
        mpiexec = shutil.which("mpiexec.mpich") or shutil.which("mpiexec")
        if not mpiexec:
            raise NotThere("mpiexec: not found; install MPICH, or use a pack, which brings it")
        return Installed(source.resolve(), mpiexec, ROOT / "examples", {**os.environ, **own}, {})
    raise NotThere(f"{source}: neither a pack (scripts/gpu-check --pack) nor a build folder")


def packed_environment(scratch, pack):
    library = scratch / "lib"
    inherited = os.environ.get("LD_LIBRARY_PATH")
    paths = [str(library), *cuda_folders(pack.get("cublas")), *([inherited] if inherited else [])]
    return {
        "LD_LIBRARY_PATH": ":".join(paths),
        "FORETILE_DATA": str(scratch / "share"),
        # One machine without a network: memory that all ranks share, and nothing else is asked for.
        "UCX_TLS": "self,posix,sysv",
        "UCX_MODULE_DIR": str(library / "no-modules"),
        "UCX_WARN_UNUSED_ENV_VARS": "n",
        "UCX_LOG_FILE": "stderr",  # it complains of a missing /sys where programs print their results
        "HWLOC_PLUGINS_PATH": str(library / "no-plugins"),  # of another version
        "HYDRA_LAUNCHER": "fork",
    }


def cuda_folders(cublas):
    """Folders that hold that cuBLAS: of the toolkit, else of Python packages that bring one along."""
    places = ["/usr/local/cuda/lib64", "/usr/local/cuda-*/lib64", "/usr/local/cuda*/targets/*/lib",
              *(f"{path}/nvidia/*/lib" for path in sys.path if path.endswith("-packages")),
              "/opt/*/.venv/lib/python3*/site-packages/nvidia/*/lib", "/usr/local/lib/python3*/dist-packages/nvidia/*/lib"]
    folders = [folder for place in places for folder in sorted(glob.glob(place))]
    return list(dict.fromkeys(folder for folder in folders if not cublas or (pathlib.Path(folder) / cublas).exists()))
