// MPI from start to end, and agreement of all ranks on errors.
#pragma once

#include <mpi.h>

#include <exception>
#include <functional>

#include "base/id.hpp"
#include "executor/mpi/communicator.hpp"

namespace foretile {

/// Initializes MPI; finalizes it when it goes.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  MPI_Comm world() const { return MPI_COMM_WORLD; }
  Rank rank() const { return rank_; }
  int size() const { return size_; }

 private:
  Rank rank_ = 0;
  int size_ = 1;
};

/// Another rank failed and tells of it; this one ends with the same exit code, without a word.
struct FailedElsewhere {
  int exit_code = 1;
};

/// This rank's error, of which all others know.
struct AgreedError {
  std::exception_ptr error;
};

/// Runs `step` on every rank. When it throws anywhere, the lowest such rank throws its error as AgreedError
/// and all others throw FailedElsewhere. Collective; `step` itself must not be.
void agree(MPI_Comm communicator, const std::function<void()>& step);
inline void agree(const MpiSession& session, const std::function<void()>& step) {
  agree(session.world(), step);
}

}  // namespace foretile
