// SPDX-License-Identifier: BSD-3-Clause
// foretile-run calibrate: measures this machine and writes its platform file.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>

#include "apps/foretile-run/calibration_view.hpp"
#include "apps/foretile-run/commands.hpp"
#include "apps/foretile-run/gpu_option.hpp"
#include "apps/foretile-run/guard.hpp"
#include "apps/foretile-run/job_terminal.hpp"
#include "apps/foretile-run/same_start.hpp"
#include "apps/options.hpp"
#include "apps/program.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/one_line.hpp"
#include "base/progress.hpp"
#include "base/time_budget.hpp"
#include "executor/calibration/calibrate_gpu.hpp"
#include "executor/calibration/calibration_samples.hpp"
#include "executor/calibration/mpi/measure_messages.hpp"
#include "executor/calibration/mpi/measure_runtime.hpp"
#include "executor/calibration/mpi/runtime_options.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/mpi/communicator.hpp"
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

/// Weights in the budget: what rank 0 measures, messages between two ranks, foretile-run's own costs.
constexpr double kDevicesWeight = 75;
constexpr double kMessagesWeight = 7;
constexpr double kRuntimeWeight = 18;
/// With less, so few cores' figures rest on measurements that predictions suffer.
constexpr double kLeastBudget_s = 10;
constexpr double kDefaultBudget_s = 120;
constexpr double kStandInBudget_s = 30;

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

double budget_of(const CalibrateArguments& arguments) {
  if (arguments.budget.empty())
    return arguments.gpu == GpuChoice::stand_in ? kStandInBudget_s : kDefaultBudget_s;
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
  return options;
}

MessageOptions message_options(const TimeBudget& budget) {
  MessageOptions options;
  const double parts = static_cast<double>(options.sizes.size()) + 6;  // latency has five, bandwidth one
  options.seconds_per_size = std::min(options.seconds_per_size, budget.left() / parts);
  options.budget = budget;
  return options;
}

GpuCalibrationOptions gpu_options(const CalibrateArguments& arguments) {
  GpuCalibrationOptions options;
  if (arguments.gpu == GpuChoice::stand_in) {  // a core is slower than a GPU, and has smaller caches
    options.sizes = {64, 128, 256, 512, 1024};
    options.ring_bytes = std::int64_t{96} << 20;
    options.host.bytes_per_core = std::int64_t{12} << 20;
    options.odd_sizes = {95, 383, 767};
  }
  if (!arguments.sizes.empty()) {
    options.sizes = arguments.sizes;
    options.odd_sizes.clear();
  }
  if (!arguments.largest_copy.empty()) {
    const std::int64_t largest = largest_copy(arguments);
    std::erase_if(options.copies, [&](std::int64_t bytes) { return bytes >= largest; });
    options.copies.push_back(largest);
  }
  return options;
}

Written cores_written(const CalibrateArguments& arguments, CalibrationResult result, const Together& together,
                      const std::string& samples_file) {
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
Written devices_written(GpuCalibration result, const Together& together, const std::string& samples_file) {
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

/// One calibration of this machine by all ranks. What rank 0 measures comes first and is written at once:
/// a calibration that is cut off has what matters most. What the ranks measure follows; without it, readers
/// take typical costs.
class MachineCalibration {
 public:
  MachineCalibration(const CalibrateArguments& arguments, const MpiSession& session)
      : arguments_(arguments),
        session_(session),
        path_(arguments.output.empty() ? here_file() : fs::path(arguments.output)),
        samples_file_(samples_path(path_).filename().string()),
        line_(session.rank() == 0 ? job_terminal() : ProgressTerminal{}) {}

  void run() {
    use_cores_of_node(session_.world());  // what is measured is the node, not what one rank is bound to
    std::unique_ptr<Gpus> gpus;
    agree(session_, [&] {
      if (session_.rank() == 0) gpus = prepare(arguments_, path_);
      if (session_.rank() == 0) budget_ = TimeBudget(budget_of(arguments_) - budget_.elapsed());
      take_blas_buffers(machine_facts().cores);
    });
    const bool on_gpus = broadcast(gpus ? 1 : 0, 0, session_.world(), "kind of devices") != 0;
    if (!on_gpus && session_.rank() == 0) warn();
    rank_zero_first([&] { gpus ? measure_devices(*gpus) : measure_cores(); });
    const Together together = measure_together();
    quiet_barrier(session_.world());  // the other ranks leave the cores alone until here
    agree(session_, [&] {
      if (session_.rank() == 0) finish(written_(together));
    });
  }

 private:
  double open_weight() const {
    return kDevicesWeight + kRuntimeWeight + (session_.size() > 1 ? kMessagesWeight : 0);
  }

  void warn() {
    if (const std::string foreign = foreign_kernels(); !foreign.empty())
      print_message("foretile-run", "warning: " + foreign);
    if (budget_of(arguments_) >= kLeastBudget_s) return;
    print_message(
        "foretile-run",
        fmt::format("warning: --budget {} is too short for figures to rely on; with {} s or more they are",
                    arguments_.budget, kLeastBudget_s));
  }

  void show(const std::string& what) {
    line_.show(fmt::format("calibrate: {}; {} of {}", what, duration_text(wall_.elapsed()),
                           duration_text(budget_of(arguments_))));
  }

  /// The other ranks leave the cores alone meanwhile.
  void rank_zero_first(const std::function<void()>& step) {
    std::exception_ptr failure;
    try {
      if (session_.rank() == 0) step();
    } catch (...) {
      failure = std::current_exception();
    }
    quiet_barrier(session_.world());
    agree(session_, [&] {
      if (failure) std::rethrow_exception(failure);
    });
  }

  void measure_devices(Gpus& gpus) {
    GpuCalibrationOptions options = gpu_options(arguments_);
    options.seconds = budget_.share(kDevicesWeight, open_weight());
    options.progress = [this](const std::string& what) { show(what); };
    const GpuCalibration result = calibrate_gpu(gpus, options);
    written_ = [this, result](const Together& together) {
      return devices_written(result, together, samples_file_);
    };
    write(written_({}), path_);
  }

  void measure_cores() {
    CalibrationOptions options = core_options(arguments_);
    options.budget = budget_.part(kDevicesWeight, open_weight());
    options.progress = [this](const std::string& what) { show(what); };
    options.essential = [this](const CalibrationResult& so_far) {
      const Written written = cores_written(arguments_, so_far, {}, samples_file_);
      require_quiet(arguments_, written);
      write(written, path_);
    };
    const CalibrationResult result = calibrate(options);
    written_ = [this, result](const Together& together) {
      return cores_written(arguments_, result, together, samples_file_);
    };
  }

  Together measure_together() {
    Together together;
    if (session_.size() > 1) {
      show("messages");
      const TimeBudget part = rank_zeros(budget_.share(kMessagesWeight, kMessagesWeight + kRuntimeWeight));
      together.message = measure_messages(session_.world(), message_options(part));
    }
    RuntimeOptions options = runtime_options(session_.world(), budget_.left());
    options.progress = [this] { show("foretile-run's own costs"); };
    together.runtime = measure_runtime(session_.world(), options);
    return together;
  }

  TimeBudget rank_zeros(double seconds) const {
    return TimeBudget(broadcast(seconds, 0, session_.world(), "budget"));
  }

  void finish(const Written& written) {
    write(written, path_);
    erase_progress();
    print(arguments_, written, path_, wall_.elapsed());
  }

  const CalibrateArguments& arguments_;
  const MpiSession& session_;
  fs::path path_;
  std::string samples_file_;
  ProgressLine line_;
  TimeBudget wall_;
  TimeBudget budget_;
  std::function<Written(const Together&)> written_;
};

}  // namespace

void add_calibrate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("calibrate",
                                         "Measure this machine (mpiexec -n 2 foretile-run calibrate; one to "
                                         "two minutes) and write its platform file");
  const auto arguments = std::make_shared<CalibrateArguments>();
  command
      ->add_option("-o,--output", arguments->output,
                   "The platform file to write, with single times in a .samples.json beside it. Default: the "
                   "file of the name `here`")
      ->check(not_empty_check())
      ->type_name("FILE.toml");
  add_gpu_option(*command, arguments->gpu, "none");
  command
      ->add_option(
          "--budget", arguments->budget,
          "Time for all measurements. If it is short, fewer products are timed, and the least useful "
          "figures stay estimates. Default: 120s; of the stand-in 30s")
      ->check(not_empty_check())
      ->type_name("TIME");
  command
      ->add_option("--sizes", arguments->sizes,
                   "Time products of every m, n and k from this list, such as 64,128,256")
      ->type_name("N,N,...")
      ->delimiter(',')
      ->expected(2, 16)
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{8192}));
  command
      ->add_option("--largest-copy", arguments->largest_copy,
                   "Largest copy between host and GPU. Default: 256 MiB, less if the budget is short")
      ->type_name("BYTES");
  command->add_flag("--noise", arguments->noise,
                    "On cores: write the measured spreads to [noise], so that simulations vary with the "
                    "seed. With GPUs always");
  command->add_flag(
      "--force", arguments->force,
      "On cores: write the file even if other work took the cores meanwhile; every use of it warns");
  add_json_option(*command, arguments->options);
  command->callback([&app, arguments] {
    run_guarded([&](const MpiSession& session) {
      require_same_start(session, [&] { return command_line_facts(app); });
      MachineCalibration(*arguments, session).run();
    });
  });
}

}  // namespace foretile
