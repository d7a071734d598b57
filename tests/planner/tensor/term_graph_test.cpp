// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/term_graph.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace foretile::term_graph_test {
namespace {

/// b and c are at level 1, a behind both at level 2.
TEST(TermGraph, HasColumnsOfLevelsAndEdgesToThoseThatWait) {
  const std::vector<TermOrder> order{{2, {1, 2}}, {1, {}}, {1, {}}};
  std::ostringstream out;
  write_dot(out, order, {"a\n1 flop", "b", "say \"c\""});
  EXPECT_EQ(out.str(),
            "digraph G {\n"
            "rankdir=LR;\nnodesep=0.1;\nnode [shape=box];\n"
            "{rank=same; 1; 2;}\n"
            "{rank=same; 0;}\n"
            "0[label=\"a\n1 flop\"];\n"
            "1[label=b];\n"
            "2[label=\"say \\\"c\\\"\"];\n"
            "1->0 ;\n"
            "2->0 ;\n"
            "}\n");
}

TEST(TermGraph, OfNothingIsEmpty) {
  std::ostringstream out;
  write_dot(out, {}, {});
  EXPECT_EQ(out.str(), "digraph G {\nrankdir=LR;\nnodesep=0.1;\nnode [shape=box];\n}\n");
}

}  // namespace
}  // namespace foretile::term_graph_test
