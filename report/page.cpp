// SPDX-License-Identifier: BSD-3-Clause
#include "report/page.hpp"

#include <stdexcept>
#include <string_view>

#include "report/packed_page.hpp"

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kTitle = "<!-- foretile: title -->", kData = "<!-- foretile: data -->";

std::string replaced(std::string text, char which, std::string_view by) {
  for (std::size_t at = text.find(which); at != std::string::npos; at = text.find(which, at + by.size()))
    text.replace(at, 1, by);
  return text;
}

std::size_t place_of(std::string_view marker) {
  const std::size_t at = packed_page().find(marker);
  if (at == std::string_view::npos) throw std::logic_error("the packed page has no " + std::string(marker));
  return at;
}

}  // namespace

std::string escaped_html(const std::string& text) {
  return replaced(replaced(replaced(text, '&', "&amp;"), '<', "&lt;"), '>', "&gt;");
}

std::string script_json(const Json& json) {
  return replaced(json.dump(-1, ' ', false, Json::error_handler_t::replace), '<', "\\u003c");
}

void write_page(std::ostream& out, const Json& facts, const Sections& sections) {
  const std::string_view page = packed_page();
  const std::size_t title = place_of(kTitle), data = place_of(kData);
  out << page.substr(0, title) << escaped_html(facts.at("title").get<std::string>())
      << page.substr(title + kTitle.size(), data - title - kTitle.size())
      << R"(<script type="application/json" id="facts">)" << script_json(facts) << "</script>\n";
  sections.write(out);
  out << page.substr(data + kData.size());
}

}  // namespace foretile
