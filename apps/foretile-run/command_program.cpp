// SPDX-License-Identifier: BSD-3-Clause
// foretile-run program FILE.txt: runs a program of contractions with the ranks of this MPI job.
#include "apps/foretile-run/command_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>

#include "apps/distribution_report.hpp"
#include "apps/foretile-run/commands.hpp"
#include "apps/foretile-run/gpu_option.hpp"
#include "apps/foretile-run/guard.hpp"
#include "apps/foretile-run/memory_check.hpp"
#include "apps/foretile-run/same_start.hpp"
#include "apps/inputs_apart.hpp"
#include "apps/options.hpp"
#include "apps/quantities.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/matrix_files/matrix_writer.hpp"
#include "base/one_line.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/program/plain_program.hpp"
#include "executor/program/program_files.hpp"
#include "executor/program/program_run.hpp"
#include "planner/program/made_tensors.hpp"
#include "planner/program/program_file.hpp"
#include "planner/program/program_text.hpp"
#include "planner/program/tile_sizes.hpp"
#include "platforms/free_memory.hpp"
#include "platforms/loader.hpp"

namespace foretile {

namespace {

constexpr double kMostPlainWork = 1e10;     // half a minute
constexpr double kMostPlainElements = 1e8;  // of 24 bytes

/// A result, on rank 0.
struct Result {
  std::string name;
  std::size_t tensor = 0;
  std::vector<double> elements;
};

struct FinishedProgram {
  std::vector<LevelReport> levels;
  std::vector<Result> results;
  double wall_s = 0;  ///< of all levels; without making or reading the given tensors
  std::string digest;
  std::vector<std::string> made;  ///< tensors of which slices were made when they were needed
  std::string distribution;       ///< for people
  nlohmann::ordered_json distribution_json;
  std::optional<double> error;  ///< largest_error() of any result
  std::optional<Prediction> predicted;
};

/// Those without indices, and all where `all` are wanted: they come to rank 0 as a whole.
std::vector<Result> gather_results(const ProgramRun& run, const FusedProgram& fused, bool all) {
  std::vector<Result> results;
  for (std::size_t t = 0; t < fused.tensors().size(); ++t) {
    const ProgramTensor& tensor = fused.tensors()[t];
    if (tensor.role != TensorRole::result || !(all || tensor.rules.spaces.empty())) continue;
    results.push_back({text_of(tensor, fused.program()), t, run.gathered(t)});
  }
  return results;
}

double largest_error(const std::vector<Result>& results, const Program& program, const SpinOrbitals& orbitals,
                     const ProgramNumbers& numbers) {
  const std::vector<PlainTensor> expected = plain_program(program, orbitals, numbers);
  double largest = 0;
  for (const Result& result : results) {
    const double error = largest_error(result.elements, expected[result.tensor]);
    if (std::isnan(error)) return error;
    largest = std::max(largest, error);
  }
  return largest;
}

void require_small(const FusedProgram& fused, const SpinOrbitals& orbitals) {
  const double elements = plain_elements(fused.tensors(), orbitals);
  if (elements > kMostPlainElements)
    throw input_error("--verify", fmt::format("{:.2g} elements of all tensors", elements),
                      fmt::format("at most {:.0e}", kMostPlainElements), "verify smaller --o and --v");
  const double work = plain_work(fused.program(), fused.tensors(), orbitals);
  if (work <= kMostPlainWork) return;
  throw input_error("--verify", fmt::format("{:.2g} multiplications of a plain evaluation", work),
                    fmt::format("at most {:.0e}", kMostPlainWork), "verify smaller --o and --v");
}

nlohmann::ordered_json json_of(const LevelReport& level) {
  return {{"level", level.level},
          {"part", level.part},
          {"products", level.products},
          {"copies", level.copies},
          {"gemms", level.gemms},
          {"flops", level.flops},
          {"strategy", level.strategy},
          {"products_s", level.products_s},
          {"exchange_s", level.exchange_s},
          {"permutations_s", level.permutations_s},
          {"additions_s", level.additions_s},
          {"exchanged_bytes", level.exchanged_bytes},
          {"peak_bytes", level.peak_bytes}};
}

std::string predicted_text(const FinishedProgram& done) {
  if (!done.predicted) return {};
  const double share = done.predicted->makespan_s / done.wall_s - 1;
  return fmt::format("predicted              {} ({:+.1f}%)\n", quantity(done.predicted->makespan_s, "s"),
                     100 * share);
}

void print_report(const ProgramRunArguments& arguments, const ProgramSizes& sizes,
                  const FinishedProgram& done, int ranks) {
  if (arguments.options.json) {
    nlohmann::ordered_json json{{"program", arguments.program},
                                {"occupied", sizes.occupied},
                                {"virtual", sizes.virtuals},
                                {"tile", sizes.tile},
                                {"ranks", ranks},
                                {"wall_s", done.wall_s}};
    if (done.predicted) json["predicted_s"] = done.predicted->makespan_s;
    json["digest"] = done.digest;
    if (!done.made.empty()) json["made"] = done.made;
    json["distribution"] = done.distribution_json;
    for (const LevelReport& level : done.levels) json["levels"].push_back(json_of(level));
    for (const Result& result : done.results) {
      if (result.elements.size() == 1) json["numbers"][result.name] = result.elements[0];
    }
    if (done.error) json["largest_error"] = *done.error;
    return print_json(json);
  }
  fmt::print("{}: {} ranks, {}\n\n  {:<5} {:>8} {:>7} {:>11} {:>10}  {:<12} {:>10} {:>10} {:>10} {:>10}\n",
             one_line(arguments.program), ranks, quantity(done.wall_s, "s"), "level", "products", "copies",
             "GEMMs", "flop", "strategy", "products", "exchange", "permuting", "exchanged");
  for (const LevelReport& level : done.levels)
    fmt::print("  {:<5} {:>8} {:>7} {:>11} {:>10}  {:<12} {:>10} {:>10} {:>10} {:>10}\n",
               level.parts == 1 ? fmt::to_string(level.level) : fmt::format("{}.{}", level.level, level.part),
               level.products, level.copies, grouped(level.gemms), quantity(level.flops, ""), level.strategy,
               quantity(level.products_s, "s"), quantity(level.exchange_s, "s"),
               quantity(level.permutations_s + level.additions_s, "s"),
               quantity(static_cast<double>(level.exchanged_bytes), "B"));
  fmt::print("\n");
  for (const Result& result : done.results) {
    if (result.elements.size() == 1) fmt::print("{} = {:.15g}\n", result.name, result.elements[0]);
  }
  if (!done.made.empty()) fmt::print("slices made            {}\n", fmt::join(done.made, ", "));
  fmt::print("{}distribution           {}\ndigest of all results  {}\n", predicted_text(done),
             done.distribution, done.digest);
  if (done.error)
    fmt::print("{} a plain evaluation: largest error {:.1e} of the largest magnitude\n",
               *done.error <= kLargestError ? "verified against" : "differs from", *done.error);
}

/// The results in a file, on rank 0. The first one's place is kept from the beginning; where somebody writes
/// to the file meanwhile, all results go beside it.
class ResultsFile {
 public:
  ResultsFile(std::string file, const FusedProgram& fused, const SpinOrbitals& orbitals, bool overwrite)
      : file_(std::move(file)), fused_(fused), orbitals_(orbitals), overwrite_(overwrite) {
    const auto first = std::ranges::find(fused.tensors(), TensorRole::result, &ProgramTensor::role);
    if (first != fused.tensors().end())
      next_ = std::make_unique<TensorOutput>(file_, text_of(*first, fused.program()), *first, orbitals,
                                             overwrite);
  }

  /// Of the first result; empty where there is none.
  std::string temporary_file() const { return next_ ? next_->temporary_file().string() : std::string(); }

  /// As gather_results() has them.
  void write(const std::vector<Result>& results) {
    std::filesystem::path found = file_;
    for (const Result& result : results) {
      if (!next_)
        next_ = std::make_unique<TensorOutput>(found, result.name, fused_.tensors()[result.tensor], orbitals_,
                                               overwrite_);
      found = next_->write(result.elements);
      next_.reset();
    }
    require_in_place({file_, {}, MatrixFormat::hdf5}, found);
  }

 private:
  std::string file_;
  const FusedProgram& fused_;
  const SpinOrbitals& orbitals_;
  bool overwrite_;
  std::unique_ptr<TensorOutput> next_;
};

/// Results are datasets of an HDF5 file that nobody has yet.
void require_output(const ProgramRunArguments& arguments, const FusedProgram& fused) {
  const MatrixPlace place = is_matrix_place(arguments.output) ? parse_output_place(arguments.output)
                                                              : MatrixPlace{arguments.output, {}, {}};
  if (place.format != MatrixFormat::hdf5 || !place.dataset.empty())
    throw input_error("--output", fmt::format("'{}'", arguments.output), "FILE.h5",
                      "results are datasets of an HDF5 file: for example --output results.h5");
  require_different("--output", arguments.output, "the program", arguments.program);
  if (!arguments.input.empty()) require_different("--output", arguments.output, "--input", arguments.input);
  for (const ProgramTensor& tensor : fused.tensors()) {
    if (tensor.role == TensorRole::result)
      require_not_taken(tensor_place(arguments.output, text_of(tensor, fused.program())),
                        arguments.overwrite);
  }
}

/// What a plan file has already.
void refuse_beside_plan(const ProgramRunArguments& arguments) {
  for (const auto& [option, given] :
       {std::pair("--o", arguments.sizes.occupied > 0),
        {"--v", arguments.sizes.virtuals > 0},
        {"--tile", arguments.sizes.tile > 0},
        {"--platform", !arguments.platform.empty()},
        {"--mode", !arguments.mode.empty()},
        {"--make", !arguments.made.empty()},
        {"--distribution", !arguments.distribution.empty()},
        {"--set", !arguments.options.settings().empty() || !arguments.options.platform_settings().empty() ||
                      !arguments.options.tiling().empty()}}) {
    if (given)
      throw input_error(option, fmt::format("the plan {}", quote(arguments.program)), "PROGRAM.txt",
                        fmt::format("leave {} out: the plan says it; or plan again", option));
  }
}

/// Of a program without a plan.
void require_sizes(const ProgramRunArguments& arguments) {
  for (const auto& [option, size, what] :
       {std::tuple("--o", arguments.sizes.occupied, "the occupied orbitals of each spin"),
        {"--v", arguments.sizes.virtuals, "the virtual orbitals of each spin"}}) {
    if (size == 0) throw input_error(option, "nothing", what, "give it: --o 108 --v 324 --tile 45");
  }
  if (arguments.sizes.tile > 0) return;
  const Machine machine =
      make_machine(load_platform(arguments.platform.empty() ? "here" : arguments.platform), {});
  const auto tiles =
      proposed_tiles(load_program(arguments.program), arguments.sizes, machine, arguments.program);
  throw input_error(
      "--tile", "nothing", "the largest extent of a tile",
      tiles.empty() ? "give it" : fmt::format("give it, such as --tile {}", tiles[tiles.size() / 2]));
}

void require_parameters_alone(const ProgramRunArguments& arguments) {
  if (!arguments.options.platform_settings().empty() || !arguments.options.tiling().empty())
    throw input_error("--set", "a key of the platform or the problem", "parameters of the plan's strategy",
                      "change the platform's file; tiles go by --tile");
}

void require_gpus(GpuChoice gpu, const Platform& platform) {
  if (gpu != GpuChoice::automatic && platform.device.kind != DeviceKind::gpu)
    throw input_error("--gpu", "a platform whose devices are cores", "one with GPUs", "leave --gpu out");
}

/// A program, with its plan where that is stored.
struct ProgramToRun {
  ProgramSizes sizes;
  std::unique_ptr<FusedProgram> fused;
  std::optional<Machine> machine;  ///< of the plan
  PlannedProgram planned;
  std::optional<Prediction> predicted;
};

ProgramToRun stored_program_to_run(const ProgramRunArguments& arguments, int ranks) {
  refuse_beside_plan(arguments);
  const ProgramFile file = load_program_file(arguments.program);
  require_ranks(file, ranks);
  RebuiltProgram rebuilt = rebuild(file);
  require_gpus(arguments.gpu, rebuilt.machine.platform);
  return {file.sizes, std::move(rebuilt.program), std::move(rebuilt.machine), std::move(rebuilt.planned),
          file.predicted};
}

ProgramToRun program_to_run(const ProgramRunArguments& arguments, const std::string& platform) {
  if (arguments.program.ends_with(".json"))
    throw input_error(
        arguments.program, "no plan of a program", "PROGRAM.txt, or its plan",
        "store one with foretile plan PROGRAM.txt -o; a problem's runs without the word program");
  require_parameters_alone(arguments);
  require_sizes(arguments);
  require_gpus(arguments.gpu, load_platform(platform));
  ProgramToRun found{
      arguments.sizes,
      std::make_unique<FusedProgram>(load_program(arguments.program), arguments.sizes, arguments.program),
      {},
      {},
      {}};
  on_demand_of(*found.fused, arguments.made);  // names that are none are refused before anything is read
  return found;
}

/// Collective.
std::unique_ptr<ProgramRun> started(ProgramToRun& program, const ProgramRunArguments& arguments,
                                    const MultiplicationOptions& options, MPI_Comm communicator) {
  if (program.machine)
    return std::make_unique<ProgramRun>(communicator, *program.fused, *program.machine,
                                        std::move(program.planned), options);
  const ProgramPlanOptions plan_options{arguments.mode == "flow" ? ProgramMode::flow : ProgramMode::levels,
                                        arguments.distribution == "round-robin"
                                            ? DistributionChoice::round_robin
                                            : DistributionChoice::automatic,
                                        arguments.made};
  return std::make_unique<ProgramRun>(communicator, *program.fused, options, plan_options);
}

}  // namespace

void require_ranks(const StoredMachine& file, int ranks) {
  if (ranks == file.ranks) return;
  throw input_error(file.source, fmt::format("a plan for {} ranks", file.ranks),
                    fmt::format("one for the {} of this job", ranks),
                    fmt::format("start with mpiexec -n {} or plan with --ranks {}", file.ranks, ranks));
}

void execute_program(const CLI::App& command, const ProgramRunArguments& arguments, const MpiSession& session,
                     const std::function<void()>& check) {
  require_same_start(session, [&] {
    if (check) check();
    return command_line_facts(command);
  });
  MultiplicationOptions options;
  options.platform = arguments.platform.empty() ? "here" : arguments.platform;
  options.gpus = arguments.gpu;
  ProgramToRun program;
  std::optional<SpinOrbitals> orbitals;
  std::unique_ptr<ProgramNumbers> numbers;
  const FileNumbers* files = nullptr;
  std::unique_ptr<ResultsFile> output;
  agree(session, [&] {
    options.parameters = arguments.options.settings();
    program = is_program_plan(arguments.program) ? stored_program_to_run(arguments, session.size())
                                                 : program_to_run(arguments, options.platform);
    const FusedProgram& fused = *program.fused;
    orbitals.emplace(fused.tiles());
    if (!arguments.output.empty()) {
      require_output(arguments, fused);
      if (session.rank() == 0)
        output = std::make_unique<ResultsFile>(arguments.output, fused, *orbitals, arguments.overwrite);
    }
    if (arguments.input.empty()) {
      numbers = std::make_unique<SeededNumbers>(*orbitals, arguments.seed);
    } else {
      auto opened =
          std::make_unique<FileNumbers>(arguments.input, fused.program(), fused.tensors(), *orbitals);
      files = opened.get();
      numbers = std::move(opened);
    }
    if (arguments.verify) require_small(fused, *orbitals);
  });
  const FusedProgram& fused = *program.fused;
  const std::string temporary =
      broadcast(output ? output->temporary_file() : std::string(), 0, session.world(), "output");
  std::optional<TemporaryFileOfOthers> of_rank_0;
  if (session.rank() != 0 && !temporary.empty()) of_rank_0.emplace(temporary);
  if (files) files->require_one_file(session.world());
  FinishedProgram done;
  with_guarded_errors([&] {
    const std::unique_ptr<ProgramRun> run = started(program, arguments, options, session.world());
    const NodePlace place = place_on_node(session.world());
    const std::int64_t most = all_reduced(run->host_bytes(), MPI_MAX, session.world(), "memory");
    agree(session, [&] {
      std::vector<std::size_t> tensors(fused.tensors().size());
      std::iota(tensors.begin(), tensors.end(), std::size_t{0});
      require_free_memory(most, place.ranks, available_memory_bytes(),
                          memory_advice(fused, run->distribution().on_demand, tensors));
    });
    done.levels = run->run(*numbers);
    for (const LevelReport& level : done.levels) done.wall_s += level.seconds();
    done.results = gather_results(*run, fused, arguments.verify || !arguments.output.empty());
    done.digest = run->digest();
    done.made = made_names(fused, run->distribution());
    done.distribution = distribution_text(run->distribution());
    if (const std::string own = strategies_text(fused, run->distribution()); !own.empty())
      done.distribution += "; " + own;
    done.distribution_json = distribution_json(fused, run->distribution());
  });
  if (files) files->require_untouched(session.world());
  agree(session, [&] {
    if (session.rank() != 0) return;
    if (arguments.verify) done.error = largest_error(done.results, fused.program(), *orbitals, *numbers);
    if (files && arguments.verify) files->require_untouched();  // it was read again
    const bool right = !done.error || *done.error <= kLargestError;
    if (right && output) output->write(done.results);
    done.predicted = program.predicted;
    print_report(arguments, program.sizes, done, session.size());
    if (!right)
      throw WorkError(
          fmt::format("a wrong result: an error of {:.1e} of the largest magnitude, expected at most {}",
                      *done.error, kLargestError));
  });
}

void add_input_options(CLI::App& command, ProgramRunArguments& arguments, const std::string& of) {
  CLI::Option* input =
      command
          .add_option(
              "--input", arguments.input,
              of + "The given tensors, as datasets of an HDF5 file: \"v[hh|pp]\", a matrix of all spin "
                   "orbitals")
          ->check(not_empty_check())
          ->type_name("FILE.h5");
  command.add_option("--seed", arguments.seed, of + "Of random numbers for the given tensors")
      ->check(whole_number_check())
      ->excludes(input)
      ->capture_default_str();
}

void add_program_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("program", "Run a program of contractions (docs/programs.md)");
  const auto arguments = std::make_shared<ProgramRunArguments>();
  command->add_option("program", arguments->program, "A program, FILE.txt, or a plan of one, PLAN.json")
      ->check(not_empty_check())
      ->required();
  for (const auto& [option, size, meaning] :
       {std::tuple("--o", &arguments->sizes.occupied, "Occupied orbitals of each spin"),
        {"--v", &arguments->sizes.virtuals, "Virtual orbitals of each spin"},
        {"--tile", &arguments->sizes.tile, "Largest extent of a tile"}})
    command->add_option(option, *size, meaning)
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
        ->type_name("N");
  add_input_options(*command, *arguments);
  command->add_option("--output", arguments->output, "Write the results to an HDF5 file in the same way")
      ->check(not_empty_check())
      ->type_name("FILE.h5");
  command->add_flag("--overwrite", arguments->overwrite, "Let --output replace datasets that are there")
      ->needs("--output");
  command->add_flag("--verify", arguments->verify,
                    "Compare the results with a plain evaluation in long double; for small tensors");
  command->add_option("--platform", arguments->platform, "Whose plans are run; here unless given");
  command
      ->add_option("--mode", arguments->mode,
                   "levels: all ranks wait at the end of each; flow: a tile goes on when it is finished; "
                   "levels unless given")
      ->check(CLI::IsMember({"levels", "flow"}));
  add_gpu_option(*command, arguments->gpu, "an error");
  add_make_option(*command, arguments->made);
  add_distribution_option(*command, arguments->distribution);
  add_set_option(*command, arguments->options, kSetExamplesOfProgram);
  add_json_option(*command, arguments->options);
  command->callback([command, arguments] {
    run_guarded([&](const MpiSession& session) { execute_program(*command, *arguments, session); });
  });
}

}  // namespace foretile
