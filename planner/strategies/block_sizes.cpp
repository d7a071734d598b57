// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/block_sizes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/missing_memory.hpp"
#include "base/quantity.hpp"
#include "planner/plan/owners.hpp"
#include "planner/strategies/stream_bytes.hpp"

namespace foretile {

namespace {

/// Blocks of one size, with the chunks as shallow as they may be.
struct Option {
  Blocking blocking;
  std::int32_t X, Y;
  std::int64_t c_bytes;
  std::vector<std::int64_t> chunks;

  /// Section 3.2.4: 1 in case c1, 2 in case c2.
  int usual_lookahead() const { return X == 1 && Y == 1 ? 1 : 2; }
};

class Chooser {
 public:
  Chooser(const Contraction& p, const ProcessGrid& grid, int devices, std::int64_t device_bytes,
          const BlockSizeWishes& wishes)
      : p_(p),
        wishes_(wishes),
        device_bytes_(device_bytes),
        c_limit_(wishes.c_fraction * static_cast<double>(device_bytes)),
        complete_(p.a.nonzeros() == TileId{p.m.tiles()} * p.k.tiles() &&
                  p.b.nonzeros() == TileId{p.k.tiles()} * p.n.tiles()) {
    list_options(grid, devices);
    if (wishes.host_bytes) own_bytes_ = most_owned(p, grid, wishes.b_stays) + most_parts(grid);
  }

  BlockSizes choose() const {
    if ((wishes_.b || wishes_.b_stays) && wishes_.c && wishes_.d && wishes_.lookahead)
      return deepen(options_.front(), *wishes_.lookahead);
    for (const bool within_limit : {true, false}) {
      for (const int at_least : {1, 0}) {
        if (const Option* const option = first_that_fits(within_limit, at_least)) {
          return deepen(*option, largest_lookahead(*option));
        }
      }
    }
    refuse();
  }

 private:
  void list_options(const ProcessGrid& grid, int devices) {
    depth_ = std::max(1, most_owned(p_.k.tiles(), grid.r));
    const std::int32_t rows = std::max(1, most_owned(p_.m.tiles(), grid.p));
    const std::int32_t columns = std::max(1, most_owned(p_.n.tiles(), grid.q));
    for (std::int32_t f = 1; f <= std::max(rows, columns); ++f) {
      const int down = wishes_.device_rows;
      const int across = devices / (down * wishes_.device_layers);
      const Blocking blocking{
          grid,
          devices,
          wishes_.b_stays ? rows
                          : std::min(rows, wishes_.b.value_or(down * most_owned(most_owned(rows, f), down))),
          std::min(columns, wishes_.c.value_or(across * most_owned(most_owned(columns, f), across))),
          down,
          wishes_.device_layers};
      if (!options_.empty() && options_.back().blocking.b == blocking.b &&
          options_.back().blocking.c == blocking.c) {
        continue;
      }
      options_.push_back({blocking,
                          most_owned(rows, blocking.b),
                          most_owned(columns, blocking.c),
                          block_bytes(p_, blocking, wishes_.b_stays),
                          {}});
      const StreamBytes streams(p_, blocking, wishes_.b_stays);
      options_.back().chunks = streams.chunks(least_depth());
      // Smaller blocks need not be looked at.
      if (fits(options_.back(), true, 1)) return;
    }
  }

  std::int32_t depth() const { return depth_; }
  std::int32_t least_depth() const { return std::min(wishes_.d.value_or(1), depth()); }

  /// The usual one, or what of it fits.
  int largest_lookahead(const Option& option) const {
    int ahead = option.usual_lookahead();
    if (wishes_.lookahead) return *wishes_.lookahead;
    while (ahead > 0 && (in_use(option, option.chunks, ahead) > device_bytes_ ||
                         !fits_host(option, least_depth(), ahead))) {
      --ahead;
    }
    return ahead;
  }

  /// Parts of C on one rank, as many coming from another, where there are any.
  std::int64_t most_parts(const ProcessGrid& grid) const {
    if (grid.r * wishes_.device_layers == 1) return 0;
    std::vector<std::int64_t> parts(static_cast<std::size_t>(grid.p) * grid.q, 0);
    for (TileId id = 0; id < p_.c.nonzeros(); ++id)
      parts[p_.c.row_of(id) % grid.p * grid.q + p_.c.column_of(id) % grid.q] += p_.c_bytes(id);
    return (wishes_.device_layers + (grid.r > 1 ? 1 : 0)) * *std::max_element(parts.begin(), parts.end());
  }

  /// Own tiles, and received ones for 1 + lookahead steps, of which own ones are not taken off: a safe side.
  bool fits_host(const Option& option, std::int32_t d, int ahead) const {
    if (!wishes_.host_bytes) return true;
    const Blocking whole_rank{option.blocking.grid, 1, option.blocking.b, option.blocking.c};
    const auto chunks = StreamBytes(p_, whole_rank, wishes_.b_stays).chunks(d);
    const std::int64_t in_flight =
        std::min(std::int64_t{1} + ahead, std::int64_t{option.X} * option.Y * most_owned(depth(), d));
    return own_bytes_ + in_flight * *std::max_element(chunks.begin(), chunks.end()) <= *wishes_.host_bytes;
  }

  /// Most bytes in use: C, and 1 + lookahead successive chunks, or all chunks where there are fewer.
  std::int64_t in_use(const Option& option, const std::vector<std::int64_t>& chunks, int ahead) const {
    // Beside a B that stays no chunk of the next block is loaded.
    const std::int64_t blocks = wishes_.b_stays ? 1 : std::int64_t{option.X} * option.Y;
    const auto depth = static_cast<std::int64_t>(chunks.size());
    const std::int64_t in_flight = std::min(std::int64_t{1} + ahead, blocks * depth);
    return option.c_bytes * blocks_at_once(blocks, depth, ahead) + window_bytes(chunks, blocks, in_flight);
  }

  /// Blocks whose C is there at once. A sparse block may have a single chunk on some device.
  std::int64_t blocks_at_once(std::int64_t blocks, std::int64_t depth, int ahead) const {
    if (!wishes_.prefetch_c) return 1;
    return std::min(blocks, complete_ ? 1 + (ahead + depth - 1) / depth : std::int64_t{1} + ahead);
  }

  static std::int64_t window_bytes(const std::vector<std::int64_t>& chunks, std::int64_t blocks,
                                   std::int64_t in_flight) {
    if (blocks > 1) return in_flight * *std::max_element(chunks.begin(), chunks.end());
    std::vector<std::int64_t> largest(static_cast<std::size_t>(in_flight));
    std::partial_sort_copy(chunks.begin(), chunks.end(), largest.begin(), largest.end(), std::greater<>());
    return std::accumulate(largest.begin(), largest.end(), std::int64_t{0});
  }

  bool fits(const Option& option, bool within_limit, int at_least) const {
    const int ahead = wishes_.lookahead.value_or(at_least);
    return (!within_limit || static_cast<double>(option.c_bytes) <= c_limit_) &&
           in_use(option, option.chunks, ahead) <= device_bytes_;
  }

  /// The largest blocks within the limit, the smallest ones beyond it.
  const Option* first_that_fits(bool within_limit, int at_least) const {
    const auto good = [&](const Option& option) { return fits(option, within_limit, at_least); };
    if (within_limit) {
      const auto found = std::find_if(options_.begin(), options_.end(), good);
      return found == options_.end() ? nullptr : &*found;
    }
    const auto found = std::find_if(options_.rbegin(), options_.rend(), good);
    return found == options_.rend() ? nullptr : &*found;
  }

  BlockSizes deepen(const Option& option, int ahead) const {
    BlockSizes sizes{option.blocking.b, option.blocking.c, least_depth(), ahead, option.X, option.Y};
    if (!wishes_.d) {
      const StreamBytes streams(p_, option.blocking, wishes_.b_stays);
      sizes.d = depth();
      const auto too_deep = [&](std::int32_t d) {
        return in_use(option, streams.chunks(d), ahead) > device_bytes_ ||
               (d > 1 && !fits_host(option, d, ahead));
      };
      for (std::int32_t Z = 1; too_deep(sizes.d);) {
        const std::int32_t before = sizes.d;
        while (sizes.d == before) sizes.d = most_owned(depth(), ++Z);
      }
    }
    sizes.Z = most_owned(depth(), sizes.d);
    if (std::int64_t{sizes.X} * sizes.Y > std::numeric_limits<int>::max() / sizes.Z) {
      throw input_error("b, c, d", fmt::format("{} x {} blocks of {} chunks", sizes.X, sizes.Y, sizes.Z),
                        "less than 2^31 chunks", "raise b, c or d, or tile the problem coarser");
    }
    return sizes;
  }

  [[noreturn]] void refuse() const {
    const Option* least = nullptr;
    std::int64_t needed = 0;
    for (const Option& option : options_) {
      const std::int64_t bytes = in_use(option, option.chunks, wishes_.lookahead.value_or(0));
      if (!least || bytes < needed) {
        least = &option;
        needed = bytes;
      }
    }
    throw missing_memory(
        fmt::format("b={} c={} d={} lookahead={}", least->blocking.b, least->blocking.c, least_depth(),
                    wishes_.lookahead.value_or(0)),
        fmt::format("{} of {} in flight", spelled_bytes(needed),
                    wishes_.b_stays ? "B and C and of the tiles of A" : "C and of the tiles of A and B"),
        fmt::format("at most {} of device memory", spelled_bytes(device_bytes_)), needed - device_bytes_,
        advice(*least));
  }

  std::string advice(const Option& least) const {
    std::vector<std::string> lower;
    if (wishes_.b && least.blocking.b > least.blocking.device_rows) lower.emplace_back("b");
    if (wishes_.c && least.blocking.c > least.blocking.device_columns()) lower.emplace_back("c");
    if (wishes_.d && least_depth() > 1) lower.emplace_back("d");
    if (wishes_.lookahead && *wishes_.lookahead > 0) lower.emplace_back("lookahead");
    if (wishes_.prefetch_c) lower.emplace_back("prefetch_c");
    if (wishes_.b_stays && lower.empty())
      return "tile the problem finer, use more ranks or give devices more memory";
    return lower.empty() ? "tile the problem finer or give devices more memory"
                         : fmt::format("lower {}, or give devices more memory", fmt::join(lower, ", "));
  }

  const Contraction& p_;
  BlockSizeWishes wishes_;
  std::int64_t device_bytes_;
  double c_limit_;
  std::int32_t depth_ = 1;  // of a layer, in tiles
  std::int64_t own_bytes_ = 0;
  bool complete_;  // every tile of A and B is nonzero
  std::vector<Option> options_;
};

}  // namespace

BlockSizes choose_block_sizes(const Contraction& contraction, const ProcessGrid& grid, int devices,
                              std::int64_t device_bytes, const BlockSizeWishes& wishes) {
  return Chooser(contraction, grid, devices, device_bytes, wishes).choose();
}

std::int64_t most_owned(const Contraction& p, const ProcessGrid& grid, bool makes_b) {
  std::vector<std::int64_t> owned(static_cast<std::size_t>(grid.size()), 0);
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
    if (matrix == Matrix::b && makes_b) continue;
    for (TileId id = 0; id < shape_of(p, matrix).nonzeros(); ++id)
      owned[owner_of(p, grid, Distribution{}, {matrix, id})] += bytes_of(p, {matrix, id});
  }
  return *std::ranges::max_element(owned);
}

}  // namespace foretile
