// SPDX-License-Identifier: BSD-3-Clause
// Where to begin, from what was good on another machine, for another problem or in another space.
#pragma once

#include <cstddef>
#include <vector>

#include "tuner/space.hpp"

namespace foretile {

struct Starts {
  std::vector<Candidate> candidates;  ///< the most promising first, each once, no defaults
  std::size_t unused = 0;             ///< further ones, which are no candidates of this space
};

/// The candidates with the `most` best times, one for each time, as candidates of this space: parameters that
/// it lacks are left out, those that they lack are as in the defaults (those with which they have most in
/// common), equal numbers are spelled as it spells them. Not used where a value is neither the space's nor
/// the defaults'. `defaults` must not be empty. Times give the order and nothing else.
Starts starts_from(const std::vector<Evaluation>& elsewhere, const Space& space,
                   const std::vector<Candidate>& defaults, std::size_t most = 10);

}  // namespace foretile
