// SPDX-License-Identifier: BSD-3-Clause
// What an object needs whose runs are collective and whose errors must not leave other ranks waiting.
#pragma once

#include <fmt/format.h>
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
  /// Collective. Throws InputError where `given` cannot be used, WorkError where MPI has no more.
  explicit OwnCommunicator(MPI_Comm given);
  MPI_Comm get() const { return *communicator_; }

 private:
  std::shared_ptr<const MPI_Comm> communicator_;
};

/// Whether all ranks have this number. Collective.
inline bool is_same_on_all(MPI_Comm communicator, std::uint64_t mine, const char* what) {
  std::array<std::uint64_t, 2> ends{mine, ~mine};  // the largest, and the complement of the least
  all_reduce(std::span(ends), MPI_MAX, communicator, what);
  return ends[0] == ~ends[1];
}

/// Prints the line and ends all ranks.
[[noreturn]] void end_job(MPI_Comm communicator, const std::string& line, int exit_code);

/// Another rank says why and ends the job; this one does where it outlives that.
[[noreturn]] void await_end_of_job(MPI_Comm communicator, int exit_code);

/// An error that this rank alone has would leave the others waiting for its tiles: it ends the job.
template <class Run>
auto run_or_end(MPI_Comm communicator, const Run& run) {
  try {
    return run();
  } catch (const AgreedError&) {
    throw;
  } catch (const FailedElsewhere&) {
    throw;
  } catch (...) {
    end_job(communicator,
            fmt::format("foretile: rank {}: {}; the job ends", rank_in(communicator),
                        text_of(std::current_exception())),
            1);
  }
}

}  // namespace foretile
