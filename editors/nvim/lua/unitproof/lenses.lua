-- Code lenses that are asked for when the server says so. vim.lsp.codelens.refresh drops a refresh while another is
-- under way, and the last one is the one that matters: here it is asked again.
local M = {}

local attached = {} -- client id → bufnr → {busy, again}

local function client_request(client, method, params, handler, bufnr)
  if vim.fn.has('nvim-0.11') == 1 then
    return client:request(method, params, handler, bufnr)
  end
  return client.request(method, params, handler, bufnr)
end

local function valid(client_id, bufnr)
  return vim.api.nvim_buf_is_loaded(bufnr) and vim.lsp.get_client_by_id(client_id)
end

local function refresh(client_id, bufnr)
  local state = attached[client_id] and attached[client_id][bufnr]
  local client = valid(client_id, bufnr)
  if not state or not client then
    return
  end
  if state.busy then
    state.again = true
    return
  end
  state.busy, state.again = true, false
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)

  local function done(lenses)
    state.busy = false
    if not valid(client_id, bufnr) then
      return
    end
    if lenses and vim.api.nvim_buf_get_changedtick(bufnr) == tick then
      vim.lsp.codelens.save(lenses, bufnr, client_id)
      vim.lsp.codelens.display(lenses, bufnr, client_id)
    end
    -- Of an older text: its lines are not those of the buffer. The edit has asked already.
    if state.again then
      refresh(client_id, bufnr)
    end
  end

  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  local sent = client_request(client, 'textDocument/codeLens', params, function(err, lenses)
    if err or not lenses or #lenses == 0 then
      done(not err and {} or nil)
      return
    end
    local left = #lenses
    for _, lens in ipairs(lenses) do
      local asked = client_request(client, 'codeLens/resolve', lens, function(_, resolved)
        lens.command = resolved and resolved.command or { title = '', command = '' }
        left = left - 1
        if left == 0 then
          done(lenses)
        end
      end, bufnr)
      if not asked then -- the server is gone
        state.busy = false
        return
      end
    end
  end, bufnr)
  if not sent then
    state.busy = false
  end
end

function M.refresh_all(client_id)
  for bufnr in pairs(attached[client_id] or {}) do
    refresh(client_id, bufnr)
  end
end

function M.attach(client_id, bufnr)
  if vim.lsp.codelens.enable then -- Neovim 0.12 keeps them itself
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
    return
  end
  attached[client_id] = attached[client_id] or {}
  local known = attached[client_id][bufnr]
  attached[client_id][bufnr] = { busy = false, again = false }
  if not known then
    local due = false
    local function changed()
      if not (attached[client_id] and attached[client_id][bufnr]) then
        return true
      end
      if not due then
        due = true
        vim.defer_fn(function()
          due = false
          refresh(client_id, bufnr)
        end, 200)
      end
    end
    vim.api.nvim_buf_attach(bufnr, false, {
      on_lines = changed,
      -- Another program changed the file (:checktime). Without this the buffer would be detached from.
      on_reload = function()
        changed()
      end,
      on_detach = function()
        if attached[client_id] then
          attached[client_id][bufnr] = nil
        end
      end,
    })
  end
  refresh(client_id, bufnr)
end

return M
