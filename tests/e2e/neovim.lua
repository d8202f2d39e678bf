-- Opens FILE with the configuration that the page of Neovim gives under SECTION, waits for the error, checks the words
-- under it, lens and hints, applies the fix whose title holds TITLE, waits until the error is gone, and writes what it
-- saw to OUT as JSON. Exit code 1 says which step failed.
local function fail(step)
  io.stderr:write("neovim: " .. step .. "\n")
  os.exit(1)
end

local page = assert(io.open(os.getenv("PAGE"))):read("*a")

local function configure(heading)
  local _, from = page:find("```lua\n", assert(page:find(heading, 1, true), heading), true)
  local code = page:sub(from + 1, page:find("```", from, true) - 1)
  local python = string.format("{ %q, \"-m\", \"sglint\", \"lsp\" }", os.getenv("SGLINT_PYTHON"))
  assert(load((code:gsub("{ \"sglint\", \"lsp\" }", function() return python end))))()
end

vim.cmd("filetype on")
configure(os.getenv("SECTION"))
configure("## Lenses and hints")
configure("## File types")
vim.cmd.edit(os.getenv("FILE"))
local buffer = vim.api.nvim_get_current_buf()
local seen = { version = tostring(vim.version()), filetype = vim.bo.filetype }

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

local client = vim.lsp.get_clients({ bufnr = buffer, name = "sglint" })[1]
seen.encoding = client.offset_encoding

local function ask(method, params)
  local answer = vim.lsp.buf_request_sync(buffer, method, params, 30000)
  return answer and answer[client.id] and answer[client.id].result
end

vim.api.nvim_win_set_cursor(0, { first.lnum + 1, first.col })
local hover = ask("textDocument/hover", vim.lsp.util.make_position_params(0, client.offset_encoding))
seen.hover = hover and hover.contents.value or ""

local function shown_lens()
  for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
    if lens.command then return lens.command.title end
  end
end

if os.getenv("LENS") then
  if not vim.wait(30000, function() return shown_lens() ~= nil end, 20) then fail("no lens is shown") end
  seen.lens = shown_lens()
end
if os.getenv("HINT") then
  if not vim.wait(30000, function() return #vim.lsp.inlay_hint.get({ bufnr = buffer }) > 0 end, 20) then
    fail("no hint is shown")
  end
  seen.hints = vim.tbl_map(function(hint) return hint.inlay_hint.label end, vim.lsp.inlay_hint.get({ bufnr = buffer }))
end

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
