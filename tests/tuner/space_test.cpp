// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/space.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "base/error.hpp"

namespace foretile::space_test {
namespace {

using Values = std::vector<std::string>;

Space space_of(const std::string& name, const Values& values) {
  return Space(std::vector<Parameter>{{name, values}});
}

std::string error_of(std::string_view toml) {
  try {
    parse_space(toml, "s.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

Values values_of(const Space& space, const std::string& name) {
  for (const Parameter& parameter : space.parameters()) {
    if (parameter.name == name) return parameter.values;
  }
  return {};
}

TEST(Space, NumbersItsCandidatesInMixedRadix) {
  const Space space({{"a", {"x", "y"}}, {"b", {"1", "2", "3"}}});
  ASSERT_EQ(space.size(), 6u);
  // 4 = 1 * 3 + 1: the second value of a, the second of b.
  EXPECT_EQ(space.at(4), (Candidate{{"a", "y"}, {"b", "2"}}));
  std::set<Candidate> all;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    EXPECT_EQ(space.index_of(space.at(i)), i);
    all.insert(space.at(i));
  }
  EXPECT_EQ(all.size(), 6u);
  EXPECT_THROW(space.at(6), std::out_of_range);
}

TEST(Space, KnowsWhatIsNotItsOwn) {
  const Space space = space_of("a", {"x", "y"});
  EXPECT_FALSE(space.index_of({}));
  EXPECT_FALSE(space.index_of({{"a", "z"}}));
  EXPECT_FALSE(space.index_of({{"b", "x"}}));
  EXPECT_FALSE(space.index_of({{"a", "x"}, {"b", "x"}}));
  EXPECT_EQ(Space().size(), 0u);
  EXPECT_FALSE(Space().index_of({}));
}

TEST(Space, RefusesMoreThan2To62Combinations) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 62; ++i) parameters.push_back({fmt::format("p{}", i), {"0", "1"}});
  EXPECT_EQ(Space(parameters).size(), std::uint64_t{1} << 62);
  parameters.push_back({"one more", {"0", "1"}});
  EXPECT_THROW(Space{parameters}, InputError);
}

TEST(Space, TextTellsSpacesApart) {
  const Space space = space_of("a", {"1", "2"});
  EXPECT_EQ(space.text(), space_of("a", {"1", "2"}).text());
  EXPECT_NE(space.text(), space_of("a", {"1,2"}).text());
  EXPECT_NE(space.text(), space_of("a", {"1", "3"}).text());
  EXPECT_NE(space.text(), space_of("b", {"1", "2"}).text());
}

TEST(ParseSpace, ReadsListsAndRanges) {
  const Space space = parse_space(R"([parameters]
"grid.p" = [1, 2, 3, 4, 6]
block_fraction = {from = 0.3, to = 0.7, steps = 5}
chunk_fraction = [0.1, 0.150, 25e-2]
"platform.pinned" = [true, false]
problem = ["c65-v1", "c65-v2"]
)",
                                  "s.toml");
  EXPECT_EQ(space.size(), 5u * 5 * 3 * 2 * 2);
  EXPECT_EQ(values_of(space, "grid.p"), (Values{"1", "2", "3", "4", "6"}));
  EXPECT_EQ(values_of(space, "block_fraction"), (Values{"0.3", "0.4", "0.5", "0.6", "0.7"}));
  EXPECT_EQ(values_of(space, "chunk_fraction"), (Values{"0.1", "0.15", "0.25"}));
  EXPECT_EQ(values_of(space, "platform.pinned"), (Values{"true", "false"}));
  EXPECT_EQ(values_of(space, "problem"), (Values{"c65-v1", "c65-v2"}));
}

TEST(ParseSpace, TakesDottedNamesWithoutQuotes) {
  const Space space =
      parse_space("[parameters]\ngrid.p = [1, 2]\nplatform.nic.ports = {from=1, to=3, steps=3}", "s");
  EXPECT_EQ(values_of(space, "grid.p"), (Values{"1", "2"}));
  EXPECT_EQ(values_of(space, "platform.nic.ports"), (Values{"1", "2", "3"}));
  EXPECT_EQ(space.parameters().size(), 2u);
}

struct BadSpace {
  const char* toml;
  const char* place;
  const char* found;
};

void PrintTo(const BadSpace& bad, std::ostream* out) {
  *out << bad.toml;
}

class ParseBadSpace : public testing::TestWithParam<BadSpace> {};

TEST_P(ParseBadSpace, NamesLineAndCause) {
  const std::string error = error_of(GetParam().toml);
  EXPECT_NE(error.find(GetParam().place), std::string::npos) << error;
  EXPECT_NE(error.find(GetParam().found), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseBadSpace,
    testing::Values(
        BadSpace{"", "s.toml", "no [parameters]"}, BadSpace{"[parameters]", "s.toml:1", "no parameter"},
        BadSpace{"parameters = 3", "s.toml:1: parameters", "kind integer"},
        BadSpace{"[parameters]\na = [1]\n[budget]\ns = 1", "s.toml:3: ", "unknown key \"budget\""},
        BadSpace{"[parameters]\na = 1", "s.toml:2: a", "kind integer"},
        BadSpace{"[parameters]\na = \"x\"", "s.toml:2: a", "list of one"},
        BadSpace{"[parameters]\n\na = []", "s.toml:3: a", "no values"},
        BadSpace{"[parameters]\na = [1, 2, 1.0]", "s.toml:2: a", "1 twice"},
        BadSpace{"[parameters]\na = [1, \"x\"]", "s.toml:2: a", "different kinds"},
        BadSpace{"[parameters]\na = [[1], [2]]", "s.toml:2: a", "kind array"},
        BadSpace{"[parameters]\na = [2020-01-01]", "s.toml:2: a", "kind date"},
        BadSpace{"[parameters]\na = [1.0, nan]", "s.toml:2: a", "nan"},
        BadSpace{"[parameters]\na = [inf]", "s.toml:2: a", "inf"},
        BadSpace{"[parameters]\na = [\"\"]", "s.toml:2: a", "empty text"},
        BadSpace{"[parameters]\na = {}", "s.toml:2: a", "empty table"},
        BadSpace{"[parameters]\na = {from = 1, to = 2}", "s.toml:2: a", "no `steps`"},
        BadSpace{"[parameters]\na = {from = 1, steps = 2}", "s.toml:2: a", "no `to`"},
        BadSpace{"[parameters]\na = {from = 1, to = 2, steps = 2, by = 1}", "s.toml:2: a", "\"by\""},
        BadSpace{"[parameters]\na = {from = \"1\", to = 2, steps = 2}", "s.toml:2: a.from", "kind string"},
        BadSpace{"[parameters]\na = {from = 1, to = inf, steps = 2}", "s.toml:2: a.to", "finite"},
        BadSpace{"[parameters]\na = {from = -1e308, to = 1e308, steps = 2}", "s.toml:2: a", "from < to"},
        BadSpace{"[parameters]\na = {from = 2, to = 1, steps = 2}", "s.toml:2: a", "from 2 to 1"},
        BadSpace{"[parameters]\na = {from = 1, to = 2, steps = 2.0}", "s.toml:2: a.steps", "whole number"},
        BadSpace{"[parameters]\na = {from = 1, to = 2, steps = 1}", "s.toml:2: a.steps",
                 "list for a single value"},
        BadSpace{"[parameters]\na = {from = 1, to = 2, steps = 99999999999}", "s.toml:2: a.steps", "10000"},
        BadSpace{"[parameters]\na = {from = 1, to = 1.000000000000001, steps = 5}", "s.toml:2: a", "twice"},
        BadSpace{"[parameters]\n\"g.p\" = [1]\ng.p = [1]", "g.p", "parameter twice"},
        BadSpace{"[parameters]\n\"\" = [1]", "s.toml:2", "empty key"},
        BadSpace{"[parameters]\na = [1\nb = 2", "s.toml:3", "array"}));

TEST(DefaultSpace, AddsRanksPerNode) {
  const Space space = default_space({{"grid.p", {"auto", "1"}}, {"d", {"1", "2"}}}, {1, 2});
  EXPECT_TRUE(space.index_of({{"grid.p", "1"}, {"d", "2"}, {"platform.ranks_per_node", "1"}}));
  EXPECT_EQ(space.size(), 8u);
  EXPECT_EQ(default_space({{"d", {"1"}}}).parameters().size(), 1u);
}

TEST(DefaultSpace, DivisorsUpToTwelve) {
  EXPECT_EQ(tried_divisors(18), (Values{"1", "2", "3", "6", "9"}));
  EXPECT_EQ(tried_divisors(1), (Values{"1"}));
  EXPECT_THROW(tried_divisors(0), InputError);
}

}  // namespace
}  // namespace foretile::space_test
