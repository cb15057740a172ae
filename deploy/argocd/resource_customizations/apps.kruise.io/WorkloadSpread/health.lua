local hs = { status = "Progressing", message = "waiting for the runtime" }
local s = obj.status
if s == nil or s.observedGeneration ~= obj.metadata.generation then return hs end
for _, c in ipairs(s.conditions or {}) do
  if c.type == "plan.kruise.io/Held" and c.status == "True" then
    hs.status = "Suspended"
    if c.reason == "Halted" or c.reason == "Aborted" or c.reason == "Reverted" or c.reason == "InvalidTarget" or c.reason == "UnsupportedSemantics" then hs.status = "Degraded" end
    hs.message = c.message or c.reason or ""
    return hs
  end
end
hs.status = "Healthy"
hs.message = ""
if (obj.spec or {}).paused == true then hs.status = "Suspended" end
return hs
