// SPDX-License-Identifier: BSD-3-Clause
#include "base/file_system.hpp"

#include <gtest/gtest.h>

namespace foretile::file_system_test {
namespace {

/// By statfs(2).
TEST(FileSystem, LocksOfOtherNodesAreNotReliedOn) {
  for (const std::uint32_t local : {0xef53U, 0x58465342U, 0x9123683eU, 0x01021994U, 0x794c7630U})
    EXPECT_TRUE(has_locks_of_all(local)) << local;
  // NFS, Lustre, GPFS, BeeGFS, Ceph, CIFS, FUSE, unknown
  for (const std::uint32_t shared :
       {0x6969U, 0x0bd00bd0U, 0x47504653U, 0x19830326U, 0x00c36400U, 0xff534d42U, 0x65735546U, 0U})
    EXPECT_FALSE(has_locks_of_all(shared)) << shared;
}

TEST(FileSystem, WritesToMemoryFilesAreNotNoted) {
  EXPECT_TRUE(notes_every_write(0xef53));
  EXPECT_FALSE(notes_every_write(0x01021994));
  EXPECT_FALSE(notes_every_write(0x6969));
  EXPECT_EQ(file_system_of(-1), 0U);
}

}  // namespace
}  // namespace foretile::file_system_test
