/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
   ScaLAPACK's PxGEMM by foretile: the same arguments, the same result
   (https://www.netlib.org/scalapack/slug/, "PvGEMM"), in C, C++ and, without the last underscore, Fortran:

     sub(C) = alpha op(sub(A)) op(sub(B)) + beta sub(C),  sub(X) = X(ix:, jx:)

   Indices count from 1; op is 'N', 'T' or 'C'. Descriptors have 9 entries: DTYPE_ (1), CTXT_ (a BLACS
   context, the same of all three), M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_. Collective over the context's grid;
   other processes may call it and return at once. Any block sizes and offsets work. With equal ones A and B
   are used in place, else they are moved to tiles of a plan's and C back.

   A call with new arguments makes three plans and keeps one, which the next call with the same arguments
   finds again. Only pointers may differ; a new alpha or beta needs a new plan. The last 8 plans of a grid are
   kept, with the memory that they use, until MPI_Finalize().

   As in ScaLAPACK, errors end the job: one line on standard error, MPI_Abort(). BLACS is not linked: the
   program brings it. MPI asks for MPI_Init_thread() with MPI_THREAD_FUNNELED. MPI_Init(), which BLACS calls,
   gives less in MPICH; it works, because only the calling thread uses MPI, and the first rank says so once.
 */
#ifndef FORETILE_EXECUTOR_PDGEMM_H
#define FORETILE_EXECUTOR_PDGEMM_H

#ifdef __cplusplus
extern "C" {
#endif

/** PDGEMM: double precision. */
void foretile_pdgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
                      const double* alpha, const double* a, const int* ia, const int* ja, const int* desca,
                      const double* b, const int* ib, const int* jb, const int* descb, const double* beta,
                      double* c, const int* ic, const int* jc, const int* descc);
/** PSGEMM: single precision. */
void foretile_psgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
                      const float* alpha, const float* a, const int* ia, const int* ja, const int* desca,
                      const float* b, const int* ib, const int* jb, const int* descb, const float* beta,
                      float* c, const int* ic, const int* jc, const int* descc);
/** PZGEMM: complex double precision. The real part comes first. */
void foretile_pzgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
                      const double* alpha, const double* a, const int* ia, const int* ja, const int* desca,
                      const double* b, const int* ib, const int* jb, const int* descb, const double* beta,
                      double* c, const int* ic, const int* jc, const int* descc);
/** PCGEMM: complex single precision. The real part comes first. */
void foretile_pcgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
                      const float* alpha, const float* a, const int* ia, const int* ja, const int* desca,
                      const float* b, const int* ib, const int* jb, const int* descb, const float* beta,
                      float* c, const int* ic, const int* jc, const int* descc);

/** Seconds that the last call of this process took for products with their messages, and for redistribution.
 */
void foretile_pgemm_seconds(double* products, double* redistribution);

#ifdef __cplusplus
}
#endif

#endif
