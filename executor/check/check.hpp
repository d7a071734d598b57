// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Is the product right? All ranks together.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/id.hpp"
#include "executor/backends/host_store.hpp"
#include "executor/check/freivalds.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// Result of the check of C; the same on all ranks.
struct CheckResult {
  /// A tile of C and who holds it.
  struct Place {
    std::int32_t row = 0;     ///< tile row of C
    std::int32_t column = 0;  ///< tile column of C
    Rank rank = 0;            ///< the rank that holds the tile
  };
  std::string_view method;     ///< "freivalds" or "freivalds + reference"
  double relative_error = 0;   ///< of the worst tile of C, by its own norm (see TileErrors), or of given
                               ///< numbers by the sizes of the terms; may be infinite
  double allowed_error = 0;    ///< of this problem's largest tile sums
  std::optional<Place> worst;  ///< nothing without tiles of C
  std::string c_digest;        ///< of all bits of C, whatever rank holds them; see digest_of_c()

  /// Whether the error is within what rounding explains.
  bool passed() const { return relative_error <= allowed_error; }
};

/// Throws WorkError that names the worst tile of a wrong product.
void require_passed(const CheckResult& check);

/// Puts the worst tile of all ranks into the result; of equal ones the lowest rank's. Collective.
void find_worst(const Contraction& contraction, const TileErrors& mine, MPI_Comm communicator,
                CheckResult& result);

/// Of all bits of C, 16 hexadecimal digits, whatever rank holds which tile. Collective.
std::string digest_of_c(const HostStore& host, MPI_Comm communicator);

/// What the check may use.
struct CheckOptions {
  FreivaldsOptions freivalds;  ///< threads and memory of Freivalds' test
  /// When no rank has more flops, tiles are also compared with a reference; its speed is about 0.2 Gflop/s.
  double reference_flops = 1e8;
};

/// Judges each tile of C by Freivalds' test and, where the problem is small, against a reference; the larger
/// error of the two counts. Throws WorkError on all ranks when tiles of C are missing or held twice. When it
/// fails on a rank, for want of memory, all ranks throw as agree() has it. Collective.
CheckResult check_product(const Contraction& contraction, const HostStore& host, MPI_Comm communicator,
                          const CheckOptions& options = {});

}  // namespace foretile
