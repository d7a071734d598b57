// SPDX-License-Identifier: BSD-3-Clause
#include "executor/multiplication.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "executor/check/distributed_check.hpp"
#include "executor/check/finite_check.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/cpu/combine.hpp"
#include "executor/layout/distributed_tiles.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/machine_of.hpp"
#include "executor/mpi/own_communicator.hpp"
#include "executor/mpi/session.hpp"
#include "executor/run.hpp"
#include "executor/tiles/heap_memory.hpp"
#include "executor/tiles/kept_memory.hpp"
#include "executor/tiles/tile_extents.hpp"
#include "executor/tiles_of_c.hpp"
#include "planner/plan/owners.hpp"
#include "planner/plan/plan_digest.hpp"
#include "planner/plan/products.hpp"
#include "planner/strategies/parameter.hpp"
#include "platforms/free_memory.hpp"

namespace foretile {

namespace {

/// The plan, what it does not say of the contraction, and the options that add collective calls.
std::uint64_t digest_of(const PlannedWork& work, const MultiplicationOptions& options) {
  const Contraction& p = work.contraction;
  const std::string text = fmt::format(
      "{} {} {} {} {} {} {} {} {} {} {} {}", plan_digest(work.plan), name_of(p.element()),
      static_cast<int>(p.a_op), static_cast<int>(p.b_op), p.alpha.real(), p.alpha.imag(), p.beta.real(),
      p.beta.imag(), p.seed, options.verify, options.check_finite, static_cast<int>(options.gpus));
  return std::stoull(digest(text), nullptr, 16);
}

void require_same_plan(MPI_Comm communicator, std::uint64_t identity) {
  if (is_same_on_all(communicator, identity, "plans")) return;
  throw input_error("Multiplication", "ranks with different contractions, platforms, parameters or options",
                    "the same on all ranks", "give all ranks the same arguments");
}

void require_layouts(const std::array<DistributedMatrix, 3>& matrices, Rank self) {
  for (std::size_t matrix = 0; matrix < matrices.size(); ++matrix) {
    const std::string name = fmt::format("layout of {}", "ABC"[matrix]);
    const std::shared_ptr<const Layout>& layout = matrices[matrix].layout;
    if (!layout) throw input_error(name, "NULL", "one for each matrix");
    if (!layout->is_of(self))
      throw input_error(name, fmt::format("one of another rank than {}", static_cast<int>(self)),
                        "this rank as `self`", "give the rank in the communicator of the multiplication");
  }
}

/// Where no product contributes.
void finish_untouched(const Contraction& p, TileId tile, const TileStorage& storage) {
  const TileExtents extents = extents_of(p, {Matrix::c, tile});
  if (const auto in_place = storage.in_place({Matrix::c, tile})) return scale_initial(p, extents, *in_place);
  storage.take(tile, untouched_tile(p, tile, storage).view(extents.rows));
}

/// A caller's tiles, with the final ones of C brought to the check too.
class CheckedTiles final : public TileStorage {
 public:
  CheckedTiles(const TileStorage& tiles, DistributedCheck& check) : tiles_(tiles), check_(check) {}
  std::optional<TileView> in_place(TileRef tile) const override { return tiles_.in_place(tile); }
  void fill(TileRef tile, std::byte* to) const override { tiles_.fill(tile, to); }
  void fill_part(const GeneratedPart& part, std::byte* tile) const override { tiles_.fill_part(part, tile); }
  void take(TileId tile, TileView numbers) const override {
    check_.add_final(tile, numbers);
    tiles_.take(tile, numbers);
  }

 private:
  const TileStorage& tiles_;
  DistributedCheck& check_;
};

}  // namespace

struct Multiplication::State {
  /// Not collective: the communicator knows its place on the node.
  State(const OwnCommunicator& own, PlannedWork planned, const MultiplicationOptions& options)
      : communicator(own),
        rank(rank_in(own.get())),
        bind(options.bind),
        check_finite(options.check_finite),
        verify(options.verify),
        cores(cores_of_rank(own.get())),
        work(std::move(planned)) {
    gpus = gpus_for(work.machine, options.gpus);
    identity = digest_of(work, options);
    owners_of_c = foretile::owners_of_c(work.contraction, work.plan);
    flops = traits(work.contraction).flops;
  }

  OwnCommunicator communicator;
  Rank rank;
  bool bind, check_finite, verify;
  bool has_memory = false;  // an earlier run left it there
  bool has_copies = false;  // the same of copies of tiles that are not in place in the layouts
  int cores;
  PlannedWork work;
  std::uint64_t identity = 0;     // of the plan and the options
  std::unique_ptr<Gpus> gpus;     // nullptr: cores
  std::vector<Rank> owners_of_c;  // by tile
  std::vector<TileId> own_c, without_product;
  double flops = 0;
  KeptMemory memory{heap_memory()};
  std::string layouts;  // that `distributed` is for
  std::optional<DistributedTiles> distributed;
};

namespace {

void require_one_form(const Contraction& contraction, const MultiplicationOptions& options) {
  if (options.verify && !contraction.products_of_k.empty())
    throw input_error("Multiplication", "products of different forms to be verified", "one form of all",
                      "leave verify out");
}

}  // namespace

Multiplication::Multiplication(MPI_Comm communicator, Contraction contraction,
                               const MultiplicationOptions& options) {
  start(communicator, options, [&](MPI_Comm own, int cores) {
    require_one_form(contraction, options);
    return plan_work(std::move(contraction), machine_of(own, options.platform, cores),
                     present_keys(options.parameters));
  });
}

Multiplication::Multiplication(MPI_Comm communicator, PlannedWork work,
                               const MultiplicationOptions& options) {
  start(communicator, options, [&](MPI_Comm, int) {
    require_one_form(work.contraction, options);
    return std::move(work);
  });
}

void Multiplication::start(MPI_Comm communicator, const MultiplicationOptions& options,
                           const std::function<PlannedWork(MPI_Comm own, int cores_on_node)>& make) {
  const OwnCommunicator own(communicator);
  const int cores = cores_of_node(own.get());
  on_all(own.get(), [&] {
    PlannedWork work = make(own.get(), cores);
    if (work.machine.ranks != size_of(own.get()))
      throw input_error("Multiplication", fmt::format("a plan for {} ranks", work.machine.ranks),
                        fmt::format("one for the {} of the communicator", size_of(own.get())), "plan again");
    state_ = std::make_unique<State>(own, std::move(work), options);
    state_->own_c = own_tiles(Matrix::c);
    state_->without_product = without_product(this->contraction(), state_->own_c);
  });
  require_same_plan(own.get(), state_->identity);
}

Multiplication::~Multiplication() = default;

const Contraction& Multiplication::contraction() const {
  return state_->work.contraction;
}

const PlannedWork& Multiplication::work() const {
  return state_->work;
}

MPI_Comm Multiplication::communicator() const {
  return state_->communicator.get();
}

void Multiplication::require_same_call(Call call) const {
  require_mpi_ready();
  if (is_same_on_all(communicator(), state_->identity + static_cast<std::uint64_t>(call), "run")) return;
  throw input_error("run", "other multiplications or functions on some ranks", "the same on all ranks",
                    "run multiplications in the same order on all ranks");
}

Rank Multiplication::owner(TileRef tile) const {
  if (tile.matrix == Matrix::c) return state_->owners_of_c.at(static_cast<std::size_t>(tile.id));
  return owner_of(contraction(), work().plan, tile);
}

std::vector<TileId> Multiplication::own_tiles(Matrix matrix) const {
  std::vector<TileId> tiles;
  if (matrix != Matrix::c && work().plan.operands.of(matrix).generated()) return tiles;
  for (TileId tile = 0; tile < shape_of(contraction(), matrix).nonzeros(); ++tile) {
    if (owner({matrix, tile}) == state_->rank) tiles.push_back(tile);
  }
  return tiles;
}

std::int64_t Multiplication::bytes_beside(const TileStorage& tiles, bool without_gaps) const {
  std::int64_t used_in_place = 0;
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c})
    used_in_place += bytes_in_place(contraction(), matrix, own_tiles(matrix), tiles, without_gaps);
  return std::max<std::int64_t>(0, work().summary.peak_host_bytes - used_in_place);
}

std::int64_t Multiplication::bytes_beside_own() const {
  std::int64_t own = 0;
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
    for (const TileId tile : own_tiles(matrix)) own += bytes_of(contraction(), {matrix, tile});
  }
  return std::max<std::int64_t>(0, work().summary.peak_host_bytes - own);
}

void Multiplication::require_free(std::int64_t bytes) const {
  const MPI_Comm communicator = state_->communicator.get();
  const int ranks = place_on_node(communicator).ranks;
  const std::int64_t most = all_reduced(bytes, MPI_MAX, communicator, "memory");
  agree(communicator, [&] {
    require_free_memory(most, ranks, available_memory_bytes(),
                        "end other programs on this node, or use more nodes");
  });
}

MultiplicationReport Multiplication::multiply(const TileStorage& tiles) {
  RunOptions options;
  options.storage = &tiles;
  options.bind = state_->bind;
  options.memory = &state_->memory;
  options.gpus = state_->gpus.get();
  const MPI_Comm communicator = state_->communicator.get();
  if (options.gpus)
    agree(communicator, [&] { options.pool_bytes = pool_bytes_for(bytes_beside(tiles, true)); });
  const RunResult result = run_or_end(communicator, [&] {
    return foretile::run(work().plan, contraction(), work().machine, communicator, options);
  });
  agree(communicator, [&] {
    for (const TileId tile : state_->without_product) finish_untouched(contraction(), tile, tiles);
  });
  MultiplicationReport report;
  report.wall_s = result.wall_s;
  report.flops = state_->flops;
  return report;
}

MultiplicationReport Multiplication::multiply_and_verify(const TileStorage& tiles) {
  const MPI_Comm communicator = state_->communicator.get();
  std::optional<DistributedCheck> check;
  agree(communicator, [&] {
    check.emplace(contraction(), work().plan, communicator, FreivaldsOptions{.threads = state_->cores});
    check->add_initial(state_->own_c, tiles);
  });
  MultiplicationReport report = multiply(CheckedTiles(tiles, *check));
  agree(communicator, [&] {
    for (const TileId tile : state_->own_c) {
      if (const auto view = tiles.in_place({Matrix::c, tile})) check->add_final(tile, *view);
    }
  });
  report.check = check->result(tiles);
  return report;
}

MultiplicationReport Multiplication::run(const DistributedMatrix& a, const DistributedMatrix& b,
                                         const DistributedMatrix& c) {
  require_same_call(Call::in_layouts);
  const MPI_Comm communicator = state_->communicator.get();
  const std::array matrices{a, b, c};
  std::int64_t needed = 0;
  with_agreed_errors([&] {
    agree(communicator, [&] {
      require_layouts(matrices, state_->rank);
      const std::string layouts = a.layout->text() + "\n" + b.layout->text() + "\n" + c.layout->text();
      if (state_->distributed && state_->layouts == layouts) return;
      state_->distributed.reset();
      state_->distributed.emplace(
          contraction(), [this](TileRef tile) { return owner(tile); },
          std::array{a.layout, b.layout, c.layout}, state_->rank, size_of(communicator));
      state_->layouts = layouts;
      state_->has_copies = false;
    });
    state_->distributed->require_same_layouts(communicator);
    agree(communicator, [&] {
      state_->distributed->require_memory({a.local, b.local, c.local});
      if (!state_->has_copies) needed += state_->distributed->moved_bytes();
      if (!state_->has_memory) needed += bytes_beside_own();
    });
    require_free(needed);
    state_->has_copies = state_->has_memory = true;
  });
  DistributedTiles& tiles = *state_->distributed;
  const double gather_s = slowest_s(communicator, [&] {
    run_or_end(communicator, [&] { tiles.gather(communicator, {a.local, b.local, c.local}); });
  });
  MultiplicationReport report = run_on(tiles);
  report.redistribution_s = gather_s + slowest_s(communicator, [&] {
                              run_or_end(communicator, [&] { tiles.scatter(communicator); });
                            });
  report.redistributed_bytes = all_reduced(tiles.sent_bytes(), MPI_SUM, communicator, "redistribution");
  return report;
}

MultiplicationReport Multiplication::run(const TileStorage& tiles) {
  require_same_call(Call::on_tiles);
  if (!state_->has_memory) {
    with_agreed_errors([&] {
      std::int64_t needed = 0;
      agree(state_->communicator.get(), [&] { needed = bytes_beside(tiles, false); });
      require_free(needed);
    });
    state_->has_memory = true;
  }
  return run_on(tiles);
}

MultiplicationReport Multiplication::run_on(const TileStorage& tiles) {
  const OneBlasThread one_thread;
  return with_agreed_errors([&] {
    if (state_->check_finite)
      require_finite(contraction(), work().plan, state_->own_c, tiles, state_->communicator.get(),
                     state_->cores);
    return state_->verify ? multiply_and_verify(tiles) : multiply(tiles);
  });
}

}  // namespace foretile
