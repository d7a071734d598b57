// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/original_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "apps/foretile/program_advice.hpp"
#include "apps/foretile/program_case.hpp"
#include "apps/program_parts.hpp"
#include "apps/quantities.hpp"
#include "apps/resources.hpp"
#include "base/error.hpp"
#include "base/one_line.hpp"
#include "planner/tensor/program_text.hpp"
#include "platforms/units.hpp"
#include "scheduler/report/chrome_trace.hpp"
#include "simulator/nwchem_order.hpp"
#include "simulator/tamm_order.hpp"

namespace foretile {

namespace {

const std::vector<std::string> kNwchemLosses{"counter", "waiting", "server", "levels"};
const std::vector<std::string> kTammLosses{"blocks", "levels", "passes", "remake",
                                           "server", "update", "waiting"};

double within(const std::string& text, Dimension dimension, const char* option, double low, double high) {
  const double value = parse_quantity(text, dimension, option);
  if (value >= low && value <= high) return value;
  throw input_error(
      option, quote(text),
      fmt::format("{} to {}", format_quantity(low, dimension), format_quantity(high, dimension)));
}

/// Whether a loss is there.
struct Losses {
  const OriginalArguments& original;

  bool has(const char* loss) const {
    return std::ranges::find(original.without, loss) == original.without.end();
  }
};

void check_together(const CaseArguments& arguments, const ProgramSizes& sizes,
                    const OriginalArguments& original) {
  if (original.library.empty())
    throw input_error("--without, --best-tile, --counter-time, --get-rate", "no --original",
                      "--original beside them", "add --original nwchem, or leave them out");
  if (!arguments.options.settings().empty() || !arguments.options.tiling().empty())
    throw input_error("--set", "parameters of plans beside --original", "keys that begin with platform.",
                      "leave them out: nothing is planned");
  const std::vector<std::string>& losses = original.is_tamm() ? kTammLosses : kNwchemLosses;
  for (const std::string& loss : original.without) {
    if (std::ranges::find(losses, loss) == losses.end())
      throw input_error("--without", quote(loss), fmt::format("{}", fmt::join(losses, ", ")),
                        fmt::format("these are losses of {}", original.library));
  }
  if (!original.is_tamm() && original.best_tile)
    throw input_error("--best-tile", "it beside --original nwchem", "--original tamm", "give --tile");
  if (original.best_tile && sizes.tile > 0)
    throw input_error("--best-tile", "it beside --tile", "one of the two");
  if (!original.is_tamm()) return;
  for (const auto& [option, text] :
       {std::pair("--counter-time", original.counter_time), {"--get-rate", original.get_rate}}) {
    if (!text.empty())
      throw input_error(option, "it beside --original tamm", "--original nwchem",
                        "use --set platform.tamm.get_bandwidth=\"20 GB/s\" for TAMM's rates");
  }
}

/// One rank has one device.
TraceSubject subject_of(const CaseArguments& arguments, const Machine& machine, const char* library) {
  return {.source = "simulated",
          .problem = std::filesystem::path(arguments.problem).filename().string(),
          .platform = machine.platform.name,
          .strategy = std::string("as ") + library + " runs it",
          .digest = {},
          .ranks = machine.devices(),
          .ranks_per_node = machine.ranks_per_node * machine.devices_per_rank,
          .devices_per_rank = 1,
          .makespan_s = 0};
}

/// Runs `simulate` with a trace where a file is named.
template <class Options, class Simulate>
auto traced(const std::string& trace, TraceSubject subject, Options options, const Simulate& simulate) {
  std::optional<ChromeTrace> events;
  if (!trace.empty()) options.trace = &events.emplace(trace);
  auto result = simulate(options);
  subject.makespan_s = result.makespan_s;
  if (events) events->finish(subject);
  return result;
}

/// Mean seconds of a rank.
using MeanSeconds = std::vector<std::pair<const char*, double>>;

nlohmann::ordered_json head_json(const CaseArguments& arguments, const OriginalArguments& original,
                                 const Machine& machine, double makespan_s,
                                 const std::vector<double>& level_s) {
  nlohmann::ordered_json json{{"program", arguments.problem}, {"platform", machine.platform.name},
                              {"nodes", machine.nodes()},     {"ranks", machine.devices()},
                              {"makespan_s", makespan_s},     {"level_s", level_s}};
  if (original.molecule) json["molecule"] = molecule_json(*original.molecule);
  return json;
}

void print_head(const CaseArguments& arguments, const OriginalArguments& original, const Machine& machine,
                const char* library, double makespan_s, const std::vector<double>& level_s, bool levels) {
  if (original.molecule) fmt::print("{}\n", molecule_text(*original.molecule));
  fmt::print("{} on {} {} of {}, as {} runs it with {} ranks\n\nmakespan            {}\n",
             one_line(arguments.problem), machine.nodes(), machine.nodes() == 1 ? "node" : "nodes",
             machine.platform.name, library, machine.devices(), quantity(makespan_s, "s"));
  for (std::size_t level = 0; level < level_s.size(); ++level)
    fmt::print("  {:<18}{}\n", levels ? fmt::format("level {}", level + 1) : "all levels",
               quantity(level_s[level], "s"));
}

void print_parts(const MeanSeconds& parts) {
  fmt::print("time of a rank\n");
  for (const auto& [name, seconds] : parts) fmt::print("  {:<18}{}\n", name, quantity(seconds, "s"));
}

void simulate_nwchem_case(const CaseArguments& arguments, const ProgramSizes& sizes,
                          const OriginalArguments& original, const std::string& trace) {
  const Losses losses{original};
  NwchemOptions options{.counter = losses.has("counter"),
                        .waiting = losses.has("waiting"),
                        .server = losses.has("server"),
                        .levels = losses.has("levels")};
  if (!original.counter_time.empty())
    options.counter_s = within(original.counter_time, Dimension::seconds, "--counter-time", 1e-9, 1);
  if (!original.get_rate.empty())
    options.get_bytes_per_s = within(original.get_rate, Dimension::bytes_per_s, "--get-rate", 1e3, 1e15);
  const Machine machine = program_machine(arguments);
  ProgramArguments of_sizes;
  of_sizes.sizes = sizes;
  if (sizes.tile == 0) throw missing_tile(arguments, of_sizes, machine);
  const FusedProgram program(load_program(arguments.problem), sizes, arguments.problem);
  const Stopwatch watch;
  const NwchemResult result =
      traced(trace, subject_of(arguments, machine, "NWChem"), options,
             [&](const NwchemOptions& of) { return simulate_nwchem(program, machine, of); });
  const double ranks = machine.devices();
  const double queue_s = result.queue_s / ranks, server_s = result.server_s / machine.nodes();
  const MeanSeconds parts{
      {"products", result.products_s / ranks}, {"gets", result.get_s / ranks},
      {"permutations", result.sort_s / ranks}, {"accumulations", result.accumulate_s / ranks},
      {"counter", result.counter_s / ranks},   {"idle", result.idle_s / ranks}};
  if (arguments.options.json) {
    nlohmann::ordered_json json = head_json(arguments, original, machine, result.makespan_s, result.level_s);
    json["chains"] = result.chains;
    json["gemms"] = result.gemms;
    json["got_bytes"] = result.got_bytes;
    json["accumulated_bytes"] = result.accumulated_bytes;
    json["copied_bytes"] = result.copied_bytes;
    for (const auto& [name, seconds] : parts) json["mean_s"][name] = seconds;
    json["queue_s"] = queue_s;
    json["server_s"] = server_s;
    json["simulation_s"] = watch.seconds();
    return print_json(json);
  }
  print_head(arguments, original, machine, "NWChem", result.makespan_s, result.level_s, options.levels);
  print_parts(parts);
  if (options.server)
    fmt::print("node's process      {} busy, a rank waits {} for its turn\n", quantity(server_s, "s"),
               quantity(queue_s, "s"));
  const auto bytes = [](std::int64_t count) { return quantity(static_cast<double>(count), "B"); };
  fmt::print(
      "chains              {}\nproducts of tiles   {}\ngot                 {}\naccumulated         {}\n"
      "by terms that copy  {}\n",
      grouped(result.chains), grouped(result.gemms), bytes(result.got_bytes), bytes(result.accumulated_bytes),
      bytes(result.copied_bytes));
}

std::string rates_text(const TammRates& rates) {
  if (rates.get_bytes_per_s <= 0 || rates.served_bytes_per_s <= 0 || rates.host_bytes_per_s <= 0)
    return "guessed from those of messages and memory: the platform lacks some of [tamm]";
  return fmt::format("a rank gets {}, a process serves {}, host memory {} ([tamm] of the platform)",
                     quantity(rates.get_bytes_per_s, "B/s"), quantity(rates.served_bytes_per_s, "B/s"),
                     quantity(rates.host_bytes_per_s, "B/s"));
}

void print_tamm(const CaseArguments& arguments, const OriginalArguments& original, const Machine& machine,
                const Program& program, std::int64_t tile, const TammResult& result, const MeanSeconds& parts,
                bool levels) {
  print_head(arguments, original, machine, "TAMM", result.makespan_s, result.level_s, levels);
  fmt::print("  {:<18}{}\n", "update", quantity(result.update_s, "s"));
  print_parts(parts);
  fmt::print("node's process      {} busy\n", quantity(result.server_s / machine.nodes(), "s"));
  fmt::print("longest terms       ");
  constexpr std::size_t kMost = 5;
  for (std::size_t t = 0; t < std::min(kMost, result.terms.size()); ++t) {
    const auto& term = result.terms[t];
    fmt::print("{}{} {} on {} {}", t > 0 ? ", " : "", program.terms[term.number].name,
               quantity(term.longest_s, "s"), grouped(term.ranks), term.ranks == 1 ? "rank" : "ranks");
  }
  fmt::print("\nproducts of tiles   {}, {}\ngot                 {}\ntile                {}\n",
             grouped(std::llround(result.gemms)), quantity(result.flops, "flop"),
             quantity(result.got_bytes, "B"), tile);
  fmt::print("rates               {}\n", rates_text(machine.platform.tamm));
}

void simulate_tamm_case(const CaseArguments& arguments, ProgramSizes sizes, const OriginalArguments& original,
                        const std::string& trace) {
  const Losses losses{original};
  const TammOptions options{.waiting = losses.has("waiting"),
                            .server = losses.has("server"),
                            .passes = losses.has("passes"),
                            .remake = losses.has("remake"),
                            .blocks = losses.has("blocks"),
                            .levels = losses.has("levels"),
                            .update = losses.has("update")};
  const Machine machine = program_machine(arguments);
  const Program program = load_program(arguments.problem);
  if (original.best_tile) {
    sizes.tile = best_tamm_tile(program, sizes, machine, arguments.problem, options);
  } else if (sizes.tile == 0) {
    sizes.tile = tamm_tile(sizes.occupied, sizes.virtuals, machine);
  }
  const std::vector<LabelledTiles> tiles = spin_tiles_of(program, sizes);
  const Stopwatch watch;
  const TammResult result = traced(
      trace, subject_of(arguments, machine, "TAMM"), options,
      [&](const TammOptions& of) { return simulate_tamm(program, tiles, machine, arguments.problem, of); });
  const double ranks = machine.devices();
  const MeanSeconds parts{{"products", result.products_s / ranks},
                          {"gets", result.get_s / ranks},
                          {"waits", result.queue_s / ranks},
                          {"host", result.host_s / ranks},
                          {"idle", result.idle_s / ranks}};
  if (!arguments.options.json)
    return print_tamm(arguments, original, machine, program, sizes.tile, result, parts, options.levels);
  nlohmann::ordered_json json = head_json(arguments, original, machine, result.makespan_s, result.level_s);
  json["tile"] = sizes.tile;
  json["update_s"] = result.update_s;
  json["gemms"] = result.gemms;
  json["flops"] = result.flops;
  json["got_bytes"] = result.got_bytes;
  for (const auto& [name, seconds] : parts) json["mean_s"][name] = seconds;
  json["server_s"] = result.server_s / machine.nodes();
  json["terms"] = nlohmann::ordered_json::array();
  for (const auto& term : result.terms)
    json["terms"].push_back(
        {{"name", program.terms[term.number].name}, {"longest_s", term.longest_s}, {"ranks", term.ranks}});
  json["simulation_s"] = watch.seconds();
  print_json(json);
}

}  // namespace

void add_original_options(CLI::App& command, OriginalArguments& original) {
  command
      .add_option("--original", original.library,
                  "Of a program: simulate it as this library runs it, one rank for each device. Without "
                  "--tile tamm takes ExaChem's tile")
      ->check(CLI::IsMember({"nwchem", "tamm"}))
      ->type_name("LIBRARY");
  command
      .add_option("--without", original.without,
                  "With --original, leave a loss out: counter, waiting, server or levels of nwchem; blocks, "
                  "levels, passes, remake, server, update or waiting of tamm. Repeatable")
      ->allow_extra_args(false)
      ->type_name("LOSS");
  command.add_flag(
      "--best-tile", original.best_tile,
      "With --original tamm: of the tiles of ExaChem's rule, 40, 45, ... to 180, take that with the "
      "least simulated time");
  command
      .add_option("--counter-time", original.counter_time,
                  "With --original nwchem: time of one request to the shared counter. Default: 5 us")
      ->check(not_empty_check())
      ->type_name("TIME");
  command
      .add_option("--get-rate", original.get_rate,
                  "With --original nwchem: bytes per second that one rank gets at most. Default: the "
                  "platform's rate of messages")
      ->check(not_empty_check())
      ->type_name("RATE");
}

void simulate_original_case(const CaseArguments& arguments, const ProgramSizes& sizes,
                            const OriginalArguments& original, const std::string& trace) {
  check_together(arguments, sizes, original);
  if (original.is_tamm()) return simulate_tamm_case(arguments, sizes, original, trace);
  simulate_nwchem_case(arguments, sizes, original, trace);
}

}  // namespace foretile
