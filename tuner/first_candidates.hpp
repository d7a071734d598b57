// The paper's defaults before anything else.
#pragma once

#include "tuner/search.hpp"

namespace foretile {

/// Proposes `first` in their order (each once), then what `rest` proposes that was not among them.
std::unique_ptr<Search> make_first_candidates(std::vector<Candidate> first, std::unique_ptr<Search> rest);

}  // namespace foretile
