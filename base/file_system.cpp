// SPDX-License-Identifier: BSD-3-Clause
#include "base/file_system.hpp"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace foretile {

namespace {

// Numbers from statfs(2). The others belong to one system, too, but do not note writes to mapped memory.
/// ext4, XFS, Btrfs, F2FS.
constexpr std::array<std::uint32_t, 4> kNoting{0xef53, 0x58465342, 0x9123683e, 0xf2f52010};
/// tmpfs, overlayfs, ZFS, ramfs.
constexpr std::array<std::uint32_t, 4> kOthers{0x01021994, 0x794c7630, 0x2fc12fc1, 0x858458f6};

template <std::size_t size>
bool is_in(const std::array<std::uint32_t, size>& list, std::uint32_t file_system) {
  return std::ranges::find(list, file_system) != list.end();
}

}  // namespace

std::uint32_t file_system_of(int file) {
  struct statfs facts = {};
  return ::fstatfs(file, &facts) == 0 ? static_cast<std::uint32_t>(facts.f_type) : 0;
}

bool notes_every_write(std::uint32_t file_system) {
  return is_in(kNoting, file_system);
}

bool has_locks_of_all(std::uint32_t file_system) {
  return is_in(kNoting, file_system) || is_in(kOthers, file_system);
}

}  // namespace foretile
