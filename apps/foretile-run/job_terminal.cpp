// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/job_terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

namespace foretile {

namespace {

/// What /proc says of a process.
struct Process {
  std::string name;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t foreground = -1;  ///< the process group that has its terminal
};

/// "pid (name) state parent group session terminal foreground ..."; a name may contain anything.
std::optional<Process> look_up(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  Process process{text.substr(open + 1, close - open - 1)};
  std::istringstream rest(text.substr(close + 1));
  char state = ' ';
  pid_t session = 0;
  int terminal = 0;
  rest >> state >> process.parent >> process.group >> session >> terminal >> process.foreground;
  return rest ? std::optional(process) : std::nullopt;
}

/// mpiexec, where it started this process; MPICH's has a proxy on each node in between.
std::optional<pid_t> find_mpiexec() {
  pid_t pid = ::getppid();
  std::optional<Process> process = look_up(pid);
  if (process && process->name == "hydra_pmi_proxy") {
    pid = process->parent;
    process = look_up(pid);
  }
  if (!process) return std::nullopt;
  const bool starts_jobs = process->name.starts_with("mpiexec") || process->name.starts_with("mpirun");
  return starts_jobs ? std::optional(pid) : std::nullopt;
}

bool is_pipe(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

/// The process's stderr, if it is a terminal; never waits for one that was stopped.
int open_terminal_of(pid_t pid) {
  const std::string path = fmt::format("/proc/{}/fd/2", pid);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISCHR(status.st_mode)) return -1;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0 || ::isatty(descriptor) != 0) return descriptor;
  ::close(descriptor);
  return -1;
}

bool has_foreground(pid_t pid) {
  const std::optional<Process> process = look_up(pid);
  return process && (process->foreground < 0 || process->foreground == process->group);
}

}  // namespace

ProgressTerminal job_terminal() {
  ProgressTerminal own = own_terminal();
  if (own.descriptor >= 0 || !terminal_can_erase() || !is_pipe(STDERR_FILENO)) return own;
  const std::optional<pid_t> mpiexec = find_mpiexec();
  if (!mpiexec) return {};
  const int descriptor = open_terminal_of(*mpiexec);
  if (descriptor < 0) return {};
  return {descriptor, [pid = *mpiexec] { return has_foreground(pid); }};
}

}  // namespace foretile
