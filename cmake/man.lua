-- SPDX-License-Identifier: BSD-3-Clause
-- Of pandoc, for man pages: the section NAME, which whatis reads, and links as their text.
function Link(link)
  return link.content
end

function Pandoc(document)
  local text = function(key) return pandoc.utils.stringify(document.meta[key]) end
  table.insert(document.blocks, 1, pandoc.Header(1, "NAME"))
  table.insert(document.blocks, 2, pandoc.Para({pandoc.Str(text("name") .. " - " .. text("summary"))}))
  return document
end
