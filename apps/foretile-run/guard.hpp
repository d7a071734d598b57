// What fails on one rank alone must end all of them.
#pragma once

#include <functional>

#include "executor/mpi/session.hpp"

namespace foretile {

/// Runs `work` from the start of MPI to its end. An error that the ranks agreed on (see agree()) is thrown
/// on; any other prints one line and aborts the whole job with exit code 1.
void run_guarded(const std::function<void(const MpiSession&)>& work);

}  // namespace foretile
