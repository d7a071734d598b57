// SPDX-License-Identifier: BSD-3-Clause
#include "executor/backends/rank_backend.hpp"

#include "executor/backends/combine_job.hpp"

namespace foretile {

RankBackend::RankBackend(const Contraction& contraction, HostStore& host, int cores, Transport transport,
                         std::vector<int> cpus)
    : problem_(contraction),
      host_(host),
      transport_(std::move(transport)),
      cores_(cores, completions_, std::move(cpus)) {}

double RankBackend::at(Completions::Clock::time_point time) const {
  return std::chrono::duration<double>(time - start_).count();
}

void RankBackend::take_completions(double seconds) {
  for (const Completions::Entry& e : completions_.take(seconds, cores_.any_idle()))
    ended_now_.push_back({e.id, {.began_s = at(e.began), .ended_s = at(e.ended)}});
}

void RankBackend::submit(OperationId id, std::function<void()> job) {
  ++host_work_;
  cores_.submit(id, std::move(job));
}

void RankBackend::start_generate(OperationId id, std::span<const GeneratedPart> parts) {
  submit(id, [this, places = host_.stage_b(parts)] {
    for (const auto& [part, to] : places) host_.fill_part(part, to);
  });
}

void RankBackend::start_combine(OperationId id, const Combine& combine) {
  submit(id, combine_job(problem_, host_, combine));
}

void RankBackend::start_task(OperationId id, std::int32_t /*number*/, const FlowTask& task, int cores) {
  ++host_work_;
  std::vector<std::function<void()>> parts = host_.task_jobs(task, cores);
  if (parts.size() == 1) return cores_.submit_queued(id, std::move(parts.front()));
  cores_.submit_parts(id, std::move(parts));
}

void RankBackend::start_send(OperationId id, Rank to_rank, const Message& message) {
  transport_.send(id, to_rank, message);
}

void RankBackend::send_signal(Rank to_rank, Signal signal) {
  transport_.signal(to_rank, signal);
}

void RankBackend::release_host(TileRef tile) {
  host_.staged_b.erase(tile.id);
}

void RankBackend::release_message(Rank owner, int number) {
  host_.release(owner, number);
}

void RankBackend::release_parts(std::span<const TileId> tiles, Device computed_by) {
  host_.release_parts(tiles, computed_by);
}

void RankBackend::keep_parts(std::span<const TileId> tiles, Device computed_by) {
  host_.keep_parts(tiles, computed_by);
}

void RankBackend::release_step(Step step) {
  host_.release_step(step);
}

}  // namespace foretile
