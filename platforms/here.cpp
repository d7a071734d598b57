// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/here.hpp"

#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/threads.hpp"
#include "platforms/loader.hpp"
#include "platforms/units.hpp"

namespace foretile {

namespace {

std::int64_t installed_memory() {
  if (const auto said = said_memory_bytes()) return *said;
  struct sysinfo info;
  std::memset(&info, 0, sizeof info);
  if (sysinfo(&info) != 0) return std::int64_t{1} << 30;
  return static_cast<std::int64_t>(info.totalram) * info.mem_unit;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

/// Double precision operations per cycle of one core with two multiply-add units of the widest vectors.
int flops_per_cycle() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return 32;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 16;
  return 4;
#else
  return 8;
#endif
}

}  // namespace

std::optional<std::int64_t> said_memory_bytes() {
  constexpr const char* name = "FORETILE_MEMORY";
  const char* const given = std::getenv(name);
  if (!given) return std::nullopt;
  const double bytes = parse_quantity(given, Dimension::bytes, name);
  if (bytes >= 1e6 && bytes <= 1e18) return static_cast<std::int64_t>(bytes);
  throw input_error(name, fmt::format("\"{}\"", given), "1 MB to 1000000 TB, such as \"100 GiB\"",
                    "unset it");
}

MachineFacts machine_facts() {
  return {usable_cores(), installed_memory(), host_name()};
}

std::filesystem::path here_file() {
  return user_configuration_folder() / "here.toml";
}

std::string estimated_here(const MachineFacts& facts) {
  const std::int64_t usable = facts.memory_bytes / 5 * 4;
  const double guessed_clock = 2.5e9;  // typical of servers with all cores busy
  return fmt::format(R"(# Guessed, not measured: run `mpiexec -n 2 foretile-run calibrate` to replace it.
name = "here"
estimated = true
nodes = 1
sockets_per_node = 1
ranks_per_node = {cores}

[socket]
cores = {cores}
devices = {cores}  # the cores are the devices
memory = {memory}  # four fifths of what is installed: the rest is for the system, MPI and OpenBLAS
memory_bandwidth = "20 GB/s"  # a guess

[device]
kind = "core"
memory = {device_memory}  # of the memory above, for a block at a time: half, in equal parts

[device.kernel]
rate = {rate}  # {flops} flop per cycle at a guessed clock of 2.5 GHz
half_m = 10
half_n = 10
half_k = 20
latency = "1 us"
streams = 1

[device.single]
rate = {single}  # twice as many numbers in a vector
half_m = 10
half_n = 10
half_k = 20
latency = "1 us"

[message]
latency = "1 us"  # guesses
bandwidth = "5 GB/s"

[generation]
rate = "1 GB/s"  # a guess
)",
                     fmt::arg("cores", facts.cores), fmt::arg("memory", std::max<std::int64_t>(usable, 1)),
                     fmt::arg("device_memory", std::max<std::int64_t>(usable / 2 / facts.cores, 1)),
                     fmt::arg("rate", flops_per_cycle() * guessed_clock),
                     fmt::arg("single", 2 * flops_per_cycle() * guessed_clock),
                     fmt::arg("flops", flops_per_cycle()));
}

Platform here_platform(const std::vector<std::string>& settings, std::optional<int> cores) {
  const std::filesystem::path file = here_file();
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return parse_platform(read_text(file), file.string(), settings);
  MachineFacts facts = machine_facts();
  if (cores) facts.cores = *cores;
  return parse_platform(estimated_here(facts), "here (estimated)", settings);
}

}  // namespace foretile
