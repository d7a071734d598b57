// SPDX-License-Identifier: BSD-3-Clause
#include "apps/program_options.hpp"

#include "base/error.hpp"
#include "base/one_line.hpp"

namespace foretile {

namespace {

void add_on_demand_option(CLI::App& command, std::vector<std::string>& tensors) {
  command
      .add_option("--on-demand", tensors,
                  "Of a program: no rank keeps this given tensor, such as \"v[pp|pp]\"; its slices are "
                  "generated on demand. `auto`: as many tensors as necessary. Repeatable")
      ->check(not_empty_check())
      ->allow_extra_args(false)
      ->type_name("TENSOR");
  command  // its old name: CLI11 does not name hidden options in its errors
      .add_option_function<std::vector<std::string>>(
          "--make",
          [&tensors](const std::vector<std::string>& more) {
            for (const std::string& one : more)
              tensors.push_back(one.empty() ? throw input_error("--make", "nothing", "a tensor") : one);
          })
      ->allow_extra_args(false)
      ->group("");
}

void add_distribution_option(CLI::App& command, std::string& distribution) {
  command
      .add_option("--distribution", distribution,
                  "Of a program: which rank has which block: auto (one that needs it, and ranks share sums "
                  "where that sends less) or round-robin")
      ->default_str("auto")
      ->check(CLI::IsMember({"auto", "round-robin"}));
  command  // its old name
      .add_option_function<std::string>("--layout",
                                        [&distribution](const std::string& old) {
                                          if (old != "auto" && old != "in-turn" && old != "round-robin")
                                            throw input_error("--layout", quote(old), "auto or round-robin",
                                                              "name it --distribution");
                                          distribution = old == "auto" ? old : "round-robin";
                                        })
      ->group("");
}

}  // namespace

GivenOptions ProgramOptions::given() const {
  return {{"--mode", !mode.empty()},
          {"--on-demand", !on_demand.empty()},
          {"--distribution", !distribution.empty()}};
}

ProgramPlanOptions ProgramOptions::plan_options(const WorkSeconds& seconds) const {
  return {flows() ? ProgramMode::flow : ProgramMode::levels,
          distribution == "round-robin" ? DistributionChoice::round_robin : DistributionChoice::automatic,
          on_demand, seconds};
}

void add_program_options(CLI::App& command, ProgramOptions& options, const std::string& by_default) {
  command
      .add_option("--mode", options.mode,
                  "Of a program: levels (a barrier after each level of terms) or flow (a tile is used as "
                  "soon as it is finished)")
      ->default_str(by_default)
      ->check(CLI::IsMember({"levels", "flow"}));
  add_on_demand_option(command, options.on_demand);
  add_distribution_option(command, options.distribution);
}

}  // namespace foretile
