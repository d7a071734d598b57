// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/program_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/one_line.hpp"
#include "planner/distribution/on_demand.hpp"
#include "planner/strategies/parameter.hpp"
#include "planner/tensor/program_text.hpp"

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

constexpr StoredKind kProgramKind{"foretile_program_plan", 3};
constexpr int kMostInt = std::numeric_limits<int>::max();

Json distribution_json(const ProgramDistribution& distribution) {
  Json owners = Json::array();
  for (const std::vector<Rank>& of_tensor : distribution.owners) {
    Json& ranks = owners.emplace_back(Json::array());
    for (const Rank rank : of_tensor) ranks.push_back(static_cast<int>(rank));
  }
  const std::vector<int> at_owners(distribution.at_owners.begin(), distribution.at_owners.end());
  return {{"owners", std::move(owners)},
          {"split_k", distribution.split_k},
          {"at_owners", at_owners},
          {"strategies", distribution.strategies}};
}

ProgramDistribution read_distribution(ObjectReader reader, int ranks) {
  ProgramDistribution distribution{.ranks = ranks};
  for (const std::vector<int>& of_tensor : reader.lists_of_numbers("owners", 0, ranks - 1)) {
    std::vector<Rank>& owners = distribution.owners.emplace_back();
    for (const int rank : of_tensor) owners.push_back(Rank::of(rank));
  }
  distribution.split_k = reader.list_of_numbers("split_k", 1, kMostInt);
  if (reader.has("at_owners")) {
    for (const int is_there : reader.list_of_numbers("at_owners", 0, 1))
      distribution.at_owners.push_back(is_there == 1);
  }
  distribution.strategies = reader.list_of_texts("strategies");
  reader.refuse_other_keys();
  return distribution;
}

ProgramMode mode_of(const std::string& text, const std::string& source) {
  for (const ProgramMode mode : {ProgramMode::levels, ProgramMode::flow}) {
    if (text == name_of(mode)) return mode;
  }
  throw input_error(source + ": mode", fmt::format("'{}'", text), "levels or flow");
}

void read_program(ObjectReader reader, ProgramFile& file) {
  file.name = reader.text("name");
  file.text = reader.text("text");
  reader.refuse_other_keys();
}

ProgramSizes read_sizes(ObjectReader reader) {
  constexpr std::int64_t most = 1'000'000;
  ProgramSizes sizes{reader.whole("occupied", 1, most), reader.whole("virtuals", 1, most),
                     reader.whole("tile", 1, most)};
  if (reader.has("vectors")) {
    sizes.vectors = reader.whole("vectors", 1, most);
    sizes.vector_tile = reader.whole("vector_tile", 1, most);
  }
  if (reader.has("slices")) sizes.slices = static_cast<int>(reader.whole("slices", 1, kMostSlices));
  reader.refuse_other_keys();
  return sizes;
}

/// An empty list stands for one value of all.
void require_count(const ProgramFile& file, const char* key, std::size_t found, std::size_t expected) {
  if (found == 0 || found == expected) return;
  throw input_error(fmt::format("{}: distribution.{}", file.source, key), fmt::format("{} values", found),
                    fmt::format("none, or {} as the program has", expected), "plan again");
}

void require_distribution(const ProgramFile& file, const FusedProgram& program) {
  const ProgramDistribution& distribution = file.distribution;
  require_count(file, "split_k", distribution.split_k.size(), program.terms().size());
  require_count(file, "at_owners", distribution.at_owners.size(), program.terms().size());
  require_count(file, "strategies", distribution.strategies.size(), program.terms().size());
  require_count(file, "owners", distribution.owners.size(), program.tensors().size());
  for (std::size_t term = 0; term < distribution.split_k.size(); ++term) {
    const FusedProgramTerm& fused = program.terms()[term];
    const int most = fused.is_product() ? std::max(1, fused.product->contraction().k.tiles()) : 1;
    if (distribution.split_k[term] > most)
      throw input_error(
          fmt::format("{}: distribution.split_k", file.source),
          fmt::format("{} of term {}", distribution.split_k[term], program.program().terms[term].name),
          fmt::format("at most {}, its tiles of K", most), "plan again");
  }
  if (std::ranges::find(file.on_demand, kAutoOnDemand) != file.on_demand.end())
    throw input_error(fmt::format("{}: on_demand", file.source), quote(kAutoOnDemand), "names of tensors",
                      "plan again");
  for (std::size_t tensor = 0; tensor < distribution.owners.size(); ++tensor) {
    const auto blocks = static_cast<std::size_t>(program.blocks(tensor).count());
    if (distribution.owners[tensor].size() != blocks)
      throw input_error(fmt::format("{}: distribution.owners", file.source),
                        fmt::format("{} blocks of {}", distribution.owners[tensor].size(),
                                    text_of(program.tensors()[tensor], program.program())),
                        fmt::format("{}, as the program has", blocks), "plan again");
  }
}

}  // namespace

bool is_program_plan(const std::string& path) {
  if (!path.ends_with(".json")) return false;
  try {
    return read_text(path).find(fmt::format("\"{}\"", kProgramKind.key)) != std::string::npos;
  } catch (const InputError&) {
    return false;
  }
}

ProgramFile make_program_file(const std::string& name, const ProgramSizes& sizes, const MachineSize& size,
                              const Machine& machine, const FusedProgram& program,
                              const ProgramPlan& planned) {
  ProgramFile file;
  static_cast<StoredMachine&>(file) = stored(machine, size);
  file.name = name;
  file.text = written(program.as_given());
  file.sizes = sizes;
  file.mode = planned.mode;
  file.parameters = planned.settings;
  file.on_demand = names_on_demand(program, planned.distribution);
  file.distribution = planned.distribution;
  file.distribution.on_demand = {};
  file.gemms = planned.work.summary.gemms;
  file.plan_digest = program_digest(planned, program);
  return file;
}

ProgramFile load_program_file(const std::filesystem::path& path) {
  return program_file_from_json(read_text(path), path.string());
}

void save_program_file(const std::filesystem::path& path, const ProgramFile& file) {
  write_atomically(path, [&](std::ostream& out) { out << program_file_json(file) << '\n'; });
}

namespace {

Json sizes_json(const ProgramSizes& sizes) {
  Json json{{"occupied", sizes.occupied}, {"virtuals", sizes.virtuals}, {"tile", sizes.tile}};
  if (sizes.vectors > 0) {
    json["vectors"] = sizes.vectors;
    json["vector_tile"] = sizes.tile_of(SpaceKind::auxiliary);
  }
  if (sizes.slices > 1) json["slices"] = sizes.slices;
  return json;
}

}  // namespace

std::string program_file_json(const ProgramFile& file) {
  Json json = {{"program", {{"name", file.name}, {"text", file.text}}},
               {"sizes", sizes_json(file.sizes)},
               {"platform", platform_json(file)},
               {"machine", machine_json(file)},
               {"mode", name_of(file.mode)},
               {"parameters", file.parameters},
               {"on_demand", file.on_demand},
               {"distribution", distribution_json(file.distribution)},
               {"summary", {{"gemms", file.gemms}, {"plan", file.plan_digest}}}};
  if (file.predicted) json["predicted"] = prediction_json(*file.predicted);
  return stored_text(kProgramKind, json);
}

ProgramFile program_file_from_json(const std::string& text, const std::string& source) {
  ProgramFile file;
  file.source = source;
  read_stored(text, kProgramKind, source, "a plan file of a program", [&](ObjectReader& reader) {
    read_program(reader.object("program"), file);
    file.sizes = read_sizes(reader.object("sizes"));
    read_platform(reader.object("platform"), file);
    read_machine(reader.object("machine"), file);
    file.mode = mode_of(reader.text("mode"), source);
    file.parameters = present_keys(reader.object("parameters").texts());
    file.on_demand = reader.list_of_texts(reader.has("on_demand") ? "on_demand" : "made");
    file.distribution = read_distribution(reader.object("distribution"), file.ranks);
    ObjectReader summary = reader.object("summary");
    file.gemms = summary.whole("gemms", 0, std::numeric_limits<std::int64_t>::max());
    file.plan_digest = summary.text("plan");
    summary.refuse_other_keys();
    if (reader.has("predicted")) file.predicted = read_prediction(reader.object("predicted"));
  });
  return file;
}

namespace {

RebuiltProgram planned_again(const ProgramFile& file) {
  Machine machine = stored_machine(file);
  const std::string source = file.source + ": program.text";
  auto program = std::make_unique<FusedProgram>(parse_program(file.text, source), file.sizes, source);
  require_distribution(file, *program);
  ProgramDistribution distribution = file.distribution;
  distribution.on_demand = on_demand_of(*program, file.on_demand);
  ProgramPlan plan = plan_program(*program, distribution, machine, file.parameters, file.mode);
  expect_same(file.source, "summary.gemms", file.gemms, plan.work.summary.gemms);
  if (const std::string found = program_digest(plan, *program); found != file.plan_digest)
    throw input_error(file.source + ": summary.plan", fmt::format("'{}'", file.plan_digest),
                      fmt::format("'{}', as the rebuilt plan has", found),
                      "another version of foretile made this file; plan again");
  return {std::move(machine), std::move(program), std::move(plan)};
}

}  // namespace

RebuiltProgram rebuild(const ProgramFile& file) {
  try {
    return planned_again(file);
  } catch (const InputError& error) {
    const std::string what = error.what();
    throw what.starts_with(file.source) ? error : within(file.source, error);
  }
}

}  // namespace foretile
