// SPDX-License-Identifier: BSD-3-Clause
#include "apps/program.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <new>

#include "base/error.hpp"
#include "base/near.hpp"
#include "base/one_line.hpp"
#include "base/progress.hpp"

namespace foretile {

namespace {

constexpr int done = 0;
constexpr int work_failed = 1;
constexpr int wrong_input = 2;
constexpr std::size_t kLongestUsage = 400;  // CLI11 quotes whole arguments

struct ChosenCommand {
  std::string name;  ///< "foretile show", so that the hint names the help that fits
  const CLI::App* app = nullptr;
};

ChosenCommand chosen_command(const CLI::App& app) {
  ChosenCommand chosen{app.get_name(), &app};
  while (!chosen.app->get_subcommands().empty()) {
    chosen.app = chosen.app->get_subcommands().front();
    chosen.name += " " + chosen.app->get_name();
  }
  return chosen;
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

// CLI11 reports a misspelt command as a missing one.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const ChosenCommand chosen = chosen_command(app);
  const std::vector<std::string> unknown = chosen.app->remaining();
  const std::vector<std::string> commands = names_of_commands(*chosen.app);
  if (!commands.empty() && !unknown.empty() && !unknown.front().starts_with("-")) {
    const std::string near = did_you_mean(unknown.front(), commands);
    return fmt::format("found '{}', expected a command; {} {} --help", quote(unknown.front()),
                       near.empty() ? "see" : near + " See", chosen.name);
  }
  return fmt::format("{}; see {} --help", one_line(error.what(), kLongestUsage), chosen.name);
}

using Say = std::function<void(std::string_view, std::string_view)>;

// A path that the system refuses: a loop of links, a forbidden folder.
std::string path_error(const std::filesystem::filesystem_error& error) {
  return fmt::format("{}: {}", quote(error.path1().string()), error.code().message());
}

// Results that did not reach a full disk or a closed pipe are not done.
int finish(const CLI::App& app, const Say& say) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return done;
  say(app.get_name(), "the output could not be written whole");
  return work_failed;
}

}  // namespace

void print_message(std::string_view program, std::string_view text) {
  erase_progress();
  const std::string line = fmt::format("{}: {}\n", program, one_line(text));
  // A full or closed stderr changes no exit code: whoever ran the program has no other place for the message.
  [[maybe_unused]] const std::size_t written = std::fwrite(line.data(), 1, line.size(), stderr);
}

bool has_stack(std::string_view program) {
  constexpr rlim_t kLeastKib = 256;  // twice what `simulate` takes
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur / 1024 >= kLeastKib) return true;
  print_message(program,
                fmt::format("ulimit -s: found a stack of {} kB, expected at least {}; set ulimit -s 8192",
                            limit.rlim_cur / 1024, kLeastKib));
  return false;
}

int run_program(CLI::App& app, int argc, char** argv, const Say& say) {
  const auto complain = [&](std::string_view what, int code) {
    say(app.get_name(), what);
    return code;
  };
  try {
    app.parse(argc, argv);
    return finish(app, say);
  } catch (const CLI::Success& help_or_version) {
    app.exit(help_or_version);
    std::cout.flush();
    return std::cout ? finish(app, say) : complain("the output could not be written whole", work_failed);
  } catch (const CLI::RuntimeError& chosen) {  // the command's own exit code; it has said why
    finish(app, say);
    return chosen.get_exit_code();
  } catch (const CLI::ParseError& error) {
    return complain(usage_error(app, error), wrong_input);
  } catch (const InputError& error) {
    return complain(explained(error), wrong_input);
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(path_error(error), wrong_input);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; the problem is too large for this machine", work_failed);
  } catch (const std::exception& error) {
    return complain(explained(error), work_failed);
  }
}

}  // namespace foretile
