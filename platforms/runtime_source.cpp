#include "platforms/platform.hpp"

namespace foretile {

const std::vector<std::string>& runtime_sources() {
  static const std::vector<std::string> sources = {"paper", "foretile-run", "typical", "none"};
  return sources;
}

std::string runtime_source_text(const std::string& source) {
  if (source == "paper") return "those of the paper's runtime";
  if (source == "foretile-run") return "those of foretile-run";
  if (source == "typical") return "those of foretile-run on another machine";
  return "none counted";
}

}  // namespace foretile
