// SPDX-License-Identifier: BSD-3-Clause
// What a kind of file system does.
#pragma once

#include <cstdint>

namespace foretile {

/// The `f_type` of statfs(2), which names the kind of file system; 0 where the system does not say.
std::uint32_t file_system_of(int file);

/// Whether each write to a file, by whomever, changes its times.
bool notes_every_write(std::uint32_t file_system);

/// Whether one system alone uses it, so that its locks are known to all. On NFS or Lustre locks may hold on
/// one node only, as they are mounted (local_lock, localflock).
bool has_locks_of_all(std::uint32_t file_system);

}  // namespace foretile
