/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
   What functions of foretile's C interface return. */
#ifndef FORETILE_BASE_FORETILE_STATUS_H
#define FORETILE_BASE_FORETILE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/** What every call returns. */
typedef enum {
  FORETILE_OK = 0,         /**< done */
  FORETILE_FAILED = 1,     /**< the input was sound but the work failed */
  FORETILE_WRONG_INPUT = 2 /**< what the caller can correct */
} foretile_status;

/** In one line what was found, what was expected and what to change, of the last call of this thread that did
   not return FORETILE_OK; valid until the next one. */
const char* foretile_message(void);

#ifdef __cplusplus
}
#endif

#endif
