// SPDX-License-Identifier: BSD-3-Clause
// Our own: columns of B and C are where their tiles of A are needed anyway.
//
// As stationary-b (RR-9365 3.2), with its parameters but `balance` and the same life of a block, but
//  - columns that need the same tiles of A go to the same device, so that few tiles of A travel;
//  - all devices have equal times, as the machine's figures make them, where ranks have equal flops there;
//  - an owner sends the tiles of first blocks first, and those of the k's that it owns in bit-reversed order
//    (0, 1/2, 1/4, 3/4, ...), so that every rank gets its tiles spread over the time of sending, whichever
//    k's it needs;
//  - devices load tiles of A in the order in which they are expected.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "planner/plan/owners.hpp"
#include "planner/strategies/b_stays/arrivals.hpp"
#include "planner/strategies/b_stays/b_stays.hpp"
#include "planner/strategies/b_stays/column_costs.hpp"
#include "planner/strategies/b_stays/distribute_columns.hpp"

namespace foretile {

namespace {

constexpr const char* kLocalBName = "local-b";

/// Of the tiles of A that devices of a rank load in different order, for each of them. With 1, most are
/// loaded from the host by each; with 16, products wait longer for C65H132.
constexpr int kTogether = 4;

std::uint32_t reversed_bits(std::uint32_t x) {
  std::uint32_t reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1U) << (31 - bit);
  return reversed;
}

class LocalBPlanner final : public BStaysPlanner {
 public:
  LocalBPlanner(const Contraction& contraction, const Machine& machine, const Settings& settings)
      : BStaysPlanner(kLocalBName, contraction, machine, settings),
        costs_(column_costs(contraction, machine, frame_, block_bytes_)) {
    distribute();
    for (Rank rank = 0; rank < frame_.grid.size(); ++rank) blocks_.push_back(cut_blocks(rank));
    turn_ = turns();
    for (Rank rank = 0; rank < frame_.grid.size(); ++rank) {
      const Routes routes{Matrix::a, column_owner_, first_uses(frame_.grid.row(rank)), {}, 1, turn_};
      transfers_.push_back(broadcasts_of(problem_, frame_.grid, rank, {routes}, Sending::once_each,
                                         frame_.lookahead, message_bytes_));
    }
    arrivals_ = few_deliveries() ? expected_arrivals(transfers_, problem_, machine_)
                                 : std::vector<Arrivals>(transfers_.size());
  }

 private:
  std::vector<std::vector<Columns>> blocks_of(Rank rank) const override { return blocks_[rank]; }
  std::vector<Transfer> transfers_of(Rank rank) const override { return transfers_[rank]; }

  std::vector<LoadLists> loads_of(Rank rank, Device device,
                                  const std::vector<Columns>& blocks) const override {
    std::vector<LoadLists> loads;
    double begin_s = 0;
    std::vector<TileId> last;
    for (const Columns& block : blocks) {
      last = in_order(block, rank, device, begin_s, last);
      loads.push_back({last});
      for (const std::int32_t j : block) begin_s += costs_.copy_s[j];
    }
    return loads;
  }

  /// Else the model takes long and much memory; tiles are then expected in the order of their turns.
  bool few_deliveries() const {
    constexpr std::size_t kMostDeliveries = 10'000'000;
    std::size_t deliveries = 0;
    for (const auto& of_owner : transfers_) {
      for (const Transfer& transfer : of_owner) deliveries += transfer.tiles.size() * transfer.others.size();
    }
    return deliveries <= kMostDeliveries;
  }

  void distribute() {
    const int devices = machine_.devices_per_rank;
    const auto device_of = distribute_columns(costs_, frame_.grid.q, devices);
    columns_.resize(static_cast<std::size_t>(frame_.grid.q) * devices);
    for (std::int32_t j = 0; j < problem_.n.tiles(); ++j) {
      columns_[device_of[j]].push_back(j);
      column_owner_.push_back(device_of[j] / devices);
    }
  }

  /// Filled one after the other in growing order.
  std::vector<std::vector<Columns>> cut_blocks(Rank rank) const {
    std::vector<double> weight(costs_.row_s);
    for (std::size_t k = 0; k < weight.size(); ++k) weight[k] += costs_.shared_row_s[k];
    const std::size_t first = std::size_t(frame_.grid.column(rank)) * machine_.devices_per_rank;
    std::vector<std::vector<Columns>> blocks(machine_.devices_per_rank);
    for (std::size_t d = 0; d < blocks.size(); ++d) {
      const Columns& columns = columns_[first + d];
      if (columns.empty()) continue;
      const Columns order = grow_groups(costs_.rows, columns, weight, costs_.copy_s, 1).front();
      const std::vector<std::int64_t> bytes = column_bytes(order, rank);
      std::int64_t filled = 0;
      for (std::size_t c = 0; c < order.size(); ++c) {
        if (blocks[d].empty() || filled + bytes[c] > block_bytes_) {
          blocks[d].emplace_back();
          filled = 0;
        }
        blocks[d].back().push_back(order[c]);
        filled += bytes[c];
      }
      for (Columns& block : blocks[d]) std::sort(block.begin(), block.end());
    }
    return blocks;
  }

  /// In which order owners send their tiles.
  std::vector<std::int32_t> turns() const {
    std::vector<std::pair<std::uint32_t, std::int32_t>> keys;
    for (std::int32_t k = 0; k < problem_.k.tiles(); ++k)
      keys.emplace_back(reversed_bits(static_cast<std::uint32_t>(k / frame_.grid.q)), k);
    std::sort(keys.begin(), keys.end());
    std::vector<std::int32_t> of_k(keys.size());
    for (std::size_t place = 0; place < keys.size(); ++place)
      of_k[keys[place].second] = static_cast<std::int32_t>(place);
    std::vector<std::int32_t> turn(problem_.a.nonzeros());
    for (TileId a = 0; a < problem_.a.nonzeros(); ++a) turn[a] = of_k[problem_.a.column_of(a)];
    return turn;
  }

  /// By column: which part of its work the device has done before, of kParts equal ones.
  std::vector<int> first_uses(int grid_row) const {
    constexpr int kParts = 16;
    std::vector<int> part(problem_.n.tiles(), 0);
    for (int q = 0; q < frame_.grid.q; ++q) {
      for (const auto& of_device : blocks_[frame_.grid.rank(grid_row, q)]) {
        for (std::size_t b = 0; b < of_device.size(); ++b) {
          for (const std::int32_t j : of_device[b]) part[j] = static_cast<int>(kParts * b / of_device.size());
        }
      }
    }
    return part;
  }

  /// Tiles of A that are there when the block begins come first: those that the last block used last, which
  /// may still be on the device, then those sent early. The others follow as they are expected.
  std::vector<TileId> in_order(const Columns& block, Rank rank, Device device, double begin_s,
                               const std::vector<TileId>& last) const {
    std::vector<std::tuple<double, std::int64_t, std::int32_t, TileId>> keys;
    std::vector<std::int64_t> place(last.empty() ? 0 : problem_.a.nonzeros(), 0);
    for (std::size_t l = 0; l < last.size(); ++l) place[last[l]] = -1 - static_cast<std::int64_t>(l);
    for (const auto& row : tiles_of_a(block, rank)) {
      for (const TileId a : row) {
        const double arrival_s = arrival_of(a, rank);
        keys.emplace_back(arrival_s > begin_s ? arrival_s : 0.0, place.empty() ? 0 : place[a], turn_[a], a);
      }
    }
    std::sort(keys.begin(), keys.end());
    std::vector<TileId> order;
    for (const auto& key : keys) order.push_back(std::get<3>(key));
    alternate(order, device);
    return order;
  }

  /// Devices of a rank that need the same tiles begin with different ones: then one has them from the host
  /// and the others have them from that one.
  void alternate(std::vector<TileId>& order, int device) const {
    const int devices = machine_.devices_per_rank;
    const auto turn = [&](TileId a) { return (a + devices - device) % devices; };
    const auto together = std::ptrdiff_t{kTogether} * devices;
    for (auto begin = order.begin(); begin != order.end();) {
      const auto end = begin + std::min(together, order.end() - begin);
      std::stable_sort(begin, end, [&](TileId l, TileId r) { return turn(l) < turn(r); });
      begin = end;
    }
  }

  /// 0 for own tiles.
  double arrival_of(TileId tile, Rank rank) const {
    const Arrivals& list = arrivals_[rank];
    const auto found = std::lower_bound(list.begin(), list.end(), std::pair(tile, 0.0));
    return found != list.end() && found->first == tile ? found->second : 0.0;
  }

  ColumnCosts costs_;
  std::vector<Columns> columns_;                           // by device of all grid columns
  std::vector<int> column_owner_;                          // grid column
  std::vector<std::vector<std::vector<Columns>>> blocks_;  // by rank, device
  std::vector<std::int32_t> turn_;
  std::vector<std::vector<Transfer>> transfers_;
  std::vector<Arrivals> arrivals_;
};

}  // namespace

std::unique_ptr<Strategy> local_b() {
  return b_stays({.name = kLocalBName,
                  .block = {"0.8", {"0.3", "0.5", "0.7", "0.8", "0.9"}},
                  .chunk = {"0.1", {"0.025", "0.05", "0.1"}},
                  .prepare = prepared<LocalBPlanner>});
}

}  // namespace foretile
