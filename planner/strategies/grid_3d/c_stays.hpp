// SPDX-License-Identifier: BSD-3-Clause
// C stays on the devices, A and B stream past it, and a rank's devices form a grid (RR-9289 2): one planner
// for all presets, which say what the grid is. With layers of ranks or devices, each multiplies a share of K,
// and the parts of C are summed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "planner/plan/owners.hpp"
#include "planner/plan/plan.hpp"
#include "planner/plan/products.hpp"
#include "planner/strategies/block_sizes.hpp"
#include "planner/strategies/parameter.hpp"
#include "planner/strategies/partial_sums.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/strategies/stream_bytes.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// What the strategy has decided before C is cut into blocks.
struct CStaysGrid {
  ProcessGrid grid = {};
  int device_layers = 1;                    ///< of a rank; divides its devices
  TreeOfRanks tree = {};                    ///< of broadcasts and sums
  std::optional<int> sends_in_flight = {};  ///< nothing: as many as plans have otherwise
  /// An owner's tiles of A of a step travel before those of B, so that few messages hold them all; products
  /// of a step then begin later.
  bool a_before_b = false;
  /// Sums of at most so many bytes travel together.
  std::int64_t sum_bytes = 0;
  /// Host memory of a rank; nothing: all that the machine has.
  std::optional<std::int64_t> host_bytes = {};
  /// B is generated where it is needed, once by a rank, and stays beside C: nothing of B travels, and a block
  /// has all tile rows of its rank.
  bool makes_b = false;
  Settings parameters = {};  ///< the strategy's own, with the values used

  bool partial_sums() const { return grid.r * device_layers > 1; }
};

/// b, c, d, device_rows, lookahead, barriers, prefetch_c, keep_received, own_first, stagger, c_fraction, and
/// common_parameters().
std::vector<ParameterInfo> c_stays_parameters();

class CStaysPlanner final : public RankPlanner {
 public:
  /// The contraction must outlive this object. Throws InputError as RankPlanner::prepare().
  CStaysPlanner(std::string_view strategy, const Contraction& contraction, const Machine& machine,
                const Settings& settings, const CStaysGrid& grid);

  PlanFrame frame() const override { return frame_; }
  RankPlan plan_rank(Rank rank) const override;

 private:
  void make_b(const Machine& machine, const Settings& settings);
  void set_trees(std::vector<Transfer>& transfers, Rank owner) const;
  std::size_t fibre_in_node(Matrix matrix, Rank owner) const;
  int device_rows(const Settings& settings) const;
  BlockSizeWishes wishes(const Machine& machine, const Settings& settings) const;
  Routes routes_of_a() const;
  Routes routes_of_b() const;
  DevicePlan plan_device(Rank rank, Device device) const;
  std::vector<std::int32_t> columns_of(Rank rank, Device device, std::int32_t y) const;
  std::vector<std::int32_t> rows_of(Rank rank, Device device, std::int32_t x) const;
  std::vector<TileId> used_by_k(const BlockProducts& products, const std::vector<std::int32_t>& rows,
                                int layer) const;
  std::vector<Chunk> chunks_of(const BlockProducts& products, Step first_step,
                               const std::vector<std::int32_t>& rows, int layer) const;
  bool owned(Rank rank, TileId a) const;
  void put_own_first(Rank rank, std::vector<Chunk>& chunks) const;
  /// Of tile column k of A among those of its layer of ranks: which chunk.
  std::int32_t z(std::int32_t k) const { return k / frame_.grid.r / sizes_.d; }

  const Contraction& problem_;
  int devices_;
  std::int64_t message_bytes_;
  CStaysGrid grid_;
  PlanFrame frame_;
  bool stagger_ = true;
  bool own_first_ = false;
  int device_rows_ = 1;
  Sending sending_ = Sending::per_use;
  BlockSizes sizes_;
  Blocking blocking_;
  std::vector<Routes> routes_;
};

/// Of these strategies.
class CStays : public Strategy {
 public:
  /// The sizes that come out of the wishes.
  Settings plan_key(const Contraction& contraction, const Machine& machine,
                    const Settings& settings) const override {
    return planner(contraction, machine, settings)->frame().parameters;
  }
  std::unique_ptr<RankPlanner> prepare(const Contraction& contraction, const Machine& machine,
                                       const Settings& settings, const PlanContext&) const override {
    return planner(contraction, machine, settings);
  }

 private:
  virtual std::unique_ptr<CStaysPlanner> planner(const Contraction& contraction, const Machine& machine,
                                                 const Settings& settings) const = 0;
};

}  // namespace foretile
