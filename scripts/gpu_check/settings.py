# SPDX-License-Identifier: BSD-3-Clause
"""What gpu-check may take and how large its cases are: change figures here."""
import dataclasses

GiB = 2**30

# Seconds of each step, in the order in which they run. What a step leaves, later ones have; with less than their sum all
# shrink alike.
SECONDS = {
    "facts": 10,
    "correctness": 110,
    "additions": 15,
    "calibration": 100,
    "peers": 70,
    "dense": 80,
    "small": 50,
    "sparse": 70,
    "prediction": 65,
    "sanitizer": 35,
}


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
    calibration_s: float
    calibration: tuple  # further options
    additions: tuple  # options of gpu_additions
    peers_dense: int  # extent for cuBLAS and cublasXt
    peers_copy: int  # bytes
    xt_blocks: tuple
    ranks: tuple  # of the test program
    case_scale: int  # extents of correctness cases are divided by it


FULL = Sizes(
    dense=Dense(n=32768, budget=6 * GiB, roomy=30 * GiB, tiles=(1024, 2048, 4096), runs=2),
    # A 24 GB and C 14 GB on the host, B 48 GB made where it is needed.
    sparse=Sparse(m=30000, n=60000, k=500000, density=0.2, tile_min=512, tile_max=2048, device_memory=None,
                  molecule="c65-v1", molecule_rows=13),
    small={64: 4096, 128: 8192, 256: 16384},
    batches=(16, 64, 256, 1024),
    plans=20,
    plan_m=(4096, 14336),
    plan_k=(4096, 32768),
    plan_size=(12288, 36864),
    plan_tile=(256, 384, 512, 768, 1024, 1536),
    plan_flops=1e13,
    calibration_s=75,
    calibration=(),
    additions=(),
    peers_dense=32768,
    peers_copy=GiB,
    xt_blocks=(2048, 4096, 8192),
    ranks=(2, 1, 4),
    case_scale=1,
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
    calibration_s=6,
    calibration=("--sizes", "32,64,128,256", "--largest-copy", "1 MiB"),
    additions=("--cases", 20, "--elements", 5000, "--side", 8, "--bytes", 2**20, "--seconds", 0.005),
    peers_dense=64,
    peers_copy=65536,
    xt_blocks=(32, 64),
    ranks=(2,),
    case_scale=8,
)
