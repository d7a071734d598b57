// SPDX-License-Identifier: BSD-3-Clause
// What foretile_pdgemm_() asks of BLACS, for programs that do not link ScaLAPACK.
#pragma once

namespace foretile {

/// The grid that the stand-in tells of: ranks of MPI_COMM_WORLD, row by row.
struct BlacsStandIn {
  int rows = 1, columns = 1;
};
BlacsStandIn& blacs_stand_in();

}  // namespace foretile
