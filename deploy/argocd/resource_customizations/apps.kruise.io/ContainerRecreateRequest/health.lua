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
hs.message = s.phase or ""
if s.phase == "Completed" then
  hs.status = "Healthy"
  if (s.message or "") ~= "" then
    hs.status = "Degraded"
    hs.message = s.message
  end
  for _, c in ipairs(s.containerRecreateStates or {}) do
    if c.phase ~= "Succeeded" then hs.status = "Degraded" end
  end
end
return hs
