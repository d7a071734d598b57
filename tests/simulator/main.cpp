// SPDX-License-Identifier: BSD-3-Clause
// Tests that take SimGrid, where it is built.
#include <gtest/gtest.h>

#include "simulator/simgrid/simgrid.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  foretile::use_simgrid();
  return RUN_ALL_TESTS();
}
