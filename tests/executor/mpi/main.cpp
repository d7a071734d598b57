// Runs the tests on every rank of an MPI job; rank 0 alone prints, any rank's failure fails the job.
#include <gtest/gtest.h>

#include <algorithm>

#include "executor/mpi/session.hpp"

int main(int argc, char** argv) {
  const foretile::MpiSession session;
  testing::InitGoogleTest(&argc, argv);
  if (session.rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
  }
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, session.world());
  return failed;
}
