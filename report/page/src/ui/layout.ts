// SPDX-License-Identifier: BSD-3-Clause

/** Beside pictures over the time, so that all of them have the same time at the same place. CSS pixels, as in style.css. */
export const nameWidth = 190;
