// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/input_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

#include "base/descriptor.hpp"
#include "tests/base/scratch_folder.hpp"

namespace foretile::input_file_test {
namespace {

class InputFileTest : public ScratchFolder {
 protected:
  InputFileTest() : path_((folder_ / "a.npy").string()) {
    std::ofstream(path_) << std::string(kBytes, 'x');
    writer_ = Descriptor(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
  }

  void write_byte(char byte) const { ASSERT_EQ(::pwrite(writer_.get(), &byte, 1, 1000), 1); }

  static constexpr std::size_t kBytes = 8192;
  std::string path_;
  Descriptor writer_;
};

/// The times of writing and reading are set back, and so is the content; ctime tells.
TEST_F(InputFileTest, IsChangedThoughTheTimeIsTheOldOne) {
  struct stat facts = {};
  ASSERT_EQ(::fstat(writer_.get(), &facts), 0);
  const std::array<timespec, 2> times{facts.st_atim, facts.st_mtim};
  const InputFile file(path_);
  EXPECT_FALSE(file.is_changed());
  write_byte('y');
  write_byte('x');
  ASSERT_EQ(::futimens(writer_.get(), times.data()), 0);
  EXPECT_TRUE(file.is_changed());
}

/// The page was dirty when the file was opened: without fdatasync the system notes no time of a later write.
TEST_F(InputFileTest, IsChangedThroughAMapThatWasDirtyBefore) {
  auto* const map = static_cast<volatile char*>(
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, writer_.get(), 0));
  ASSERT_NE(map, MAP_FAILED);
  map[1000] = 'x';
  {
    const InputFile file(path_);
    EXPECT_FALSE(file.is_changed());
    map[1000] = 'y';
    if (file.notes_every_write()) {
      EXPECT_TRUE(file.is_changed());
    }
  }
  ::munmap(const_cast<char*>(map), kBytes);
}

}  // namespace
}  // namespace foretile::input_file_test
