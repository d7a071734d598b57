// SPDX-License-Identifier: BSD-3-Clause
// How the programs print --help. scripts/reference reads it for the tables of options in docs/.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace foretile {

/// Lines as wide as the terminal, at most 100 columns, or as COLUMNS says; 80 elsewhere. Each option is
/// printed as "--name VALUE", then its meaning with all that CLI11 knows: range, default, what it needs and
/// excludes.
class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat();
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_subcommand(const CLI::App* sub) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;

 private:
  std::size_t width_ = 80;
};

}  // namespace foretile
