#include "planner/program/term_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/error.hpp"

namespace foretile {

std::vector<TermOrder> order_of_terms(const Program& program, const std::string& source) {
  std::map<std::string, std::vector<std::size_t>> writers;
  for (std::size_t t = 0; t < program.terms.size(); ++t) writers[program.terms[t].result.tensor].push_back(t);
  std::vector<TermOrder> order(program.terms.size());
  for (std::size_t t = 0; t < program.terms.size(); ++t) {
    std::set<std::size_t> waits;
    for (const TensorUse& use : program.terms[t].operands) {
      if (const auto found = writers.find(use.tensor); found != writers.end())
        waits.insert(found->second.begin(), found->second.end());
    }
    order[t].depends_on = {waits.begin(), waits.end()};
  }
  // A chain of dependences is no longer than there are terms.
  const int most = static_cast<int>(order.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t t = 0; t < order.size(); ++t) {
      for (const std::size_t before : order[t].depends_on) {
        if (order[t].level > order[before].level) continue;
        order[t].level = order[before].level + 1;
        changed = true;
      }
      if (order[t].level <= most) continue;
      throw input_error(fmt::format("{}, line {}", source, program.terms[t].line),
                        fmt::format("the term {}, which waits for itself", program.terms[t].name),
                        "terms that can be computed one after the other",
                        "write one of its operands to another tensor");
    }
  }
  return order;
}

}  // namespace foretile
