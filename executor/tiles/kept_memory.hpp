// SPDX-License-Identifier: BSD-3-Clause
// Memory of tiles that stays with its owner from run to run.
#pragma once

#include <cstddef>
#include <map>
#include <memory_resource>
#include <vector>

namespace foretile {

/// Keeps what is given back for the next request of the same size, so that a second run of a plan, which asks
/// for the same sizes, finds memory that was touched before: a first touch costs as much as making the
/// numbers. All goes back to `upstream` when this goes; nothing may be in use then. For one thread.
class KeptMemory final : public std::pmr::memory_resource {
 public:
  explicit KeptMemory(std::pmr::memory_resource* upstream) : upstream_(upstream) {}
  ~KeptMemory() override;
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

 private:
  /// Of one alignment: that of tiles and slabs.
  static constexpr std::size_t kAlignment = 64;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* upstream_;
  std::map<std::size_t, std::vector<void*>> free_;  // by size
};

}  // namespace foretile
