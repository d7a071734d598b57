// SPDX-License-Identifier: BSD-3-Clause
#include "executor/block_cyclic_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/missing_memory.hpp"
#include "base/quantity.hpp"
#include "executor/layout/redistribution.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/machine_of.hpp"
#include "executor/mpi/session.hpp"
#include "planner/problem/kinds/dense.hpp"

namespace foretile {

namespace {

/// An index of the product: its tiles, and the order in which they take the matrix's indices.
struct OrderedIndex {
  std::vector<std::int64_t> tiles;
  IndexOrder order;
};

/// Which of several classes an index belongs to.
struct Classes {
  int count = 1;
  std::function<int(std::int64_t)> of;
};

/// Tile t * classes + c is the t-th of class c, so that tiles distributed round-robin distribute the classes.
/// The matrix's own order where a class has too few indices for its tiles.
OrderedIndex ordered_by_class(std::int64_t extent, const Classes& classes, std::int64_t tile) {
  std::vector<std::vector<IndexOrder::Run>> runs(static_cast<std::size_t>(classes.count));
  std::vector<std::int64_t> sizes(runs.size(), 0);
  for (std::int64_t i = 0; i < extent; ++i) {
    const auto c = static_cast<std::size_t>(classes.of(i));
    if (!runs[c].empty() && runs[c].back().begin + runs[c].back().size == i) {
      ++runs[c].back().size;
    } else {
      runs[c].push_back({i, 1});
    }
    ++sizes[c];
  }
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  const std::int64_t tiles = (*most + tile - 1) / tile;
  OrderedIndex index;
  if (*least < tiles) {
    for (std::int64_t at = 0; at < extent; at += tile) index.tiles.push_back(std::min(tile, extent - at));
    return index;
  }
  std::vector<IndexOrder> of_class(runs.size());
  for (std::size_t c = 0; c < runs.size(); ++c) {
    for (const IndexOrder::Run& run : runs[c]) of_class[c].add(run);
  }
  for (std::int64_t t = 0; t < tiles; ++t) {
    for (std::size_t c = 0; c < runs.size(); ++c) {
      const std::int64_t begin = sizes[c] * t / tiles, end = sizes[c] * (t + 1) / tiles;
      index.tiles.push_back(end - begin);
      of_class[c].for_each_run(begin, end - begin, [&](const IndexOrder::Run& run) { index.order.add(run); });
    }
  }
  return index;
}

Classes one_class() {
  return {1, [](std::int64_t) { return 0; }};
}

/// One way to do the task.
struct Proposal {
  Classes m = one_class(), n = one_class(), k = one_class();
  std::string grid;
};

/// Where A and B are not transposed, index k is summed where A's column and B's row are: on process column q
/// and row p. Nothing where some pair has no number mod lcm(P, Q), because blocks do not match.
std::optional<Classes> classes_of_k(const BlockCyclic& a, const BlockCyclic& b, std::int64_t k) {
  const int p = b.grid().rows, q = a.grid().columns, count = std::lcm(p, q);
  const auto place = [q](std::int64_t row, std::int64_t column) {
    return static_cast<std::size_t>(row * q + column);
  };
  std::vector<int> numbers(place(p, 0), -1);
  for (int c = 0; c < count; ++c) numbers[place(c % p, c % q)] = c;
  const auto number = [=](std::int64_t i) { return numbers[place(b.process_row(i), a.process_column(i))]; };
  for (std::int64_t i = 0; i < k; ++i) {
    if (number(i) < 0) return std::nullopt;
  }
  return Classes{count, number};
}

BlockCyclic layout_of(const BlacsGrid& grid, const BlockCyclicMatrix& matrix, const IndexOrder& rows = {},
                      const IndexOrder& columns = {}) {
  return {grid, matrix.shape, matrix.part, rows, columns};
}

/// C stays where it is.
Proposal c_stays(const BlacsGrid& grid, const BlockCyclicTask& task) {
  const BlockCyclic a = layout_of(grid, task.a), b = layout_of(grid, task.b), c = layout_of(grid, task.c);
  Proposal proposal{{grid.rows, [c](std::int64_t i) { return c.process_row(i); }},
                    {grid.columns, [c](std::int64_t j) { return c.process_column(j); }},
                    one_class(),
                    fmt::format("{}x{}x1", grid.rows, grid.columns)};
  if (task.a_op == Op::none && task.b_op == Op::none) {
    if (auto k = classes_of_k(a, b, task.k)) proposal.k = std::move(*k);
  }
  return proposal;
}

/// Each process sums over its share of K, as A or B has it where all processes share their K.
Proposal k_distributed(const BlacsGrid& grid, const BlockCyclicTask& task) {
  const int ranks = grid.rows * grid.columns;
  Proposal proposal;
  proposal.grid = fmt::format("1x1x{}", ranks);
  for (const bool of_a : {false, true}) {
    const BlockCyclic layout = layout_of(grid, of_a ? task.a : task.b);
    const bool along_columns = of_a == ((of_a ? task.a_op : task.b_op) == Op::none);
    if ((along_columns ? grid.columns : grid.rows) != ranks) continue;
    proposal.k = {ranks, [=](std::int64_t i) {
                    return along_columns ? layout.process_column(i) : layout.process_row(i);
                  }};
    break;
  }
  return proposal;
}

/// A plan and the layouts that belong to it.
struct Candidate {
  std::unique_ptr<Multiplication> product;
  std::shared_ptr<const Layout> a, b, c;
  std::int64_t bytes = 0;  // that the busiest rank receives, at most
};

Contraction contraction_of(const BlockCyclicTask& task, const OrderedIndex& m, const OrderedIndex& n,
                           const OrderedIndex& k) {
  DenseParameters parameters;
  parameters.m = task.m;
  parameters.n = task.n;
  parameters.k = task.k;
  parameters.m_tiles = m.tiles;
  parameters.n_tiles = n.tiles;
  parameters.k_tiles = k.tiles;
  Contraction p = dense_contraction(parameters);
  p.precision = task.element.precision;
  p.complex_elements = task.element.is_complex;
  p.a_op = task.a_op;
  p.b_op = task.b_op;
  p.alpha = task.alpha;
  p.beta = task.beta;
  return p;
}

struct Moves {
  std::int64_t bytes = 0;  ///< that the busiest rank receives
  std::int64_t kept = 0;   ///< most of a rank: of tiles that are beside the caller's arrays
};

/// Of this rank.
Moves own_moves(MPI_Comm communicator, const Multiplication& product, const Candidate& candidate) {
  Moves own;
  for (const auto& [matrix, layout] :
       {std::pair(Matrix::a, &candidate.a), {Matrix::b, &candidate.b}, {Matrix::c, &candidate.c}}) {
    const Redistribution moves(
        product.contraction(), matrix,
        [&, m = matrix](TileId tile) {
          return product.owner({m, tile});
        },
        **layout, rank_in(communicator), size_of(communicator));
    if (matrix != Matrix::c || product.contraction().reads_c()) own.bytes += moves.to_tiles_bytes();
    if (matrix == Matrix::c) own.bytes += moves.to_layout_bytes();
    for (const TileId tile : product.own_tiles(matrix)) {
      if (!moves.stays(tile)) own.kept += bytes_of(product.contraction(), {matrix, tile});
    }
  }
  return own;
}

/// Collective.
Moves redistribution(MPI_Comm communicator, const Multiplication& product, const Candidate& candidate) {
  Moves most;
  agree(communicator, [&] { most = own_moves(communicator, product, candidate); });
  most.bytes = all_reduced(most.bytes, MPI_MAX, communicator, "redistribution");
  most.kept = all_reduced(most.kept, MPI_MAX, communicator, "redistribution");
  return most;
}

/// The plan counts own tiles once, which is enough for those that are used where the caller has them.
void require_room(const PlannedWork& work, const Moves& moves) {
  const std::int64_t needed = work.summary.peak_host_bytes + moves.kept, budget = work.plan.host_budget_bytes;
  if (needed <= budget) return;
  throw missing_memory(
      "product of block-cyclic matrices", fmt::format("{} of host memory per rank", spelled_bytes(needed)),
      fmt::format("at most {}", spelled_bytes(budget)), needed - budget,
      "use more nodes, or the same blocks in A, B and C, which are then used in place", ShortOf::host_memory);
}

/// Sets the candidate's layouts; its contraction is returned.
Contraction lay_out(Candidate& candidate, const BlacsGrid& grid, const BlockCyclicTask& task,
                    const Proposal& proposal, const TileSize& tile) {
  const OrderedIndex m = ordered_by_class(task.m, proposal.m, tile.m),
                     n = ordered_by_class(task.n, proposal.n, tile.n),
                     k = ordered_by_class(task.k, proposal.k, tile.k);
  const auto layout = [&](const BlockCyclicMatrix& matrix, Op op, const OrderedIndex& rows,
                          const OrderedIndex& columns) {
    const bool as_stored = op == Op::none;
    return std::make_shared<BlockCyclic>(
        layout_of(grid, matrix, (as_stored ? rows : columns).order, (as_stored ? columns : rows).order));
  };
  candidate.a = layout(task.a, task.a_op, m, k);
  candidate.b = layout(task.b, task.b_op, k, n);
  candidate.c = layout(task.c, Op::none, m, n);
  return contraction_of(task, m, n, k);
}

/// Collective. What a rank does alone is agreed on: otherwise one that fails would leave the others waiting.
Candidate candidate_of(MPI_Comm communicator, const BlacsGrid& grid, const BlockCyclicTask& task,
                       const Proposal& proposal, const TileSize& tile, MultiplicationOptions options) {
  Candidate candidate;
  std::optional<Contraction> contraction;
  agree(communicator, [&] {
    contraction = lay_out(candidate, grid, task, proposal, tile);
    options.parameters["grid"] = proposal.grid;
    options.parameters["grid.node"] = "natural";
  });
  candidate.product = std::make_unique<Multiplication>(communicator, *std::move(contraction), options);
  const Moves moves = redistribution(communicator, *candidate.product, candidate);
  agree(communicator, [&] { require_room(candidate.product->work(), moves); });
  candidate.bytes = candidate.product->work().summary.most_received_bytes + moves.bytes;
  return candidate;
}

enum class Refusal : std::uint8_t {
  none,       ///< this rank alone has the error, or no argument would help
  of_memory,  ///< that is missing
  other
};

/// On which all ranks agreed, the same on all of them.
Refusal agreed_refusal(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const OtherRankFailed& other) {
    if (other.lacks_memory) return Refusal::of_memory;
    if (other.exit_code == 2) return Refusal::other;
  } catch (const MissingMemory&) {
    if (is_agreed(error)) return Refusal::of_memory;
  } catch (const InputError&) {
    if (is_agreed(error)) return Refusal::other;
  } catch (...) {
  }
  return Refusal::none;
}

/// Whether each rank has memory for its share of the matrices: else no tiles are small enough. Collective.
bool shares_fit(MPI_Comm communicator, const BlockCyclicTask& task, const MultiplicationOptions& options) {
  const int cores = cores_of_node(communicator);
  double budget = 0;
  agree(communicator, [&] {
    budget = static_cast<double>(machine_of(communicator, options.platform, cores).host_bytes_per_rank());
  });
  const auto area = [](std::int64_t rows, std::int64_t columns) {
    return static_cast<double>(rows) * static_cast<double>(columns);
  };
  const double bytes = static_cast<double>(task.element.bytes()) *
                       (area(task.m, task.k) + area(task.k, task.n) + area(task.m, task.n));
  return bytes <= size_of(communicator) * all_reduced(budget, MPI_MAX, communicator, "memory");
}

/// All ranks are refused: the first says why. Collective.
[[noreturn]] void refuse(MPI_Comm communicator, const std::exception_ptr& why) {
  agree(communicator, [&] {
    try {
      std::rethrow_exception(why);
    } catch (const OtherRankFailed& other) {
      throw_as_own(other);
    }
  });
  std::rethrow_exception(why);
}

/// Tries the proposals with tiles of one size.
class Search {
 public:
  Search(MPI_Comm communicator, const BlacsGrid& grid, const BlockCyclicTask& task,
         const MultiplicationOptions& options)
      : communicator_(communicator), grid_(grid), task_(task), options_(options) {
    agree(communicator, [&] {
      proposals_.push_back(c_stays(grid, task));
      if (grid.rows * grid.columns == 1) return;
      proposals_.push_back(k_distributed(grid, task));
      proposals_.push_back({one_class(), one_class(), one_class(), "auto"});
    });
  }

  void try_tiles(const TileSize& tile) {
    smaller_may_fit_ = false;
    for (const Proposal& proposal : proposals_) {
      try {
        Candidate candidate = with_agreed_errors(
            [&] { return candidate_of(communicator_, grid_, task_, proposal, tile, options_); });
        if (!best_.product || candidate.bytes < best_.bytes) best_ = std::move(candidate);
      } catch (...) {
        keep_refusal(std::current_exception());
      }
    }
  }

  bool found() const { return best_.product != nullptr; }
  bool smaller_may_fit() const { return smaller_may_fit_; }
  /// Collective.
  Candidate best() {
    if (!found()) refuse(communicator_, first_refusal_);
    return std::move(best_);
  }

 private:
  /// Throws the error where it is no refusal: other ranks may not have it.
  void keep_refusal(const std::exception_ptr& error) {
    const Refusal refusal = agreed_refusal(error);
    if (refusal == Refusal::none) std::rethrow_exception(error);
    if (!first_refusal_) first_refusal_ = error;
    smaller_may_fit_ = smaller_may_fit_ || refusal == Refusal::of_memory;
  }

  MPI_Comm communicator_;
  const BlacsGrid& grid_;
  const BlockCyclicTask& task_;
  const MultiplicationOptions& options_;
  std::vector<Proposal> proposals_;
  Candidate best_;
  std::exception_ptr first_refusal_;
  bool smaller_may_fit_ = false;
};

/// Smaller tiles need less memory beside the matrices.
constexpr int kMostHalved = 4;

TileSize half_of(const TileSize& tile) {
  return {(tile.m + 1) / 2, (tile.n + 1) / 2, (tile.k + 1) / 2};
}

BlacsGrid grid_of(MPI_Comm communicator, int rows, int columns) {
  if (rows < 1 || columns < 1 || std::int64_t{rows} * columns != size_of(communicator))
    throw input_error("grid of processes", fmt::format("{} x {}", rows, columns),
                      fmt::format("one of the {} ranks of the communicator", size_of(communicator)));
  const Rank self = rank_in(communicator);
  BlacsGrid grid{rows, columns, self / columns, self % columns, {}};
  for (int rank = 0; rank < rows * columns; ++rank) grid.ranks.push_back(Rank::of(rank));
  return grid;
}

}  // namespace

BlockCyclicProduct::BlockCyclicProduct(MPI_Comm communicator, int rows, int columns,
                                       const BlockCyclicTask& task, const MultiplicationOptions& options) {
  Candidate best = with_agreed_errors([&] {
    BlacsGrid grid;
    agree(communicator, [&] { grid = grid_of(communicator, rows, columns); });
    Search search(communicator, grid, task, options);
    TileSize tile = usual_tiles(task.m, task.n, task.k);
    search.try_tiles(tile);
    if (!search.found() && search.smaller_may_fit() && shares_fit(communicator, task, options)) {
      for (int halved = 0; !search.found() && search.smaller_may_fit() && halved < kMostHalved; ++halved) {
        tile = half_of(tile);
        search.try_tiles(tile);
      }
    }
    return search.best();
  });
  product_ = std::move(best.product);
  a_ = std::move(best.a);
  b_ = std::move(best.b);
  c_ = std::move(best.c);
}

MultiplicationReport BlockCyclicProduct::run(const std::byte* a, const std::byte* b, std::byte* c) {
  // Multiplication only reads A and B.
  return product_->run({a_, const_cast<std::byte*>(a)}, {b_, const_cast<std::byte*>(b)}, {c_, c});
}

}  // namespace foretile
