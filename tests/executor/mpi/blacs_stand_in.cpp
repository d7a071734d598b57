// SPDX-License-Identifier: BSD-3-Clause
#include "tests/executor/mpi/blacs_stand_in.hpp"

#include <mpi.h>

foretile::BlacsStandIn& foretile::blacs_stand_in() {
  static BlacsStandIn grid;
  return grid;
}

extern "C" {
void Cblacs_get(int, int, int* value);
void Cblacs_gridinfo(int, int* rows, int* columns, int* row, int* column);
int Cblacs_pnum(int, int row, int column);
MPI_Comm Cblacs2sys_handle(int);

void Cblacs_get(int, int, int* value) {
  *value = 0;
}
void Cblacs_gridinfo(int, int* rows, int* columns, int* row, int* column) {
  const foretile::BlacsStandIn& grid = foretile::blacs_stand_in();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool inside = rank < grid.rows * grid.columns;
  *rows = grid.rows;
  *columns = grid.columns;
  *row = inside ? rank / grid.columns : -1;
  *column = inside ? rank % grid.columns : -1;
}
int Cblacs_pnum(int, int row, int column) {
  return row * foretile::blacs_stand_in().columns + column;
}
MPI_Comm Cblacs2sys_handle(int) {
  return MPI_COMM_WORLD;
}
}
