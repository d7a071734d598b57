// SPDX-License-Identifier: BSD-3-Clause
// A table by tile for those who look tiles up for each product.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// Entries by tile. A look-up reads two arrays. Memory grows with the entries, in pages of 8 neighbouring
/// tiles. References are valid until their entry is erased.
template <class T>
class TileTable {
 public:
  TileTable() = default;
  TileTable(TileTable&&) noexcept = default;
  TileTable& operator=(TileTable&&) noexcept = default;

  /// nullptr: no entry.
  T* find(TileRef tile) {
    const std::vector<PagePointer>& pages = pages_of(tile);
    const std::size_t number = page_of(tile);
    if (number >= pages.size() || !pages[number] || !(pages[number]->present & bit_of(tile))) return nullptr;
    return &pages[number]->entries[place_of(tile)];
  }
  const T* find(TileRef tile) const { return const_cast<TileTable*>(this)->find(tile); }
  bool contains(TileRef tile) const { return find(tile) != nullptr; }
  /// Throws std::out_of_range where there is no entry.
  T& at(TileRef tile) {
    if (T* const found = find(tile)) return *found;
    throw std::out_of_range("no entry for this tile");
  }
  const T& at(TileRef tile) const { return const_cast<TileTable*>(this)->at(tile); }
  /// The entry, made if there is none.
  T& operator[](TileRef tile) {
    Page& page = page_for(tile);
    page.present = static_cast<std::uint8_t>(page.present | bit_of(tile));
    return page.entries[place_of(tile)];
  }
  /// Removes the entry and returns it. Throws std::out_of_range where there is none.
  T extract(TileRef tile) {
    T entry = std::exchange(at(tile), T{});
    PagePointer& page = pages_of(tile)[page_of(tile)];
    page->present = static_cast<std::uint8_t>(page->present & ~bit_of(tile));
    if (page->present == 0) spare_.push_back(std::move(page));
    return entry;
  }
  /// Removes the entry. Throws std::out_of_range where there is none.
  void erase(TileRef tile) { extract(tile); }
  /// Calls `visit` with each entry.
  template <class Visit>
  void for_each(Visit visit) {
    for (const auto& pages : pages_) {
      for (const PagePointer& page : pages) {
        for (std::size_t place = 0; page && place < kTiles; ++place) {
          if (page->present >> place & 1U) visit(page->entries[place]);
        }
      }
    }
  }

 private:
  static constexpr std::size_t kTiles = 8;  // of a page: as many as `present` has bits
  struct Page {
    std::uint8_t present = 0;
    std::array<T, kTiles> entries{};
  };
  using PagePointer = std::unique_ptr<Page>;

  static std::size_t page_of(TileRef tile) { return static_cast<std::size_t>(tile.id) / kTiles; }
  static std::size_t place_of(TileRef tile) { return static_cast<std::size_t>(tile.id) % kTiles; }
  static std::uint8_t bit_of(TileRef tile) { return static_cast<std::uint8_t>(1U << place_of(tile)); }
  std::vector<PagePointer>& pages_of(TileRef tile) { return pages_[static_cast<std::size_t>(tile.matrix)]; }

  Page& page_for(TileRef tile) {
    std::vector<PagePointer>& pages = pages_of(tile);
    const std::size_t number = page_of(tile);
    if (number >= pages.size()) pages.resize(number + 1);
    PagePointer& page = pages[number];
    if (page) return *page;
    if (spare_.empty()) {
      page = std::make_unique<Page>();
    } else {
      page = std::move(spare_.back());
      spare_.pop_back();
    }
    return *page;
  }

  std::array<std::vector<PagePointer>, 4> pages_;  // by matrix
  std::vector<PagePointer> spare_;                 // without entries
};

}  // namespace foretile
