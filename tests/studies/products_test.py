# SPDX-License-Identifier: BSD-3-Clause
"""What studies/machines/products reads and works out itself.   products_test.py STUDIES_FOLDER"""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

STUDIES = pathlib.Path(sys.argv.pop(1))
loader = importlib.machinery.SourceFileLoader("products", str(STUDIES / "machines/products"))
products = importlib.util.module_from_spec(importlib.util.spec_from_loader("products", loader))
sys.modules["products"] = products
loader.exec_module(products)

TABLE = """# a comment
id,system,nodes,ranks,ranks_per_node,threads,devices,operation,m,n,k,count,library,blocks,grid,data,seconds,seconds_min,seconds_max,tflops,quality,source
a,raven,2,4,2,36,36 cores,C=A B,20,30,40,3,CA3DMM,-,2x1x2,column blocks converted there and back,,,,,A,none
b,raven,1,1,1,72,72 cores,HPL (LU),10,10,,1,own,64,1x1,host memory,1.5,,,,A,none
c,raven,2,2,1,72,72 cores,C=A^T B,17408,17408,3473408,1,MKL pdgemm,A 13568x8704; B 13568x8704; C 8704x8704,2x1 block-cyclic,host memory,2,,,,A,none
"""


def read():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.csv"
        path.write_text(TABLE)
        return products.is_table(path), {row["id"]: row for row in products.read_table(path)}


def case(**fields):
    row = read()[1]["a"] | {key: str(value) for key, value in fields.items()}
    return products.case_of(row)


class Reading(unittest.TestCase):
    def test_a_table_is_known_by_its_columns(self):
        self.assertTrue(read()[0])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "other.csv"
            path.write_text("# jobs\njob,collective,algorithm,bytes,kind,median_us\n")
            self.assertFalse(products.is_table(path))

    def test_a_row_without_a_time_is_a_case(self):
        found = case()
        self.assertEqual((found.m, found.n, found.k, found.grid, found.blocks), (20, 30, 40, (2, 1, 2), {}))
        self.assertEqual((found.nodes, found.ranks, found.of_node, found.threads), (2, 4, 2, 36))

    def test_a_row_that_is_no_product_is_skipped(self):
        with self.assertRaisesRegex(products.Skipped, "HPL .* is no product"):
            products.case_of(read()[1]["b"])

    def test_blocks_and_grids(self):
        self.assertEqual(products.blocks_of("128x128")["B"], (128, 128))
        self.assertEqual(products.blocks_of("384")["C"], (384, 384))
        self.assertEqual(products.blocks_of("A 13568x8704; B block 10x20"), {"A": (13568, 8704), "B": (10, 20)})
        self.assertEqual(products.grid_of("13x13x1 (23 idle)"), (13, 13, 1))
        self.assertEqual(products.grid_of("4x8 block-cyclic"), (4, 8, 1))
        self.assertEqual(products.grid_of("library's choice"), ())

    def test_a_transposed_matrix_is_stored_the_other_way_round(self):
        found = products.case_of(read()[1]["c"])
        self.assertEqual((found.extents("A"), found.stored("A"), found.stored("B")), ((17408, 3473408), (3473408, 17408), (3473408, 17408)))


class Describing(unittest.TestCase):
    def test_threads_of_a_rank_are_one_device(self):
        machine = products.machine_of(case(), STUDIES.parent / "platforms")
        self.assertEqual((machine.name, machine.gpu), ("raven", False))
        self.assertIn("platform.socket.devices=2", machine.settings)
        self.assertIn(f"platform.device.kernel.rate={36 * 76.8:g} Gflop/s", machine.settings)

    def test_a_system_without_a_platform_is_named(self):
        with self.assertRaisesRegex(products.Skipped, "no platform for abacus"):
            products.machine_of(case(system="abacus"), STUDIES.parent / "platforms")

    def test_pblas_keeps_c_of_a_square_product(self):
        square = case(m=20000, n=20000, k=20000, grid="16x16 block-cyclic", blocks="128x128")
        self.assertEqual(products.pblas(square), (16, 16, 1))

    def test_pblas_sums_a_short_product_of_long_matrices(self):
        """C is 17408 x 17408 and K is 3,473,408 on 2 x 1 ranks. To keep C takes K (17408 + 17408) elements and more, to keep B 1.3 x 17408 x 17408."""
        self.assertEqual(products.pblas(products.case_of(read()[1]["c"])), (1, 1, 2))

    def test_layers_sum_one_tile_each(self):
        self.assertEqual([products.pieces_of(layers) for layers in (1, 6, 7, 192)], [(1, 1), (3, 2), (7, 1), (4, 4)])

    def test_panels_are_as_many_as_owners_but_not_too_many(self):
        """lcm(8, 4); of 1536 x 1 x 1 ranks 150000 / 1536."""
        self.assertEqual([products.panels_of(grid) for grid in ((8, 4, 6), (6, 4, 8), (1536, 1, 1))], [8, 12, 97])

    def test_ca3dmm_has_a_step_for_each_rank_of_a_group(self):
        plan = products.describe_ca3dmm(case(grid="8x4x6"), None, None)
        self.assertEqual((plan.grid, plan.panels, plan.steps, plan.pieces), ((8, 4, 6), 8, 4, (3, 2)))
        self.assertIn("d=2", plan.settings)
        self.assertEqual([len(parts) for parts in products.tiles_of(case(m=480, n=480, k=480), plan)], [24, 8, 48])


class Conversions(unittest.TestCase):
    def test_column_blocks_to_layers_of_k(self):
        """2 x 2 x 2 on 2 ranks of 2 nodes as 1 x 1 x 2. A's column blocks are its layers. B's second column of the first row goes to rank 0, the first of the
        second row to rank 1: 8 bytes each. C's columns stay."""
        found = products.column_blocks_bytes(case(m=2, n=2, k=2, ranks=2, ranks_per_node=1), (1, 1, 2))
        self.assertEqual(found, {"A": (0, 0), "B": (16, 8), "C": (0, 0)})

    def test_column_blocks_to_rows_of_ranks(self):
        """The same as 2 x 1 x 1: each rank needs the other's column of A in its row, and sends half of its column of C; B, of which there is one block of columns,
        goes to ranks by its rows."""
        found = products.column_blocks_bytes(case(m=2, n=2, k=2, ranks=2, ranks_per_node=1), (2, 1, 1))
        self.assertEqual(found, {"A": (16, 8), "B": (16, 8), "C": (16, 8)})

    def test_block_cyclic_matrices_move_but_for_one_part(self):
        """4 x 4 in blocks of 2 on 2 x 2 ranks, one of a node: 3 of 4 parts of 128 bytes move, a quarter to each node."""
        found = products.cyclic_bytes(case(m=4, n=4, k=4, ranks=4, ranks_per_node=1, nodes=4, grid="2x2", blocks="2x2"))
        for moved, received in found.values():
            self.assertAlmostEqual(moved, 96)
            self.assertAlmostEqual(received, 96 / 4)


unittest.main()
