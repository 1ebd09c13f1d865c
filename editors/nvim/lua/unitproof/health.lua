-- :checkhealth unitproof
local M = {}

function M.check()
  local health = vim.health or require('health')
  local start = health.start or health.report_start
  local ok = health.ok or health.report_ok
  local warn = health.warn or health.report_warn
  local fail = health.error or health.report_error
  local info = health.info or health.report_info

  start('unitproof')
  local program = require('unitproof').config.cmd[1]
  if vim.fn.executable(program) == 0 then
    fail(program .. ' is not there', { 'put it on PATH, or name it: setup { cmd = { "/path/to/unitproof", "lsp" } }' })
    return
  end
  local version = vim.fn.system({ program, 'version' })
  if vim.v.shell_error ~= 0 then
    fail(program .. ' version failed: ' .. version)
    return
  end
  ok(vim.trim(version))
  local report = vim.trim(vim.fn.system({ program, 'doctor' }))
  if vim.v.shell_error == 0 then
    ok('unitproof doctor finds what it needs')
  else
    fail('unitproof doctor:\n' .. report)
  end
  if vim.lsp.inlay_hint then
    ok('inlay hints')
  else
    info('Neovim 0.10 and newer show inlay hints')
  end
  if pcall(require, 'dap') then
    ok('nvim-dap')
  else
    warn('nvim-dap is not installed: no :UnitproofDebug')
  end
end

return M
