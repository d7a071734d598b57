// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/program_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "planner/distribution/on_demand.hpp"
#include "planner/program/choose_plan.hpp"
#include "platforms/here.hpp"
#include "platforms/loader.hpp"
#include "tests/planner/program/example.hpp"

namespace foretile::program_file_test {
namespace {

using Json = nlohmann::ordered_json;

MachineSize ranks(int number) {
  MachineSize size;
  size.ranks = number;
  return size;
}

/// Four cores on a machine without measured figures.
Machine machine_of(int number) {
  const std::string here = estimated_here({.cores = 4, .memory_bytes = 8'000'000'000, .host = "test"});
  return make_machine(parse_platform(here, "here"), ranks(number));
}

struct Stored {
  ProgramFile file;
  std::string digest;
};

Stored stored_plan(int number, const Settings& settings, const ProgramPlanOptions& options) {
  const ProgramSizes sizes{2, 4, 2};
  const FusedProgram program(ccsd_t2(), sizes, "test");
  const Machine machine = machine_of(number);
  const ProgramPlan planned = choose_plan(program, machine, settings, options);
  Stored stored{make_program_file("ccsd_t2", sizes, ranks(number), machine, program, planned), {}};
  stored.digest = program_digest(planned, program);
  return stored;
}

/// Whatever was compared or chosen to find the plan, the file has it.
TEST(ProgramFile, RebuildsWhatWasPlanned) {
  for (const int number : {1, 2, 3, 4}) {
    for (const ProgramMode mode : {ProgramMode::levels, ProgramMode::flow}) {
      for (const DistributionChoice choice :
           {DistributionChoice::automatic, DistributionChoice::round_robin}) {
        for (const bool compares : {false, true}) {
          SCOPED_TRACE(testing::Message()
                       << number << " ranks, mode " << static_cast<int>(mode) << ", distribution "
                       << static_cast<int>(choice) << ", auto " << compares);
          ProgramPlanOptions options{mode, choice, {"v[pp|pp]"}};
          // Not what a run could know.
          if (compares)
            options.seconds = [](const Plan& plan, auto&&...) {
              return plan.strategy == "grid-3d" ? 1.0 : 2.0;
            };
          const Settings settings = compares ? Settings{{"strategy", "auto"}} : Settings{};
          const Stored stored = stored_plan(number, settings, options);
          const std::string json = program_file_json(stored.file);
          const ProgramFile read = program_file_from_json(json, "p.json");
          EXPECT_EQ(program_file_json(read), json);
          const RebuiltProgram rebuilt = rebuild(read);
          EXPECT_EQ(program_digest(rebuilt.plan, *rebuilt.program), stored.digest);
          EXPECT_EQ(names_on_demand(*rebuilt.program, rebuilt.plan.distribution),
                    std::vector<std::string>{"v[pp|pp]"});
          EXPECT_EQ(rebuilt.plan.mode, mode);
        }
      }
    }
  }
}

TEST(ProgramFile, KeepsThePrediction) {
  ProgramFile file = stored_plan(2, {}, {}).file;
  EXPECT_FALSE(program_file_from_json(program_file_json(file), "p.json").predicted);
  file.predicted = Prediction{1.5, 2e9};
  const auto predicted = program_file_from_json(program_file_json(file), "p.json").predicted;
  ASSERT_TRUE(predicted);
  EXPECT_EQ(predicted->makespan_s, 1.5);
  EXPECT_EQ(predicted->flops_per_s, 2e9);
}

std::string error_of(const std::string& json) {
  try {
    rebuild(program_file_from_json(json, "p.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

/// With a digest that is right.
std::string error_after(const std::function<void(Json&)>& change) {
  Json json = Json::parse(program_file_json(stored_plan(2, {}, {}).file));
  change(json);
  json.erase("digest");
  nlohmann::json sorted = json;
  json["digest"] = digest(sorted.dump());
  return error_of(json.dump());
}

void expect(const std::string& part, const std::string& found) {
  EXPECT_NE(found.find(part), std::string::npos) << found;
}

TEST(ProgramFile, RefusesWhatIsNotIts) {
  expect("not a plan file of a program", error_of("no JSON"));
  expect("p.json: foretile_program_plan: found no version", error_of("{}"));
  expect("found version 1, expected version 3",
         error_after([](Json& json) { json["foretile_program_plan"] = 1; }));
  expect("unknown key \"nodes\"", error_after([](Json& json) { json["nodes"] = 2; }));
  expect("p.json: mode: found 'tree', expected levels or flow",
         error_after([](Json& json) { json["mode"] = "tree"; }));
  expect("p.json: distribution.owners: found 2, expected whole numbers from 0 to 1",
         error_after([](Json& json) { json["distribution"]["owners"][0][0] = 2; }));
  expect("p.json: distribution.owners: found 1 values, expected none, or",
         error_after([](Json& json) { json["distribution"]["owners"] = Json::array({Json::array({0})}); }));
  expect("blocks of", error_after([](Json& json) { json["distribution"]["owners"][0].push_back(0); }));
  expect("p.json: distribution.split_k: found 1 values",
         error_after([](Json& json) { json["distribution"]["split_k"] = {1}; }));
  expect("p.json: distribution.at_owners: found 1 values",
         error_after([](Json& json) { json["distribution"]["at_owners"] = {1}; }));
  expect("p.json: distribution.at_owners: found 2",
         error_after([](Json& json) { json["distribution"]["at_owners"] = {2}; }));
  expect("p.json: distribution.strategies",
         error_after([](Json& json) { json["distribution"]["strategies"] = {"grid-3d"}; }));
  expect("p.json: program.text, line 1",
         error_after([](Json& json) { json["program"]["text"] = "nonsense"; }));
  expect("p.json: tensors on demand: found nope",
         error_after([](Json& json) { json["on_demand"] = {"nope"}; }));
  expect("p.json: sizes.tile: found 0", error_after([](Json& json) { json["sizes"]["tile"] = 0; }));
}

TEST(ProgramFile, NoticesThatSomebodyEditedIt) {
  Json json = Json::parse(program_file_json(stored_plan(2, {}, {}).file));
  json["sizes"]["tile"] = 3;
  expect("the file was edited or damaged", error_of(json.dump()));
}

/// Another version of foretile would plan otherwise.
TEST(ProgramFile, RefusesARebuildThatDiffers) {
  const auto moved = [](Json& json) {
    for (Json& of_tensor : json["distribution"]["owners"]) {
      for (Json& owner : of_tensor) owner = 1 - owner.get<int>();
    }
  };
  expect("p.json: summary.plan: found", error_after(moved));
  expect("p.json: summary.gemms: found 1, expected",
         error_after([](Json& json) { json["summary"]["gemms"] = 1; }));
  expect("p.json: machine.ranks_per_node",
         error_after([](Json& json) { json["machine"]["ranks_per_node"] = 3; }));
}

}  // namespace
}  // namespace foretile::program_file_test
