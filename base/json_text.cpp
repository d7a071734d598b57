// SPDX-License-Identifier: BSD-3-Clause
#include "base/json_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/one_line.hpp"

namespace foretile {

namespace {

/// Watches a parser: remembers the keys of the objects that are open.
class KeyCheck {
 public:
  KeyCheck(const std::string& where, const std::string& kind) : where_(where), kind_(kind) {}

  void open() {
    if (open_.size() == kDeepestJson)
      throw InputError(
          fmt::format("{}: not {}: more than {} levels of objects and lists", where_, kind_, kDeepestJson));
    open_.emplace_back();
  }

  void close() { open_.pop_back(); }

  void key(const std::string& name) {
    open_.back().last = name;
    if (!open_.back().names.insert(name).second)
      throw input_error(fmt::format("{}: {}", where_, path()), "this key twice", "each key once");
  }

 private:
  struct Level {
    std::set<std::string> names;
    std::string last;
  };

  std::string path() const {
    std::string path;
    for (const Level& level : open_) {
      if (!level.last.empty()) path += (path.empty() ? "" : ".") + level.last;
    }
    return path;
  }

  const std::string& where_;
  const std::string& kind_;
  std::vector<Level> open_;
};

/// Without "[json.exception.parse_error.101] ".
std::string syntax_error(const std::string& what) {
  const auto end = what.find("] ");
  return quote(end == std::string::npos ? what : what.substr(end + 2));
}

}  // namespace

template <class Json>
Json parse_json(std::string_view text, const std::string& where, const std::string& kind) {
  using Event = typename Json::parse_event_t;
  KeyCheck check(where, kind);
  const auto watch = [&](int, Event event, Json& parsed) {
    if (event == Event::object_start || event == Event::array_start) check.open();
    if (event == Event::object_end || event == Event::array_end) check.close();
    if (event == Event::key) check.key(parsed.template get<std::string>());
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const typename Json::exception& error) {
    throw InputError(fmt::format("{}: not {}: {}", quote(where), kind, syntax_error(error.what())),
                     HelpPage::wrong_file);
  }
}

template nlohmann::json parse_json(std::string_view, const std::string&, const std::string&);
template nlohmann::ordered_json parse_json(std::string_view, const std::string&, const std::string&);

}  // namespace foretile
