// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "planner/plan/owners.hpp"
#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

std::string name_of_rank(std::size_t rank) {
  return fmt::format("rank {}", rank);
}

void check_numbers(const Plan& plan, const Contraction& p, std::size_t rank, const Sum& sum) {
  const auto ranks = std::ssize(plan.ranks);
  const auto devices = std::ssize(plan.ranks[rank].devices);
  const auto wrong = [&](const std::string& found, const std::string& expected) {
    return broken_plan(name_of_rank(rank), "a sum " + found, expected);
  };
  if (sum.tiles.empty()) throw wrong("without tiles", "at least one tile");
  for (const TileId tile : sum.tiles) {
    if (tile < 0 || tile >= p.c.nonzeros())
      throw wrong(fmt::format("of C tile {}", tile), fmt::format("0 to {}", p.c.nonzeros() - 1));
  }
  for (const Device device : sum.devices) {
    if (device < 0 || device >= devices)
      throw wrong(fmt::format("with device {}", device), fmt::format("one of {} devices", devices));
  }
  for (std::size_t d = 1; d < sum.devices.size(); ++d) {
    if (sum.devices[d] <= sum.devices[d - 1]) throw wrong("with devices out of order", "increasing devices");
  }
  const auto check_rank = [&](Rank other) {
    if (other < 0 || other >= ranks || other == static_cast<int>(rank))
      throw wrong(fmt::format("with rank {}", other), fmt::format("another of {} ranks", ranks));
  };
  for (const Rank from : sum.from) check_rank(from);
  if (sum.to) check_rank(*sum.to);
}

class SumTrees final : public VerifyPass {
 public:
  explicit SumTrees(const VerifyView& view) : VerifyPass(view) {
    if (!plan_.partial_sums) return;
    last_device_.assign(static_cast<std::size_t>(problem_.c.nonzeros()), -1);
    sum_of_.resize(plan_.ranks.size());
  }

  void open(Rank rank) override {
    rank_ = rank;
    parts_.clear();
    devices_ = 0;
  }
  void block(const WalkedBlock& walked, const std::string& where) override {
    if (!plan_.partial_sums) return;
    const Device device = plan_.parts_of(Device::of(devices_));
    for (const TileId c : walked.tiles.c) {
      if (std::exchange(last_device_[static_cast<std::size_t>(c)], devices_before_ + device) ==
          devices_before_ + device)
        throw second_part(where, c);
      parts_.emplace_back(c, device);
    }
  }
  void device(const DeviceView&) override { ++devices_; }
  void close(Rank rank) override {
    if (!plan_.partial_sums) return;
    devices_before_ += devices_;
    std::sort(parts_.begin(), parts_.end());
    number_sums(rank);
    for (auto at = parts_.cbegin(); at != parts_.cend();) at = check_parts(at);
    for (const Sum& sum : plan_.ranks[static_cast<std::size_t>(rank)].sums) check_own(rank, sum);
  }
  void finish(PlanSummary&) override {
    if (!plan_.partial_sums) return;
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) {
      for (const Sum& sum : plan_.ranks[rank].sums) check_edges(Rank::of(rank), sum);
    }
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) require_rooted(Rank::of(rank));
  }

 private:
  InputError second_part(const std::string& where, TileId tile) const {
    const char* const place = plan_.pool == Pool::none ? "device" : "rank";
    return broken_plan(where, fmt::format("a second part of C tile {} on this {}", tile, place),
                       fmt::format("at most one part on each {}", place));
  }

  using Parts = std::vector<std::pair<TileId, Device>>;

  /// Each tile is in one sum of a rank.
  void number_sums(Rank rank) {
    const auto& sums = plan_.ranks[static_cast<std::size_t>(rank)].sums;
    auto& sum_of = sum_of_[static_cast<std::size_t>(rank)];
    for (std::size_t s = 0; s < sums.size(); ++s) {
      for (const TileId tile : sums[s].tiles) {
        if (!sum_of.emplace(tile, s).second)
          throw broken_plan(name_of_rank(rank), fmt::format("C tile {} in a second sum", tile), "one sum");
      }
    }
  }

  const Sum* sum_with(Rank rank, TileId tile) const {
    const auto& sum_of = sum_of_[static_cast<std::size_t>(rank)];
    const auto found = sum_of.find(tile);
    return found == sum_of.end() ? nullptr : &plan_.ranks[static_cast<std::size_t>(rank)].sums[found->second];
  }

  /// All parts of one tile; returns where the next tile's begin.
  Parts::const_iterator check_parts(Parts::const_iterator begin) {
    const TileId tile = begin->first;
    std::vector<Device> devices;
    auto end = begin;
    for (; end != parts_.end() && end->first == tile; ++end) devices.push_back(end->second);
    const Sum* const sum = sum_with(rank_, tile);
    if (!sum || sum->devices != devices)
      throw broken_plan(name_of_rank(rank_),
                        fmt::format("C tile {} {}", tile, sum ? "in a sum with other devices" : "in no sum"),
                        fmt::format("a sum with the {} devices that compute parts of it", devices.size()));
    return end;
  }

  void check_own(Rank rank, const Sum& sum) const {
    for (const TileId tile : sum.tiles) {
      const bool owner = owner_of(problem_, plan_, {Matrix::c, tile}) == rank;
      if (owner == sum.to.has_value())
        throw broken_plan(name_of_rank(rank),
                          fmt::format("C tile {} {}", tile, owner ? "sent away" : "kept by another rank"),
                          "sums that end at the tile's owner");
      // check_parts() has seen to those with parts.
      const auto first = std::lower_bound(parts_.begin(), parts_.end(), std::pair(tile, Device(0)));
      const bool any = first != parts_.end() && first->first == tile;
      if (!any && (!sum.devices.empty() || !owner || sum.from.empty()))
        throw broken_plan(name_of_rank(rank), fmt::format("a sum of C tile {} without parts", tile),
                          "parts of the rank's own, but at the owner");
    }
  }

  /// Both ends of an edge know it, with the same tiles.
  void check_edges(Rank rank, const Sum& sum) const {
    const auto broken = [&](Rank other, const char* expected) {
      return broken_plan(
          name_of_rank(rank),
          fmt::format("a sum of C tile {} that rank {} does not know", sum.tiles.front(), other), expected);
    };
    for (std::size_t f = 0; f < sum.from.size(); ++f) {
      const Sum* const child = sum_with(sum.from[f], sum.tiles.front());
      const bool twice = std::find(sum.from.begin(), sum.from.begin() + static_cast<std::ptrdiff_t>(f),
                                   sum.from[f]) != sum.from.begin() + static_cast<std::ptrdiff_t>(f);
      if (twice || !child || child->tiles != sum.tiles || !child->to || *child->to != rank)
        throw broken(sum.from[f], "a sum of the same tiles there that is sent here, once");
    }
    if (!sum.to) return;
    const Sum* const parent = sum_with(*sum.to, sum.tiles.front());
    if (!parent || parent->tiles != sum.tiles ||
        std::find(parent->from.begin(), parent->from.end(), rank) == parent->from.end())
      throw broken(*sum.to, "a sum of the same tiles there that comes from here");
  }

  /// Going from rank to rank, each tile gets to its owner: so there is no ring.
  void require_rooted(Rank rank) const {
    for (const Sum& sum : plan_.ranks[static_cast<std::size_t>(rank)].sums) {
      const Sum* at = &sum;
      for (std::size_t steps = 0; at->to; ++steps) {
        if (steps > plan_.ranks.size())
          throw broken_plan(name_of_rank(rank), fmt::format("a ring of sums of C tile {}", sum.tiles.front()),
                            "a tree of ranks");
        at = sum_with(*at->to, sum.tiles.front());
      }
    }
  }

  Rank rank_ = 0;
  int devices_ = 0;                                              // of the rank, so far
  int devices_before_ = 0;                                       // of the ranks before
  Parts parts_;                                                  // of the rank
  std::vector<int> last_device_;                                 // with a part of the tile
  std::vector<std::unordered_map<TileId, std::size_t>> sum_of_;  // by rank
};

}  // namespace

void check_sums(const Plan& plan, const Contraction& contraction) {
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    const auto& sums = plan.ranks[rank].sums;
    if (!plan.partial_sums && !sums.empty())
      throw broken_plan(name_of_rank(rank), "sums", "none where C is not computed as partial sums");
    for (const Sum& sum : sums) check_numbers(plan, contraction, rank, sum);
  }
}

Pass sums_pass(const VerifyView& view) {
  return std::make_unique<SumTrees>(view);
}

}  // namespace foretile
