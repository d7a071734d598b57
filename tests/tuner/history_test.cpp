// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/history.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "tests/tuner/temporary_folder.hpp"

namespace foretile::history_test {
namespace {

using nlohmann::json;

const json header = {{"problem", "abc"}, {"seed", 1}};

Evaluation evaluation(int i) {
  return {{{"i", std::to_string(i)}}, {Outcome::Status::done, 1.0 + i, "", {{"n", i}}}, 0.5};
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string error_of(const std::filesystem::path& path, const json& expected = header) {
  const std::string before = read_text(path);
  try {
    History history(path, expected);
  } catch (const InputError& error) {
    EXPECT_EQ(read_text(path), before) << "the file must stay as it was";
    return error.what();
  }
  return "no error";
}

/// A history of three evaluations.
std::string whole_history(const std::filesystem::path& path) {
  History history(path, header);
  for (int i = 0; i < 3; ++i) history.append(evaluation(i));
  return read_text(path);
}

TEST(History, IsReadBack) {
  const TemporaryFolder folder;
  whole_history(folder / "h.jsonl");
  const History history(folder / "h.jsonl", header);
  ASSERT_EQ(history.evaluations().size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(*history.find({{"i", std::to_string(i)}}), evaluation(i));
  EXPECT_FALSE(history.contains({{"i", "3"}}));
}

/// What was stopped once and then simulated in full counts as done; a failure after it does not count.
TEST(History, ADoneEvaluationReplacesAStoppedOne) {
  const TemporaryFolder folder;
  const Evaluation stopped{{{"i", "1"}}, {Outcome::Status::stopped, 0, "", {}, 1.5}, 0.5};
  const Evaluation failed{{{"i", "1"}}, {Outcome::Status::failed, 0, "crash", {}}, 0.5};
  {
    History history(folder / "h.jsonl", header);
    history.append(evaluation(0));
    for (const Evaluation& next : {stopped, failed}) history.append(next);
    EXPECT_EQ(history.evaluations()[1], stopped);
    history.append(evaluation(1));
    history.append(stopped);
  }
  const History history(folder / "h.jsonl", header);
  ASSERT_EQ(history.evaluations().size(), 2u);
  EXPECT_EQ(*history.find({{"i", "1"}}), evaluation(1));
}

TEST(History, LosesOnlyTheTornLineWhereverItIsCut) {
  const TemporaryFolder folder;
  const std::string whole = whole_history(folder / "whole.jsonl");
  const auto path = folder / "cut.jsonl";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    write_text(path, cut);
    const auto lines = std::count(cut.begin(), cut.end(), '\n');
    {
      History history(path, header);
      ASSERT_EQ(static_cast<std::ptrdiff_t>(history.evaluations().size()),
                std::max<std::ptrdiff_t>(0, lines - 1));
      for (int i = static_cast<int>(history.evaluations().size()); i < 3; ++i) history.append(evaluation(i));
    }
    ASSERT_EQ(read_text(path), whole) << "cut at " << length;
  }
}

TEST(History, SaysWhichHeaderFieldDiffers) {
  const TemporaryFolder folder;
  const auto path = folder / "h.jsonl";
  whole_history(path);
  const std::string other_seed = error_of(path, {{"problem", "abc"}, {"seed", 2}});
  EXPECT_NE(other_seed.find("h.jsonl:1: seed: found 1, expected 2"), std::string::npos) << other_seed;
  EXPECT_NE(other_seed.find("another history file"), std::string::npos) << other_seed;
  const std::string more = error_of(path, {{"problem", "abc"}, {"seed", 1}, {"platform", "x"}});
  EXPECT_NE(more.find("platform: found nothing, expected \"x\""), std::string::npos) << more;
  const std::string less = error_of(path, {{"problem", "abc"}});
  EXPECT_NE(less.find("seed: found 1, expected nothing"), std::string::npos) << less;
}

TEST(History, NeverTouchesAFileThatIsNone) {
  const TemporaryFolder folder;
  const auto path = folder / "h.jsonl";
  for (const char* text :
       {"dear diary", "dear diary\n", "{}\n", "[1]\n{}\n", "3\n", "\n", "{\"other\": 1}"}) {
    write_text(path, text);
    EXPECT_NE(error_of(path).find("h.jsonl:1"), std::string::npos) << text;
  }
}

TEST(History, NamesTheDamagedLine) {
  const TemporaryFolder folder;
  const auto path = folder / "h.jsonl";
  std::string text = whole_history(path);
  write_text(path, text + "{\"status\": \"done\"}\n");
  EXPECT_NE(error_of(path).find("h.jsonl:5: "), std::string::npos) << error_of(path);
  write_text(path, text.insert(text.find('\n') + 1, "oh no\n"));
  EXPECT_NE(error_of(path).find("h.jsonl:2: not an evaluation"), std::string::npos) << error_of(path);
}

TEST(History, RefusesWhatIsReadLaterAndIsNot) {
  const TemporaryFolder folder;
  const auto path = folder / "h.jsonl";
  const std::string text = whole_history(path);
  const std::string extra = "\"extra\":{\"n\":1}";
  ASSERT_NE(text.find(extra), std::string::npos) << text;
  for (const auto& [found, expected] : std::initializer_list<std::pair<const char*, const char*>>{
           {"3", "h.jsonl:3: extra: found number, expected an object"},
           {"{\"chunks_and_messages\":\"9\"}",
            "h.jsonl:3: extra.chunks_and_messages: found \"9\", expected a number"},
           {"{\"coarse\":1}", "h.jsonl:3: extra.coarse: found 1, expected true or false"},
           {"{\"limit\":3}", "h.jsonl:3: extra.limit: found 3, expected a string"},
           {"{\"flops_per_s\":null}", "h.jsonl:3: extra.flops_per_s: found null, expected a number"},
           {"{\"plan\":[]}", "h.jsonl:3: extra.plan: found [], expected a string"}}) {
    write_text(path,
               std::string(text).replace(text.find(extra), extra.size(), std::string("\"extra\":") + found));
    EXPECT_NE(error_of(path).find(expected), std::string::npos) << error_of(path);
  }
}

TEST(History, KnowsTheLineOfACandidate) {
  const TemporaryFolder folder;
  whole_history(folder / "h.jsonl");
  EXPECT_TRUE(place_in_history(folder / "h.jsonl", {{"i", "1"}}).ends_with("h.jsonl:3"));
  EXPECT_TRUE(place_in_history(folder / "h.jsonl", {{"i", "7"}}).ends_with("h.jsonl"));
}

TEST(History, RefusesAKeyThatStandsTwice) {
  const TemporaryFolder folder;
  const auto path = folder / "h.jsonl";
  std::string text = whole_history(path);
  const auto status = text.find("\"status\":");
  write_text(path, std::string(text).insert(status, "\"status\":\"done\","));
  EXPECT_NE(error_of(path).find("h.jsonl:2: status: found this key twice"), std::string::npos)
      << error_of(path);
  write_text(path, text.insert(1, "\"foretile_history\":1,"));
  EXPECT_NE(error_of(path).find("h.jsonl:1: foretile_history: found this key twice"), std::string::npos)
      << error_of(path);
}

TEST(ReadHistory, TakesWhateverItBelongsTo) {
  const TemporaryFolder folder;
  const auto path = folder / "h.jsonl";
  const std::string whole = whole_history(path);
  EXPECT_EQ(read_history(path), (std::vector<Evaluation>{evaluation(0), evaluation(1), evaluation(2)}));
  write_text(path, whole.substr(0, whole.size() - 4));
  EXPECT_EQ(read_history(path).size(), 2u) << "the last line is torn";
  EXPECT_EQ(read_text(path), whole.substr(0, whole.size() - 4)) << "and stays so";
}

std::string reading_error(const std::filesystem::path& path) {
  try {
    read_history(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ReadHistory, RefusesWhatIsNone) {
  const TemporaryFolder folder;
  const auto path = folder / "h.jsonl";
  EXPECT_NE(reading_error(path).find("h.jsonl"), std::string::npos) << "not there";
  for (const char* text :
       {"", "\n", "dear diary\n", "{}\n", "{\"foretile_history\":1", "[\"foretile_history\"]\n"}) {
    write_text(path, text);
    EXPECT_NE(reading_error(path).find("h.jsonl:1: found no header, expected a history of `foretile tune`"),
              std::string::npos)
        << text << ": " << reading_error(path);
  }
  write_text(path, "{\"foretile_history\":2}\n");
  EXPECT_NE(reading_error(path).find("h.jsonl:1: foretile_history: found 2, expected 1"), std::string::npos)
      << reading_error(path);
  write_text(path, "{\"foretile_history\":1}\noh no\n");
  EXPECT_NE(reading_error(path).find("h.jsonl:2: not an evaluation"), std::string::npos)
      << reading_error(path);
}

/// Reading must not end the lock of a run that still writes (POSIX locks end with any close of the file).
TEST(ReadHistory, ReadsThatOfARunThatIsGoing) {
  const TemporaryFolder folder;
  History held(folder / "h.jsonl", header);
  held.append(evaluation(0));
  const int pid = ::fork();
  if (pid == 0) ::_exit(read_history(folder / "h.jsonl").size() == 1 ? 0 : 1);
  int status = 1;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(History, NeedsARegularFile) {
  EXPECT_THROW(History("/dev/null", header), InputError);
}

TEST(History, NeedsAPlaceToWrite) {
  const TemporaryFolder folder;
  EXPECT_THROW(History(folder / "missing/h.jsonl", header), InputError);
  EXPECT_THROW(History(folder / "", header), InputError);
}

TEST(History, BelongsToOneRunAtATime) {
  const TemporaryFolder folder;
  const History held(folder / "h.jsonl", header);
  const int pid = ::fork();  // POSIX locks are per process
  if (pid == 0) {
    try {
      History second(folder / "h.jsonl", header);
    } catch (const InputError& error) {
      ::_exit(std::string(error.what()).find("still going") == std::string::npos ? 2 : 0);
    }
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(History, InMemoryNeedsNoFile) {
  History history;
  history.append(evaluation(1));
  EXPECT_TRUE(history.contains(evaluation(1).candidate));
}

}  // namespace
}  // namespace foretile::history_test
