-- What the commands and the lenses do. Which proof is meant: that of the diagnostic at the cursor, else the last one
-- whose entry begins above it, else the first of the file; in a file without proofs the user is asked.
local M = {}

local prefix = 'unitproof.server.'

local function tell(message, level)
  vim.notify('unitproof: ' .. message, level or vim.log.levels.INFO)
end

local function request(client, method, params, handler, bufnr)
  local function answered(err, result)
    if err then
      tell(err.message or vim.inspect(err), vim.log.levels.ERROR)
      return
    end
    handler(result)
  end
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, answered, bufnr)
  else
    client.request(method, params, answered, bufnr)
  end
end

local function execute(client, name, argument, handler, bufnr)
  request(client, 'workspace/executeCommand', { command = prefix .. name, arguments = { argument } }, handler, bufnr)
end

-- The data of our diagnostics of a line, the nearest to the column first.
local function diagnostic_data(bufnr, line, column)
  local list = {}
  for _, d in ipairs(vim.diagnostic.get(bufnr, { lnum = line })) do
    local data = d.source == 'unitproof' and vim.tbl_get(d, 'user_data', 'lsp', 'data')
    if data and data.proofs and data.proofs[1] then
      table.insert(list, { data = data, distance = math.abs(d.col - column) })
    end
  end
  table.sort(list, function(a, b)
    return a.distance < b.distance
  end)
  return list[1] and list[1].data
end

--- Calls handler(client, {proof, finding?}, bufnr) with what the cursor is at.
local function at_cursor(handler)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = require('unitproof').client(bufnr)
  if not client then
    tell('the server does not serve this buffer; see :checkhealth unitproof', vim.log.levels.WARN)
    return
  end
  local cursor = vim.api.nvim_win_get_cursor(0)
  local line = cursor[1] - 1
  local data = diagnostic_data(bufnr, line, cursor[2])
  if data then
    handler(client, { proof = data.proofs[1], finding = data.finding }, bufnr)
    return
  end
  local uri = vim.uri_from_bufnr(bufnr)
  request(client, 'unitproof/proofs', vim.empty_dict(), function(result)
    local here = vim.tbl_filter(function(p)
      return p.uri == uri
    end, result.proofs)
    table.sort(here, function(a, b)
      return a.range.start.line < b.range.start.line
    end)
    local chosen = here[1]
    for _, p in ipairs(here) do
      if p.range.start.line <= line then
        chosen = p
      end
    end
    if chosen then
      handler(client, { proof = chosen.id }, bufnr)
    elseif #result.proofs == 0 then
      tell('there are no proofs in this workspace', vim.log.levels.WARN)
    else
      vim.ui.select(result.proofs, {
        prompt = 'Proof:',
        format_item = function(p)
          return p.name .. ': ' .. p.title
        end,
      }, function(p)
        if p then
          handler(client, { proof = p.id }, bufnr)
        end
      end)
    end
  end, bufnr)
end

-- Shows lines in a scratch window below; places[line] is where <CR> goes to.
local function show(name, lines, places)
  local bufnr = vim.fn.bufnr('^' .. name .. '$')
  if bufnr < 0 then
    bufnr = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(bufnr, name)
  end
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  local origin = vim.api.nvim_get_current_win()
  local window = vim.fn.bufwinid(bufnr)
  if window < 0 then
    vim.cmd('botright ' .. math.min(#lines + 1, 15) .. 'split')
    window = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(window, bufnr)
    vim.wo[window].wrap = false
  else
    vim.api.nvim_set_current_win(window)
  end
  vim.api.nvim_win_set_cursor(window, { 1, 0 })
  vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = bufnr })
  vim.keymap.set('n', '<CR>', function()
    local place = places and places[vim.api.nvim_win_get_cursor(0)[1]]
    if not place then
      return
    end
    local target = vim.api.nvim_win_is_valid(origin) and origin or window
    vim.api.nvim_set_current_win(target)
    vim.cmd('edit ' .. vim.fn.fnameescape(vim.uri_to_fname(place.uri)))
    vim.api.nvim_win_set_cursor(0, { math.min(place.range.start.line + 1, vim.api.nvim_buf_line_count(0)), 0 })
  end, { buffer = bufnr })
end

local function name_of(uri)
  return vim.fn.fnamemodify(vim.uri_to_fname(uri), ':~:.')
end

-- The trace as lines with their places, and as the items of a quickfix list.
local function trace_lines(trace)
  local lines, places, items = { trace.title }, {}, {}
  local function add(uri, range, indent, text)
    local at = name_of(uri) .. ':' .. (range.start.line + 1)
    table.insert(lines, string.format('%-28s %s%s', at, string.rep('  ', indent), text))
    places[#lines] = { uri = uri, range = range }
    table.insert(items, { filename = vim.uri_to_fname(uri), lnum = range.start.line + 1, text = text })
  end
  if #(trace.inputs or {}) > 0 then
    table.insert(lines, '')
    table.insert(lines, 'Inputs')
    for _, input in ipairs(trace.inputs) do
      local what = input.variable or input['function'] or input.kind
      local text = what .. ' = ' .. input.value
      if input.uri and input.uri ~= '' and input.range then
        add(input.uri, input.range, 0, text)
      else
        table.insert(lines, text)
      end
    end
  end
  table.insert(lines, '')
  table.insert(lines, 'Steps')
  items = {} -- the list is of the steps alone: it is walked in their order
  for _, step in ipairs(trace.steps or {}) do
    add(step.uri, step.range, step.depth or 0, step.text)
  end
  return lines, places, items
end

local function trace(client, argument, bufnr)
  execute(client, 'trace', argument, function(result)
    local lines, places, items = trace_lines(result)
    vim.fn.setqflist({}, ' ', { title = result.title, items = items })
    show('unitproof://trace', lines, places)
  end, bufnr)
end

local function replay(client, argument, bufnr)
  tell('replaying …')
  execute(client, 'replay', argument, function(result)
    tell(result.message, result.outcome == 'reproduced' and vim.log.levels.INFO or vim.log.levels.WARN)
    if result.report and result.report ~= '' then
      show('unitproof://replay', vim.split(result.report, '\n'))
    end
  end, bufnr)
end

local function command_line(client, argument, bufnr)
  execute(client, 'commandLine', argument, function(line)
    vim.fn.setreg('"', line)
    if vim.fn.has('clipboard') == 1 then
      pcall(vim.fn.setreg, '+', line)
    end
    tell(line)
  end, bufnr)
end

local function verify(client, argument, bufnr)
  execute(client, 'verify', argument, function(result)
    local words = {}
    for _, p in ipairs(result.proofs or {}) do
      table.insert(words, p.name .. ': ' .. p.title)
    end
    tell(#words > 0 and table.concat(words, '\n') or 'there are no proofs to verify')
  end, bufnr)
end

local function debug(client, argument, bufnr)
  local dap = require('unitproof').setup_dap()
  if not dap then
    tell('stepping through a counterexample needs the plugin nvim-dap; :UnitproofTrace shows its steps',
      vim.log.levels.WARN)
    return
  end
  execute(client, 'debug', argument, function(configuration)
    dap.run(configuration)
  end, bufnr)
end

--- Verifies the proof at the cursor, or all of the workspace.
function M.verify(all)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = require('unitproof').client(bufnr)
  if all and client then
    verify(client, { force = true }, bufnr)
    return
  end
  at_cursor(function(c, at, b)
    verify(c, { proofs = { at.proof }, force = true }, b)
  end)
end

function M.replay()
  at_cursor(replay)
end

function M.trace()
  at_cursor(trace)
end

function M.hide_trace()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = require('unitproof').client(bufnr)
  if client then
    execute(client, 'hideTrace', vim.empty_dict(), function() end, bufnr)
  end
end

function M.command_line()
  at_cursor(function(client, at, bufnr)
    command_line(client, { proof = at.proof }, bufnr)
  end)
end

function M.debug()
  at_cursor(debug)
end

-- What a lens or a code action says is done here, where the answer is for the user to see.
local function of_lens(f)
  return function(command, ctx)
    local client = vim.lsp.get_client_by_id(ctx.client_id)
    if client then
      f(client, (command.arguments or {})[1] or vim.empty_dict(), ctx.bufnr)
    end
  end
end

M.client_commands = {
  [''] = function() end, -- the lens that tells the verdict does nothing
  [prefix .. 'verify'] = of_lens(verify),
  [prefix .. 'replay'] = of_lens(replay),
  [prefix .. 'trace'] = of_lens(trace),
  [prefix .. 'debug'] = of_lens(debug),
  [prefix .. 'commandLine'] = of_lens(command_line),
}

return M
