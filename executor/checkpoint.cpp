// SPDX-License-Identifier: BSD-3-Clause
#include "executor/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/threads.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/session.hpp"
#include "executor/tiles/tile_extents.hpp"
#include "executor/tiles_of_c.hpp"
#include "planner/plan/owners.hpp"

namespace foretile {

namespace {

/// Tiles of the work that is left, under their numbers in the whole C.
class RenumberedTiles final : public TileStorage {
 public:
  /// References must outlive this.
  RenumberedTiles(const TileStorage& whole, const std::vector<TileId>& numbers)
      : whole_(whole), numbers_(numbers) {}

  std::optional<TileView> in_place(TileRef tile) const override { return whole_.in_place(of(tile)); }
  void fill(TileRef tile, std::byte* to) const override { whole_.fill(of(tile), to); }
  void fill_part(const GeneratedPart& part, std::byte* tile) const override { whole_.fill_part(part, tile); }
  void take(TileId tile, TileView numbers) const override { whole_.take(of({Matrix::c, tile}).id, numbers); }

 private:
  TileRef of(TileRef tile) const {
    if (tile.matrix == Matrix::c) tile.id = numbers_[static_cast<std::size_t>(tile.id)];
    return tile;
  }

  const TileStorage& whole_;
  const std::vector<TileId>& numbers_;
};

/// Writes finished tiles on a thread of its own.
class Keeper final : public FinishedTiles {
 public:
  /// `numbers`: in the whole C of the tiles that are heard of; empty: the same. References must outlive this.
  Keeper(const Contraction& whole, TileLog& log, const std::vector<TileId>& numbers)
      : whole_(whole),
        log_(log),
        numbers_(numbers),
        writer_(start_thread<std::thread>([this] { write(); })) {}
  ~Keeper() override { end(); }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  void finished(TileId tile, TileView numbers) override {
    const TileId number = numbers_.empty() ? tile : numbers_[static_cast<std::size_t>(tile)];
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    waiting_.push_back({number, numbers});
    changed_.notify_one();
  }
  void all_heard() override {
    end();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct Tile {
    TileId number = 0;
    TileView numbers;
  };

  void end() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      changed_.notify_one();
    }
    if (writer_.joinable()) writer_.join();
  }
  void write() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return over_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const Tile tile = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      std::exception_ptr failure;
      try {
        log_.add(tile.number, extents_of(whole_, {Matrix::c, tile.number}), tile.numbers);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (!failure) continue;
      failure_ = failure;
      return;
    }
  }

  const Contraction& whole_;
  TileLog& log_;
  const std::vector<TileId>& numbers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Tile> waiting_;
  bool over_ = false;
  std::exception_ptr failure_;
  std::thread writer_;  // last: it uses the others
};

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);  // no error where there is one
  std::error_code ignored;
  if (std::filesystem::is_directory(folder, ignored)) return;
  const bool other = std::filesystem::exists(folder, ignored);
  throw input_error(folder.string(), other ? "something that is no folder" : error.message(),
                    "a folder for checkpoints", "make the folders above it, or name another one");
}

}  // namespace

Checkpoint::Checkpoint(const std::filesystem::path& folder, const std::string& plan_digest,
                       const PlannedWork& whole, MPI_Comm communicator)
    : whole_(whole), communicator_(communicator) {
  agree(communicator, [&] { open(folder, plan_digest); });
  std::vector<signed char> there(static_cast<std::size_t>(whole.contraction.c.nonzeros()), 0);
  for (const TileId tile : own_before_) there[static_cast<std::size_t>(tile)] = 1;
  all_reduce(std::span(there), MPI_MAX, communicator, "checkpoint");
  finished_before_ = std::count(there.begin(), there.end(), 1);
  if (finished_before_ == 0) return;
  agree(communicator, [&] { remaining_ = remaining_work(whole, {there.begin(), there.end()}); });
}

/// Room is taken for the tiles that the rank has still to compute.
void Checkpoint::open(const std::filesystem::path& folder, const std::string& plan_digest) {
  const Contraction& p = whole_.contraction;
  const Rank rank = rank_in(communicator_);
  std::vector<Rank> owners = owners_of_c(p, whole_.plan);
  std::vector<TileId> all(owners.size());
  for (std::size_t tile = 0; tile < all.size(); ++tile) all[tile] = static_cast<TileId>(tile);
  const std::vector<TileId> untouched = without_product(p, all);
  for (const TileId tile : untouched) owners[static_cast<std::size_t>(tile)] = Rank::of(-1);
  tiles_ = std::ssize(all) - std::ssize(untouched);

  const auto own = [&](TileId tile) {
    return tile >= 0 && tile < std::ssize(owners) && owners[static_cast<std::size_t>(tile)] == rank;
  };
  make_folder(folder);
  log_ = std::make_unique<TileLog>(folder / fmt::format("rank-{}.tiles", int{rank}),
                                   TileLogOwner{plan_digest, rank, size_of(communicator_)},
                                   [&](TileId tile) { return own(tile) ? p.c_bytes(tile) : -1; });
  std::int64_t left = 0, bytes = 0;
  for (const TileId tile : all) {
    if (!own(tile)) continue;
    if (log_->contains(tile)) {
      own_before_.push_back(tile);
    } else {
      ++left;
      bytes += p.c_bytes(tile);
    }
  }
  log_->reserve(left, bytes);
}

RunResult Checkpoint::run(const RunOptions& options) {
  const PlannedWork& now = work();
  const std::vector<TileId> numbers = remaining_ ? remaining_->tiles : std::vector<TileId>();
  const SeededTiles seeded(whole_.contraction);
  const RenumberedTiles renumbered(options.storage ? *options.storage : seeded, numbers);
  Keeper keeper(whole_.contraction, *log_, numbers);
  RunOptions with = options;
  with.finished = &keeper;
  if (remaining_) with.storage = &renumbered;
  RunResult result = foretile::run(now.plan, now.contraction, now.machine, communicator_, with);
  log_->release_room();
  if (remaining_) agree(communicator_, [&] { add_finished(result); });
  return result;
}

/// The host's tiles get their numbers in the whole C, and the others join them.
void Checkpoint::add_finished(RunResult& result) const {
  auto host = std::make_unique<HostStore>(whole_.contraction, whole_.plan, RankPlan{}, rank_in(communicator_),
                                          HostStoreOptions{.memory = result.memory.get()});
  for (auto& [tile, numbers] : result.host->c)
    host->c.emplace(remaining_->tiles[static_cast<std::size_t>(tile)], std::move(numbers));
  for (const TileId tile : own_before_) {
    TileBuffer numbers(whole_.contraction.c_bytes(tile));
    log_->read(tile, numbers.data());
    host->c.emplace(tile, std::move(numbers));
  }
  result.host = std::move(host);
}

}  // namespace foretile
