// SPDX-License-Identifier: BSD-3-Clause
// The terminal of a job: that of mpiexec.
#pragma once

#include "base/progress.hpp"

namespace foretile {

/// stderr where it is a terminal. A rank's stderr is a pipe to mpiexec: then the terminal that is mpiexec's
/// stderr, where mpiexec runs on this node and started the rank itself. Nowhere when either was redirected,
/// when a script stands between the two, or without /proc.
ProgressTerminal job_terminal();

}  // namespace foretile
