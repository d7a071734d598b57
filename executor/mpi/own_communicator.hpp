// SPDX-License-Identifier: BSD-3-Clause
// What an object needs whose runs are collective and whose errors must not leave other ranks waiting.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "executor/mpi/communicator.hpp"
#include "executor/mpi/session.hpp"

namespace foretile {

/// A duplicate of the caller's, whose errors come back as codes. All objects on a communicator share one,
/// because MPI has few: it lives as long as the caller's communicator and the last of them.
class OwnCommunicator {
 public:
  /// Collective. Throws InputError where `given` cannot be used, WorkError where MPI has no more. What a rank
  /// lacks memory for is thrown on all of them.
  explicit OwnCommunicator(MPI_Comm given);
  MPI_Comm get() const;

  class Duplicate;

 private:
  std::shared_ptr<const Duplicate> duplicate_;
};

/// For a rank whose caller named no object: the duplicate on which other ranks may wait for it.
/// MPI_COMM_NULL where that is not sure: there is none of several ranks, there are more, or the process asked
/// for one and got none.
MPI_Comm only_own_communicator();

/// Whether all ranks have this number. Collective.
inline bool is_same_on_all(MPI_Comm communicator, std::uint64_t mine, const char* what) {
  std::array<std::uint64_t, 2> ends{mine, ~mine};  // the largest, and the complement of the least
  all_reduce(std::span(ends), MPI_MAX, communicator, what);
  return ends[0] == ~ends[1];
}

/// Prints the line and ends all ranks.
[[noreturn]] void end_job(MPI_Comm communicator, const std::string& line, int exit_code);

/// Prints this rank's error and ends all ranks. Needs no memory.
[[noreturn]] void end_job(MPI_Comm communicator, const std::exception_ptr& error) noexcept;

/// Another rank says why and ends the job; this one does where it outlives that.
[[noreturn]] void await_end_of_job(MPI_Comm communicator, int exit_code);

/// An error that this rank alone has would leave the others waiting: it ends the job. What the ranks agreed
/// on is thrown.
template <class Run>
auto run_or_end(MPI_Comm communicator, const Run& run) {
  try {
    return run();
  } catch (const AgreedError&) {
    throw;
  } catch (const FailedElsewhere&) {
    throw;
  } catch (...) {
    end_job(communicator, std::current_exception());
  }
}

/// The same for a call of the library that makes collective calls of it, for its callers.
template <class Run>
auto agreed_or_end(MPI_Comm communicator, const Run& run) {
  return with_agreed_errors(
      [&] { return run_or_end(communicator, [&] { return with_guarded_errors(run); }); });
}

}  // namespace foretile
