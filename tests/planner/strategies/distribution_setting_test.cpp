// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/distribution_setting.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.hpp"
#include "tests/base/scratch_folder.hpp"

namespace foretile::distribution_setting_test {
namespace {

class DistributionSettings : public ScratchFolder {
 protected:
  std::string table(const std::string& text) const {
    const std::filesystem::path path = folder_ / "b.owners";
    std::ofstream(path) << text;
    return "table:" + path.string();
  }

  std::string refusal(const std::string& text) const {
    try {
      distribution_setting(table(text), Shape::dense(2, 2), 3);
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  }
};

TEST_F(DistributionSettings, ReadsATable) {
  const std::vector<Rank> owners{0, 2, 1, 2};
  for (const char* text :
       {"0\n2\n1\n2\n", "0 2\t1 2", "# rank of each tile\r\n0 2 # first row\r\n\r\n1 2\r\n"}) {
    const Distribution found = distribution_setting(table(text), Shape::dense(2, 2), 3).distribution;
    EXPECT_EQ(found.kind, DistributionKind::table);
    EXPECT_EQ(found.owners, owners) << text;
  }
  EXPECT_EQ(distribution_setting("cyclic", Shape::dense(2, 2), 3).distribution.kind,
            DistributionKind::cyclic);
  EXPECT_EQ(distribution_setting("contiguous", Shape::dense(2, 2), 3).distribution.kind,
            DistributionKind::contiguous);
}

TEST_F(DistributionSettings, SaysWhatIsWrongWithATable) {
  for (const auto& [text, line, found] : {std::tuple("0 1\n2 3\n", "line 2", "found 3,"),
                                          {"0 1\n-1 0\n", "line 2", "found -1,"},
                                          {"zero 0 0 0", "line 1", "found zero,"},
                                          {"0\n1x\n", "line 2", "found 1x,"},
                                          {"99999999999", "line 1", "found 99999999999,"}}) {
    const std::string said = refusal(text);
    EXPECT_NE(said.find(line), std::string::npos) << said;
    EXPECT_NE(said.find(found), std::string::npos) << said;
    EXPECT_NE(said.find("a rank from 0 to 2"), std::string::npos) << said;
  }
  EXPECT_NE(refusal("0 1 2").find("found 3 ranks, expected 4"), std::string::npos);
  EXPECT_NE(refusal("").find("found 0 ranks, expected 4"), std::string::npos);
  EXPECT_NE(refusal("0 1 2 0 1 9").find("found more than 4 ranks, expected 4"), std::string::npos);
  EXPECT_THROW(distribution_setting("table:" + (folder_ / "missing").string(), Shape::dense(2, 2), 3),
               InputError);
}

/// A plan keeps the digest, so that it is not made again of another table.
TEST_F(DistributionSettings, RefusesATableThatHasChanged) {
  const GivenDistribution first = distribution_setting(table("0 1 2 0"), Shape::dense(2, 2), 3);
  EXPECT_EQ(distribution_setting(first.text, Shape::dense(2, 2), 3).text, first.text);
  EXPECT_EQ(table_of(first.text), (folder_ / "b.owners").string());
  EXPECT_EQ(table_of("cyclic"), std::nullopt);
  table("0 1 2 1");
  EXPECT_THROW(distribution_setting(first.text, Shape::dense(2, 2), 3), InputError);
  const std::string odd_name = (folder_ / "a#0123456789abcdeg").string();
  std::ofstream(odd_name) << "0 0 0 1";
  EXPECT_EQ(distribution_setting("table:" + odd_name, Shape::dense(2, 2), 3).distribution.owners.size(), 4U);
}

TEST_F(DistributionSettings, HasThreeSpellings) {
  const Spelling spelled = spelled_distribution();
  for (const char* good : {"contiguous", "cyclic", "table:b.txt"})
    EXPECT_EQ(spelled("distribution.b", good), good);
  for (const char* bad : {"", "rows", "table:", "table", "Cyclic"})
    EXPECT_THROW(spelled("distribution.b", bad), InputError);
}

}  // namespace
}  // namespace foretile::distribution_setting_test
