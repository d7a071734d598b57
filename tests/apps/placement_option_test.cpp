// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/placement_option.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/error.hpp"
#include "tests/base/scratch_folder.hpp"

namespace foretile::placement_option_test {
namespace {

class PlacementOption : public ScratchFolder {
 protected:
  /// Of a file with that text; or the error.
  std::string setting(const std::string& text) const {
    const auto path = folder_ / "hosts.txt";
    std::ofstream(path) << text;
    try {
      return placement_setting(path.string());
    } catch (const InputError& error) {
      return error.what();
    }
  }
};

TEST_F(PlacementOption, KnowsTwoWords) {
  EXPECT_EQ(placement_setting("packed"), "packed");
  EXPECT_EQ(placement_setting("scattered"), "scattered");
}

TEST_F(PlacementOption, NumbersGroupsAndLeaves) {
  EXPECT_EQ(setting("# job 17\nn1 east\n\nn2 west  # a comment\nn3 east\n"), "0 1 0");
  EXPECT_EQ(setting("n1 g7 s3\nn2 g7 s1\nn3 g2 s1\nn4 g7 s3"), "0/0 0/1 1/0 0/0");
}

TEST_F(PlacementOption, RefusesOtherFiles) {
  EXPECT_NE(setting("n1 g1\nn2\n").find("hosts.txt:2: found 1 words"), std::string::npos);
  EXPECT_NE(setting("n1 g1 l1 x\n").find("hosts.txt:1: found 4 words"), std::string::npos);
  EXPECT_NE(
      setting("n1 g1\nn2 g1\nn1 g2\n").find("hosts.txt:3: found n1 again, expected each host once; line 1"),
      std::string::npos);
  EXPECT_NE(setting("# nothing\n").find("no host"), std::string::npos);
  EXPECT_THROW(placement_setting("/no/such/file"), InputError);
}

}  // namespace
}  // namespace foretile::placement_option_test
