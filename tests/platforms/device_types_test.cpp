// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/device_types.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace foretile::device_types_test {
namespace {

std::vector<SourcedFigure> figures_of(const DeviceType& t) {
  std::vector<SourcedFigure> all{t.memory, t.launch, t.copy, t.idle, t.busy};
  for (const SourcedFigure& link : {t.to_device, t.to_host, t.port, t.pair})
    if (link.value > 0) all.push_back(link);
  for (const auto& more : {t.peer_copy, t.memory_bandwidth, t.hosts})
    if (more) all.push_back(*more);
  return all;
}

/// The words that platform files use.
bool begins_with_kind(std::string_view comment) {
  constexpr std::array kinds = {"measured", "nominal", "derived", "guess"};
  return std::ranges::any_of(kinds, [&](const char* kind) { return comment.starts_with(kind); });
}

TEST(DeviceTypes, AreFoundHoweverTheyAreSpelled) {
  for (const char* name : {"H100-SXM", "h100 sxm", "h100_SXM", "H100SXM"}) {
    ASSERT_NE(find_device_type(name), nullptr) << name;
    EXPECT_EQ(find_device_type(name)->name, "H100-SXM");
  }
  EXPECT_EQ(find_device_type("MI250X die")->name, "MI250X-die");
  for (const char* name : {"", "H10", "none"}) EXPECT_EQ(find_device_type(name), nullptr) << name;
}

TEST(DeviceTypes, HaveAllFiguresWithTheirKinds) {
  EXPECT_EQ(device_types().size(), 8U);
  for (const DeviceType& type : device_types()) {
    SCOPED_TRACE(type.name);
    for (const auto& [value, comment] : figures_of(type)) {
      EXPECT_TRUE(begins_with_kind(comment)) << comment;
      EXPECT_TRUE(value > 0 || (type.in_host_memory && value == 0)) << comment;
    }
    EXPECT_EQ(type.port.value > 0, type.pair.value == 0);
    EXPECT_EQ(type.in_host_memory, type.to_device.value == 0);
    EXPECT_LT(type.idle.value, type.busy.value);
    EXPECT_GE(type.kernel.points.size(), 20U);
    for (const DeviceCurve* curve : {&type.kernel, &type.batched}) {
      for (const CurvePoint& point : curve->points) EXPECT_GT(point.value, 0);
      EXPECT_TRUE(curve->points.empty() || begins_with_kind(curve->comment)) << curve->comment;
    }
  }
}

/// 51.522% of the 42.7 Tflop/s of a GH200, which a cube of 1024 has: 22 Tflop/s.
TEST(DeviceTypes, CurvesWithoutMeasurementsHaveAnotherFormAtTheirPlateau) {
  const auto rate = [](const char* type) {
    const auto& points = find_device_type(type)->kernel.points;
    return std::ranges::find_if(points, [](const CurvePoint& p) { return p.m == 1024 && p.n == 1024; })
        ->value;
  };
  EXPECT_NEAR(rate("GH200"), 22'000, 1);
  EXPECT_NEAR(rate("A100"), 0.51522 * 16'600, 1);
  EXPECT_NEAR(rate("MI250X-die"), 0.51522 * 25'300, 1);
}

}  // namespace
}  // namespace foretile::device_types_test
