// SPDX-License-Identifier: BSD-3-Clause
#include "base/c_status.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

namespace foretile::c_status_test {
namespace {

/// Callers in C cannot catch, and a handler that asks for memory may find none.
static_assert(noexcept(set_c_message({})));
static_assert(noexcept(guarded([] {})));

TEST(CStatus, SaysWhatFailed) {
  EXPECT_EQ(guarded([] {}), FORETILE_OK);
  EXPECT_EQ(guarded([] { throw InputError("a"); }), FORETILE_WRONG_INPUT);
  EXPECT_STREQ(foretile_message(), "a");
  EXPECT_EQ(guarded([] { throw std::runtime_error("b"); }), FORETILE_FAILED);
  EXPECT_STREQ(foretile_message(), "b");
  EXPECT_EQ(guarded([] { throw std::bad_alloc(); }), FORETILE_FAILED);
  EXPECT_STREQ(foretile_message(), "memory is used up");
  EXPECT_EQ(guarded([] { throw 1; }), FORETILE_FAILED);
  EXPECT_STREQ(foretile_message(), "an exception of an unknown type");
}

TEST(CStatus, KeepsTheBeginningOfALongText) {
  set_c_message(std::string(kLongestCMessage, 'x'));
  EXPECT_EQ(std::string(foretile_message()), std::string(kLongestCMessage, 'x'));
  const std::string euro = "\xe2\x82\xac";  // would be cut after two of its three bytes
  set_c_message(std::string(kLongestCMessage - 2, 'x') + euro);
  EXPECT_EQ(std::string(foretile_message()), std::string(kLongestCMessage - 2, 'x'));
  set_c_message("short");
  EXPECT_STREQ(foretile_message(), "short");
}

}  // namespace
}  // namespace foretile::c_status_test
