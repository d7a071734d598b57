#include "base/parse.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace foretile {

namespace {

constexpr const char* kAuto = "auto";

template <class Number>
Number number_setting(const Settings& settings, const std::string& key, Number low, Number high,
                      const char* kind) {
  const std::string& text = settings.at(key);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= low && value <= high)) {
    throw input_error(key, text.empty() ? "nothing" : text, fmt::format("{} from {} to {}", kind, low, high));
  }
  return value;
}

}  // namespace

std::int64_t integer_setting(const Settings& settings, const std::string& key, std::int64_t low,
                             std::int64_t high) {
  return number_setting(settings, key, low, high, "a whole number");
}

std::optional<std::int64_t> integer_or_auto(const Settings& settings, const std::string& key,
                                            std::int64_t low, std::int64_t high) {
  if (settings.at(key) == kAuto) return std::nullopt;
  return number_setting(settings, key, low, high, "auto or a whole number");
}

double real_setting(const Settings& settings, const std::string& key, double low, double high) {
  return number_setting(settings, key, low, high, "a number");
}

}  // namespace foretile
