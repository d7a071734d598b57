// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan_file.hpp"

#include <utility>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"

namespace foretile {

PlanFile make_plan_file(const Problem& problem, const MachineSize& size, const PlannedWork& work) {
  PlanFile file;
  static_cast<StoredMachine&>(file) = stored(work.machine, size);
  file.problem = problem;
  file.gemms = work.summary.gemms;
  file.blocks = work.summary.blocks;
  file.chunks = work.summary.chunks;
  file.parameters = settings_of(work.plan);
  return file;
}

PlanFile load_plan_file(const std::filesystem::path& path) {
  return parse_plan_file(read_text(path), path.string());
}

PlanFile parse_plan_file(const std::string& json, const std::string& source) {
  PlanFile file = plan_file_from_json(json, source);
  file.source = source;
  file.problem.source = source + ": problem.toml";
  return file;
}

void save_plan_file(const std::filesystem::path& path, const PlanFile& file) {
  write_atomically(path, [&](std::ostream& out) { out << plan_file_json(file) << '\n'; });
}

Contraction stored_contraction(const PlanFile& file) {
  return build_contraction(file.problem);
}

PlannedWork rebuild(const PlanFile& file, const CountFunction& progress) {
  PlannedWork work = [&] {
    try {
      return plan_work(stored_contraction(file), stored_machine(file), file.parameters, progress);
    } catch (const InputError& e) {
      const std::string what = e.what();
      throw what.starts_with(file.source) ? e : within(file.source, e);
    }
  }();
  expect_same(file.source, "summary.gemms", file.gemms, work.summary.gemms);
  expect_same(file.source, "summary.blocks", file.blocks, work.summary.blocks);
  expect_same(file.source, "summary.chunks", file.chunks, work.summary.chunks);
  return work;
}

}  // namespace foretile
