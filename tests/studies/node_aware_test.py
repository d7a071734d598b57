# SPDX-License-Identifier: BSD-3-Clause
"""What studies/node-aware/model.py works out itself.   node_aware_test.py STUDIES_FOLDER"""
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop(1)) / "node-aware"))
import model  # noqa: E402


def owned(shares, owners):
    return [sum(shares[owner::owners]) for owner in range(owners)]


class Model(unittest.TestCase):
    def test_shares_of_small_grids_are_equal(self):
        """Distributed round-robin to 2 owners of A and 3 of B, six equal parts give a half and a third to each."""
        self.assertEqual(model.shares(3, 2), [1 / 6] * 6)

    def test_fewer_shares_still_give_all_owners_the_same(self):
        """36 x 35 x 16 ranks would have 1260 parts each, far more than MANY_PRODUCTS allows."""
        found = model.shares(36, 35, 16)
        self.assertLess(len(found), 36 * 35)
        self.assertGreater(min(found), 0)
        for owners in (36, 35):
            for part in owned(found, owners):
                self.assertAlmostEqual(part, 1 / owners, places=9)

    def test_even_gives_the_rest_to_the_first(self):
        self.assertEqual(model.even(11, 4), [3, 3, 3, 2])

    def test_flat_grids_are_as_square_as_can_be(self):
        self.assertEqual([model.flat(ranks) for ranks in (72, 144, 7)], [(8, 9), (12, 12), (1, 7)])

    def test_tiles_of_c_where_parts_are_summed(self):
        """3 x 3 of a rank, fewer where that would be more than 4 million products: 20,736 ranks, 40 panels, and 9 or 3 tiles."""
        self.assertEqual(model.tiles_of_c((8, 9, 1), 100, model.SUMS), (1, 1))
        self.assertEqual(model.tiles_of_c((8, 8, 9), 8, model.SUMS), (3, 3))
        self.assertEqual(model.tiles_of_c((16, 36, 36), 40, model.SUMS), (3, 1))
        self.assertEqual(model.tiles_of_c((16, 36, 36), 100, model.SUMS), (1, 1))

    def test_memory_counts_the_whole_matrices(self):
        """2 x 2 x 2 of doubles on 4 ranks: a share of 3 * 4 * 8 / 4 = 24 bytes. Of a plan one column deep a rank owns (2 + 2 + 4) * 8 / 4 = 16 of
        its 40 bytes; the other 24, with its share of the whole matrices, make 48, twice the share."""
        case = {"m": 2, "n": 2, "k": 2}
        self.assertEqual(model.Model.memory(case, (2, 2, 1), 1, (1, 1, 1), 40), 2)

    def test_cases_are_those_of_the_paper(self):
        cases = model.read_cases()
        self.assertEqual(len(cases), 413)
        for case in cases:
            self.assertTrue(all(case[extent] > 0 for extent in "mnk"), case)
            grid = list(map(int, case["scalapack_grid"].split("x")))
            self.assertLessEqual(math.prod(grid), case["nodes"] * model.RANKS_OF_NODE[case["machine"]], case)


unittest.main()
