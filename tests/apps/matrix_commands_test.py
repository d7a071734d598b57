# SPDX-License-Identifier: BSD-3-Clause
"""Commands with matrices in files.   matrix_commands_test.py FORETILE yes|no (HDF5)"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

foretile, hdf5 = sys.argv[1], sys.argv[2] == "yes"
platform = ("--platform", str(pathlib.Path(__file__).parent / "toy_platform.toml"))


def call(*arguments, folder):
    return subprocess.run([foretile, *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=60)


def run(*arguments, folder):
    done = call(*arguments, folder=folder)
    assert done.returncode == 0 and not done.stderr, (arguments, done)
    return done.stdout


def refuse(part, *arguments, folder, code=2):
    done = call(*arguments, folder=folder)
    assert done.returncode == code and done.stderr.count("\n") == 1 and part in done.stderr, (part, arguments, done)


def write_npy(path, rows, columns, value=lambda i, j: i + 10 * j, descr="<f8"):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}".ljust(117) + "\n"
    letter = {"<f8": "d", "<f4": "f"}[descr]
    numbers = [value(i, j) for i in range(rows) for j in range(columns)]
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", 118) + header.encode() + struct.pack(f"<{len(numbers)}{letter}", *numbers))


def check_problems(folder, elsewhere):
    run("problem", "matrices", "--a", "a.npy", "--b", "b.mtx", "--tile", 2, "-o", "p.toml", folder=folder)
    text = (folder / "p.toml").read_text()
    assert f'a_file = "{folder}/a.npy"' in text and "b_tiles" in text and "a_tiles" not in text, text
    shown = json.loads(run("show", "p.toml", "--json", folder=folder))
    assert (shown["M"], shown["N"], shown["K"]) == (4, 5, 6), shown
    assert shown["nonzero_tiles"] == {"A": 6, "B": 1, "C": 2}, shown
    assert shown["files"]["B"]["bytes"] == 16 and len(shown["files"]["A"]["digest"]) == 16, shown
    run("plan", "p.toml", *platform, "-o", "plan.json", folder=folder)
    for name in ["a.npy", "b.mtx"]:
        (folder / name).rename(elsewhere / name)
    run("plan", folder / "p.toml", *platform, folder=elsewhere)
    run("simulate", folder / "plan.json", folder=elsewhere)
    for name in ["a.npy", "b.mtx"]:
        (elsewhere / name).rename(folder / name)


def check_tuning(folder):
    """Dense files without sizes of tiles leave the choice to the tuner; other tiles need no files."""
    run("problem", "matrices", "--a", "a.npy", "--b", "b.npy", "-o", "d.toml", folder=folder)
    assert "m_tile = [2, 4]" in (folder / "d.toml").read_text()
    run("plan", "d.toml", *platform, "--set", "problem.m_tile=1", folder=folder)
    refuse("a size of tiles beside b_tiles", "plan", "p.toml", *platform, "--set", "problem.tile=3", folder=folder)


def check_operations(folder):
    written = run("problem", "matrices", "--a", "b.npy", "--op-a", "T", "--b", "a.npy", "--op-b", "T", "--beta", "0.5", "--c",
                  "c.npy", folder=folder)
    assert "m = 5\nn = 4\nk = 6\n" in written and 'c_file = "' in written and "beta = 0.5" in written, written
    for part, arguments in [("the same K in both", ("--a", "b.npy", "--b", "a.npy")),
                            ("double and single numbers", ("--a", "a.npy", "--b", "single.npy")),
                            ("--c FILE beside a beta", ("--a", "a.npy", "--b", "b.npy", "--beta", 1)),
                            ("a file of C that is not read", ("--a", "a.npy", "--b", "b.npy", "--c", "c.npy")),
                            ("the same M in both", ("--a", "a.npy", "--b", "b.npy", "--c", "c.npy", "--beta", 1)),
                            ("unknown ending", ("--a", "a.toml", "--b", "b.npy")),
                            ("no readable file", ("--a", "none.npy", "--b", "b.npy")),
                            ("--m-tiles", ("--a", "a.npy", "--b", "b.npy", "--m-tiles", "3,2"))]:
        refuse(part, "problem", "matrices", *arguments, "-o", "no.toml", folder=folder)
    assert not (folder / "no.toml").exists()
    if not hdf5:
        refuse("a build without HDF5", "show", "a.h5:/A", folder=folder)


def check_show(folder):
    shown = json.loads(run("show", "a.npy", "--json", folder=folder))
    # Elements i + 10 j for i < 4, j < 6: all but the first are not 0, the largest is 53.
    assert (shown["rows"], shown["columns"], shown["nonzeros"], shown["largest"]) == (4, 6, 23, 53), shown
    squares = sum((i + 10 * j) ** 2 for i in range(4) for j in range(6))
    assert abs(shown["norm"] - squares**0.5) < 1e-9, shown
    assert "coordinates" in run("show", "b.mtx", folder=folder)
    refuse("expected a problem", "show", "a.npy", "--picture", "a.svg", folder=folder)


def check_compare(folder):
    run("compare", "a.npy", "a.npy", folder=folder)
    write_npy(folder / "x.npy", 4, 6, lambda i, j: i + 10 * j + (1e-6 if (i, j) == (2, 3) else 0))
    done = call("compare", "x.npy", "a.npy", "--json", folder=folder)
    found = json.loads(done.stdout)
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done
    assert found["largest_at"] == [2, 3] and abs(found["difference"] - 1e-6) < 1e-9 and not found["within_tolerance"], found
    run("compare", "x.npy", "a.npy", "--tolerance", "1e-6", folder=folder)
    for part, arguments in [("equal extents", ("a.npy", "b.npy")), ("double and single", ("b.npy", "single.npy")),
                            ("--tolerance: found nan", ("a.npy", "a.npy", "--tolerance", "nan")),
                            ("unknown ending", ("a.npy", "p.toml"))]:
        refuse(part, "compare", *arguments, folder=folder)


with tempfile.TemporaryDirectory() as name:
    scratch = pathlib.Path(name).resolve() / "files"
    other = scratch.parent / "elsewhere"
    scratch.mkdir()
    other.mkdir()
    write_npy(scratch / "a.npy", 4, 6)
    write_npy(scratch / "b.npy", 6, 5)
    write_npy(scratch / "c.npy", 5, 4)
    write_npy(scratch / "single.npy", 6, 5, descr="<f4")
    (scratch / "b.mtx").write_text("%%MatrixMarket matrix coordinate real general\n6 5 2\n1 1 3\n2 2 4\n")
    check_problems(scratch, other)
    check_tuning(scratch)
    check_operations(scratch)
    check_show(scratch)
    check_compare(scratch)
print("matrices in files are shown, compared and planned")
