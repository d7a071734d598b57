// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/open_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/missing_memory.hpp"
#include "planner/distribution/on_demand.hpp"
#include "planner/verify/device_messages.hpp"
#include "planner/verify/host_memory.hpp"
#include "platforms/units.hpp"

namespace foretile {

namespace {

/// What ranks have in memory while steps are under way.
class OpenBytes {
 public:
  explicit OpenBytes(const JoinedSteps& joined)
      : needs_(step_needs(joined.plan, joined.contraction)),
        tensors_(joined.plan, joined.contraction),
        messages_(step_messages(joined.plan, joined.contraction)) {}

  /// In host memory, of the rank with most, while steps `first` to `last` are.
  std::int64_t most_on_host(std::size_t first, std::size_t last) const {
    std::int64_t most = 0;
    for (std::size_t rank = 0; rank < needs_.size(); ++rank) {
      std::int64_t sum = tensors_.of(Rank::of(rank), first, last);
      for (std::size_t step = first; step <= last; ++step) sum += needs_[rank][step].bytes();
      most = std::max(most, sum);
    }
    return most;
  }
  /// Of messages, on the device with most.
  std::int64_t most_on_a_device(std::size_t first, std::size_t last) const {
    std::int64_t most = 0;
    for (const StepMessages& of_rank : messages_) most = std::max(most, of_rank.most(first, last));
    return most;
  }

 private:
  std::vector<std::vector<HostNeed>> needs_;
  TensorBytes tensors_;
  std::vector<StepMessages> messages_;
};

DoesNotFit does_not_fit_together(const FusedProgram& program, const ProgramDistribution& distribution,
                                 std::int64_t found, std::int64_t there, ProgramMode mode) {
  const auto text = [](std::int64_t bytes) {
    return format_quantity(static_cast<double>(bytes), Dimension::bytes);
  };
  std::vector<std::size_t> tensors(program.tensors().size());
  std::iota(tensors.begin(), tensors.end(), std::size_t{0});
  const bool flows = mode == ProgramMode::flow;
  return DoesNotFit(input_error(
      "program",
      fmt::format("{} for a rank{}, {} more than its host memory has", text(found),
                  flows ? " where tiles flow" : "", text(found - there)),
      fmt::format("at most {}", text(there)),
      (flows ? "run it level by level, " : "") + memory_advice(program, distribution.on_demand, tensors)));
}

}  // namespace

std::vector<std::int64_t> open_steps(JoinedSteps& joined, const FusedProgram& program,
                                     const ProgramDistribution& distribution, const Machine& machine,
                                     ProgramMode mode) {
  const OpenBytes bytes(joined);
  const std::int64_t there = machine.host_bytes_per_rank();
  const std::int64_t for_messages = joined.plan.device_message_bytes;
  const auto fit = [&](std::size_t first, std::size_t last) {
    return bytes.most_on_host(first, last) <= there && bytes.most_on_a_device(first, last) <= for_messages;
  };
  std::vector<std::int64_t> peaks;
  std::int64_t on_a_device = 0;
  std::size_t first = 0;
  for (std::size_t step = 0; step < joined.plan.steps.size(); ++step) {
    if (mode == ProgramMode::levels) first = step;
    while (first < step && !fit(first, step)) ++first;
    joined.plan.open_from.push_back(Step::of(first));
    peaks.push_back(bytes.most_on_host(first, step));
    on_a_device = std::max(on_a_device, bytes.most_on_a_device(first, step));
  }
  const std::int64_t peak = peaks.empty() ? 0 : std::ranges::max(peaks);
  if (peak > there) throw does_not_fit_together(program, distribution, peak, there, mode);
  if (on_a_device > for_messages)
    throw DoesNotFit(missing_for_messages("program", on_a_device, for_messages));
  joined.plan.device_message_bytes = on_a_device;
  return peaks;
}

HostBytes bytes_of_step(const JoinedSteps& joined, const Machine& machine, int times) {
  const auto needs = step_needs(joined.plan, joined.contraction);
  const TensorBytes tensors(joined.plan, joined.contraction);
  HostBytes most;
  for (Rank rank = 0; rank < machine.ranks; ++rank) {
    const std::int64_t of_tensors = tensors.of(rank, 0, 0);
    most.tensors = std::max(most.tensors, of_tensors);
    most.all = std::max(most.all, of_tensors + times * needs[static_cast<std::size_t>(int{rank})][0].bytes());
  }
  return most;
}

}  // namespace foretile
