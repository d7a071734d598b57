// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/history.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/output_place.hpp"

namespace foretile {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int format_version = 1;
constexpr const char* version_key = "foretile_history";

/// A POSIX record lock: it ends with this process and, unlike flock(), is not shared with forked workers.
void lock(int file, const fs::path& path) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(file, F_SETLK, &whole) == 0) return;
  if (errno == EACCES || errno == EAGAIN)
    throw input_error(path.string(), "the history of a run that is still going", "a history of its own",
                      "wait for that run or use another history file");
  // Some network file systems have no locks; a history there still works for one run.
}

void write_all(int file, const std::string& text, const fs::path& path) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(file, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw WorkError(fmt::format("{}: could not be written: {}", path.string(), system_message()));
    written += static_cast<std::size_t>(count);
  }
  if (::fsync(file) != 0)
    throw WorkError(fmt::format("{}: could not be written: {}", path.string(), system_message()));
}

std::string place(const fs::path& path, std::size_t line) {
  return fmt::format("{}:{}", path.string(), line);
}

/// Compares key by key, to say which one differs.
void check_header(const json& found, const json& expected, const fs::path& path) {
  const std::string change = "use another history file, or the same settings as the first run";
  for (const auto& [key, value] : expected.items()) {
    const std::string there = found.contains(key) ? json_line(found[key]) : "nothing";
    if (!found.contains(key) || found[key] != value)
      throw input_error(place(path, 1) + ": " + key, there, json_line(value), change);
  }
  for (const auto& [key, value] : found.items()) {
    if (!expected.contains(key))
      throw input_error(place(path, 1) + ": " + key, json_line(value), "nothing", change);
  }
}

constexpr const char* take_another = "use another history file";

json parse_header(const std::string& line, const fs::path& path, const char* change = take_another) {
  const bool strange = line.find(version_key) == std::string::npos;
  json header = strange ? json() : parse_json<json>(line, place(path, 1), "the header of a history");
  if (!header.is_object() || !header.contains(version_key))
    throw input_error(place(path, 1), "no header", "a history of `foretile tune`", change);
  return header;
}

Evaluation parse_line(const std::string& line, const std::string& where) {
  const auto object = parse_json<json>(line, where, "an evaluation (remove the line to evaluate it again)");
  try {
    return evaluation_from_json(object);
  } catch (const InputError& error) {
    throw within(where, error);
  }
}

void cut_file(int file, std::size_t length, const fs::path& path) {
  if (::ftruncate(file, static_cast<off_t>(length)) != 0)
    throw WorkError(fmt::format("{}: could not be cut: {}", path.string(), system_message()));
}

struct Content {
  std::vector<Evaluation> evaluations;
  std::size_t length = 0;  ///< bytes of whole lines; 0: the header is still to be written
};

/// The lines after the header, which ends at `header_end`. A line counts when its line end was written.
Content parse_lines(const std::string& text, std::size_t header_end, const fs::path& path) {
  Content content;
  content.length = header_end + 1;
  std::size_t end = 0;
  for (std::size_t line = 2; (end = text.find('\n', content.length)) != std::string::npos; ++line) {
    content.evaluations.push_back(
        parse_line(text.substr(content.length, end - content.length), place(path, line)));
    content.length = end + 1;
  }
  return content;
}

Content parse_content(const std::string& text, const json& header, const fs::path& path) {
  const std::size_t header_end = text.find('\n');
  if (header_end == std::string::npos) {
    // Only the beginning of our own header may be taken for a torn one: never cut a stranger's file.
    if (!json_line(header).starts_with(text)) parse_header({}, path);
    return {};
  }
  check_header(parse_header(text.substr(0, header_end), path), header, path);
  return parse_lines(text, header_end, path);
}

json with_version(const json& header) {
  json whole = {{version_key, format_version}};
  if (!header.is_null()) whole.update(header);
  return whole;
}

}  // namespace

History::History(const fs::path& path, const json& header) : path_(path) {
  const json whole = with_version(header);
  Descriptor file = open_growing_file(path);
  lock(file.get(), path);
  const std::string text = read_text(file, path);
  Content content = parse_content(text, whole, path);
  if (content.length < text.size()) cut_file(file.get(), content.length, path);
  if (content.length == 0) write_all(file.get(), json_line(whole) + '\n', path);
  for (Evaluation& evaluation : content.evaluations) remember(std::move(evaluation));
  file_ = std::move(file);
}

std::vector<Evaluation> read_history(const fs::path& path) {
  const char* const change = "give the history file of another run";
  const std::string text = read_text(path);
  const std::size_t header_end = text.find('\n');
  const bool whole = header_end != std::string::npos;
  const json header = parse_header(whole ? text.substr(0, header_end) : std::string(), path, change);
  if (header[version_key] != format_version)
    throw input_error(place(path, 1) + ": " + version_key, json_line(header[version_key]),
                      fmt::to_string(format_version), change);
  History history;
  for (const Evaluation& evaluation : parse_lines(text, header_end, path).evaluations)
    history.append(evaluation);
  return history.evaluations();
}

std::string place_in_history(const fs::path& path, const Candidate& candidate) {
  const std::string text = read_text(path);
  std::string found = path.string();
  std::size_t line = 2;
  for (const Evaluation& evaluation : parse_lines(text, text.find('\n'), path).evaluations) {
    if (evaluation.candidate == candidate) found = place(path, line);
    ++line;
  }
  return found;
}

const Evaluation* History::find(const Candidate& candidate) const {
  const auto found = index_.find(candidate);
  return found == index_.end() ? nullptr : &evaluations_[found->second];
}

void History::append(const Evaluation& evaluation) {
  if (file_) write_all(file_.get(), json_line(to_json(evaluation)) + '\n', path_);
  remember(evaluation);
}

void History::remember(Evaluation evaluation) {
  const auto [known, is_new] = index_.emplace(evaluation.candidate, evaluations_.size());
  if (is_new) {
    evaluations_.push_back(std::move(evaluation));
    return;
  }
  Evaluation& before = evaluations_[known->second];
  if (before.outcome.status == Outcome::Status::stopped && evaluation.outcome.done())
    before = std::move(evaluation);
}

}  // namespace foretile
