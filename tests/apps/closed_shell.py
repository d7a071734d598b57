# SPDX-License-Identifier: BSD-3-Clause
"""examples/ccd_closed_shell.txt, in spatial orbitals, gives what examples/ccsd_t2.txt gives in spin orbitals without t1.
closed_shell.py FORETILE FORETILE_RUN MPIEXEC"""
import pathlib
import sys
import tempfile

import numpy
from spin_orbitals import name_and_letters, run_program, with_spins

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SPATIAL, SPIN = ROOT / "examples/ccd_closed_shell.txt", ROOT / "examples/ccsd_t2.txt"
O, V = 2, 3
SIZES = ["--o", str(O), "--v", str(V), "--tile", "2"]


def main():
    random = numpy.random.default_rng(5)
    n = O + V
    v = random.standard_normal((n, n, n, n))
    v = v + v.transpose(1, 0, 3, 2)  # <pq|rs> = <qp|sr>
    f = random.standard_normal((n, n))
    t = random.standard_normal((V, V, O, O))
    t = t + t.transpose(1, 0, 3, 2)

    def spatial(text):
        tensor, letters = name_and_letters(text)
        if tensor in "tu":
            return t if tensor == "t" else 2 * t - t.transpose(1, 0, 2, 3)
        orbitals = {"i": range(O), "a": range(O, n)}
        return (v if tensor == "v" else f)[numpy.ix_(*(list(orbitals[letter]) for letter in letters))]

    def spin_orbital(text):
        tensor, letters = name_and_letters(text)
        if tensor == "t1":
            return numpy.zeros((2 * V, 2 * O))
        amplitudes = tensor in ("t2", "c2")
        orbitals = {"h": range(O), "p": range(V) if amplitudes else range(O, n)}
        array = t if amplitudes else v if tensor == "v" else f
        return with_spins(array, [[(k, spin) for spin in (0, 1) for k in orbitals[letter]] for letter in letters])

    tools = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ours, = run_program(tools, SPATIAL, SIZES, spatial, ["R[aa|ii]"], folder)
        theirs, = run_program(tools, SPIN, SIZES, spin_orbital, ["i0[pp|hh]"], folder)
    expected = theirs.reshape(2 * V, 2 * V, 2 * O, 2 * O)[:V, V:, :O, O:]  # alpha, beta
    error = abs(ours.reshape(V, V, O, O) - expected).max() / abs(expected).max()
    assert error < 1e-12, error
    print(f"largest difference {error:.1e} of the largest number")


main()
