// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/rank_scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/host_memory.hpp"
#include "planner/verify/messages.hpp"
#include "planner/verify/verify.hpp"
#include "tests/base/some_of.hpp"
#include "tests/planner/all_distributions.hpp"
#include "tests/planner/random_case.hpp"
#include "tests/scheduler/fake_backend.hpp"

namespace foretile::rank_scheduler_test {
namespace {

std::optional<Plan> plan_of(const RandomCase& c) {
  try {
    Plan plan = make_plan(c.problem, c.machine, c.settings);
    verify(plan, c.problem);
    return plan;
  } catch (const InputError&) {
    return std::nullopt;  // does not fit
  }
}

/// The smallest budgets that the verifier accepts.
void shrink(Plan& plan, const Contraction& problem) {
  const std::int64_t peak_bytes = verify(plan, problem).peak_device_bytes;
  for (DeviceClass& alike : plan.device_classes) alike.memory_bytes = peak_bytes;
  if (plan.operands.b.streams()) return;
  const auto accepts = [&](std::int64_t staging) {
    plan.staging_bytes = staging;
    try {
      verify(plan, problem);
      return true;
    } catch (const InputError&) {
      return false;
    }
  };
  std::int64_t low = -1;
  std::int64_t high = 1 << 20;
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (accepts(middle) ? high : low) = middle;
  }
  ASSERT_TRUE(accepts(high));
}

/// For each rank, device and C tile the order in which the plan adds to it.
std::map<std::tuple<int, int, TileId>, std::vector<std::pair<TileId, TileId>>> planned_order(
    const Plan& plan, const Contraction& p) {
  std::map<std::tuple<int, int, TileId>, std::vector<std::pair<TileId, TileId>>> order;
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    for (std::size_t device = 0; device < plan.ranks[rank].devices.size(); ++device) {
      for (const Block& block : plan.ranks[rank].devices[device].blocks) {
        for (const Chunk& chunk : block.chunks) {
          for (const TileId a : chunk.a) {
            for (const std::int32_t j : block.columns) {
              const auto b = p.b.find(p.a.column_of(a), j);
              const auto c = p.c.find(p.a.row_of(a), j);
              if (b && c) order[{static_cast<int>(rank), static_cast<int>(device), *c}].emplace_back(a, *b);
            }
          }
        }
      }
    }
  }
  return order;
}

/// C's numbers as the plan says: parts in the order of their products, sums in the order of their trees.
class PlannedC {
 public:
  PlannedC(const Plan& plan, const Contraction& p) : plan_(plan), p_(p), order_(planned_order(plan, p)) {}

  std::map<TileId, double> all() const {
    std::map<TileId, double> c;
    for (const auto& [place, products] : order_) {
      const auto [rank, device, tile] = place;
      if (!plan_.partial_sums)
        c[tile] = part(rank, device, tile, p_.reads_c() ? number_of({Matrix::c, tile}) : 0);
    }
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) {
      for (const Sum& sum : plan_.ranks[rank].sums) {
        for (const TileId tile : sum.tiles) {
          if (!sum.to) c[tile] = finished(tile, of(static_cast<int>(rank), sum, tile));
        }
      }
    }
    return c;
  }

 private:
  double part(int rank, int device, TileId tile, double number) const {
    for (const auto& [a, b] : order_.at({rank, device, tile}))
      number += number_of({Matrix::a, a}) * number_of({Matrix::b, b});
    return number;
  }

  double of(int rank, const Sum& sum, TileId tile) const {
    std::vector<double> own;
    for (const Device device : sum.devices) own.push_back(part(rank, device, tile, 0));
    for (const auto& [to, from] : additions(plan_.sum_tree, static_cast<int>(own.size())))
      own[to] += own[from];
    std::optional<double> result;
    if (!own.empty()) result = own[0];
    for (const Rank from : sum.from) {
      const auto& sums = plan_.ranks[from].sums;
      const auto theirs = std::find_if(sums.begin(), sums.end(), [&](const Sum& s) {
        return std::find(s.tiles.begin(), s.tiles.end(), tile) != s.tiles.end();
      });
      const double other = of(from, *theirs, tile);
      result = result ? *result + other : other;
    }
    return *result;
  }

  double finished(TileId tile, double sum) const {
    return p_.beta.real() * (p_.reads_c() ? number_of({Matrix::c, tile}) : 0) + p_.alpha.real() * sum;
  }

  const Plan& plan_;
  const Contraction& p_;
  std::map<std::tuple<int, int, TileId>, std::vector<std::pair<TileId, TileId>>> order_;
};

/// Cores in host memory, or a GPU that makes its tiles or not; and cores that copy, as with --copies.
DeviceTraits random_traits(Random& random, int core_slots) {
  DeviceTraits traits;
  if (random.integer(0, 3) == 0) traits.cores = static_cast<int>(random.integer(1, core_slots));
  traits.in_host_memory = traits.cores > 0 && random.integer(0, 3) > 0;
  traits.generates_tiles = traits.cores == 0 && random.integer(0, 2) == 0;
  traits.batch = static_cast<int>(random.integer(1, 3));
  return traits;
}

SchedulerOptions random_options(Random& random, int devices) {
  SchedulerOptions options;
  options.core_slots = static_cast<int>(random.integer(1, 4));
  options.in_plan_order = random.integer(0, 3) == 0;
  options.whole_batches = random.integer(0, 1) == 0;
  options.tiles_at_once = static_cast<int>(random.integer(1, 4));
  options.copy_slots = static_cast<int>(random.integer(1, 3));
  options.send_slots = static_cast<int>(random.integer(1, 4));
  const bool mixed = random.integer(0, 2) == 0;
  const DeviceTraits alike = random_traits(random, options.core_slots);
  for (int d = 0; d < devices; ++d) {
    options.devices.push_back(mixed ? random_traits(random, options.core_slots) : alike);
    options.devices.back().socket = static_cast<int>(random.integer(0, 1));
  }
  if (random.integer(0, 1) == 0) options.least_part_bytes = random.integer(8, 500);
  options.messages_on_devices = random.integer(0, 2) == 0;
  return options;
}

void send_along_chains(Plan& plan) {
  for (RankPlan& rank : plan.ranks) {
    for (Transfer& transfer : rank.transfers) transfer.tree = Tree::chain;
  }
}

/// What the verifier counts, of the rank with most.
std::int64_t most_received(const Plan& plan, const Contraction& problem) {
  const Owners owners(plan, problem);
  const Messages messages(plan, problem, owners);
  std::int64_t most = 0;
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank)
    most = std::max(most, worst_received(plan, messages, Rank::of(rank)).bytes());
  return most;
}

bool any_makes_tiles(const SchedulerOptions& options) {
  return std::any_of(options.devices.begin(), options.devices.end(),
                     [](const DeviceTraits& device) { return device.generates_tiles; });
}

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

/// All promises of the interface are checked by the fake back end; here: every product once and in the plan's
/// order, every C tile stored once, the statistics add up.
void check_run(const Plan& plan, const Contraction& problem, FakeCluster& cluster) {
  cluster.run();
  ASSERT_TRUE(cluster.complaints.empty()) << joined(cluster.complaints);
  const auto order = planned_order(plan, problem);
  EXPECT_TRUE(cluster.accumulated == order);
  std::map<TileId, int> parts;
  for (const auto& [place, products] : order) ++parts[std::get<TileId>(place)];
  EXPECT_TRUE(cluster.stored == parts);
  EXPECT_TRUE(cluster.c == PlannedC(plan, problem).all()) << "other bits";
  const PlanSummary planned = verify(plan, problem);
  std::int64_t kernels = 0;
  std::int64_t sent = 0;
  std::int64_t received = 0;
  std::int64_t generated = 0;
  for (const auto& rank : cluster.ranks) {
    const RankStatistics& s = rank->scheduler->statistics();
    sent += s.sent_bytes;
    received += s.received_bytes;
    generated += s.generated_bytes;
    const SchedulerOptions& options = cluster.options();
    const bool divided = options.least_part_bytes < kLeastPartBytes;
    EXPECT_LE(s.generate_operations, s.generated_tiles * (divided ? options.core_slots : 1));
    if (!any_makes_tiles(options)) {
      EXPECT_GE(s.generate_operations * options.tiles_at_once, s.generated_tiles);
    }
    EXPECT_NEAR(s.critical.total(), s.finish_s, 1e-6 * (1 + s.finish_s));
    for (const DeviceStatistics& d : s.devices) {
      kernels += d.kernels;
      EXPECT_LE(d.peak_bytes, plan.device_classes[0].memory_bytes);
    }
  }
  // Whole batches: a smaller one only at the end of a chunk.
  for (const auto& [place, count] : cluster.partial_batches) {
    std::int64_t chunks = 0;
    for (const Block& block : plan.ranks[place.first].devices[place.second].blocks)
      chunks += std::ssize(block.chunks);
    EXPECT_LE(count, chunks);
  }
  EXPECT_EQ(kernels, planned.gemms);
  EXPECT_EQ(sent, planned.network_bytes);
  EXPECT_EQ(received, planned.network_bytes);
  EXPECT_EQ(generated, planned.generated_bytes);
  EXPECT_LE(cluster.most_received_bytes, most_received(plan, problem));
}

using MakeCase = RandomCase (*)(std::uint64_t seed);

struct Totals {
  int runs = 0;
  std::int64_t peer_copies = 0;
  std::int64_t message_copies = 0;
  std::int64_t released_messages = 0;
  std::int64_t sums = 0;
};

Totals run_cases(MakeCase make_case) {
  Totals totals;
  const auto seeds = static_cast<std::uint64_t>(some_of(1000));
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const RandomCase c = make_case(seed);
    std::optional<Plan> plan = plan_of(c);
    if (!plan) continue;
    Random random(seed + 5000);
    if (seed % 2 == 0) shrink(*plan, c.problem);
    if (seed % 3 == 0) send_along_chains(*plan);
    if (seed % 5 == 0) plan->store = Store::lru;
    FakeCluster cluster(*plan, c.problem,
                        random_options(random, static_cast<int>(plan->ranks[0].devices.size())), seed);
    check_run(*plan, c.problem, cluster);
    if (testing::Test::HasFailure()) break;
    totals.peer_copies += cluster.peer_copies;
    totals.message_copies += cluster.message_copies;
    totals.released_messages += cluster.released_messages;
    for (const auto& rank : cluster.ranks) totals.sums += rank->scheduler->statistics().combines;
    ++totals.runs;
  }
  return totals;
}

TEST(RankScheduler, KeepsItsPromisesWhateverEndsFirst) {
  const Totals totals = run_cases(random_case);
  EXPECT_GE(totals.runs, some_of(600));
  EXPECT_GE(totals.peer_copies, some_of(300));
}

TEST(RankScheduler, KeepsItsPromisesWhenBStreams) {
  const Totals totals = run_cases(random_streamed_case);
  EXPECT_GE(totals.runs, some_of(600));
  EXPECT_GE(totals.peer_copies, some_of(300));
  EXPECT_GE(totals.message_copies, some_of(300));
  EXPECT_GE(totals.released_messages, some_of(1000));
}

/// Parts of C on several devices and ranks, in grids of one to eight ranks.
TEST(RankScheduler, SumsTheSameBitsWhateverEndsFirst) {
  const Totals totals = run_cases(random_grid_case);
  EXPECT_GE(totals.runs, some_of(600));
  EXPECT_GE(totals.sums, some_of(1000));
}

/// Tiles of A, B and C anywhere, products where B is.
TEST(RankScheduler, SumsTheSameBitsWhereBLies) {
  const Totals totals = run_cases(random_distributed_case);
  EXPECT_GE(totals.runs, some_of(600));
  EXPECT_GE(totals.sums, some_of(1000));
}

/// Beside a B that is generated, with all kinds of barriers.
TEST(RankScheduler, SumsTheSameBitsWhereBIsGenerated) {
  const Totals totals = run_cases(random_generated_grid_case);
  EXPECT_GE(totals.runs, some_of(600));
  EXPECT_GE(totals.sums, some_of(1000));
}

/// Where everything divides and trees enter each node once, the bytes between nodes are those of the formula,
/// to the byte; V = sum_i W_i (p_i / m_i - 1).
TEST(RankScheduler, SendsBetweenNodesWhatTheFormulaSays) {
  Contraction p{"",
                Tiling::uniform(24, 2),
                Tiling::uniform(24, 2),
                Tiling::uniform(24, 1),
                Shape::dense(12, 24),
                Shape::dense(24, 12),
                Shape::dense(12, 12),
                0};
  const double bytes = 24 * 24 * 8;
  int orders = 0;
  for (const std::array grid :
       {std::array{2, 2, 2}, {4, 2, 1}, {1, 2, 4}, {1, 1, 8}, {2, 3, 1}, {1, 2, 3}, {1, 1, 6}}) {
    const int ranks = grid[0] * grid[1] * grid[2];
    for (int x = 1; x <= grid[0]; ++x) {
      for (int y = 1; y <= grid[1]; ++y) {
        for (int z = 1; z <= grid[2]; ++z) {
          if (grid[0] % x != 0 || grid[1] % y != 0 || grid[2] % z != 0) continue;
          for (const char* tree : {"chain", "by_node", "scatter"}) {
            SCOPED_TRACE(fmt::format("{}x{}x{}, {}x{}x{}", grid[0], grid[1], grid[2], x, y, z));
            const Machine machine = small_machine(ranks, 1, 1 << 20, 1 << 20, x * y * z);
            const Settings settings{{"strategy", "grid-3d"},
                                    {"tree", tree},
                                    {"grid", fmt::format("{}x{}x{}", grid[0], grid[1], grid[2])},
                                    {"grid.node", fmt::format("{}x{}x{}", x, y, z)}};
            const Plan plan = make_plan(p, machine, settings);
            SchedulerOptions options;
            options.ranks_per_node = machine.ranks_per_node;
            FakeCluster cluster(plan, p, options, 1);
            check_run(plan, p, cluster);
            std::int64_t between = 0;
            for (const auto& rank : cluster.ranks)
              between += rank->scheduler->statistics().sent_between_nodes_bytes;
            EXPECT_EQ(static_cast<double>(between),
                      bytes * (grid[1] / y - 1 + grid[0] / x - 1 + grid[2] / z - 1));
          }
          ++orders;
        }
      }
    }
  }
  EXPECT_EQ(orders, 8 + 6 + 6 + 4 + 4 + 4 + 4);
}

/// Host loads, hits and evictions of every device.
std::vector<std::array<std::int64_t, 3>> counts(FakeCluster& cluster) {
  std::vector<std::array<std::int64_t, 3>> all;
  for (const auto& rank : cluster.ranks) {
    for (const DeviceStatistics& d : rank->scheduler->statistics().devices)
      all.push_back({d.host_loads, d.hits, d.evictions});
  }
  return all;
}

void expect_counts_from_the_plan_alone(MakeCase make_case) {
  int runs = 0;
  std::int64_t hits = 0;
  std::int64_t evictions = 0;
  const auto seeds = static_cast<std::uint64_t>(some_of(500));
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const RandomCase c = make_case(seed);
    std::optional<Plan> plan = plan_of(c);
    if (!plan) continue;
    Random random(seed + 9000);
    if (seed % 2 == 0) shrink(*plan, c.problem);
    SchedulerOptions options = random_options(random, static_cast<int>(plan->ranks[0].devices.size()));
    options.in_plan_order = true;
    FakeCluster first(*plan, c.problem, options, seed);
    FakeCluster second(*plan, c.problem, options, seed + 1000);
    check_run(*plan, c.problem, first);
    check_run(*plan, c.problem, second);
    EXPECT_EQ(counts(first), counts(second));
    if (testing::Test::HasFailure()) return;
    for (const auto& [loads, hit, evicted] : counts(first)) hits += hit, evictions += evicted;
    ++runs;
  }
  EXPECT_GE(runs, some_of(300));
  EXPECT_GE(hits, some_of(100));
  EXPECT_GE(evictions, some_of(100));
}

TEST(RankScheduler, InPlanOrderTimeDecidesNothing) {
  expect_counts_from_the_plan_alone(random_case);
}

TEST(RankScheduler, InPlanOrderTimeDecidesNothingWithSums) {
  expect_counts_from_the_plan_alone(random_grid_case);
  expect_counts_from_the_plan_alone(random_distributed_case);
}

TEST(RankScheduler, InPlanOrderTimeDecidesNothingWithSumsAndGeneratedB) {
  expect_counts_from_the_plan_alone(random_generated_grid_case);
}

TEST(RankScheduler, InPlanOrderTimeDecidesNothingWhenBStreams) {
  expect_counts_from_the_plan_alone(random_streamed_case);
}

/// Device 1 copies all six tiles of A (192 bytes) from device 0, which keeps them from its first block.
/// Meanwhile device 0 opens its second block: C's 1920 bytes, and a budget that leaves 112 for B and one tile
/// of A. It has to wait for the copy.
TEST(RankScheduler, OpensABlockOnlyWhenPeersNoLongerReadTheDevice) {
  const Contraction problem{"",
                            Tiling::uniform(24, 4),
                            Tiling::from_sizes({1, 10, 1}),
                            Tiling::uniform(1, 1),
                            Shape::dense(6, 1),
                            Shape::dense(1, 3),
                            Shape::dense(6, 3),
                            0};
  const std::vector<Chunk> one_by_one{{{0}}, {{1}}, {{2}}, {{3}}, {{4}}, {{5}}};
  Plan plan;
  plan.operands.b = kGeneratedAndStays;
  plan.lookahead = 0;
  plan.device_classes[0].memory_bytes = 1920 + 80 + 32;
  plan.host_budget_bytes = 10000;
  plan.staging_bytes = 100;
  plan.copy_batch_bytes = 1000;
  plan.ranks = {{{{{{{0}, one_by_one}, {{1}, one_by_one}}}, {{{{2}, {{{0, 1, 2, 3, 4, 5}}}}}}}, {}}};
  SchedulerOptions options;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    FakeCluster cluster(plan, problem, options, seed);
    check_run(plan, problem, cluster);
    if (testing::Test::HasFailure()) return;
  }
}

/// Devices 0 and 1 load A's first tile at once, device 2 after all others, when both have it nearly always:
/// it takes it from the one on its socket.
TEST(RankScheduler, CopiesFromADeviceOnTheSameSocket) {
  const Contraction problem{"",
                            Tiling::uniform(1, 1),
                            Tiling::uniform(3, 1),
                            Tiling::uniform(21, 1),
                            Shape::dense(1, 21),
                            Shape::dense(21, 3),
                            Shape::dense(1, 3),
                            0};
  Plan plan;
  plan.operands.b = kGeneratedAndStays;
  plan.device_classes[0].memory_bytes = 10000;
  plan.host_budget_bytes = 10000;
  plan.staging_bytes = 1000;
  plan.ranks.resize(1);
  for (std::int32_t column = 0; column < 3; ++column) {
    Block block{{column}, {}};
    for (TileId a = 0; a < 21; ++a) block.chunks.push_back({{column < 2 ? a : 20 - a}});
    plan.ranks[0].devices.push_back({{block}});
  }
  for (const int near : {0, 1}) {
    SchedulerOptions options;
    for (const int socket : {0, 1, near}) options.devices.push_back({.socket = socket});
    std::map<MemoryPlace, int> sources;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      FakeCluster cluster(plan, problem, options, seed);
      check_run(plan, problem, cluster);
      for (const auto& [from, to] : cluster.a_between_devices[0]) {
        if (to == 2) ++sources[from];
      }
    }
    EXPECT_GT(sources[near], 80);
    EXPECT_LT(sources[1 - near], 10);
  }
}

/// Two ranks swap halves of A's one row again and again, for each of their six columns, and their devices
/// keep all of it. Still no step ends before its message came: host memory for the tiles of one step, that is
/// one tile of 8 bytes, is all that was proven.
TEST(RankScheduler, EndsNoStepBeforeItsMessagesCame) {
  const Contraction problem{"",
                            Tiling::uniform(1, 1),
                            Tiling::uniform(12, 1),
                            Tiling::uniform(4, 1),
                            Shape::dense(1, 4),
                            Shape::dense(4, 12),
                            Shape::dense(1, 12),
                            0};
  Plan plan;
  plan.grid = {1, 2};
  plan.barriers = Barriers::global;
  plan.lookahead = 0;
  plan.device_classes[0].memory_bytes = 10000;
  plan.host_budget_bytes = 10000;
  for (Rank rank = 0; rank < 2; ++rank) {
    RankPlan part{{DevicePlan{}}, {}, {}};
    for (int y = 0; y < 6; ++y) {
      part.devices[0].blocks.push_back(
          {{2 * y + rank}, {{{0, 1}, Step::of(2 * y)}, {{2, 3}, Step::of(2 * y + 1)}}});
      for (const int z : {0, 1}) {
        const Step step = Step::of(2 * y + z);
        part.transfers.push_back({{2 * z + rank}, {Rank::of(1 - rank)}, Matrix::a, step, step});
      }
    }
    plan.ranks.push_back(part);
  }
  ASSERT_EQ(most_received(plan, problem), 8);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    FakeCluster cluster(plan, problem, {}, seed);
    check_run(plan, problem, cluster);
    EXPECT_EQ(counts(cluster)[0], (std::array<std::int64_t, 3>{4 + 24, 20, 0}));
    if (testing::Test::HasFailure()) return;
  }
}

/// Before its start, with everything still to load.
TEST(RankScheduler, ARankAloneExpectsNoMessages) {
  const RandomCase c = random_case(1);
  for (const int ranks : {1, 2}) {
    const Plan plan = make_plan(c.problem, small_machine(ranks, 1, 1 << 20, 1 << 30), {});
    const FakeCluster cluster(plan, c.problem, {}, 1);
    EXPECT_EQ(cluster.ranks[0]->scheduler->expects_messages(), ranks > 1);
  }
}

TEST(RankScheduler, RefusesMoreDevicesThanItCanTell) {
  const RandomCase c = random_case(1);
  const Machine machine = small_machine(1, 65, 1 << 20, 1 << 30);
  const Plan plan = make_plan(c.problem, machine, {});
  EXPECT_THROW(FakeCluster(plan, c.problem, {}, 1), InputError);
  SchedulerOptions in_host_memory;
  in_host_memory.devices.assign(65, {.in_host_memory = true});
  FakeCluster cluster(plan, c.problem, in_host_memory, 1);
  check_run(plan, c.problem, cluster);
}

}  // namespace
}  // namespace foretile::rank_scheduler_test
