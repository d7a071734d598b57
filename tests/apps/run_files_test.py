#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Problems of matrices in files, from `foretile problem matrices` to C in a file, beside NumPy.

    run_files_test.py FORETILE FORETILE_RUN MPIEXEC HDF5(yes/no)
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy

FORETILE, FORETILE_RUN, MPIEXEC, WITH_HDF5 = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4] == "yes"
if WITH_HDF5:
    import h5py


def numbers(rows, columns, dtype="f8", seed=1):
    random = numpy.random.default_rng(seed)
    matrix = random.standard_normal((rows, columns))
    if numpy.dtype(dtype).kind == "c":
        matrix = matrix + 1j * random.standard_normal((rows, columns))
    return matrix.astype(dtype)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_program(self, *command, code=0):
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def plan(self, *options, ranks, settings=()):
        self.run_program(FORETILE, "problem", "matrices", *options, "-o", "p.toml")
        self.run_program(FORETILE, "plan", "p.toml", "--platform", "here", "--ranks", str(ranks), *settings, "-o",
                         "plan.json")

    def execute(self, *options, ranks, code=0):
        return self.run_program(MPIEXEC, "-n", str(ranks), FORETILE_RUN, "plan.json", *options, code=code)

    def assert_equal(self, found, expected, tolerance=1e-12):
        self.assertEqual(found.shape, expected.shape)
        self.assertEqual(found.dtype, expected.dtype)
        self.assertLessEqual(numpy.linalg.norm(found - expected), tolerance * numpy.linalg.norm(expected))

    def files(self):
        return sorted(os.listdir(self.folder))


class Products(Case):
    def test_numpy_files_on_1_to_3_ranks(self):
        a, b = numbers(90, 70), numbers(70, 50, seed=2)
        numpy.save(self.path("a.npy"), a)
        numpy.save(self.path("b.npy"), numpy.asfortranarray(b))
        for ranks in (1, 2, 3):
            self.plan("--a", "a.npy", "--b", "b.npy", "--tile", "16", ranks=ranks)
            done = self.execute("--verify", "--json", "--check-finite", "--output", "c.npy", ranks=ranks)
            self.assertIn("given numbers", json.loads(done.stdout)["verify"]["method"])
            self.assert_equal(numpy.load(self.path("c.npy")), a @ b)
            self.assertEqual(self.files(), ["a.npy", "b.npy", "c.npy", "p.toml", "plan.json"])

    def test_copies_and_b_read_where_it_is_used(self):
        a, b = numbers(90, 70), numbers(70, 50, seed=2)
        numpy.save(self.path("a.npy"), a)
        numpy.save(self.path("b.npy"), b)
        for settings, run in [((), ("--copies",)), (("--set", "strategy=stationary-b"), ())]:
            self.plan("--a", "a.npy", "--b", "b.npy", "--tile", "16", ranks=2, settings=settings)
            self.execute("--verify", *run, "--output", "c.npy", ranks=2)
            self.assert_equal(numpy.load(self.path("c.npy")), a @ b)

    def test_windows(self):
        a, b, c = numbers(90, 70), numbers(70, 50, seed=2), numbers(90, 50, seed=3)
        numpy.save(self.path("a.npy"), a)
        numpy.save(self.path("at.npy"), numpy.asfortranarray(a.T))
        numpy.save(self.path("b.npy"), numpy.asfortranarray(b))
        numpy.save(self.path("c.npy"), c)
        for window, strategy in [("A", "local-b"), ("A", "stationary-b"), ("A", "grid-3d"), ("B", "grid-3d")]:
            for op in "N", "T":
                self.plan("--a", "a.npy" if op == "N" else "at.npy", "--op-a", op, "--b", "b.npy", "--tile", "16",
                          "--window", window, "--alpha", "2", "--beta", "0.5", "--c", "c.npy", ranks=2,
                          settings=("--set", "strategy=" + strategy))
                self.execute("--verify", "--check-finite", "--output", "d.npy", ranks=2)
                self.assert_equal(numpy.load(self.path("d.npy")), 2 * a @ b + 0.5 * c)

    def test_a_window_on_a_sparse_a(self):
        if not WITH_HDF5:
            self.skipTest("built without HDF5")
        a, b = numbers(40, 30), numbers(30, 20, seed=2)
        a[:20, :10] = 0
        rows, columns = [20, 20], [10, 20]
        with h5py.File(self.path("a.h5"), "w") as file:
            file["A/ndims"] = 2
            file["A/row_tiles"], file["A/column_tiles"] = rows, columns
            file["A/offsets"] = [1, 2, 0, 2, 1, 400, 2, 2, 600]
            blocks = [a[:20, 10:], a[20:, :10], a[20:, 10:]]
            file["A/data"] = numpy.concatenate([block.flatten("F") for block in blocks])
        b[10:, :] = 0  # then C(0) is zero
        numpy.save(self.path("b.npy"), b)
        self.plan("--a", "a.h5:/A", "--b", "b.npy", "--n-tile", "7", "--window", "A", ranks=2)
        self.execute("--verify", "--output", "c.npy", ranks=2)
        self.assert_equal(numpy.load(self.path("c.npy")), a @ b)

    def test_a_sparse_c_keeps_its_shape(self):
        if not WITH_HDF5:
            self.skipTest("built without HDF5")
        a, b = numbers(40, 30), numbers(30, 40, seed=2)
        c = numpy.zeros((40, 40))
        c[20:, :20] = numbers(20, 20, seed=3)
        numpy.save(self.path("a.npy"), a)
        numpy.save(self.path("b.npy"), b)
        with h5py.File(self.path("c.h5"), "w") as file:
            file["C/ndims"] = 2
            file["C/row_tiles"], file["C/column_tiles"] = [20, 20], [20, 20]
            file["C/offsets"] = [2, 1, 0]
            file["C/data"] = c[20:, :20].flatten("F")
        for window in (), ("--window", "A"):
            self.plan("--a", "a.npy", "--b", "b.npy", "--k-tile", "8", "--beta", "1", "--c", "c.h5:/C", "--c-shape",
                      "kept", *window, ranks=2)
            self.execute("--verify", "--output", "d.npy", ranks=2)
            expected = numpy.zeros((40, 40))
            expected[20:, :20] = c[20:, :20] + (a @ b)[20:, :20]
            self.assert_equal(numpy.load(self.path("d.npy")), expected)

    @unittest.mock.patch.dict(os.environ, {"FORETILE_SMALL_PRODUCTS": "blas"})
    def test_row_major_operands_are_used_in_place(self):
        """Without libxsmm, whose kernels have no transposed operands, so that operations are turned."""
        for dtype, ops in [("f8", "NT"), ("c16", "NTC")]:
            a, b, c = numbers(60, 40, dtype), numbers(40, 50, dtype, seed=2), numbers(60, 50, dtype, seed=3)
            turn = {"N": lambda x: x, "T": lambda x: x.T, "C": lambda x: x.conj().T}
            numpy.save(self.path("c.npy"), c)
            for number, (a_op, b_op) in enumerate([(x, y) for x in ops for y in ops]):
                order = (numpy.ascontiguousarray, numpy.asfortranarray)
                numpy.save(self.path("a.npy"), order[number % 2](turn[a_op](a)))
                numpy.save(self.path("b.npy"), order[number // 2 % 2](turn[b_op](b)))
                window = [] if "C" in a_op + b_op else [[], ["--window", "A"], ["--window", "B"]][number % 3]
                self.plan("--a", "a.npy", "--op-a", a_op, "--b", "b.npy", "--op-b", b_op, "--tile", "16", "--beta",
                          "0.5", "--c", "c.npy", *window, ranks=2)
                done = self.execute("--verify", "--check-finite", "--json", "--output", "d.npy", ranks=2)
                self.assert_equal(numpy.load(self.path("d.npy")), a @ b + 0.5 * c)
                row_major = [number % 2 == 0, number // 2 % 2 == 0]
                in_place = sum(x.nbytes for x, op, rows in zip((a, b), (a_op, b_op), row_major)
                               if not (rows and op == "C"))
                windowed = {"A": a.nbytes, "B": b.nbytes}[window[1]] if window else 0
                self.assertEqual(json.loads(done.stdout)["inputs"]["in_place_bytes"], in_place - windowed)

    def test_outputs_do_not_replace_inputs(self):
        numpy.save(self.path("a.npy"), numbers(90, 70))
        numpy.save(self.path("b.npy"), numbers(70, 50, seed=2))
        self.plan("--a", "a.npy", "--b", "b.npy", "--tile", "16", ranks=1)
        before = {name: open(self.path(name), "rb").read() for name in self.files()}
        for output in "a.npy", "./b.npy":
            self.assertIn("the same file", self.execute("--output", output, ranks=1, code=2).stderr)
        self.assertIn("the same file", self.execute("--trace", "plan.json", ranks=1, code=2).stderr)
        for command in (["problem", "matrices", "--a", "a.npy", "--b", "b.npy", "-o", "a.npy"],
                        ["plan", "p.toml", "--platform", "here", "-o", "p.toml"],
                        ["plan", "p.toml", "--platform", "here", "--dot", "p.toml"]):
            self.assertIn("the same file", self.run_program(FORETILE, *command, code=2).stderr)
        self.assertEqual({name: open(self.path(name), "rb").read() for name in self.files()}, before)

    @unittest.mock.patch.dict(os.environ, {"FORETILE_SMALL_PRODUCTS": "blas"})
    def test_a_row_major_operand_keeps_its_name(self):
        a, b = numbers(90, 70), numbers(70, 50, seed=2)
        b[50, 20] = numpy.nan
        numpy.save(self.path("a.npy"), a)
        for op, name in [("N", "tile (3, 1) of B on rank"), ("T", "tile (3, 1) of op(B) on rank")]:
            numpy.save(self.path("b.npy"), numpy.ascontiguousarray(b if op == "N" else b.T))
            for window in [], ["--window", "A"]:
                self.plan("--a", "a.npy", "--b", "b.npy", "--op-b", op, "--tile", "16", *window, ranks=2)
                self.assertIn(name, self.execute("--check-finite", ranks=2, code=2).stderr)

    def test_a_window_names_the_users_matrices(self):
        a, b = numbers(90, 70), numbers(70, 50, seed=2)
        a[50, 20] = numpy.nan
        numpy.save(self.path("a.npy"), a)
        numpy.save(self.path("b.npy"), b)
        self.plan("--a", "a.npy", "--b", "b.npy", "--tile", "16", "--window", "A", ranks=2)
        done = self.execute("--check-finite", ranks=2, code=2)
        self.assertIn("tile (3, 1) of A on rank", done.stderr)
        shown = self.run_program(FORETILE, "show", "p.toml").stdout
        self.assertIn("A is read tile by tile during the run; planned is C^T = op(B)^T op(A)^T", shown)
        self.assertIn("A     in a file", shown)

    def test_operations_factors_and_types(self):
        for seed, (dtype, a_op, b_op) in enumerate(
                [("f8", "T", "N"), ("f4", "N", "T"), ("c16", "C", "T"), ("c8", "T", "C")]):
            with self.subTest(dtype=dtype, a_op=a_op, b_op=b_op):
                operations = {"N": lambda x: x, "T": numpy.transpose, "C": lambda x: x.conj().T}
                a = numbers(60, 40, dtype, seed) if a_op == "N" else numbers(40, 60, dtype, seed)
                b = numbers(40, 50, dtype, seed + 9) if b_op == "N" else numbers(50, 40, dtype, seed + 9)
                c = numbers(60, 50, dtype, seed + 20)
                for name, matrix in [("a", a), ("b", b), ("c", c)]:
                    numpy.save(self.path(name + ".npy"), matrix)
                self.plan("--a", "a.npy", "--b", "b.npy", "--c", "c.npy", "--op-a", a_op, "--op-b", b_op, "--alpha",
                          "2", "--beta", "-0.5", "--tile", "13", ranks=2)
                self.execute("--verify", "--output", "out.npy", ranks=2)
                expected = (2 * (operations[a_op](a) @ operations[b_op](b)) - 0.5 * c).astype(dtype)
                self.assert_equal(numpy.load(self.path("out.npy")), expected,
                                  1e-12 if dtype in ("f8", "c16") else 1e-5)

    def test_sparse_matrices(self):
        dense = numpy.zeros((40, 40))
        random = numpy.random.default_rng(5)
        places = random.choice(1600, 60, replace=False)
        dense.flat[places] = random.standard_normal(60)
        with open(self.path("s.mtx"), "w", encoding="ascii") as file:
            file.write("%%MatrixMarket matrix coordinate real general\n40 40 60\n")
            for place in places:
                file.write(f"{place // 40 + 1} {place % 40 + 1} {float(dense.flat[place])!r}\n")
        initial = numpy.zeros((40, 40))
        initial[32:, 32:] = 7  # where the product may have no tile
        numpy.save(self.path("c.npy"), initial)
        self.plan("--a", "s.mtx", "--b", "s.mtx", "--tile", "8", "--beta", "3", "--c", "c.npy", ranks=2)
        self.execute("--verify", "--output", "out.npy", ranks=2)
        self.assert_equal(numpy.load(self.path("out.npy")), dense @ dense + 3 * initial)
        self.plan("--a", "s.mtx", "--b", "s.mtx", "--tile", "4", ranks=3)
        self.execute("--verify", "--output", "out.npy", ranks=3)
        self.assert_equal(numpy.load(self.path("out.npy")), dense @ dense)

    @unittest.skipUnless(WITH_HDF5, "without HDF5")
    def test_hdf5_keeps_other_datasets(self):
        a, b = numbers(50, 40), numbers(40, 30, seed=2)
        with h5py.File(self.path("m.h5"), "w") as file:
            file["A"] = a
            file.create_dataset("in/B", data=b, chunks=(16, 16), compression="gzip")
        self.plan("--a", "m.h5:/A", "--b", "m.h5:/in/B", "--tile", "16", ranks=2)
        self.execute("--verify", "--output", "m.h5:/C", ranks=2)
        with h5py.File(self.path("m.h5")) as file:
            self.assert_equal(file["C"][:], a @ b)
            self.assert_equal(file["A"][:], a)

    @unittest.skipUnless(WITH_HDF5, "without HDF5")
    def test_a_damaged_chunk_is_bad_input(self):
        with h5py.File(self.path("m.h5"), "w") as file:
            chunked = file.create_dataset("A", data=numbers(48, 48), chunks=(16, 16), compression="gzip")
            file.flush()
            chunk = chunked.id.get_chunk_info(4)
        self.plan("--a", "m.h5:/A", "--b", "m.h5:/A", "--tile", "16", ranks=2)
        with open(self.path("m.h5"), "r+b") as file:
            file.seek(chunk.byte_offset + chunk.size // 2)
            file.write(b"\xff" * 20)
        done = self.execute("--output", "c.npy", ranks=2, code=2)
        self.assertRegex(done.stderr, "m.h5:/A: found numbers that cannot be read, expected a whole file")
        self.assertFalse(os.path.exists(self.path("c.npy")))

    @unittest.skipUnless(WITH_HDF5, "without HDF5")
    def test_no_output_replaces_an_input_whatever_it_is_called(self):
        a, b = numbers(50, 40), numbers(40, 30, seed=2)
        with h5py.File(self.path("x.h5"), "w") as file:
            file["A"] = a
            file["g/B"] = b
            file["hard"] = file["A"]
            file["soft"] = h5py.SoftLink("/A")
            file["old"] = numbers(3, 3)
        os.symlink("x.h5", self.path("symbolic.h5"))
        os.link(self.path("x.h5"), self.path("second.h5"))
        self.plan("--a", "x.h5:/A", "--b", "x.h5:/g/B", "--tile", "16", ranks=2)
        before = self.content("x.h5")
        for output in ("x.h5:/A", "x.h5:/hard", "x.h5:/soft", "x.h5:/g/B", "x.h5:/g", "symbolic.h5:/A", "second.h5:/A",
                       "./x.h5:A"):
            for overwrite in (), ("--overwrite",):
                done = self.execute("--output", output, *overwrite, ranks=2, code=2)
                self.assertIn("the same file or dataset", done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("add --overwrite", self.execute("--output", "x.h5:/old", ranks=2, code=2).stderr)
        self.assertEqual(self.content("x.h5"), before)
        self.execute("--output", "x.h5:/old", "--overwrite", ranks=2)
        with h5py.File(self.path("x.h5")) as file:
            self.assert_equal(file["old"][:], a @ b)

    @unittest.skipUnless(WITH_HDF5, "without HDF5")
    def test_no_output_replaces_a_group_of_blocks(self):
        with h5py.File(self.path("x.h5"), "w") as file:
            file["A/ndims"] = 2
            file["A/row_tiles"], file["A/column_tiles"] = [20, 20], [10, 20]
            file["A/offsets"] = [1, 2, 0, 2, 1, 400]
            file["A/data"] = numbers(600, 1).flatten()
        numpy.save(self.path("b.npy"), numbers(30, 20, seed=2))
        self.plan("--a", "x.h5:/A", "--b", "b.npy", "--n-tile", "7", ranks=2)
        before = self.content("x.h5")
        for output in "x.h5:/A", "x.h5:/A/data":
            self.assertIn("the same file or dataset", self.execute("--output", output, ranks=2, code=2).stderr)
        self.assertEqual(self.content("x.h5"), before)

    def test_the_initial_c_is_replaced_on_request_alone(self):
        for name, shape in ("a", (50, 40)), ("b", (40, 30)), ("c", (50, 30)):
            numpy.save(self.path(name + ".npy"), numbers(*shape))
        self.plan("--a", "a.npy", "--b", "b.npy", "--c", "c.npy", "--beta", "1", "--tile", "16", ranks=2)
        self.assertIn("--overwrite", self.execute("--output", "c.npy", ranks=2, code=2).stderr)
        self.execute("--output", "c.npy", "--overwrite", ranks=2)

    def test_seeded_product_goes_to_a_file(self):
        self.run_program(FORETILE, "problem", "random", "--m", "90", "--n", "80", "--k", "70", "--tile-min", "9",
                         "--tile-max", "20", "--density", "0.3", "-o", "p.toml")
        for ranks in (1, 3):
            self.run_program(FORETILE, "plan", "p.toml", "--platform", "here", "--ranks", str(ranks), "-o", "plan.json")
            self.execute("--verify", "--output", f"c{ranks}.npy", ranks=ranks)
        self.assertGreater(numpy.count_nonzero(numpy.load(self.path("c1.npy"))), 0)
        self.run_program(FORETILE, "compare", "c1.npy", "c3.npy")


class WrongInput(Case):
    """One line, exit code 2 or 1, no file left behind."""

    def setUp(self):
        super().setUp()
        self.a = numbers(50, 40)
        numpy.save(self.path("a.npy"), self.a)
        numpy.save(self.path("b.npy"), numbers(40, 30, seed=2))
        self.plan("--a", "a.npy", "--b", "b.npy", "--tile", "16", ranks=2)

    def assert_refused(self, expected, *options, code=2):
        before = self.files()
        done = self.execute("--output", "c.npy", *options, ranks=2, code=code)
        lines = [line for line in done.stderr.splitlines() if "not calibrated" not in line]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn(expected, lines[0])
        self.assertEqual(self.files(), before)
        self.assertNotIn("written in", done.stdout)

    def test_changed_number(self):
        self.a[3, 4] += 1
        numpy.save(self.path("a.npy"), self.a)
        self.assert_refused("as when the problem was made")

    def test_other_shape_and_type(self):
        numpy.save(self.path("a.npy"), self.a[:-1])
        self.assert_refused("found 49 x 40, expected 50 x 40")
        numpy.save(self.path("a.npy"), self.a.astype("f4"))
        self.assert_refused("single")

    def test_truncated_and_missing_file(self):
        os.truncate(self.path("a.npy"), 1000)
        self.assert_refused("is the file whole?")
        os.remove(self.path("a.npy"))
        self.assert_refused("no readable file")

    def test_not_finite(self):
        self.a[20, 35] = numpy.nan
        numpy.save(self.path("a.npy"), self.a)
        self.plan("--a", "a.npy", "--b", "b.npy", "--tile", "16", ranks=2)
        self.assert_refused("tile (1, 2) of A", "--check-finite")

    def test_impossible_output(self):
        for name, expected in [("no/folder/c.npy", "no place to write"), ("c.txt", "ending"), ("c.mtx", "Market"),
                               ("c.csv", "expected FILE.npy or FILE.h5:/DATASET"),
                               ("c.h5", "dataset" if WITH_HDF5 else "HDF5")]:
            before = self.files()
            done = self.execute("--output", name, ranks=2, code=2)
            self.assertIn(expected, done.stderr)
            self.assertEqual(self.files(), before)

    def test_formats_that_are_not_read(self):
        for name, advice in ("x.npz", "numpy.load"), ("x.mtx.gz", "gunzip"), ("x.csv", "loadtxt"):
            open(self.path(name), "w", encoding="ascii").close()
            for command in ["show", name], ["problem", "matrices", "--a", name, "--b", "b.npy"]:
                done = self.run_program(FORETILE, *command, code=2)
                self.assertIn("expected FILE.npy, FILE.mtx or FILE.h5:/DATASET", done.stderr)
                self.assertIn(advice, done.stderr)

    def test_wrong_product_is_not_written(self):
        self.a[20, 35] = numpy.inf
        numpy.save(self.path("a.npy"), self.a)
        self.plan("--a", "a.npy", "--b", "b.npy", "--tile", "16", ranks=2)
        self.assert_refused("the product is wrong", "--verify", code=1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
