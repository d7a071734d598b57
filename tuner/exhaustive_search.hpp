// Every combination, in the space's order.
#pragma once

#include "tuner/search.hpp"

namespace foretile {

/// Keeps a copy of the space; the seed is not used.
std::unique_ptr<Search> make_exhaustive_search(const Space& space, std::uint64_t seed);

}  // namespace foretile
