// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/compare_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <iterator>
#include <utility>

#include "apps/foretile/machine_times.hpp"
#include "apps/foretile/program_case.hpp"
#include "apps/foretile/program_view.hpp"
#include "apps/foretile/shape_picture.hpp"
#include "apps/foretile/tune_machine.hpp"
#include "apps/foretile/tune_program.hpp"
#include "apps/program.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/one_line.hpp"
#include "platforms/guesses.hpp"
#include "platforms/loader.hpp"
#include "tuner/by_nodes.hpp"
#include "tuner/search.hpp"

namespace foretile {

namespace {

/// Powers of two of the range; where there is none, its first number.
std::vector<int> numbers_of(const std::string& text) {
  const NodeRange range = text.empty() ? NodeRange{} : node_range(text, "--nodes");
  std::vector<int> numbers;
  for (std::int64_t n = std::bit_ceil(static_cast<unsigned>(range.first)); n <= range.last; n *= 2)
    numbers.push_back(static_cast<int>(n));
  if (numbers.empty()) numbers.push_back(range.first);
  return numbers;
}

/// One problem on all machines.
class MachinesTuning {
 public:
  explicit MachinesTuning(const CompareProblemArguments& arguments)
      : arguments_(arguments),
        numbers_(numbers_of(arguments.tune.nodes)),
        options_(tune_options(arguments.tune)) {
    for (const std::string& name : arguments.platforms)
      platforms_.push_back(load_platform_quietly(name));  // all are checked before the first is tuned
  }

  /// Until all is tuned, or an interrupt.
  void run() {
    const std::size_t machines = arguments_.platforms.size();
    for (std::size_t m = 0; m < machines && signal_ == 0; ++m) {
      TuneArguments of_machine = arguments_.tune;
      of_machine.platform = arguments_.platforms[m];
      of_machine.nodes.clear();
      TuneOptions options = options_;
      options.budget = options_.budget.part(1, static_cast<double>(machines - m));
      options.latest = options.budget;
      if (is_program_file(of_machine.problem)) {
        run_program(of_machine, options, named(platforms_[m], of_machine.platform));
      } else {
        run_problem(of_machine, options, named(platforms_[m], of_machine.platform));
      }
    }
    erase_progress();
  }

  const std::vector<MachineTime>& times() const { return times_; }
  int signal() const { return signal_; }

 private:
  Platform load_platform_quietly(const std::string& name) const {
    return load_platform(name, arguments_.tune.options.platform_settings());
  }

  /// `given`: a name, or a file, which may have the same name inside as another one.
  static MachineTime named(const Platform& platform, const std::string& given) {
    MachineTime time{std::filesystem::path(given).stem().string()};
    time.energy_is_guess = platform.power.known() && power_is_guessed(platform);
    return time;
  }

  void run_program(const TuneArguments& arguments, TuneOptions options, const MachineTime& machine) {
    constexpr double kMostTrialSeconds = 86400;
    if (arguments.evaluation_limit.empty()) options.limits.evaluation_s = kMostTrialSeconds;
    for (const ProgramOnNodes& found : tune_program_on(arguments, options, numbers_, line_, signal_)) {
      MachineTime time = machine;
      time.nodes = found.nodes;
      time.message = found.message;
      if (found.taken) {
        time.makespan_s = found.taken->makespan_s;
        time.joules = found.taken->joules;
        time.bound_s = found.taken->bound_s;
        time.limit = found.taken->limit;
        time.parameters = settings_of(found.taken->candidate);
        time.parameters.erase("nodes");
      }
      times_.push_back(std::move(time));
    }
  }

  void run_problem(const TuneArguments& arguments, const TuneOptions& options, const MachineTime& machine) {
    const Case the_case = load_case(arguments);
    std::vector<Candidate> known;
    for (std::size_t n = 0; n < numbers_.size() && signal_ == 0; ++n) {
      TuneOptions own = options;
      own.budget = own.latest = options.budget.part(1, static_cast<double>(numbers_.size() - n));
      times_.push_back(on_nodes(arguments, the_case, numbers_[n], own, known, machine));
    }
  }

  /// `known`: what was best on fewer nodes.
  MachineTime on_nodes(const TuneArguments& arguments, const Case& the_case, int nodes,
                       const TuneOptions& options, std::vector<Candidate>& known, MachineTime time) {
    time.nodes = nodes;
    try {
      const Tuning tuning =
          tune_machine(arguments, the_case, {.nodes = nodes, .ranks = {}, .gpus = {}}, options, known, line_);
      signal_ = tuning.result.signal;
      const NodesResult found = nodes_result(nodes, tuning.result, tuning.tie);
      time.message = found.message;
      if (!found.best) return time;
      known = {found.best->candidate};
      const Outcome& outcome = found.best->outcome;
      time.makespan_s = outcome.makespan_s;
      time.joules = joules_of(outcome);
      time.limit = outcome.extra.value(kLimitKey, std::string());
      time.parameters = found.best->candidate;
      time.coarse = is_coarse(outcome);
      time.tried = tuning.result.evaluated;
      time.candidates = tuning.result.candidates;
      time.cut = tuning.result.end != TuneEnd::complete;
      time.bound_s = tuning.candidates->bound_of_any_plan(found.best->candidate).seconds;
    } catch (const InputError& error) {  // too few nodes, or too little memory
      time.message = error.what();
    }
    return time;
  }

  const CompareProblemArguments& arguments_;
  std::vector<int> numbers_;
  TuneOptions options_;
  std::vector<Platform> platforms_;
  std::vector<MachineTime> times_;
  ProgressLine line_;
  int signal_ = 0;
};

void check(const CompareProblemArguments& arguments) {
  const TuneProgramArguments& of = arguments.tune.program;
  const std::string& problem = arguments.tune.problem;
  if (problem.ends_with(".json"))
    throw input_error("--problem", quote(problem), "a problem or a program", "plans are of one machine");
  check_program_options(problem, of.sizes_with(of.tiles.empty() ? 0 : of.tiles.front()), of);
  require_different("--csv", arguments.csv, "--problem", problem);
  require_different("--plot", arguments.plot, "--problem", problem);
  require_different("--csv", arguments.csv, "--plot", arguments.plot);
  for (const std::string& platform : arguments.platforms) {
    require_different("--csv", arguments.csv, "a platform", platform);
    require_different("--plot", arguments.plot, "a platform", platform);
  }
  if (!arguments.plot.empty()) check_picture_path(arguments.plot, "--plot");
  for (const std::string& path : {arguments.csv, arguments.plot}) {
    if (!path.empty()) require_writable(path);
  }
}

}  // namespace

GivenOptions CompareProblemArguments::given() const {
  GivenOptions all{{"--nodes", !tune.nodes.empty()},
                   {"--csv", !csv.empty()},
                   {"--plot", !plot.empty()},
                   {"--budget", !tune.budget.empty()},
                   {"--count", tune.tune.budget_count.has_value()},
                   {"--evaluation-limit", !tune.evaluation_limit.empty()},
                   {"--workers", tune.tune.limits.workers != 0},
                   {"--o", tune.program.sizes.occupied > 0},
                   {"--v", tune.program.sizes.virtuals > 0},
                   {"--vectors", tune.program.sizes.vectors > 0},
                   {"--vector-tile", tune.program.sizes.vector_tile > 0},
                   {"--tile", !tune.program.tiles.empty()}};
  std::ranges::copy(tune.options.given_settings(), std::back_inserter(all));
  std::ranges::copy(tune.program.given(), std::back_inserter(all));
  return all;
}

void add_compare_problem_options(CLI::App& command, CompareProblemArguments& arguments) {
  TuneArguments& tune = arguments.tune;
  tune.tune.search = kBoundSearch;
  tune.engine = EngineChoice::fluid;
  command
      .add_option(
          "--problem", tune.problem,
          "A problem file, an example or a program (.txt): tune it on each machine, of which there may "
          "be any number")
      ->check(not_empty_check())
      ->type_name("PROBLEM");
  command
      .add_option("--nodes", tune.nodes,
                  "Number of nodes, or a range such as 1..64, whose powers of two are tried. Default: 1")
      ->check(not_empty_check())
      ->type_name("N");
  command.add_option("--csv", arguments.csv, "Write the figures to this file")
      ->check(not_empty_check())
      ->type_name("FILE");
  command.add_option("--plot", arguments.plot, "Draw the times against the nodes in this file, .svg or .png")
      ->check(not_empty_check())
      ->type_name("FILE");
  add_tuned_program_options(command, tune.program);
  add_limit_options(command, tune);
  add_set_option(command, tune.options);
}

void compare_problem(const CompareProblemArguments& arguments) {
  check(arguments);
  CompareProblemArguments checked = arguments;
  checked.tune.problems = {arguments.tune.problem};
  MachinesTuning comparison(checked);
  comparison.run();
  const std::vector<MachineTime>& times = comparison.times();
  const std::string name = std::filesystem::path(arguments.tune.problem).stem().string();
  if (arguments.tune.options.json) {
    nlohmann::ordered_json json{{"problem", arguments.tune.problem}};
    json["times"] = json_of(times);
    print_json(json);
  } else {
    fmt::print("{}", text_of(times));
  }
  if (!arguments.csv.empty())
    write_atomically(arguments.csv, [&](std::ostream& out) { out << csv_of(times); });
  if (!arguments.plot.empty()) draw_times(times, name, arguments.plot);
  if (comparison.signal() != 0) throw CLI::RuntimeError(128 + comparison.signal());
  if (std::ranges::none_of(times, [](const MachineTime& time) { return time.makespan_s.has_value(); }))
    throw WorkError(
        "no machine has a time: the reasons are in the table; where nothing was finished, give more "
        "--budget",
        HelpPage::memory);
}

}  // namespace foretile
