-- Starts `unitproof lsp` for C files, headers and unitproof.toml, with Neovim's own LSP client. Works from Neovim 0.7
-- on: what came later (vim.lsp.start, inlay hints) is used where it is there.
local M = {}

M.config = {
  cmd = { 'unitproof', 'lsp' },
  -- The first folder upwards that holds one of these is the root; without one the file is served alone.
  root_markers = { 'unitproof.toml', 'compile_commands.json', '.git' },
  -- The section "unitproof" of docs/protocol.md.
  settings = vim.empty_dict(),
  -- Whether a workspace is trusted: a boolean, or a function of the root that may give nil. nil leaves it to the
  -- server: a folder that asks for a compiler, flags or files of its own is not checked before `unitproof trust DIR`
  -- has allowed it.
  trusted = nil,
  lenses = true,
  inlay_hints = true,
  capabilities = nil,
  on_attach = nil, -- function(client, bufnr)
}

---@param options table|nil as M.config; what is not named stays as it was
function M.setup(options)
  for key, value in pairs(options or {}) do
    M.config[key] = value
  end
end

local function find_root(file)
  local folder = vim.fn.fnamemodify(file, ':p:h')
  while true do
    for _, marker in ipairs(M.config.root_markers) do
      if vim.loop.fs_stat(folder .. '/' .. marker) then
        return folder
      end
    end
    local parent = vim.fn.fnamemodify(folder, ':h')
    if parent == folder then
      return nil
    end
    folder = parent
  end
end

local function client_config(root)
  local capabilities = M.config.capabilities or vim.lsp.protocol.make_client_capabilities()
  if M.config.lenses then
    capabilities = vim.tbl_deep_extend('force', capabilities, { workspace = { codeLens = { refreshSupport = true } } })
  end
  local trusted = M.config.trusted
  if type(trusted) == 'function' then
    trusted = trusted(root)
  end
  return {
    name = 'unitproof',
    cmd = M.config.cmd,
    root_dir = root,
    capabilities = capabilities,
    init_options = { trusted = trusted, settings = M.config.settings, showsAnswers = true },
    settings = { unitproof = M.config.settings },
    -- *.h is cpp to Neovim unless told otherwise.
    get_language_id = function(_, filetype)
      return filetype == 'cpp' and 'c' or filetype
    end,
    commands = require('unitproof.commands').client_commands,
    handlers = {
      ['workspace/codeLens/refresh'] = function(_, _, ctx)
        vim.schedule(function()
          require('unitproof.lenses').refresh_all(ctx.client_id)
        end)
        return vim.NIL
      end,
    },
    on_attach = function(client, bufnr)
      if M.config.lenses then
        require('unitproof.lenses').attach(client.id, bufnr)
      end
      local hints = vim.lsp.inlay_hint
      if M.config.inlay_hints and type(hints) == 'table' and hints.enable then
        -- Neovim 0.10 had the arguments in the other order for a while.
        if not pcall(hints.enable, true, { bufnr = bufnr }) then
          pcall(hints.enable, bufnr, true)
        end
      end
      if M.config.on_attach then
        M.config.on_attach(client, bufnr)
      end
    end,
  }
end

local clients = {} -- root, or '' → client id, where there is no vim.lsp.start
local told = false

--- Has the server serve a buffer; starts it where none runs for the buffer's root.
function M.attach(bufnr)
  local file = vim.api.nvim_buf_get_name(bufnr)
  if file == '' or file:match('^%a[%w+.-]+://') or vim.bo[bufnr].buftype ~= '' then
    return
  end
  if vim.fn.executable(M.config.cmd[1]) == 0 then
    if not told then
      told = true
      vim.notify('unitproof: ' .. M.config.cmd[1] .. ' is not there: put it on PATH, or name it with '
        .. "require('unitproof').setup { cmd = { '/path/to/unitproof', 'lsp' } }", vim.log.levels.WARN)
    end
    return
  end
  local root = find_root(file)
  if vim.lsp.start then
    vim.lsp.start(client_config(root), { bufnr = bufnr })
    return
  end
  local id = clients[root or '']
  if not id or not vim.lsp.get_client_by_id(id) then
    id = vim.lsp.start_client(client_config(root))
    clients[root or ''] = id
  end
  if id then
    vim.lsp.buf_attach_client(bufnr, id)
  end
end

--- The client that serves a buffer, or nil.
function M.client(bufnr)
  local list
  if vim.lsp.get_clients then
    list = vim.lsp.get_clients({ bufnr = bufnr, name = 'unitproof' })
  else
    list = vim.tbl_values(vim.lsp.buf_get_clients(bufnr))
  end
  for _, client in ipairs(list) do
    if client.name == 'unitproof' then
      return client
    end
  end
end

--- Makes the debug adapter known to nvim-dap, and a configuration for the file in the current window.
--- Gives nvim-dap, or nil where it is not installed.
function M.setup_dap()
  local ok, dap = pcall(require, 'dap')
  if not ok then
    return nil
  end
  if not dap.adapters.unitproof then
    dap.adapters.unitproof = { type = 'executable', command = M.config.cmd[1], args = { 'dap' } }
    dap.configurations.c = dap.configurations.c or {}
    table.insert(dap.configurations.c, {
      type = 'unitproof',
      request = 'launch',
      name = 'unitproof: counterexample of this file',
      program = '${file}',
      cwd = '${workspaceFolder}',
    })
  end
  return dap
end

return M
