// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/term_order.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/planner/program/example.hpp"

namespace foretile::term_order_test {
namespace {

/// The paper has four levels of 29, 8, 3 and 1 terms, of which 17, 8, 3 and 1 are products.
TEST(TermOrder, OfTheExample) {
  const Program program = ccsd_t2();
  const auto order = order_of_terms(program, "ccsd_t2.txt");
  std::array<int, 5> terms{}, products{};
  for (std::size_t t = 0; t < order.size(); ++t) {
    ++terms.at(static_cast<std::size_t>(order[t].level));
    if (program.terms[t].is_product()) ++products.at(static_cast<std::size_t>(order[t].level));
  }
  EXPECT_EQ(terms, (std::array<int, 5>{0, 29, 8, 3, 1}));
  EXPECT_EQ(products, (std::array<int, 5>{0, 17, 8, 3, 1}));
}

/// d reads B, to which b and c add; b reads A, which a writes: b is at level 2, c at 1, d behind both.
TEST(TermOrder, WaitsForAllWhoWriteAnOperand) {
  const Program program = parse_program(
      "space p = virtual\ntensor x[p|p]\nresult R[p|p]\n"
      "d: R[p1,p2] += 1 B[p1,p3] x[p3,p2]\n"
      "a: A[p1,p2] += 1 x[p1,p2]\n"
      "b: B[p1,p2] += 1 A[p1,p2]\n"
      "c: B[p1,p2] += 1 x[p1,p2]\n",
      "test");
  const auto order = order_of_terms(program, "test");
  EXPECT_EQ(order[0].level, 3);
  EXPECT_EQ(order[0].depends_on, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(order[1].level, 1);
  EXPECT_EQ(order[2].level, 2);
  EXPECT_EQ(order[3].level, 1);
  EXPECT_TRUE(order[3].depends_on.empty());
}

}  // namespace
}  // namespace foretile::term_order_test
