// SPDX-License-Identifier: BSD-3-Clause
// The append-only record of evaluations from which a killed run resumes.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/descriptor.hpp"
#include "tuner/outcome.hpp"

namespace foretile {

/// A file of JSON lines (docs/tuning.md): a header, then one line per finished evaluation. Each line is on
/// the disk before append() returns, so a kill loses only evaluations under way. One run at a time holds the
/// file.
class History {
 public:
  /// Kept in memory only.
  History() = default;

  /// Opens the file or makes a new one. `header` says what the evaluations belong to: an object of names and
  /// plain values. A last line torn by a kill is cut off. Throws InputError, and leaves the file as it is,
  /// when it is no regular file, is no history, is damaged in the middle, is held by another run or has
  /// another header; the message names what differs.
  History(const std::filesystem::path& path, const nlohmann::json& header);

  /// In the order they were appended; one for each candidate (find()).
  const std::vector<Evaluation>& evaluations() const { return evaluations_; }

  bool contains(const Candidate& candidate) const { return index_.contains(candidate); }

  /// The first evaluation of the candidate, or null. A done one takes the place of a stopped one.
  const Evaluation* find(const Candidate& candidate) const;

  /// Throws WorkError when the line cannot be written whole.
  void append(const Evaluation& evaluation);

 private:
  void remember(Evaluation evaluation);

  std::filesystem::path path_;
  Descriptor file_;
  std::vector<Evaluation> evaluations_;
  std::map<Candidate, std::size_t> index_;
};

/// The evaluations of any history, one for each candidate, whatever it belongs to. Reads only, so that the
/// file may be another run's that is still going; a torn last line is left out. Throws InputError when it is
/// no regular file, is no history of this format, or is damaged in the middle.
std::vector<Evaluation> read_history(const std::filesystem::path& path);

/// "FILE:LINE" of the last evaluation of the candidate in the history; the file's name where there is none.
std::string place_in_history(const std::filesystem::path& path, const Candidate& candidate);

}  // namespace foretile
