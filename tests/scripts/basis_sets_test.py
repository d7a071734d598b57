# SPDX-License-Identifier: BSD-3-Clause
"""scripts/basis-sets counts shells of Psi4's files, and says what it cannot read.

basis_sets_test.py scripts/basis-sets"""
import pathlib
import subprocess
import sys
import tempfile

FILES = (
    "def2-svp def2-tzvp cc-pvdz cc-pvtz cc-pvqz aug-cc-pvdz aug-cc-pvtz aug-cc-pvqz 6-31g 6-31gs 6-31gss 6-31pgss".split()
)
SHELL = "{}   1   1.00\n      0.1612778              1.0000000\n"


def element(symbol, shells):
    return f"{symbol}     0\n" + "".join(map(SHELL.format, shells.split())) + "****\n"


HEAD = "spherical\n\n! a comment\n****\n"
# Two ranges and a gap: there is no K. Rubidium is left out, with its core potential.
TEXT = HEAD + element("H", "S S P") + element("He", "S S P") + element("Ar", "S SP D") + element("Ca", "S SP D")
TEXT += element("Rb", "S I") + "RB     0\nRB-ECP     3     28\nf-ul potential\n"

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)

    def run():
        return subprocess.run([sys.argv[1], folder], capture_output=True, text=True, timeout=60)

    assert "def2-svp.gbs: found no such file" in run().stderr
    for file in FILES:
        (folder / f"{file}.gbs").write_text(TEXT)
    done = run()
    assert done.returncode == 0, done.stderr
    expected = "{cc_pvqz, H, He, 2, 1}, {cc_pvqz, Ar, Ar, 2, 1, 1}, {cc_pvqz, Ca, Ca, 2, 1, 1},"
    assert expected in done.stdout.splitlines(), done.stdout

    for text, error in [
        (TEXT + element("He", "S"), "found He twice"),
        (HEAD + element("Fe", "S I"), "found a shell I"),
        (HEAD, "found no element"),
    ]:
        (folder / "6-31g.gbs").write_text(text)
        done = run()
        assert done.returncode == 1 and error in done.stderr, done
