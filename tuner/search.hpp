// SPDX-License-Identifier: BSD-3-Clause
// What to try next: the strategies' common interface.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/space.hpp"

namespace foretile {

/// Proposes candidates, each at most once. Several may be under way before the first outcome is known.
class Search {
 public:
  virtual ~Search() = default;
  /// The next candidate to evaluate; empty when there is none left.
  virtual std::optional<Candidate> next() = 0;
  /// Called once for each evaluated candidate, in any order, also for those a history already answers
  /// (which may never have been proposed).
  virtual void tell(const Candidate& candidate, const Outcome& outcome) = 0;
};

/// By increasing bounds (tuner/bound_search.hpp).
inline constexpr const char* kBoundSearch = "bound";

/// The names make_search knows.
std::vector<std::string> search_names();

/// A strategy by its name: "bound" (which proposes nothing: tune() does), "exhaustive" or "random".
/// Throws InputError for another name.
std::unique_ptr<Search> make_search(const std::string& name, const Space& space, std::uint64_t seed);

/// Keeps a copy of the space; the seed is not used.
std::unique_ptr<Search> make_exhaustive_search(const Space& space, std::uint64_t seed);

/// Keeps a copy of the space. Memory grows with the number of candidates drawn, not with the space.
std::unique_ptr<Search> make_random_search(const Space& space, std::uint64_t seed);

/// Proposes `first` in their order (each once), then what `rest` proposes that was not among them.
std::unique_ptr<Search> make_first_candidates(std::vector<Candidate> first, std::unique_ptr<Search> rest);

}  // namespace foretile
