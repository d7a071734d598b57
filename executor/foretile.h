/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
   foretile in C: C = alpha op(A) op(B) + beta C on the ranks of an MPI communicator, planned once, run often.

   Every function returns FORETILE_OK or an error; foretile_message() says in one line what was found, what
   was expected and what to change. No function throws or ends the job, but one: an error of a single rank
   while products run prints its line there and calls MPI_Abort(), because the others wait for its tiles.

   Collective calls compare their arguments first: a wrong one on a rank gives one status and message on all.
   So does NULL for the multiplication, where a rank has given the library one communicator of several ranks:
   its call counts as one on that. A rank that has given several, or one that was refused, cannot know on
   which the others wait; nor can one that gives a wrong communicator. It gets its status at once, and they
   wait.

   Matrices are named by the characters 'A', 'B' and 'C'. Tiles count from 0, in rows and columns of op(A),
   op(B) and C. All arrays are column-major, leading dimensions count elements. Elements are double, float, or
   complex numbers of these (the real part first). */
#ifndef FORETILE_EXECUTOR_FORETILE_H
#define FORETILE_EXECUTOR_FORETILE_H

#include <mpi.h>
#include <stdint.h>

#include "base/foretile_status.h"
#include "planner/foretile_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is multiplied. Made by one of the three functions below, freed by foretile_free_problem(); a
   multiplication takes a copy. */
typedef struct foretile_problem foretile_problem;

/** Every tile is nonzero; tiles of `tile` x `tile` elements, or of foretile's own size where it is 0. */
foretile_status foretile_dense_problem(int64_t m, int64_t n, int64_t k, int64_t tile,
                                       foretile_problem** problem);

/** A text or file as `foretile problem` writes it (docs/problems.md), also with listed tiles (kind "tiles").
 */
foretile_status foretile_problem_from_text(const char* toml, foretile_problem** problem);
/** The same from the file at `path`. */
foretile_status foretile_problem_from_file(const char* path, foretile_problem** problem);

/** type: 'd', 's', 'z' or 'c' as in BLAS; ops: 'N', 'T' or 'C'; alpha and beta: a real and an imaginary part.
   NaN is a number, as in BLAS: where alpha is NaN, elements of C with products become NaN; where beta is, all
   do. With `verify` such a run is FORETILE_FAILED. */
foretile_status foretile_set_form(foretile_problem* problem, char type, char a_op, char b_op,
                                  const double alpha[2], const double beta[2]);
/** Nothing happens with NULL. */
void foretile_free_problem(foretile_problem* problem);

/** A plan on the ranks of a communicator. Made by foretile_create(), freed by foretile_free(). */
typedef struct foretile_multiplication foretile_multiplication;

/** Which GPUs compute. */
typedef enum {
  FORETILE_GPUS_AUTOMATIC = 0, /**< CUDA's, for a platform of GPUs; an error where there are none */
  FORETILE_GPUS_CUDA,          /**< the same; of no effect for a platform of cores */
  FORETILE_GPUS_STAND_IN,      /**< threads that play GPUs, for tests */
  FORETILE_GPUS_NONE           /**< cores stand for them */
} foretile_gpus;

/** How a multiplication is planned and run. All of it may be 0. */
typedef struct {
  const char* platform;   /**< a name or file; NULL: this machine, calibrated or estimated */
  const char* parameters; /**< of the plan, "KEY=VALUE KEY=VALUE"; NULL: none. Without strategy=NAME it is the
                             first that honours the sources, unlike in foretile simulate */
  int gpus;               /**< a foretile_gpus */
  int verify;             /**< each run ends with Freivalds' test of C; a wrong product is FORETILE_FAILED */
  int check_finite; /**< each run first looks for NaN and infinity: FORETILE_WRONG_INPUT names the tile */
  int unbound;      /**< threads move among cores */
} foretile_options;

/** Plans and verifies the plan. Collective, with the same arguments on all ranks. All calls come from the
   thread that initialized MPI (without MPI_THREAD_FUNNELED that is said once); where it is not initialized,
   foretile does it, and finalizes it at exit(). All multiplications on a communicator share a duplicate of
   it. `options` may be NULL. */
foretile_status foretile_create(MPI_Comm communicator, const foretile_problem* problem,
                                const foretile_options* options, foretile_multiplication** multiplication);
/** Collective. Nothing happens with NULL. */
void foretile_free(foretile_multiplication* multiplication);

/** The plan, for foretile_simulate() (simulator/foretile_simulate.h); it lives as long as the multiplication.
   NULL for NULL. */
const foretile_work* foretile_planned_work(const foretile_multiplication* multiplication);

/** A nonzero tile of A, B or C. */
typedef struct {
  int64_t number; /**< among the nonzero tiles of its matrix */
  int64_t row,    /**< tile row of op(A), op(B) or C */
      column;     /**< tile column of op(A), op(B) or C */
  int64_t rows,   /**< elements of the tile as it is stored: those of A and B as they are stored */
      columns;    /**< the same */
  int owner;      /**< the rank that keeps it */
} foretile_tile;

/** Number of nonzero tiles of a matrix. */
foretile_status foretile_tile_count(const foretile_multiplication* multiplication, char matrix,
                                    int64_t* count);
/** Tile `number` of a matrix, from 0. FORETILE_WRONG_INPUT for a number that it does not have. */
foretile_status foretile_get_tile(const foretile_multiplication* multiplication, char matrix, int64_t number,
                                  foretile_tile* tile);

/** Where tiles come from and where C goes, for own tiles. Several threads may call at once. A function
   returns 0, or anything else to end the run. */
typedef struct {
  void* context; /**< handed to each function */
  /** Where the tile is until the run ends: sets `data` and `ld`, or leaves `data` NULL. May be NULL: no tile
     is in place. In a tile of C are the initial numbers, if beta is not 0, and the final ones afterwards. */
  int (*in_place)(void* context, char matrix, const foretile_tile* tile, void** data, int64_t* ld);
  /** Writes a tile that is not in place, without gaps. May be NULL where all tiles are in place. */
  int (*fill)(void* context, char matrix, const foretile_tile* tile, void* to);
  /** A finished tile of C that is not in place, valid during the call; from one thread at a time. May be
   * NULL.
   */
  int (*take)(void* context, const foretile_tile* tile, const void* data, int64_t ld);
} foretile_storage;

/** What one run took; the same on all ranks. */
typedef struct {
  double seconds;                /**< wall time of the products and their messages, of the slowest rank */
  double redistribution_seconds; /**< besides: from the caller's layouts and back */
  double flops;                  /**< of the contraction */
  double relative_error; /**< with `verify`: of the worst row of C, by the sizes of its terms; else 0 */
  double allowed_error;  /**< what rounding explains */
} foretile_report;

/** Multiplies with the numbers of `storage`. Collective. `report` may be NULL. */
foretile_status foretile_run(foretile_multiplication* multiplication, const foretile_storage* storage,
                             foretile_report* report);

/** How a whole matrix is stored on the ranks of the communicator. Freed by foretile_free_layout(). */
typedef struct foretile_layout foretile_layout;

/** ScaLAPACK's block-cyclic distribution on a grid of `grid_rows` x `grid_columns`; process (p, q) is rank
   ranks[p * grid_columns + q] (NULL: ranks in this order). `self`: this rank. `ld`: of this rank's memory. */
foretile_status foretile_block_cyclic_layout(int grid_rows, int grid_columns, const int* ranks, int self,
                                             int64_t rows, int64_t columns, int64_t row_block,
                                             int64_t column_block, int row_source, int column_source,
                                             int64_t ld, foretile_layout** layout);
/** Tiles of these sizes; tile (i, j) is on rank owners[i + j * row_tiles]. On this rank it starts at element
   at[...] of the rank's memory, with leading dimension ld[...]. */
foretile_status foretile_table_layout(const int64_t* row_sizes, int row_tiles, const int64_t* column_sizes,
                                      int column_tiles, const int* owners, const int64_t* at,
                                      const int64_t* ld, int self, foretile_layout** layout);
/** Nothing happens with NULL. */
void foretile_free_layout(foretile_layout* layout);

/** Multiplies matrices that are in layouts, each with the memory of this rank. Collective. A and B are only
 * read. */
foretile_status foretile_run_in_layouts(foretile_multiplication* multiplication,
                                        const foretile_layout* a_layout, const void* a,
                                        const foretile_layout* b_layout, const void* b,
                                        const foretile_layout* c_layout, void* c, foretile_report* report);

#ifdef __cplusplus
}
#endif

#endif
