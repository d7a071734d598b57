// Every combination in a random order that the seed determines, the same on every machine.
#pragma once

#include "tuner/search.hpp"

namespace foretile {

/// Keeps a copy of the space. Memory grows with the number of candidates drawn, not with the space.
std::unique_ptr<Search> make_random_search(const Space& space, std::uint64_t seed);

}  // namespace foretile
