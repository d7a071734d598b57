// SPDX-License-Identifier: BSD-3-Clause
// Files of plans: JSON objects with a version and a digest, whose readers name what is wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/settings.hpp"

namespace foretile {

/// One JSON object being read; remembers where it is. All reading functions throw InputError that names file
/// and key.
class ObjectReader {
 public:
  using Json = nlohmann::ordered_json;

  ObjectReader(const Json& json, std::string source, std::string path = {});

  ObjectReader object(const std::string& key) { return {get(key), source_, full(key)}; }
  std::string text(const std::string& key);
  std::int64_t whole(const std::string& key, std::int64_t low, std::int64_t high);
  int count(const std::string& key);
  double not_negative(const std::string& key);
  bool has(const std::string& key);
  /// Of the whole object: texts by key.
  Settings texts() const;
  std::vector<std::string> list_of_texts(const std::string& key);
  /// Each within [low, high].
  std::vector<int> list_of_numbers(const std::string& key, int low, int high);
  std::vector<std::vector<int>> lists_of_numbers(const std::string& key, int low, int high);
  void refuse_other_keys() const;

 private:
  const Json& get(const std::string& key);
  const Json& list(const std::string& key);
  int number(const Json& value, const std::string& key, int low, int high) const;
  std::string full(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  std::string where(const std::string& path) const { return source_ + ": " + path; }
  InputError wrong(const std::string& path, const Json& value, const std::string& expected) const;

  const Json& json_;
  std::string source_;
  std::string path_;
  std::vector<std::string> known_;
};

/// A kind of file: the key that has its version, and the version that is written and read.
struct StoredKind {
  const char* key;
  int version;
};

/// Indented JSON with the kind's key first and "digest" last, the digest (base/files.hpp) of everything else:
/// of the same JSON without that key, with sorted keys and without spaces.
std::string stored_text(const StoredKind& kind, const nlohmann::ordered_json& content);

/// Reads what stored_text() made: `read` reads all other keys. Throws InputError for no JSON, another kind or
/// version, unknown keys, and a content that does not match its digest, because the file was edited;
/// `what`: "a plan file".
void read_stored(const std::string& text, const StoredKind& kind, const std::string& source,
                 const std::string& what, const std::function<void(ObjectReader&)>& read);

}  // namespace foretile
