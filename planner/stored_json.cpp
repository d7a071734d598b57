// SPDX-License-Identifier: BSD-3-Clause
#include "planner/stored_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/one_line.hpp"

namespace foretile {

ObjectReader::ObjectReader(const Json& json, std::string source, std::string path)
    : json_(json), source_(std::move(source)), path_(std::move(path)) {
  if (!json.is_object()) throw wrong(path_.empty() ? "file" : path_, json, "an object");
}

std::string ObjectReader::text(const std::string& key) {
  const Json& value = get(key);
  if (!value.is_string()) throw wrong(full(key), value, "a text");
  return value.get<std::string>();
}

std::int64_t ObjectReader::whole(const std::string& key, std::int64_t low, std::int64_t high) {
  const Json& value = get(key);
  const bool beyond = value.is_number_unsigned() &&
                      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<int64_t>::max()};
  if (!value.is_number_integer() || beyond || value.get<std::int64_t>() < low ||
      value.get<std::int64_t>() > high)
    throw wrong(full(key), value, fmt::format("a whole number from {} to {}", low, high));
  return value.get<std::int64_t>();
}

int ObjectReader::count(const std::string& key) {
  return static_cast<int>(whole(key, 1, std::numeric_limits<int>::max()));
}

double ObjectReader::not_negative(const std::string& key) {
  const Json& value = get(key);
  if (!value.is_number() || !(value.get<double>() >= 0) || !std::isfinite(value.get<double>()))
    throw wrong(full(key), value, "a number that is not negative");
  return value.get<double>();
}

bool ObjectReader::has(const std::string& key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.push_back(key);
  return json_.contains(key);
}

Settings ObjectReader::texts() const {
  Settings settings;
  for (const auto& [key, value] : json_.items()) {
    if (!value.is_string()) throw wrong(full(key), value, "a text in quotes");
    settings[key] = value.get<std::string>();
  }
  return settings;
}

std::vector<std::string> ObjectReader::list_of_texts(const std::string& key) {
  std::vector<std::string> texts;
  for (const Json& value : list(key)) {
    if (!value.is_string()) throw wrong(full(key), value, "texts in quotes");
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

std::vector<int> ObjectReader::list_of_numbers(const std::string& key, int low, int high) {
  std::vector<int> numbers;
  for (const Json& value : list(key)) numbers.push_back(number(value, key, low, high));
  return numbers;
}

std::vector<std::vector<int>> ObjectReader::lists_of_numbers(const std::string& key, int low, int high) {
  std::vector<std::vector<int>> lists;
  for (const Json& inner : list(key)) {
    if (!inner.is_array()) throw wrong(full(key), inner, "lists of whole numbers");
    std::vector<int>& numbers = lists.emplace_back();
    for (const Json& value : inner) numbers.push_back(number(value, key, low, high));
  }
  return lists;
}

void ObjectReader::refuse_other_keys() const {
  for (const auto& [key, value] : json_.items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    throw unknown_key(source_, key, known_, path_.empty() ? "" : fmt::format(" in \"{}\"", path_));
  }
}

const ObjectReader::Json& ObjectReader::get(const std::string& key) {
  if (!has(key)) throw input_error(where(full(key)), "nothing", "this key", "plan again");
  return json_.at(key);
}

const ObjectReader::Json& ObjectReader::list(const std::string& key) {
  const Json& value = get(key);
  if (!value.is_array()) throw wrong(full(key), value, "a list");
  return value;
}

int ObjectReader::number(const Json& value, const std::string& key, int low, int high) const {
  const auto wide = value.is_number_integer() ? value.get<std::int64_t>() : std::int64_t{low} - 1;
  if (wide < low || wide > high)
    throw wrong(full(key), value, fmt::format("whole numbers from {} to {}", low, high));
  return static_cast<int>(wide);
}

InputError ObjectReader::wrong(const std::string& path, const Json& value,
                               const std::string& expected) const {
  constexpr std::size_t kMostShown = 200;
  std::string shown = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (shown.size() > kMostShown) shown = shown.substr(0, kMostShown) + "...";
  return input_error(where(path), shown, expected);
}

namespace {

using Json = ObjectReader::Json;

constexpr const char* kDigestKey = "digest";
constexpr const char* kPlanAgain =
    "make the plan again with `foretile plan` or `foretile simulate`, -o and the options you want";

/// Of the content without its digest. Keys are sorted and spaces left out, so that a program that only
/// reformats the file does not change it.
std::string digest_of(const Json& content) {
  nlohmann::json sorted = content;
  sorted.erase(kDigestKey);
  return digest(sorted.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// Nothing, or what is wrong with the digest.
std::optional<std::string> digest_complaint(const Json& json) {
  const std::string right = digest_of(json);
  const auto stored = json.find(kDigestKey);
  if (stored == json.end()) return fmt::format("digest: found nothing, expected {}", right);
  if (*stored == right) return std::nullopt;
  return fmt::format("digest: found {}, expected {}", quote(stored->dump()), right);
}

void check_version(ObjectReader& reader, const StoredKind& kind, const std::string& source) {
  const std::int64_t version =
      reader.has(kind.key) ? reader.whole(kind.key, 0, std::numeric_limits<std::int64_t>::max()) : 0;
  if (version == kind.version) return;
  throw input_error(fmt::format("{}: {}", source, kind.key),
                    version == 0 ? "no version" : fmt::format("version {}", version),
                    fmt::format("version {}", kind.version),
                    "make such files with `foretile plan -o` or `foretile tune -o`");
}

}  // namespace

std::string stored_text(const StoredKind& kind, const Json& content) {
  Json json = {{kind.key, kind.version}};
  json.update(content);
  // As it will be read: what is no UTF-8 was replaced.
  json = Json::parse(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  json[kDigestKey] = digest_of(json);
  return json.dump(2);
}

void read_stored(const std::string& text, const StoredKind& kind, const std::string& source,
                 const std::string& what, const std::function<void(ObjectReader&)>& read) {
  const auto json = parse_json<Json>(text, source, what);
  ObjectReader reader(json, source);
  check_version(reader, kind, source);
  const std::optional<std::string> complaint = digest_complaint(json);
  try {
    read(reader);
    reader.has(kind.key);
    reader.has(kDigestKey);
    reader.refuse_other_keys();
  } catch (const InputError& error) {
    if (complaint)
      throw InputError(fmt::format("{}; {}; {}", error.what(), *complaint, kPlanAgain), HelpPage::wrong_file);
    throw;
  }
  if (complaint)
    throw InputError(
        fmt::format("{}: {}; the file was edited or damaged; {}", source, *complaint, kPlanAgain),
        HelpPage::wrong_file);
}

}  // namespace foretile
