// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/run_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "apps/foretile-run/job_terminal.hpp"
#include "apps/foretile-run/memory_check.hpp"
#include "apps/foretile-run/run_page.hpp"
#include "apps/foretile-run/run_report.hpp"
#include "apps/foretile-run/same_start.hpp"
#include "apps/foretile-run/work_to_run.hpp"
#include "apps/inputs_apart.hpp"
#include "apps/program.hpp"
#include "apps/replay.hpp"
#include "apps/resources.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/progress.hpp"
#include "executor/check/check.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/cpu/product_kernels.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/gather.hpp"
#include "planner/plan/assignment.hpp"
#include "planner/plan/plan_digest.hpp"
#include "platforms/checks.hpp"
#include "platforms/free_memory.hpp"
#include "platforms/here.hpp"
#include "scheduler/report/chrome_trace.hpp"
#include "scheduler/report/progress_sink.hpp"

namespace foretile {

namespace {

constexpr double kWarmUp_s = 0.2;  // clocks of an idle GPU have risen by then

bool on_gpus(const PlannedWork& work) {
  return work.machine.platform.device.kind == DeviceKind::gpu;
}

/// All ranks know the result, so all end with the same exit code.
void require_right(const MpiSession& session, const CheckResult& check) {
  agree(session, [&] { require_passed(check); });
}

void write_trace(const std::string& path, const std::vector<TraceEvent>& events, const FinishedRun& done) {
  ChromeTrace trace(path);
  for (const TraceEvent& event : events) trace.record(event);
  trace.finish(subject_of(*done.work, done.work->contraction.name, "measured", done.result.wall_s));
}

bool needs_events(const RunArguments& arguments) {
  return !arguments.trace.empty() || !arguments.report.empty();
}

/// `summary`: on rank 0. Collective.
void write_operations(const CLI::App& app, const RunArguments& arguments, const MpiSession& session,
                      const FinishedRun& done, const EventStore& events, std::optional<RunSummary> summary) {
  const std::vector<TraceEvent> all = gather_events(events.events, session.world());
  if (session.rank() != 0) return;
  if (!arguments.trace.empty()) write_trace(arguments.trace, all, done);
  if (arguments.report.empty()) return;
  const std::string command = command_text(fmt::format("mpiexec -n {} foretile-run", session.size()), app);
  write_run_page({arguments.report, command, all, *std::move(summary)}, done);
}

/// Cores that work in place have their tiles in host memory: the verifier counts them there, a B that is
/// generated too.
bool devices_need_memory(const PlannedWork& work, bool copies) {
  return on_gpus(work) || copies;
}

/// For what the verifier proved of host memory, without tiles that stay in their files, and, on cores, of
/// devices that need some.
std::int64_t pool_bytes(const FinishedRun& done, bool copies) {
  const PlanSummary& summary = done.now().summary;
  // A resumed run may need less than its files have.
  std::int64_t bytes =
      std::max<std::int64_t>(0, summary.peak_host_bytes - done.files->bytes_in_place(done.gpus != nullptr));
  if (!done.gpus && devices_need_memory(*done.work, copies))
    bytes += done.work->machine.devices_per_rank * summary.device_bytes();
  return pool_bytes_for(bytes);
}

/// Where devices take blocks while they run: with their blocks of an earlier run, if that is wanted. Notes
/// the plan's digest before.
void prepare_assignment(const RunArguments& arguments, FinishedRun& done) {
  if (!arguments.assignment_out.empty()) require_open_pool(done.work->plan, "--assignment-out");
  done.plan_with_pool = plan_digest(done.work->plan);
  if (!arguments.assignment.empty()) replay(arguments.assignment, *done.work);
}

std::string file_of_output(const RunArguments& arguments) {
  return arguments.output.empty() ? "" : parse_output_place(arguments.output).file.string();
}

/// From each other and from what is read, as far as the options tell.
void require_outputs_apart(const char* kind, const RunArguments& arguments) {
  const std::string c = file_of_output(arguments);
  require_different("--trace", arguments.trace, "--assignment", arguments.assignment);
  require_different("--trace", arguments.trace, "--output", c);
  require_different("--output", c, "--assignment", arguments.assignment);
  for (const auto& [other, path] : {std::pair("--trace", arguments.trace), {"--output", c}})
    require_different("--assignment-out", arguments.assignment_out, other, path);
  for (const auto& [other, path] : {std::pair("--trace", arguments.trace),
                                    {"--output", c},
                                    {"--assignment", arguments.assignment},
                                    {"--assignment-out", arguments.assignment_out}})
    require_different("--report", arguments.report, other, path);
  for (const auto& [option, path] : {std::pair("--trace", arguments.trace),
                                     {"--report", arguments.report},
                                     {"--assignment-out", arguments.assignment_out}}) {
    require_different(option, path, kind, arguments.what);
    require_different(option, path, "--platform", arguments.platform);
  }
}

/// From files that the problem and the parameters name.
void require_outputs_apart(const RunArguments& arguments, const PlanFile& file) {
  require_inputs_apart("--trace", arguments.trace, file.problem);
  require_inputs_apart("--report", arguments.report, file.problem);
  require_inputs_apart("--assignment-out", arguments.assignment_out, file.problem);
  for (const auto& [option, path] : {std::pair("--trace", arguments.trace),
                                     {"--report", arguments.report},
                                     {"--assignment-out", arguments.assignment_out},
                                     {"--output", file_of_output(arguments)}})
    require_no_table(option, path, file.parameters);
  require_output_free(arguments.output, arguments.overwrite, file.problem);
}

void write_assignment(const std::string& path, const MpiSession& session, const FinishedRun& done) {
  const auto all = gather_assignments(done.result.assignment, done.work->plan.grid.size(), session.world());
  if (session.rank() == 0) save_assignment(path, {done.plan_with_pool, all});
}

/// What the plan and this rank's machine come to.
StartFacts device_facts(const FinishedRun& done) {
  const Machine& machine = done.work->machine;
  return {{"plan:", done.plan_with_pool},
          {"elements in precision", std::string(name_of(done.work->contraction.precision))},
          {"devices per rank:", fmt::to_string(machine.devices_per_rank)},
          {"products by", !done.gpus && uses_small_products(done.work->contraction) ? "libxsmm" : "BLAS"},
          {"devices:", !done.gpus  ? "cores"
                       : done.cuda ? "GPUs"
                                   : "stand-ins for GPUs"}};
}

/// The prediction, at the rate that the machine has now.
std::optional<double> expected_s(const FinishedRun& done) {
  if (!done.file.predicted) return std::nullopt;
  const double predicted_s = done.file.predicted->makespan_s;
  return done.probes.slow() ? predicted_s / done.probes.share() : predicted_s;
}

/// Of the run, by this rank's products. The stage begins with the first operation that ended.
CountFunction run_progress(const FinishedRun& done, Rank rank, ProgressLine& line) {
  if (!line.shown_somewhere() || rank >= std::ssize(done.now().summary.rank_gemms)) return {};
  const std::optional<double> seconds = done.resumed() ? std::nullopt : expected_s(done);
  return line.stage_from_first_count("run", done.now().summary.rank_gemms[rank], seconds);
}

/// A rank without buffers for its products ends the job before anything starts.
void prepare_products(const PlannedWork& work, const MpiSession& session) {
  const int cores = multiplying_cores(work);
  if (cores == 0) return;
  agree(session, [&] { take_blas_buffers(std::min(cores, machine_facts().cores)); });
}

void say_doubts_of_platform(const PlannedWork& work, const MpiSession& session) {
  if (session.rank() != 0) return;
  for (const std::string& warning : platform_warnings(work.machine.platform)) {
    print_message("foretile-run", "warning: " + warning);
  }
}

/// Of a plan made now: one of the platform `here` has one node, whatever the job has. Collective.
void warn_of_other_nodes(const PlannedWork& work, const MpiSession& session) {
  const int most = all_reduced(place_on_node(session.world()).ranks, MPI_MAX, session.world(), "nodes");
  const int planned = std::min(work.machine.ranks_per_node, work.machine.ranks);
  if (session.rank() != 0 || session.size() == most || planned <= most) return;
  print_message("foretile-run",
                fmt::format("warning: the plan has {} ranks on a node of {}, the job has {}; plan with "
                            "--platform for such nodes",
                            planned, work.machine.platform.name, most));
}

/// What is known before a plan is there.
void prepare_case(const RunArguments& arguments, const MpiSession& session, FinishedRun& done) {
  require_outputs_apart(done.kind == RunKind::plan ? "the plan" : "the problem", arguments);
  for (const std::string& path : {arguments.trace, arguments.report, arguments.assignment_out}) {
    if (session.rank() == 0 && !path.empty()) require_writable(path);
  }
  done.file = file_to_run(done.kind, arguments, session.size());
  require_outputs_apart(arguments, done.file);
  require_ranks(done.file, session.size());
}

/// All else that a rank can find out alone; throws InputError before anything runs.
void prepare_run(const RunArguments& arguments, const MpiSession& session, int ranks_on_node,
                 FinishedRun& done) {
  done.text_digest = plan_text_digest(done.kind, arguments, done.file);
  if (!arguments.checkpoint.empty()) done.work = with_steady_blocks(*std::move(done.work));
  prepare_assignment(arguments, done);
  if (arguments.gpu != GpuChoice::automatic && !on_gpus(*done.work)) {
    throw input_error("--gpu", "a plan for cores", "a plan for GPUs", "leave --gpu out");
  }
  GpusForPlan chosen = on_gpus(*done.work) ? gpus_for_plan(arguments.gpu) : GpusForPlan{};
  if (session.rank() == 0 && !chosen.note.empty()) print_message("foretile-run", chosen.note);
  done.gpus = std::move(chosen.gpus);
  done.cuda = chosen.cuda;
  require_memory(*done.work, ranks_on_node, !chosen.cuda && devices_need_memory(*done.work, arguments.copies),
                 available_memory_bytes());
}

}  // namespace

void execute_problem(const CLI::App& app, RunKind kind, const RunArguments& arguments,
                     const MpiSession& session) {
  require_same_start(session, [&] {
    refuse_other_options(kind, arguments);
    return start_facts(app, kind, arguments);
  });
  FinishedRun done;
  done.kind = kind;
  ProgressLine line(session.rank() == 0 ? job_terminal() : ProgressTerminal{});
  const int on_node = place_on_node(session.world()).ranks;
  const PlatformOfJob platform =
      kind == RunKind::problem ? platform_of_job(arguments, session) : PlatformOfJob{};
  agree(session, [&] { prepare_case(arguments, session, done); });
  done.work = work_to_run(kind, arguments, platform, done.file, session, line.stage("plan", kPlanningSteps));
  agree(session, [&] { prepare_run(arguments, session, on_node, done); });
  require_same_start(session, [&] { return device_facts(done); });
  const int threads = cores_of_rank(session.world());
  done.files.emplace(done.file.problem, *done.work, arguments.output, arguments.overwrite, session.world());
  done.files->require_unchanged();
  if (arguments.check_finite) done.files->require_finite(threads);
  if (!arguments.checkpoint.empty())
    done.checkpoint.emplace(arguments.checkpoint, done.text_digest, *done.work, session.world());
  prepare_products(*done.work, session);
  say_doubts_of_platform(*done.work, session);
  if (kind == RunKind::problem) warn_of_other_nodes(*done.work, session);
  print_choice(arguments, session, done);
  done.probes.calibrated = done.work->machine.platform.calibration.probe_flops_per_s;
  done.probes.before = probe_cores(*done.work, session);
  EventStore events;
  RunOptions options;
  options.copies = arguments.copies;
  options.bind = !arguments.no_bind;
  options.in_plan_order = arguments.plan_order;
  options.gpus = done.gpus.get();
  options.storage = done.files->storage();
  options.pool_bytes = pool_bytes(done, arguments.copies);
  options.warm_up_s = done.cuda ? kWarmUp_s : 0;
  if (needs_events(arguments)) options.trace = &events;
  std::optional<ProgressSink> progress;
  if (CountFunction show = run_progress(done, session.rank(), line))
    options.trace = &progress.emplace(std::move(show), 1, options.trace);
  if (arguments.verify) done.files->prepare_check(threads);
  const auto& [contraction, machine, plan, summary, compared, decision] = *done.work;
  done.result = done.checkpoint ? done.checkpoint->run(options)
                                : run(plan, contraction, machine, session.world(), options);
  done.probes.after = probe_cores(*done.work, session);
  done.files->complete(done.result);
  done.digest = digest_of_c(*done.result.host, session.world());
  done.peak_rss_bytes = all_reduced(peak_rss_bytes(), MPI_MAX, session.world(), "memory");
  if (arguments.verify)
    done.check = done.files->storage() ? done.files->check(*done.result.host, done.digest)
                                       : check_product(done.work->contraction, *done.result.host,
                                                       session.world(), {{.threads = threads}});
  if (!done.check || done.check->passed()) done.files->write(*done.result.host, threads);
  erase_progress();
  std::optional<RunSummary> found = report_run(arguments, session, done);
  if (needs_events(arguments)) write_operations(app, arguments, session, done, events, std::move(found));
  if (!arguments.assignment_out.empty()) write_assignment(arguments.assignment_out, session, done);
  if (done.check) require_right(session, *done.check);
}

}  // namespace foretile
