local hs = { status = "Progressing", message = "waiting for the runtime" }
local s = obj.status
if s == nil then return hs end
for _, c in ipairs(s.conditions or {}) do
  if c.type == "plan.kruise.io/Held" and c.status == "True" then
    hs.status = "Suspended"
    if c.reason == "Halted" or c.reason == "Aborted" or c.reason == "Reverted" or c.reason == "InvalidTarget" or c.reason == "UnsupportedSemantics" then hs.status = "Degraded" end
    hs.message = c.message or c.reason or ""
    return hs
  end
end
local good, wanted = s.succeeded or 0, s.desired or 0
hs.message = good .. " of " .. wanted
local ended = (s.succeeded or 0) + (s.failed or 0)
if s.desired ~= nil and ended >= wanted then
  hs.status = good < wanted and "Degraded" or "Healthy"
end
return hs
