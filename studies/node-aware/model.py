# SPDX-License-Identifier: BSD-3-Clause
"""Products on many nodes as CTF, CTF with node awareness, ScaLAPACK and COSMA multiply them, and as foretile would, simulated.

"The paper": Irmler et al., Optimizing Distributed Tensor Contractions using Node-Aware Processor Grids (Euro-Par 2023).

One rank per core. foretile's styles choose grid, ranks of a node and parts (`foretile plan --parameters`). Nothing travels while products
run, so panels take equal times: a few panels are simulated, and each of the others counts as much time as the last of them. Where A and B travel at once
(COSMA), one part is simulated, and all parts last as long; k is cut so that all ranks own as much of A and of B. Trees of messages know of nodes:
the first node sends each message to one other node, which hands it on (`tree=scatter`), as MPI libraries broadcast long messages. Where parts of C are
summed, a rank has several tiles of C, whose sums end on different ranks: MPI_Reduce_scatter in COSMA, panels of C in CTF.
"""
import csv
import dataclasses
import json
import math
import pathlib
import subprocess
import tempfile

import numpy
import scipy.optimize

HERE = pathlib.Path(__file__).resolve().parent
STYLES = ["ctf", "ctf-node-aware", "scalapack", "cosma-unlimited", "cosma-limited", "joint"]
MEASURED = {"ctf": "ctf_default", "ctf-node-aware": "ctf_node_aware", "scalapack": "scalapack",
            "cosma-unlimited": "cosma_unlimited", "cosma-limited": "cosma_limited"}
CHOICE_TILES = {"joint": 576}  # of each extent, when only the grid is asked for; each rank gets some. Else 192: extents alone count
MANY_PRODUCTS = 350_000  # of all ranks, with one tile of C each; no fitted row has as many
SUMS = [(3, 3), (3, 1)]  # tiles of C of a rank where parts are summed: the first with no more than MOST_PRODUCTS
MOST_PRODUCTS = 4_000_000
SCALAPACK_PANEL = 64     # columns of A: a usual block of the block-cyclic distribution
NOMINAL = {"raven": 76.8, "stampede2": 44.8}  # Gflop/s of a core: platforms/*.toml
INSIDE = {"stampede2": 20.4}  # GB/s of all messages inside a node, where it was read: platforms/*.toml
HALF_M, HALF_N = 33, 15  # of both machines' kernels, there, too
RANKS_OF_NODE = {"raven": 72, "stampede2": 68}


class Failed(Exception):
    """A command of foretile refused the case."""


@dataclasses.dataclass(frozen=True)
class Figures:
    """What is fitted, on Raven."""
    rate: float      # Gflop/s of a core's products, all cores busy, without end effects
    half_k: float    # depth of a product at half of that rate
    inside: float    # GB/s of all messages inside a node
    network: float   # GB/s of a node's port, each way

    def settings(self, machine, half_k):
        """On another machine the share of the nominal rate is the same."""
        rate, raven_rate = NOMINAL[machine], NOMINAL["raven"]
        inside = INSIDE.get(machine, self.inside)
        return [f"platform.ranks_per_node={RANKS_OF_NODE[machine]}",
                f"platform.device.kernel.rate={self.rate * rate / raven_rate:.6g} Gflop/s",
                f"platform.device.kernel.half_k={half_k:.6g}",
                f"platform.message.bandwidth={inside:.6g} GB/s", f"platform.message.node_bandwidth={inside:.6g} GB/s",
                f"platform.network.bandwidth={self.network:.6g} GB/s", f"platform.network.node_bandwidth={self.network:.6g} GB/s"]


def fitted():
    return Figures(**json.loads((HERE / "fitted.json").read_text())["figures"])


def read_cases():
    """Rows of cases.csv; numbers of nodes, m, n and k as numbers. drCCD's product is square, of o v rows. Large M has its long extent in column n of the
    file, but is m >> n = k in the paper (3.2), which matters where neighbours in a grid share a node."""
    with open(HERE / "cases.csv", newline="") as source:
        rows = list(csv.DictReader(line for line in source if not line.startswith("#")))
    for row in rows:
        if row["shape"] == "drccd":
            row["m"] = row["n"] = row["k"] = int(row["m"].removeprefix("v=")) * int(row["n"].removeprefix("o="))
            row["scalapack_grid"] = "x".join(map(str, flat(RANKS_OF_NODE[row["machine"]] * int(row["nodes"]))))
        for key in ("nodes", "m", "n", "k"):
            row[key] = int(row[key])
        if row["shape"] == "largeM":
            row["m"], row["n"] = row["n"], row["m"]
    return rows


def flat(ranks):
    """As square as can be, no more rows than columns."""
    rows = math.isqrt(ranks)
    while ranks % rows != 0:
        rows -= 1
    return rows, ranks // rows


def even(extent, parts):
    base, more = divmod(extent, parts)
    return [base + 1] * more + [base] * (parts - more)


def shares(p, q, r=1):
    """Shares of k, distributed round-robin to q owners of A and to p owners of B, so that all owners of a matrix get the same. lcm(p, q) equal ones do; where these
    make too many products on p x q x r ranks, fewer unequal ones, of which the smallest is as large as can be."""
    equal = math.lcm(p, q)
    for count in [math.ceil(factor * (p + q)) for factor in (1.25, 1.5, 2, 3, 4, 6)] if p * q * r * equal > MANY_PRODUCTS else []:
        if count >= equal:
            break
        owns = numpy.array([numpy.arange(count) % owners == owner for owners in (q, p) for owner in range(owners)], dtype=float)
        each = numpy.array([1 / owners for owners in (q, p) for _ in range(owners)])
        # smallest + more[k] is the share of tile k.
        found = scipy.optimize.linprog([-1] + [0] * count, A_eq=numpy.column_stack([owns.sum(axis=1), owns]), b_eq=each)
        if found.success and found.x[0] > 0.1 / count:
            return list(found.x[0] + found.x[1:])
    return [1 / equal] * equal


def tiles_of_c(grid, panels, cuts):
    """Along m and n, of a rank."""
    p, q, r = grid
    return next((cut for cut in cuts if p * q * r * panels * math.prod(cut) <= MOST_PRODUCTS), (1, 1)) if r > 1 else (1, 1)


@dataclasses.dataclass
class Prediction:
    grid: tuple
    node_grid: str
    seconds: float
    bytes_between_nodes: float
    memory_ratio: float
    redistribution_s: float

    def rate(self, case):
        """Gflop/s of a core."""
        cores = case["nodes"] * RANKS_OF_NODE[case["machine"]]
        return 2 * case["m"] * case["n"] * case["k"] / self.seconds / cores / 1e9


class Model:
    def __init__(self, foretile, figures, tree="scatter", sends=None, sums=SUMS, engine="fluid"):
        self.foretile, self.figures, self.tree, self.sends, self.sums, self.engine = foretile, figures, tree, sends, sums, engine
        self.choices = {}

    def call(self, *words):
        result = subprocess.run([str(word) for word in (self.foretile, *words)], capture_output=True, text=True)
        if result.returncode != 0:
            raise Failed((result.stderr.strip().splitlines() or ["nothing said"])[-1])
        return result.stdout

    def problem(self, folder, m, n, k):
        """Three lists of tiles."""
        path = pathlib.Path(folder) / "dense.toml"
        self.call("problem", "dense", "--m", sum(m), "--n", sum(n), "--k", sum(k), "-o", path, "--m-tiles", *m, "--n-tiles", *n,
                  "--k-tiles", *k)
        return path

    def options(self, case, settings):
        words = ["--platform", case["machine"], "--nodes", case["nodes"], "--json", "--set", "strategy=grid-3d"]
        for setting in settings:
            words += ["--set", setting]
        return words

    def choice(self, case, style):
        """Grid, ranks of a node, parts and moved bytes, as the style chooses."""
        key = (case["machine"], case["nodes"], case["m"], case["n"], case["k"], style)
        if key not in self.choices:
            with tempfile.TemporaryDirectory() as folder:
                tiles = [even(case[extent], CHOICE_TILES.get(style, 192)) for extent in "mnk"]
                settings = [f"style={style}", *self.figures.settings(case["machine"], self.figures.half_k)]
                said = json.loads(self.call("plan", self.problem(folder, *tiles), "--parameters", *self.options(case, settings)))
            self.choices[key] = said
        return self.choices[key]

    def simulate(self, case, extents, grid, node_grid, panels, depth, settings):
        """Of panels of a layer, `depth` at once."""
        p, q, r = grid
        m, n = extents
        rows, columns = tiles_of_c(grid, len(panels), self.sums)
        with tempfile.TemporaryDirectory() as folder:
            problem = self.problem(folder, even(m, p * rows), even(n, q * columns), [panel for panel in panels for _ in range(r)])
            more = [f"grid={p}x{q}x{r}", f"grid.node={node_grid}", f"tree={self.tree}", "sum_bytes=1", "message_bytes=2 GB",
                    f"d={depth}", "passes=1x1x1", "platform.socket.memory=100 TB", "platform.device.memory=1 TB",
                    # A product is one, however many tiles of C it has here.
                    f"platform.device.kernel.half_m={HALF_M / rows:.6g}", f"platform.device.kernel.half_n={HALF_N / columns:.6g}", *settings]
            if self.sends:
                more.append(f"sends={self.sends}")
            return json.loads(self.call("simulate", problem, "--engine", self.engine, *self.options(case, more)))

    def predict(self, case, style):
        chosen = self.choice(case, style)
        parameters = chosen["parameters"]
        grid, node_grid = tuple(map(int, parameters["grid"].split("x"))), parameters["grid.node"]
        if style == "scalapack":
            grid = (*map(int, case["scalapack_grid"].split("x")), 1)
        parts = tuple(map(int, parameters["passes"].split("x")))
        p, q, r = grid
        m, n = round(case["m"] / parts[0]), round(case["n"] / parts[1])
        depth = case["k"] / parts[2] / r  # of a layer
        at_once = style.startswith("cosma")
        # CTF and ScaLAPACK take equal panels from all owners in turn; ours may be uneven, and thicker.
        cuts = [share * depth for share in shares(p, q, r)] if at_once else [depth / (max(p, q) if style == "joint" else math.lcm(p, q))]
        panels = [max(1, round(cut)) for cut in cuts]
        whole = sum(cuts) / sum(panels)  # panels are simulated as whole columns
        half_k = self.figures.half_k
        if at_once:
            half_k /= len(panels)  # products of the whole depth
        elif style == "scalapack":
            half_k *= cuts[0] / SCALAPACK_PANEL
        settings = [f"style={style}", *self.figures.settings(case["machine"], half_k)]

        def run(panels, depth):
            return self.simulate(case, (m, n), grid, node_grid, panels, depth, settings)

        if at_once:
            one = run(panels, len(panels))
            times = math.prod(parts)
            seconds, between = one["makespan_s"] * times * whole, one["bytes"]["between_nodes"] * times * whole
        else:
            count = round(depth / cuts[0])
            last = min(count, 3 if r > 1 else 2)  # sums behind one panel take another time than those behind more
            one = run(last * panels, 1)
            before = run((last - 1) * panels, 1) if last > 1 else one
            # Sums of C may be faster behind more panels, whose ranks end at different times; products may not.
            products_s = [report["busy"]["kernels"]["mean"] * report["makespan_s"] for report in (before, one)]
            panel_s = max(one["makespan_s"] - before["makespan_s"], products_s[1] - products_s[0])
            more = whole * (count - last)
            seconds = one["makespan_s"] + more * panel_s
            between = one["bytes"]["between_nodes"] + more * (one["bytes"]["between_nodes"] - before["bytes"]["between_nodes"])
            panels = last * panels
        redistributed, redistribution_s = 0, 0
        if style in ("ctf-node-aware", "joint"):
            moves = chosen["moves"]
            redistributed, redistribution_s = moves["redistributed_bytes"], moves["redistribution_s"]
            if style == "ctf-node-aware":  # CTF adds to C, which therefore moves there and back
                more = 1 + case["m"] * case["n"] / (case["m"] * case["k"] + case["k"] * case["n"] + case["m"] * case["n"])
                redistributed, redistribution_s = redistributed * more, redistribution_s * more
        ratio = self.memory(case, grid, sum(panels) * r, parts, one["peak_host_bytes"])
        return Prediction(grid, node_grid, seconds + redistribution_s, between + redistributed, ratio, redistribution_s)

    @staticmethod
    def memory(case, grid, k, parts, peak):
        """The proven high-water mark of a rank over an even share of the matrices. What was simulated, k deep, has a share of A and B, and of C where
        it was one part; the rank owns its share of all of them."""
        ranks = math.prod(grid)
        m, n = case["m"] / parts[0], case["n"] / parts[1]
        share = 8 / ranks * (case["m"] * case["k"] + case["k"] * case["n"] + case["m"] * case["n"])
        own = 8 / ranks * (m * k + k * n + m * n)
        return (peak - own + share) / share
