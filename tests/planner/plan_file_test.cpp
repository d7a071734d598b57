// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "base/error.hpp"
#include "base/files.hpp"
#include "platforms/loader.hpp"
#include "tests/platforms/small_platform.hpp"

namespace foretile::plan_file_test {
namespace {

const Problem problem{"toy", "kind = \"dense\"\nm = 4\nn = 6\nk = 8\ntile = 2\nb_source = \"made\"\n",
                      "toy.toml"};

PlanFile toy_file() {
  MachineSize size;
  size.gpus = 4;
  const Machine machine = make_machine(parse_platform(small_platform, "small.toml"), size);
  const PlannedWork work = plan_work(build_contraction(problem), machine, {{"grid.p", "2"}});
  PlanFile file = make_plan_file(problem, size, work);
  file.predicted = Prediction{0.125, 3e9};
  return file;
}

/// The text with the digest that fits.
std::string with_digest(const std::string& text) {
  nlohmann::json json = nlohmann::json::parse(text);
  json.erase("digest");
  json["digest"] = digest(json.dump());
  return json.dump();
}

/// The toy file's text with one change that must be possible.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = plan_file_json(toy_file());
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("not in the plan file: " + from);
  return text.replace(at, from.size(), to);
}

void expect_error(const std::string& text, const std::string& part) {
  try {
    rebuild(parse_plan_file(text, "p.json"));
    FAIL() << "no error with '" << part << "'";
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with("p.json")) << what;
    EXPECT_NE(what.find(part), std::string::npos) << what;
  }
}

TEST(PlanFile, ComesBackAsItWas) {
  const PlanFile stored = toy_file();
  const PlanFile read = parse_plan_file(plan_file_json(stored), "p.json");
  EXPECT_EQ(plan_file_json(read), plan_file_json(stored));
  EXPECT_EQ(read.size.gpus, 4);
  EXPECT_EQ(read.parameters.at("grid.p"), "2");
  EXPECT_EQ(read.parameters.at("strategy"), "stationary-b");
  EXPECT_DOUBLE_EQ(read.predicted->makespan_s, 0.125);
}

TEST(PlanFile, RebuildsTheSamePlan) {
  const PlannedWork work = rebuild(toy_file());
  EXPECT_EQ(work.summary.gemms, 2 * 3 * 4);
  EXPECT_EQ(work.machine.ranks, 2);
  EXPECT_EQ(work.machine.devices_per_rank, 2);
  EXPECT_EQ(work.plan.grid.p, 2);
}

TEST(PlanFile, SaysThatItWasEdited) {
  for (const auto& [from, to] : {std::pair{"m = 4", "m = 6"},
                                 {"1 Tflop/s", "2 Tflop/s"},
                                 {"\"grid.p\": \"2\"", "\"grid.p\": \"1\""},
                                 {"0.125", "0.5"},
                                 {"\"name\": \"toy\"", "\"name\": \"toys\""},
                                 {"\"gemms\": 24", "\"gemms\": 25"}}) {
    expect_error(changed(from, to), "p.json: digest: found");
    expect_error(changed(from, to), "make the plan again with `foretile plan`");
  }
  expect_error(changed("\"digest\"", "\"digests\""), "digest: found nothing");
  expect_error(changed("\"gemms\": 24", "\"gemms\": -1"), "digest: found");  // beside the wrong key
}

TEST(PlanFile, ComesThroughAnotherProgramUnharmed) {
  // Sorted keys, no spaces: as jq -cS writes it.
  const std::string text = nlohmann::json::parse(plan_file_json(toy_file())).dump();
  EXPECT_EQ(plan_file_json(parse_plan_file(text, "p.json")), plan_file_json(toy_file()));
}

TEST(PlanFile, TextsThatAreNoUtf8DoNotBreakTheDigest) {
  PlanFile file = toy_file();
  file.problem.toml += "# caf\xe9\n";
  const PlanFile found = parse_plan_file(plan_file_json(file), "p.json");
  EXPECT_EQ(found.problem.toml, toy_file().problem.toml + "# caf\xef\xbf\xbd\n");  // U+FFFD
  EXPECT_NO_THROW(rebuild(found));
}

TEST(PlanFile, RefusesAKeyThatStandsTwice) {
  expect_error(changed("\"gemms\": 24", "\"gemms\": 24, \"gemms\": 24"),
               "summary.gemms: found this key twice");
}

TEST(PlanFile, SaysThatAnotherVersionMadeIt) {
  expect_error(changed("\"foretile_plan\": 2", "\"foretile_plan\": 7"),
               "found version 7, expected version 2");
  expect_error(changed("\"foretile_plan\": 2,", ""), "no version");
  expect_error(with_digest(changed("\"gemms\": 24", "\"gemms\": 25")),
               "summary.gemms: found 25, expected 24");
  expect_error(with_digest(changed("\"ranks\": 2", "\"ranks\": 3")), "machine.ranks: found 3, expected 2");
}

TEST(PlanFile, NamesTheWrongKey) {
  expect_error("{", "not a plan file");
  expect_error("", "not a plan file");
  expect_error("[]", "expected an object");
  for (const auto& [from, to, part] :
       {std::tuple{"\"gemms\": 24", "\"gemms\": \"24\"",
                   "summary.gemms: found \"24\", expected a whole number"},
        {"\"gemms\": 24", "\"gemms\": 1e99", "summary.gemms"},
        {"\"gemms\": 24", "\"gemms\": 18446744073709551615", "summary.gemms"},
        {"\"gpus\": 4", "\"gpus\": -4", "machine.size.gpus"},
        {"\"gpus\": 4", "\"gpu\": 4",
         "unknown key \"gpu\" in \"machine.size\"; did you mean \"gpus\"? Known"},
        {"\"lookahead\": \"1\"", "\"lookahead\": 1", "parameters.lookahead"},
        {"\"lookahead\"", "\"look\"", "look"},
        {"0.125", "-1", "predicted.makespan_s"},
        {"\"blocks\"", "\"block\"", "summary.blocks: found nothing"}}) {
    expect_error(with_digest(changed(from, to)), part);
    expect_error(changed(from, to), "digest");
  }
}

// Cutting the text anywhere must give an error, not a crash.
TEST(PlanFile, RefusesEveryTornFile) {
  const std::string text = plan_file_json(toy_file());
  for (std::size_t length = 0; length < text.size(); length += 7) {
    EXPECT_THROW(parse_plan_file(text.substr(0, length), "p.json"), InputError) << length;
  }
}

}  // namespace
}  // namespace foretile::plan_file_test
