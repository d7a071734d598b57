// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/assignment.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/one_line.hpp"
#include "planner/plan/plan_digest.hpp"

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPlan = "plan";
constexpr const char* kRanks = "ranks";
constexpr const char* kGiveTheFile = "give the file that --assignment-out wrote in a run of this plan";

/// The rank's blocks, device after device as the plan lists them.
std::vector<Block*> blocks_of(RankPlan& rank) {
  std::vector<Block*> blocks;
  for (DevicePlan& device : rank.devices) {
    for (Block& block : device.blocks) blocks.push_back(&block);
  }
  return blocks;
}

void assign(RankPlan& rank, const RankAssignment& taken, const std::string& where) {
  const auto wrong = [&](const std::string& found, const std::string& expected) {
    return input_error(where, found, expected, kGiveTheFile);
  };
  if (taken.size() != rank.devices.size())
    throw wrong(fmt::format("{} devices", taken.size()), fmt::format("{}", rank.devices.size()));
  std::vector<Block*> left = blocks_of(rank);
  std::vector<std::vector<Block>> distributed;
  std::size_t count = 0;
  for (const std::vector<int>& of_device : taken) {
    auto& blocks = distributed.emplace_back();
    for (const int number : of_device) {
      if (number < 0 || number >= std::ssize(left))
        throw wrong(fmt::format("block {}", number),
                    left.empty() ? "no blocks" : fmt::format("0 to {}", std::ssize(left) - 1));
      Block* const block = std::exchange(left[static_cast<std::size_t>(number)], nullptr);
      if (!block) throw wrong(fmt::format("block {} twice", number), "each block once");
      blocks.push_back(std::move(*block));
      ++count;
    }
  }
  if (count != left.size()) throw wrong(fmt::format("{} blocks", count), fmt::format("{}", left.size()));
  for (std::size_t device = 0; device < distributed.size(); ++device)
    rank.devices[device].blocks = std::move(distributed[device]);
}

InputError wrong(const std::string& where, const Json& found, const std::string& expected) {
  const std::string text =
      found.is_null() ? "nothing" : quote(found.dump(-1, ' ', true, Json::error_handler_t::replace));
  return input_error(where, text, expected, kGiveTheFile);
}

std::vector<int> read_device(const Json& json, const std::string& where) {
  if (!json.is_array()) throw wrong(where, json, "a list of numbers of blocks");
  std::vector<int> blocks;
  for (const Json& number : json) {
    if (!number.is_number_integer() || number < 0 || number > std::numeric_limits<int>::max())
      throw wrong(where, number, "the number of a block");
    blocks.push_back(number.get<int>());
  }
  return blocks;
}

}  // namespace

void require_open_pool(const PlanFrame& frame, const std::string& where) {
  if (frame.pool == Pool::open) return;
  throw input_error(where, "a plan in which each device has its own blocks",
                    "one whose devices take blocks while they run",
                    "plan with a strategy that has sharing=dynamic");
}

Plan assigned_plan(const Plan& plan, const Assignment& assignment, const std::string& where) {
  require_open_pool(plan, where);
  const std::string digest = plan_digest(plan);
  if (assignment.plan != digest)
    throw input_error(where + ": plan", assignment.plan, fmt::format("{}, this plan's digest", digest),
                      kGiveTheFile);
  if (assignment.ranks.size() != plan.ranks.size())
    throw input_error(where + ": ranks", fmt::format("{} ranks", assignment.ranks.size()),
                      fmt::format("{}", plan.ranks.size()), kGiveTheFile);
  Plan assigned = plan;
  assigned.pool = Pool::taken;
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank)
    assign(assigned.ranks[rank], assignment.ranks[rank], fmt::format("{}: ranks, rank {}", where, rank));
  return assigned;
}

void save_assignment(const std::filesystem::path& path, const Assignment& assignment) {
  const Json json{{kPlan, assignment.plan}, {kRanks, assignment.ranks}};
  write_atomically(path, [&](std::ostream& out) { out << json.dump() << '\n'; });
}

Assignment load_assignment(const std::filesystem::path& path) {
  const std::string source = path.string();
  const auto json = parse_json<Json>(read_text(path), source, "an assignment");
  if (!json.is_object()) throw wrong(source, json, "an object");
  for (const auto& [key, value] : json.items()) {
    if (key != kPlan && key != kRanks) throw unknown_key(source, key, {kPlan, kRanks});
  }
  const auto at = [&](const char* key) { return json.contains(key) ? json.at(key) : Json(); };
  const Json plan = at(kPlan), ranks = at(kRanks);
  if (!plan.is_string()) throw wrong(source + ": " + kPlan, plan, "the digest of a plan");
  if (!ranks.is_array()) throw wrong(source + ": " + kRanks, ranks, "a list with the devices of each rank");
  Assignment assignment{plan.get<std::string>(), {}};
  for (const Json& rank : ranks) {
    const std::string where = fmt::format("{}: ranks, rank {}", source, assignment.ranks.size());
    if (!rank.is_array()) throw wrong(where, rank, "a list with the blocks of each device");
    RankAssignment& devices = assignment.ranks.emplace_back();
    for (const Json& device : rank)
      devices.push_back(read_device(device, fmt::format("{}, device {}", where, devices.size())));
  }
  return assignment;
}

}  // namespace foretile
