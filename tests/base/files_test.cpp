#include "base/files.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() { fs::create_directories(folder_); }
  ~Files() override { fs::remove_all(folder_); }
  fs::path folder_ =
      fs::path(testing::TempDir()) /
      (std::string("foretile_files_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Files, TwoWritersOfOnePathDoNotMeet) {
  AtomicFile first(folder_ / "same");
  AtomicFile second(folder_ / "same");
  first.stream() << "first";
  second.stream() << "second";
  first.commit();
  EXPECT_EQ(read_text(folder_ / "same"), "first");
  second.commit();
  EXPECT_EQ(read_text(folder_ / "same"), "second");
}

TEST_F(Files, AFailedRenameNamesThePath) {
  AtomicFile file(folder_ / "taken");
  fs::create_directories(folder_ / "taken");
  try {
    file.commit();
    FAIL() << "a folder was replaced";
  } catch (const WorkError& error) {
    EXPECT_NE(std::string(error.what()).find((folder_ / "taken").string()), std::string::npos);
  }
}

TEST_F(Files, OneFileUnderTwoNamesIsRefused) {
  EXPECT_THROW(require_different("--a", folder_ / "x", "--b", folder_ / "." / "x"), InputError);
  fs::create_symlink(folder_, folder_ / "link");
  EXPECT_THROW(require_different("--a", folder_ / "x", "--b", folder_ / "link" / "x"), InputError);
  EXPECT_NO_THROW(require_different("--a", folder_ / "x", "--b", folder_ / "y"));
  EXPECT_NO_THROW(require_different("--a", "", "--b", ""));
}

}  // namespace
}  // namespace foretile
