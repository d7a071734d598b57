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
#include "planner/plan/plan_digest.hpp"

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPlan = "plan";
constexpr const char* kRanks = "ranks";

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
    return input_error(where, found, expected, "give the file that this plan's run wrote");
  };
  if (taken.size() != rank.devices.size())
    throw wrong(fmt::format("{} devices", taken.size()), fmt::format("{}", rank.devices.size()));
  std::vector<Block*> left = blocks_of(rank);
  std::vector<std::vector<Block>> dealt;
  std::size_t count = 0;
  for (const std::vector<int>& of_device : taken) {
    auto& blocks = dealt.emplace_back();
    for (const int number : of_device) {
      if (number < 0 || number >= std::ssize(left))
        throw wrong(fmt::format("block {}", number), fmt::format("0 to {}", std::ssize(left) - 1));
      Block* const block = std::exchange(left[static_cast<std::size_t>(number)], nullptr);
      if (!block) throw wrong(fmt::format("block {} twice", number), "each block once");
      blocks.push_back(std::move(*block));
      ++count;
    }
  }
  if (count != left.size()) throw wrong(fmt::format("{} blocks", count), fmt::format("{}", left.size()));
  for (std::size_t device = 0; device < dealt.size(); ++device)
    rank.devices[device].blocks = std::move(dealt[device]);
}

std::vector<int> read_device(const Json& json, const std::string& where) {
  if (!json.is_array()) throw input_error(where, json.dump(), "a list of numbers of blocks");
  std::vector<int> blocks;
  for (const Json& number : json) {
    if (!number.is_number_integer() || number < 0 || number > std::numeric_limits<int>::max())
      throw input_error(where, number.dump(), "the number of a block");
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
                      "give the file that this plan's run wrote");
  if (assignment.ranks.size() != plan.ranks.size())
    throw input_error(where + ": ranks", fmt::format("{} ranks", assignment.ranks.size()),
                      fmt::format("{}", plan.ranks.size()));
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
  const auto expect = [&](bool right, const char* key, const char* expected) {
    if (right) return;
    const bool there = json.is_object() && json.contains(key);
    throw input_error(fmt::format("{}: {}", source, key), there ? "something else" : "nothing", expected,
                      "give a file that --assignment-out wrote");
  };
  const auto at = [&](const char* key) {
    return json.is_object() && json.contains(key) ? json.at(key) : Json();
  };
  expect(at(kPlan).is_string(), kPlan, "the digest of a plan");
  expect(at(kRanks).is_array(), kRanks, "a list with the devices of each rank");
  if (json.size() != 2) throw input_error(source, "other keys", "plan and ranks");
  Assignment assignment{json.at(kPlan).get<std::string>(), {}};
  for (const Json& rank : json.at(kRanks)) {
    const std::string where = fmt::format("{}: ranks, rank {}", source, assignment.ranks.size());
    if (!rank.is_array()) throw input_error(where, rank.dump(), "a list with the blocks of each device");
    RankAssignment& devices = assignment.ranks.emplace_back();
    for (const Json& device : rank)
      devices.push_back(read_device(device, fmt::format("{}, device {}", where, devices.size())));
  }
  return assignment;
}

}  // namespace foretile
