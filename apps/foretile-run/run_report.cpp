// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/run_report.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "apps/options.hpp"
#include "apps/quantities.hpp"
#include "base/one_line.hpp"
#include "base/progress.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/cpu/product_kernels.hpp"
#include "executor/cpu/tile_kernel.hpp"
#include "executor/mpi/gather.hpp"
#include "platforms/checks.hpp"
#include "scheduler/report/report.hpp"
#include "scheduler/report/report_json.hpp"

namespace foretile {

namespace {

/// What multiplies.
std::string kernels(const FinishedRun& done) {
  if (!done.gpus) return tile_kernels(uses_small_products(done.work->contraction));
  const GpuFacts facts = done.gpus->facts(0);
  return fmt::format("{}, {}", facts.name, facts.library);
}

const std::string& calibrated_kernels(const FinishedRun& done) {
  return done.work->machine.platform.calibration.kernels;
}

/// Empty where the platform was calibrated with the kernels that multiply now.
std::string kernels_change(const FinishedRun& done) {
  if (done.gpus) return {};
  return changed_kernels(calibrated_kernels(done), kernels(done), kernels_asked_for());
}

nlohmann::ordered_json checkpoint_json(const FinishedRun& done, const std::string& folder) {
  const std::int64_t before = done.checkpoint->finished_before(), all = done.checkpoint->tiles();
  return {{"folder", folder}, {"tiles_before", before}, {"tiles_computed", all - before}};
}

std::string checkpoint_text(const FinishedRun& done, const std::string& folder) {
  const std::int64_t before = done.checkpoint->finished_before(), all = done.checkpoint->tiles();
  return fmt::format("checkpoint {}: {} of {} tiles of C were finished, {} computed now\n", one_line(folder),
                     before, all, all - before);
}

/// JSON has no infinity: it becomes null.
nlohmann::ordered_json verify_json(const CheckResult& check, Precision precision) {
  nlohmann::ordered_json worst;
  if (check.worst)
    worst = {{"row", check.worst->row}, {"column", check.worst->column}, {"rank", check.worst->rank}};
  return {{"method", check.method},
          {"precision", name_of(precision)},
          {"relative_error", check.relative_error},
          {"allowed_error", check.allowed_error},
          {"worst_tile", worst},
          {"c_digest", check.c_digest}};
}

void print_check(const CheckResult& check, Precision precision) {
  fmt::print("{}   relative error {:.2e} in {} precision ({}), digest of C {}\n",
             check.passed() ? "verified" : "wrong   ", check.relative_error, name_of(precision), check.method,
             check.c_digest);
  if (check.worst) {
    fmt::print("           largest in tile C({}, {}) on rank {}; rounding explains {:.1e}\n",
               check.worst->row, check.worst->column, check.worst->rank, check.allowed_error);
  }
}

nlohmann::ordered_json probes_json(const Probes& probes, const std::optional<TimeInterval>& again) {
  if (!probes.known()) return nullptr;
  nlohmann::ordered_json json{
      {"calibrated_flops_per_s", probes.calibrated},
      {"before_flops_per_s", probes.before.mean},
      {"after_flops_per_s", probes.after.mean},
      {"share", probes.share()},
      {"slow", probes.slow()},
      {"of_devices_flops_per_s", {{"before", probes.before.of_devices}, {"after", probes.after.of_devices}}}};
  json["predicted_again"] = nullptr;
  if (again)
    json["predicted_again"] = {
        {"low_s", again->low_s}, {"high_s", again->high_s}, {"simulations", again->simulations}};
  return json;
}

/// The plan's time at the rates that the cores had beside the run.
std::string again_text(const std::optional<TimeInterval>& again, std::string_view label) {
  if (!again) return {};
  return fmt::format(
      "{:<10} {} to {}: {} with the rates of the cores before and after the run\n", label,
      quantity(again->low_s, "s"), quantity(again->high_s, "s"),
      again->simulations == 2 ? "simulated" : fmt::format("90% of {} simulations", again->simulations));
}

nlohmann::ordered_json calibration_json(const FinishedRun& done) {
  if (calibrated_kernels(done).empty()) return nullptr;
  return {{"kernels", calibrated_kernels(done)},
          {"same_kernels", kernels_change(done).empty()},
          {"busy", calibrated_while_busy(done.work->machine.platform)}};
}

/// Beside the prediction, which holds for other kernels.
std::string kernels_text(const FinishedRun& done) {
  const std::string change = kernels_change(done);
  return change.empty() ? "" : fmt::format("kernels    {}\n", change);
}

/// Beside the prediction, where the machine computes more slowly than when it was calibrated.
std::string slow_text(const FinishedRun& done, double predicted_s) {
  const Probes& probes = done.probes;
  if (!probes.slow()) return {};
  const Platform& platform = done.work->machine.platform;
  return fmt::format(
      "slower     the machine computed at {:.2f} of its calibrated rate just before the run: at that rate "
      "{}{}\n",
      probes.share(), quantity(predicted_s / probes.share(), "s"),
      calibrated_while_busy(platform)
          ? fmt::format("; it was busy when it was calibrated (the cores were ours for {:.2f} of the time), "
                        "so the rate is unsound, too",
                        platform.calibration.core_share)
          : "");
}

std::string parameters_text(const PlannedWork& work) {
  std::string text;
  for (const auto& [key, value] : work.plan.parameters) text += fmt::format(" {}={}", key, value);
  return text;
}

nlohmann::ordered_json choice_json(const FinishedRun& done) {
  nlohmann::ordered_json json{{"platform", done.work->machine.platform.name},
                              {"strategy", done.work->plan.strategy},
                              {"parameters", done.work->plan.parameters}};
  if (!done.work->decision.empty()) json["decision"] = done.work->decision;
  return json;
}

nlohmann::ordered_json result_json(const RunArguments& arguments, const FinishedRun& done,
                                   const Report& report, const std::optional<TimeInterval>& again) {
  nlohmann::ordered_json json = report_json(report);
  if (done.kind == RunKind::problem) json["planned"] = choice_json(done);
  json["plan_digest"] = done.plan_with_pool;
  json["wall_s"] = done.result.wall_s;
  json["predicted_s"] =
      done.file.predicted ? nlohmann::ordered_json(done.file.predicted->makespan_s) : nullptr;
  if (done.checkpoint) json["checkpoint"] = checkpoint_json(done, arguments.checkpoint);
  json["probe"] = probes_json(done.probes, again);
  json["kernels"] = kernels(done);
  json["calibration"] = calibration_json(done);
  if (done.gpus) {
    json["gpu"] = {{"compactions", done.result.gpu.compactions},
                   {"compacted_bytes", done.result.gpu.compacted_bytes},
                   {"unpinned_bytes", done.result.gpu.unpinned_bytes},
                   {"host_message_bytes", done.result.gpu.host_message_bytes}};
  }
  json["digest"] = done.digest;
  json["peak_rss_bytes"] = done.peak_rss_bytes;
  json["matrix_bytes_per_rank"] = done.work->summary.matrix_bytes_per_rank;
  json.update(done.files->json());
  if (done.check) json["verify"] = verify_json(*done.check, done.work->contraction.precision);
  return json;
}

void print_text(const RunArguments& arguments, const FinishedRun& done, const Report& report,
                const std::optional<TimeInterval>& again) {
  fmt::print("{} on {} rank{}, products by {}\n", done.file.problem.name, done.file.ranks,
             done.file.ranks == 1 ? "" : "s", kernels(done));
  fmt::print("measured   {}\n", quantity(done.result.wall_s, "s"));
  if (done.file.predicted) {
    const double predicted = done.file.predicted->makespan_s;
    if (done.resumed()) {
      fmt::print("predicted  {} for all of C\n", quantity(predicted, "s"));
    } else {
      fmt::print("predicted  {} ({:+.1f}%)\n", quantity(predicted, "s"),
                 100 * (predicted / done.result.wall_s - 1));
      fmt::print("{}{}", kernels_text(done), slow_text(done, predicted));
    }
  }
  fmt::print("{}", again_text(again, done.file.predicted ? "again" : "predicted"));
  if (done.checkpoint) fmt::print("{}", checkpoint_text(done, arguments.checkpoint));
  if (done.check) {
    print_check(*done.check, done.work->contraction.precision);
  } else {
    fmt::print("not verified, digest of C {}\n", done.digest);
  }
  fmt::print("{}", done.files->text());
  fmt::print("\n{}\n", report_text(report));
}

}  // namespace

void print_choice(const RunArguments& arguments, const MpiSession& session, const FinishedRun& done) {
  if (session.rank() != 0 || done.kind != RunKind::problem || arguments.options.json) return;
  erase_progress();
  fmt::print("planned    {} on {}:{}\n", done.work->plan.strategy, done.work->machine.platform.name,
             one_line(parameters_text(*done.work)));
  std::fflush(stdout);  // the run may take long
}

std::optional<RunSummary> report_run(const RunArguments& arguments, const MpiSession& session,
                                     const FinishedRun& done) {
  const auto statistics = gather_statistics(done.result.statistics, session.world());
  if (session.rank() != 0) return {};
  const auto& work = done.now();
  Report summary = make_report(statistics, work.machine, work.plan.grid, done.result.wall_s);
  add_plan(summary, work.contraction, work.machine, work.plan);
  summary.decision = done.work->decision;
  const auto again = done.resumed() ? std::nullopt : predict_again(*done.work, done.probes);
  nlohmann::ordered_json json = result_json(arguments, done, summary, again);
  if (arguments.options.json) {
    print_json(json);
  } else {
    print_text(arguments, done, summary, again);
  }
  return RunSummary{std::move(summary), std::move(json)};
}

}  // namespace foretile
