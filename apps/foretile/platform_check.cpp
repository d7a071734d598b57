// SPDX-License-Identifier: BSD-3-Clause
// foretile platform check NAME: how long collective operations take, to compare with measurements.
#include "apps/foretile/platform_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/foretile/case.hpp"
#include "apps/foretile/placement_option.hpp"
#include "apps/options.hpp"
#include "apps/program.hpp"
#include "base/error.hpp"
#include "platforms/machine.hpp"
#include "platforms/units.hpp"
#include "simulator/collective.hpp"

namespace foretile {

namespace {

struct CheckArguments {
  std::string platform;
  std::string collective = "allgather";
  std::string algorithm;
  std::vector<std::string> bytes{"64 MiB"};
  int nodes = 2;
  int ranks_per_node = 1;
  Options options;
};

std::int64_t bytes_in(const std::string& text) {
  constexpr double kMost = 1e15;
  const double value = parse_quantity(text, Dimension::bytes, "--bytes");
  if (!(value >= 1 && value <= kMost)) throw input_error("--bytes", text, "1 B to 1 PB, such as 64MiB");
  return std::llround(value);
}

std::string algorithm_of(const CheckArguments& arguments) {
  if (!arguments.algorithm.empty()) return arguments.algorithm;
  for (const CollectiveKind& kind : collective_kinds()) {
    if (kind.name == arguments.collective) return kind.algorithms.front();
  }
  return arguments.algorithm;  // collective_plan() says which collectives there are
}

Machine machine_of(const CheckArguments& arguments) {
  std::vector<std::string> settings = arguments.options.platform_settings();
  settings.push_back(fmt::format("platform.ranks_per_node={}", arguments.ranks_per_node));
  MachineSize size;
  size.nodes = arguments.nodes;
  return make_machine(named_platform(arguments.platform, settings), size);
}

/// `latency_s`: of the same messages with hardly any bytes.
struct Checked {
  std::int64_t bytes = 0;
  CollectiveTime time;
  double latency_s = 0;
};

Checked checked(const CheckArguments& arguments, const Machine& machine, std::int64_t bytes) {
  const std::string algorithm = algorithm_of(arguments);
  const auto time = [&](std::int64_t of) {
    return simulate_collective(collective_plan(arguments.collective, algorithm, machine.ranks, of), machine);
  };
  return {bytes, time(bytes), time(std::min(bytes, std::int64_t{4} * machine.ranks)).seconds};
}

nlohmann::ordered_json check_json(const CheckArguments& arguments, const Machine& machine,
                                  const std::vector<Checked>& all) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Checked& one : all) {
    rows.push_back({{"bytes", one.bytes},
                    {"seconds", one.time.seconds},
                    {"seconds_without_bytes", one.latency_s},
                    {"messages", one.time.messages},
                    {"sent_bytes", one.time.bytes}});
  }
  return {{"platform", machine.platform.name},
          {"collective", arguments.collective},
          {"algorithm", algorithm_of(arguments)},
          {"ranks", machine.ranks},
          {"nodes", machine.nodes()},
          {"memory", machine.platform.messages},
          {"times", rows}};
}

void print_text(const CheckArguments& arguments, const Machine& machine, const std::vector<Checked>& all) {
  fmt::print("{}, {} by {}: {} ranks on {} nodes, {} memory\n\n", machine.platform.name, arguments.collective,
             algorithm_of(arguments), machine.ranks, machine.nodes(), machine.platform.messages);
  fmt::print("  {:>10} {:>12} {:>12} {:>14} {:>10}\n", "bytes", "time", "without bytes", "bytes/time",
             "messages");
  for (const Checked& one : all) {
    fmt::print("  {:>10} {:>12} {:>12} {:>14} {:>10}\n",
               format_quantity(static_cast<double>(one.bytes), Dimension::bytes),
               format_quantity(one.time.seconds, Dimension::seconds),
               format_quantity(one.latency_s, Dimension::seconds),
               format_quantity(static_cast<double>(one.bytes) / one.time.seconds, Dimension::bytes_per_s),
               one.time.messages);
  }
}

void check(const CheckArguments& arguments) {
  arguments.options.expect_only_platform_settings();
  std::vector<std::int64_t> sizes;
  for (const std::string& text : arguments.bytes) sizes.push_back(bytes_in(text));
  const Machine machine = machine_of(arguments);
  warn_of_doubts(machine.platform);
  std::vector<Checked> all;
  for (const std::int64_t bytes : sizes) all.push_back(checked(arguments, machine, bytes));
  if (arguments.options.json) {
    print_json(check_json(arguments, machine, all));
  } else {
    print_text(arguments, machine, all);
  }
}

std::string collective_names() {
  std::vector<std::string> names;
  for (const CollectiveKind& kind : collective_kinds()) names.push_back(kind.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void add_platform_check(CLI::App& group) {
  CLI::App* command = group.add_subcommand(
      "check", "Print how long a collective operation takes, to compare the network with a measurement");
  const auto arguments = std::make_shared<CheckArguments>();
  command
      ->add_option("platform", arguments->platform,
                   "A name that `foretile platform list` prints, or a platform file")
      ->check(not_empty_check())
      ->required();
  command->add_option("--collective", arguments->collective, "Operation of MPI: " + collective_names())
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option(
          "--algorithm", arguments->algorithm,
          "Algorithm of the collective, such as ring; an unknown name lists them. Default: the first")
      ->type_name("NAME");
  command
      ->add_option("--bytes", arguments->bytes,
                   "Bytes of the operation's buffer, such as 64MiB. Several may follow: --bytes 1KiB 64MiB")
      ->type_name("BYTES")
      ->default_str("64MiB");
  command->add_option("--nodes", arguments->nodes, "Number of nodes. Default: 2");
  command->add_option("--ranks-per-node", arguments->ranks_per_node, "MPI ranks on each node. Default: 1");
  add_placement_option(*command, arguments->options);
  add_json_option(*command, arguments->options);
  add_set_option(*command, arguments->options,
                 "Set a key of the platform. Repeatable, such as platform.messages=device");
  command->callback([arguments] { check(*arguments); });
}

}  // namespace foretile
