// SPDX-License-Identifier: BSD-3-Clause
// Products go where their tile of B is: B does not travel, tiles of A do, and parts of C are summed on
// their way to the owner of the tile (Herault et al., the "TESSE" paper on irregular tensor
// contractions, Algorithm 1 and section V-A).
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/missing_memory.hpp"
#include "base/parse.hpp"
#include "base/quantity.hpp"
#include "planner/plan/distribute_blocks.hpp"
#include "planner/plan/owners.hpp"
#include "planner/strategies/distribution_setting.hpp"
#include "planner/strategies/frame.hpp"
#include "planner/strategies/grid_text.hpp"
#include "planner/strategies/owner_b/blocks.hpp"
#include "planner/strategies/owner_b/column_families.hpp"
#include "planner/strategies/owner_b/owners_of_b.hpp"
#include "planner/strategies/sharing.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/cost/copy.hpp"

namespace foretile {

namespace {

constexpr const char* kOwnerBName = "owner-b";

/// 1 x q x r, of all ranks: where tiles that are distributed cyclically are.
ProcessGrid grid_setting(const Machine& machine, const Settings& settings) {
  const std::string& text = settings.at("grid");
  if (text == kAuto) return {1, machine.ranks, 1};
  const AlongAxes numbers = parse_grid("grid", text);
  if (numbers[Axis::p] != 1 || std::int64_t{numbers[Axis::q]} * numbers[Axis::r] != machine.ranks)
    throw input_error("grid", text, fmt::format("1xQxR with Q R = {}, the ranks", machine.ranks));
  return {1, numbers[Axis::q], numbers[Axis::r]};
}

PlanFrame frame_of(const Contraction& p, const Machine& machine, const Settings& settings) {
  PlanFrame frame = common_frame(kOwnerBName, machine, settings, 1);
  frame.grid = grid_setting(machine, settings);
  frame.lookahead = static_cast<int>(integer_setting(settings, "lookahead"));
  share_with_cores(frame, p, machine, settings);
  frame.partial_sums = true;
  frame.advice.device_memory = "lower lookahead, or tile the problem finer";
  frame.advice.host_memory =
      "use more ranks, or distribute B so that fewer ranks have parts of a column of C";
  const auto distributed = [&](const char* key, Matrix matrix) {
    GivenDistribution found = distribution_setting(settings.at(key), shape_of(p, matrix), frame.grid.size());
    frame.parameters[key] = std::move(found.text);
    return std::move(found.distribution);
  };
  frame.operands.a.distribution = distributed("distribution.a", Matrix::a);
  frame.operands.b.distribution = distributed("distribution.b", Matrix::b);
  frame.operands.c.distribution = distributed("distribution.c", Matrix::c);
  return frame;
}

/// Of each device; 0: it works in host memory, or its link has no limit.
std::vector<double> load_s_per_byte(const PlanFrame& frame, const std::vector<int>& classes,
                                    const Machine& machine) {
  std::vector<double> seconds;
  for (const int of : classes) {
    const bool loads = frame.device_classes[static_cast<std::size_t>(of)].kind == DeviceKind::gpu;
    seconds.push_back(loads ? host_to_device_s(machine.platform, 1) : 0);
  }
  return seconds;
}

class OwnerBPlanner final : public RankPlanner {
 public:
  OwnerBPlanner(const Contraction& contraction, const Machine& machine, const Settings& settings)
      : problem_(contraction),
        message_bytes_(message_bytes(settings)),
        sum_bytes_(integer_setting(settings, "sum_bytes")),
        tree_(settings.at("tree") == "chain" ? Tree::chain : Tree::binomial),
        tile_by_tile_(settings.at("blocks") == "tile"),
        frame_(frame_of(contraction, machine, settings)),
        classes_(classes_of_devices(frame_, machine)),
        speeds_(device_speeds(frame_, classes_, contraction, machine)),
        load_s_per_byte_(load_s_per_byte(frame_, classes_, machine)),
        b_(contraction, frame_.grid, frame_.operands.b.distribution) {
    refuse_what_cannot_fit();
  }

  PlanFrame frame() const override { return frame_; }

  RankPlan plan_rank(Rank rank) const override {
    RankPlan plan;
    std::vector<Device> device_of(static_cast<std::size_t>(problem_.n.tiles()), 0);  // of parts of a column
    std::vector<ColumnFamily> all = column_families(problem_.b, b_.tiles_of(rank));
    if (frame_.pool == Pool::open) {
      plan.devices = plan_pool(rank, std::move(all));
    } else {
      const auto families = distribute_families(problem_, all, speeds_);
      for (Device device = 0; device < std::ssize(speeds_); ++device) {
        const auto& of_device = families[static_cast<std::size_t>(device)];
        plan.devices.push_back(plan_device(rank, device, of_device));
        for (const ColumnFamily& family : of_device) {
          for (const std::int32_t j : family.columns) device_of[static_cast<std::size_t>(j)] = device;
        }
      }
    }
    plan.transfers = transfers_of(rank);
    plan.sums = sums_of(rank, device_of);
    return plan;
  }

 private:
  /// Blocks that fit each of the devices, small enough to be taken by others.
  std::vector<DevicePlan> plan_pool(Rank rank, std::vector<ColumnFamily> families) const {
    std::vector<DevicePlan> devices;
    std::int64_t least_memory = std::numeric_limits<std::int64_t>::max();
    for (const int of : classes_) {
      devices.push_back({.blocks = {}, .device_class = of});
      least_memory = std::min(least_memory, frame_.memory_of(devices.back()));
    }
    const BlockCut cut = pool_cut(rank, families, least_memory);
    std::vector<Block> blocks;
    add_families(rank, std::move(families), cut, blocks);
    auto distributed = distribute_blocks(problem_, std::move(blocks), speeds_);
    for (std::size_t device = 0; device < devices.size(); ++device)
      devices[device].blocks = std::move(distributed[device]);
    return devices;
  }

  /// Before millions of sums are listed: what a rank owns of A and B, and its parts of C.
  void refuse_what_cannot_fit() const {
    std::vector<std::int64_t> bytes(static_cast<std::size_t>(frame_.grid.size()), 0);
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      for (TileId tile = 0; tile < shape_of(problem_, matrix).nonzeros(); ++tile)
        bytes[static_cast<std::size_t>(owner_of(problem_, frame_, {matrix, tile}))] +=
            bytes_of(problem_, {matrix, tile});
    }
    for (std::int32_t j = 0; j < problem_.n.tiles(); ++j) {
      std::int64_t column_bytes = 0;
      for (const std::int32_t i : problem_.c.column(j)) {
        if (std::ssize(problem_.a.row(i)) == problem_.k.tiles())
          column_bytes += problem_.element_bytes() * problem_.m.size(i) * problem_.n.size(j);
      }
      for (const Rank rank : b_.with_tile_in(j)) bytes[static_cast<std::size_t>(rank)] += column_bytes;
    }
    const auto most = std::ranges::max_element(bytes);
    if (*most <= frame_.host_budget_bytes) return;
    throw missing_memory(
        fmt::format("plan, rank {}", most - bytes.begin()),
        fmt::format("{} of host memory at least (A, B and parts of C)", spelled_bytes(*most)),
        fmt::format("at most {}", spelled_bytes(frame_.host_budget_bytes)), *most - frame_.host_budget_bytes,
        frame_.advice.host_memory, ShortOf::host_memory);
  }

  /// The smallest blocks that cost little: so that others can take them.
  BlockCut pool_cut(Rank rank, const std::vector<ColumnFamily>& families, std::int64_t device_bytes) const {
    constexpr double kLittle = 1.05;
    if (tile_by_tile_) return cut_of(families, device_bytes, fmt::format("plan, rank {}", rank));
    const DenseWork all(problem_, families);
    const double speed = std::accumulate(speeds_.begin(), speeds_.end(), 0.0);
    const double slowest = *std::ranges::min_element(speeds_);
    std::vector<std::pair<BlockCut, double>> cuts;
    for (const double of_slowest : {4.0, 2.0, 1.0, 0.5, 0.25}) {  // blocks
      BlockCut cut =
          BlockCut::of(problem_, families, frame_.lookahead, device_bytes, fmt::format("plan, rank {}", rank),
                       all.flops * slowest / speed / of_slowest);
      const double seconds = pool_seconds(cut, all, device_bytes);
      cuts.emplace_back(std::move(cut), seconds);
    }
    const double least = std::ranges::min_element(cuts, {}, &std::pair<BlockCut, double>::second)->second;
    return std::ranges::find_if(cuts, [&](const auto& cut) { return cut.second <= kLittle * least; })->first;
  }

  /// With all blocks alike, each to the device that is done with it first, and nothing found on a device that
  /// loads but an A that takes no more than half of its memory.
  double pool_seconds(const BlockCut& cut, const DenseWork& all, std::int64_t device_bytes) const {
    std::int64_t blocks = 0;
    for (const BlockCut::Parts& parts : cut.of_family)
      blocks += std::int64_t{parts.rows} * std::int64_t{parts.columns};
    const auto element = static_cast<double>(problem_.element_bytes());
    const bool a_stays = all.a_elements * element <= 0.5 * static_cast<double>(device_bytes);
    const double bytes = ((a_stays ? all.a_elements : cut.a_elements) + cut.b_elements) * element;
    std::vector<double> rates;  // blocks in a second
    for (std::size_t device = 0; device < speeds_.size(); ++device) {
      const double loading_s = bytes * load_s_per_byte_[device];
      rates.push_back(static_cast<double>(blocks) / std::max(all.flops / speeds_[device], loading_s));
    }
    return seconds_of_equal(blocks, rates);
  }

  DevicePlan plan_device(Rank rank, Device device, const std::vector<ColumnFamily>& families) const {
    DevicePlan plan{.blocks = {}, .device_class = classes_[static_cast<std::size_t>(device)]};
    const BlockCut cut =
        cut_of(families, frame_.memory_of(plan), fmt::format("plan, rank {}, device {}", rank, device));
    add_families(rank, families, cut, plan.blocks);
    return plan;
  }

  BlockCut cut_of(const std::vector<ColumnFamily>& families, std::int64_t device_bytes,
                  const std::string& where) const {
    return tile_by_tile_ ? BlockCut::of_tiles(problem_, families, frame_.lookahead, device_bytes, where)
                         : BlockCut::of(problem_, families, frame_.lookahead, device_bytes, where);
  }

  void add_families(Rank rank, std::vector<ColumnFamily> families, const BlockCut& cut,
                    std::vector<Block>& blocks) const {
    for (std::size_t f = 0; f < families.size(); ++f) {
      std::vector<std::int32_t>& rows = families[f].rows;
      std::stable_partition(rows.begin(), rows.end(), [&](std::int32_t k) { return owns_column(rank, k); });
      add_blocks(problem_, families[f], cut.of_family[f], cut.chunk_bytes, blocks);
    }
  }

  /// Of A: devices begin with what need not travel.
  bool owns_column(Rank rank, std::int32_t k) const {
    return std::ranges::all_of(problem_.a.column_ids(k), [&](TileId tile) {
      return owner_of(problem_, frame_, {Matrix::a, tile}) == rank;
    });
  }

  /// In the order in which the first of its receivers asks for a tile.
  std::vector<Transfer> transfers_of(Rank rank) const {
    struct Sent {
      std::size_t turn;
      TileId tile;
      std::vector<Rank> others;
    };
    std::vector<Sent> sent;
    for (TileId tile = 0; tile < problem_.a.nonzeros(); ++tile) {
      if (owner_of(problem_, frame_, {Matrix::a, tile}) != rank) continue;
      std::vector<Rank> others = others_with(rank, tile);
      if (others.empty()) continue;
      const std::size_t turn = turn_of(problem_.a.column_of(tile), others);
      sent.push_back({turn, tile, std::move(others)});
    }
    std::ranges::stable_sort(sent, {}, &Sent::turn);
    std::vector<Transfer> transfers;
    std::int64_t filled = 0;
    for (Sent& each : sent) {
      const std::int64_t bytes = problem_.a_bytes(each.tile);
      if (transfers.empty() || transfers.back().others != each.others || filled + bytes > message_bytes_) {
        transfers.push_back({.tiles = {}, .others = std::move(each.others), .tree = tree_});
        filled = 0;
      }
      transfers.back().tiles.push_back(each.tile);
      filled += bytes;
    }
    return transfers;
  }

  /// Ranks that multiply the tile of A, but its owner, those behind the owner first.
  std::vector<Rank> others_with(Rank owner, TileId tile) const {
    std::vector<Rank> ranks = b_.with_product_of(problem_.a.row_of(tile), problem_.a.column_of(tile));
    std::erase(ranks, owner);
    std::rotate(ranks.begin(), std::ranges::upper_bound(ranks, owner), ranks.end());
    return ranks;
  }

  std::size_t turn_of(std::int32_t k, const std::vector<Rank>& ranks) const {
    std::size_t first = static_cast<std::size_t>(problem_.k.tiles());
    for (const Rank rank : ranks) {
      const std::vector<std::int32_t>& rows = b_.rows_of(rank);
      first = std::min(first, static_cast<std::size_t>(std::ranges::lower_bound(rows, k) - rows.begin()));
    }
    return first;
  }

  /// Column by column, so that all ranks of a tree join the same tiles: those of a column of C have one
  /// device on each rank.
  std::vector<Sum> sums_of(Rank rank, const std::vector<Device>& device_of) const {
    std::vector<Sum> sums;
    for (std::int32_t j = 0; j < problem_.n.tiles(); ++j)
      add_sums(rank, j, device_of[static_cast<std::size_t>(j)], sums);
    return sums;
  }

  void add_sums(Rank rank, std::int32_t j, Device device, std::vector<Sum>& sums) const {
    struct Open {
      Sum sum;
      std::int64_t bytes = 0;
    };
    // By the tree's ranks, the owner first, and whether that has a part of its own.
    std::map<std::pair<std::vector<Rank>, bool>, Open> open;
    const auto rows = problem_.c.column(j);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const TileId tile = problem_.c.column_ids(j)[e];
      const bool full = std::ssize(problem_.a.row(rows[e])) == problem_.k.tiles();
      const std::vector<Rank> parts = full ? b_.with_tile_in(j) : b_.with_part_of(rows[e], j);
      const Rank owner = owner_of(problem_, frame_, {Matrix::c, tile});
      const bool part = std::ranges::find(parts, rank) != parts.end();
      if (!part && (owner != rank || parts.empty())) continue;
      std::vector<Rank> members = tree_of(owner, parts);
      Open& of_tree = open[{members, std::ranges::find(parts, owner) != parts.end()}];
      const std::int64_t bytes = problem_.c_bytes(tile);
      if (of_tree.bytes > 0 && of_tree.bytes + bytes > sum_bytes_) sums.push_back(std::move(of_tree.sum));
      if (of_tree.bytes == 0 || of_tree.bytes + bytes > sum_bytes_) {
        of_tree = {sum_in(members, rank), 0};
        if (part) of_tree.sum.devices = {device};
      }
      of_tree.sum.tiles.push_back(tile);
      of_tree.bytes += bytes;
    }
    for (auto& [tree, of_tree] : open) sums.push_back(std::move(of_tree.sum));
  }

  /// The owner, then those with parts, the last k first: by Tree::chain a sum goes from the first k to the
  /// last.
  static std::vector<Rank> tree_of(Rank owner, std::vector<Rank> parts) {
    std::erase(parts, owner);
    parts.push_back(owner);
    std::ranges::reverse(parts);
    return parts;
  }

  Sum sum_in(const std::vector<Rank>& members, Rank rank) const {
    const auto size = static_cast<int>(members.size());
    const auto position = static_cast<int>(std::ranges::find(members, rank) - members.begin());
    const auto at = [&](int place) { return members[static_cast<std::size_t>(place)]; };
    Sum sum;
    const std::vector<int> children = tree_children(tree_, position, size);
    for (auto child = children.rbegin(); child != children.rend(); ++child) sum.from.push_back(at(*child));
    if (position > 0) sum.to = at(tree_parent(tree_, position));
    return sum;
  }

  const Contraction& problem_;
  std::int64_t message_bytes_;
  std::int64_t sum_bytes_;
  Tree tree_;          // of broadcasts and sums
  bool tile_by_tile_;  // each tile of C a block
  PlanFrame frame_;
  std::vector<int> classes_;             // of the devices of a rank
  std::vector<double> speeds_;           // of the same
  std::vector<double> load_s_per_byte_;  // of the same
  OwnersOfB b_;
};

ParameterInfo distribution_parameter(const char* key, const std::string& matrix) {
  return {.key = key,
          .default_value = "contiguous",
          .meaning = "where " + matrix +
                     " is: contiguous (row by row, as many tiles on each rank), cyclic (over the grid), or "
                     "table:FILE (a rank for each nonzero tile, row by row)",
          .spelling = spelled_distribution(),
          .in_reports = true};
}

class OwnerB final : public Strategy {
 public:
  std::string name() const override { return kOwnerBName; }

  Sources sources_for(const Sources&) const override { return {Source::given, Source::given}; }

  std::vector<ParameterInfo> list_parameters() const override {
    std::vector<ParameterInfo> list{
        distribution_parameter("distribution.a", "A"),
        distribution_parameter("distribution.b", "B"),
        distribution_parameter("distribution.c", "C"),
        {.key = "grid",
         .default_value = std::string(kAuto),
         .meaning = "1xQxR: of matrices that are distributed cyclically, each Q-th column and R-th row of B "
                    "is on a "
                    "rank; auto: whole columns",
         .spelling = spelled_grid({std::string(kAuto)})},
        {.key = "tree",
         .default_value = "chain",
         .meaning = "how tiles of A travel and parts of C are summed",
         .spelling = one_of({"chain", "binomial"}),
         .tries = {"chain", "binomial"},
         .in_reports = true},
        in_reports({"lookahead",
                    "1",
                    "chunks loaded ahead of the one worked on",
                    whole_number(0, kMostAhead),
                    {"1", "2"}}),
        {.key = "sum_bytes",
         .default_value = "1000000",
         .meaning = "parts of a column of C are joined to additions and messages up to this size",
         .spelling = whole_bytes(1, std::int64_t{1} << 31)}};
    list.push_back(
        {.key = "blocks",
         .default_value = std::string(kAuto),
         .meaning =
             "auto: as large as lets A and B be loaded least; tile: each tile of C alone, in chunks of "
             "one k, as runtimes work that know tiles alone",
         .spelling = one_of({std::string(kAuto), "tile"})});
    list.push_back(sharing_parameter());
    for (ParameterInfo& shared : common_parameters()) list.push_back(std::move(shared));
    return list;
  }

  /// Whole columns of B on a rank, where the user does not say how the matrices are distributed: then nothing
  /// is summed.
  std::vector<Settings> variants() const override {
    return {{{"distribution.a", "cyclic"}, {"distribution.b", "cyclic"}, {"distribution.c", "cyclic"}}};
  }

  DistributionOfC distribution_of_c(const Contraction& contraction, const Machine& machine,
                                    const Settings& settings) const override {
    return {.partial_sums = true, .cores_beside = cores_sharing(contraction, machine, settings)};
  }

  /// With the digests of tables.
  Settings plan_key(const Contraction& contraction, const Machine& machine,
                    const Settings& settings) const override {
    return frame_of(contraction, machine, settings).parameters;
  }

  std::unique_ptr<RankPlanner> prepare(const Contraction& contraction, const Machine& machine,
                                       const Settings& settings,
                                       const PlanContext& /*context*/) const override {
    return std::make_unique<OwnerBPlanner>(contraction, machine, settings);
  }
};

}  // namespace

std::unique_ptr<Strategy> owner_b() {
  return std::make_unique<OwnerB>();
}

}  // namespace foretile
