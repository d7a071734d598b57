// SPDX-License-Identifier: BSD-3-Clause
#include "base/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "base/error.hpp"
#include "tests/base/scratch_folder.hpp"

namespace foretile::files_test {
namespace {

namespace fs = std::filesystem;

class Files : public ScratchFolder {};

std::string error_of(const fs::path& path) {
  try {
    read_text(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST_F(Files, ATextIsReadWhole) {
  const std::string text = std::string("a\0b\n", 4) + std::string(200'000, 'x');
  std::ofstream(folder_ / "text") << text;
  EXPECT_EQ(read_text(folder_ / "text"), text);
  fs::create_symlink("text", folder_ / "link");
  EXPECT_EQ(read_text(folder_ / "link"), text);
  EXPECT_FALSE(read_text("/proc/self/status").empty());  // its size is 0, as the system states it
}

TEST_F(Files, OnlyRegularFilesAreRead) {
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  EXPECT_NE(error_of(folder_ / "fifo").find("found a FIFO or pipe, expected a regular file"),
            std::string::npos);
  EXPECT_NE(error_of("/dev/zero").find("found a device"), std::string::npos);
  EXPECT_NE(error_of(folder_).find("found a folder"), std::string::npos);
  EXPECT_NE(error_of(folder_ / "none").find("No such file"), std::string::npos);
}

TEST_F(Files, AnExampleThatIsElsewhereIsNamed) {
  fs::create_directory(folder_ / "examples");
  std::ofstream(folder_ / "examples/a.txt") << "a";
  ::setenv("FORETILE_DATA", folder_.c_str(), 1);
  const std::string error = error_of("examples/a.txt"), other = error_of("examples/b.txt");
  ::unsetenv("FORETILE_DATA");
  EXPECT_TRUE(error.ends_with("take " + (folder_ / "examples/a.txt").string())) << error;
  EXPECT_TRUE(other.ends_with("check the path")) << other;
}

/// The system would read the path up to the NUL.
TEST_F(Files, APathWithANulIsRefused) {
  std::ofstream(folder_ / "text") << "a";
  EXPECT_NE(error_of(folder_ / std::string("text\0.toml", 10)).find("a NUL character"), std::string::npos);
}

TEST_F(Files, ALoopOfLinksIsAnInputError) {
  fs::create_symlink("b", folder_ / "a");
  fs::create_symlink("a", folder_ / "b");
  EXPECT_NE(error_of(folder_ / "a").find("Too many levels of symbolic links"), std::string::npos);
}

TEST_F(Files, AFileBeyondTheLimitIsRefusedWithTheLimit) {
  std::ofstream(folder_ / "large") << "";
  fs::resize_file(folder_ / "large", kLargestInput_bytes + 1);  // sparse: takes no space
  EXPECT_NE(error_of(folder_ / "large").find("at most 256 MiB"), std::string::npos);
}

}  // namespace
}  // namespace foretile::files_test
