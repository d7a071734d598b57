#include "simulator/machine_model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/planner/small_machine.hpp"
#include "tests/simulator/run_isolated.hpp"

namespace foretile {
namespace {

namespace sg4 = simgrid::s4u;

/// Devices 0 and 1 on socket 0, device 2 on socket 1.
Machine three_devices() {
  Machine m = small_machine(1, 3, 1, 1);
  m.platform.sockets = 2;
  m.platform.devices_per_socket = 2;
  m.platform.links.host_to_device = {1e-6, 0};
  m.platform.links.device_to_host = {2e-6, 0};
  m.platform.links.peer = {10e-6, 1e9};
  m.platform.links.cross_socket = {20e-6, 0};
  return m;
}

/// Latencies of copies, then the ends of two flows of 1 MB that leave device 0 at once, to the same socket
/// and to the other one: 2 MB at 1 GB/s, shared alike although their latencies differ.
TEST(MachineModel, LatencyDoesNotChangeTheShare) {
  const auto found = run_isolated([] {
    std::array<std::string, 3> words{"test", "--cfg=network/model:CM02", "--cfg=network/TCP-gamma:0"};
    std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
    int count = 3;
    sg4::Engine engine(&count, arguments.data());
    const Machine machine = three_devices();
    const MachineModel model(engine, machine);
    std::vector<double> numbers{model.copy_latency(0, kHost, 1), model.copy_latency(0, kHost, 2),
                                model.copy_latency(0, 2, kHost), model.copy_latency(0, 0, 1),
                                model.copy_latency(0, 0, 2)};
    sg4::Activity::on_completion_cb(
        [&](const sg4::Activity&) { numbers.push_back(sg4::Engine::get_clock()); });
    const auto near =
        sg4::Comm::sendto_init(model.device(0, 0), model.device(0, 1))->set_payload_size(1000000);
    const auto far =
        sg4::Comm::sendto_init(model.device(0, 0), model.device(0, 2))->set_payload_size(1000000);
    near->start();
    far->start();
    engine.run();
    return numbers;
  });
  const std::vector<double> expected{1e-6, 21e-6, 22e-6, 10e-6, 30e-6, 2e-3, 2e-3};
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t n = 0; n < expected.size(); ++n) EXPECT_NEAR(found[n], expected[n], 1e-8) << n;
}

}  // namespace
}  // namespace foretile
