// SPDX-License-Identifier: BSD-3-Clause
#include "executor/files/tile_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/output_place.hpp"

namespace foretile {

namespace {

struct Record {
  std::uint64_t mark = 0;
  std::int64_t tile = 0;
  std::int64_t bytes = 0;
  std::uint64_t hash = 0;
};
constexpr std::int64_t kRecord = sizeof(Record);
constexpr std::uint64_t kMark = 0x454c4954'45524f46;  // "FORETILE" in little-endian byte order

class Hash {
 public:
  Hash(TileId tile, std::int64_t bytes) : state_(XXH3_createState(), &XXH3_freeState) {
    XXH3_64bits_reset(state_.get());
    add(&tile, sizeof tile);
    add(&bytes, sizeof bytes);
  }
  void add(const void* from, std::int64_t bytes) {
    XXH3_64bits_update(state_.get(), from, static_cast<std::size_t>(bytes));
  }
  std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

std::uint64_t hash_of(TileId tile, const std::byte* numbers, std::int64_t bytes) {
  Hash hash(tile, bytes);
  hash.add(numbers, bytes);
  return hash.value();
}

std::string header_of(const TileLogOwner& owner) {
  return fmt::format("foretile tiles 1\nplan {}\nrank {} of {}\n", owner.plan, owner.rank, owner.ranks);
}

/// Its lines as one.
std::string in_one_line(std::string header) {
  if (header.ends_with('\n')) header.pop_back();
  for (std::size_t at = header.find('\n'); at != std::string::npos; at = header.find('\n'))
    header.replace(at, 1, ", ");
  return header;
}

/// What setrlimit(2) and `ulimit -f` allow.
std::int64_t largest_file_bytes() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INT64_MAX;
  return static_cast<std::int64_t>(limit.rlim_cur);
}

/// Without making the file longer. 0 or an error number.
int take_room(int file, std::int64_t begin, std::int64_t bytes) {
  if (bytes > largest_file_bytes() - begin) return EFBIG;
  int result = 0;
  do {
    result = ::fallocate(file, FALLOC_FL_KEEP_SIZE, begin, bytes);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

}  // namespace

TileLog::TileLog(std::filesystem::path path, const TileLogOwner& owner,
                 const std::function<std::int64_t(TileId)>& bytes_of)
    : path_(std::move(path)), file_(open_growing_file(path_)) {
  lock();
  begin(header_of(owner));
  find_tiles(bytes_of);
}

void TileLog::lock() {
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  throw input_error(path_.string(), "a file in use by another run", "a checkpoint of this run alone",
                    "wait for that run or name another folder");
}

void TileLog::begin(const std::string& header) {
  std::string found(header.size(), '\0');
  found.resize(static_cast<std::size_t>(read_at(0, found.data(), std::ssize(header))));
  if (found == header) {
    end_ = std::ssize(header);
  } else if (header.starts_with(found)) {  // new, or its process died as it began
    truncate();
    append(header.data(), std::ssize(header));
  } else {
    throw input_error(path_.string(), in_one_line(found),
                      fmt::format("\"{}\", the checkpoint of this plan", in_one_line(header)),
                      "name another folder, or remove this one to begin again");
  }
}

/// Stops at the first record that is not whole.
void TileLog::find_tiles(const std::function<std::int64_t(TileId)>& bytes_of) {
  std::vector<std::byte> numbers;
  for (Record record; read_at(end_, &record, kRecord) == kRecord;) {
    if (record.mark != kMark || record.bytes < 0 || record.bytes != bytes_of(record.tile)) break;
    numbers.resize(static_cast<std::size_t>(record.bytes));
    if (read_at(end_ + kRecord, numbers.data(), record.bytes) != record.bytes) break;
    if (hash_of(record.tile, numbers.data(), record.bytes) != record.hash) break;
    places_.insert_or_assign(record.tile, Place{end_ + kRecord, record.bytes, record.hash});
    end_ += kRecord + record.bytes;
  }
  struct stat facts {};
  if (::fstat(file_.get(), &facts) == 0) dropped_ = std::max<std::int64_t>(0, facts.st_size - end_);
  if (dropped_ > 0) truncate();
}

void TileLog::reserve(std::int64_t tiles, std::int64_t bytes) {
  const std::int64_t room = tiles * kRecord + bytes;
  if (room == 0) return;
  errno = take_room(file_.get(), end_, room);
  if (errno == 0 || errno == EOPNOTSUPP || errno == ENOSYS) return;
  const std::string reason = system_message();
  release_room();
  throw input_error(path_.string(), fmt::format("no room for {} bytes ({})", room, reason),
                    "a disk that holds all tiles of C that this rank computes",
                    "make room or name another folder");
}

void TileLog::release_room() {
  static_cast<void>(::ftruncate(file_.get(), end_));  // keeps its room otherwise
}

void TileLog::add(TileId tile, const TileExtents& extents, TileView numbers) {
  const std::int64_t bytes = extents.bytes(), begin = end_;
  Hash hash(tile, bytes);
  for_each_piece(extents, numbers, numbers,
                 [&](const std::byte* piece, std::byte*, std::int64_t size) { hash.add(piece, size); });
  const Record record{kMark, tile, bytes, hash.value()};
  try {
    append(&record, kRecord);
    for_each_piece(extents, numbers, numbers,
                   [&](const std::byte* piece, std::byte*, std::int64_t size) { append(piece, size); });
  } catch (...) {
    end_ = begin;
    release_room();
    throw;
  }
  places_.insert_or_assign(tile, Place{begin + kRecord, bytes, record.hash});
}

void TileLog::read(TileId tile, std::byte* to) const {
  const Place& place = places_.at(tile);
  if (read_at(place.begin, to, place.bytes) == place.bytes && hash_of(tile, to, place.bytes) == place.hash)
    return;
  throw WorkError(fmt::format("{}: tile {} changed while this run had the file open", path_.string(), tile));
}

/// How many bytes there were.
std::int64_t TileLog::read_at(std::int64_t offset, void* to, std::int64_t bytes) const {
  std::int64_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::pread(file_.get(), static_cast<std::byte*>(to) + done,
                                static_cast<std::size_t>(bytes - done), offset + done);
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw WorkError(fmt::format("{}: cannot be read: {}", path_.string(), system_message()));
    done += got;
  }
  return done;
}

void TileLog::append(const void* from, std::int64_t bytes) {
  for (std::int64_t done = 0; done < bytes;) {
    const ssize_t put = ::write(file_.get(), static_cast<const std::byte*>(from) + done,
                                static_cast<std::size_t>(bytes - done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw WorkError(fmt::format("{}: cannot be written: {}", path_.string(), system_message()));
    done += put;
  }
  end_ += bytes;
}

/// Behind what is whole.
void TileLog::truncate() {
  if (::ftruncate(file_.get(), end_) != 0)
    throw WorkError(fmt::format("{}: cannot be shortened: {}", path_.string(), system_message()));
}

}  // namespace foretile
