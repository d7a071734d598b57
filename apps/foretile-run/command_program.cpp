// SPDX-License-Identifier: BSD-3-Clause
// foretile-run program FILE.txt: runs a program of contractions with the ranks of this MPI job.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>

#include "apps/foretile-run/commands.hpp"
#include "apps/foretile-run/gpu_option.hpp"
#include "apps/foretile-run/guard.hpp"
#include "apps/foretile-run/memory_check.hpp"
#include "apps/foretile-run/same_start.hpp"
#include "apps/inputs_apart.hpp"
#include "apps/layout_report.hpp"
#include "apps/options.hpp"
#include "apps/quantities.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/matrix_files/matrix_writer.hpp"
#include "base/one_line.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/program/plain_program.hpp"
#include "executor/program/program_files.hpp"
#include "executor/program/program_run.hpp"
#include "planner/program/made_tensors.hpp"
#include "planner/program/program_text.hpp"
#include "planner/program/tile_sizes.hpp"
#include "platforms/free_memory.hpp"
#include "platforms/loader.hpp"

namespace foretile {

namespace {

constexpr double kMostPlainWork = 1e10;     // half a minute
constexpr double kMostPlainElements = 1e8;  // of 24 bytes

struct ProgramArguments {
  std::string program, input, output;
  bool overwrite = false;
  ProgramSizes sizes;
  std::uint64_t seed = 1;
  std::string platform = "here";
  GpuChoice gpu = GpuChoice::automatic;
  bool verify = false;
  std::string mode = "levels";
  std::vector<std::string> made;
  std::string layout;
  Options options;
};

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
  std::string layout;             ///< for people
  nlohmann::ordered_json layout_json;
  std::optional<double> error;  ///< largest_error() of any result
};

std::vector<Result> gather_results(const ProgramRun& run, const FusedProgram& fused) {
  std::vector<Result> results;
  for (std::size_t t = 0; t < fused.tensors().size(); ++t) {
    if (fused.tensors()[t].role != TensorRole::result) continue;
    results.push_back({text_of(fused.tensors()[t], fused.program()), t, run.gathered(t)});
  }
  return results;
}

/// Of all bits of all results.
std::string digest_of(const std::vector<Result>& results) {
  std::string bytes;
  for (const Result& result : results) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + result.elements.size() * sizeof(double));
    if (!result.elements.empty())
      std::memcpy(bytes.data() + begin, result.elements.data(), result.elements.size() * sizeof(double));
  }
  return digest(bytes);
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

void print_report(const ProgramArguments& arguments, const FinishedProgram& done, int ranks) {
  if (arguments.options.json) {
    nlohmann::ordered_json json{{"program", arguments.program},
                                {"occupied", arguments.sizes.occupied},
                                {"virtual", arguments.sizes.virtuals},
                                {"tile", arguments.sizes.tile},
                                {"ranks", ranks},
                                {"wall_s", done.wall_s},
                                {"digest", done.digest}};
    if (!done.made.empty()) json["made"] = done.made;
    json["layout"] = done.layout_json;
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
  fmt::print("layout                 {}\ndigest of all results  {}\n", done.layout, done.digest);
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
void require_output(const ProgramArguments& arguments, const FusedProgram& fused) {
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

void require_tile(const ProgramArguments& arguments) {
  if (arguments.sizes.tile > 0) return;
  const Machine machine = make_machine(load_platform(arguments.platform), {});
  const auto tiles =
      proposed_tiles(load_program(arguments.program), arguments.sizes, machine, arguments.program);
  throw input_error(
      "--tile", "nothing", "the largest extent of a tile",
      tiles.empty() ? "give it" : fmt::format("give it, such as --tile {}", tiles[tiles.size() / 2]));
}

void execute(const CLI::App& command, const ProgramArguments& arguments, const MpiSession& session) {
  require_same_start(session, [&] { return command_line_facts(command); });
  MultiplicationOptions options;
  options.platform = arguments.platform;
  std::unique_ptr<FusedProgram> fused;
  std::optional<SpinOrbitals> orbitals;
  std::unique_ptr<ProgramNumbers> numbers;
  const FileNumbers* files = nullptr;
  std::unique_ptr<ResultsFile> output;
  agree(session, [&] {
    options.parameters = arguments.options.settings();
    if (!arguments.options.platform_settings().empty() || !arguments.options.tiling().empty())
      throw input_error("--set", "a key of the platform or the problem", "parameters of the plan's strategy",
                        "change the platform's file; tiles go by --tile");
    require_tile(arguments);
    fused =
        std::make_unique<FusedProgram>(load_program(arguments.program), arguments.sizes, arguments.program);
    options.gpus = arguments.gpu;
    if (arguments.gpu != GpuChoice::automatic &&
        load_platform(arguments.platform).device.kind != DeviceKind::gpu)
      throw input_error("--gpu", "a platform whose devices are cores", "one with GPUs", "leave --gpu out");
    make_named(*fused, arguments.made);  // names that are none are refused before anything is read
    orbitals.emplace(fused->tiles());
    if (!arguments.output.empty()) {
      require_output(arguments, *fused);
      if (session.rank() == 0)
        output = std::make_unique<ResultsFile>(arguments.output, *fused, *orbitals, arguments.overwrite);
    }
    if (arguments.input.empty()) {
      numbers = std::make_unique<SeededNumbers>(*orbitals, arguments.seed);
    } else {
      auto opened =
          std::make_unique<FileNumbers>(arguments.input, fused->program(), fused->tensors(), *orbitals);
      files = opened.get();
      numbers = std::move(opened);
    }
    if (arguments.verify) require_small(*fused, *orbitals);
  });
  const std::string temporary =
      broadcast(output ? output->temporary_file() : std::string(), 0, session.world(), "output");
  std::optional<TemporaryFileOfOthers> of_rank_0;
  if (session.rank() != 0 && !temporary.empty()) of_rank_0.emplace(temporary);
  if (files) files->require_one_file(session.world());
  FinishedProgram done;
  with_guarded_errors([&] {
    ProgramRun run(
        session.world(), *fused, options,
        {arguments.mode == "flow" ? ProgramMode::flow : ProgramMode::levels,
         arguments.layout == "in-turn" ? LayoutChoice::in_turn : LayoutChoice::automatic, arguments.made});
    const NodePlace place = place_on_node(session.world());
    const std::int64_t most = all_reduced(run.host_bytes(), MPI_MAX, session.world(), "memory");
    agree(session, [&] {
      std::vector<std::size_t> tensors(fused->tensors().size());
      std::iota(tensors.begin(), tensors.end(), std::size_t{0});
      require_free_memory(most, place.ranks, available_memory_bytes(), memory_advice(*fused, tensors));
    });
    done.levels = run.run(*numbers);
    for (const LevelReport& level : done.levels) done.wall_s += level.seconds();
    done.results = gather_results(run, *fused);
  });
  if (files) files->require_untouched(session.world());
  agree(session, [&] {
    if (session.rank() != 0) return;
    done.digest = digest_of(done.results);
    done.made = made_names(*fused);
    done.layout = layout_text(*fused);
    if (const std::string own = strategies_text(*fused); !own.empty()) done.layout += "; " + own;
    done.layout_json = layout_json(*fused);
    if (arguments.verify) done.error = largest_error(done.results, fused->program(), *orbitals, *numbers);
    if (files && arguments.verify) files->require_untouched();  // it was read again
    const bool right = !done.error || *done.error <= kLargestError;
    if (right && output) output->write(done.results);
    print_report(arguments, done, session.size());
    if (!right)
      throw WorkError(
          fmt::format("a wrong result: an error of {:.1e} of the largest magnitude, expected at most {}",
                      *done.error, kLargestError));
  });
}

}  // namespace

void add_program_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("program", "Run a program of contractions (docs/programs.md)");
  const auto arguments = std::make_shared<ProgramArguments>();
  command->add_option("program", arguments->program, "A program: FILE.txt")
      ->check(not_empty_check())
      ->required();
  for (const auto& [option, size, meaning] :
       {std::tuple("--o", &arguments->sizes.occupied, "Occupied orbitals of each spin"),
        {"--v", &arguments->sizes.virtuals, "Virtual orbitals of each spin"},
        {"--tile", &arguments->sizes.tile, "Largest extent of a tile"}})
    command->add_option(option, *size, meaning)
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
        ->type_name("N")
        ->required(size != &arguments->sizes.tile);
  CLI::Option* input =
      command
          ->add_option(
              "--input", arguments->input,
              "The given tensors, as datasets of an HDF5 file: \"v[hh|pp]\", a matrix of all spin orbitals")
          ->check(not_empty_check())
          ->type_name("FILE.h5");
  command->add_option("--output", arguments->output, "Write the results to an HDF5 file in the same way")
      ->check(not_empty_check())
      ->type_name("FILE.h5");
  command->add_flag("--overwrite", arguments->overwrite, "Let --output replace datasets that are there")
      ->needs("--output");
  command->add_option("--seed", arguments->seed, "Of random numbers for the given tensors")
      ->check(whole_number_check())
      ->excludes(input)
      ->capture_default_str();
  command->add_flag("--verify", arguments->verify,
                    "Compare the results with a plain evaluation in long double; for small tensors");
  command->add_option("--platform", arguments->platform, "Whose plans are run")->capture_default_str();
  command
      ->add_option("--mode", arguments->mode,
                   "levels: all ranks wait at the end of each; flow: a tile goes on when it is finished")
      ->check(CLI::IsMember({"levels", "flow"}))
      ->capture_default_str();
  add_gpu_option(*command, arguments->gpu, "an error");
  add_make_option(*command, arguments->made);
  add_layout_option(*command, arguments->layout);
  add_set_option(*command, arguments->options, kSetExamplesOfProgram);
  add_json_option(*command, arguments->options);
  command->callback([command, arguments] {
    run_guarded([&](const MpiSession& session) { execute(*command, *arguments, session); });
  });
}

}  // namespace foretile
