// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a communicator as a machine.
#pragma once

#include <mpi.h>

#include <string>

#include "executor/mpi/communicator.hpp"
#include "platforms/loader.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// All ranks on nodes of this platform. An estimate of `here` has `cores`: see cores_of_node(), which is
/// collective; this is not. Throws InputError as load_platform() and make_machine().
inline Machine machine_of(MPI_Comm communicator, const std::string& platform, int cores) {
  return make_machine(load_platform(platform, {}, cores),
                      {.nodes = {}, .ranks = size_of(communicator), .gpus = {}});
}

}  // namespace foretile
