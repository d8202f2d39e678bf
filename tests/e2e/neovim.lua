-- Opens FILE, waits for the error, checks the words under it, applies the fix whose title holds TITLE, waits until the
-- error is gone, and writes what it saw to OUT as JSON. Exit code 1 says which step failed.
local function fail(step)
  io.stderr:write("neovim: " .. step .. "\n")
  os.exit(1)
end

local seen = {}
vim.filetype.add({ extension = { yaml = "yaml", sh = "sh" } })
vim.lsp.config("sglint", {
  cmd = { os.getenv("SGLINT_PYTHON"), "-m", "sglint", "lsp" },
  filetypes = { "yaml", "sh" },
  root_markers = { ".git" },
  init_options = { gpu = "h200" },
})
vim.lsp.enable("sglint")
vim.cmd.edit(os.getenv("FILE"))
local buffer = vim.api.nvim_get_current_buf()

local function errors()
  return vim.diagnostic.get(buffer, { severity = vim.diagnostic.severity.ERROR })
end

if not vim.wait(30000, function() return #errors() > 0 end, 20) then fail("no error arrived") end
local found = errors()
seen.errors = #found
local first = found[1]
seen.code = first.code
seen.source = first.source
seen.words = table.concat(
  vim.api.nvim_buf_get_text(buffer, first.lnum, first.col, first.end_lnum, first.end_col, {}), "\n")

vim.api.nvim_win_set_cursor(0, { first.lnum + 1, first.col })
local client = vim.lsp.get_clients({ bufnr = buffer })[1]
seen.encoding = client.offset_encoding
local hover = client:request_sync("textDocument/hover", vim.lsp.util.make_position_params(0, client.offset_encoding),
  30000, buffer)
seen.hover = hover and hover.result and hover.result.contents.value or ""

local title = os.getenv("TITLE")
vim.lsp.buf.code_action({ apply = true, filter = function(action)
  if action.title:find(title, 1, true) and not action.disabled then
    seen.action = action.title
    return true
  end
  return false
end })
if not vim.wait(30000, function() return #errors() == 0 end, 20) then fail("the error stayed after the fix") end
seen.text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n") .. "\n"

local out = assert(io.open(os.getenv("OUT"), "w"))
out:write(vim.json.encode(seen))
out:close()
os.exit(0)
