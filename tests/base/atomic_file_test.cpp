// SPDX-License-Identifier: BSD-3-Clause
#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <new>
#include <thread>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_files.hpp"
#include "tests/base/scratch_folder.hpp"

namespace foretile::atomic_file_test {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kStranger = 1234;

struct stat facts_of(const fs::path& path) {
  struct stat facts = {};
  EXPECT_EQ(::lstat(path.c_str(), &facts), 0) << path;
  return facts;
}

mode_t mode_of(const fs::path& path) {
  return facts_of(path).st_mode & 07777;
}

void write(const fs::path& path, const std::string& text) {
  write_atomically(path, [&](std::ostream& out) { out << text; });
}

std::string error_of(const fs::path& path) {
  try {
    write(path, "new");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing thrown";
}

class AtomicFiles : public ScratchFolder {
 protected:
  /// A folder with this mode and owner, and in it a link of that owner to the victim's file.
  void plant_link(mode_t mode, uid_t owner_of_folder, uid_t owner_of_link) {
    write(victim_, "precious");
    fs::create_directory(open_);
    fs::create_symlink(victim_, open_ / "out");
    ASSERT_EQ(::lchown((open_ / "out").c_str(), owner_of_link, 0), 0);
    ASSERT_EQ(::chown(open_.c_str(), owner_of_folder, 0), 0);
    ASSERT_EQ(::chmod(open_.c_str(), mode), 0);
  }

  fs::path victim_ = folder_ / "victim";
  fs::path open_ = folder_ / "open";
};

TEST_F(AtomicFiles, TwoWritersOfOnePathDoNotMeet) {
  AtomicFile first(folder_ / "same");
  AtomicFile second(folder_ / "same");
  first.stream() << "first";
  second.stream() << "second";
  first.commit();
  EXPECT_EQ(read_text(folder_ / "same"), "first");
  second.commit();
  EXPECT_EQ(read_text(folder_ / "same"), "second");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFiles, ALongTextArrivesWhole) {
  std::string text(300'001, 'x');
  text += '\n';
  write(folder_ / "long", text);
  EXPECT_EQ(read_text(folder_ / "long"), text);
}

TEST_F(AtomicFiles, AFailedRenameNamesThePath) {
  AtomicFile file(folder_ / "taken");
  fs::create_directories(folder_ / "taken");
  try {
    file.commit();
    FAIL() << "a folder was replaced";
  } catch (const WorkError& error) {
    EXPECT_NE(std::string(error.what()).find((folder_ / "taken").string()), std::string::npos);
  }
}

TEST_F(AtomicFiles, AnErrorChangesNothingAndLeavesNothing) {
  write(folder_ / "out", "old");
  const auto fail = [](std::ostream& out) {
    out << "new";
    throw WorkError("stop");
  };
  EXPECT_THROW(write_atomically(folder_ / "out", fail), WorkError);
  EXPECT_THROW(write_atomically(folder_ / "other", fail), WorkError);
  EXPECT_EQ(read_text(folder_ / "out"), "old");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFiles, AFileKeepsItsMode) {
  for (const mode_t mode : {0600U, 0640U, 0664U, 0755U}) {
    write(folder_ / "out", "old");
    ASSERT_EQ(::chmod((folder_ / "out").c_str(), mode), 0);
    write(folder_ / "out", "new");
    EXPECT_EQ(mode_of(folder_ / "out"), mode);
    EXPECT_EQ(read_text(folder_ / "out"), "new");
  }
}

TEST_F(AtomicFiles, ANewFileObeysTheUmask) {
  const mode_t before = ::umask(027);
  write(folder_ / "out", "new");
  ::umask(before);
  EXPECT_EQ(mode_of(folder_ / "out"), 0640U);
}

TEST_F(AtomicFiles, AFileKeepsItsOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of other users";
  write(folder_ / "out", "old");
  ASSERT_EQ(::chown((folder_ / "out").c_str(), kStranger, kStranger), 0);
  write(folder_ / "out", "new");
  EXPECT_EQ(facts_of(folder_ / "out").st_uid, kStranger);
  EXPECT_EQ(facts_of(folder_ / "out").st_gid, kStranger);
}

TEST_F(AtomicFiles, AProtectedFileIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  write(folder_ / "out", "old");
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  ASSERT_EQ(::seteuid(kStranger), 0);
  const std::string error = error_of(folder_ / "out");
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_NE(error.find("Permission denied"), std::string::npos) << error;
  EXPECT_EQ(read_text(folder_ / "out"), "old");
}

TEST_F(AtomicFiles, AFolderIsNoPlaceToWrite) {
  EXPECT_NE(error_of(folder_).find("no place to write (it is a folder)"), std::string::npos);
  EXPECT_NE(error_of(folder_ / "new/").find("no place to write"), std::string::npos);
  EXPECT_NE(error_of(folder_ / "none" / "out").find("No such file"), std::string::npos);
  EXPECT_NE(error_of("").find("no place to write"), std::string::npos);
  EXPECT_EQ(entries(), 0U);
}

TEST_F(AtomicFiles, AFifoStaysOne) {
  const fs::path fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  require_writable(fifo);
  std::thread writer([&] { write(fifo, "through"); });
  std::string read;
  std::ifstream(fifo) >> read;
  writer.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(S_ISFIFO(facts_of(fifo).st_mode));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFiles, ADeviceStaysOne) {
  // A null device of our own: a mistake must not cost the machine's.
  const fs::path null = folder_ / "null";
  if (::mknod(null.c_str(), S_IFCHR | 0666, facts_of("/dev/null").st_rdev) != 0 ||
      !std::ofstream(null).is_open())
    GTEST_SKIP() << "no device can be made here";
  require_writable(null);
  write(null, "gone");
  EXPECT_TRUE(S_ISCHR(facts_of(null).st_mode));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFiles, AFullDeviceIsAnError) {
  EXPECT_THROW(write("/dev/full", "x"), WorkError);
  EXPECT_THROW(write("/dev/full", std::string(1'000'000, 'x')), WorkError);
}

TEST_F(AtomicFiles, AStreamIsWrittenThroughItsDescriptor) {
  const int file = ::open((folder_ / "stream").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(file, "a", 1), 1);
  for (const char* name : {"/dev/fd/", "/proc/self/fd/"}) {
    const fs::path stream = name + std::to_string(file);
    require_writable(stream);
    write(stream, "b");
  }
  fs::create_symlink("/dev/fd/" + std::to_string(file), folder_ / "link");
  write(folder_ / "link", "c");
  ::close(file);
  EXPECT_EQ(read_text(folder_ / "stream"), "abbc");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_NE(error_of("/dev/fd/" + std::to_string(file)).find("no place to write"), std::string::npos);
}

TEST_F(AtomicFiles, AStreamForReadingIsRefused) {
  const int file = ::open("/dev/null", O_RDONLY);
  EXPECT_THROW(require_writable("/dev/fd/" + std::to_string(file)), InputError);
  ::close(file);
}

TEST_F(AtomicFiles, ALinkStaysAndItsTargetIsWritten) {
  fs::create_directories(folder_ / "inner");
  write(folder_ / "inner" / "target", "old");
  fs::create_symlink("inner", folder_ / "way");
  fs::create_symlink("../inner/./target", folder_ / "inner" / "link");
  fs::create_symlink("way/link", folder_ / "out");
  write(folder_ / "out", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "out"));
  EXPECT_EQ(read_text(folder_ / "inner" / "target"), "new");
}

TEST_F(AtomicFiles, TheTargetOfALinkMayBeMissing) {
  fs::create_symlink(folder_ / "target", folder_ / "out");
  write(folder_ / "out", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "out"));
  EXPECT_EQ(read_text(folder_ / "target"), "new");
}

TEST_F(AtomicFiles, ALoopOfLinksIsRefused) {
  fs::create_symlink("b", folder_ / "a");
  fs::create_symlink("a", folder_ / "b");
  EXPECT_NE(error_of(folder_ / "a").find("a loop of links"), std::string::npos);
}

TEST_F(AtomicFiles, APlantedLinkOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of other users";
  plant_link(01777, 0, kStranger);
  const std::string error = error_of(open_ / "out");
  EXPECT_NE(error.find("the link 'out' of another user"), std::string::npos) << error;
  EXPECT_THROW(require_writable(open_ / "out"), InputError);
  EXPECT_EQ(read_text(victim_), "precious");
}

TEST_F(AtomicFiles, APlantedLinkInTheMiddleOfThePathIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of other users";
  plant_link(01777, 0, kStranger);
  fs::create_directory_symlink(folder_, open_ / "folder");
  ASSERT_EQ(::lchown((open_ / "folder").c_str(), kStranger, 0), 0);
  EXPECT_NE(error_of(open_ / "folder" / "victim").find("the link 'folder' of another user"),
            std::string::npos);
  EXPECT_EQ(read_text(victim_), "precious");
}

TEST_F(AtomicFiles, ALinkInTheFolderOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of other users";
  plant_link(0755, kStranger, kStranger);
  EXPECT_NE(error_of(open_ / "out").find("of another user"), std::string::npos);
  EXPECT_EQ(read_text(victim_), "precious");
}

TEST_F(AtomicFiles, ALinkOfAnotherUserThatNobodyElseCouldMakeIsFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of other users";
  plant_link(0755, 0, kStranger);  // only root writes into the folder
  write(open_ / "out", "new");
  EXPECT_EQ(read_text(victim_), "new");
}

TEST_F(AtomicFiles, OurOwnLinkInAnOpenFolderIsFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of other users";
  plant_link(01777, kStranger, 0);
  write(open_ / "out", "new");
  EXPECT_EQ(read_text(victim_), "new");
}

TEST_F(AtomicFiles, TheTemporaryNameIsNotGuessed) {
  std::string names[2];
  for (std::string& name : names) {
    const AtomicFile file(folder_ / "out");
    name = fs::directory_iterator(folder_)->path().filename().string();
    EXPECT_EQ(name.size(), std::string("out.0123456789abcdef.tmp").size()) << name;
  }
  EXPECT_NE(names[0], names[1]);
}

TEST_F(AtomicFiles, ALongNameHasATemporary) {
  const fs::path path = folder_ / std::string(255, 'n');
  write(path, "new");
  EXPECT_EQ(read_text(path), "new");
}

TEST_F(AtomicFiles, AskingWhetherAFileIsWritableChangesNothing) {
  require_writable(folder_ / "new");
  EXPECT_EQ(entries(), 0U);
  write(folder_ / "out", "old");
  ASSERT_EQ(::chmod((folder_ / "out").c_str(), 0600), 0);
  const ino_t before = facts_of(folder_ / "out").st_ino;
  require_writable(folder_ / "out");
  EXPECT_EQ(facts_of(folder_ / "out").st_ino, before);
  EXPECT_EQ(mode_of(folder_ / "out"), 0600U);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFiles, OneFileUnderTwoNamesIsRefused) {
  EXPECT_THROW(require_different("--a", folder_ / "x", "--b", folder_ / "." / "x"), InputError);
  fs::create_symlink(folder_, folder_ / "link");
  EXPECT_THROW(require_different("--a", folder_ / "x", "--b", folder_ / "link" / "x"), InputError);
  EXPECT_NO_THROW(require_different("--a", folder_ / "x", "--b", folder_ / "y"));
  EXPECT_NO_THROW(require_different("--a", "", "--b", ""));
}

TEST_F(AtomicFiles, AHandlerOfSignalsRemovesTheTemporariesOfItsProcess) {
  const AtomicFile first(folder_ / "first");
  const AtomicFile second(folder_ / "second");
  write(folder_ / "finished", "kept");
  if (const pid_t child = ::fork(); child == 0) {
    remove_temporary_files();  // of the child, which has none
    ::_exit(0);
  } else {
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  }
  EXPECT_EQ(entries(), 3U);
  remove_temporary_files();
  EXPECT_EQ(entries(), 1U);
  EXPECT_EQ(read_text(folder_ / "finished"), "kept");
}

TEST_F(AtomicFiles, AFileOfOthersIsForgottenAtTheEndOfItsScope) {
  write(folder_ / "theirs", "");
  { const TemporaryFileOfOthers file(folder_ / "theirs"); }
  remove_temporary_files();
  EXPECT_EQ(entries(), 1U);
}

TEST_F(AtomicFiles, AFileOfOthersIsRemovedAfterAnErrorToo) {
  write(folder_ / "theirs", "");
  try {
    const TemporaryFileOfOthers file(folder_ / "theirs");
    throw std::bad_alloc();
  } catch (const std::bad_alloc&) {
    remove_temporary_files();
  }
  EXPECT_EQ(entries(), 0U);
}

}  // namespace
}  // namespace foretile::atomic_file_test
