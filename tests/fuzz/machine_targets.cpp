// SPDX-License-Identifier: BSD-3-Clause
// Platforms, quantities, settings, search spaces and histories.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "apps/options.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "planner/plan_file.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "platforms/loader.hpp"
#include "platforms/units.hpp"
#include "tests/fuzz/targets.hpp"
#include "tuner/history.hpp"
#include "tuner/space.hpp"

namespace foretile::fuzz {

namespace {

namespace fs = std::filesystem;

constexpr std::array dimensions = {Dimension::number, Dimension::bytes, Dimension::seconds,
                                   Dimension::bytes_per_s, Dimension::flops_per_s};

/// What format_quantity() writes has four digits; its prefixes reach from n to P.
void expect_same_quantity(double value, Dimension dimension) {
  if (!(value == 0 || (value >= 1e-9 && value < 1e15))) return;
  const std::string written = format_quantity(value, dimension);
  const double again = parse_quantity(written, dimension, "again");
  if (std::abs(again - value) > 1e-3 * value) throw Broken(fmt::format("{} is written {}", value, written));
}

/// A file of this process, removed at its end.
struct Scratch {
  Scratch() : path(fs::temp_directory_path() / fmt::format("foretile-fuzz-{}.jsonl", ::getpid())) {}
  ~Scratch() { fs::remove(path); }
  fs::path path;
};

std::string evaluations_text(const History& history) {
  std::string text;
  for (const Evaluation& evaluation : history.evaluations()) text += json_line(to_json(evaluation)) + '\n';
  return text;
}

/// 2 x 2 x 2 tiles.
const Contraction& small_contraction() {
  static const Contraction contraction = [] {
    DenseParameters p;
    p.m = p.n = p.k = 64;
    p.tile = 32;
    return dense_contraction(p);
  }();
  return contraction;
}

}  // namespace

void parse_platform_file(std::string_view text) {
  const Platform platform = parse_platform(std::string(text), "fuzz.toml");
  expect_same(platform.toml, parse_platform(platform.toml, "again.toml").toml);
}

// One text for all dimensions; each may take it or not.
void parse_quantities(std::string_view text) {
  for (const Dimension dimension : dimensions) {
    try {
      expect_same_quantity(parse_quantity(text, dimension, "fuzz"), dimension);
    } catch (const InputError& error) {
      expect_readable(error.what());
    }
  }
}

// A --set per line, for the platform, the strategy and the problem of a plan on one node of Summit.
void parse_settings(std::string_view text) {
  Options options;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    options.set.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const Platform platform = load_platform("summit", options.platform_settings());
  MachineSize size;
  size.nodes = 1;
  const Machine machine = make_machine(platform, size);
  const Plan plan = plan_work(small_contraction(), machine, options.settings()).plan;
  Settings stored = plan.parameters;
  stored["strategy"] = plan.strategy;
  const Plan again = plan_work(small_contraction(), machine, stored).plan;
  expect_same(fmt::format("{}", again.parameters.size()), fmt::format("{}", plan.parameters.size()));
  if (again.parameters != plan.parameters) throw Broken("planned again, parameters differ");
}

void parse_space_file(std::string_view text) {
  const Space space = parse_space(text, "fuzz.toml");
  for (const std::uint64_t index : {std::uint64_t{0}, space.size() / 2, space.size() - 1}) {
    if (index < space.size() && space.index_of(space.at(index)) != index)
      throw Broken(fmt::format("candidate {} has another number", index));
  }
}

// A history is a file, and opening it cuts a torn line off.
void parse_history(std::string_view text) {
  static const Scratch scratch;
  std::ofstream(scratch.path, std::ios::binary | std::ios::trunc) << text;
  const nlohmann::json header = {{"problem", "p"}, {"space", "s"}};
  const std::string first = evaluations_text(History(scratch.path, header));
  expect_same(first, evaluations_text(History(scratch.path, header)));
}

}  // namespace foretile::fuzz
