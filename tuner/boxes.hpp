// SPDX-License-Identifier: BSD-3-Clause
// A space, cut where first bounds differ.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tuner/bound_search.hpp"
#include "tuner/space.hpp"

namespace foretile {

struct Boxes {
  std::vector<Box> boxes;
  bool all = true;  ///< they are the whole space
};

/// One box for each combination of the parameters that decide a first bound, in random order, until `enough`
/// says so of their number; the candidates of a box are in random order too. `first_bound` gets one candidate
/// of each box.
Boxes boxes_of(const Space& space, std::uint64_t seed, const std::function<bool(std::size_t boxes)>& enough,
               const std::function<bool(const std::string& parameter)>& decides,
               const std::function<double(const Candidate&)>& first_bound);

}  // namespace foretile
