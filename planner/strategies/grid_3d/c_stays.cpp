// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/grid_3d/c_stays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/error.hpp"
#include "base/parse.hpp"
#include "planner/strategies/frame.hpp"

namespace foretile {

namespace {

Barriers barriers_setting(const Settings& settings) {
  const std::string& name = settings.at("barriers");
  if (name == "none") return Barriers::none;
  return name == "local" ? Barriers::local : Barriers::global;
}

bool switch_setting(const Settings& settings, const std::string& key) {
  return integer_setting(settings, key) == 1;
}

std::vector<ParameterInfo> block_parameters() {
  const Spelling counted = auto_or_whole_number(1, kMostCounted);
  return {
      in_reports({"b",
                  "auto",
                  "tile rows of C that stay on a rank's devices; auto: even blocks within c_fraction",
                  counted,
                  {"auto", "4", "8", "16", "32", "64"}}),
      in_reports({"c",
                  "auto",
                  "tile columns of C that stay on a rank's devices; auto: even blocks within c_fraction",
                  counted,
                  {"auto", "6", "12", "24", "48", "96"}}),
      {"device_rows", "auto",
       "rows of the grid to which a rank's tiles of C are distributed; auto: 1, or what gives the busiest "
       "device least",
       counted},
      in_reports({"d",
                  "auto",
                  "depth of a chunk of A and B in tiles; auto: what fits beside C, evened out",
                  counted,
                  {"auto", "1", "2", "4", "8", "16"}}),
      in_reports({"lookahead",
                  "auto",
                  "chunks loaded ahead of the one worked on; auto: 1, with several blocks 2",
                  auto_or_whole_number(0, kMostAhead),
                  {"auto", "1", "2", "3"}})};
}

std::vector<ParameterInfo> order_parameters() {
  return {
      in_reports(
          {"barriers",
           "global",
           "who waits for whom at the end of a chunk: none (and own tiles first), local (rank) or global",
           one_of({"none", "local", "global"}),
           {"global", "local", "none"}}),
      {"prefetch_c", "0", "1: C of the next block enters before the last one has left", whole_number(0, 1)},
      {"keep_received", "0", "1: with global barriers, each tile is sent once and kept until its last use",
       whole_number(0, 1)},
      {"own_first", "auto",
       "1: of a chunk, products of tiles that the rank owns come first, while the others travel; auto: 1 on "
       "cores",
       auto_or_whole_number(0, 1)},
      {"stagger", "1", "1: each device begins with other rows of A, to find the rest on its peers",
       whole_number(0, 1)},
      {"c_fraction", "0.75", "share of device memory that a block of C takes at most",
       real_number(0.001, 1)}};
}

}  // namespace

std::vector<ParameterInfo> c_stays_parameters() {
  std::vector<ParameterInfo> list = block_parameters();
  for (ParameterInfo& in_time : order_parameters()) list.push_back(std::move(in_time));
  for (ParameterInfo& shared : common_parameters()) list.push_back(std::move(shared));
  return list;
}

CStaysPlanner::CStaysPlanner(std::string_view strategy, const Contraction& contraction,
                             const Machine& machine, const Settings& settings, const CStaysGrid& grid)
    : problem_(contraction),
      devices_(machine.devices_per_rank),
      message_bytes_(message_bytes(settings)),
      grid_(grid),
      frame_(common_frame(strategy, machine, settings, grid.grid.p)) {
  frame_.grid = grid.grid;
  frame_.partial_sums = grid.partial_sums();
  frame_.sum_tree = grid.tree.tree == Tree::chain ? Tree::chain : Tree::binomial;
  if (grid.host_bytes) frame_.host_budget_bytes = std::min(frame_.host_budget_bytes, *grid.host_bytes);
  if (grid.sends_in_flight) frame_.sends_in_flight = *grid.sends_in_flight;
  frame_.barriers = barriers_setting(settings);
  frame_.advice.device_memory = "lower d, b, c or lookahead";
  frame_.advice.host_memory = "use more ranks or lower d, b, c or lookahead";
  frame_.prefetch_c = switch_setting(settings, "prefetch_c");
  if (grid.makes_b) make_b(machine, settings);
  stagger_ = switch_setting(settings, "stagger");
  own_first_ = integer_or_auto(settings, "own_first", 0, 1)
                   .value_or(machine.platform.device.kind == DeviceKind::core) == 1;
  sending_ = frame_.barriers != Barriers::global         ? Sending::once_for_ever
             : switch_setting(settings, "keep_received") ? Sending::once
                                                         : Sending::per_use;
  device_rows_ = device_rows(settings);
  sizes_ = choose_block_sizes(problem_, frame_.grid, devices_, frame_.device_classes.front().memory_bytes,
                              wishes(machine, settings));
  frame_.lookahead = sizes_.lookahead;
  blocking_ = {frame_.grid, devices_, sizes_.b, sizes_.c, device_rows_, grid.device_layers};
  for (const auto& [key, value] : {std::pair("b", sizes_.b),
                                   {"c", sizes_.c},
                                   {"d", sizes_.d},
                                   {"lookahead", sizes_.lookahead},
                                   {"device_rows", device_rows_},
                                   {"own_first", own_first_ ? 1 : 0}}) {
    frame_.parameters[key] = fmt::to_string(value);
  }
  for (const auto& [key, value] : grid.parameters) frame_.parameters[key] = value;
  routes_ = {routes_of_a()};
  if (!grid_.makes_b) routes_.push_back(routes_of_b());
  for (std::size_t matrix = 0; grid_.a_before_b && matrix < routes_.size(); ++matrix) {
    Routes& routes = routes_[matrix];
    routes.turn.assign(static_cast<std::size_t>(shape_of(problem_, routes.matrix).nonzeros()),
                       static_cast<std::int32_t>(matrix));
  }
}

/// A rank makes a tile of B once: so it has one block with the tile, on one device.
void CStaysPlanner::make_b(const Machine& machine, const Settings& settings) {
  const auto refuse = [](const char* key, const std::string& found, const std::string& expected) {
    throw input_error(key, found, expected,
                      "B is generated, once by a rank, and stays while its block is worked on");
  };
  const std::int32_t rows = most_owned(problem_.m.tiles(), frame_.grid.p);
  const auto b = integer_or_auto(settings, "b");
  if (b && *b < rows)
    refuse("b", fmt::to_string(*b), fmt::format("auto, or at least the {} tile rows of a rank", rows));
  const auto device_rows = integer_or_auto(settings, "device_rows");
  if (device_rows && *device_rows != 1) refuse("device_rows", fmt::to_string(*device_rows), "auto or 1");
  if (frame_.prefetch_c) refuse("prefetch_c", "1", "0");
  frame_.operands.b = stays_as(problem_.sources.b);
  frame_.staging_bytes = staging_bytes(frame_, machine, settings);
  frame_.advice = {"lower c, d or lookahead", "use more ranks or lower c, d, lookahead or staging_fraction",
                   "raise staging_fraction", "lower staging_fraction",
                   "platform.device.memory and staging_fraction"};
}

RankPlan CStaysPlanner::plan_rank(Rank rank) const {
  RankPlan plan;
  for (Device device = 0; device < devices_; ++device) plan.devices.push_back(plan_device(rank, device));
  plan.transfers =
      broadcasts_of(problem_, frame_.grid, rank, routes_, sending_, sizes_.lookahead, message_bytes_);
  set_trees(plan.transfers, rank);
  if (frame_.partial_sums) plan.sums = sums_of(problem_, blocking_, rank, grid_.tree, grid_.sum_bytes);
  return plan;
}

/// By Tree::scatter, the messages of a node's fibres, and those of one owner, go to different nodes first.
void CStaysPlanner::set_trees(std::vector<Transfer>& transfers, Rank owner) const {
  std::array<std::size_t, 2> turn{fibre_in_node(Matrix::a, owner), fibre_in_node(Matrix::b, owner)};
  for (Transfer& transfer : transfers) {
    transfer.tree = grid_.tree.tree;
    if (!knows_nodes(transfer.tree)) continue;
    transfer.ranks_of_node = grid_.tree.ranks_of_node;
    std::size_t& of_matrix = turn[static_cast<std::size_t>(transfer.matrix)];
    if (order_by_node(transfer, owner, of_matrix)) ++of_matrix;
  }
}

/// Which of the fibres along which the matrix travels, of those that have ranks in the owner's node.
std::size_t CStaysPlanner::fibre_in_node(Matrix matrix, Rank owner) const {
  const ProcessGrid& grid = frame_.grid;
  const AlongAxes node = grid.node.value_or(AlongAxes{{grid.p, grid.q, grid.r}});
  const Axis across = travels_along(matrix) == Axis::q ? Axis::p : Axis::q;
  const int layer = grid.layer(owner) % node[Axis::r];
  const int place = grid.position(owner, across) % node[across];
  return static_cast<std::size_t>(layer) * static_cast<std::size_t>(node[across]) +
         static_cast<std::size_t>(place);
}

/// Blocks of b rows leave no row of devices idle.
int CStaysPlanner::device_rows(const Settings& settings) const {
  if (grid_.makes_b) return 1;
  const int devices = devices_ / grid_.device_layers;
  if (const auto given = integer_or_auto(settings, "device_rows", 1, devices)) {
    if (devices % *given == 0) return static_cast<int>(*given);
    throw input_error("device_rows", fmt::to_string(*given),
                      fmt::format("a divisor of the {} devices of a rank{}", devices,
                                  grid_.device_layers > 1 ? " and layer" : ""));
  }
  const auto b = integer_or_auto(settings, "b");
  const int rows = best_device_rows(std::max(1, most_owned(problem_.m.tiles(), frame_.grid.p)),
                                    std::max(1, most_owned(problem_.n.tiles(), frame_.grid.q)), devices);
  return b && *b % rows != 0 ? 1 : rows;
}

BlockSizeWishes CStaysPlanner::wishes(const Machine& machine, const Settings& settings) const {
  const auto tiles = [&](const char* key) -> std::optional<std::int32_t> {
    const auto given = integer_or_auto(settings, key);
    return given ? std::optional(static_cast<std::int32_t>(*given)) : std::nullopt;
  };
  BlockSizeWishes wishes{tiles("b"), tiles("c"), tiles("d"), {}};
  if (const auto ahead = integer_or_auto(settings, "lookahead")) {
    wishes.lookahead = static_cast<int>(*ahead);
  }
  wishes.c_fraction = real_setting(settings, "c_fraction");
  wishes.prefetch_c = frame_.prefetch_c;
  wishes.device_rows = device_rows_;
  wishes.device_layers = grid_.device_layers;
  wishes.b_stays = grid_.makes_b;
  if (wishes.b_stays) wishes.b.reset();
  if (sending_ == Sending::per_use) {
    const std::int64_t host_bytes =
        grid_.makes_b ? std::min(frame_.host_budget_bytes, machine.host_bytes_beside_devices())
                      : frame_.host_budget_bytes;
    wishes.host_bytes = host_bytes - frame_.staging_bytes;
  }
  return wishes;
}

/// A_ik is used with columns of block column y at step (x, y, z).
Routes CStaysPlanner::routes_of_a() const {
  Routes a{Matrix::a, distribute_cyclic(problem_.n.tiles(), frame_.grid.q), {}, {}};
  for (std::int32_t j = 0; j < problem_.n.tiles(); ++j) a.group.push_back(blocking_.y(j));
  a.first = [this](TileId tile) {
    return sizes_.step(blocking_.x(problem_.a.row_of(tile)), 0, z(problem_.a.column_of(tile)));
  };
  a.stride = sizes_.X * sizes_.Z;
  return a;
}

/// B_kj is used with rows of block row x at step (x, y, z).
Routes CStaysPlanner::routes_of_b() const {
  Routes b{Matrix::b, distribute_cyclic(problem_.m.tiles(), frame_.grid.p), {}, {}};
  for (std::int32_t i = 0; i < problem_.m.tiles(); ++i) b.group.push_back(blocking_.x(i));
  b.first = [this](TileId tile) {
    return sizes_.step(0, blocking_.y(problem_.b.column_of(tile)), z(problem_.b.row_of(tile)));
  };
  b.stride = sizes_.Z;
  return b;
}

/// Section 2: z runs fastest, then x, then y.
DevicePlan CStaysPlanner::plan_device(Rank rank, Device device) const {
  DevicePlan plan;
  const int of_device = device / (blocking_.device_columns() * device_rows_);
  const int layer = of_device * frame_.grid.r + frame_.grid.layer(rank);
  for (std::int32_t y = 0; y < sizes_.Y; ++y) {
    const std::vector<std::int32_t> columns = columns_of(rank, device, y);
    if (columns.empty()) continue;
    const BlockProducts products(problem_, columns);
    for (std::int32_t x = 0; x < sizes_.X; ++x) {
      Block block{columns, chunks_of(products, sizes_.step(x, y, 0), rows_of(rank, device, x), layer)};
      put_own_first(rank, block.chunks);
      if (!block.chunks.empty()) plan.blocks.push_back(std::move(block));
    }
  }
  return plan;
}

std::vector<std::int32_t> CStaysPlanner::columns_of(Rank rank, Device device, std::int32_t y) const {
  std::vector<std::int32_t> columns;
  const auto first = std::int64_t{y} * sizes_.c;
  for (std::int64_t jl = first; jl < first + sizes_.c; ++jl) {
    const std::int64_t j = frame_.grid.column(rank) + jl * frame_.grid.q;
    if (j >= problem_.n.tiles()) break;
    if (jl % blocking_.device_columns() == device % blocking_.device_columns())
      columns.push_back(static_cast<std::int32_t>(j));
  }
  return columns;
}

/// Rows of block row x in the order in which the device asks for them: each device begins elsewhere, so
/// that the host gives each tile to one device and the others find it there.
std::vector<std::int32_t> CStaysPlanner::rows_of(Rank rank, Device device, std::int32_t x) const {
  std::vector<std::int32_t> rows;
  const auto first = std::int64_t{x} * sizes_.b;
  for (std::int64_t il = first; il < first + sizes_.b; ++il) {
    const std::int64_t i = frame_.grid.row(rank) + il * frame_.grid.p;
    if (i >= problem_.m.tiles()) break;
    if (il % device_rows_ == device / blocking_.device_columns() % device_rows_)
      rows.push_back(static_cast<std::int32_t>(i));
  }
  if (stagger_) {
    const int across = blocking_.device_columns();  // devices that need the same rows
    const auto offset = static_cast<std::ptrdiff_t>(rows.size()) * (device % across) / across;
    std::rotate(rows.begin(), rows.begin() + offset, rows.end());
  }
  return rows;
}

/// The rows' tiles of A that have products, by increasing k, and for each k in the order of the rows.
std::vector<TileId> CStaysPlanner::used_by_k(const BlockProducts& products,
                                             const std::vector<std::int32_t>& rows, int layer) const {
  std::vector<std::size_t> end(problem_.k.tiles() + 1, 0);
  const auto for_each = [&](auto visit) {
    for (const std::int32_t i : rows) {
      TileId a = problem_.a.first(i);
      for (const std::int32_t k : problem_.a.row(i)) {
        if (k % blocking_.layers() == layer && products.any(a)) visit(a, k);
        ++a;
      }
    }
  };
  for_each([&](TileId, std::int32_t k) { ++end[k + 1]; });
  std::partial_sum(end.begin(), end.end(), end.begin());
  std::vector<TileId> tiles(end.back());
  for_each([&](TileId a, std::int32_t k) { tiles[end[k]++] = a; });
  return tiles;
}

std::vector<Chunk> CStaysPlanner::chunks_of(const BlockProducts& products, Step first_step,
                                            const std::vector<std::int32_t>& rows, int layer) const {
  std::vector<Chunk> chunks;
  for (const TileId a : used_by_k(products, rows, layer)) {
    const Step step = Step::of(first_step + z(problem_.a.column_of(a)));
    if (chunks.empty() || chunks.back().step != step) chunks.push_back({{}, step});
    chunks.back().a.push_back(a);
  }
  return chunks;
}

/// Whether the rank owns the tile of A, and owns or makes all tiles of B that it meets on the rank.
bool CStaysPlanner::owned(Rank rank, TileId a) const {
  const std::int32_t k = problem_.a.column_of(a) / frame_.grid.r;
  return k % frame_.grid.q == frame_.grid.column(rank) &&
         (grid_.makes_b || k % frame_.grid.p == frame_.grid.row(rank));
}

/// The devices work on the rank's own tiles while the first messages travel. Needs no more memory: each chunk
/// has the tiles that it had. Whole chunks change places only where tiles stay on the rank for ever.
void CStaysPlanner::put_own_first(Rank rank, std::vector<Chunk>& chunks) const {
  const auto own = [&](TileId a) { return owned(rank, a); };
  if (frame_.barriers == Barriers::none) {
    std::stable_partition(chunks.begin(), chunks.end(), [&](const Chunk& chunk) {
      return std::all_of(chunk.a.begin(), chunk.a.end(), own);
    });
  }
  if (!own_first_) return;
  for (Chunk& chunk : chunks) std::stable_partition(chunk.a.begin(), chunk.a.end(), own);
}

}  // namespace foretile
