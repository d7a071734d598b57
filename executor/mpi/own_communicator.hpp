// SPDX-License-Identifier: BSD-3-Clause
// What an object needs whose runs are collective and whose errors must not leave other ranks waiting.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <span>

#include "executor/mpi/communicator.hpp"
#include "executor/mpi/session.hpp"

namespace foretile {

/// A duplicate of the caller's, whose errors come back as codes.
class OwnCommunicator {
 public:
  explicit OwnCommunicator(MPI_Comm given) {
    require_mpi_ready();
    MPI_Request request = MPI_REQUEST_NULL;
    require_mpi(MPI_Comm_idup(given, &communicator_, &request), "communicator");
    wait_quietly(request, "communicator");
    place_on_node(communicator_);
    require_mpi(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN), "communicator");
  }
  ~OwnCommunicator() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized) MPI_Comm_free(&communicator_);
  }
  OwnCommunicator(const OwnCommunicator&) = delete;
  OwnCommunicator& operator=(const OwnCommunicator&) = delete;
  MPI_Comm get() const { return communicator_; }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

/// Whether all ranks have this number. Collective.
inline bool is_same_on_all(MPI_Comm communicator, std::uint64_t mine, const char* what) {
  std::array<std::uint64_t, 2> ends{mine, ~mine};  // the largest, and the complement of the least
  all_reduce(std::span(ends), MPI_MAX, communicator, what);
  return ends[0] == ~ends[1];
}

/// An error that this rank alone has would leave the others waiting for its tiles: it ends the job.
template <class Run>
auto run_or_end(MPI_Comm communicator, const Run& run) {
  try {
    return run();
  } catch (const AgreedError&) {
    throw;
  } catch (const FailedElsewhere&) {
    throw;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "foretile: rank %d: %s; the job ends\n", static_cast<int>(rank_in(communicator)),
                 error.what());
    MPI_Abort(communicator, 1);
    throw;
  }
}

}  // namespace foretile
