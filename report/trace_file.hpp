// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Traces that ChromeTrace wrote, read again.
#pragma once

#include <filesystem>

#include "scheduler/report/trace_subject.hpp"
#include "scheduler/trace.hpp"

namespace foretile {

/// Hands all operations of a file of `--trace` to `sink`, in the order of the file. Returns what it is a
/// trace of. Throws InputError when it cannot be read, is no such trace, or is of a foretile that did not say
/// yet what a trace is of.
TraceSubject read_trace(const std::filesystem::path& path, TraceSink& sink);

}  // namespace foretile
