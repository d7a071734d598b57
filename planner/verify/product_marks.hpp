// Which products the plan has been seen to compute.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/contraction.hpp"

namespace foretile {

/// One bit for every pair of A_ik and B_kj, whether C keeps ij or not.
class ProductMarks {
 public:
  /// The contraction must outlive this object.
  explicit ProductMarks(const Contraction& contraction);

  /// The product of tile `a` with tile b of B has the bit `base(a) + b`.
  std::int64_t base(TileId a) const {
    return start_[a] - contraction_->b.first(contraction_->a.column_of(a));
  }
  /// False when it was marked before.
  bool mark(std::int64_t bit) {
    std::uint64_t& word = words_[bit / 64];
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    const bool fresh = (word & mask) == 0;
    word |= mask;
    return fresh;
  }
  /// Throws InputError for the first product that C keeps and nobody marked.
  void require_all() const;

 private:
  bool marked(std::int64_t bit) const { return (words_[bit / 64] >> (bit % 64) & 1) != 0; }
  bool all_marked(std::int64_t begin, std::int64_t end) const;

  const Contraction* contraction_;
  std::vector<std::int64_t> start_;
  std::vector<std::uint64_t> words_;
};

}  // namespace foretile
