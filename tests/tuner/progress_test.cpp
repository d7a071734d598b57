#include "tuner/progress.hpp"

#include <gtest/gtest.h>

namespace foretile {
namespace {

TEST(TuneProgressText, TellsWhatIsKnown) {
  EXPECT_EQ(progress_text({0, 100, 2, {}, 0.1, {}}), "tune 0/100");
  EXPECT_EQ(progress_text({12, 100, 2, 34.9123, 9, 41.4}), "tune 12/100, best 34.91 s, 41 s left");
  EXPECT_EQ(progress_text({12, 100, 2, {}, 9, 125.0}), "tune 12/100, 2 min 05 s left");
}

}  // namespace
}  // namespace foretile
