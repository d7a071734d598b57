// SPDX-License-Identifier: BSD-3-Clause
// foretile-run PLAN.json: executes the plan with the ranks of this MPI job.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>

#include "apps/foretile-run/command_program.hpp"
#include "apps/foretile-run/commands.hpp"
#include "apps/foretile-run/gpu_option.hpp"
#include "apps/foretile-run/guard.hpp"
#include "apps/foretile-run/job_terminal.hpp"
#include "apps/foretile-run/memory_check.hpp"
#include "apps/foretile-run/run_files.hpp"
#include "apps/foretile-run/same_start.hpp"
#include "apps/inputs_apart.hpp"
#include "apps/options.hpp"
#include "apps/program.hpp"
#include "apps/quantities.hpp"
#include "apps/replay.hpp"
#include "apps/resources.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/one_line.hpp"
#include "base/progress.hpp"
#include "executor/calibration/probe.hpp"
#include "executor/check/check.hpp"
#include "executor/checkpoint.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/cpu/product_kernels.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/gather.hpp"
#include "executor/run.hpp"
#include "planner/plan/assignment.hpp"
#include "planner/plan/plan_digest.hpp"
#include "planner/plan_file.hpp"
#include "planner/problem/estimate.hpp"
#include "planner/program/program_file.hpp"
#include "platforms/checks.hpp"
#include "platforms/free_memory.hpp"
#include "platforms/here.hpp"
#include "scheduler/report/chrome_trace.hpp"
#include "scheduler/report/progress_sink.hpp"
#include "scheduler/report/report.hpp"
#include "scheduler/report/report_json.hpp"

namespace foretile {

namespace {

constexpr double kWarmUp_s = 0.2;  // clocks of an idle GPU have risen by then

struct RunArguments {
  std::string plan;
  std::string trace;
  std::string output;          ///< where C goes; empty: nowhere
  bool overwrite = false;      ///< a dataset that is there
  std::string checkpoint;      ///< folder of finished tiles; empty: none
  std::string assignment;      ///< file to replay; empty: none
  std::string assignment_out;  ///< file to write; empty: none
  bool verify = false;
  bool check_finite = false;
  bool copies = false;
  bool plan_order = false;
  bool no_bind = false;
  GpuChoice gpu = GpuChoice::automatic;
  Options options;
  ProgramRunArguments program;  ///< of a plan of a program
};

/// Rates of one core in the probe, all cores of the nodes busy; 0: not measured.
struct Probes {
  double calibrated = 0;  ///< as the plan's platform has it
  double before = 0;      ///< the run
  double after = 0;

  bool known() const { return calibrated > 0 && before > 0; }
  /// Of the calibrated rate, just before the run.
  double share() const { return before / calibrated; }
  bool slow() const { return known() && share() < kSlowShare; }
};

struct Finished {
  Probes probes;
  PlanFile file;
  std::optional<PlannedWork> work;
  std::string plan_with_pool;  // digest, before an assignment
  bool cuda = false;
  std::unique_ptr<Gpus> gpus;  // before the result, whose host memory is theirs
  RunResult result;
  std::string digest;               // of all bits of C, whatever rank holds them
  std::int64_t peak_rss_bytes = 0;  // of the rank with most
  std::optional<CheckResult> check;
  std::optional<RunFiles> files;  // after the work that it refers to
  std::optional<Checkpoint> checkpoint;

  /// What this run computes: without tiles that are finished already.
  const PlannedWork& now() const { return checkpoint ? checkpoint->work() : *work; }
  bool resumed() const { return checkpoint && checkpoint->finished_before() > 0; }
};

bool is_plan_file(const std::string& path) {
  return path.ends_with(".json");
}

void require_plan_file(const std::string& path, int ranks) {
  if (is_plan_file(path)) return;
  throw input_error(path, "no plan file (.json)", "a plan",
                    fmt::format("plan it first: foretile simulate {} --platform here --ranks {} -o plan.json",
                                quote(path), ranks));
}

bool on_gpus(const PlannedWork& work) {
  return work.machine.platform.device.kind == DeviceKind::gpu;
}

/// What multiplies.
std::string kernels(const Finished& done) {
  if (!done.gpus) return tile_kernels(uses_small_products(done.work->contraction));
  const GpuFacts facts = done.gpus->facts(0);
  return fmt::format("{}, {}", facts.name, facts.library);
}

const std::string& calibrated_kernels(const Finished& done) {
  return done.work->machine.platform.calibration.kernels;
}

/// Empty where the platform was calibrated with the kernels that multiply now.
std::string kernels_change(const Finished& done) {
  if (done.gpus) return {};
  return changed_kernels(calibrated_kernels(done), kernels(done), kernels_asked_for());
}

nlohmann::ordered_json checkpoint_json(const Finished& done, const std::string& folder) {
  const std::int64_t before = done.checkpoint->finished_before(), all = done.checkpoint->tiles();
  return {{"folder", folder}, {"tiles_before", before}, {"tiles_computed", all - before}};
}

std::string checkpoint_text(const Finished& done, const std::string& folder) {
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

/// All ranks know the result, so all end with the same exit code.
void require_right(const MpiSession& session, const CheckResult& check) {
  agree(session, [&] { require_passed(check); });
}

nlohmann::ordered_json probes_json(const Probes& probes) {
  if (!probes.known()) return nullptr;
  return {{"calibrated_flops_per_s", probes.calibrated},
          {"before_flops_per_s", probes.before},
          {"after_flops_per_s", probes.after},
          {"share", probes.share()},
          {"slow", probes.slow()}};
}

nlohmann::ordered_json calibration_json(const Finished& done) {
  if (calibrated_kernels(done).empty()) return nullptr;
  return {{"kernels", calibrated_kernels(done)},
          {"same_kernels", kernels_change(done).empty()},
          {"busy", calibrated_while_busy(done.work->machine.platform)}};
}

/// Beside the prediction, which holds for other kernels.
std::string kernels_text(const Finished& done) {
  const std::string change = kernels_change(done);
  return change.empty() ? "" : fmt::format("kernels    {}\n", change);
}

/// Beside the prediction, where the machine computes more slowly than when it was calibrated.
std::string slow_text(const Finished& done, double predicted_s) {
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

void print_json_result(const RunArguments& arguments, const Finished& done, const Report& report) {
  nlohmann::ordered_json json = report_json(report);
  json["wall_s"] = done.result.wall_s;
  json["predicted_s"] =
      done.file.predicted ? nlohmann::ordered_json(done.file.predicted->makespan_s) : nullptr;
  if (done.checkpoint) json["checkpoint"] = checkpoint_json(done, arguments.checkpoint);
  json["probe"] = probes_json(done.probes);
  json["kernels"] = kernels(done);
  json["calibration"] = calibration_json(done);
  if (done.gpus) {
    json["gpu"] = {{"compactions", done.result.gpu.compactions},
                   {"compacted_bytes", done.result.gpu.compacted_bytes},
                   {"unpinned_bytes", done.result.gpu.unpinned_bytes}};
  }
  json["digest"] = done.digest;
  json["peak_rss_bytes"] = done.peak_rss_bytes;
  json["matrix_bytes_per_rank"] = done.work->summary.matrix_bytes_per_rank;
  json.update(done.files->json());
  if (done.check) json["verify"] = verify_json(*done.check, done.work->contraction.precision);
  print_json(json);
}

void print_text(const RunArguments& arguments, const Finished& done, const Report& report) {
  fmt::print("{} on {} ranks, products by {}\n", done.file.problem.name, done.file.ranks, kernels(done));
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
  if (done.checkpoint) fmt::print("{}", checkpoint_text(done, arguments.checkpoint));
  if (done.check) {
    print_check(*done.check, done.work->contraction.precision);
  } else {
    fmt::print("not verified, digest of C {}\n", done.digest);
  }
  fmt::print("{}", done.files->text());
  fmt::print("\n{}\n", report_text(report));
}

void report(const RunArguments& arguments, const MpiSession& session, const Finished& done) {
  const auto statistics = gather_statistics(done.result.statistics, session.world());
  if (session.rank() != 0) return;
  const auto& work = done.now();
  Report summary = make_report(statistics, work.machine, work.plan.grid, done.result.wall_s);
  add_plan(summary, work.contraction, work.machine, work.plan);
  if (arguments.options.json) {
    print_json_result(arguments, done, summary);
  } else {
    print_text(arguments, done, summary);
  }
}

void write_trace(const std::string& path, const MpiSession& session, const EventStore& events) {
  const auto all = gather_events(events.events, session.world());
  if (session.rank() != 0) return;
  ChromeTrace trace(path);
  for (const TraceEvent& event : all) trace.record(event);
  trace.finish();
}

/// Cores that work in place have their tiles in host memory: the verifier counts them there, a B that is made
/// too.
bool devices_need_memory(const PlannedWork& work, bool copies) {
  return on_gpus(work) || copies;
}

/// For what the verifier proved of host memory, without tiles that stay in their files, and, on cores, of
/// devices that need some.
std::int64_t pool_bytes(const Finished& done, bool copies) {
  const PlanSummary& summary = done.now().summary;
  // A resumed run may need less than its files have.
  std::int64_t bytes =
      std::max<std::int64_t>(0, summary.peak_host_bytes - done.files->bytes_in_place(done.gpus != nullptr));
  if (!done.gpus && devices_need_memory(*done.work, copies))
    bytes += done.work->machine.devices_per_rank * summary.peak_device_bytes;
  return pool_bytes_for(bytes);
}

/// Ranks beyond the grid have no work.
RankPlan part_of(Rank rank, const PlannedWork& work) {
  if (rank < work.plan.grid.size()) return work.plan.ranks[rank];
  return {std::vector<DevicePlan>(work.machine.devices_per_rank), {}};
}

/// A plan by its text, so that copies of it may lie at different places.
StartFacts start_facts(const CLI::App& app, const RunArguments& arguments) {
  StartFacts facts = command_line_facts(app);
  facts["plan digest"] = digest(read_text(arguments.plan));
  if (!arguments.assignment.empty()) facts["assignment digest"] = digest(read_text(arguments.assignment));
  return facts;
}

/// Where devices take blocks while they run: with their blocks of an earlier run, if that is wanted. Notes
/// the plan's digest before.
void prepare_assignment(const RunArguments& arguments, Finished& done) {
  if (!arguments.assignment_out.empty()) require_open_pool(done.work->plan, "--assignment-out");
  done.plan_with_pool = plan_digest(done.work->plan);
  if (!arguments.assignment.empty()) replay(arguments.assignment, *done.work);
}

std::string file_of_output(const RunArguments& arguments) {
  return arguments.output.empty() ? "" : parse_output_place(arguments.output).file.string();
}

/// From each other and from what is read, as far as the options tell.
void require_outputs_apart(const RunArguments& arguments) {
  const std::string c = file_of_output(arguments);
  require_different("--trace", arguments.trace, "--assignment", arguments.assignment);
  require_different("--trace", arguments.trace, "--output", c);
  require_different("--output", c, "--assignment", arguments.assignment);
  for (const auto& [other, path] :
       {std::pair("the plan", arguments.plan), {"--trace", arguments.trace}, {"--output", c}})
    require_different("--assignment-out", arguments.assignment_out, other, path);
}

void write_assignment(const std::string& path, const MpiSession& session, const Finished& done) {
  const auto all = gather_assignments(done.result.assignment, done.work->plan.grid.size(), session.world());
  if (session.rank() == 0) save_assignment(path, {done.plan_with_pool, all});
}

/// What the plan and this rank's machine come to.
StartFacts device_facts(const Finished& done) {
  const Machine& machine = done.work->machine;
  return {{"elements in precision", std::string(name_of(done.work->contraction.precision))},
          {"devices per rank:", fmt::to_string(machine.devices_per_rank)},
          {"products by", !done.gpus && uses_small_products(done.work->contraction) ? "libxsmm" : "BLAS"},
          {"devices:", !done.gpus  ? "cores"
                       : done.cuda ? "GPUs"
                                   : "stand-ins for GPUs"}};
}

void warn_of_long_planning(const MpiSession& session, const PlanFile& file) {
  const std::string warning = planning_warning(estimate_planning(file.gemms));
  if (session.rank() == 0 && !warning.empty()) print_message("foretile-run", warning);
}

/// The prediction, at the rate that the machine has now.
std::optional<double> expected_s(const Finished& done) {
  if (!done.file.predicted) return std::nullopt;
  const double predicted_s = done.file.predicted->makespan_s;
  return done.probes.slow() ? predicted_s / done.probes.share() : predicted_s;
}

/// Of the run, by this rank's products. The stage begins with the first operation that ended.
CountFunction run_progress(const Finished& done, Rank rank, ProgressLine& line) {
  if (!line.shown_somewhere() || rank >= std::ssize(done.now().summary.rank_gemms)) return {};
  const std::optional<double> seconds = done.resumed() ? std::nullopt : expected_s(done);
  return line.stage_from_first_count("run", done.now().summary.rank_gemms[rank], seconds);
}

/// Only where the platform says what the probe gave when it was calibrated. Collective.
double probe(const PlannedWork& work, const MpiSession& session) {
  if (work.machine.platform.calibration.probe_flops_per_s <= 0 || on_gpus(work)) return 0;
  const int cores = machine_facts().cores;
  // As the calibration did, one rank of a node probes all of its cores, unless it was bound to some of them.
  const bool bound = cores < work.machine.platform.cores_per_node();
  const bool first = place_on_node(session.world()).number == 0;
  const int threads = bound ? std::min(work.machine.cores_per_rank(), cores) : cores;
  quiet_barrier(session.world());
  std::array<double, 2> sums{};  // rates, and cores that they are of
  if (bound || first) sums = {probe_flops_per_s(threads, kProbe_s), static_cast<double>(threads)};
  quiet_barrier(session.world());
  all_reduce(std::span(sums), MPI_SUM, session.world(), "probe");
  return sums[0] / sums[1];
}

/// A rank without buffers for its products ends the job before anything starts.
void prepare_products(const PlannedWork& work, const MpiSession& session) {
  const int cores = multiplying_cores(work);
  if (cores == 0) return;
  agree(session, [&] { take_blas_buffers(std::min(cores, machine_facts().cores)); });
}

void warn_of_doubts(const PlannedWork& work, const MpiSession& session) {
  if (session.rank() != 0) return;
  for (const std::string& warning : platform_warnings(work.machine.platform)) {
    print_message("foretile-run", "warning: " + warning);
  }
}

/// What only runs of programs have.
void refuse_input(const CLI::App& app) {
  for (const char* option : {"--input", "--seed"}) {
    if (app.get_option(option)->count() > 0)
      throw input_error(option, "the plan of a problem", "the plan of a program",
                        fmt::format("leave {} out: the problem says where A and B come from", option));
  }
}

void execute(const CLI::App& app, const RunArguments& arguments, const MpiSession& session) {
  require_same_start(session, [&] {
    require_plan_file(arguments.plan, session.size());
    refuse_input(app);
    return start_facts(app, arguments);
  });
  Finished done;
  ProgressLine line(session.rank() == 0 ? job_terminal() : ProgressTerminal{});
  const int on_node = place_on_node(session.world()).ranks;
  agree(session, [&] {
    require_different("--trace", arguments.trace, "the plan", arguments.plan);
    require_outputs_apart(arguments);
    for (const std::string& path : {arguments.trace, arguments.assignment_out}) {
      if (session.rank() == 0 && !path.empty()) require_writable(path);
    }
    done.file = load_plan_file(arguments.plan);
    require_inputs_apart("--trace", arguments.trace, done.file.problem);
    require_inputs_apart("--assignment-out", arguments.assignment_out, done.file.problem);
    for (const auto& [option, path] : {std::pair("--trace", arguments.trace),
                                       {"--assignment-out", arguments.assignment_out},
                                       {"--output", file_of_output(arguments)}})
      require_no_table(option, path, done.file.parameters);
    require_output_free(arguments.output, arguments.overwrite, done.file.problem);
    require_ranks(done.file, session.size());
    warn_of_long_planning(session, done.file);
    done.work = rebuild(done.file, line.stage("plan", kPlanningSteps));
    if (!arguments.checkpoint.empty()) done.work = with_steady_blocks(*std::move(done.work));
    prepare_assignment(arguments, done);
    if (arguments.gpu != GpuChoice::automatic && !on_gpus(*done.work)) {
      throw input_error("--gpu", "a plan for cores", "a plan for GPUs", "leave --gpu out");
    }
    GpusForPlan chosen = on_gpus(*done.work) ? gpus_for_plan(arguments.gpu) : GpusForPlan{};
    if (session.rank() == 0 && !chosen.note.empty()) print_message("foretile-run", chosen.note);
    done.gpus = std::move(chosen.gpus);
    done.cuda = chosen.cuda;
    require_memory(*done.work, on_node, !chosen.cuda && devices_need_memory(*done.work, arguments.copies),
                   available_memory_bytes());
  });
  require_same_start(session, [&] { return device_facts(done); });
  const int threads = cores_of_rank(session.world());
  done.files.emplace(done.file.problem, *done.work, arguments.output, arguments.overwrite, session.world());
  done.files->require_unchanged();
  if (arguments.check_finite) done.files->require_finite(threads);
  if (!arguments.checkpoint.empty())
    done.checkpoint.emplace(arguments.checkpoint, digest(read_text(arguments.plan)), *done.work,
                            session.world());
  prepare_products(*done.work, session);
  warn_of_doubts(*done.work, session);
  done.probes.calibrated = done.work->machine.platform.calibration.probe_flops_per_s;
  done.probes.before = probe(*done.work, session);
  EventStore events;
  RunOptions options;
  options.copies = arguments.copies;
  options.bind = !arguments.no_bind;
  options.in_plan_order = arguments.plan_order;
  options.gpus = done.gpus.get();
  options.storage = done.files->storage();
  options.pool_bytes = pool_bytes(done, arguments.copies);
  options.warm_up_s = done.cuda ? kWarmUp_s : 0;
  if (!arguments.trace.empty()) options.trace = &events;
  std::optional<ProgressSink> progress;
  if (CountFunction show = run_progress(done, session.rank(), line))
    options.trace = &progress.emplace(std::move(show), 1, options.trace);
  if (arguments.verify) done.files->prepare_check(threads);
  const PlannedWork& now = done.now();
  const RankPlan part = part_of(session.rank(), now);
  done.result = done.checkpoint ? done.checkpoint->run(part, options)
                                : run(now.plan, part, now.contraction, now.machine, session.world(), options);
  done.probes.after = probe(*done.work, session);
  done.files->complete(done.result);
  done.digest = digest_of_c(*done.result.host, session.world());
  done.peak_rss_bytes = all_reduced(peak_rss_bytes(), MPI_MAX, session.world(), "memory");
  if (arguments.verify)
    done.check = done.files->storage() ? done.files->check(*done.result.host, done.digest)
                                       : check_product(done.work->contraction, *done.result.host,
                                                       session.world(), {{.threads = threads}});
  if (!done.check || done.check->passed()) done.files->write(*done.result.host, threads);
  erase_progress();
  report(arguments, session, done);
  if (!arguments.trace.empty()) write_trace(arguments.trace, session, events);
  if (!arguments.assignment_out.empty()) write_assignment(arguments.assignment_out, session, done);
  if (done.check) require_right(session, *done.check);
}

/// What runs of programs do not have.
void refuse_for_programs(const RunArguments& arguments) {
  for (const auto& [option, given] : {std::pair("--checkpoint", !arguments.checkpoint.empty()),
                                      {"--assignment", !arguments.assignment.empty()},
                                      {"--assignment-out", !arguments.assignment_out.empty()},
                                      {"--check-finite", arguments.check_finite},
                                      {"--trace", !arguments.trace.empty()},
                                      {"--copies", arguments.copies},
                                      {"--plan-order", arguments.plan_order},
                                      {"--no-bind", arguments.no_bind}}) {
    if (given)
      throw input_error(option, fmt::format("the plan of a program, {}", quote(arguments.plan)),
                        "the plan of a problem", fmt::format("leave {} out", option));
  }
}

void execute_program_plan(const CLI::App& app, const RunArguments& arguments, const MpiSession& session) {
  ProgramRunArguments program = arguments.program;
  program.program = arguments.plan;
  program.output = arguments.output;
  program.overwrite = arguments.overwrite;
  program.verify = arguments.verify;
  program.gpu = arguments.gpu;
  program.options = arguments.options;
  execute_program(app, program, session, [&] { refuse_for_programs(arguments); });
}

}  // namespace

void add_run(CLI::App& app) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::Option* plan =
      app.add_option("plan", arguments->plan,
                     "A plan file by foretile plan, simulate or tune, of a problem or a program")
          ->check(not_empty_check());
  app.add_flag("--verify", arguments->verify,
               "Check each tile of C: Freivalds' test, and a reference when small");
  app.add_option("--output", arguments->output,
                 "Write C to a matrix file, whole or not at all: c.npy, c.h5:/C")
      ->check(not_empty_check())
      ->type_name("FILE");
  app.add_flag("--overwrite", arguments->overwrite,
               "Let --output replace a dataset that is there, or the initial C")
      ->needs("--output");
  CLI::Option* checkpoint =
      app.add_option(
             "--checkpoint", arguments->checkpoint,
             "Keep finished tiles of C in a folder; a run that died goes on where the folder has them")
          ->check(not_empty_check())
          ->type_name("DIR");
  CLI::Option* assignment_out = app.add_option("--assignment-out", arguments->assignment_out,
                                               "Write which device took which block, with sharing=dynamic")
                                    ->check(not_empty_check())
                                    ->type_name("FILE")
                                    ->excludes(checkpoint);
  app.add_option("--assignment", arguments->assignment,
                 "Give each device the blocks that it took when this file was written: C gets the same bits")
      ->check(not_empty_check())
      ->type_name("FILE")
      ->excludes(checkpoint)
      ->excludes(assignment_out);
  app.add_flag("--check-finite", arguments->check_finite,
               "First look for NaN and infinity in A, B and, where it is read, C");
  app.add_option("--trace", arguments->trace, "Write what happened when, for Perfetto or chrome://tracing")
      ->check(not_empty_check());
  app.add_flag("--copies", arguments->copies,
               "Keep device memory apart from host memory: tiles are really copied");
  add_gpu_option(app, arguments->gpu, "stand-in");
  app.add_flag("--plan-order", arguments->plan_order,
               "Keep loads to the plan's order, so that their counts do not depend on time");
  app.add_flag(
      "--no-bind", arguments->no_bind,
      "Let the system move threads among cores; otherwise each has a core of its own where the job has "
      "all of the node");
  add_input_options(app, arguments->program, "Of a plan of a program: ");
  add_json_option(app, arguments->options);
  app.callback([&app, plan, arguments] {
    if (!app.get_subcommands().empty()) return;
    if (plan->count() == 0) throw CLI::RequiredError("plan");
    const auto execute_it = is_program_plan(arguments->plan) ? execute_program_plan : execute;
    run_guarded([&](const MpiSession& session) { execute_it(app, *arguments, session); });
  });
}

}  // namespace foretile
