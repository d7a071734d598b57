// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/search.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"

namespace foretile::search_test {
namespace {

Space space_of(int a, int b) {
  std::vector<Parameter> parameters = {{"a", {}}, {"b", {}}};
  for (int i = 0; i < a; ++i) parameters[0].values.push_back(std::to_string(i));
  for (int i = 0; i < b; ++i) parameters[1].values.push_back(std::to_string(i));
  return Space(parameters);
}

std::vector<Candidate> all_of(Search& search) {
  std::vector<Candidate> candidates;
  while (auto candidate = search.next()) candidates.push_back(*candidate);
  return candidates;
}

std::vector<Candidate> random_order(const Space& space, std::uint64_t seed) {
  return all_of(*make_random_search(space, seed));
}

TEST(ExhaustiveSearch, VisitsAllOnceInOrder) {
  const Space space = space_of(7, 5);
  const auto visited = all_of(*make_exhaustive_search(space, 0));
  ASSERT_EQ(visited.size(), 35u);
  for (std::uint64_t i = 0; i < 35; ++i) EXPECT_EQ(visited[i], space.at(i));
}

TEST(RandomSearch, VisitsAllWithoutRepetition) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto visited = random_order(space_of(1 + static_cast<int>(seed % 9), 11), seed);
    EXPECT_EQ(visited.size(), (1 + seed % 9) * 11) << "seed " << seed;
    EXPECT_EQ(std::set<Candidate>(visited.begin(), visited.end()).size(), visited.size()) << "seed " << seed;
  }
}

TEST(RandomSearch, OrderDependsOnTheSeedOnly) {
  const Space space = space_of(10, 10);
  EXPECT_EQ(random_order(space, 3), random_order(space, 3));
  EXPECT_NE(random_order(space, 3), random_order(space, 4));
}

// Each of 6 places is equally likely for a candidate: 2000 draws of the first one, expected 333.3 each with a
// standard deviation of 16.7; five of those are allowed.
TEST(RandomSearch, TriesEachCandidateFirstEquallyOften) {
  const Space space = space_of(2, 3);
  std::vector<int> counts(6, 0);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    ++counts[*space.index_of(*make_random_search(space, seed)->next())];
  }
  for (const int count : counts) EXPECT_NEAR(count, 2000.0 / 6, 84);
}

TEST(RandomSearch, NeedsNoListOfAHugeSpace) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 62; ++i) parameters.push_back({fmt::format("p{}", i), {"0", "1"}});
  const auto search = make_random_search(Space(parameters), 1);
  std::set<Candidate> drawn;
  for (int i = 0; i < 1000; ++i) drawn.insert(*search->next());
  EXPECT_EQ(drawn.size(), 1000u);
}

TEST(FirstCandidates, ComeFirstAndOnlyOnce) {
  const Space space = space_of(3, 3);
  const Candidate inside = space.at(5);
  const Candidate outside = {{"a", "99"}};
  const auto search = make_first_candidates({outside, inside, outside}, make_random_search(space, 1));
  const auto visited = all_of(*search);
  ASSERT_EQ(visited.size(), 10u);
  EXPECT_EQ(visited[0], outside);
  EXPECT_EQ(visited[1], inside);
  EXPECT_EQ(std::set<Candidate>(visited.begin(), visited.end()).size(), 10u);
}

TEST(MakeSearch, KnowsItsNames) {
  for (const std::string& name : search_names()) {
    const bool waits_for_bounds = name == kBoundSearch;
    EXPECT_EQ(all_of(*make_search(name, space_of(2, 2), 1)).size(), waits_for_bounds ? 0u : 4u) << name;
  }
  try {
    make_search("genetic", space_of(2, 2), 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("exhaustive or random"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace foretile::search_test
