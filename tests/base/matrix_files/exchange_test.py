#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files that NumPy and h5py write are read, and files that the library writes are read by them.

    exchange_test.py CONVERT HDF5(yes/no)
"""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

CONVERT, WITH_HDF5 = sys.argv[1], sys.argv[2] == "yes"
if WITH_HDF5:
    import h5py

DTYPES = ["<f8", "<f4", "<c16", "<c8"]


def matrix(dtype, rows=101, columns=75, seed=7):
    random = numpy.random.default_rng(seed)
    numbers = random.standard_normal((rows, columns))
    if numpy.dtype(dtype).kind == "c":
        numbers = numbers + 1j * random.standard_normal((rows, columns))
    numbers[3, 5] = numpy.nan
    return numbers.astype(dtype)


def blocks(dtype):
    """A block-sparse matrix: its dense form, and its blocks in an order of their own with a gap between two."""
    rows, columns = [40, 1, 60], [30, 45]
    dense = numpy.zeros((101, 75), dtype)
    data, offsets = [numpy.zeros(7, dtype)], []
    full = matrix(dtype)
    for i, j in [(2, 1), (0, 0), (1, 1)]:
        at = numpy.s_[sum(rows[:i]):sum(rows[:i + 1]), sum(columns[:j]):sum(columns[:j + 1])]
        dense[at] = full[at]
        offsets += [i + 1, j + 1, sum(part.size for part in data)]
        data.append(full[at].flatten("F"))
    return dense, {"ndims": 2, "data": numpy.concatenate(data), "offsets": offsets, "row_tiles": rows,
                   "column_tiles": columns}


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def convert(self, source, target, code=0):
        done = subprocess.run([CONVERT, self.path(source), self.path(target)], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertFalse([name for name in os.listdir(self.folder.name) if name.endswith(".tmp")])
        return done.stderr

    def assert_same(self, found, expected):
        self.assertEqual(found.dtype, expected.dtype)
        numpy.testing.assert_array_equal(found, expected)


class NpyExchange(Folder):
    def test_npy_of_both_orders(self):
        for dtype in DTYPES:
            for order in "CF":
                with self.subTest(dtype=dtype, order=order):
                    expected = matrix(dtype)
                    numpy.save(self.path("a.npy"), numpy.asarray(expected, order=order))
                    self.convert("a.npy", "c.npy")
                    found = numpy.load(self.path("c.npy"))
                    self.assert_same(found, expected)
                    self.assertTrue(found.flags.f_contiguous)
                    self.assertEqual(os.path.getsize(self.path("c.npy")), 128 + expected.nbytes)

    def test_versions_2_and_3_of_npy(self):
        for version in [(2, 0), (3, 0)]:
            with open(self.path("a.npy"), "wb") as file:
                numpy.lib.format.write_array(file, matrix("<f8"), version=version)
            self.convert("a.npy", "c.npy")
            self.assert_same(numpy.load(self.path("c.npy")), matrix("<f8"))

    def test_other_dtypes_are_refused(self):
        for dtype, name in [(">f8", ">f8"), ("<i4", "<i4"), ("<f2", "<f2"), ([("x", "<f8")], "structure")]:
            numpy.save(self.path("a.npy"), numpy.zeros((4, 5), dtype))
            error = self.convert("a.npy", "c.npy", 2)
            self.assertIn(name, error)
            self.assertIn("numpy.save(FILE, array.astype('<f8'))", error)
        self.assertFalse(os.path.exists(self.path("c.npy")))

    def test_other_dimensions_are_refused(self):
        for shape in [(), (5,), (2, 3, 4), (0, 3)]:
            numpy.save(self.path("a.npy"), numpy.zeros(shape))
            self.assertIn("found", self.convert("a.npy", "c.npy", 2))


@unittest.skipUnless(WITH_HDF5, "a build without HDF5")
class Hdf5Exchange(Folder):
    def write(self, dtype, **options):
        with h5py.File(self.path("a.h5"), "w", **options.pop("file", {})) as file:
            file.create_dataset("g/A", data=matrix(dtype), **options)

    def read(self, name="c.h5", dataset="/C"):
        with h5py.File(self.path(name), "r") as file:
            return file[dataset][()]

    def test_datasets(self):
        for dtype in DTYPES + [">f8", ">c8"]:
            for options in [{}, {"chunks": (16, 9)}, {"compression": "gzip", "shuffle": True},
                            {"file": {"userblock_size": 512}}]:
                with self.subTest(dtype=dtype, options=options):
                    self.write(dtype, **dict(options))
                    expected = matrix(dtype).astype(numpy.dtype(dtype).newbyteorder("<"))
                    self.convert("a.h5:/g/A", "c.h5:/C")
                    self.assert_same(self.read(), expected)
                    self.convert("a.h5:g/A", "c.npy")
                    self.assert_same(numpy.load(self.path("c.npy")), expected)

    def test_datasets_without_own_bytes(self):
        with h5py.File(self.path("b.h5"), "w") as file:
            file["B"] = matrix("<f8")
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("unwritten", (4, 5), "<f8", fillvalue=2.5)
            file["external"] = h5py.ExternalLink("b.h5", "/B")
            file["soft"] = h5py.SoftLink("/unwritten")
            layout = h5py.VirtualLayout((101, 75), "<f8")
            layout[:] = h5py.VirtualSource(self.path("b.h5"), "B", (101, 75))
            file.create_virtual_dataset("virtual", layout)
        for name, expected in [("unwritten", numpy.full((4, 5), 2.5)), ("soft", numpy.full((4, 5), 2.5)),
                               ("external", matrix("<f8")), ("virtual", matrix("<f8"))]:
            with self.subTest(name):
                self.convert("a.h5:" + name, "c.npy")
                self.assert_same(numpy.load(self.path("c.npy")), expected)

    def test_blocks(self):
        for dtype in DTYPES + [">f8"]:
            for compression in [None, "gzip"]:
                with self.subTest(dtype=dtype, compression=compression):
                    dense, parts = blocks(dtype)
                    with h5py.File(self.path("a.h5"), "w") as file:
                        for key, value in parts.items():
                            options = {"compression": compression} if key == "data" else {}
                            file.create_dataset("A/" + key, data=value, **options)
                    little = dense.astype(numpy.dtype(dtype).newbyteorder("<"))
                    self.convert("a.h5:/A", "d.h5:/D")
                    self.convert("d.h5:/D", "c.npy")
                    self.assert_same(numpy.load(self.path("c.npy")), little)
                    with h5py.File(self.path("d.h5"), "r") as file:
                        group = file["D"]
                        name = {"f": "Float", "c": "ComplexF"}[dense.dtype.kind] + str(
                            8 * dense.dtype.itemsize // (2 if dense.dtype.kind == "c" else 1))
                        self.assertEqual(group.attrs["type"], f"BlockSparse{{{name}}}".encode())
                        self.assertEqual(group.attrs["version"], 1)
                        self.assertEqual(group["ndims"][()], 2)
                        self.assertEqual(group["offsets"][()].tolist(), [1, 1, 0, 2, 2, 1200, 3, 2, 1245])
                        self.assertEqual(group["data"].shape, (1245 + 2700,))

    def test_no_blocks(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            for key, value in {"ndims": 2, "data": numpy.zeros(0), "offsets": numpy.zeros(0, int),
                               "row_tiles": [2, 3], "column_tiles": [4]}.items():
                file["A/" + key] = value
        self.convert("a.h5:/A", "c.h5:/C")
        self.convert("c.h5:/C", "c.npy")
        self.assert_same(numpy.load(self.path("c.npy")), numpy.zeros((5, 4)))

    def test_wrong_blocks(self):
        changes = {
            "offsets out of range": ("offsets", [3, 2, 4000]), "negative offset": ("offsets", [1, 1, -1]),
            "row from 1": ("offsets", [0, 1, 7]), "row beyond": ("offsets", [4, 1, 7]),
            "huge row": ("offsets", [2**40, 1, 7]), "not three": ("offsets", [1, 1]),
            "twice": ("offsets", [1, 1, 7, 1, 1, 2707]), "overlap": ("offsets", [1, 1, 7, 2, 1, 1206]),
            "three dimensions": ("ndims", 3), "text": ("ndims", "2"), "no numbers": ("data", [1, 2, 3]),
            "two dimensions": ("data", numpy.zeros((3, 4))), "zero tile": ("row_tiles", [0, 101]),
            "negative tile": ("row_tiles", [-1, 102]), "no tiles": ("row_tiles", numpy.zeros(0, int)),
            "huge tiles": ("row_tiles", [2**62, 2**62]), "real sizes": ("column_tiles", [30.0, 45.0]),
            "missing": ("column_tiles", None)}
        for name, (key, value) in changes.items():
            with self.subTest(name):
                with h5py.File(self.path("a.h5"), "w") as file:
                    for part, content in {**blocks("<f8")[1], key: value}.items():
                        if content is not None:
                            file["A/" + part] = content
                error = self.convert("a.h5:/A", "c.h5:/C", 2)
                self.assertIn("a.h5:/A", error)
                self.assertEqual(error.count("\n"), 1)
                self.assertFalse(os.path.exists(self.path("c.h5")))

    def test_other_datasets_are_refused(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file["integers"] = numpy.zeros((2, 2), int)
            file["half"] = numpy.zeros((2, 2), "f2")
            file["vector"] = numpy.zeros(4)
            file["cube"] = numpy.zeros((2, 2, 2))
            file["scalar"] = 1.0
            file["text"] = "x"
            file["nothing"] = h5py.Empty("f8")
            file["empty"] = numpy.zeros((0, 3))
            file["group/x"] = numpy.zeros((2, 2))
            file["pairs"] = numpy.zeros((2, 2), [("a", "f8"), ("b", "f8")])
            file["huge"] = h5py.SoftLink("/nowhere")
        for name in ["integers", "half", "vector", "cube", "scalar", "text", "nothing", "empty", "group", "pairs",
                     "huge", "missing", "integers/x", ""]:
            with self.subTest(name):
                error = self.convert("a.h5:" + name, "c.npy", 2)
                self.assertIn("a.h5", error)
                self.assertEqual(error.count("\n"), 1)

    def test_huge_dataset_in_a_small_file(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("A", (2**40, 2**40), "<f8", chunks=(8, 8))
        self.assertIn("fewer than 2^63 bytes", self.convert("a.h5:/A", "c.npy", 2))

    def test_truncated_and_foreign_files(self):
        self.write("<f8")
        size = os.path.getsize(self.path("a.h5"))
        for left in [0, 1, 100, size // 2, size - 1]:
            with self.subTest(left):
                self.write("<f8")
                os.truncate(self.path("a.h5"), left)
                self.assertIn("a.h5", self.convert("a.h5:/g/A", "c.npy", 2))

    def test_other_datasets_are_kept(self):
        numpy.save(self.path("a.npy"), matrix("<f8"))
        with h5py.File(self.path("c.h5"), "w") as file:
            file["old"] = matrix("<c8")
            file["C"] = numpy.zeros((500, 500))
        for _ in range(2):
            self.convert("a.npy", "c.h5:/C")
        self.convert("a.npy", "c.h5:/deep/er/C")
        self.assert_same(self.read(), matrix("<f8"))
        self.assert_same(self.read("c.h5", "/deep/er/C"), matrix("<f8"))
        self.assert_same(self.read("c.h5", "old"), matrix("<c8"))

    def test_outputs_that_are_refused(self):
        numpy.save(self.path("a.npy"), matrix("<f8"))
        with h5py.File(self.path("c.h5"), "w") as file:
            file["g/x"] = 1
        with open(self.path("text.h5"), "w") as file:
            file.write("no HDF5")
        for target in ["c.h5:/g", "c.h5", "c.h5:/", "text.h5:/C", "c.mtx", "none/c.npy"]:
            with self.subTest(target):
                self.assertEqual(self.convert("a.npy", target, 2).count("\n"), 1)
        self.assertEqual(self.read("c.h5", "/g/x"), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
