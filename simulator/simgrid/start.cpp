// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/simgrid/start.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <string>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/progress.hpp"
#include "base/signals.hpp"
#include "base/temporary_files.hpp"

namespace foretile {

namespace sg4 = simgrid::s4u;

namespace {

std::atomic<bool> started = false;

int log_file = -1;  // in memory: SimGrid's log goes to stderr or to a file

/// SimGrid aborts where it gets no memory and where an assertion fails, and logs why.
void aborted(int number) {
  std::fflush(nullptr);
  std::array<char, 500> words{};  // no memory is asked for
  if (::pread(log_file, words.data(), words.size() - 1, 0) <= 0) {
    std::signal(number, SIG_DFL);  // another handler was there
    return;
  }
  *std::find(words.begin(), words.end() - 1, '\n') = '\0';
  remove_temporary_files();
  erase_progress();
  std::fprintf(stderr, "foretile: the simulation failed: SimGrid: %s\n", words.data());
  ::_exit(1);
}

/// SimGrid aborts where it cannot open its log.
void require_openable(const std::string& file) {
  if (Descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC))) return;
  const std::string change = too_many_open_files() ? kRaiseOpenFiles : "mount /proc";
  throw input_error(file, system_message(), "SimGrid's log", change);
}

/// Only what ends the process is logged, without the place in SimGrid's sources and without a backtrace.
std::string log_option() {
  log_file = ::memfd_create("simgrid log", MFD_CLOEXEC);
  const std::string file = log_file < 0 ? "/dev/null" : fmt::format("/proc/self/fd/{}", log_file);
  require_openable(file);
  return fmt::format("--log=root.app:file:{}", file);
}

std::unique_ptr<sg4::Engine> engine_with_options() {
  static std::array<std::string, 13> words{"foretile",
                                           "--log=no_loc",
                                           "--log=root.fmt:%m%n",
                                           "--log=root.thresh:critical",
                                           log_option(),
                                           "--cfg=network/model:CM02",
                                           "--cfg=network/TCP-gamma:0",
                                           "--cfg=network/crosstraffic:0",
                                           "--cfg=network/latency-factor:1",
                                           "--cfg=network/bandwidth-factor:1",
                                           "--cfg=network/weight-S:0",
                                           "--cfg=surf/precision:1e-9",
                                           "--cfg=maxmin/precision:1e-5"};
  std::array<char*, words.size() + 1> arguments{};
  std::transform(words.begin(), words.end(), arguments.begin(),
                 [](std::string& word) { return word.data(); });
  const KeepSignalHandlers keep;  // SimGrid's own turn Ctrl-C into a crash
  int count = static_cast<int>(words.size());
  return std::make_unique<sg4::Engine>(&count, arguments.data());
}

}  // namespace

bool simgrid_is_started() {
  return started;
}

std::unique_ptr<sg4::Engine> start_simgrid() {
  if (started.exchange(true))
    throw input_error("simulation", "a second one with SimGrid in this process", "one at most",
                      "take the fluid engine, or another process");
  std::unique_ptr<sg4::Engine> engine = engine_with_options();
  std::signal(SIGABRT, aborted);
  return engine;
}

}  // namespace foretile
