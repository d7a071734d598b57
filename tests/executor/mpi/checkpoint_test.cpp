// SPDX-License-Identifier: BSD-3-Clause
// A run that goes on where another one died gives the same bits.
#include "executor/checkpoint.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "executor/mpi/session.hpp"
#include "tests/executor/mpi/run_plan.hpp"
#include "tests/planner/all_grids.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile::checkpoint_test {
namespace {

namespace fs = std::filesystem;

/// One for all ranks.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "checkpoint_XXXXXX").string();
    if (world_rank() == 0) static_cast<void>(::mkdtemp(name.data()));
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    path_ = name;
  }
  ~Folder() {
    quiet_barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) fs::remove_all(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }
  fs::path own_file() const { return path_ / ("rank-" + std::to_string(world_rank()) + ".tiles"); }

 private:
  fs::path path_;
};

struct Resumed {
  std::string digest;
  std::int64_t before = 0, tiles = 0, gemms = 0;
};

Resumed run_with(const fs::path& folder, const PlannedWork& work, bool copies, Gpus* gpus) {
  Checkpoint checkpoint(folder, "0123456789abcdef", work, MPI_COMM_WORLD);
  const PlannedWork& now = checkpoint.work();
  RunOptions options;
  options.copies = copies;
  options.gpus = gpus;
  if (gpus) options.pool_bytes = 1 << 20;
  const RunResult result = checkpoint.run(options);
  const CheckResult check = check_product(work.contraction, *result.host, MPI_COMM_WORLD);
  EXPECT_LE(check.relative_error, 1e-12);
  return {check.c_digest, checkpoint.finished_before(), checkpoint.tiles(), now.summary.gemms};
}

/// Cuts this rank's file anywhere, as a kill does.
void cut_file(const Folder& folder, Random& random) {
  const auto size = static_cast<std::int64_t>(fs::file_size(folder.own_file()));
  fs::resize_file(folder.own_file(), static_cast<std::uintmax_t>(random.integer(0, size)));
}

void expect_same_bits(const PlannedWork& work, bool copies, Gpus* gpus, std::uint64_t seed) {
  Random random(1000 * seed + static_cast<std::uint64_t>(world_rank()));
  const Folder folder;
  const Resumed whole = run_with(folder.path(), work, copies, gpus);
  EXPECT_EQ(whole.before, 0);
  EXPECT_EQ(whole.gemms, work.summary.gemms);
  const Resumed again = run_with(folder.path(), work, copies, gpus);
  EXPECT_EQ(again.digest, whole.digest);
  EXPECT_EQ(again.before, whole.tiles);
  EXPECT_EQ(again.gemms, 0);
  for (int cut = 0; cut < 2; ++cut) {
    cut_file(folder, random);
    quiet_barrier(MPI_COMM_WORLD);
    const Resumed resumed = run_with(folder.path(), work, copies, gpus);
    EXPECT_EQ(resumed.digest, whole.digest);
    EXPECT_LE(resumed.before, whole.tiles);
  }
  EXPECT_EQ(run_with(folder.path(), work, copies, gpus).before, whole.tiles);
}

/// Ranks that share cores wait long for each other.
std::uint64_t fewer(std::uint64_t cases) {
  return world_size() > 2 ? (cases + 3) / 4 : cases;
}

/// Returns how many cases fit.
int expect_same_bits(RandomCase (*make)(std::uint64_t), std::uint64_t cases, bool on_gpus) {
  int fitting = 0;
  for (std::uint64_t seed = 1; seed <= fewer(cases); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << world_size() << " ranks");
    RandomCase c = make(seed);
    c.settings.erase("grid");
    c.settings.erase("grid.p");
    Machine machine =
        machine_here(c.machine.platform.device.memory_bytes, c.machine.devices_per_rank * world_size());
    Random random(seed);
    if (on_gpus) machine = with_gpus(std::move(machine), random);
    std::optional<PlannedWork> work;
    try {
      work = plan_work(c.problem, machine, c.settings);
    } catch (const InputError&) {
      continue;
    }
    ++fitting;
    const auto gpus = on_gpus ? test_gpus(c.problem) : nullptr;
    expect_same_bits(*work, seed % 2 == 1, gpus.get(), seed);
  }
  return fitting;
}

TEST(Checkpoint, ResumedRunsGiveTheSameBits) {
  EXPECT_GT(expect_same_bits(random_case, 8, false), 0);
  EXPECT_GT(expect_same_bits(random_streamed_case, 8, false), 0);
  EXPECT_GT(expect_same_bits(random_grid_case, 8, false), 0);
}

TEST(Checkpoint, ResumedRunsGiveTheSameBitsOnGpus) {
  EXPECT_GT(expect_same_bits(random_generated_grid_case, 6, true), 0);
  EXPECT_GT(expect_same_bits(random_streamed_case, 6, true), 0);
}

TEST(Checkpoint, OneRankWithAnotherPlanEndsAll) {
  const Folder folder;
  const RandomCase c = random_streamed_case(2);
  const PlannedWork work =
      plan_work(c.problem, machine_here(1 << 20, world_size()), {{"strategy", "stationary-c"}});
  if (world_rank() == world_size() - 1) std::ofstream(folder.own_file()) << "something else\n";
  quiet_barrier(MPI_COMM_WORLD);
  if (world_rank() == world_size() - 1) {
    EXPECT_THROW(run_with(folder.path(), work, false, nullptr), AgreedError);
  } else {
    EXPECT_THROW(run_with(folder.path(), work, false, nullptr), FailedElsewhere);
  }
}

}  // namespace
}  // namespace foretile::checkpoint_test
