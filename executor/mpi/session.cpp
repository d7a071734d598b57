// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/missing_memory.hpp"
#include "base/one_line.hpp"
#include "base/temporary_files.hpp"

namespace foretile {

namespace {

void finalize_mpi() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Finalize();
}

/// MPI_Init() may give MPI_THREAD_SINGLE. Only the calling thread uses MPI, so that is enough in practice.
/// Once, by the first rank.
void say_that_mpi_knows_no_threads() {
  static bool said = false;
  if (std::exchange(said, true) || rank_in(MPI_COMM_WORLD) != 0) return;
  std::fputs(
      "foretile: MPI was started by MPI_Init() for one thread; foretile has others, which do not use MPI. "
      "MPI_Init_thread() with MPI_THREAD_FUNNELED is what MPI asks for\n",
      stderr);
}

/// A program without MPI of its own gets it, until it ends.
void start_mpi() {
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  std::atexit(finalize_mpi);
}

}  // namespace

void require_mpi_ready() {
  int initialized = 0, finalized = 0, level = 0, main_thread = 0;
  MPI_Finalized(&finalized);
  if (finalized)
    throw input_error("MPI", "finalized", "MPI as long as products run", "call MPI_Finalize() at the end");
  MPI_Initialized(&initialized);
  if (!initialized) start_mpi();
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&main_thread);
  if (level < MPI_THREAD_FUNNELED) say_that_mpi_knows_no_threads();
  if (!main_thread && level < MPI_THREAD_SERIALIZED)
    throw input_error("MPI", "another thread than the one that initialized it", "the same",
                      "ask MPI_Init_thread() for MPI_THREAD_SERIALIZED");
}

namespace {

/// Throws on all ranks: they have one library. The first says so.
void require_threads(int provided) {
  if (provided >= MPI_THREAD_FUNNELED) return;
  const Rank rank = rank_in(MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank != 0) throw FailedElsewhere{2};
  throw input_error("MPI", "a library without threads", "MPI_THREAD_FUNNELED",
                    "take another MPI, such as MPICH");
}

}  // namespace

MpiSession::MpiSession() {
  int provided = 0;
  require_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "start");
  require_threads(provided);
  require_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "start");
  world_ = node_by_node(MPI_COMM_WORLD, first_rank_of_node(MPI_COMM_WORLD));
  rank_ = rank_in(world_);
  size_ = size_of(world_);
}

MpiSession::~MpiSession() {
  MPI_Comm_free(&world_);
  MPI_Finalize();
}

void let_message_arrive() {
  std::fflush(nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

bool ask_for_abort(int exit_code) {
  const char* const descriptor = std::getenv("PMI_FD");
  if (!descriptor) return false;
  return ::dprintf(std::atoi(descriptor), "cmd=abort exitcode=%d\n", exit_code) > 0;
}

void abort_job(MPI_Comm communicator, int exit_code) {
  remove_temporary_files();  // also those of rank 0, which gets no time
  let_message_arrive();
  if (!ask_for_abort(exit_code)) MPI_Abort(communicator, exit_code);
  constexpr unsigned kWaitForLauncher_s = 10;
  ::sleep(kWaitForLauncher_s);
  ::_exit(exit_code);
}

namespace {

/// This rank's last error of which all ranks know.
std::exception_ptr& last_agreed() {
  static std::exception_ptr error;
  return error;
}

}  // namespace

void with_text_of(const std::exception_ptr& error, const std::function<void(const char*)>& take) {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    take("memory is used up");
  } catch (const std::exception& known) {
    take(known.what());
  } catch (...) {
    take("an exception of an unknown type");
  }
}

std::string text_of(const std::exception_ptr& error) {
  std::string text;
  with_text_of(error, [&](const char* of_error) { text = of_error; });
  return text;
}

void throw_as_own(const OtherRankFailed& other) {
  if (other.lacks_memory) throw MissingMemory(InputError(other.text));
  if (other.exit_code == 2) throw InputError(other.text);
  throw WorkError(other.text);
}

bool is_agreed(const std::exception_ptr& error) {
  return error && error == last_agreed();
}

namespace {

/// What the others learn of an error.
struct FailureNote {
  unsigned char exit_code = 0;
  bool lacks_memory = false;
  std::array<char, kLongestMessage + 1> text{};
};

/// Needs no memory where there may be none.
FailureNote note_of(const std::exception_ptr& error) noexcept {
  FailureNote note;
  try {
    std::rethrow_exception(error);
  } catch (const MissingMemory&) {
    note.exit_code = 2;
    note.lacks_memory = true;
  } catch (const InputError&) {
    note.exit_code = 2;
  } catch (...) {
    note.exit_code = 1;
  }
  with_text_of(error,
               [&](const char* text) { std::snprintf(note.text.data(), note.text.size(), "%s", text); });
  return note;
}

/// `note` of the one rank that has one. A reduction that is as short as others before uses connections that
/// they opened: where memory is used up, MPI cannot open any, and a broadcast from this rank would wait for
/// ever.
FailureNote shared_note(FailureNote note, MPI_Comm communicator) {
  static_assert(sizeof(FailureNote) <= 2048);  // MPICH reduces what is longer in another way
  all_reduce(&note, sizeof note, MPI_BYTE, MPI_BOR, communicator, "agreement");
  return note;
}

}  // namespace

void agree_on(MPI_Comm communicator, const std::function<void()>& step) {
  const Rank rank = rank_in(communicator);
  const int size = size_of(communicator);
  std::exception_ptr mine;
  try {
    step();
  } catch (...) {
    mine = std::current_exception();
  }
  const int first = all_reduced(mine ? static_cast<int>(rank) : size, MPI_MIN, communicator, "agreement");
  if (first == size) return;
  const FailureNote note = shared_note(first == rank ? note_of(mine) : FailureNote{}, communicator);
  if (first == rank) {
    last_agreed() = mine;
    throw AgreedError{mine};
  }
  throw FailedElsewhere{note.exit_code, note.text.data(), note.lacks_memory};
}

}  // namespace foretile
