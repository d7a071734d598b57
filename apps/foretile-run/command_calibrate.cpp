// SPDX-License-Identifier: BSD-3-Clause
// foretile-run calibrate: measures this machine and writes its platform file.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <memory>

#include "apps/foretile-run/calibration_view.hpp"
#include "apps/foretile-run/commands.hpp"
#include "apps/foretile-run/gpu_option.hpp"
#include "apps/foretile-run/guard.hpp"
#include "apps/foretile-run/same_start.hpp"
#include "apps/options.hpp"
#include "apps/program.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/one_line.hpp"
#include "executor/calibration/calibrate_gpu.hpp"
#include "executor/calibration/calibration_samples.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/measure_messages.hpp"
#include "executor/mpi/measure_runtime.hpp"
#include "platforms/here.hpp"
#include "platforms/units.hpp"

namespace foretile {

namespace {

namespace fs = std::filesystem;

struct CalibrateArguments {
  std::string output;
  std::string budget;
  std::string largest_copy;
  std::vector<std::int64_t> sizes;
  GpuChoice gpu = GpuChoice::automatic;
  bool noise = false;
  bool force = false;
  Options options;
};

/// Shares of a GPU's budget: what the ranks measure together has the rest.
constexpr double kDeviceShare = 0.7;
constexpr double kRuntimeShare = 0.2;

/// What the ranks measured together.
struct Together {
  std::optional<MessageFigures> message;
  std::optional<RuntimeFigures> runtime;
};

/// What both kinds of calibration come to.
struct Written {
  bool busy = false;  ///< other work took the cores
  double core_share = 1;
  std::string toml, text;
  nlohmann::json samples;
  nlohmann::ordered_json json;
};

void show_shapes(std::size_t done, std::size_t all) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\rshape {} of {}{}", done, all, done == all ? "\n" : "");
}

void show_part(const std::string& what) {
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "{} ...\n", what);
}

double budget_of(const CalibrateArguments& arguments, double otherwise) {
  if (arguments.budget.empty()) return otherwise;
  const double seconds = parse_duration(arguments.budget, "--budget");
  if (seconds >= 0.1 && seconds <= 3600) return seconds;
  throw input_error("--budget", "\"" + arguments.budget + "\"", "0.1 s to 1 hour");
}

std::int64_t largest_copy(const CalibrateArguments& arguments) {
  const double bytes = parse_quantity(arguments.largest_copy, Dimension::bytes, "--largest-copy");
  if (bytes >= 4096 && bytes <= 1e10) return static_cast<std::int64_t>(bytes);
  throw input_error("--largest-copy", "\"" + arguments.largest_copy + "\"", "4096 B to 10 GB");
}

CalibrationOptions core_options(const CalibrateArguments& arguments) {
  CalibrationOptions options;
  if (!arguments.sizes.empty()) {
    options.sizes = arguments.sizes;
    options.cubes.clear();
  }
  if (!arguments.budget.empty()) {
    const double seconds = budget_of(arguments, 0);
    const auto n = static_cast<double>(options.sizes.size());
    const double shapes = n * n * n + static_cast<double>(options.cubes.size());
    options.seconds_per_shape = 0.6 * seconds / shapes / options.least_rounds;  // and the probes between
    options.seconds_per_bandwidth = 0.1 * seconds;
    options.settle_s = std::min(options.settle_s, 0.1 * seconds);
    options.seconds_per_cached_product = std::min(options.seconds_per_cached_product, 0.002 * seconds);
  }
  options.progress = show_shapes;
  return options;
}

/// All works together take about 20 s with the default, half of it for the looks.
constexpr double kRuntimeSeconds = 20;

RuntimeOptions runtime_options(double seconds) {
  RuntimeOptions options;
  const double share = std::min(1.0, seconds / kRuntimeSeconds);
  options.tiles = std::max(12, static_cast<int>(options.tiles * std::cbrt(share)));
  options.large_tiles = std::max(3, static_cast<int>(options.large_tiles * std::cbrt(share)));
  options.looks.rounds = std::max(6, static_cast<int>(options.looks.rounds * share));
  return options;
}

MessageOptions message_options(double seconds) {
  MessageOptions options;
  const double parts = static_cast<double>(options.sizes.size()) + 5;  // latency has five
  options.seconds_per_size = std::min(options.seconds_per_size, seconds / parts);
  return options;
}

GpuCalibrationOptions gpu_options(const CalibrateArguments& arguments) {
  GpuCalibrationOptions options;
  if (arguments.gpu == GpuChoice::stand_in) {  // a core is slower than a GPU, and has smaller caches
    options.sizes = {64, 128, 256, 512, 1024};
    options.ring_bytes = std::int64_t{96} << 20;
    options.host.bandwidth_bytes_per_core = std::int64_t{8} << 20;
    options.seconds = 30;
    options.odd_sizes = {95, 383, 767};
  }
  if (!arguments.sizes.empty()) {
    options.sizes = arguments.sizes;
    options.odd_sizes.clear();
  }
  options.seconds = kDeviceShare * budget_of(arguments, options.seconds);
  if (!arguments.largest_copy.empty()) {
    const std::int64_t largest = largest_copy(arguments);
    std::erase_if(options.copies, [&](std::int64_t bytes) { return bytes >= largest; });
    options.copies.push_back(largest);
  }
  options.progress = show_part;
  return options;
}

Written calibrate_cores(const CalibrateArguments& arguments, const Together& together,
                        const std::string& samples_file) {
  CalibrationResult result = calibrate(core_options(arguments));
  result.message = together.message;
  result.runtime = together.runtime;
  return {was_busy(result),
          result.core_share,
          calibration_toml(result, {arguments.noise, samples_file}),
          calibration_text(result),
          calibration_samples(result),
          calibration_json(result)};
}

/// A GPU's times do not depend on how busy the cores are.
Written devices_written(GpuCalibration& result, const Together& together, const std::string& samples_file) {
  result.host.message = together.message;
  result.host.runtime = together.runtime;
  return {false,
          1,
          gpu_calibration_toml(result, samples_file),
          calibration_text(result),
          calibration_samples(result),
          calibration_json(result)};
}

/// Refuses the figures of cores that other work took.
void require_quiet(const CalibrateArguments& arguments, const Written& written) {
  if (!written.busy) return;
  const std::string found =
      fmt::format("the machine was busy: the cores were ours for {:.2f} of the time", written.core_share);
  if (!arguments.force) {
    throw WorkError(found + "; nothing was written; calibrate when nothing else runs, or use --force");
  }
  print_message("foretile-run", fmt::format("warning: {}; written all the same (--force)", found));
}

/// my.toml -> my.samples.json
fs::path samples_path(fs::path path) {
  return path.replace_extension(".samples.json");
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return;
  throw input_error(folder.string(), fmt::format("a folder that cannot be made ({})", error.message()),
                    "a writable one", "choose a file with -o");
}

/// Refuses what cannot work before minutes are spent.
std::unique_ptr<Gpus> prepare(const CalibrateArguments& arguments, const fs::path& path) {
  if (arguments.output.empty()) make_folder(path.parent_path());
  require_writable(path);
  require_writable(samples_path(path));
  core_options(arguments);
  gpu_options(arguments);
  return choose_gpus(arguments.gpu);
}

void write(const Written& written, const fs::path& path) {
  write_atomically(path, [&](std::ostream& out) { out << written.toml; });
  write_atomically(samples_path(path), [&](std::ostream& out) {
    out << written.samples.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  });
}

void print(const CalibrateArguments& arguments, const Written& written, const fs::path& path, double wall_s) {
  if (arguments.options.json) {
    nlohmann::ordered_json json = {{"file", path.string()}, {"samples_file", samples_path(path).string()}};
    json.update(written.json);
    json["wall_s"] = wall_s;
    print_json(json);
  } else {
    fmt::print("{}\nWritten to {}, the times measured to {}\n", written.text, one_line(path.string()),
               one_line(samples_path(path).string()));
  }
}

/// The GPU's part comes first and is written at once: whoever is cut off has what matters most. What the
/// ranks measure together follows; without it, readers take typical costs.
Written calibrate_devices(const CalibrateArguments& arguments, const MpiSession& session, Gpus* gpus,
                          const fs::path& path) {
  const std::string samples = samples_path(path).filename().string();
  const GpuCalibrationOptions options = gpu_options(arguments);
  const double budget = options.seconds / kDeviceShare;
  GpuCalibration result;
  std::exception_ptr failure;
  try {
    if (gpus) {
      result = calibrate_gpu(*gpus, options);
      write(devices_written(result, {}, samples), path);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  quiet_barrier(session.world());  // the other ranks leave the cores alone until here
  agree(session, [&] {
    if (failure) std::rethrow_exception(failure);
  });
  Together together;
  if (session.size() > 1) {
    const double seconds = (1 - kDeviceShare - kRuntimeShare) * budget;
    together.message = measure_messages(session.world(), message_options(seconds));
  }
  together.runtime = measure_runtime(session.world(), runtime_options(kRuntimeShare * budget));
  return gpus ? devices_written(result, together, samples) : Written{};
}

Written calibrate_machine_of_cores(const CalibrateArguments& arguments, const MpiSession& session,
                                   const fs::path& path) {
  Together together;
  if (session.size() > 1) together.message = measure_messages(session.world());
  constexpr double all_s = 60;
  together.runtime = measure_runtime(session.world(),
                                     runtime_options(kRuntimeSeconds * budget_of(arguments, all_s) / all_s));
  if (session.rank() != 0) return {};
  return calibrate_cores(arguments, together, samples_path(path).filename().string());
}

void calibrate_machine(const CalibrateArguments& arguments, const MpiSession& session) {
  const auto start = std::chrono::steady_clock::now();
  const fs::path path = arguments.output.empty() ? here_file() : fs::path(arguments.output);
  std::unique_ptr<Gpus> gpus;
  agree(session, [&] {
    if (session.rank() == 0) gpus = prepare(arguments, path);
    take_blas_buffers(machine_facts().cores);
  });
  const bool on_gpus = broadcast(gpus ? 1 : 0, 0, session.world(), "kind of devices") != 0;
  const Written written = on_gpus ? calibrate_devices(arguments, session, gpus.get(), path)
                                  : calibrate_machine_of_cores(arguments, session, path);
  quiet_barrier(session.world());  // the other ranks leave the cores alone until here
  agree(session, [&] {
    if (session.rank() != 0) return;
    require_quiet(arguments, written);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    write(written, path);
    print(arguments, written, path, wall.count());
  });
}

}  // namespace

void add_calibrate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("calibrate",
                                         "Measure this machine (mpiexec -n 2 foretile-run calibrate; cores "
                                         "take one to two minutes, a GPU two minutes) and "
                                         "write its platform file");
  const auto arguments = std::make_shared<CalibrateArguments>();
  command
      ->add_option("-o,--output", arguments->output,
                   "The file to write; without it, the one that the platform name `here` stands for. Single "
                   "times go to a .samples.json beside it")
      ->check(not_empty_check());
  add_gpu_option(*command, arguments->gpu, "none");
  command
      ->add_option("--budget", arguments->budget,
                   "Time for all measurements of a GPU, 120s unless given; of cores, about")
      ->check(not_empty_check())
      ->type_name("TIME");
  command->add_option("--sizes", arguments->sizes, "Products of all these extents are timed: 64,128,256,...")
      ->delimiter(',')
      ->expected(2, 16)
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{8192}));
  command
      ->add_option("--largest-copy", arguments->largest_copy,
                   "Between host and GPU, \"256 MiB\" unless given")
      ->type_name("BYTES");
  command->add_flag("--noise", arguments->noise,
                    "Let rehearsals vary as the measurements on cores did; with a GPU they always do");
  command->add_flag("--force", arguments->force,
                    "Write the file even where other work took the cores meanwhile; every use of it warns");
  add_json_option(*command, arguments->options);
  command->callback([&app, arguments] {
    run_guarded([&](const MpiSession& session) {
      require_same_start(session, [&] { return command_line_facts(app); });
      calibrate_machine(*arguments, session);
    });
  });
}

}  // namespace foretile
