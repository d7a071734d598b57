// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/workers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <optional>
#include <system_error>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/threads.hpp"

namespace foretile {

namespace {

constexpr std::size_t most_result_bytes = std::size_t{64} << 20;
constexpr std::size_t kept_diagnostics_bytes = 4096;
constexpr double poll_s = 0.05;  // ends are noticed by then even if a grandchild keeps the pipes open

WorkError no_process(const char* what) {
  const std::string change =
      too_many_open_files() ? kRaiseOpenFiles : "start fewer processes, or raise the limit: ulimit -u";
  return WorkError(fmt::format("an evaluation could not be started: {}: {}; {}", what,
                               std::generic_category().message(errno), change));
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

void close_end(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw no_process("pipe");
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {ends[0], ends[1]};
}

Outcome failed(std::string message) {
  return {Outcome::Status::failed, 0, std::move(message), {}};
}

/// Everything cost functions throw becomes an outcome.
Outcome evaluate(const CostFunction& cost, const Candidate& candidate, std::uint64_t memory_bytes) {
  try {
    return cost(candidate);
  } catch (const InputError& error) {
    return {Outcome::Status::infeasible, 0, error.what(), {}};
  } catch (const std::bad_alloc&) {
    if (memory_bytes == 0) return failed("out of memory");
    return failed(fmt::format("out of memory: needs more than the limit of {} MiB", memory_bytes >> 20));
  } catch (const std::exception& error) {
    return failed(error.what());
  } catch (...) {
    return failed("an exception of unknown type");
  }
}

void write_all(int file, const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(file, text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) written += static_cast<std::size_t>(count);
  }
}

void redirect_streams(int diagnostics) {
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(diagnostics, STDERR_FILENO);
}

void default_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) std::signal(number, SIG_DFL);
}

void limit_resources(std::uint64_t memory_bytes) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (memory_bytes == 0) return;
  const rlimit memory{memory_bytes, memory_bytes};
  ::setrlimit(RLIMIT_DATA, &memory);
}

/// Appends what is there; closes the pipe at its end.
void read_available(int& descriptor, std::string& text) {
  std::array<char, 65536> part;
  while (descriptor >= 0) {
    const ssize_t count = ::read(descriptor, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return close_end(descriptor);
    text.append(part.data(), static_cast<std::size_t>(count));
    if (text.size() > most_result_bytes) return;  // the caller trims or kills
  }
}

void keep_tail(std::string& text) {
  if (text.size() > kept_diagnostics_bytes) text.erase(0, text.size() - kept_diagnostics_bytes);
}

std::string last_line(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}

std::string with_last_words(std::string message, const std::string& diagnostics) {
  const std::string words = last_line(diagnostics);
  return words.empty() ? message : fmt::format("{}; its last words: {}", message, words);
}

/// Empty when the child ended as it should.
std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("crashed with signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    return fmt::format("ended with exit code {}", WEXITSTATUS(status));
  return {};
}

/// A done outcome without a usable time is not taken.
std::optional<Outcome> parse_result(const std::string& text) {
  if (text.empty() || text.find('\n') != text.size() - 1) return std::nullopt;
  const auto object = nlohmann::json::parse(text, nullptr, false);
  if (object.is_discarded()) return std::nullopt;
  try {
    return outcome_from_json(object);
  } catch (const InputError& error) {
    return failed(fmt::format("the cost model returned no valid outcome: {}", error.what()));
  }
}

/// Waits for a killed child; it cannot refuse.
void kill_and_reap(int pid) {
  ::kill(-pid, SIGKILL);
  ::kill(pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace

Workers::Workers(CostFunction cost, const WorkerLimits& limits) : cost_(std::move(cost)), limits_(limits) {
  if (limits.workers < 0) throw input_error("workers", fmt::to_string(limits.workers), "at least 1");
  if (!(limits.evaluation_s > 0))
    throw input_error("time limit of one evaluation", fmt::format("{} s", limits.evaluation_s),
                      "more than 0 s");
  if (limits_.workers == 0) limits_.workers = usable_cores();
}

Workers::~Workers() {
  end_all();
}

std::vector<Candidate> Workers::running() const {
  std::vector<Candidate> candidates;
  for (const Child& child : children_) candidates.push_back(child.candidate);
  return candidates;
}

void Workers::start(const Candidate& candidate) {
  Pipe result = make_pipe();
  Pipe diagnostics = make_pipe();
  const int parent = ::getpid();
  const int pid = ::fork();
  if (pid == 0) run_child(candidate, result.write_end, diagnostics.write_end, parent);
  const WorkError error = no_process("fork");
  close_end(result.write_end);
  close_end(diagnostics.write_end);
  if (pid < 0) {
    close_end(result.read_end);
    close_end(diagnostics.read_end);
    throw error;
  }
  ::setpgid(pid, pid);  // the child does the same; whoever comes first
  children_.push_back({pid, result.read_end, diagnostics.read_end, {}, {}, candidate, Clock::now(), {}});
}

void Workers::run_child(const Candidate& candidate, int result, int diagnostics, int parent) const {
  // Its own process group: Ctrl-C reaches only the parent, and a kill reaches grandchildren.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  default_signals();
  redirect_streams(diagnostics);
  limit_resources(limits_.memory_bytes);
  std::string line;
  try {
    line = json_line(to_json(evaluate(cost_, candidate, limits_.memory_bytes)));
  } catch (...) {  // no memory left even for the message
    ::_exit(1);
  }
  write_all(result, line + '\n');
  ::_exit(0);
}

double Workers::seconds_to_next_deadline() const {
  double seconds = limits_.evaluation_s;
  for (const Child& child : children_) {
    const std::chrono::duration<double> used = Clock::now() - child.start;
    seconds = std::min(seconds, limits_.evaluation_s - used.count());
  }
  return std::max(seconds, 0.0);
}

void Workers::read_pipes(double wait_s) {
  std::vector<pollfd> pipes;
  for (const Child& child : children_) {
    pipes.push_back({child.result, POLLIN, 0});  // poll() skips closed ones, which are -1
    pipes.push_back({child.diagnostics, POLLIN, 0});
  }
  ::poll(pipes.data(), pipes.size(), static_cast<int>(std::ceil(wait_s * 1000)));
  for (Child& child : children_) {
    read_available(child.result, child.result_text);
    read_available(child.diagnostics, child.diagnostics_text);
    keep_tail(child.diagnostics_text);
  }
}

void Workers::check_limits() {
  for (Child& child : children_) {
    if (!child.killed_because.empty()) continue;
    const std::chrono::duration<double> used = Clock::now() - child.start;
    if (child.result_text.size() > most_result_bytes) child.killed_because = "sent more than a result";
    if (used.count() >= limits_.evaluation_s)
      child.killed_because =
          fmt::format("took longer than {} s, the limit of one evaluation", limits_.evaluation_s);
    if (!child.killed_because.empty()) ::kill(-child.pid, SIGKILL);
  }
}

bool Workers::finish_if_ended(Child& child, std::vector<Evaluation>& finished) {
  int status = 0;
  const int ended = ::waitpid(child.pid, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  ::kill(-child.pid, SIGKILL);  // grandchildren that stayed behind
  read_available(child.result, child.result_text);
  read_available(child.diagnostics, child.diagnostics_text);
  keep_tail(child.diagnostics_text);
  close_end(child.result);
  close_end(child.diagnostics);

  const std::string end = child.killed_because.empty() ? how_it_ended(status) : child.killed_because;
  Outcome outcome;
  if (!end.empty()) {
    outcome = failed(with_last_words(end, child.diagnostics_text));
  } else if (auto result = parse_result(child.result_text)) {
    outcome = std::move(*result);
  } else {
    outcome = failed(with_last_words("ended without a result", child.diagnostics_text));
  }
  const std::chrono::duration<double> used = Clock::now() - child.start;
  finished.push_back({child.candidate, std::move(outcome), used.count()});
  return true;
}

std::vector<Evaluation> Workers::wait(double wait_s) {
  std::vector<Evaluation> finished;
  const auto begin = Clock::now();
  for (;;) {
    const std::chrono::duration<double> waited = Clock::now() - begin;
    const double left = std::max(0.0, wait_s - waited.count());
    // After a child has closed its pipes it takes microseconds to end.
    const bool ending =
        std::any_of(children_.begin(), children_.end(), [](const Child& child) { return child.result < 0; });
    read_pipes(std::min({left, ending ? 0.001 : poll_s, seconds_to_next_deadline()}));
    check_limits();
    children_.remove_if([&](Child& child) { return finish_if_ended(child, finished); });
    if (!finished.empty() || left == 0 || children_.empty()) return finished;
  }
}

void Workers::end(const Candidate& candidate) {
  children_.remove_if([&](Child& child) {
    if (child.candidate != candidate) return false;
    kill_and_reap(child.pid);
    close_end(child.result);
    close_end(child.diagnostics);
    return true;
  });
}

void Workers::end_all() {
  for (const Candidate& candidate : running()) end(candidate);
}

}  // namespace foretile
