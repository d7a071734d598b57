// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/run_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "apps/foretile-run/program_report.hpp"
#include "apps/foretile-run/same_start.hpp"
#include "apps/inputs_apart.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/matrix_files/matrix_writer.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/program/plain_program.hpp"
#include "executor/program/program_blocks.hpp"
#include "executor/program/program_files.hpp"
#include "executor/program/program_run.hpp"
#include "planner/distribution/on_demand.hpp"
#include "planner/program/program_file.hpp"
#include "planner/program/tile_sizes.hpp"
#include "planner/tensor/program_text.hpp"
#include "platforms/free_memory.hpp"
#include "platforms/loader.hpp"
#include "simulator/simulated_seconds.hpp"

namespace foretile {

namespace {

constexpr double kMostPlainWork = 1e10;     // half a minute
constexpr double kMostPlainElements = 1e8;  // of 24 bytes

void require_small(const FusedProgram& fused, const SpinOrbitals& orbitals) {
  const std::vector<ProgramTensor> tensors = tensors_of(fused.as_given());
  const double elements = plain_elements(tensors, orbitals);
  if (elements > kMostPlainElements)
    throw input_error("--verify", fmt::format("{:.2g} elements of all tensors", elements),
                      fmt::format("at most {:.0e}", kMostPlainElements), "verify smaller --o and --v");
  const double work = plain_work(fused.as_given(), tensors, orbitals);
  if (work <= kMostPlainWork) return;
  throw input_error("--verify", fmt::format("{:.2g} multiplications of a plain evaluation", work),
                    fmt::format("at most {:.0e}", kMostPlainWork), "verify smaller --o and --v");
}

/// The results in a file, on rank 0. The first one's place is kept from the beginning; if another program
/// writes to the file meanwhile, all results go beside it.
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
  void write(const std::vector<ProgramResult>& results) {
    std::filesystem::path found = file_;
    for (const ProgramResult& result : results) {
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

/// Results are datasets of an HDF5 file that does not exist yet.
void require_output(const RunArguments& arguments, const FusedProgram& fused) {
  const MatrixPlace place = is_matrix_place(arguments.output) ? parse_output_place(arguments.output)
                                                              : MatrixPlace{arguments.output, {}, {}};
  if (place.format != MatrixFormat::hdf5 || !place.dataset.empty())
    throw input_error("--output", fmt::format("'{}'", arguments.output), "FILE.h5",
                      "results are datasets of an HDF5 file: for example --output results.h5");
  require_different("--output", arguments.output, "the program", arguments.what);
  if (!arguments.input.empty()) require_different("--output", arguments.output, "--input", arguments.input);
  for (const ProgramTensor& tensor : fused.tensors()) {
    if (tensor.role == TensorRole::result)
      require_not_taken(tensor_place(arguments.output, text_of(tensor, fused.program())),
                        arguments.overwrite);
  }
}

/// Of a program without a plan.
void require_sizes(const RunArguments& arguments) {
  for (const auto& [option, size, what] :
       {std::tuple("--o", arguments.sizes.occupied, "the occupied orbitals of each spin"),
        {"--v", arguments.sizes.virtuals, "the virtual orbitals of each spin"}}) {
    if (size == 0) throw input_error(option, "nothing", what, sizes_example(arguments.sizes));
  }
  if (arguments.sizes.tile > 0) return;
  const Machine machine = make_machine(load_platform(arguments.platform_or_here()), {});
  const auto tiles = proposed_tiles(load_program(arguments.what), arguments.sizes, machine, arguments.what);
  throw input_error(
      "--tile", "nothing", "the largest extent of a tile",
      tiles.empty() ? "give it" : fmt::format("give it, such as --tile {}", tiles[tiles.size() / 2]));
}

void require_parameters_alone(const RunArguments& arguments) {
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
  std::optional<ProgramPlan> plan;
  std::optional<Prediction> predicted;
};

ProgramToRun stored_program_to_run(const RunArguments& arguments, int ranks) {
  const ProgramFile file = load_program_file(arguments.what);
  require_ranks(file, ranks);
  RebuiltProgram rebuilt = rebuild(file);
  require_gpus(arguments.gpu, rebuilt.machine.platform);
  return {file.sizes, std::move(rebuilt.program), std::move(rebuilt.plan), file.predicted};
}

ProgramToRun program_to_run(const RunArguments& arguments) {
  if (arguments.what.ends_with(".json"))
    throw input_error(
        arguments.what, "no plan of a program", "PROGRAM.txt, or its plan",
        "store one with foretile plan PROGRAM.txt -o; a problem's runs without the word program");
  require_parameters_alone(arguments);
  require_sizes(arguments);
  require_gpus(arguments.gpu, load_platform(arguments.platform_or_here()));
  ProgramToRun found{
      arguments.sizes,
      std::make_unique<FusedProgram>(load_program(arguments.what), arguments.sizes, arguments.what),
      {},
      {}};
  on_demand_of(*found.fused,
               arguments.program.on_demand);  // names that are none are refused before anything is read
  return found;
}

/// On rank 0, with the platform, cores and memory of its node.
ProgramFile chosen_plan(const FusedProgram& fused, const RunArguments& arguments, int ranks, int cores,
                        std::optional<ProgramPlan>& plan) {
  const MachineSize size{.nodes = {}, .ranks = ranks, .gpus = {}};
  const Machine machine = make_machine(load_platform(arguments.platform_or_here(), {}, cores), size);
  plan = choose_plan(fused, machine, arguments.options.settings(),
                     arguments.program.plan_options(simulated_seconds()));
  return make_program_file(arguments.what, arguments.sizes, size, machine, fused, *plan);
}

/// Of the file, or as rank 0 chooses it: the others plan what it decided, so that all have one plan, also
/// where their processors round differently. Collective.
ProgramPlan plan_to_run(ProgramToRun& program, const RunArguments& arguments, const MpiSession& session) {
  const int cores = cores_of_node(session.world());
  std::optional<ProgramPlan> plan = std::move(program.plan);
  std::string stored;
  if (plan) return *std::move(plan);
  agree(session, [&] {
    if (session.rank() == 0)
      stored = program_file_json(chosen_plan(*program.fused, arguments, session.size(), cores, plan));
  });
  stored = broadcast(std::move(stored), 0, session.world(), "plan");
  agree(session, [&] {
    if (!plan) plan = rebuild(program_file_from_json(stored, arguments.what)).plan;
  });
  return *std::move(plan);
}

/// Given tensors that are kept, the largest first, until each rank has `missing` bytes more without its share
/// of them.
std::string advice_on_free_memory(const FusedProgram& fused, std::vector<bool> on_demand,
                                  std::int64_t missing, int ranks) {
  std::vector<std::size_t> all(fused.tensors().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  on_demand.resize(all.size());
  std::string options;
  while (missing > 0) {
    const auto largest = largest_kept(fused, on_demand, all);
    if (!largest) return "use more nodes";
    on_demand[*largest] = true;
    missing -= fused.blocks(*largest).elements() * std::int64_t{sizeof(double)} / ranks;
    options += fmt::format(" --on-demand \"{}\"", text_of(fused.tensors()[*largest], fused.program()));
  }
  return fmt::format("use more nodes, or plan with{}", options);
}

/// `gathered`: bytes that rank 0 needs beside its share. Collective.
void require_memory_of_program(const ProgramRun& run, const FusedProgram& fused, double gathered,
                               const MpiSession& session) {
  const int on_node = place_on_node(session.world()).ranks;
  const std::int64_t most = all_reduced(run.host_bytes(), MPI_MAX, session.world(), "memory");
  agree(session, [&] {
    const std::int64_t available = available_memory_bytes();
    const std::int64_t missing = most - available / on_node;
    if (missing <= 0 && session.rank() == 0)
      require_free_memory(most + static_cast<std::int64_t>(gathered / on_node), on_node, available,
                          "leave --output out, with which rank 0 gathers all results, or use nodes with more "
                          "memory");
    require_free_memory(
        most, on_node, available,
        advice_on_free_memory(fused, run.plan().distribution.on_demand, missing, session.size()));
  });
}

/// What a run of a program begins with, of this rank.
struct ProgramStart {
  ProgramToRun program;
  std::optional<SpinOrbitals> orbitals;
  std::unique_ptr<ProgramNumbers> numbers;
  const FileNumbers* files = nullptr;  ///< these numbers, where they are from files
  std::unique_ptr<ResultsFile> output;
};

void prepare_program(RunKind kind, const RunArguments& arguments, const MpiSession& session,
                     ProgramStart& start) {
  start.program = kind == RunKind::program_plan ? stored_program_to_run(arguments, session.size())
                                                : program_to_run(arguments);
  const FusedProgram& fused = *start.program.fused;
  start.orbitals.emplace(fused.tiles());
  if (!arguments.output.empty()) {
    require_output(arguments, fused);
    if (session.rank() == 0)
      start.output =
          std::make_unique<ResultsFile>(arguments.output, fused, *start.orbitals, arguments.overwrite);
  }
  if (arguments.input.empty()) {
    start.numbers = std::make_unique<SeededNumbers>(*start.orbitals, arguments.seed.value_or(1));
  } else {
    auto opened =
        std::make_unique<FileNumbers>(arguments.input, fused.program(), fused.tensors(), *start.orbitals);
    start.files = opened.get();
    start.numbers = std::move(opened);
  }
  if (arguments.verify) require_small(fused, *start.orbitals);
}

FinishedProgram finished_program(ProgramStart& start, const RunArguments& arguments,
                                 const MultiplicationOptions& options, const MpiSession& session) {
  const FusedProgram& fused = *start.program.fused;
  auto run = std::make_unique<ProgramRun>(session.world(), fused,
                                          plan_to_run(start.program, arguments, session), options);
  const bool gathers = arguments.verify || !arguments.output.empty();
  require_memory_of_program(*run, fused, gathers ? gathered_bytes(fused, *start.orbitals) : 0, session);
  FinishedProgram done;
  done.predicted = start.program.predicted;
  done.report = run->run(*start.numbers);
  done.results = gather_results(*run, fused, gathers);
  done.digest = run->digest();
  done.run = std::move(run);
  return done;
}

/// On rank 0. A wrong result is not written.
void conclude(ProgramStart& start, FinishedProgram& done, const RunArguments& arguments, int ranks) {
  if (arguments.verify)
    done.error =
        largest_error(done.results, start.program.fused->as_given(), *start.orbitals, *start.numbers);
  if (start.files && arguments.verify) start.files->require_untouched();  // it was read again
  const bool right = !done.error || *done.error <= kLargestError;
  if (right && start.output) start.output->write(done.results);
  print_program_report(arguments, start.program.sizes, *start.program.fused, done, ranks);
  if (!right)
    throw WorkError(
        fmt::format("a wrong result: an error of {:.1e} of the largest magnitude, expected at most {}",
                    *done.error, kLargestError));
}

}  // namespace

void execute_program(const CLI::App& command, RunKind kind, const RunArguments& arguments,
                     const MpiSession& session) {
  require_same_start(session, [&] {
    refuse_other_options(kind, arguments);
    return start_facts(command, kind, arguments);
  });
  MultiplicationOptions options;
  options.platform = arguments.platform_or_here();
  options.gpus = arguments.gpu;
  ProgramStart start;
  agree(session, [&] {
    options.parameters = arguments.options.settings();
    prepare_program(kind, arguments, session, start);
  });
  const std::string temporary =
      broadcast(start.output ? start.output->temporary_file() : std::string(), 0, session.world(), "output");
  std::optional<TemporaryFileOfOthers> of_rank_0;
  if (session.rank() != 0 && !temporary.empty()) of_rank_0.emplace(temporary);
  if (start.files) start.files->require_one_file(session.world());
  FinishedProgram done;
  with_guarded_errors([&] { done = finished_program(start, arguments, options, session); });
  if (start.files) start.files->require_untouched(session.world());
  agree(session, [&] {
    if (session.rank() == 0) conclude(start, done, arguments, session.size());
  });
}

}  // namespace foretile
