#include "planner/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "planner/graph.hpp"
#include "planner/owners.hpp"
#include "planner/products.hpp"

namespace foretile {

namespace {

InputError broken(const std::string& where, const std::string& found, const std::string& expected,
                  const std::string& change = "this plan was not made by foretile; plan again") {
  return input_error("plan, " + where, found, expected, change);
}

/// What all other checks rely on, so that none of them counts out of bounds.
void check_frame(const Plan& plan) {
  const ProcessGrid& grid = plan.grid;
  if (grid.p < 1 || grid.q < 1 ||
      static_cast<std::int64_t>(grid.p) * grid.q != static_cast<std::int64_t>(plan.ranks.size())) {
    throw broken("grid", fmt::format("{} x {} and {} ranks", grid.p, grid.q, plan.ranks.size()),
                 "p * q ranks, p and q at least 1");
  }
  if (plan.lookahead < 0) throw broken("lookahead", fmt::format("{}", plan.lookahead), "at least 0");
  for (const auto& [name, bytes] : {std::pair("device budget", plan.device_budget_bytes),
                                    {"host budget", plan.host_budget_bytes},
                                    {"staging area", plan.staging_bytes},
                                    {"copy batch", plan.copy_batch_bytes}}) {
    if (bytes < 0) throw broken(name, fmt::format("{} bytes", bytes), "at least 0");
  }
  if (plan.staging_bytes > plan.host_budget_bytes) {
    throw input_error("plan, staging area", fmt::format("{} bytes", plan.staging_bytes),
                      fmt::format("at most the host budget of {}", plan.host_budget_bytes),
                      fmt::format("{} bytes are missing: lower staging_fraction",
                                  plan.staging_bytes - plan.host_budget_bytes));
  }
}

/// One bit for every pair of A_ik and B_kj, whether C keeps ij or not.
class ProductMarks {
 public:
  explicit ProductMarks(const Contraction& p) : p_(&p), start_(p.a.nonzeros() + 1, 0) {
    for (TileId a = 0; a < p.a.nonzeros(); ++a) {
      start_[a + 1] = start_[a] + static_cast<std::int64_t>(p.b.row(p.a.column_of(a)).size());
    }
    done_.assign(start_.back(), false);
  }

  /// False when it was marked before.
  bool mark(TileId a, const Product& product) {
    const std::int64_t bit = start_[a] + (product.b - p_->b.first(product.k));
    const bool fresh = !done_[bit];
    done_[bit] = true;
    return fresh;
  }

  /// Throws for the first product that C keeps and nobody marked.
  void require_all() const {
    for (TileId a = 0; a < p_->a.nonzeros(); ++a) {
      const std::int32_t i = p_->a.row_of(a);
      const std::int32_t k = p_->a.column_of(a);
      const auto columns = p_->b.row(k);
      for (std::size_t e = 0; e < columns.size(); ++e) {
        if (!done_[start_[a] + static_cast<std::int64_t>(e)] && p_->c.contains(i, columns[e])) {
          throw broken("product", fmt::format("no task for A({},{}) B({},{})", i, k, k, columns[e]),
                       "every nonzero product once");
        }
      }
    }
  }

 private:
  const Contraction* p_;
  std::vector<std::int64_t> start_;
  std::vector<bool> done_;
};

/// Walks one rank's blocks; keeps what concerns the rank as a whole.
class RankCheck {
 public:
  RankCheck(const Plan& plan, const Contraction& p, int rank, ProductMarks& marks, PlanSummary& summary)
      : plan_(plan), p_(p), rank_(rank), marks_(marks), summary_(summary), needs_a_(p.a.nonzeros(), 0) {}

  void run(std::vector<char>& c_owned, std::vector<double>& device_flops) {
    const RankPlan& mine = plan_.ranks[rank_];
    for (std::size_t d = 0; d < mine.devices.size(); ++d) {
      double flops = 0;
      for (std::size_t b = 0; b < mine.devices[d].blocks.size(); ++b) {
        where_ = fmt::format("rank {} device {} block {}", rank_, d, b);
        flops += block(mine.devices[d].blocks[b], c_owned);
      }
      device_flops.push_back(flops);
    }
  }

  const std::vector<char>& needs_a() const { return needs_a_; }

  void host_memory() {
    std::int64_t a_bytes = 0;
    for (TileId a = 0; a < p_.a.nonzeros(); ++a) {
      if (needs_a_[a] || owner_of(p_, plan_.grid, {Matrix::a, a}) == rank_) a_bytes += p_.a_bytes(a);
    }
    const std::int64_t staging = std::min(plan_.staging_bytes, b_bytes_);  // never more than all tiles of B
    const std::int64_t needed = a_bytes + c_bytes_ + staging;
    summary_.peak_host_bytes = std::max(summary_.peak_host_bytes, needed);
    if (needed > plan_.host_budget_bytes) {
      throw input_error(
          fmt::format("plan, rank {}", rank_),
          fmt::format("{} bytes of host memory (A {}, C {}, staging {})", needed, a_bytes, c_bytes_, staging),
          fmt::format("at most {}", plan_.host_budget_bytes),
          fmt::format(
              "{} bytes are missing: use more ranks, raise grid.p (fewer tiles of A per rank) or lower "
              "staging_fraction",
              needed - plan_.host_budget_bytes));
    }
    if (largest_b_ > plan_.staging_bytes) {
      throw input_error(
          fmt::format("plan, rank {}", rank_), fmt::format("a tile of B of {} bytes", largest_b_),
          fmt::format("at most the staging area of {} bytes", plan_.staging_bytes),
          fmt::format("{} bytes are missing: raise staging_fraction", largest_b_ - plan_.staging_bytes));
    }
  }

 private:
  void check_block(const Block& block) const {
    std::int32_t least = 0;
    for (const std::int32_t j : block.columns) {
      if (j < least || j >= p_.n.tiles()) {
        throw broken(where_, fmt::format("column {}", j),
                     fmt::format("increasing columns below {}", p_.n.tiles()));
      }
      least = j + 1;
    }
    if (block.chunks.empty()) throw broken(where_, "no chunks", "at least one");
  }

  double block(const Block& block, std::vector<char>& c_owned) {
    check_block(block);
    const BlockProducts products(p_, block.columns);
    std::vector<char> uses_b(products.b_slots(), 0);
    std::vector<char> uses_c(products.c_slots(), 0);
    double flops = 0;
    for (const Chunk& chunk : block.chunks) {
      // A device moves on when a chunk's products are done: each tile must have one.
      if (chunk.a.empty()) throw broken(where_, "a chunk without tiles", "at least one tile of A");
      for (const TileId a : chunk.a) {
        if (a < 0 || a >= p_.a.nonzeros())
          throw broken(where_, fmt::format("A tile {}", a), "a nonzero tile");
        if (!products.any(a))
          throw broken(where_, fmt::format("A tile {} without a product", a), "only tiles that are used");
        needs_a_[a] = 1;
        products.for_each(a, [&](const Product& product) {
          if (!marks_.mark(a, product)) {
            throw broken(
                where_,
                fmt::format("the product A({0},{1}) B({1},{2}) twice", product.i, product.k, product.j),
                "every nonzero product once");
          }
          uses_b[product.b_slot] = 1;
          uses_c[product.c_slot] = 1;
          flops += p_.flops(product.i, product.j, product.k);
          ++summary_.gemms;
        });
      }
    }
    const std::int64_t b_bytes = generated_bytes(products, uses_b);
    const std::int64_t c_bytes = result_bytes(products, uses_c, c_owned);
    b_bytes_ += b_bytes;
    c_bytes_ += c_bytes;
    device_memory(block, b_bytes + c_bytes);
    ++summary_.blocks;
    summary_.chunks += static_cast<std::int64_t>(block.chunks.size());
    summary_.generated_bytes += b_bytes;
    summary_.h2d_bytes += b_bytes;
    summary_.d2h_bytes += c_bytes;
    return flops;
  }

  std::int64_t generated_bytes(const BlockProducts& products, const std::vector<char>& used) {
    std::int64_t bytes = 0;
    for (std::int32_t slot = 0; slot < products.b_slots(); ++slot) {
      if (!used[slot]) continue;
      const std::int64_t tile = p_.b_bytes(products.b_id(slot));
      largest_b_ = std::max(largest_b_, tile);
      bytes += tile;
      if (generated_.empty()) generated_.assign(p_.b.nonzeros(), false);
      if (generated_[products.b_id(slot)]) {
        throw broken(where_, fmt::format("B tile {} generated again", products.b_id(slot)),
                     "at most once per rank");
      }
      generated_[products.b_id(slot)] = true;
    }
    return bytes;
  }

  std::int64_t result_bytes(const BlockProducts& products, const std::vector<char>& used,
                            std::vector<char>& c_owned) {
    std::int64_t bytes = 0;
    for (std::int32_t slot = 0; slot < products.c_slots(); ++slot) {
      if (!used[slot]) continue;
      const TileId c = products.c_id(slot);
      bytes += p_.c_bytes(c);
      if (c_owned[c])
        throw broken(where_, fmt::format("C tile {} in a second block", c), "each C tile in one block");
      c_owned[c] = 1;
    }
    return bytes;
  }

  /// Chunk z may run while chunks up to z + lookahead are loaded; all of them lie beside the block.
  void device_memory(const Block& block, std::int64_t block_bytes) {
    std::vector<std::int64_t> sums{0};
    for (const Chunk& chunk : block.chunks) {
      std::int64_t bytes = 0;
      for (const TileId a : chunk.a) bytes += p_.a_bytes(a);
      sums.push_back(sums.back() + bytes);
      summary_.h2d_bytes += bytes;
    }
    const std::size_t chunks = block.chunks.size();
    for (std::size_t z = 0; z < chunks; ++z) {
      const std::size_t end = std::min(chunks, z + 1 + plan_.lookahead);
      const std::int64_t needed = block_bytes + sums[end] - sums[z];
      summary_.peak_device_bytes = std::max(summary_.peak_device_bytes, needed);
      if (needed > plan_.device_budget_bytes) {
        throw input_error(
            "plan, " + where_,
            fmt::format("{} bytes at chunk {} (block {}, chunks in flight {})", needed, z, block_bytes,
                        sums[end] - sums[z]),
            fmt::format("at most the device budget of {}", plan_.device_budget_bytes),
            fmt::format("{} bytes are missing: lower block_fraction, chunk_fraction or lookahead",
                        needed - plan_.device_budget_bytes));
      }
    }
  }

  const Plan& plan_;
  const Contraction& p_;
  int rank_;
  ProductMarks& marks_;
  PlanSummary& summary_;
  std::vector<char> needs_a_;
  std::vector<bool> generated_;
  std::int64_t b_bytes_ = 0;
  std::int64_t c_bytes_ = 0;
  std::int64_t largest_b_ = 0;
  std::string where_;
};

/// Counts how often each rank is sent each tile and compares with what it needs.
class DeliveryCheck {
 public:
  DeliveryCheck(const Plan& plan, const Contraction& p) : p_(p), got_(plan.ranks.size()) {
    for (auto& got : got_) got.assign(p.a.nonzeros(), 0);
    for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) deliveries_of(plan, static_cast<int>(rank));
  }

  void require(const Plan& plan, int rank, const std::vector<char>& needs, PlanSummary& summary) const {
    for (TileId a = 0; a < p_.a.nonzeros(); ++a) {
      const bool owned = owner_of(p_, plan.grid, {Matrix::a, a}) == rank;
      const int got = got_[rank][a];
      if (needs[a] && !owned && got == 0) {
        throw broken(fmt::format("rank {}", rank), fmt::format("no source for A tile {}", a),
                     "one message with it");
      }
      if (got > 0 && (owned || !needs[a] || got > 1)) {
        throw broken(fmt::format("rank {}", rank),
                     fmt::format("A tile {} sent {} times{}", a, got, needs[a] ? "" : " and not needed"),
                     "each tile once to each rank that needs and does not own it");
      }
      summary.network_bytes += got * p_.a_bytes(a);
    }
  }

 private:
  void deliveries_of(const Plan& plan, int rank) {
    for (const Broadcast& broadcast : plan.ranks[rank].broadcasts) {
      check_destinations(broadcast, rank);
      for (const TileId a : broadcast.tiles) {
        if (a < 0 || a >= p_.a.nonzeros() || owner_of(p_, plan.grid, {Matrix::a, a}) != rank) {
          throw broken(fmt::format("rank {}", rank), fmt::format("a message with A tile {}", a),
                       "its own tiles");
        }
        for (const int to : broadcast.destinations) {
          if (got_[to][a] < 255) ++got_[to][a];
        }
      }
    }
  }

  void check_destinations(const Broadcast& broadcast, int rank) const {
    const std::string where = fmt::format("rank {}", rank);
    if (broadcast.tiles.empty()) throw broken(where, "a message without tiles", "at least one tile of A");
    for (const int to : broadcast.destinations) {
      if (to < 0 || to >= static_cast<int>(got_.size()))
        throw broken(where, fmt::format("a message to rank {}", to), "an existing rank");
    }
  }

  const Contraction& p_;
  std::vector<std::vector<std::uint8_t>> got_;
};

double imbalance(const std::vector<double>& flops) {
  double sum = 0;
  double most = 0;
  for (const double f : flops) sum += f, most = std::max(most, f);
  return sum > 0 ? most * static_cast<double>(flops.size()) / sum : 1.0;
}

}  // namespace

PlanSummary verify(const Plan& plan, const Contraction& contraction) {
  check_frame(plan);
  PlanSummary summary;
  ProductMarks marks(contraction);
  std::vector<char> c_owned(contraction.c.nonzeros(), 0);
  std::vector<double> device_flops;
  const DeliveryCheck deliveries(plan, contraction);
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    RankCheck check(plan, contraction, static_cast<int>(rank), marks, summary);
    check.run(c_owned, device_flops);
    check.host_memory();
    deliveries.require(plan, static_cast<int>(rank), check.needs_a(), summary);
  }
  marks.require_all();
  require_acyclic(plan);
  summary.imbalance = imbalance(device_flops);
  return summary;
}

}  // namespace foretile
