// SPDX-License-Identifier: BSD-3-Clause
// MPI from start to end, and agreement of all ranks on errors.
#pragma once

#include <mpi.h>

#include <exception>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "base/id.hpp"
#include "executor/mpi/communicator.hpp"

namespace foretile {

/// For programs that call foretile as a library. Where MPI was started for one thread, that is said once.
/// Where it is not initialized, this does it, and exit() finalizes it. Throws InputError.
void require_mpi_ready();

/// Initializes MPI; finalizes it when it goes.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// All ranks, numbered node by node as plans number them, however the launcher placed them.
  MPI_Comm world() const { return world_; }
  Rank rank() const { return rank_; }
  int size() const { return size_; }

 private:
  MPI_Comm world_ = MPI_COMM_NULL;
  Rank rank_ = 0;
  int size_ = 1;
};

/// Before this rank ends the job. Hydra 4.0 ends a failed job at once and may drop what it has not yet read
/// of a rank's standard error. Needs no memory.
void let_message_arrive();

/// What PMI_Abort would write to mpiexec (PMI version 1, MPICH and its kin). Needs no memory. False where the
/// job was started otherwise.
bool ask_for_abort(int exit_code);

/// Ends all ranks, also those that wait in MPI_Finalize(), in which MPI_Abort() may wait for them. Temporary
/// files go, and lines that were printed arrive. Needs no memory.
[[noreturn]] void abort_job(MPI_Comm communicator, int exit_code);

/// Another rank failed and tells of it; this one ends with the same exit code, without a word.
struct FailedElsewhere {
  int exit_code = 1;
  std::string text = {};      ///< of that rank's error, where it is known
  bool lacks_memory = false;  ///< that error is MissingMemory
};

/// This rank's error, of which all others know.
struct AgreedError {
  std::exception_ptr error;
};

/// Calls take(text in one line), also where it is no std::exception. Needs no memory.
void with_text_of(const std::exception_ptr& error, const std::function<void(const char*)>& take);
std::string text_of(const std::exception_ptr& error);

/// See agree().
void agree_on(MPI_Comm communicator, const std::function<void()>& step);

/// Runs `step` on every rank. When it throws anywhere, the lowest such rank throws its error as AgreedError
/// and all others throw FailedElsewhere. Collective; `step` itself must not be. Needs memory only in `step`:
/// a rank that has none would leave the others waiting.
template <class Step>
void agree(MPI_Comm communicator, const Step& step) {
  agree_on(communicator, std::cref(step));  // the function keeps a reference without asking for memory
}
template <class Step>
void agree(const MpiSession& session, const Step& step) {
  agree(session.world(), step);
}

/// The same for callers of a library.
class OtherRankFailed : public WorkError {
 public:
  explicit OtherRankFailed(const FailedElsewhere& elsewhere)
      : WorkError("another rank failed; its error says why"),
        exit_code(elsewhere.exit_code),
        text(elsewhere.text),
        lacks_memory(elsewhere.lacks_memory) {}
  int exit_code;
  std::string text;   ///< of that rank's error
  bool lacks_memory;  ///< that error is MissingMemory
};

/// What the ranks agreed on, for callers of a library: the rank's own error, or OtherRankFailed.
template <class Work>
auto with_agreed_errors(const Work& work) {
  try {
    return work();
  } catch (const AgreedError& error) {
    std::rethrow_exception(error.error);
  } catch (const FailedElsewhere& elsewhere) {
    throw OtherRankFailed(elsewhere);
  }
}

/// Runs `step` on every rank, which must not be collective; where it throws on one, all ranks throw.
template <class Step>
void on_all(MPI_Comm communicator, const Step& step) {
  with_agreed_errors([&] { agree(communicator, step); });
}

/// The other rank's error as if it were this one's.
[[noreturn]] void throw_as_own(const OtherRankFailed& other);

/// Whether this exception is one that agree() threw as AgreedError, though with_agreed_errors() took that
/// off.
bool is_agreed(const std::exception_ptr& error);

/// The other way: calls of the library in a program that guards its ranks. An error that the ranks agreed on
/// is AgreedError again, whatever its type: the others end without waiting for this rank.
template <class Work>
auto with_guarded_errors(const Work& work) {
  try {
    return work();
  } catch (const OtherRankFailed& other) {
    throw FailedElsewhere{other.exit_code, other.text, other.lacks_memory};
  } catch (...) {
    if (is_agreed(std::current_exception())) throw AgreedError{std::current_exception()};
    throw;
  }
}

}  // namespace foretile
