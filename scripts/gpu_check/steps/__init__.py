# SPDX-License-Identifier: BSD-3-Clause
"""One file, one step: run(check) does it, writes to check.results, and may raise Skipped or Failed."""
