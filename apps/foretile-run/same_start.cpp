// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/same_start.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "apps/foretile-run/guard.hpp"
#include "apps/foretile-run/job_signals.hpp"
#include "apps/foretile-run/run_arguments.hpp"
#include "apps/foretile-run/start_check.hpp"
#include "apps/program.hpp"
#include "base/error.hpp"
#include "executor/mpi/gather.hpp"

namespace foretile {

namespace {

constexpr const char* kLeft = "exit code";  // the fact of a rank that leaves

std::string value_of(const StartFacts& facts, const std::string& name) {
  const auto found = facts.find(name);
  return found == facts.end() ? "" : found->second;
}

/// The value that most ranks have; where two are as frequent, the one of the lower rank.
std::string usual_value(const std::vector<StartFacts>& all, const std::string& name) {
  std::string usual;
  std::ptrdiff_t most = 0;
  for (const StartFacts& facts : all) {
    const std::string value = value_of(facts, name);
    const auto count = std::count_if(all.begin(), all.end(),
                                     [&](const StartFacts& other) { return value_of(other, name) == value; });
    if (count > most) usual = value;
    most = std::max(most, count);
  }
  return usual;
}

std::string shown(const std::string& name, const std::string& value) {
  if (value.empty()) return "no " + name;
  return value == "true" ? name : name + " " + value;
}

InputError difference(std::size_t rank, const std::string& name, const std::string& found,
                      const std::string& usual) {
  return input_error(fmt::format("rank {}", rank), shown(name, found),
                     shown(name, usual) + " as on the other ranks",
                     "start all ranks with the same program, plan and options", HelpPage::ranks);
}

/// Throws the difference, the same on every rank.
void require_equal(const std::vector<StartFacts>& all) {
  std::set<std::string> names;
  for (const StartFacts& facts : all) {
    for (const auto& [name, value] : facts) names.insert(name);
  }
  for (const std::string& name : names) {
    const std::string usual = usual_value(all, name);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const std::string found = value_of(all[rank], name);
      if (found != usual) throw difference(rank, name, found, usual);
    }
  }
}

/// What a rank has instead of facts when it fails.
StartFacts failure(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InputError&) {
    return {{kLeft, "2"}};
  } catch (...) {
    return {{kLeft, "1"}};
  }
}

/// Throws for the lowest rank that failed, if any: its own error there, `mine`, unless it has said it
/// already.
void require_no_failure(const std::vector<StartFacts>& all, Rank rank, const std::exception_ptr& mine) {
  for (std::size_t failed = 0; failed < all.size(); ++failed) {
    const std::string code = value_of(all[failed], kLeft);
    if (code.empty() || code == "0") continue;
    if (static_cast<int>(failed) == rank && mine) throw AgreedError{mine};
    throw FailedElsewhere{std::stoi(code)};
  }
}

std::vector<StartFacts> facts_of_all(const MpiSession& session, const StartFacts& mine) {
  std::vector<StartFacts> all;
  const std::string text = nlohmann::json(mine).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  for (const std::string& one : gather_texts(text, session.world()))
    all.push_back(nlohmann::json::parse(one).get<StartFacts>());
  return all;
}

}  // namespace

StartFacts command_line_facts(const CLI::App& app) {
  StartFacts facts{{"command", "run"}, {"program version", FORETILE_VERSION}};
  for (const CLI::App* chosen = &app;; chosen = chosen->get_subcommands().front()) {
    for (const CLI::Option* option : chosen->get_options()) {
      const bool is_path = option->get_name() == kWorkOption;
      if (option->count() > 0 && !is_path)
        facts[option->get_name()] = fmt::format("{}", fmt::join(option->results(), " "));
    }
    if (chosen->get_subcommands().empty()) return facts;
    facts["command"] = chosen->get_subcommands().front()->get_name();
  }
}

void require_same_start(const MpiSession& session, const std::function<StartFacts()>& facts) {
  StartFacts mine;
  std::exception_ptr error;
  try {
    mine = facts();
  } catch (...) {
    error = std::current_exception();
    mine = failure(error);
  }
  const std::vector<StartFacts> all = facts_of_all(session, mine);
  require_no_failure(all, session.rank(), error);
  try {
    require_equal(all);
  } catch (const InputError&) {
    if (session.rank() == 0) throw AgreedError{std::current_exception()};
    throw FailedElsewhere{2};
  }
}

int leave_job(const CLI::App& app, int exit_code, const std::string& unsaid) {
  int started = 0;
  MPI_Initialized(&started);
  if (started != 0) return exit_code;
  const auto say = [&] {
    if (!unsaid.empty()) print_message("foretile-run", unsaid);
    return exit_code;
  };
  if (!launched_by_mpi()) return say();
  try {
    require_room_for_mpi();
  } catch (const InputError&) {
    return say();  // end_job_that_never_started() will do
  }
  const auto facts = [&] {
    if (!unsaid.empty() && exit_code == 1) throw WorkError(unsaid);
    if (!unsaid.empty()) throw InputError(unsaid);
    StartFacts mine = command_line_facts(app);
    mine[kLeft] = fmt::to_string(exit_code);
    return mine;
  };
  try {
    run_guarded([&](const MpiSession& session) { require_same_start(session, facts); });
  } catch (const FailedElsewhere& elsewhere) {
    return elsewhere.exit_code;
  } catch (const std::exception& error) {
    print_message("foretile-run", explained(error));
    return exit_code == 0 ? 2 : exit_code;
  }
  return exit_code;
}

}  // namespace foretile
