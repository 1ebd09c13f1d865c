-- Commands, and the server for the buffers it is about. require('unitproof').setup{} changes the defaults; it may be
-- called before or after this file is read, as long as that is before the first such buffer.
if vim.g.loaded_unitproof then
  return
end
vim.g.loaded_unitproof = true

local command = vim.api.nvim_create_user_command

local function verb(name)
  return function()
    require('unitproof.commands')[name]()
  end
end

command('UnitproofVerify', function(o)
  require('unitproof.commands').verify(o.bang)
end, { bang = true, desc = 'unitproof: verify the proof at the cursor; with !, all of the workspace' })
command('UnitproofReplay', verb('replay'), { desc = 'unitproof: run the counterexample natively' })
command('UnitproofTrace', verb('trace'), { desc = 'unitproof: the steps of the counterexample' })
command('UnitproofHideTrace', verb('hide_trace'),
  { desc = 'unitproof: no values of a counterexample beside the lines' })
command('UnitproofCommandLine', verb('command_line'), { desc = 'unitproof: copy the command that does the same' })
command('UnitproofDebug', verb('debug'), { desc = 'unitproof: step through the counterexample (nvim-dap)' })

vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
  group = vim.api.nvim_create_augroup('unitproof', { clear = true }),
  pattern = { '*.c', '*.h', '*.rs', '*.ll', 'unitproof.toml' },
  callback = function(event)
    require('unitproof').attach(event.buf)
  end,
})
