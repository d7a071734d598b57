#include "apps/foretile-run/choose_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "executor/gpu/load_cuda.hpp"
#include "executor/gpu/stand_in.hpp"
#include "platforms/here.hpp"

namespace foretile {

namespace {

/// A quarter of the machine's memory, so that what is planned for it fits beside all else.
StandInOptions stand_in() {
  StandInOptions options;
  options.memory_bytes = std::max<std::int64_t>(machine_facts().memory_bytes / 4, 1 << 20);
  return options;
}

}  // namespace

void add_gpu_option(CLI::App& command, GpuChoice& choice, const std::string& otherwise) {
  const std::map<std::string, GpuChoice> names = {{"auto", GpuChoice::automatic},
                                                  {"cuda", GpuChoice::cuda},
                                                  {"stand-in", GpuChoice::stand_in},
                                                  {"none", GpuChoice::none}};
  command
      .add_option(
          "--gpu", choice,
          "cuda; stand-in: threads of the CPU that play one; none: the cores; auto, unless given: cuda "
          "if there is a GPU, else " +
              otherwise)
      ->type_name("NAME")
      ->transform(CLI::Validator(
          [names](std::string& given) {
            const auto found = names.find(given);
            if (found == names.end()) return "found " + given + ", expected auto, cuda, stand-in or none";
            given = std::to_string(static_cast<int>(found->second));
            return std::string();
          },
          "auto, cuda, stand-in or none"));
}

std::unique_ptr<Gpus> choose_gpus(GpuChoice choice) {
  if (choice == GpuChoice::none) return nullptr;
  if (choice == GpuChoice::stand_in) return std::make_unique<StandInGpus>(stand_in());
  LoadedGpus found = load_cuda();
  if (!found.gpus && choice == GpuChoice::cuda) {
    throw input_error("--gpu cuda", fmt::format("no GPU ({})", found.why_not), "a GPU that CUDA can use",
                      "use --gpu stand-in or --gpu none");
  }
  return std::move(found.gpus);
}

GpusForPlan gpus_for_plan(GpuChoice choice) {
  if (choice != GpuChoice::automatic) return {choose_gpus(choice), choice == GpuChoice::cuda, ""};
  LoadedGpus found = load_cuda();
  if (found.gpus) return {std::move(found.gpus), true, ""};
  return {
      std::make_unique<StandInGpus>(stand_in()), false,
      fmt::format("no GPU ({}): threads of the CPU stand in for the plan's, and times say nothing about GPUs",
                  found.why_not)};
}

}  // namespace foretile
