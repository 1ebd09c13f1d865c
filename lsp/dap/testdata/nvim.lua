-- A session of nvim-dap, without a screen: nvim_test.go runs it and reads the log.
vim.opt.rtp:append(vim.env.NVIM_DAP)
vim.cmd('edit ' .. vim.env.PROGRAM)
local dap = require('dap')
local out = io.open(vim.env.LOG, 'w')
local function log(...)
  out:write(table.concat(vim.tbl_map(tostring, { ... }), ' ') .. '\n')
  out:flush()
end
local host, port = vim.env.ADAPTER:match('^(.*):(%d+)$')
dap.adapters.unitproof = { type = 'server', host = host, port = tonumber(port) }
local stops = 0
dap.listeners.after.event_stopped['test'] = function(_, body)
  stops = stops + 1
  log('stopped', body.reason)
end
local function arrive(n)
  vim.wait(60000, function()
    return stops >= n and dap.session() ~= nil and dap.session().current_frame ~= nil
  end, 20)
  vim.wait(300)
  local f = dap.session() and dap.session().current_frame
  log('at', f and (f.name .. ':' .. f.line) or 'nowhere')
end
local function evaluate(expr, context)
  local done = false
  dap.session():request('evaluate', { expression = expr, context = context, frameId = dap.session().current_frame.id }, function(err, r)
    log(expr, err and err.message or r.result)
    done = true
  end)
  vim.wait(10000, function() return done end, 20)
end
dap.run({ type = 'unitproof', request = 'launch', name = 'test', program = '${file}' })
arrive(1)
dap.step_back()
arrive(2)
evaluate('i', 'watch')
vim.api.nvim_win_set_cursor(0, { 10, 0 })
dap.set_breakpoint('i == 2')
vim.wait(300)
dap.reverse_continue()
arrive(3)
evaluate('i', 'hover')
evaluate(':last sum', 'repl')
arrive(4)
dap.step_over()
arrive(5)
dap.terminate()
vim.wait(1000)
vim.cmd('qa!')
