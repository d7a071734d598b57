// SPDX-License-Identifier: BSD-3-Clause
// foretile platform new: writes the file of a machine from a few figures, by options or by questions.
#include "apps/foretile/platform_new.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "apps/options.hpp"
#include "apps/program.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/near.hpp"
#include "base/one_line.hpp"
#include "platforms/guesses.hpp"
#include "platforms/loader.hpp"
#include "platforms/units.hpp"

namespace foretile {

namespace {

constexpr const char* kNoDevice = "none";

/// What is known so far.
struct Answers {
  NewPlatformFile file;
  bool has_device = false;  ///< whether its type, or none, is known
  bool has_cards = false;

  NewPlatform& machine() { return file.machine; }
  const NewPlatform& machine() const { return file.machine; }
  bool may_have_gpus() const { return !has_device || machine().device; }
  bool copies() const { return machine().device && !machine().device->in_host_memory; }
};

/// One figure: an option, and a question.
struct Question {
  const char* option;
  const char* type;
  const char* meaning;
  std::function<void(Answers&, const std::string&)> take;  ///< throws InputError
  /// Whether the machine has the figure at all.
  std::function<bool(const Answers&)> is_asked = [](const Answers&) { return true; };
  /// What holds without an answer; empty: it is needed. None: always needed.
  std::function<std::string(const Answers&)> usual = {};
};

// ---- values ----

template <class Number>
bool is_number(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

int count_in(const char* option, const std::string& text, int low, int high) {
  int value = 0;
  if (is_number(text, value) && value >= low && value <= high) return value;
  throw input_error(option, quote(text), fmt::format("a whole number from {} to {}", low, high));
}

/// A number alone is in `unit` SI units.
double quantity_in(const char* option, const std::string& text, Dimension dimension, double unit) {
  constexpr double kLow = 1e6, kHigh = 1e15;
  double value = 0;
  if (is_number(text, value)) {
    value *= unit;
  } else {
    try {
      value = parse_quantity(text, dimension, option);
    } catch (const InputError&) {
      value = 0;
    }
  }
  if (value >= kLow && value <= kHigh) return value;  // false for NaN
  const char* const giga = dimension == Dimension::bytes ? "GB" : "GB/s";
  throw input_error(
      option, quote(text),
      fmt::format("{} to {}", format_quantity(kLow, dimension), format_quantity(kHigh, dimension)),
      fmt::format("a number alone is in {0}: 128 is \"128 {0}\"", giga));
}

constexpr double kGiga = 1e9;

double rate_in(const char* option, const std::string& text) {
  return quantity_in(option, text, Dimension::bytes_per_s, kGiga);
}

/// "55.4", "375/297".
RatePair rates_in(const char* option, const std::string& text) {
  int count = 0;
  std::size_t slash = std::string::npos;
  for (std::size_t at = text.find('/'); at != std::string::npos; at = text.find('/', at + 1)) {
    if (at > 0 && at + 1 < text.size() && text[at + 1] == 's') continue;  // GB/s
    slash = at;
    ++count;
  }
  if (count > 1) throw input_error(option, quote(text), "one rate, or two as 375/297");
  if (count == 0) return {rate_in(option, text), rate_in(option, text)};
  return {rate_in(option, text.substr(0, slash)), rate_in(option, text.substr(slash + 1))};
}

std::string name_in(const char* option, const std::string& text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (!text.empty() && std::ranges::all_of(text, fits)) return text;
  throw input_error(option, quote(text), "letters, digits, _ and -");
}

const DeviceType* device_in(const char* option, const std::string& text) {
  if (text == kNoDevice) return nullptr;
  if (const DeviceType* const type = find_device_type(text)) return type;
  std::vector<std::string> names{kNoDevice};
  for (const DeviceType& type : device_types()) names.emplace_back(type.name);
  throw input_error(option, quote(text), fmt::format("{} or {}", device_type_names(), kNoDevice),
                    did_you_mean(text, names));
}

template <class Value>
using Names = std::vector<std::pair<std::string, Value>>;

template <class Value>
Value named_value(const char* option, const std::string& text, const Names<Value>& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) {
    if (name == text) return value;
    names.push_back(name);
  }
  throw input_error(option, quote(text), fmt::format("{}", fmt::join(names, ", ")),
                    did_you_mean(text, names));
}

template <class Value>
std::string name_in_list(const Names<Value>& names, Value value) {
  const auto found = std::ranges::find(names, value, &Names<Value>::value_type::second);
  return found == names.end() ? std::string() : found->first;
}

Names<CardPlace> places() {
  return {{"host", CardPlace::host}, {"device", CardPlace::device}, {"pcie", CardPlace::pcie}};
}

Names<DeviceLinks> link_forms() {
  return {{"pairs", DeviceLinks::pairs}, {"switch", DeviceLinks::switched}, {"none", DeviceLinks::none}};
}

// ---- questions ----

constexpr int kMostSockets = 8, kMostDevices = 64, kMostCards = 64, kMostCores = 8192;

std::string giga_text(double value) {
  return fmt::format("{:.4g}", value / kGiga);
}

std::vector<Question> node_questions() {
  return {{"--name", "NAME", "Name of the machine",
           [](Answers& a, const std::string& text) { a.machine().name = name_in("--name", text); }},
          {"--nodes", "N", "Nodes of the whole machine",
           [](Answers& a, const std::string& text) {
             a.machine().nodes = count_in("--nodes", text, 1, kMostNodes);
           }},
          {"--device", "TYPE", "Type of the GPUs, or none where the cores compute",
           [](Answers& a, const std::string& text) {
             a.machine().device = device_in("--device", text);
             a.has_device = true;
           }},
          {"--devices", "N", "GPUs of a node; a die of an MI250X and a tile of a PVC count as one",
           [](Answers& a, const std::string& text) {
             a.machine().devices = count_in("--devices", text, 1, kMostDevices);
           },
           [](const Answers& a) { return a.may_have_gpus(); }},
          {"--device-memory", "GB", "Memory of one GPU. Default: that of the type",
           [](Answers& a, const std::string& text) {
             a.machine().device_memory_bytes = quantity_in("--device-memory", text, Dimension::bytes, kGiga);
           },
           [](const Answers& a) { return a.copies(); },
           [](const Answers& a) { return giga_text(a.machine().device->memory.value); }},
          {"--sockets", "N", "Sockets of a node, or NUMA domains",
           [](Answers& a, const std::string& text) {
             a.machine().sockets = count_in("--sockets", text, 1, kMostSockets);
           }},
          {"--cores", "N", "Cores of a node, all sockets together",
           [](Answers& a, const std::string& text) {
             a.machine().cores = count_in("--cores", text, 1, kMostCores);
           }},
          {"--core-rate", "GFLOPS", "Where the cores compute: Gflop/s of one, all busy. Default: a guess",
           [](Answers& a, const std::string& text) {
             a.machine().core_flops_per_s = quantity_in("--core-rate", text, Dimension::flops_per_s, kGiga);
           },
           [](const Answers& a) { return a.has_device && !a.machine().device; },
           [](const Answers&) { return std::string("a guess"); }},
          {"--memory", "GB", "Host memory of a node", [](Answers& a, const std::string& text) {
             a.machine().memory_bytes = quantity_in("--memory", text, Dimension::bytes, kGiga);
           }}};
}

std::vector<Question> link_questions() {
  return {{"--host-link", "GB/s",
           "Link between one GPU and its host, per direction, or to the GPU and back as 375/297. Default: "
           "that of "
           "the type",
           [](Answers& a, const std::string& text) { a.machine().host_link = rates_in("--host-link", text); },
           [](const Answers& a) { return a.copies(); },
           [](const Answers& a) {
             const DeviceType& type = *a.machine().device;
             return giga_text(type.to_device.value) + "/" + giga_text(type.to_host.value);
           }},
          {"--device-link-form", "{pairs,switch,none}",
           "A link for each pair of GPUs, a switch with a port for each GPU, or neither. Default: pairs, and "
           "switch for more than four NVIDIA GPUs",
           [](Answers& a, const std::string& text) {
             a.machine().device_links = named_value("--device-link-form", text, link_forms());
           },
           [](const Answers& a) { return a.copies() && a.machine().devices > 1; },
           [](const Answers& a) { return name_in_list(link_forms(), usual_device_links(a.machine())); }},
          {"--device-link", "GB/s",
           "Link of one pair of GPUs, or one port, per direction. Default: that of the type",
           [](Answers& a, const std::string& text) {
             a.machine().device_link_bytes_per_s = rate_in("--device-link", text);
           },
           [](const Answers& a) {
             return a.machine().device && a.machine().devices > 1 &&
                    a.machine().device_links != DeviceLinks::none;
           },
           [](const Answers& a) { return giga_text(usual_device_link(a.machine()).value); }}};
}

std::vector<Question> card_questions() {
  const auto has_cards = [](const Answers& a) { return !a.has_cards || a.machine().cards > 0; };
  return {{"--cards", "N", "Network cards of a node; of a single node 0",
           [](Answers& a, const std::string& text) {
             a.machine().cards = count_in("--cards", text, 0, kMostCards);
             a.has_cards = true;
           }},
          {"--card-bandwidth", "GB/s", "What one card carries, per direction; 90% to 95% of nominal is usual",
           [](Answers& a, const std::string& text) {
             a.machine().card_bytes_per_s = rate_in("--card-bandwidth", text);
           },
           has_cards},
          {"--cards-at", "{host,device,pcie}",
           "Cards are attached to sockets, to GPUs, or to PCIe switches that they share with GPUs. Default: "
           "by the "
           "type and the numbers",
           [](Answers& a, const std::string& text) {
             a.machine().cards_at = named_value("--cards-at", text, places());
           },
           [=](const Answers& a) { return has_cards(a) && a.copies(); },
           [](const Answers& a) { return name_in_list(places(), usual_card_place(a.machine())); }},
          {"--output", "FILE.toml", "The platform file. Default: NAME.toml",
           [](Answers& a, const std::string& text) { a.file.output = text; },
           [](const Answers&) { return true; }, [](const Answers& a) { return a.machine().name + ".toml"; }}};
}

/// In the order in which they are asked: each may look at the answers before it.
std::vector<Question> questions() {
  std::vector<Question> all = node_questions();
  for (const auto& more : {link_questions(), card_questions()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::string prompt_of(const Question& question, const std::string& usual) {
  const std::string meaning(question.meaning);
  const std::string text = meaning.substr(0, meaning.find(". Default:"));
  return fmt::format(
      "{}{}{}: ", text,
      std::string_view(question.type).find("GB") == 0 ? fmt::format(", {}", question.type) : "",
      usual.empty() ? "" : fmt::format(" [{}]", usual));
}

/// False where the terminal has no more lines.
bool asked(const Question& question, Answers& answers, const QuestionTerminal& terminal) {
  const std::string usual = question.usual ? question.usual(answers) : "";
  while (true) {
    if (question.option == std::string_view("--device"))
      terminal.out << "Types: " << device_type_names() << ", " << kNoDevice << "\n";
    terminal.out << prompt_of(question, usual) << std::flush;
    std::string line;
    if (!std::getline(terminal.in, line)) return false;
    if (line.empty() && !usual.empty()) return true;
    try {
      question.take(answers, line);
      return true;
    } catch (const InputError& error) {
      terminal.out << explained(error) << "\n";
    }
  }
}

[[noreturn]] void refuse_missing(const std::vector<std::string>& missing) {
  throw input_error("platform new", fmt::format("no {}", fmt::join(missing, ", ")),
                    missing.size() == 1 ? "this option" : "these options",
                    "add them; on a terminal they are asked for");
}

}  // namespace

NewPlatformFile new_platform_file(const FigureTexts& given, const QuestionTerminal* terminal) {
  Answers answers;
  std::vector<std::string> missing;
  for (const Question& question : questions()) {
    if (const auto text = given.find(question.option); text != given.end()) {
      question.take(answers, text->second);
    } else if (question.is_asked(answers)) {
      if (terminal && asked(question, answers, *terminal)) continue;
      terminal = nullptr;
      if (!question.usual) missing.emplace_back(question.option);
    }
  }
  if (!missing.empty()) refuse_missing(missing);
  if (answers.file.output.empty()) answers.file.output = answers.machine().name + ".toml";
  return answers.file;
}

namespace {

struct NewArguments {
  FigureTexts given;
  bool overwrite = false;
  Options options;
};

void require_free(const std::string& output, bool overwrite) {
  std::error_code ignored;
  if (overwrite || !std::filesystem::is_regular_file(output, ignored)) return;
  throw input_error("--output", fmt::format("{}, which is there", quote(output)), "the name of a new file",
                    "choose another name, or add --overwrite to replace it");
}

NewPlatformFile answered(const NewArguments& arguments) {
  if (const auto output = arguments.given.find("--output"); output != arguments.given.end())
    require_free(output->second, arguments.overwrite);
  if (::isatty(STDIN_FILENO) == 0) return new_platform_file(arguments.given, nullptr);
  const QuestionTerminal terminal{std::cin, std::cerr};
  return new_platform_file(arguments.given, &terminal);
}

void write_new(const NewArguments& arguments) {
  const NewPlatformFile file = answered(arguments);
  require_free(file.output, arguments.overwrite);
  const std::string text = new_platform_toml(file.machine);
  const Platform platform = parse_platform(text, file.output);  // no file that others would refuse
  write_atomically(file.output, [&](std::ostream& out) { out << text; });
  const std::vector<std::string> guesses = guessed_keys(platform);
  if (arguments.options.json)
    return print_json({{"name", platform.name}, {"file", file.output}, {"guesses", guesses}});
  fmt::print(
      "Written to {0}\n{1} of its figures are guesses. How much they matter: foretile platform show {0} "
      "--sensitivity PROBLEM\n",
      one_line(file.output), guesses.size());
}

}  // namespace

void add_platform_new(CLI::App& group) {
  CLI::App* command = group.add_subcommand(
      "new", "Write the file of a machine from a few figures. On a terminal, missing ones are asked for");
  const auto arguments = std::make_shared<NewArguments>();
  for (const Question& question : questions()) {
    const std::string option = question.option;
    const std::string names = option == "--output" ? "-o,--output" : option;
    const std::string meaning = option == "--device"
                                    ? fmt::format("{}: {}", question.meaning, device_type_names())
                                    : question.meaning;
    command
        ->add_option_function<std::string>(
            names, [arguments, option](const std::string& text) { arguments->given[option] = text; }, meaning)
        ->check(not_empty_check())
        ->type_name(question.type);
  }
  command->add_flag("--overwrite", arguments->overwrite, "Replace a file that is there");
  add_json_option(*command, arguments->options);
  command->callback([arguments] { write_new(*arguments); });
}

}  // namespace foretile
