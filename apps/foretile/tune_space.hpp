// SPDX-License-Identifier: BSD-3-Clause
// The search space of `foretile tune` and the defaults within it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "planner/problem/contraction.hpp"
#include "planner/problem/kinds/problem.hpp"
#include "platforms/machine.hpp"
#include "tuner/outcome.hpp"
#include "tuner/space.hpp"

namespace foretile {

struct SpaceQuestion {
  std::filesystem::path file;                ///< empty: the default space
  std::vector<std::string> problems;         ///< as given; several become the parameter "problem"
  Settings fixed;                            ///< --set of the strategy
  std::vector<std::string> fixed_platform;   ///< --set platform.KEY=VALUE
  std::map<std::string, Sources> sources{};  ///< of A and B, by problem; they decide its default strategy
  Settings fixed_tiling{};                   ///< --set problem.KEY=VALUE
  std::map<std::string, Problem> loaded{};   ///< the candidates' problems, by name
  std::vector<Parameter> finer_tilings{};    ///< of a single problem whose own tiles do not fit
};

/// Of a history that an earlier version wrote.
std::vector<Evaluation> with_present_keys(std::vector<Evaluation> evaluations);

/// The problems that candidates may have: the first one given, then those of the file's "problem", or the
/// other ones given. Throws InputError as load_space does. Needs no `sources`.
std::vector<std::string> candidate_problems(const SpaceQuestion& question);

/// Throws InputError for keys that neither the strategies nor the platform know, for those of a strategy that
/// no candidate has, and for keys that --set fixes already. The default space, which leaves those out, is
/// that of the strategies that honour the first problem's sources and, of a single problem, the tilings of
/// its [tune] table, and finer ones.
Space tune_space(const SpaceQuestion& question, const Machine& machine);

/// For each problem of the space, the first one given before all others: the defaults of its strategy (the
/// paper's) and the platform as it is, spelled as the space spells them, and the first of finer tilings. Keys
/// of problem and platform whose value is not in the space are left out.
std::vector<Candidate> default_candidates(const Space& space, const SpaceQuestion& question,
                                          const Platform& platform);

/// The defaults of the space's other strategies, as far as the space has them: good guesses.
std::vector<Candidate> other_strategies_defaults(const Space& space, const SpaceQuestion& question,
                                                 const Platform& platform);

}  // namespace foretile
