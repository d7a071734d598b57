# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs with given arrays, and writes tensors of spatial orbitals in spin orbitals. For closed_shell.py and cholesky_ccsd.py."""
import json
import subprocess

import h5py
import numpy


def run_program(tools, program, sizes, values, results, folder):
    """On two ranks. `tools`: foretile, foretile-run, mpiexec; `values`: arrays by names such as v[hp|hp] or b[iax]. Returns matrices."""
    foretile, foretile_run, mpiexec = tools
    shown = json.loads(subprocess.run([foretile, "show", program, *sizes, "--json"], check=True, capture_output=True, text=True).stdout)
    with h5py.File(folder / "in.h5", "w") as file:
        for tensor in shown["tensors"]:
            if tensor["role"] == "given":
                array = values(tensor["name"])
                rows = array.ndim // 2 if "|" in tensor["name"] else 1
                file[tensor["name"]] = array.reshape(int(numpy.prod(array.shape[:rows])), -1)
    subprocess.run([mpiexec, "-n", "2", foretile_run, "program", program, *sizes, "--input", folder / "in.h5", "--output",
                    folder / "out.h5", "--overwrite"], check=True, capture_output=True)
    with h5py.File(folder / "out.h5") as file:
        return [numpy.array(file[name]) for name in results]


def name_and_letters(text):
    """v, hphp of v[hp|hp]."""
    name, letters = text.rstrip("]").split("[")
    return name, letters.replace("|", "")


def with_spins(array, spaces):
    """f of <p|f|q>, or <pq||rs> of <pq|rs>. `spaces`: of each index numbers of orbitals with their spins."""
    ks, ss = zip(*((numpy.array([k for k, _ in of]), numpy.array([s for _, s in of])) for of in spaces))

    def same(one, other):
        shape = [1] * array.ndim
        shape[one], shape[other] = len(ss[one]), len(ss[other])
        return (ss[one][:, None] == ss[other][None, :]).reshape(shape)
    if array.ndim == 2:
        return array[numpy.ix_(*ks)] * same(0, 1)
    direct = array[numpy.ix_(*ks)] * same(0, 2) * same(1, 3)
    exchanged = array[numpy.ix_(ks[0], ks[1], ks[3], ks[2])].transpose(0, 1, 3, 2) * same(0, 3) * same(1, 2)
    return direct - exchanged
