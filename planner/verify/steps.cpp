#include <fmt/format.h>

#include "planner/verify/errors.hpp"
#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

class Steps final : public VerifyPass {
 public:
  using VerifyPass::VerifyPass;

  /// Before any block is walked. Without barriers steps have no meaning.
  void open(int rank) override {
    if (plan_.barriers == Barriers::none) return;
    const auto& devices = plan_.ranks[static_cast<std::size_t>(rank)].devices;
    for (std::size_t d = 0; d < devices.size(); ++d)
      check(devices[d], fmt::format("rank {} device {}", rank, d));
  }

 private:
  static void check(const DevicePlan& device, const std::string& name) {
    int least = 0;
    for (std::size_t b = 0; b < device.blocks.size(); ++b) {
      for (const Chunk& chunk : device.blocks[b].chunks) {
        if (chunk.step < least || chunk.step == kEver) {
          throw broken_plan(fmt::format("{} block {}", name, b),
                            fmt::format("a chunk of step {}", chunk.step),
                            fmt::format("increasing steps, here at least {} and below {}", least, kEver));
        }
        least = chunk.step + 1;
      }
    }
  }
};

}  // namespace

Pass steps_pass(const VerifyView& view) {
  return std::make_unique<Steps>(view);
}

}  // namespace foretile
