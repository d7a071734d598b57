// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "base/error.hpp"

namespace foretile {

namespace {

/// tune() searches by bounds itself.
class NoSearch final : public Search {
 public:
  std::optional<Candidate> next() override { return std::nullopt; }
  void tell(const Candidate&, const Outcome&) override {}
};

std::unique_ptr<Search> make_empty_search(const Space&, std::uint64_t) {
  return std::make_unique<NoSearch>();
}

struct Strategy {
  const char* name;
  std::unique_ptr<Search> (*make)(const Space&, std::uint64_t seed);
};

/// A new strategy adds its line here.
constexpr std::array strategies = {Strategy{kBoundSearch, make_empty_search},
                                   Strategy{"exhaustive", make_exhaustive_search},
                                   Strategy{"random", make_random_search}};

}  // namespace

std::vector<std::string> search_names() {
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies) names.emplace_back(strategy.name);
  return names;
}

std::unique_ptr<Search> make_search(const std::string& name, const Space& space, std::uint64_t seed) {
  for (const Strategy& strategy : strategies) {
    if (name == strategy.name) return strategy.make(space, seed);
  }
  throw input_error("search", '"' + name + '"', fmt::format("{}", fmt::join(search_names(), " or ")));
}

}  // namespace foretile
