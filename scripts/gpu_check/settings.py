# SPDX-License-Identifier: BSD-3-Clause
"""What gpu-check may take and how large its cases are: change figures here."""
import dataclasses

GiB = 2**30

# Seconds of each step, in the order in which they run. What a step leaves, later ones have; with less than their sum all
# shrink alike. What the first call finds is worth having if there is no second one; what may take long comes last.
CALLS = {
    "first": {
        "facts": 35,
        "product": 12,
        "peers": 30,
        "dense_once": 40,
        "few_cases": 28,
        "additions": 12,
        "calibration": 43,
    },
    "second": {
        "facts": 15,
        "peers": 25,  # nothing where the first call's are known
        "calibration": 100,
        "dense": 95,
        "small": 45,
        "sparse": 65,
        "prediction": 50,
        "correctness": 36,
        "sanitizer": 20,
        "xt": 20,
    },
}
MINUTES = {"first": 3.35, "second": 7.85}
NAMES = list(dict.fromkeys(name for call in CALLS.values() for name in call))


@dataclasses.dataclass(frozen=True)
class Dense:
    n: int
    budget: int  # bytes of device memory, less than the matrices
    roomy: int  # bytes of device memory that hold everything
    tiles: tuple  # sizes to choose from
    runs: int  # of the best candidates


@dataclasses.dataclass(frozen=True)
class Sparse:
    m: int
    n: int
    k: int
    density: float
    tile_min: int
    tile_max: int
    device_memory: int | None  # bytes; None: as calibrated
    molecule: str | None  # an example; None: a molecule of three atoms
    molecule_rows: int  # tile rows kept


@dataclasses.dataclass(frozen=True)
class Sizes:
    dense: Dense
    sparse: Sparse
    small: dict  # tile size -> extent of a dense product
    batches: tuple
    plans: int  # random ones, predicted and measured
    plan_m: tuple  # extents of C; of M alone where n = k
    plan_k: tuple  # of dense ones
    plan_size: tuple  # n = k of block-sparse ones
    plan_tile: tuple
    plan_flops: float  # about
    calibration_s: dict  # call -> seconds
    calibration: tuple  # further options
    additions: tuple  # options of gpu_additions
    peers_dense: int  # extent for cuBLAS
    peers_copy: int  # bytes
    peers_pin: tuple  # bytes
    xt: int  # extent for cublasXt
    xt_blocks: tuple
    ranks: tuple  # of the test program
    tests: str  # of it
    case_scale: int  # extents of correctness cases are divided by it
    memory: int  # bytes that the largest case takes on the host


FULL = Sizes(
    dense=Dense(n=24576, budget=4 * GiB, roomy=18 * GiB, tiles=(1024, 2048, 4096), runs=2),
    # A 13 GB and C 8 GB on the host, B 32 GB made where it is needed. To lock memory takes up to a second per GB.
    sparse=Sparse(m=20000, n=50000, k=400000, density=0.2, tile_min=512, tile_max=2048, device_memory=None,
                  molecule="c65-v1", molecule_rows=8),
    small={64: 4096, 128: 8192, 256: 16384},
    batches=(16, 64, 256, 1024),
    plans=20,
    plan_m=(4096, 14336),
    plan_k=(4096, 32768),
    plan_size=(12288, 36864),
    plan_tile=(256, 384, 512, 768, 1024, 1536),
    plan_flops=1e13,
    calibration_s={"first": 30, "second": 75},
    calibration=(),
    additions=(),
    peers_dense=24576,
    peers_copy=GiB,
    peers_pin=(GiB // 4, 4 * GiB),
    xt=24576,
    xt_blocks=(2048, 4096, 8192),
    ranks=(2, 1, 4),
    tests="Run.*:LowMemory.*",
    case_scale=1,
    memory=28 * GiB,
)

QUICK = Sizes(
    dense=Dense(n=1024, budget=3 * 2**20, roomy=64 * 2**20, tiles=(128, 256), runs=1),
    sparse=Sparse(m=400, n=2000, k=2000, density=0.2, tile_min=50, tile_max=200, device_memory=8 * 2**20,
                  molecule=None, molecule_rows=3),
    small={16: 256},
    batches=(16,),
    plans=4,
    plan_m=(256, 1024),
    plan_k=(256, 1024),
    plan_size=(512, 1536),
    plan_tile=(64, 96, 128),
    plan_flops=1e9,
    calibration_s={"first": 2, "second": 4},
    calibration=("--sizes", "32,64,128,256", "--largest-copy", "1 MiB"),
    additions=("--cases", 20, "--elements", 5000, "--side", 8, "--bytes", 2**20, "--seconds", 0.005),
    peers_dense=64,
    peers_copy=65536,
    peers_pin=(4096, 65536),
    xt=64,
    xt_blocks=(32, 64),
    ranks=(2,),
    tests="LowMemory.*",
    case_scale=8,
    memory=64 * 2**20,
)
