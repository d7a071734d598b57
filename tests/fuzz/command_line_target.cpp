// SPDX-License-Identifier: BSD-3-Clause
// Command lines of foretile, in this process.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "apps/foretile/commands.hpp"
#include "apps/program.hpp"
#include "tests/fuzz/targets.hpp"

namespace foretile::fuzz {

namespace {

namespace fs = std::filesystem;

/// Numbers with more digits ask for more work than a fuzzer has time for.
constexpr std::ptrdiff_t max_digits = 3;

/// Words between blanks; what follows the program's name.
std::vector<std::string> words_of_line(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words{"foretile"};
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// Paths lead out of the folder of this process, examples take seconds, and so do large numbers.
bool harmless(std::string_view text) {
  for (const std::string_view banned : {"/", "~", "..", "c65", "c12", "e+", "e1", "e2"}) {
    if (text.find(banned) != std::string_view::npos) return false;
  }
  std::ptrdiff_t digits = 0;
  for (const char c : text) {
    digits = std::isdigit(static_cast<unsigned char>(c)) ? digits + 1 : 0;
    if (digits > max_digits) return false;
  }
  return true;
}

/// A folder of this process with a few inputs.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("foretile-fuzz-{}", ::getpid())) {
    fs::create_directories(path_);
    ::setenv("XDG_CONFIG_HOME", path_.c_str(), 1);
    std::ofstream(path_ / "d.toml") << "kind = \"dense\"\nm = 64\nn = 64\nk = 64\ntile = 32\n";
    std::ofstream(path_ / "w.xyz") << "3\n\nO 0 0 0\nH 0.76 0.59 0\nH -0.76 0.59 0\n";
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// A folder is the current one while this lives.
class Visit {
 public:
  explicit Visit(const Folder& folder) : before_(fs::current_path()) { fs::current_path(folder.path()); }
  ~Visit() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  fs::path before_;
};

/// What a C stream is given while this lives.
class Captured {
 public:
  explicit Captured(FILE*& stream) : stream_(stream), before_(stream) {
    stream_ = ::open_memstream(&text_, &size_);
  }
  ~Captured() {
    std::fclose(stream_);
    stream_ = before_;
    std::free(text_);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  std::string_view text() {
    std::fflush(stream_);
    return {text_, size_};
  }

 private:
  FILE*& stream_;
  FILE* before_;
  char* text_ = nullptr;
  std::size_t size_ = 0;
};

/// All commands but those that need a simulator.
int run_foretile(const std::vector<std::string>& words) {
  CLI::App app("", "foretile");
  app.require_subcommand(1);
  add_problem_command(app);
  add_show_command(app);
  add_platform_command(app);
  add_plan_command(app);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  return run_program(app, static_cast<int>(arguments.size()), arguments.data());
}

void expect_readable_lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    expect_readable(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

// It does its work, or says in one line why not; nothing else may fail in an empty folder.
void parse_command_line(std::string_view text) {
  if (!harmless(text)) return;
  static const Folder folder;
  const Visit visit(folder);
  std::ostringstream swallowed;
  std::streambuf* const before = std::cout.rdbuf(swallowed.rdbuf());
  int code = 0;
  std::string errors;
  {
    Captured out(stdout);
    Captured err(stderr);
    code = run_foretile(words_of_line(text));
    errors = err.text();
  }
  std::cout.rdbuf(before);
  if (code != 0 && code != 2) throw Broken(fmt::format("exit code {}: {}", code, errors));
  if (code == 2 && std::count(errors.begin(), errors.end(), '\n') > 2)
    throw Broken("several lines:\n" + errors);
  expect_readable_lines(errors);
}

}  // namespace foretile::fuzz
