-- SPDX-License-Identifier: BSD-3-Clause
-- Of pandoc, for man pages: the section NAME, which whatis reads, links as their text, and tables whose last column has the room.
local page_width, widest_name, widest_other = 70, 24, 16

function Link(link)
  return link.content
end

function Table(tbl)
  local lengths = {}
  local simple = pandoc.utils.to_simple_table(tbl)
  for _, row in ipairs({simple.headers, table.unpack(simple.rows)}) do
    for column, cell in ipairs(row) do
      lengths[column] = math.max(lengths[column] or 0, #pandoc.utils.stringify(cell))
    end
  end
  local left = page_width - 3 * (#lengths - 1)  -- between columns
  for column = 1, #lengths - 1 do
    local width = math.min(lengths[column] + 1, column == 1 and widest_name or widest_other)
    tbl.colspecs[column][2] = width / page_width
    left = left - width
  end
  tbl.colspecs[#lengths][2] = math.max(left, widest_other) / page_width
  return tbl
end

function Pandoc(document)
  local text = function(key) return pandoc.utils.stringify(document.meta[key]) end
  table.insert(document.blocks, 1, pandoc.Header(1, "NAME"))
  table.insert(document.blocks, 2, pandoc.Para({pandoc.Str(text("name") .. " - " .. text("summary"))}))
  return document
end
