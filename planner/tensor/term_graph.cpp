// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/term_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/graphviz.hpp>
#include <utility>

namespace foretile {

void write_dot(std::ostream& out, const std::vector<TermOrder>& order,
               const std::vector<std::string>& labels) {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  int levels = 0;
  for (std::size_t term = 0; term < order.size(); ++term) {
    levels = std::max(levels, order[term].level);
    for (const std::size_t before : order[term].depends_on) edges.emplace_back(before, term);
  }
  const boost::compressed_sparse_row_graph<boost::directedS> graph(boost::edges_are_unsorted_multi_pass,
                                                                   edges.begin(), edges.end(), order.size());
  const auto columns = [&](std::ostream& o) {
    o << "rankdir=LR;\nnodesep=0.1;\nnode [shape=box];\n";
    for (int level = 1; level <= levels; ++level) {
      o << "{rank=same;";
      for (std::size_t term = 0; term < order.size(); ++term) {
        if (order[term].level == level) o << fmt::format(" {};", term);
      }
      o << "}\n";
    }
  };
  boost::write_graphviz(out, graph, boost::make_label_writer(labels.data()), boost::default_writer(),
                        columns);
}

}  // namespace foretile
