#include "planner/plan_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/near.hpp"

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr const char* kVersionKey = "foretile_plan";

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

  /// A text beside its digest.
  std::string sealed(const std::string& key) {
    std::string value = text(key);
    if (const std::string stored = text("digest"); stored != digest(value)) {
      throw input_error(where(full("digest")), stored, fmt::format("{} of {}", digest(value), full(key)),
                        "the file was edited; change the problem or use --set, and plan again");
    }
    return value;
  }

  void refuse_other_keys() const {
    for (const auto& [key, value] : json_.items()) {
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      throw input_error(where(full(key)), "an unknown key", fmt::format("one of {}", fmt::join(known_, ", ")),
                        did_you_mean(key, known_));
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
    std::string found = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (found.size() > 60) found = found.substr(0, 57) + "...";
    return input_error(where(path), found, expected);
  }

  const Json& json_;
  std::string source_;
  std::string path_;
  std::vector<std::string> known_;
};

Json parse(const std::string& text, const std::string& source) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& e) {
    const std::string what = e.what();  // "[json.exception.parse_error.101] parse error at line ..."
    throw InputError(fmt::format("{}: not a plan file: {}", source, what.substr(what.find("] ") + 2)));
  }
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
  file.problem.toml = reader.sealed("toml");
  reader.refuse_other_keys();
}

void read_platform(ObjectReader reader, PlanFile& file) {
  file.platform_name = reader.text("name");
  file.platform_toml = reader.sealed("toml");
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

Json sealed_json(const std::string& name, const std::string& toml) {
  return {{"name", name}, {"toml", toml}, {"digest", digest(toml)}};
}

}  // namespace

std::string plan_file_json(const PlanFile& file) {
  Json json = {{kVersionKey, kVersion},
               {"problem", sealed_json(file.problem.name, file.problem.toml)},
               {"platform", sealed_json(file.platform_name, file.platform_toml)},
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
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

PlanFile plan_file_from_json(const std::string& text, const std::string& source) {
  const Json json = parse(text, source);
  ObjectReader reader(json, source);
  check_version(reader, source);
  PlanFile file;
  read_problem(reader.object("problem"), file);
  read_platform(reader.object("platform"), file);
  read_machine(reader.object("machine"), file);
  file.parameters = reader.object("parameters").texts();
  read_summary(reader.object("summary"), file);
  if (reader.has("predicted")) file.predicted = read_prediction(reader.object("predicted"));
  reader.refuse_other_keys();
  return file;
}

}  // namespace foretile
