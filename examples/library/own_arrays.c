// SPDX-License-Identifier: BSD-3-Clause
/* C = 2 A^T B + C on the caller's own column-major arrays, planned, simulated and run, in C:
   mpiexec -n 2 own_arrays_c */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "executor/foretile.h"
#include "simulator/foretile_simulate.h"

enum { M = 1000, N = 800, K = 600 };

static void require(foretile_status status) {
  if (status == FORETILE_OK) return;
  fprintf(stderr, "own_arrays: %s\n", foretile_message());
  exit((int)status); /* all ranks have the error, or know that one has it */
}

/* All of an array of rows x columns on each rank, of which foretile uses the tiles that the rank owns. */
static double* filled(int64_t rows, int64_t columns, double number) {
  double* array = malloc(sizeof(double) * (size_t)(rows * columns));
  for (int64_t i = 0; i < rows * columns; ++i) array[i] = number;
  return array;
}

static int in_place(void* context, char matrix, const foretile_tile* tile, void** data, int64_t* ld) {
  double** arrays = context;
  /* Tiles have 250 rows and columns; A is stored transposed: its tile (i, k) is in row k and column i. */
  const int64_t row = 250 * (matrix == 'A' ? tile->column : tile->row);
  const int64_t column = 250 * (matrix == 'A' ? tile->row : tile->column);
  *ld = matrix == 'C' ? M : K;
  *data = arrays[matrix - 'A'] + row + column * *ld;
  return 0;
}

/* MPI is foretile's here: foretile_create() initializes it. */
int main(void) {
  int rank, wrong = 0;
  double predicted;
  double* arrays[] = {filled(K, M, 0.5), filled(K, N, 3.0), filled(M, N, 1.0)};
  const double alpha[] = {2, 0}, beta[] = {1, 0};
  foretile_problem* problem;
  foretile_multiplication* product;
  foretile_report report;
  require(foretile_dense_problem(M, N, K, 250, &problem));
  require(foretile_set_form(problem, 'd', 'T', 'N', alpha, beta));
  const foretile_options options = {.verify = 1};
  require(foretile_create(MPI_COMM_WORLD, problem, &options, &product));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  require(foretile_simulate(foretile_planned_work(product), &predicted));
  const foretile_storage storage = {.context = arrays, .in_place = in_place};
  require(foretile_run(product, &storage, &report));
  int64_t tiles;
  require(foretile_tile_count(product, 'C', &tiles));
  for (int64_t number = 0; number < tiles; ++number) {
    foretile_tile tile;
    require(foretile_get_tile(product, 'C', number, &tile));
    /* 2 times the sum of 600 products 0.5 * 3, and 1 */
    if (tile.owner == rank && arrays[2][250 * tile.row + 250 * tile.column * M] != 1801) ++wrong;
  }
  printf("%.1f Gflop predicted in %.3f s, run in %.3f s, %d tiles wrong\n", report.flops / 1e9, predicted,
         report.seconds, wrong);
  foretile_free(product);
  foretile_free_problem(problem);
  for (int array = 0; array < 3; ++array) free(arrays[array]);
  return wrong > 0;
}
