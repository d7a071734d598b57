// foretile-run calibrate: measures this machine and writes its platform file.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "apps/foretile-run/commands.hpp"
#include "apps/foretile-run/guard.hpp"
#include "apps/options.hpp"
#include "apps/quantities.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "executor/calibrate.hpp"
#include "executor/mpi/measure_messages.hpp"
#include "executor/mpi/post.hpp"
#include "platforms/here.hpp"

namespace foretile {

namespace {

struct CalibrateArguments {
  std::string output;
  Options options;
};

void show_progress(std::size_t done, std::size_t all) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\rshape {} of {}{}", done, all, done == all ? "\n" : "");
}

CalibrationResult measure(const MpiSession& session) {
  std::optional<LinkModel> message;
  if (session.size() > 1) message = measure_messages(session.world());
  CalibrationResult result;
  if (session.rank() == 0) {
    CalibrationOptions options;
    options.progress = show_progress;
    result = calibrate(options);
    result.message = message;
  }
  quiet_barrier(session.world());  // the other ranks leave the cores alone until here
  return result;
}

void print(const CalibrateArguments& arguments, const CalibrationResult& result,
           const std::filesystem::path& path) {
  const KernelModel& kernel = result.fit.model;
  if (arguments.options.json) {
    print_json({{"file", path.string()},
                {"kernels", result.kernels},
                {"rate_flops_per_s", kernel.rate_flops_per_s},
                {"generation_bytes_per_s_per_core", result.generation_bytes_per_s_per_core},
                {"copy_bytes_per_s_per_core", result.copy_bytes_per_s_per_core}});
    return;
  }
  fmt::print("{} cores, {}\n", result.facts.cores, result.kernels);
  fmt::print("large products  {} per core\n", quantity(kernel.rate_flops_per_s, "flop/s"));
  fmt::print("generation      {} per core\n", quantity(result.generation_bytes_per_s_per_core, "B/s"));
  fmt::print("copies          {} per core\n", quantity(result.copy_bytes_per_s_per_core, "B/s"));
  if (result.message) {
    fmt::print("messages        {}, {}\n", quantity(result.message->latency_s, "s"),
               quantity(result.message->bandwidth_bytes_per_s, "B/s"));
  } else {
    fmt::print("messages        guessed; start with mpiexec -n 2 to measure them\n");
  }
  fmt::print("\nWritten to {}\n", path.string());
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return;
  throw input_error(folder.string(), fmt::format("a folder that cannot be made ({})", error.message()),
                    "a writable one", "choose a file with -o");
}

void calibrate_machine(const CalibrateArguments& arguments, const MpiSession& session) {
  const std::filesystem::path path =
      arguments.output.empty() ? here_file() : std::filesystem::path(arguments.output);
  agree(session, [&] {
    if (session.rank() != 0) return;
    if (arguments.output.empty()) make_folder(path.parent_path());
    require_writable(path);
  });
  const CalibrationResult result = measure(session);
  if (session.rank() != 0) return;
  write_atomically(path, [&](std::ostream& out) { out << calibration_toml(result); });
  print(arguments, result, path);
}

}  // namespace

void add_calibrate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "Measure this machine (mpiexec -n 2 foretile-run calibrate; about 20 s) and write its platform file");
  const auto arguments = std::make_shared<CalibrateArguments>();
  command->add_option("-o,--output", arguments->output,
                      "The file to write; without it, the one that the platform name `here` stands for");
  add_json_option(*command, arguments->options);
  command->callback([arguments] {
    run_guarded([&](const MpiSession& session) { calibrate_machine(*arguments, session); });
  });
}

}  // namespace foretile
