// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/compare_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "platforms/runtime_source.hpp"

namespace foretile {

namespace {

using Row = std::array<std::string, 4>;

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.3g}", *ratio) : std::string();
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

/// Columns as wide as their widest entry; the first to the left, the others to the right.
std::string table(const std::vector<Row>& rows) {
  std::array<std::size_t, 4> width{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width.at(i) = std::max(width.at(i), row.at(i).size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line = fmt::format("  {:<{}}", row[0], width[0]);
    for (std::size_t i = 1; i < row.size(); ++i) line += fmt::format("  {:>{}}", row.at(i), width.at(i));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::vector<Row> figure_rows(const PlatformComparison& c) {
  std::vector<Row> rows = {{"", c.first, c.second, "ratio"}};
  for (const ComparedFigure& f : c.figures)
    rows.push_back({f.key->path, or_dash(f.first), or_dash(f.second), ratio_text(f.ratio())});
  return rows;
}

std::vector<Row> prediction_rows(const PlatformComparison& c) {
  std::vector<Row> rows = {{"", c.first, c.second, "ratio"}};
  for (const ComparedPrediction& p : c.predictions) {
    const std::string ratio = fmt::format("{:.3g}{}", p.ratio(), p.differs() ? " *" : "  ");
    rows.push_back({fmt::format("{}, {} x {}", p.what, p.tile, p.tile), format_quantity(p.first, p.dimension),
                    format_quantity(p.second, p.dimension), ratio});
  }
  return rows;
}

std::string legend(const PlatformComparison& c) {
  const bool known = std::any_of(c.predictions.begin(), c.predictions.end(),
                                 [](const ComparedPrediction& p) { return p.spread > 0; });
  if (known) return "* apart by more than twice the spread of both from run to run ([noise])\n";
  return "* apart; no spread is known from run to run ([noise] is 0 in both)\n";
}

}  // namespace

std::string runtime_warning(const PlatformComparison& c) {
  if (!c.runtimes_differ()) return {};
  return fmt::format(
      "software costs differ: in {} they are {}, in {} {}; simulated times of the two compare the software "
      "too",
      c.first, runtime_source_text(c.first_runtime), c.second, runtime_source_text(c.second_runtime));
}

std::string comparison_text(const PlatformComparison& c) {
  std::string text = table(figure_rows(c));
  if (c.predictions.empty()) return text;
  return text + "\nWhat that means for tiles on one device\n" + table(prediction_rows(c)) + "\n" + legend(c);
}

nlohmann::json comparison_json(const PlatformComparison& c) {
  nlohmann::json figures = nlohmann::json::array();
  for (const ComparedFigure& f : c.figures) {
    nlohmann::json figure = {
        {"key", f.key->path}, {"first", nullptr}, {"second", nullptr}, {"ratio", nullptr}};
    if (!f.first.empty()) figure["first"] = f.a ? nlohmann::json(*f.a) : nlohmann::json(f.first);
    if (!f.second.empty()) figure["second"] = f.b ? nlohmann::json(*f.b) : nlohmann::json(f.second);
    if (f.ratio()) figure["ratio"] = *f.ratio();
    figures.push_back(std::move(figure));
  }
  nlohmann::json predictions = nlohmann::json::array();
  for (const ComparedPrediction& p : c.predictions) {
    predictions.push_back({{"what", p.what},
                           {"tile", p.tile},
                           {"first", p.first},
                           {"second", p.second},
                           {"ratio", p.ratio()},
                           {"spread", p.spread},
                           {"differs", p.differs()}});
  }
  return {{"first", c.first},
          {"second", c.second},
          {"runtime_source", {{"first", c.first_runtime}, {"second", c.second_runtime}}},
          {"runtimes_differ", c.runtimes_differ()},
          {"figures", figures},
          {"predictions", predictions}};
}

}  // namespace foretile
