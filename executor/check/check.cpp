// SPDX-License-Identifier: BSD-3-Clause
#include "executor/check/check.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/random.hpp"
#include "executor/check/reference.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/session.hpp"

namespace foretile {

namespace {

/// Sums of numbers per tile do not depend on which rank holds which tile.
std::uint64_t sum_over_ranks(std::uint64_t mine, MPI_Comm communicator) {
  return all_reduced(mine, MPI_SUM, communicator, "check");
}

std::uint64_t digest_of(const Contraction& p, const TilesOfC& c) {
  std::uint64_t sum = 0;
  for (const auto& [id, found] : c) {
    const TileBuffer buffer = gapless_c(p, id, found);
    const std::string_view bytes(reinterpret_cast<const char*>(buffer.data()), buffer.bytes().size());
    sum += counter_bits(std::stoull(digest(bytes), nullptr, 16), static_cast<std::uint64_t>(id));
  }
  return sum;
}

/// A set of tiles of C: how many, and a sum of numbers that stand for them.
struct TileSet {
  std::int64_t tiles = 0;
  std::uint64_t mark = 0;
  void add(TileId c) {
    ++tiles;
    mark += counter_bits(0xc, static_cast<std::uint64_t>(c));
  }
  bool operator==(const TileSet&) const = default;
};

/// Tiles of C with a product.
TileSet wanted_tiles(const Contraction& p) {
  TileSet set;
  const Shape wanted = symbolic_product(p.a, p.b, 0.0, &p.c);
  for (TileId id = 0; id < wanted.nonzeros(); ++id)
    set.add(*p.c.find(wanted.row_of(id), wanted.column_of(id)));
  return set;
}

/// Each must be on one rank.
void require_all_tiles(const Contraction& p, const TilesOfC& c, MPI_Comm communicator) {
  TileSet wanted;
  agree(communicator, [&] { wanted = wanted_tiles(p); });
  TileSet mine;
  for (const auto& [id, buffer] : c) mine.add(id);
  const TileSet held{static_cast<std::int64_t>(sum_over_ranks(mine.tiles, communicator)),
                     sum_over_ranks(mine.mark, communicator)};
  if (held.tiles < wanted.tiles)
    throw WorkError(fmt::format("{} tiles of C are missing after the run", wanted.tiles - held.tiles));
  if (held != wanted)
    throw WorkError(fmt::format("the ranks hold {} tiles of C after the run, expected each of {} once",
                                held.tiles, wanted.tiles));
}

}  // namespace

void require_passed(const CheckResult& check) {
  if (check.passed()) return;
  std::string error = fmt::format("relative error {:.2e}", check.relative_error);
  if (check.worst)
    error += fmt::format(" in tile C({}, {}) on rank {}", check.worst->row, check.worst->column,
                         check.worst->rank);
  if (!std::isfinite(check.relative_error))
    error += " (are A and B finite, and small enough for C? the check for finite numbers says)";
  throw WorkError(
      fmt::format("the product is wrong: {}, at most {:.1e} expected", error, check.allowed_error));
}

void find_worst(const Contraction& p, const TileErrors& mine, MPI_Comm communicator, CheckResult& result) {
  struct {
    double error;
    int rank;
  } worst{mine.largest, rank_in(communicator)};
  all_reduce(&worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, communicator, "check");
  const std::int64_t tile = broadcast(mine.worst, worst.rank, communicator, "check");
  if (tile < 0) return;
  result.relative_error = worst.error;
  result.worst = {p.c.row_of(tile), p.c.column_of(tile), Rank::of(worst.rank)};
}

std::string digest_of_c(const HostStore& host, MPI_Comm communicator) {
  return fmt::format("{:016x}", sum_over_ranks(digest_of(host.contraction(), host.c), communicator));
}

CheckResult check_product(const Contraction& contraction, const HostStore& host, MPI_Comm communicator,
                          const CheckOptions& options) {
  require_all_tiles(contraction, host.c, communicator);
  TileErrors errors;
  agree(communicator, [&] { errors = freivalds(contraction, host.c, options.freivalds); });
  std::array<double, 2> most{errors.flops, errors.longest_sum};
  all_reduce(std::span(most), MPI_MAX, communicator, "check");
  const bool small = most[0] <= options.reference_flops;
  if (small) agree(communicator, [&] { errors.add(compare_with_reference(contraction, host.c)); });
  CheckResult result;
  find_worst(contraction, errors, communicator, result);
  result.method = small ? "freivalds + reference" : "freivalds";
  result.allowed_error = allowed_error(contraction.precision, most[1]);
  result.c_digest = digest_of_c(host, communicator);
  return result;
}

}  // namespace foretile
