// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/gpu_option.hpp"

#include <map>

namespace foretile {

void add_gpu_option(CLI::App& command, GpuChoice& choice, const std::string& otherwise) {
  const std::map<std::string, GpuChoice> names = {{"auto", GpuChoice::automatic},
                                                  {"cuda", GpuChoice::cuda},
                                                  {"stand-in", GpuChoice::stand_in},
                                                  {"none", GpuChoice::none}};
  command
      .add_option("--gpu", choice,
                  "cuda, stand-in (threads of the CPU that emulate GPUs), none (the cores), or auto: cuda "
                  "where there is a GPU, else " +
                      otherwise)
      ->default_str("auto")
      ->type_name("{auto,cuda,stand-in,none}")
      ->transform(CLI::Validator(
          [names](std::string& given) {
            const auto found = names.find(given);
            if (found == names.end()) return "found " + given + ", expected auto, cuda, stand-in or none";
            given = std::to_string(static_cast<int>(found->second));
            return std::string();
          },
          ""));
}

}  // namespace foretile
