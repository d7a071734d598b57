#include "planner/verify/product_marks.hpp"

#include <fmt/format.h>

#include "planner/verify/errors.hpp"

namespace foretile {

ProductMarks::ProductMarks(const Contraction& contraction)
    : contraction_(&contraction), start_(contraction.a.nonzeros() + 1, 0) {
  const Contraction& p = contraction;
  for (TileId a = 0; a < p.a.nonzeros(); ++a) {
    start_[a + 1] = start_[a] + static_cast<std::int64_t>(p.b.row(p.a.column_of(a)).size());
  }
  words_.assign(start_.back() / 64 + 1, 0);
}

/// Whole words at once: most plans mark everything.
bool ProductMarks::all_marked(std::int64_t begin, std::int64_t end) const {
  for (; begin < end && begin % 64 != 0; ++begin) {
    if (!marked(begin)) return false;
  }
  for (; begin + 64 <= end; begin += 64) {
    if (~words_[begin / 64] != 0) return false;
  }
  for (; begin < end; ++begin) {
    if (!marked(begin)) return false;
  }
  return true;
}

void ProductMarks::require_all() const {
  const Contraction& p = *contraction_;
  for (TileId a = 0; a < p.a.nonzeros(); ++a) {
    if (all_marked(start_[a], start_[a + 1])) continue;
    const std::int32_t i = p.a.row_of(a);
    const std::int32_t k = p.a.column_of(a);
    const auto columns = p.b.row(k);
    for (std::size_t e = 0; e < columns.size(); ++e) {
      if (!marked(start_[a] + static_cast<std::int64_t>(e)) && p.c.contains(i, columns[e])) {
        throw broken_plan("product", fmt::format("no task for A({},{}) B({},{})", i, k, k, columns[e]),
                          "every nonzero product once");
      }
    }
  }
}

}  // namespace foretile
