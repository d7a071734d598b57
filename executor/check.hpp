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

/// The largest relative error of a right product. A sum of r terms of random sign is off by about u sqrt(r /
/// 6) of itself, where u = 2^-53 or 2^-24 and r is the larger of a product's k and the number of products of
/// a tile of C. In double 1e-12 is enough for r = 5e8, in single precision 1e-5 for r = 170000; numbers cut
/// to a shorter format, such as the 11 bits of TF32, are off by more than 1e-4.
double allowed_error(Precision precision);

/// Freivalds' test (R. Freivalds, Probabilistic machines can use less running time, IFIP 1977) restricted to
/// the tiles of C that are kept: for a random x, the sum over a rank's tiles C_ij of C_ij x_j is compared
/// with the sum over k of A_ik (sum over the same j of B_kj x_j), plus the initial C_ij x_j where C += A B.
/// A, B and the initial C are made anew from the seed, so a tile damaged on its way shows. When a rank's
/// flops are at most `reference_flops`, its tiles are also compared with the sum of products in extended
/// precision. In single precision both tests compute in double. Throws WorkError on all ranks when tiles of C
/// are missing. Collective.
CheckResult check_product(const Contraction& contraction, const HostStore& host, MPI_Comm communicator,
                          double reference_flops = 2e9);

}  // namespace foretile
