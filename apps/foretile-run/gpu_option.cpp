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

}  // namespace foretile
