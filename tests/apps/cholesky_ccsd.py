# SPDX-License-Identifier: BSD-3-Clause
"""examples/cholesky_ccsd.txt and its lean form, in spatial orbitals with vectors, give what examples/ccsd.txt gives in spin orbitals.
cholesky_ccsd.py FORETILE FORETILE_RUN MPIEXEC"""
import pathlib
import subprocess
import sys
import tempfile

import numpy
from spin_orbitals import name_and_letters, run_program, with_spins

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VECTOR_FORMS, SPIN = [ROOT / "examples/cholesky_ccsd.txt", ROOT / "examples/cholesky_ccsd_lean.txt"], ROOT / "examples/ccsd.txt"
O, V, VECTORS = 3, 4, 9
SIZES = ["--o", str(O), "--v", str(V), "--tile", "2"]


def main():
    random = numpy.random.default_rng(7)
    n = O + V
    b = random.standard_normal((n, n, VECTORS))
    b = b + b.transpose(1, 0, 2)
    f = random.standard_normal((n, n))
    f = f + f.T
    s = random.standard_normal((V, O))
    t = random.standard_normal((V, V, O, O))
    t = t + t.transpose(1, 0, 3, 2)
    coulomb = numpy.einsum("prx,qsx->pqrs", b, b)  # <pq|rs>
    occupied, virtual = slice(0, O), slice(O, n)
    of = {"i": occupied, "a": virtual}

    def spatial(text):
        tensor, letters = name_and_letters(text)
        if tensor in "st":
            return s if tensor == "s" else t
        if tensor == "J":  # (i1 a1|i2 a2)
            return numpy.einsum("iax,jbx->abij", b[occupied, virtual], b[occupied, virtual])
        return (b if tensor[0] == "b" else f)[of[letters[0]], of[letters[1]]]

    def spin_orbital(text):
        tensor, letters = name_and_letters(text)
        of_all = {"h": range(O), "p": range(O, n)}
        of_own = {"h": range(O), "p": range(V)}
        amplitudes = {"t1": s, "t2": t}
        orbitals = of_own if tensor in amplitudes else of_all
        array = amplitudes.get(tensor, coulomb if tensor == "v" else f)
        return with_spins(array, [[(k, spin) for spin in (0, 1) for k in orbitals[letter]] for letter in letters])

    tools = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        e, r1, r2 = run_program(tools, SPIN, SIZES, spin_orbital, ["e[]", "r1[p|h]", "r2[pp|hh]"], folder)
        expected = [e, r1[:V, :O], r2.reshape(2 * V, 2 * V, 2 * O, 2 * O)[:V, V:, :O, O:]]  # alpha; alpha, beta
        for program in VECTOR_FORMS:
            sizes = [*SIZES, "--vectors", str(VECTORS), "--vector-tile", "4"]
            found = run_program(tools, program, sizes, spatial, ["E[]", "R1[ai]", "R2[aaii]"], folder)
            for ours, theirs in zip(found, expected):
                error = abs(ours.reshape(theirs.shape) - theirs).max() / abs(theirs).max()
                assert error < 1e-12, (program.name, error)
            print(f"{program.name}: largest difference of R2 {error:.1e} of the largest number")
        check_refusals(spatial, [str(tool) for tool in tools], sizes, folder)


def check_refusals(spatial, tools, sizes, folder):
    """Of numbers without the symmetry that the program declares."""
    def refusal(changed, at):
        def values(text):
            array = numpy.array(spatial(text))
            if text == changed:
                array[at] += 1e-3
            return array
        try:
            run_program(tools, VECTOR_FORMS[0], sizes, values, [], folder)
        except subprocess.CalledProcessError as error:
            assert error.returncode == 2, error
            return error.stderr.decode()
        raise AssertionError(f"nothing refused of {changed}")

    for changed, at, image in ("t[aaii]", (3, 0, 1, 2), (0, 3, 2, 1)), ("t[aaii]", (3, 3, 1, 0), (3, 3, 0, 1)), ("bvv[aax]", (1, 3, 8), (3, 1, 8)):
        message = refusal(changed, at)
        places = ["[" + ",".join(map(str, place)) + "]" for place in (at, image)]
        assert f"in.h5:/{changed}" in message and all(place in message for place in places) and "as the symmetry of the tensor is declared" in message, message


main()
