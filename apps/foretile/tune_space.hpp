// The search space of `foretile tune` and the defaults within it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platforms/machine.hpp"
#include "tuner/space.hpp"

namespace foretile {

struct SpaceQuestion {
  std::filesystem::path file;               ///< empty: the default space
  std::vector<std::string> problems;        ///< as given; several become the parameter "problem"
  Settings fixed;                           ///< --set of the strategy
  std::vector<std::string> fixed_platform;  ///< --set platform.KEY=VALUE
};

/// Throws InputError for keys that neither the strategies nor the platform know, and for keys that --set
/// fixes already. The default space leaves those out.
Space tune_space(const SpaceQuestion& question, const Machine& machine);

/// The strategy's defaults (the paper's), the platform as it is and the first problem, spelled as the space
/// spells them. Platform keys whose value is not in the space are left out.
Candidate default_candidate(const Space& space, const SpaceQuestion& question, const Platform& platform);

}  // namespace foretile
