// SPDX-License-Identifier: BSD-3-Clause
// Each tile of C is computed by one rank, distributed by its work; on the rank its products are a chain on
// one device, or several that are added: what Jagode, Danalis and Dongarra (Accelerating NWChem Coupled
// Cluster through dataflow-based execution, 2018, section 4) call chains and reductions within a node. A and
// B stay where they are before the work starts, or are distributed contiguously, and travel to the ranks that
// multiply them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/parse.hpp"
#include "planner/plan/owners.hpp"
#include "planner/plan/products_of_tile.hpp"
#include "planner/problem/estimate.hpp"
#include "planner/strategies/frame.hpp"
#include "planner/strategies/owner_computes_c/distribute_tiles.hpp"
#include "planner/strategies/strategy.hpp"

namespace foretile {

namespace {

constexpr const char* kOwnerComputesCName = "owner-computes-c";
constexpr std::int64_t kMostProductsRead = 50'000'000;  // each is looked at to know who needs a tile

PlanFrame frame_of(const Contraction& p, const Machine& machine, const Settings& settings,
                   const PlanContext& context, std::vector<Rank> owners) {
  PlanFrame frame = common_frame(kOwnerComputesCName, machine, settings, 1);
  frame.grid = {1, machine.ranks, 1};
  frame.lookahead = static_cast<int>(integer_setting(settings, "lookahead"));
  frame.partial_sums = true;
  frame.sum_tree = Tree::binomial;
  frame.advice.device_memory = "lower lookahead, or tile the problem finer";
  frame.advice.host_memory = "use more ranks, or fewer chain_pieces";
  const auto as_before = [](const std::vector<Rank>& before) {
    return before.empty() ? Distribution{DistributionKind::contiguous, {}}
                          : Distribution{DistributionKind::table, before};
  };
  frame.operands.a.distribution = as_before(context.a.owners);
  frame.operands.b.distribution = as_before(context.b.owners);
  frame.operands.c.distribution = {DistributionKind::table, std::move(owners)};
  if (p.c.nonzeros() == 0) frame.operands.c.distribution = {DistributionKind::contiguous, {}};
  return frame;
}

/// What is near comes to many ranks of few nodes: these send it on, and no node sends much more than others.
Tree tree_of(const Settings& settings, const Machine& machine, const PlanContext& context) {
  if (settings.at("tree") != kAuto) return tree_setting(settings);
  return context.neighbours && machine.counted_ranks_per_node() > 1 ? Tree::scatter : Tree::binomial;
}

/// Ranks that need a tile, and how early.
struct Use {
  std::vector<Rank> ranks;
  std::size_t turn = std::numeric_limits<std::size_t>::max();

  void add(Rank rank, std::size_t at) {
    turn = std::min(turn, at);
    if (ranks.empty() || ranks.back() != rank) ranks.push_back(rank);
  }
  void sort() {
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  }
};

class OwnerComputesCPlanner final : public RankPlanner {
 public:
  OwnerComputesCPlanner(const Contraction& contraction, const Machine& machine, const Settings& settings,
                        const PlanContext& context)
      : problem_(contraction),
        message_bytes_(message_bytes(settings)),
        tree_(tree_of(settings, machine, context)),
        ranks_of_node_(machine.counted_ranks_per_node()),
        pieces_(integer_or_auto(settings, "chain_pieces")),
        devices_(machine.devices_per_rank),
        load_before_(context.flops_before),
        work_(checked_work(contraction)),
        owners_(distribute_tiles(contraction, work_, loads_of_ranks(machine), context)),
        frame_(frame_of(contraction, machine, settings, context, owners_)),
        own_(static_cast<std::size_t>(machine.ranks)) {
    std::vector<std::size_t> turn(owners_.size());
    for (std::size_t tile = 0; tile < owners_.size(); ++tile) {
      auto& own = own_[static_cast<std::size_t>(static_cast<int>(owners_[tile]))];
      turn[tile] = own.size();
      own.push_back(static_cast<TileId>(tile));
    }
    note_uses(turn);
  }

  PlanFrame frame() const override { return frame_; }

  RankPlan plan_rank(Rank rank) const override {
    RankPlan plan;
    plan.devices.resize(static_cast<std::size_t>(devices_));
    const auto& tiles = own_[static_cast<std::size_t>(static_cast<int>(rank))];
    double all = 0;
    for (const TileId tile : tiles) all += work_[static_cast<std::size_t>(tile)];
    std::vector<double> load(plan.devices.size(), 0);
    if (!load_before_.empty())
      std::copy_n(load_before_.begin() + static_cast<std::ptrdiff_t>(int{rank} * load.size()), load.size(),
                  load.begin());
    for (const TileId tile : tiles) add_tile(tile, piece_work(all), load, plan);
    plan.transfers = transfers_of(rank);
    return plan;
  }

 private:
  std::vector<double> loads_of_ranks(const Machine& machine) const {
    std::vector<double> ranks(static_cast<std::size_t>(machine.ranks), 0);
    for (std::size_t device = 0; device < load_before_.size(); ++device)
      ranks[device / static_cast<std::size_t>(devices_)] += load_before_[device];
    return ranks;
  }

  static std::vector<double> checked_work(const Contraction& p) {
    const std::int64_t products = product_bound(p.a, p.b);
    if (products > kMostProductsRead)
      throw input_error(kOwnerComputesCName, fmt::format("{} products", products),
                        fmt::format("at most {}", kMostProductsRead),
                        "take larger tiles, or another strategy");
    return work_of_tiles(p);
  }

  void note_uses(const std::vector<std::size_t>& turn) {
    uses_[0].resize(static_cast<std::size_t>(problem_.a.nonzeros()));
    uses_[1].resize(static_cast<std::size_t>(problem_.b.nonzeros()));
    for (TileId c = 0; c < problem_.c.nonzeros(); ++c) {
      const auto tile = static_cast<std::size_t>(c);
      for_each_product_of(problem_, c, [&](TileId a, TileId b) {
        uses_[0][static_cast<std::size_t>(a)].add(owners_[tile], turn[tile]);
        uses_[1][static_cast<std::size_t>(b)].add(owners_[tile], turn[tile]);
      });
    }
    for (auto& of_matrix : uses_) {
      for (Use& use : of_matrix) use.sort();
    }
  }

  /// So small that devices end together: a sixteenth of a device's work.
  double piece_work(double of_rank) const { return of_rank / static_cast<double>(devices_) / 16; }

  /// Cuts a chain to pieces of neighbouring k, each on the device that has least so far.
  void add_tile(TileId c, double piece, std::vector<double>& load, RankPlan& plan) const {
    std::vector<TileId> of_a;
    for_each_product_of(problem_, c, [&](TileId a, TileId) { of_a.push_back(a); });
    if (of_a.empty()) return;
    const double work = work_[static_cast<std::size_t>(c)];
    const auto most = std::min<std::int64_t>(std::ssize(of_a), devices_);
    const auto wanted = pieces_ ? *pieces_ : static_cast<std::int64_t>(piece > 0 ? work / piece + 0.5 : 1);
    const std::int64_t pieces = std::clamp<std::int64_t>(wanted, 1, most);
    Sum sum{{c}, {}, {}, {}};
    for (std::int64_t n = 0; n < pieces; ++n) {
      const auto device = emptiest(load, sum.devices);
      sum.devices.push_back(Device::of(device));
      load[device] += work / static_cast<double>(pieces);
      Block block{{problem_.c.column_of(c)}, {}};
      for (std::int64_t k = std::ssize(of_a) * n / pieces; k < std::ssize(of_a) * (n + 1) / pieces; ++k)
        block.chunks.push_back({{of_a[static_cast<std::size_t>(k)]}});
      plan.devices[device].blocks.push_back(std::move(block));
    }
    std::ranges::sort(sum.devices);
    plan.sums.push_back(std::move(sum));
  }

  /// Of the devices that are not among `taken`.
  static std::size_t emptiest(const std::vector<double>& load, const std::vector<Device>& taken) {
    std::size_t best = load.size();
    for (std::size_t device = 0; device < load.size(); ++device) {
      if (std::ranges::find(taken, Device::of(device)) != taken.end()) continue;
      if (best == load.size() || load[device] < load[best]) best = device;
    }
    return best;
  }

  /// The first rank of a node sends most: another one for each message.
  void turn_in_nodes(std::vector<Rank>& ranks, std::size_t turn) const {
    std::vector<int> starts = node_starts(ranks, ranks_of_node_);
    starts.push_back(static_cast<int>(ranks.size()));
    for (std::size_t node = 0; node + 1 < starts.size(); ++node) {
      const auto first = ranks.begin() + starts[node], end = ranks.begin() + starts[node + 1];
      std::rotate(first, first + static_cast<std::ptrdiff_t>(turn) % (end - first), end);
    }
  }

  /// In the order in which the first of its receivers asks for a tile.
  std::vector<Transfer> transfers_of(Rank rank) const {
    struct Sent {
      std::size_t turn;
      TileRef tile;
      std::vector<Rank> others;
    };
    std::vector<Sent> sent;
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      const auto& uses = uses_[matrix == Matrix::a ? 0 : 1];
      for (TileId tile = 0; tile < std::ssize(uses); ++tile) {
        if (owner_of(problem_, frame_, {matrix, tile}) != rank) continue;
        std::vector<Rank> others = uses[static_cast<std::size_t>(tile)].ranks;
        std::erase(others, rank);
        if (others.empty()) continue;
        std::rotate(others.begin(), std::ranges::upper_bound(others, rank), others.end());
        sent.push_back({uses[static_cast<std::size_t>(tile)].turn, {matrix, tile}, std::move(others)});
      }
    }
    std::ranges::stable_sort(sent, {}, &Sent::turn);
    std::vector<Transfer> transfers;
    const std::vector<Rank>* last = nullptr;  // receivers of the last one, in no order of nodes
    std::int64_t filled = 0;
    auto turn = static_cast<std::size_t>(int{rank});
    for (Sent& each : sent) {
      const std::int64_t bytes = bytes_of(problem_, each.tile);
      const bool fits = last && *last == each.others && transfers.back().matrix == each.tile.matrix &&
                        filled + bytes <= message_bytes_;
      if (!fits) {
        transfers.push_back({.tiles = {}, .others = each.others, .matrix = each.tile.matrix, .tree = tree_});
        if (knows_nodes(tree_)) {
          transfers.back().ranks_of_node = ranks_of_node_;
          turn_in_nodes(transfers.back().others, turn + transfers.size());
          if (order_by_node(transfers.back(), rank, turn)) ++turn;
        }
        last = &each.others;
        filled = 0;
      }
      transfers.back().tiles.push_back(each.tile.id);
      filled += bytes;
    }
    return transfers;
  }

  const Contraction& problem_;
  std::int64_t message_bytes_;
  Tree tree_;  // of broadcasts
  int ranks_of_node_;
  std::optional<std::int64_t> pieces_;
  int devices_;
  std::vector<double> load_before_;  // of each device, rank by rank; empty: none
  std::vector<double> work_;         // of each tile of C
  std::vector<Rank> owners_;         // of the same
  PlanFrame frame_;
  std::vector<std::vector<TileId>> own_;  // by rank: its tiles of C
  std::array<std::vector<Use>, 2> uses_;  // of each tile of A, of B
};

class OwnerComputesC final : public Strategy {
 public:
  std::string name() const override { return kOwnerComputesCName; }
  std::string former_name() const override { return "dealt-c"; }
  bool suits_terms() const override { return true; }

  Sources sources_for(const Sources&) const override { return {Source::given, Source::given}; }

  std::vector<ParameterInfo> list_parameters() const override {
    std::vector<ParameterInfo> list{
        in_reports({"chain_pieces",
                    std::string(kAuto),
                    "pieces into which the products of a tile of C are cut, at most one for each device of a "
                    "rank; auto: as many as let its devices end together; 1: a chain",
                    auto_or_whole_number(1, kMostCounted),
                    {std::string(kAuto), "1"}}),
        {.key = "tree",
         .default_value = std::string(kAuto),
         .meaning =
             "how tiles of A and B travel, as in grid-3d; auto: of programs of spatial orbitals scatter "
             "where nodes have several ranks, else binomial",
         .spelling = one_of({"auto", "chain", "binomial", "by_node", "scatter"}),
         .tries = {std::string(kAuto), "chain"}},
        in_reports({"lookahead",
                    "2",
                    "chunks, each of one tile of A and of B, loaded ahead of the one worked on",
                    whole_number(0, kMostAhead),
                    {"1", "2", "4"}})};
    for (ParameterInfo& shared : common_parameters()) list.push_back(std::move(shared));
    return list;
  }

  DistributionOfC distribution_of_c(const Contraction&, const Machine&, const Settings&) const override {
    return {.partial_sums = true};
  }

  std::optional<double> operand_bytes(const Contraction& contraction, int ranks,
                                      const Settings& settings) const override {
    if (integer_or_auto(settings, "chain_pieces")) return {};
    return distributed_bytes(contraction, ranks);
  }

  std::unique_ptr<RankPlanner> prepare(const Contraction& contraction, const Machine& machine,
                                       const Settings& settings, const PlanContext& context) const override {
    return std::make_unique<OwnerComputesCPlanner>(contraction, machine, settings, context);
  }
};

}  // namespace

std::unique_ptr<Strategy> owner_computes_c() {
  return std::make_unique<OwnerComputesC>();
}

}  // namespace foretile
