// SPDX-License-Identifier: BSD-3-Clause
// foretile report PLAN.json -o FILE.html: one page that shows plans and their simulations.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "apps/foretile/case.hpp"
#include "apps/foretile/commands.hpp"
#include "apps/foretile/reported_trace.hpp"
#include "apps/foretile/reported_tuning.hpp"
#include "apps/foretile/reported_work.hpp"
#include "apps/quantities.hpp"
#include "base/atomic_file.hpp"
#include "base/one_line.hpp"
#include "report/page.hpp"
#include "report/work.hpp"

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kReportedMeaning =
    "Each a problem file, an example such as `c65-v1`, a plan file (.json), a program (.txt), a file of "
    "--trace "
    "(.json), or the history of a search (.jsonl)";

struct ReportArguments : CaseArguments {
  std::vector<std::string> files;
  ProgramArguments program;
  std::string output;
};

void require_outputs_apart(const ReportArguments& arguments) {
  for (const std::string& file : arguments.files)
    require_different("--output", arguments.output, "the problem", file);
  require_different("--output", arguments.output, "--platform", arguments.platform);
}

void report(const ReportArguments& arguments, const std::string& command) {
  require_outputs_apart(arguments);
  require_writable(arguments.output);
  ProgressLine line;
  Sections sections;
  Json works = Json::array(), tunings = Json::array();
  for (const std::string& file : arguments.files) {
    if (is_history(file)) {
      tunings.push_back(reported_tuning(file));
      continue;
    }
    if (is_trace(file)) {
      works.push_back(reported_trace(file, sections));
      continue;
    }
    const CaseArguments& common = arguments;
    CaseArguments one = common;
    one.problem = file;
    check_program_options(file, arguments.program.sizes, arguments.program);
    works.push_back(reported_work(one, arguments.program, sections, line));
  }
  const Json facts = page_facts("foretile " FORETILE_VERSION, command, std::move(works), std::move(tunings));
  write_atomically(arguments.output, [&](std::ostream& out) { write_page(out, facts, sections); });
  erase_progress();
  const std::uintmax_t bytes = std::filesystem::file_size(arguments.output);
  if (arguments.options.json) return print_json({{"page", arguments.output}, {"bytes", bytes}});
  fmt::print("The page is in {}, {}; open it in a browser\n", one_line(arguments.output),
             quantity(static_cast<double>(bytes), "B"));
}

}  // namespace

void add_report_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("report", "Write one page that shows plans and their simulations, for a browser");
  const auto arguments = std::make_shared<ReportArguments>();
  command->add_option("problems", arguments->files, kReportedMeaning)->required();
  add_machine_options(*command, *arguments);
  add_size_options(*command, arguments->program.sizes);
  add_program_options(*command, arguments->program);
  command->add_option("-o,--output", arguments->output, "The page: one file that needs no network")
      ->check(not_empty_check())
      ->type_name("FILE.html")
      ->required();
  command->callback([arguments, command] { report(*arguments, command_text("foretile report", *command)); });
}

}  // namespace foretile
