// SPDX-License-Identifier: BSD-3-Clause
// foretile-run gpus: which GPUs a run would use.
#include <fmt/format.h>

#include <memory>

#include "apps/foretile-run/commands.hpp"
#include "apps/options.hpp"
#include "apps/quantities.hpp"
#include "base/error.hpp"
#include "executor/gpu/load_cuda.hpp"

namespace foretile {

namespace {

void list_gpus(const Options& options) {
  const LoadedGpus loaded = load_cuda();
  if (!loaded.gpus) throw WorkError(fmt::format("no GPU: {}", loaded.why_not));
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (int physical = 0; physical < loaded.gpus->count(); ++physical) {
    const GpuFacts facts = loaded.gpus->facts(physical);
    all.push_back({{"name", facts.name},
                   {"library", facts.library},
                   {"memory_bytes", facts.memory_bytes},
                   {"free_bytes", facts.free_bytes}});
    if (!options.json) {
      fmt::print("{}  {}, {} of {} free; {}\n", physical, facts.name,
                 quantity(static_cast<double>(facts.free_bytes), "B"),
                 quantity(static_cast<double>(facts.memory_bytes), "B"), facts.library);
    }
  }
  if (options.json) print_json(all);
}

}  // namespace

void add_gpus_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "gpus", "List the GPUs that a run on this machine would use; exit code 1 when there is none");
  const auto options = std::make_shared<Options>();
  add_json_option(*command, *options);
  command->callback([options] { list_gpus(*options); });
}

}  // namespace foretile
