// SPDX-License-Identifier: BSD-3-Clause
#include "base/temporary_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace foretile {

namespace {

enum class State { free, changing, live };

struct Slot {
  std::atomic<State> state{State::free};
  pid_t process = 0;
  int folder = -1;
  std::array<char, 256> name{};
};
static_assert(std::atomic<State>::is_always_lock_free);  // a signal handler reads it

std::array<Slot, 64> slots;

int claim_slot() noexcept {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    State expected = State::free;
    if (slots[i].state.compare_exchange_strong(expected, State::changing)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

TemporaryFileEntry::TemporaryFileEntry(int folder, const char* name) noexcept {
  const std::size_t length = std::strlen(name);
  if (length >= Slot{}.name.size() || (slot_ = claim_slot()) < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  slot.process = ::getpid();
  slot.folder = folder;
  std::memcpy(slot.name.data(), name, length + 1);
  slot.state = State::live;
}

TemporaryFileEntry::~TemporaryFileEntry() {
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].state = State::free;
}

TemporaryFileOfOthers::TemporaryFileOfOthers(const std::filesystem::path& file)
    : folder_(::open(file.parent_path().empty() ? "." : file.parent_path().c_str(),
                     O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_) entry_.emplace(folder_.get(), file.filename().c_str());
}

TemporaryFileOfOthers::~TemporaryFileOfOthers() {
  if (!entry_ || std::uncaught_exceptions() == exceptions_before_) return;
  entry_->outlive();
  folder_.release();
}

void remove_temporary_files() noexcept {
  const int saved = errno;
  const pid_t process = ::getpid();
  for (const Slot& slot : slots) {
    if (slot.state == State::live && slot.process == process) ::unlinkat(slot.folder, slot.name.data(), 0);
  }
  errno = saved;
}

}  // namespace foretile
