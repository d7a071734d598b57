// Is the product right?
#pragma once

#include <mpi.h>

#include <string>

#include "executor/host_store.hpp"
#include "planner/contraction.hpp"

namespace foretile {

struct CheckResult {
  std::string method;         ///< "freivalds" or "freivalds + reference"
  double relative_error = 0;  ///< the larger of both, in the 2-norm over all ranks' tiles
  std::string c_digest;       ///< of all bits of C, whatever rank holds them
};

/// Freivalds' test (R. Freivalds, Probabilistic machines can use less running time, IFIP 1977) restricted to
/// the tiles of C that are kept: for a random x, the sum over a rank's tiles C_ij of C_ij x_j is compared
/// with the sum over k of A_ik (sum over the same j of B_kj x_j), plus the initial C_ij x_j where C += A B.
/// A, B and the initial C are made anew from the seed, so a tile damaged on its way shows. When a rank's
/// flops are at most `reference_flops`, its tiles are also compared with the sum of products in extended
/// precision. Throws WorkError on all ranks when tiles of C are missing. Collective.
CheckResult check_product(const Contraction& contraction, const HostStore& host, MPI_Comm communicator,
                          double reference_flops = 2e9);

}  // namespace foretile
