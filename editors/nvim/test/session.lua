-- A session with the server, in a headless Neovim that .ci/test-nvim.sh starts in a scratch workspace. Each step waits
-- for what a user would see; a step that does not come ends the session with a failure that names it.
local patience = 180000 -- ms; a machine under load needs its time

local function fail(message)
  io.stderr:write('nvim: FAILED: ' .. message .. '\n')
  vim.cmd('cquit 1')
end

local told = {}
vim.notify = function(message, level)
  table.insert(told, { message = message, level = level })
end

local function notes()
  return table.concat(vim.tbl_map(function(n)
    return n.message
  end, told), '\n')
end

local function wait(what, condition)
  local value
  local ok = vim.wait(patience, function()
    value = condition()
    return value
  end, 50)
  if not ok then
    error('no ' .. what .. '\nthe editor was told: ' .. notes()
      .. '\ndiagnostics: ' .. vim.inspect(vim.diagnostic.get(0))
      .. '\nlenses: ' .. vim.inspect(vim.lsp.codelens.get(0)), 0)
  end
  io.stderr:write('nvim: ok: ' .. what .. '\n')
  return value
end

local function told_of(pattern)
  return function()
    for _, n in ipairs(told) do
      if n.message:match(pattern) then
        return n.message
      end
    end
  end
end

-- The diagnostic with a code, when it is about the text as it is now.
local function fresh(code)
  for _, d in ipairs(vim.diagnostic.get(0)) do
    if d.source == 'unitproof' and d.code == code and not d.message:find('before your last edit', 1, true) then
      return d
    end
  end
end

local function lens(pattern)
  return function()
    for _, l in ipairs(vim.lsp.codelens.get(0)) do
      if l.command and l.command.title:match(pattern) then
        return l
      end
    end
  end
end

local function line_of(text)
  for i, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    if line:find(text, 1, true) then
      return i
    end
  end
  error('the buffer has no line with ' .. text)
end

local function replace_line(text, new)
  local n = line_of(text)
  vim.api.nvim_buf_set_lines(0, n - 1, n, false, { new })
end

-- The lenses as they stand in the window, not as they are stored.
local function shown(pattern)
  return function()
    for name, ns in pairs(vim.api.nvim_get_namespaces()) do
      if name:match('codelens') then
        for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
          for _, chunk in ipairs(mark[4].virt_text or mark[4].virt_lines and mark[4].virt_lines[1] or {}) do
            if chunk[1]:match(pattern) then
              return true
            end
          end
        end
      end
    end
  end
end

local function run_lens(title)
  local line = wait('the lens ' .. title, lens('^' .. title .. '$')).range.start.line
  vim.api.nvim_win_set_cursor(0, { line + 1, 0 })
  local offered
  vim.ui.select = function(items, options, choose)
    offered = vim.tbl_map(options.format_item, items)
    for i, item in ipairs(items) do
      if options.format_item(item):match('^' .. title) then
        choose(item, i)
        return
      end
    end
    error('the lenses offered are ' .. vim.inspect(offered), 0)
  end
  vim.lsp.codelens.run()
end

-- A folder that asks for a compiler of its own: nothing of it is run before the question is answered.
local function trust()
  local ran = vim.env.ASKED .. '/ran'
  local question
  local function answer(text, actions)
    question = { text = text, ran = vim.fn.filereadable(ran) == 1 }
    for i, action in ipairs(actions) do
      if action:find('Allow', 1, true) then
        return i
      end
    end
  end
  -- Neovim 0.7 asks by a list of lines, the actions behind the question; newer ones by vim.ui.select.
  local inputlist, select = vim.fn.inputlist, vim.ui.select
  vim.fn.inputlist = function(lines)
    return answer(lines[1], vim.list_slice(lines, 3))
  end
  vim.ui.select = function(items, options, choose)
    local i = answer(options.prompt, vim.tbl_map(options.format_item or tostring, items))
    choose(items[i], i)
  end
  vim.cmd('edit ' .. vim.env.ASKED .. '/clamp_harness.c')
  wait('question about the folder', function()
    return question
  end)
  for _, part in ipairs { 'unitproof trust ' .. vim.env.ASKED, 'their-clang' } do
    assert(question.text:find(part, 1, true), question.text)
  end
  assert(not question.ran, 'the compiler of the folder was run before it was allowed')
  wait('lens in the folder that is allowed', lens('proved'))
  assert(vim.fn.filereadable(ran) == 1, 'the compiler that was allowed was not run')
  vim.fn.inputlist, vim.ui.select = inputlist, select
  require('unitproof').client(0).stop()
  vim.cmd('bwipeout')
end

local function session()
  trust()
  vim.cmd('edit ring_harness.c')
  local source = vim.api.nvim_get_current_buf()

  local d = wait('diagnostic of the write behind the array', function()
    return fresh('array-bounds')
  end)
  assert(d.lnum + 1 == line_of('r->slots[r->len] = byte'), 'it stands on line ' .. (d.lnum + 1))
  assert(d.severity == vim.diagnostic.severity.ERROR, 'it is no error')
  wait('lens with the verdict on the screen', shown('failed'))

  -- The lens of the trace runs its command.
  run_lens('Trace')
  wait('window with the steps', function()
    return vim.api.nvim_buf_get_name(0):match('unitproof://trace')
  end)
  local steps = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  assert(steps:find('Inputs', 1, true) and steps:find('r.len', 1, true) and steps:find('ring_harness.c:', 1, true),
    'the steps are\n' .. steps)
  local list = vim.fn.getqflist({ title = 0, items = 0 })
  assert(#list.items > 0 and list.items[#list.items].lnum > 0, 'the quickfix list is ' .. vim.inspect(list))
  -- <CR> on the last step goes to its line.
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(0), 0 })
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('<CR>', true, false, true), 'xm', false)
  assert(vim.api.nvim_get_current_buf() == source, '<CR> leads to ' .. vim.api.nvim_buf_get_name(0))
  assert(vim.api.nvim_win_get_cursor(0)[1] == list.items[#list.items].lnum, '<CR> leads to another line')

  -- The same by the command, from the diagnostic.
  vim.cmd('only')
  vim.api.nvim_win_set_cursor(0, { d.lnum + 1, d.col })
  vim.cmd('UnitproofTrace')
  wait('window with the steps by the command', function()
    return vim.api.nvim_buf_get_name(0):match('unitproof://trace')
  end)
  vim.cmd('only | buffer ' .. source)

  vim.api.nvim_win_set_cursor(0, { line_of('int main'), 0 })
  vim.cmd('UnitproofCommandLine')
  wait('command line', told_of('unitproof: .*unitproof check .*ring_harness%.c'))
  assert(vim.fn.getreg('"'):match('unitproof check ring_harness%.c'), 'the register holds ' .. vim.fn.getreg('"'))

  vim.cmd('UnitproofReplay')
  local outcome = wait('outcome of the replay', told_of('eproduced'))
  assert(not outcome:match('[Nn]ot reproduced'), outcome)
  vim.cmd('only | buffer ' .. source)

  -- An edit and its saving change the verdict.
  replace_line('assume(r.len <= SLOTS)', '  assume(r.len < SLOTS);')
  vim.cmd('write')
  wait('end of the diagnostic after the edit', function()
    return #vim.diagnostic.get(0) == 0
  end)
  wait('lens that says proved', lens('proved'))
  wait('lens that says proved on the screen', shown('proved'))
  assert(not shown('failed')(), 'the old verdict is still on the screen')

  told = {}
  vim.api.nvim_win_set_cursor(0, { line_of('int main'), 0 })
  vim.cmd('UnitproofVerify')
  wait('answer of :UnitproofVerify', told_of('ring: proved'))

  vim.cmd('UnitproofTrace')
  wait('word that a proof has no counterexample', told_of('has no counterexample'))

  -- Reading the file again must not end the refreshing of its lenses: the next verdict comes, too.
  vim.cmd('edit!')
  wait('lens after :edit', shown('proved'))

  -- And back, by another program, so that the end of the diagnostic was no accident.
  local lines = vim.fn.readfile('ring_harness.c')
  lines[line_of('assume(r.len < SLOTS)')] = '  assume(r.len <= SLOTS); /* changed elsewhere */'
  vim.fn.writefile(lines, 'ring_harness.c')
  vim.o.autoread = true
  vim.cmd('checktime')
  assert(line_of('changed elsewhere'))
  wait('diagnostic after the second edit', function()
    return fresh('array-bounds')
  end)
  wait('lens with the verdict of the second edit', shown('failed'))

  -- A file of the same root is served by the same server; all proofs are verified by one command.
  local id = require('unitproof').client(source).id
  vim.cmd('edit clamp_harness.c')
  wait('lens in the second file', lens('proved'))
  assert(require('unitproof').client(0).id == id, 'a second server was started')
  told = {}
  vim.cmd('UnitproofVerify!')
  local all = wait('answer of :UnitproofVerify!', told_of('clamp: '))
  assert(all:match('ring: '), all)

  -- A proof in Rust is shown while its file is open.
  vim.cmd('edit u8_overflow.rs')
  local panic = wait('diagnostic in Rust', function()
    return fresh('assertion')
  end)
  assert(panic.message:match('^panics: '), panic.message)
  wait('lens in Rust', shown('failed'))
  assert(require('unitproof').client(0).id == id, 'a server of its own was started for Rust')

  vim.cmd('edit unitproof.toml')
  assert(wait('server for unitproof.toml', function()
    return require('unitproof').client(0)
  end).id == id)

  -- Without nvim-dap the user is told what is missing; with it, it gets what docs/debugging.md says.
  vim.cmd('edit ring_harness.c')
  wait('diagnostic in the first file', function()
    return fresh('array-bounds')
  end)
  told = {}
  vim.api.nvim_win_set_cursor(0, { line_of('int main'), 0 })
  vim.cmd('UnitproofDebug')
  wait('word that nvim-dap is missing', told_of('nvim%-dap'))
  local launched
  package.loaded.dap = {
    adapters = {},
    configurations = {},
    run = function(c)
      launched = c
    end,
  }
  vim.cmd('UnitproofDebug')
  wait('launch', function()
    return launched
  end)
  assert(launched.type == 'unitproof' and launched.entry == 'main' and launched.program:match('ring_harness%.c$'),
    vim.inspect(launched))
  assert(package.loaded.dap.adapters.unitproof.args[1] == 'dap' and #package.loaded.dap.configurations.c == 1)

  vim.cmd('checkhealth unitproof')
  local health = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  assert(health:match('unitproof doctor finds'), health)

  for _, client in pairs(vim.lsp.get_active_clients and vim.lsp.get_active_clients() or vim.lsp.get_clients()) do
    client.stop()
  end
  wait('end of the server', function()
    return vim.lsp.client_is_stopped(id)
  end)
end

local ok, err = xpcall(session, function(e)
  return type(e) == 'string' and e:match('^no ') and e or debug.traceback(tostring(e), 2)
end)
if not ok then
  fail(err)
end
io.stderr:write('nvim: the session passed\n')
vim.cmd('qall!')
