// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/one_line.hpp"
#include "planner/plan_file.hpp"

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 2;
constexpr const char* kVersionKey = "foretile_plan";
constexpr const char* kDigestKey = "digest";

/// One JSON object being read; remembers where it is.
class ObjectReader {
 public:
  ObjectReader(const Json& json, std::string source, std::string path = {})
      : json_(json), source_(std::move(source)), path_(std::move(path)) {
    if (!json.is_object()) throw wrong(path_.empty() ? "file" : path_, json, "an object");
  }

  ObjectReader object(const std::string& key) { return {get(key), source_, full(key)}; }

  std::string text(const std::string& key) {
    const Json& value = get(key);
    if (!value.is_string()) throw wrong(full(key), value, "a text");
    return value.get<std::string>();
  }

  std::int64_t whole(const std::string& key, std::int64_t low, std::int64_t high) {
    const Json& value = get(key);
    const bool beyond = value.is_number_unsigned() &&
                        value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<int64_t>::max()};
    if (!value.is_number_integer() || beyond || value.get<std::int64_t>() < low ||
        value.get<std::int64_t>() > high)
      throw wrong(full(key), value, fmt::format("a whole number from {} to {}", low, high));
    return value.get<std::int64_t>();
  }
  int count(const std::string& key) {
    return static_cast<int>(whole(key, 1, std::numeric_limits<int>::max()));
  }

  double not_negative(const std::string& key) {
    const Json& value = get(key);
    if (!value.is_number() || !(value.get<double>() >= 0) || !std::isfinite(value.get<double>()))
      throw wrong(full(key), value, "a number that is not negative");
    return value.get<double>();
  }

  bool has(const std::string& key) {
    known_.push_back(key);
    return json_.contains(key);
  }

  Settings texts() const {
    Settings settings;
    for (const auto& [key, value] : json_.items()) {
      if (!value.is_string()) throw wrong(full(key), value, "a text in quotes");
      settings[key] = value.get<std::string>();
    }
    return settings;
  }

  void refuse_other_keys() const {
    for (const auto& [key, value] : json_.items()) {
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      throw unknown_key(source_, key, known_, path_.empty() ? "" : fmt::format(" in \"{}\"", path_));
    }
  }

 private:
  const Json& get(const std::string& key) {
    if (!has(key)) throw input_error(where(full(key)), "nothing", "this key", "plan again");
    return json_.at(key);
  }
  std::string full(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  std::string where(const std::string& path) const { return source_ + ": " + path; }
  InputError wrong(const std::string& path, const Json& value, const std::string& expected) const {
    return input_error(where(path), value.dump(-1, ' ', false, Json::error_handler_t::replace), expected);
  }

  const Json& json_;
  std::string source_;
  std::string path_;
  std::vector<std::string> known_;
};

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

void check_version(ObjectReader& reader, const std::string& source) {
  const std::int64_t version =
      reader.has(kVersionKey) ? reader.whole(kVersionKey, 0, std::numeric_limits<std::int64_t>::max()) : 0;
  if (version == kVersion) return;
  throw input_error(fmt::format("{}: {}", source, kVersionKey),
                    version == 0 ? "no version" : fmt::format("version {}", version),
                    fmt::format("version {}", kVersion),
                    "make such files with `foretile plan -o` or `foretile tune -o`");
}

void read_problem(ObjectReader reader, PlanFile& file) {
  file.problem.name = reader.text("name");
  file.problem.toml = reader.text("toml");
  reader.refuse_other_keys();
}

void read_platform(ObjectReader reader, PlanFile& file) {
  file.platform_name = reader.text("name");
  file.platform_toml = reader.text("toml");
  reader.refuse_other_keys();
}

void read_size(ObjectReader reader, MachineSize& size) {
  if (reader.has("nodes")) size.nodes = reader.count("nodes");
  if (reader.has("ranks")) size.ranks = reader.count("ranks");
  if (reader.has("gpus")) size.gpus = reader.count("gpus");
  reader.refuse_other_keys();
}

void read_machine(ObjectReader reader, PlanFile& file) {
  read_size(reader.object("size"), file.size);
  file.ranks = reader.count("ranks");
  file.ranks_per_node = reader.count("ranks_per_node");
  file.devices_per_rank = reader.count("devices_per_rank");
  reader.refuse_other_keys();
}

void read_summary(ObjectReader reader, PlanFile& file) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  file.gemms = reader.whole("gemms", 0, most);
  file.blocks = reader.whole("blocks", 0, most);
  file.chunks = reader.whole("chunks", 0, most);
  reader.refuse_other_keys();
}

Prediction read_prediction(ObjectReader reader) {
  Prediction prediction{reader.not_negative("makespan_s"), reader.not_negative("flops_per_s")};
  reader.refuse_other_keys();
  return prediction;
}

Json size_json(const MachineSize& size) {
  Json json = Json::object();
  if (size.nodes) json["nodes"] = *size.nodes;
  if (size.ranks) json["ranks"] = *size.ranks;
  if (size.gpus) json["gpus"] = *size.gpus;
  return json;
}

PlanFile read_plan_file(ObjectReader reader) {
  PlanFile file;
  read_problem(reader.object("problem"), file);
  read_platform(reader.object("platform"), file);
  read_machine(reader.object("machine"), file);
  file.parameters = reader.object("parameters").texts();
  read_summary(reader.object("summary"), file);
  if (reader.has("predicted")) file.predicted = read_prediction(reader.object("predicted"));
  reader.has(kVersionKey);
  reader.has(kDigestKey);
  reader.refuse_other_keys();
  return file;
}

}  // namespace

std::string plan_file_json(const PlanFile& file) {
  Json json = {{kVersionKey, kVersion},
               {"problem", {{"name", file.problem.name}, {"toml", file.problem.toml}}},
               {"platform", {{"name", file.platform_name}, {"toml", file.platform_toml}}},
               {"machine",
                {{"size", size_json(file.size)},
                 {"ranks", file.ranks},
                 {"ranks_per_node", file.ranks_per_node},
                 {"devices_per_rank", file.devices_per_rank}}},
               {"parameters", file.parameters},
               {"summary", {{"gemms", file.gemms}, {"blocks", file.blocks}, {"chunks", file.chunks}}}};
  if (file.predicted) {
    json["predicted"] = {{"makespan_s", file.predicted->makespan_s},
                         {"flops_per_s", file.predicted->flops_per_s}};
  }
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  // As it will be read: what is no UTF-8 was replaced.
  json = Json::parse(text);
  json[kDigestKey] = digest_of(json);
  return json.dump(2);
}

PlanFile plan_file_from_json(const std::string& text, const std::string& source) {
  const auto json = parse_json<Json>(text, source, "a plan file");
  ObjectReader reader(json, source);
  check_version(reader, source);
  const std::optional<std::string> complaint = digest_complaint(json);
  try {
    PlanFile file = read_plan_file(reader);
    if (!complaint) return file;
  } catch (const InputError& error) {
    if (complaint) throw InputError(fmt::format("{}; {}; {}", error.what(), *complaint, kPlanAgain));
    throw;
  }
  throw InputError(fmt::format("{}: {}; the file was edited or damaged; {}", source, *complaint, kPlanAgain));
}

}  // namespace foretile
