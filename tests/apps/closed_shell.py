# SPDX-License-Identifier: BSD-3-Clause
"""examples/ccd_closed_shell.txt, in spatial orbitals, gives what examples/ccsd_t2.txt gives in spin orbitals without t1.
closed_shell.py FORETILE FORETILE_RUN MPIEXEC"""
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy

foretile, foretile_run, mpiexec = sys.argv[1:4]
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SPATIAL, SPIN = ROOT / "examples/ccd_closed_shell.txt", ROOT / "examples/ccsd_t2.txt"
O, V = 2, 3


def given(program):
    shown = json.loads(subprocess.run([foretile, "show", program, "--o", str(O), "--v", str(V), "--tile", "2", "--json"], check=True,
                                      capture_output=True, text=True).stdout)
    return [tensor["name"] for tensor in shown["tensors"] if tensor["role"] == "given"]


def residual(program, values, name, folder):
    """`values` of a name such as v[hp|hp]."""
    with h5py.File(folder / "in.h5", "w") as file:
        for tensor in given(program):
            array = values(tensor)
            half = array.ndim // 2
            file[tensor] = array.reshape(int(numpy.prod(array.shape[:half])), -1)
    subprocess.run([mpiexec, "-n", "2", foretile_run, "program", program, "--o", str(O), "--v", str(V), "--tile", "2", "--input",
                    folder / "in.h5", "--output", folder / "out.h5"], check=True, capture_output=True)
    with h5py.File(folder / "out.h5") as file:
        return numpy.array(file[name])


def main():
    random = numpy.random.default_rng(5)
    n = O + V
    v = random.standard_normal((n, n, n, n))
    v = v + v.transpose(1, 0, 3, 2)  # <pq|rs> = <qp|sr>
    f = random.standard_normal((n, n))
    t = random.standard_normal((V, V, O, O))
    t = t + t.transpose(1, 0, 3, 2)
    orbitals = {"i": range(O), "a": range(O, n)}

    def spatial(name):
        tensor, letters = name.split("[")[0], name.split("[")[1].rstrip("]").replace("|", "")
        if tensor in "tu":
            return t if tensor == "t" else 2 * t - t.transpose(1, 0, 2, 3)
        return (v if tensor == "v" else f)[numpy.ix_(*(list(orbitals[letter]) for letter in letters))]

    spin = {"h": [(k, s) for s in (0, 1) for k in range(O)], "p": [(k, s) for s in (0, 1) for k in range(V)]}

    def with_spins(array, spaces):
        """<pq||rs> of <pq|rs>, numbers of orbitals with their spins."""
        ks, ss = zip(*((numpy.array([k for k, _ in of]), numpy.array([s for _, s in of])) for of in spaces))
        if array.ndim == 2:
            return array[numpy.ix_(*ks)] * (ss[0][:, None] == ss[1][None, :])
        def same(one, other):
            shape = [1] * 4
            shape[one], shape[other] = len(ss[one]), len(ss[other])
            return (ss[one][:, None] == ss[other][None, :]).reshape(shape)
        direct = array[numpy.ix_(*ks)] * same(0, 2) * same(1, 3)
        exchanged = array[numpy.ix_(ks[0], ks[1], ks[3], ks[2])].transpose(0, 1, 3, 2) * same(0, 3) * same(1, 2)
        return direct - exchanged

    def spin_orbital(name):
        tensor, letters = name.split("[")[0], name.split("[")[1].rstrip("]").replace("|", "")
        if tensor == "t1":
            return numpy.zeros((2 * V, 2 * O))
        if tensor in ("t2", "c2"):
            return with_spins(t, [spin[letter] for letter in letters])
        shifted = [[(k + (O if letter == "p" else 0), s) for k, s in spin[letter]] for letter in letters]
        return with_spins(v if tensor == "v" else f, shifted)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ours = residual(SPATIAL, spatial, "R[aa|ii]", folder).reshape(V, V, O, O)
        theirs = residual(SPIN, spin_orbital, "i0[pp|hh]", folder).reshape(2 * V, 2 * V, 2 * O, 2 * O)
    expected = theirs[:V, V:, :O, O:]  # alpha, beta
    error = abs(ours - expected).max() / abs(expected).max()
    assert error < 1e-12, error
    print(f"largest difference {error:.1e} of the largest number")


main()
