// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/boxes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace foretile::boxes_test {
namespace {

const Space kSpace({{"p", {"1", "2", "3"}}, {"f", {"a", "b"}}, {"g", {"x", "y"}}});

bool never(std::size_t /*boxes*/) {
  return false;
}

/// What p says.
double first_bound(const Candidate& candidate) {
  EXPECT_EQ(candidate.size(), 3U);
  return std::stod(candidate.at("p"));
}

std::map<double, std::set<Candidate>> content(Boxes& boxes) {
  std::map<double, std::set<Candidate>> found;
  for (Box& box : boxes.boxes) {
    while (const auto candidate = box.next()) {
      EXPECT_TRUE(found[box.bound_s].insert(*candidate).second);
      EXPECT_TRUE(kSpace.index_of(*candidate));
    }
  }
  return found;
}

TEST(Boxes, OneForEachFirstBound) {
  int asked = 0;
  Boxes boxes = boxes_of(
      kSpace, 7, never, [](const std::string& name) { return name == "p"; },
      [&](const Candidate& candidate) {
        ++asked;
        return first_bound(candidate);
      });
  EXPECT_TRUE(boxes.all);
  EXPECT_EQ(boxes.boxes.size(), 3U);
  EXPECT_EQ(asked, 3);
  const auto found = content(boxes);
  ASSERT_EQ(found.size(), 3U);
  for (const auto& [bound_s, candidates] : found) {
    EXPECT_EQ(candidates.size(), 4U);
    for (const Candidate& candidate : candidates) EXPECT_EQ(std::stod(candidate.at("p")), bound_s);
  }
}

TEST(Boxes, OfSingleCandidatesOrOfAll) {
  Boxes singles = boxes_of(
      kSpace, 7, never, [](const std::string&) { return true; }, first_bound);
  EXPECT_EQ(singles.boxes.size(), 12U);
  EXPECT_EQ(content(singles).size(), 3U);
  Boxes one = boxes_of(
      kSpace, 7, never, [](const std::string&) { return false; }, [](const Candidate&) { return 9.0; });
  EXPECT_EQ(one.boxes.size(), 1U);
  EXPECT_EQ(content(one).at(9).size(), 12U);
}

TEST(Boxes, SomeOfTooMany) {
  Boxes some = boxes_of(
      kSpace, 7, [](std::size_t boxes) { return boxes >= 5; }, [](const std::string&) { return true; },
      first_bound);
  EXPECT_FALSE(some.all);
  EXPECT_EQ(some.boxes.size(), 5U);
}

TEST(Boxes, OfNothing) {
  const Boxes none = boxes_of(
      Space(), 7, never, [](const std::string&) { return true; }, first_bound);
  EXPECT_TRUE(none.boxes.empty());
  EXPECT_TRUE(none.all);
}

}  // namespace
}  // namespace foretile::boxes_test
